#pragma once

#include <vector>

#include "pneuma/shape/learn.h"

namespace pneuma::shape::internal {

/// All frames to learn from, reduced to a basis that loses next to nothing.
struct Training {
  std::size_t people = 0;
  RowCompressor gradients, vertices;  ///< of gradientRows, and of displacements
  RowCompressor trunks;               ///< of people's trunks at rest
  std::vector<BreathMoment> moments;
  std::vector<int> person;  ///< of each frame
  std::vector<int> trial;
  FeatureRows
      basisDisplacements;  ///< the vertex solve of each gradient direction, 3 per vertex [m]
  MatX trunkProducts;      ///< products of those on the trunk's vertices [m^2]
  MatX metric;             ///< the same, and a little of all others
  double trunkVertices = 0;
  IdentitySpace identity;  ///< of the most scores that may be asked for
  MatX scores;             ///< people x [1, z]

  /// [1, z_1, ..., z_J] of the person of each frame.
  MatX frameScores(Eigen::Index count) const;
};

/// Reads the people who are not held out, one by one. Throws InputError for fewer than two.
Training gatherTraining(const PeopleFolder& people, const ShapeTemplate& shape,
                        const GradientMap& map, Eigen::Index rank, Eigen::Index mostScores,
                        Progress& progress);

/// Coordinates y of the gradient basis into ones whose squares are those of the metric:
/// y (to) = y', y' (from) = y.
struct MetricRoot {
  MatX to, from;
  explicit MetricRoot(const MatX& metric);
};

/// Mean f^T f of frames.
MatX meanProducts(BreathInputs inputs, std::span<const BreathMoment> moments);

/// Errors on people who were left out, rms on the trunk [m].
struct Validation {
  int components = 0;
  double variance = 0;  ///< share that the components of all people hold
  double oracle = 0;    ///< best coefficients for each frame
  double konnoMead = 0, konnoMeadFlow = 0, typeFlow = 0;  ///< predicted, K of each person
};
/// One row for each number of components up to `most`; functions know `scores` of the person.
std::vector<Validation> crossValidate(const Training& training, int most, int folds,
                                      Eigen::Index scores);

/// Errors for 0, 1, ... scores of the person with `components` each.
std::vector<double> crossValidateScores(const Training& training, BreathInputs inputs,
                                        int components, int folds);

}  // namespace pneuma::shape::internal
