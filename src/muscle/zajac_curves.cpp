#include "pneuma/muscle/zajac_curves.h"

#include "muscle/require.h"

namespace pneuma::muscle {
namespace {

void require(bool good, const char* field, double value, const char* expected) {
  internal::require(good, "Zajac curves", field, value, expected);
}

void validate(const ZajacCurvesConfig& c) {
  const auto positive = [](const char* field, double value) {
    require(value > 0 && std::isfinite(value), field, value, "a number > 0");
  };
  require(c.activeWidthShort > 0 && c.activeWidthShort <= 1, "activeWidthShort", c.activeWidthShort,
          "a number in (0, 1]");
  positive("activeWidthLong", c.activeWidthLong);
  positive("hillCurvature", c.hillCurvature);
  require(c.eccentricForce > 1 && std::isfinite(c.eccentricForce), "eccentricForce",
          c.eccentricForce, "a number > 1");
  positive("eccentricVelocity", c.eccentricVelocity);
  positive("eccentricRounding", c.eccentricRounding);
  positive("passiveStrain", c.passiveStrain);
  positive("passiveShape", c.passiveShape);
  positive("tendonStrain", c.tendonStrain);
  const double reach = c.tendonStiffness * c.tendonStrain;
  require(reach > 1 && reach < 2, "tendonStiffness", c.tendonStiffness,
          "a slope with 1 < tendonStiffness * tendonStrain < 2");
}

}  // namespace

ZajacCurves::ZajacCurves(const ZajacCurvesConfig& config) : config_(config) {
  validate(config);
  inverseWidthShort_ = 1 / config.activeWidthShort;
  inverseWidthLong_ = 1 / config.activeWidthLong;
  inverseCurvature_ = 1 / config.hillCurvature;
  eccentricGain_ = config.eccentricForce - 1;
  rounding_ = config.eccentricRounding;
  // r makes the slope at v = 0 that of the shortening branch, 1 + 1/a.
  roundingConstant_ = eccentricGain_ * rounding_ / (1 + inverseCurvature_);

  const double k = config.passiveShape;
  inversePassiveStrain_ = 1 / config.passiveStrain;
  passiveScale_ = 1 / (std::expm1(k) - k);
  passiveEndSlope_ = k * std::expm1(k) * passiveScale_;

  const double toeForce = config.tendonStiffness * config.tendonStrain - 1;
  toeStrain_ = 2 * toeForce / config.tendonStiffness;
  inverseToeStrain_ = 1 / toeStrain_;
}

double ZajacCurves::tendonStrain(double force) const {
  if (force <= 0) return 0;
  if (force < toeForce()) return toeStrain_ * std::sqrt(force / toeForce());
  return toeStrain_ + (force - toeForce()) / config_.tendonStiffness;
}

double ZajacCurves::passiveEnergy(double l) const {
  const double k = config_.passiveShape;
  const double x = std::max((l - 1) * inversePassiveStrain_, 0.0);
  const double inside = std::min(x, 1.0), beyond = x - inside;
  const double curved = (std::expm1(k * inside) / k - inside - 0.5 * k * inside * inside);
  return config_.passiveStrain *
         (curved * passiveScale_ + beyond * (1 + 0.5 * passiveEndSlope_ * beyond));
}

double ZajacCurves::tendonEnergy(double strain) const {
  const double e = std::max(strain, 0.0);
  const double toe = std::min(e, toeStrain_), beyond = e - toe;
  return config_.tendonStiffness * toe * toe * toe * inverseToeStrain_ / 6 +
         beyond * (toeForce() + 0.5 * config_.tendonStiffness * beyond);
}

}  // namespace pneuma::muscle
