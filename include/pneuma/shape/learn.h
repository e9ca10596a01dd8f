#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/table.h"
#include "pneuma/shape/breath_model.h"
#include "pneuma/shape/gradients.h"
#include "pneuma/shape/pca.h"
#include "pneuma/shape/people_files.h"

/// Learning to breathe from a population, and how well it was learned.
namespace pneuma::shape {

struct LearnConfig {
  int components = 0;      ///< K; 0: by cross-validation
  int mostComponents = 8;  ///< that cross-validation may choose
  int folds = 6;           ///< people are split into so many parts
  std::string inputs = "konno-mead-flow";
  int scores = -1;     ///< of the person's shape that breath depends on; -1: by cross-validation
  int mostScores = 6;  ///< that cross-validation may choose
  bool paper = true;   ///< also fit and test the paper's own form
};

/// Zero means "let cross-validation choose" throughout, so that the defaults are the honest ones.
template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<LearnConfig> c) {
  v.field({.name = "components",
           .meaning = "How many components of breath; 0: by cross-validation",
           .min = 0,
           .max = 32},
          c.components);
  v.field({.name = "most_components",
           .meaning = "Most that cross-validation may choose",
           .min = 1,
           .max = 32},
          c.mostComponents);
  v.field({.name = "folds",
           .meaning = "Parts that people are split into for cross-validation",
           .min = 2,
           .max = 100},
          c.folds);
  v.field({.name = "inputs",
           .meaning = "What predicts the shape: volumes of chest and belly, the same and flow, or "
                      "type, volume, flow",
           .choices = {"konno-mead", "konno-mead-flow", "type-flow"}},
          c.inputs);
  v.field({.name = "scores",
           .meaning = "Scores of the person's shape at rest that breath depends on; -1: by "
                      "cross-validation",
           .min = -1,
           .max = 16},
          c.scores);
  v.field({.name = "most_scores",
           .meaning = "Most that cross-validation may choose",
           .min = 0,
           .max = 16},
          c.mostScores);
  v.field({.name = "paper", .meaning = "Also fit and test the paper's own form"}, c.paper);
}

/// One person's frames as displacements from rest, with what is known of each moment.
struct PersonFrames {
  PersonEntry entry;
  std::vector<Vec3> rest;
  double area = 1;                      ///< of the torso [m^2]
  FeatureRows displacements;            ///< frames x 3 vertices [m]
  std::vector<BreathMoment> moments;    ///< type is that of the frame's trial
  std::vector<double> meshVolume;       ///< gained since rest, signed tetrahedra [m^3]
  std::vector<int> trial;               ///< number of the trial
  std::vector<std::string> trialNames;  ///< of all trials, by number
  std::vector<TrialUse> use;
};
/// Throws InputError for a person with fewer than two frames to learn from, or whose lungs hold
/// still.
PersonFrames framesOf(const ShapeTemplate& shape, const PersonData& data);
/// The frames of one use.
PersonFrames select(const PersonFrames& all, TrialUse use);

/// Gradients of displacements, weighted by the square root of the areas: rows of 6 numbers for each
/// triangle that breath can move. Their products are those of B in [Tsoli14, Eq. 6].
FeatureRows gradientRows(const GradientMap& map, const FeatureRows& displacements);
/// The displacements whose gradients come nearest to such a row.
std::vector<Vec3> displacementOf(const GradientMap& map, const Eigen::RowVectorXf& row);

/// Root mean square, mean and 99th percentile of distances [m] on the trunk.
struct ShapeError {
  double rms = 0, mean = 0, p99 = 0;
  std::size_t vertices = 0;
};
/// Collects distances of predicted and true places.
class DistanceMeter {
 public:
  /// Of the vertices that `counted` marks [m].
  void add(std::span<const Vec3> predicted, std::span<const Vec3> truth,
           const std::vector<bool>& counted);
  void addSquared(float squared) { squared_.push_back(squared); }  ///< [m^2]
  ShapeError error() const;

 private:
  std::vector<float> squared_;
};
/// The same on the trunk, of many frames at once.
class ErrorMeter {
 public:
  explicit ErrorMeter(const ShapeTemplate& shape) : shape_(&shape) {}
  /// Rows of 3 numbers per vertex [m].
  void add(const FeatureRows& predicted, const FeatureRows& truth);
  ShapeError error() const { return distances_.error(); }

 private:
  const ShapeTemplate* shape_;
  DistanceMeter distances_;
};

/// One line of the table of errors.
struct ErrorLine {
  std::string name, seen;  ///< what predicted; what of the person it had seen
  ShapeError learned;      ///< on the breath types that were learned from
  ShapeError unseen;       ///< on styles and postures that were not
};

/// Errors of one trial of people held out, rms on the trunk [m].
struct TrialErrorLine {
  std::string name;
  TrialUse use = TrialUse::Learn;
  double nothing = 0, vertexPca = 0, model = 0, oracle = 0;
};

/// Principal components of how breath turns the parts of a body, as the paper takes them
/// [Tsoli14, Sec. 5.2]: axis times angle, three numbers for each part of the template.
struct PoseComponents {
  MatX directions;    ///< N x 3 parts
  VecX deviations;    ///< [rad]
  VecX correlations;  ///< with volume; below 0.3 the paper's form leaves a component out
};

/// A body whose parts are turned [rad, 3 for each part], its vertices solved for (Eq. 2).
std::vector<Vec3> turnedParts(const GradientMap& map, std::span<const Vec3> rest,
                              const Eigen::RowVectorXd& turns);

struct Learned {
  BreathModel model;
  io::Table validation;           ///< K against error by cross-validation [mm] and variance
  io::Table scoreValidation;      ///< scores of the person against error [mm]
  std::vector<ErrorLine> errors;  ///< on people held out
  std::vector<TrialErrorLine> trials;
  PoseComponents pose;  ///< of the paper's form; empty without it
  nlohmann::ordered_json card;
};

/// Learns from the people who are not held out, tests on those who are. Deterministic.
Learned learnBreath(const PeopleFolder& people, const LearnConfig& config, Progress& progress);

/// The table of errors for people.
std::string errorTable(const std::vector<ErrorLine>& lines);
std::string trialTable(const std::vector<TrialErrorLine>& lines);

}  // namespace pneuma::shape
