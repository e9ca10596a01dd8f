#pragma once

#include <vector>

#include "pneuma/shape/learn.h"

namespace pneuma::shape::internal {

/// All frames to learn from, reduced to a basis that loses next to nothing.
struct Training {
  std::size_t people = 0;
  RowCompressor gradients, vertices;  ///< of gradientRows, and of displacements
  std::vector<BreathMoment> moments;
  std::vector<int> person;  ///< of each frame
  std::vector<int> trial;
  FeatureRows
      basisDisplacements;  ///< the vertex solve of each gradient direction, 3 per vertex [m]
  MatX trunkProducts;      ///< products of those on the trunk's vertices [m^2]
  double trunkVertices = 0;
};

/// Reads the people who are not held out, one by one. Throws InputError for fewer than two.
Training gatherTraining(const PeopleFolder& people, const ShapeTemplate& shape,
                        const GradientMap& map, Eigen::Index rank, Progress& progress);

/// Errors on people who were left out, rms on the trunk [m].
struct Validation {
  int components = 0;
  double variance = 0;  ///< share that the components of all people hold
  double oracle = 0;    ///< best coefficients for each frame
  double konnoMead = 0, typeFlow = 0;
};
/// One row for each number of components up to `most`.
std::vector<Validation> crossValidate(const Training& training, int most, int folds);

}  // namespace pneuma::shape::internal
