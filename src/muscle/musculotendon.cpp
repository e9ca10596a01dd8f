#include "pneuma/muscle/musculotendon.h"

#include <algorithm>
#include <cmath>

#include "muscle/require.h"

namespace pneuma::muscle {
namespace {

/// The fibre seen along the tendon's line, at projection s and fibre velocity `rate` [m/s].
struct Fibre {
  double length;       // l l_0 [m]
  double cosine;       // cos(alpha)
  double cosineSlope;  // d cos / ds [1/m]
  double force;        // along the tendon [N]
  double dProjection;  // at constant fibre velocity [N/m]
  double dRate;        // with respect to the fibre velocity [N s/m]
  double dActivation;  // [N]
};

double thickness(const Musculotendon& u) {
  return u.optimalLength * std::sin(u.pennation);
}

Fibre evaluateFibre(const ZajacCurves& curves, const Musculotendon& u, double s, double rate,
                    double activation) {
  const double w = thickness(u);
  Fibre f;
  f.length = std::max(std::hypot(s, w), 1e-9 * u.optimalLength);
  f.cosine = s / f.length;
  f.cosineSlope = w * w / (f.length * f.length * f.length);

  const double l = f.length / u.optimalLength;
  const double perVelocity = 1 / (u.maxVelocity * u.optimalLength);
  const double v = rate * perVelocity;
  const CurvePoint active = curves.activeForceLength(l);
  const CurvePoint velocity = curves.forceVelocity(v);
  const CurvePoint passive = curves.passiveForceLength(l);
  const double along =
      activation * active.value * velocity.value + passive.value + u.fibreDamping * v;
  const double on = along > 0 ? u.maxForce : 0;

  const double dLength =
      (activation * active.slope * velocity.value + passive.slope) / u.optimalLength;
  f.force = on * along * f.cosine;
  f.dProjection = on * (dLength * f.cosine * f.cosine + along * f.cosineSlope);
  f.dRate =
      on * (activation * active.value * velocity.slope + u.fibreDamping) * perVelocity * f.cosine;
  f.dActivation = on * active.value * velocity.value * f.cosine;
  return f;
}

/// Root of an increasing-in-the-large function on [low, high] with f(low) <= 0 <= f(high): Newton,
/// replaced by bisection whenever it leaves the bracket or converges too slowly.
template <class Function>
double solveBracketed(Function&& f, double low, double high, double guess, double tolerance,
                      int& iterations) {
  double x = std::clamp(guess, low, high);
  double lastStep = high - low;
  for (iterations = 0; iterations < 200; ++iterations) {
    const auto [value, slope] = f(x);
    if (value == 0) return x;
    (value < 0 ? low : high) = x;
    double next = slope > 0 ? x - value / slope : low;
    const bool safe =
        slope > 0 && next > low && next < high && std::abs(next - x) < 0.5 * std::abs(lastStep);
    if (!safe) next = 0.5 * (low + high);
    lastStep = next - x;
    x = next;
    if (std::abs(lastStep) < tolerance || high - low < tolerance) return x;
  }
  return x;
}

struct Residual {
  double value, slope;
};

/// Balance of fibre and tendon over the projection s; `inverseStep` is 1 / dt, or 0 at rest.
TendonEquilibrium solveBalance(const ZajacCurves& curves, const Musculotendon& u, double length,
                               double activation, double fibreLength, double inverseStep,
                               double guess) {
  const auto fibreAt = [&](double s) {
    const double rate = (std::hypot(s, thickness(u)) - fibreLength) * inverseStep;
    return evaluateFibre(curves, u, s, rate, activation);
  };
  const auto tendonAt = [&](double s) {
    return curves.tendonForce((length - s) / u.slackLength - 1);
  };
  const double stiffnessScale = u.maxForce / u.slackLength;
  const auto balance = [&](double s) {
    const Fibre f = fibreAt(s);
    const CurvePoint t = tendonAt(s);
    return Residual{f.force - u.maxForce * t.value,
                    f.dProjection + f.dRate * f.cosine * inverseStep + stiffnessScale * t.slope};
  };

  TendonEquilibrium result;
  const double slack = std::max(length - u.slackLength, 0.0);
  const double s = solveBracketed(balance, 0, slack, guess, 1e-14 * (u.optimalLength + slack),
                                  result.iterations);
  const Fibre f = fibreAt(s);
  const CurvePoint t = tendonAt(s);
  result.fibreLength = f.length;
  result.cosPennation = f.cosine;
  result.tendonStrain = (length - s) / u.slackLength - 1;

  // Series connection: both stiffnesses act at the same s (implicit function theorem).
  const double fibreStiffness = f.dProjection + f.dRate * f.cosine * inverseStep;
  const double tendonStiffness = stiffnessScale * t.slope;
  const double sum = fibreStiffness + tendonStiffness;
  const double share = sum > 0 ? tendonStiffness / sum : 0;
  result.sample.force = u.maxForce * t.value;
  result.sample.dLength = share * fibreStiffness;
  result.sample.dActivation = share * f.dActivation;
  return result;
}

}  // namespace

void validate(const Musculotendon& u, bool elasticTendon) {
  using internal::require;
  const char* subject = "musculotendon unit";
  require(u.maxForce > 0, subject, "maxForce", u.maxForce, "a force > 0 [N]");
  require(u.optimalLength > 0, subject, "optimalLength", u.optimalLength, "a length > 0 [m]");
  require(elasticTendon ? u.slackLength > 0 : u.slackLength >= 0, subject, "slackLength",
          u.slackLength, elasticTendon ? "a length > 0 [m]" : "a length >= 0 [m]");
  require(u.pennation >= 0 && u.pennation <= 1.4, subject, "pennation", u.pennation,
          "an angle in [0, 1.4] [rad]");
  require(u.maxVelocity > 0, subject, "maxVelocity", u.maxVelocity, "a velocity > 0 [1/s]");
  require(u.fibreDamping >= 0, subject, "fibreDamping", u.fibreDamping, "a number >= 0");
}

double storedEnergy(const ZajacCurves& curves, const Musculotendon& u, double length,
                    double fibreLength) {
  const double w = thickness(u);
  const double s = std::sqrt(std::max(fibreLength * fibreLength - w * w, 0.0));
  double energy =
      u.maxForce * u.optimalLength * curves.passiveEnergy(fibreLength / u.optimalLength);
  if (u.slackLength > 0)
    energy += u.maxForce * u.slackLength * curves.tendonEnergy((length - s) / u.slackLength - 1);
  return energy;
}

ForceSample evaluateForce(const ZajacCurves& curves, const Musculotendon& u, double length,
                          double lengthRate, double activation) {
  const double s = std::max(length - u.slackLength, 0.0);
  const double w = thickness(u);
  const double cosine = s / std::max(std::hypot(s, w), 1e-9 * u.optimalLength);
  const Fibre f = evaluateFibre(curves, u, s, lengthRate * cosine, activation);
  const double on = length > u.slackLength ? 1 : 0;
  return {f.force, on * (f.dProjection + f.dRate * lengthRate * f.cosineSlope),
          on * f.dRate * f.cosine, f.dActivation};
}

TendonEquilibrium solveIsometric(const ZajacCurves& curves, const Musculotendon& u, double length,
                                 double activation) {
  const double guess = 0.98 * std::max(length - u.slackLength, 0.0);
  return solveBalance(curves, u, length, activation, 0, 0, guess);
}

TendonEquilibrium stepElastic(const ZajacCurves& curves, const Musculotendon& u, double length,
                              double activation, double fibreLength, double dt) {
  const double w = thickness(u);
  const double guess = std::sqrt(std::max(fibreLength * fibreLength - w * w, 0.0));
  return solveBalance(curves, u, length, activation, fibreLength, 1 / dt, guess);
}

double fibreVelocity(const ZajacCurves& curves, const Musculotendon& u, double length,
                     double activation, double fibreLength) {
  const double w = thickness(u);
  const double s = std::sqrt(std::max(fibreLength * fibreLength - w * w, 0.0));
  const double tendon = u.maxForce * curves.tendonForce((length - s) / u.slackLength - 1).value;
  const double limit = 10 * u.maxVelocity * u.optimalLength;
  const auto balance = [&](double rate) {
    const Fibre f = evaluateFibre(curves, u, s, rate, activation);
    return Residual{f.force - tendon, f.dRate};
  };
  if (balance(limit).value < 0) return limit;
  if (balance(-limit).value > 0) return -limit;
  int iterations = 0;
  return solveBracketed(balance, -limit, limit, 0, 1e-13 * limit, iterations);
}

}  // namespace pneuma::muscle
