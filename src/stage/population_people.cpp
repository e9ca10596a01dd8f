#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "pneuma/core/random.h"
#include "pneuma/stage/population.h"

namespace pneuma::stage {
namespace {

// Ranges of the hypercube, see samplePeople().
constexpr double kMaleHeight = 1.76, kMaleSpread = 0.07;       // [m]
constexpr double kFemaleHeight = 1.63, kFemaleSpread = 0.065;  // [m]
constexpr double kWidestDeviation = 2;                         // of a height
constexpr double kLeastBmi = 18, kMostBmi = 38;                // [kg/m^2]
constexpr double kYoungest = 18, kOldest = 75;                 // [years]
/// Of the drive: without any lifting of the ribs a deep breath of the diaphragm sucks them in (600
/// mL of paradox in the man), as in paralysis, not as when people are asked to breathe with the
/// belly.
constexpr double kStomachShare = 0.2;
constexpr double kProportion = 0.05, kMechanics = 0.2;  // relative, each way

/// Dimensions of the hypercube besides sex.
enum Axis : std::size_t {
  kHeightAxis,
  kBmiAxis,
  kAgeAxis,
  kSpineAxis,
  kHighAxis,
  kLowAxis,
  kFrontalAxis,
  kElevatorAxis,
  kDiaphragmAxis,
  kGradientAxis,
  kWallAxis,
  kRibAxis,
  kAxes
};
using HypercubePoint = std::array<double, kAxes>;

/// The deviate below which a share p of a normal distribution lies, of the part within
/// kWidestDeviation; by bisection, which every library rounds alike.
double normalQuantile(double p) {
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const double least = below(-kWidestDeviation);
  const double wanted = least + p * (1 - 2 * least);
  double low = -kWidestDeviation, high = kWidestDeviation;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (below(middle) < wanted ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::vector<std::size_t> shuffled(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
  return order;
}

/// `count` points of the unit cube, one in each of `count` slices of every axis.
std::vector<HypercubePoint> latinHypercube(std::size_t count, Random& random) {
  std::vector<HypercubePoint> points(count);
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    const std::vector<std::size_t> order = shuffled(count, random);
    for (std::size_t i = 0; i < count; ++i)
      points[i][axis] =
          (static_cast<double>(order[i]) + random.uniform()) / static_cast<double>(count);
  }
  return points;
}

double around(double share, double reach) {
  return 1 + reach * (2 * share - 1);
}

Subject subjectAt(const HypercubePoint& x, bool female) {
  Subject s;
  s.person.sex = female ? anatomy::Sex::Female : anatomy::Sex::Male;
  const double deviation = normalQuantile(x[kHeightAxis]);
  s.person.height =
      female ? kFemaleHeight + kFemaleSpread * deviation : kMaleHeight + kMaleSpread * deviation;
  const double bmi = kLeastBmi * std::pow(kMostBmi / kLeastBmi, x[kBmiAxis]);
  s.person.mass = bmi * s.person.height * s.person.height;
  s.person.age = kYoungest + (kOldest - kYoungest) * x[kAgeAxis];
  s.person.spineRatio = around(x[kSpineAxis], kProportion);
  s.person.highLateralScale = around(x[kHighAxis], kProportion);
  s.person.lowLateralScale = around(x[kLowAxis], kProportion);
  s.person.frontalScale = around(x[kFrontalAxis], kProportion);
  s.mechanics = {.elevatorGain = around(x[kElevatorAxis], kMechanics),
                 .diaphragmGain = around(x[kDiaphragmAxis], kMechanics),
                 .gradient = around(x[kGradientAxis], kMechanics),
                 .wallStiffness = around(x[kWallAxis], kMechanics),
                 .ribStiffness = around(x[kRibAxis], kMechanics)};
  return s;
}

BreathTrial makeTrial(std::string name, std::string style, double chestShare, double effort = 1,
                      shape::TrialUse use = shape::TrialUse::Learn,
                      breath::Posture posture = breath::Posture::Upright) {
  return {std::move(name), std::move(style), chestShare, effort, posture, use};
}

/// [Tsoli14, Sec. 3] normal, chest, stomach, full inhale, full exhale; types between, so that s
/// covers its range; and what a model must not have seen.
std::vector<BreathTrial> paperTrials() {
  return {
      makeTrial("normal", "casual", 0.5),
      makeTrial("normal-chest", "casual", 0.8),
      makeTrial("normal-stomach", "casual", 0.2),
      makeTrial("chest", "deep", 1),
      makeTrial("deep-80", "deep", 0.8),
      makeTrial("deep-65", "deep", 0.65),
      makeTrial("deep", "deep", 0.5),
      makeTrial("deep-40", "deep", 0.4),
      makeTrial("deep-30", "deep", 0.3),
      makeTrial("stomach", "deep", kStomachShare),
      makeTrial("full-inhale", "deep", 0.5, 1.8),
      makeTrial("full-exhale", "forced-exhale", 0.5, 1.7),
      makeTrial("sigh", "sigh", 0.5, 1, shape::TrialUse::Unseen),
      makeTrial("panting", "panting", 0.5, 1, shape::TrialUse::Unseen),
      makeTrial("sob", "sob", 0.5, 1, shape::TrialUse::Unseen),
      makeTrial("cough", "cough", 0.5, 1, shape::TrialUse::Unseen),
      makeTrial("supine", "casual", 0.5, 1, shape::TrialUse::Unseen, breath::Posture::Supine),
      makeTrial("supine-deep", "deep", 0.5, 1, shape::TrialUse::Unseen, breath::Posture::Supine)};
}

std::vector<BreathTrial> shortTrials() {
  return {makeTrial("normal", "casual", 0.5), makeTrial("chest", "deep", 1),
          makeTrial("stomach", "deep", kStomachShare), makeTrial("full-inhale", "deep", 0.5, 1.8),
          makeTrial("panting", "panting", 0.5, 1, shape::TrialUse::Unseen)};
}

}  // namespace

std::vector<std::string> trialSetNames() {
  return {"paper", "short"};
}

const std::vector<BreathTrial>& trialSet(std::string_view name) {
  static const std::vector<BreathTrial> paper = paperTrials(), brief = shortTrials();
  return name == "short" ? brief : paper;
}

void apply(const BreathMechanics& m, breath::TorsoConfig& c) {
  c.elevatorGain *= m.elevatorGain;
  c.diaphragmGain *= m.diaphragmGain;
  const double middle = 0.5 * (c.externalTop + c.externalBottom);
  c.externalTop = middle + m.gradient * (c.externalTop - middle);
  c.externalBottom = std::max(0.0, middle + m.gradient * (c.externalBottom - middle));
  c.rectus.passive *= m.wallStiffness;
  c.transverse.passive *= m.wallStiffness;
  c.oblique.passive *= m.wallStiffness;
  c.jointStiffness *= m.ribStiffness;
  c.jointStiffnessAcross *= m.ribStiffness;
  c.cartilageModulus *= m.ribStiffness;
}

std::vector<Subject> samplePeople(const PopulationRequest& request) {
  requireSettings(request);
  const auto count = static_cast<std::size_t>(request.people);
  Random random(request.seed);
  const std::vector<HypercubePoint> points = latinHypercube(count, random);
  std::vector<Subject> people;
  for (std::size_t i = 0; i < count; ++i) {
    people.push_back(subjectAt(points[i], i % 2 == 1));
    people.back().name = fmt::format("p{:04}", i + 1);
  }
  // Held out: couples of a man and a woman, so that both sexes are tested alike.
  const std::vector<std::size_t> couples = shuffled(count / 2, random);
  const auto kept =
      static_cast<std::size_t>(std::lround(request.heldOut * static_cast<double>(count) / 2));
  for (std::size_t k = 0; k < std::min(kept, couples.size()); ++k)
    people[2 * couples[k]].heldOut = people[2 * couples[k] + 1].heldOut = true;
  return people;
}

}  // namespace pneuma::stage
