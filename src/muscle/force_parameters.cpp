#include "muscle/require.h"
#include "pneuma/muscle/linear_hill.h"
#include "pneuma/muscle/spring_element.h"

namespace pneuma::muscle {

using internal::require;

void validate(const SpringElement& e) {
  const char* subject = "spring element";
  require(e.activeStiffness >= 0, subject, "activeStiffness", e.activeStiffness,
          "a stiffness >= 0 [N/m]");
  require(e.passiveStiffness >= 0, subject, "passiveStiffness", e.passiveStiffness,
          "a stiffness >= 0 [N/m]");
  require(e.damping >= 0, subject, "damping", e.damping, "a damping >= 0 [N s/m]");
  require(e.restLength > 0, subject, "restLength", e.restLength, "a length > 0 [m]");
  require(e.contraction > 0 && e.contraction <= 1, subject, "contraction", e.contraction,
          "a ratio in (0, 1]");
}

void validate(const LinearHill& m) {
  const char* subject = "linear Hill muscle";
  require(m.slackLength > 0, subject, "slackLength", m.slackLength, "a length > 0 [m]");
  require(m.passiveForce >= 0, subject, "passiveForce", m.passiveForce, "a force >= 0 [N]");
  require(m.passiveExponent > 0, subject, "passiveExponent", m.passiveExponent, "a number > 0");
  require(m.passiveDamping >= 0, subject, "passiveDamping", m.passiveDamping,
          "a damping >= 0 [N s]");
  require(m.activeStiffness >= 0, subject, "activeStiffness", m.activeStiffness,
          "a stiffness >= 0 [N/m]");
  require(m.minimumLength >= 0, subject, "minimumLength", m.minimumLength, "a length >= 0 [m]");
  require(m.maximumVelocity > 0, subject, "maximumVelocity", m.maximumVelocity,
          "a velocity > 0 [m/s]");
}

double storedEnergy(const SpringElement& e, double length, double activation) {
  // Two springs in parallel are one, slack at the length where their pulls cancel.
  const double stiffness = activation * e.activeStiffness + e.passiveStiffness;
  if (stiffness <= 0) return 0;
  const double tension = evaluateForce(e, length, 0, activation).force;
  return 0.5 * tension * tension / stiffness;
}

double storedEnergy(const LinearHill& m, double length) {
  const double strain = std::max(length / m.slackLength - 1, 0.0);
  return m.passiveForce * m.slackLength *
         (std::expm1(m.passiveExponent * strain) / m.passiveExponent - strain);
}

LinearHill makeLinearHill(double slackLength, double crossSection, const LinearHillConfig& config) {
  const char* subject = "linear Hill muscle";
  require(slackLength > 0, subject, "slackLength", slackLength, "a length > 0 [m]");
  require(crossSection > 0, subject, "crossSection", crossSection, "an area > 0 [m^2]");
  require(config.minimumLengthRatio >= 0 && config.minimumLengthRatio < 1, subject,
          "minimumLengthRatio", config.minimumLengthRatio, "a ratio in [0, 1)");
  LinearHill m;
  m.slackLength = slackLength;
  m.passiveForce = config.passiveScale * config.passiveSpecificTension * crossSection;
  m.passiveExponent = config.passiveExponent;
  m.passiveDamping = config.dampingScale * m.passiveForce;
  m.minimumLength = config.minimumLengthRatio * slackLength;
  m.activeStiffness = config.specificTension * crossSection / (slackLength - m.minimumLength);
  m.maximumVelocity = config.maximumVelocityRatio * slackLength;
  validate(m);
  return m;
}

}  // namespace pneuma::muscle
