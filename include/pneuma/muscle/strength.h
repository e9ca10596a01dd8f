#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"

/// How strong a body is, measured as a dynamometer does, beside what people reach.
namespace pneuma::muscle {

/// Which force-length relation the fibres follow.
enum class StrengthModel {
  Zajac,      ///< active curve over the fibre length, rigid tendon, pennation [Zajac89]
  LinearHill  ///< straight line over the path length, what the driven body simulates [Lee09]
};

/// One anatomical muscle's part of the torque at the peak.
struct StrengthShare {
  std::string muscle;
  double torque = 0;  ///< [N m]
};

/// Largest isometric torque of an action over its range of motion.
///
///   tau(q) = sum over lines i with r_i(q) > 0 of  F_i(L_i(q)) r_i(q)
///
///   r_i  moment arm in the direction of the action [m]: -dL_i/dq about the freedom's axis
///   F_i  force of the line, fully active, at rest [N]; Zajac: F0 f_L(l) cos(alpha)
///
/// Agonists only, antagonists off. Where the test is balanced, the activations a_i in [0, 1] give
/// the largest torque that leaves none about the joint's other axes (a linear programme, see
/// balanced_torque.h), as people do who are not strapped down. `passive` is what all lines give
/// unasked, agonists and antagonists, in the same direction. Other joints are taken to be held.
struct StrengthCurve {
  std::string test;
  std::vector<double> angle;          ///< swept [rad]
  std::vector<double> torque;         ///< active [N m]
  std::vector<double> passive;        ///< [N m], negative where the passive muscles resist
  double peak = 0;                    ///< largest active torque [N m]
  double peakAngle = 0;               ///< where [rad]
  std::vector<StrengthShare> shares;  ///< at the peak, largest first

  /// Torque at an angle, by linear interpolation, the ends held [N m].
  double at(double angle) const;
};

/// Measures strength tests on one compiled body.
class StrengthMeter {
 public:
  explicit StrengthMeter(const anatomy::CompiledBody& body,
                         StrengthModel model = StrengthModel::Zajac);
  ~StrengthMeter();
  StrengthMeter(StrengthMeter&&) noexcept;

  /// Throws InputError when the test names a freedom that the articulation lacks.
  StrengthCurve measure(const anatomy::StrengthTest& test, int points = 61) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What people of a person's sex and age reach, and whether the body does.
struct StrengthVerdict {
  const anatomy::StrengthBand* band = nullptr;
  double torque = 0;          ///< of the body: the peak, or at the source's angle [N m]
  double mean = 0;            ///< [N m], times the body mass where the source is per kilogram
  double low = 0, high = 0;   ///< mean +- 2 deviations, or +- 30 % without a deviation read [N m]
  bool inside = false;        ///< the torque lies between them
  double reachedAtAngle = 1;  ///< largest torque within the source's peak angles over the peak [-]
  bool angleInside = true;    ///< at least kAngleShare of the peak is reached there
};

/// Share of its own peak that a curve must reach where people have theirs.
inline constexpr double kAngleShare = 0.9;
/// Half width of a band without a deviation that was read.
inline constexpr double kRecalledWidth = 0.3;

/// The first band of the test for that sex and age, or none.
std::optional<StrengthVerdict> judgeStrength(const StrengthCurve& curve,
                                             const anatomy::StrengthTest& test,
                                             const anatomy::Person& person);

/// A test with what came out. Points into the body it was measured on.
struct StrengthResult {
  const anatomy::StrengthTest* test = nullptr;
  StrengthCurve curve;
  std::optional<StrengthVerdict> verdict;  ///< none: nothing known of such people
};

/// All tests of a fitted body whose names begin with `only`, in its order. Throws InputError when
/// no test does.
std::vector<StrengthResult> measureStrength(const anatomy::Body& body,
                                            StrengthModel model = StrengthModel::Zajac,
                                            const std::string& only = {});

}  // namespace pneuma::muscle
