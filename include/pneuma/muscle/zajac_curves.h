#pragma once

#include <algorithm>
#include <cmath>

/// The four dimensionless curves of a musculotendon unit [Zajac89].
///
///   l = fibre length / optimal fibre length     v = fibre velocity / maximum shortening velocity
///   (lengthening positive)     e = tendon strain, (length - slack length) / slack length
///   All forces are divided by the maximum isometric force.
///
///   active     f_L(l) = (1 - s^2)^2 (1 + 2 s^2),  s = (1 - l) / w_s   for l < 1
///              f_L(l) = (1 - s^2)^2,              s = (l - 1) / w_l   for l > 1, 0 beyond s = 1
///   velocity   f_V(v) = (1 + v) / (1 - v / a)                         for v < 0, 0 below v = -1
///              f_V(v) = 1 + (f_e - 1) (v^2 + p v) / (v^2 + (p + c) v + r)   for v > 0
///   passive    f_P(l) = (exp(k x) - 1 - k x) / (exp(k) - 1 - k),  x = (l - 1) / e_p,
///              0 for x < 0, straight on for x > 1
///   tendon     f_T(e) = f_toe (e / e_toe)^2 up to e_toe, then straight with slope k_T;
///              f_toe = k_T e_0 - 1, e_toe = 2 f_toe / k_T, so that f_T(e_0) = 1; 0 for e < 0
///
/// Reading: Zajac prints the curves as drawings. Their numbers are taken from the tables in which
/// Delp (1990) tabulated them for musculoskeletal software; verify/muscle compares with every
/// point. The shortening branch is Hill's hyperbola with a = 0.25 and exact in the table, so is the
/// straight part of the tendon (k_T = 37.5, e_0 = 0.033).
/// Departure: each curve has a continuous slope where the drawing has a corner (tendon and passive
/// fibre at slack, force-velocity at v = 0, where the table's slope jumps from 5 to 24). Implicit
/// steps linearise right there, at the isometric point. p sets the width of the rounding; the
/// largest distance from a tabulated point is 0.06 (active), 0.04 (velocity), 0.04 (passive up to
/// l = 1.5) and 0.02 (tendon) of the maximum isometric force. Only the corner at v = -1 remains.
namespace pneuma::muscle {

/// A value and its derivative with respect to the argument.
struct CurvePoint {
  double value = 0;
  double slope = 0;
};

/// Shape of the curves; the defaults are Zajac's generic muscle.
struct ZajacCurvesConfig {
  double activeWidthShort = 0.56;    ///< w_s, active force vanishes at l = 1 - w_s [-], in (0, 1]
  double activeWidthLong = 0.62;     ///< w_l, active force vanishes at l = 1 + w_l [-], > 0
  double hillCurvature = 0.25;       ///< a, Hill's a / F_0 [-], > 0
  double eccentricForce = 1.8;       ///< f_e, force limit of fast lengthening [-], > 1
  double eccentricVelocity = 0.033;  ///< c, velocity at which half of f_e - 1 is reached [-], > 0
  double eccentricRounding = 0.003;  ///< p, width of the rounding at v = 0 [-], > 0
  double passiveStrain = 0.475;      ///< e_p, fibre strain at which f_P = 1 [-], > 0
  double passiveShape = 2.5;         ///< k, exponent of the passive curve [-], > 0
  double tendonStrain = 0.033;       ///< e_0, tendon strain at which f_T = 1 [-], > 0
  double tendonStiffness = 37.5;     ///< k_T, slope of the straight part [-], 1 < k_T e_0 < 2
};

/// The curves, ready to evaluate. Cheap to copy; min and max instead of branches.
class ZajacCurves {
 public:
  /// Throws InputError when a value is outside its range.
  explicit ZajacCurves(const ZajacCurvesConfig& config = {});

  const ZajacCurvesConfig& config() const { return config_; }

  /// f_L(l): force of a fully active fibre at rest, 0 outside [1 - w_s, 1 + w_l].
  CurvePoint activeForceLength(double l) const {
    const double s = std::clamp((1 - l) * inverseWidthShort_, 0.0, 1.0);
    const double t = std::clamp((l - 1) * inverseWidthLong_, 0.0, 1.0);
    const double u = 1 - s * s, w = 1 - t * t;
    // One of s, t is zero, so the product is the branch that applies.
    return {u * u * (1 + 2 * s * s) * w * w,
            12 * s * s * s * u * inverseWidthShort_ - 4 * t * w * inverseWidthLong_};
  }

  /// f_V(v): factor on the active force, 0 for v <= -1, tends to eccentricForce for v -> infinity.
  CurvePoint forceVelocity(double v) const {
    const double s = std::clamp(v, -1.0, 0.0);
    const double inverse = 1 / (1 - s * inverseCurvature_);
    const double t = std::max(v, 0.0);
    const double top = t * (t + rounding_);
    const double bottom = 1 / (top + config_.eccentricVelocity * t + roundingConstant_);
    const double shortening = (1 + inverseCurvature_) * inverse * inverse;
    const double lengthening =
        eccentricGain_ * bottom * bottom *
        (config_.eccentricVelocity * t * t + roundingConstant_ * (2 * t + rounding_));
    return {(1 + s) * inverse + eccentricGain_ * top * bottom,
            v < 0 ? (v > -1 ? shortening : 0) : lengthening};
  }

  /// f_P(l): passive force of the fibre, 0 for l <= 1.
  CurvePoint passiveForceLength(double l) const {
    const double x = std::max((l - 1) * inversePassiveStrain_, 0.0);
    const double inside = std::min(x, 1.0);
    const double grow = std::expm1(config_.passiveShape * inside);
    return {
        (grow - config_.passiveShape * inside) * passiveScale_ + passiveEndSlope_ * (x - inside),
        config_.passiveShape * grow * passiveScale_ * inversePassiveStrain_};
  }

  /// f_T(e): force of the tendon, 0 for e <= 0.
  CurvePoint tendonForce(double strain) const {
    const double e = std::max(strain, 0.0);
    const double toe = std::min(e, toeStrain_);
    return {config_.tendonStiffness * (0.5 * toe * toe * inverseToeStrain_ + (e - toe)),
            config_.tendonStiffness * toe * inverseToeStrain_};
  }

  /// Strain at which the tendon carries `force` >= 0: the inverse of tendonForce.
  double tendonStrain(double force) const;
  /// Energy of the passive fibre, integral of f_P from slack to l [force * optimal length].
  double passiveEnergy(double l) const;
  /// Energy of the tendon, integral of f_T from slack to the strain [force * slack length].
  double tendonEnergy(double strain) const;

  double toeStrain() const { return toeStrain_; }  ///< e_toe, where the tendon becomes straight
  double toeForce() const { return 0.5 * config_.tendonStiffness * toeStrain_; }  ///< f_toe

 private:
  ZajacCurvesConfig config_;
  double inverseWidthShort_, inverseWidthLong_, inverseCurvature_;
  double eccentricGain_, rounding_, roundingConstant_;
  double inversePassiveStrain_, passiveScale_, passiveEndSlope_;
  double toeStrain_, inverseToeStrain_;
};

}  // namespace pneuma::muscle
