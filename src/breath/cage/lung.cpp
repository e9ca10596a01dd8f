#include "pneuma/breath/lung.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"

namespace pneuma::breath {
namespace {

constexpr double kLitre = 1e-3;
constexpr double kReferenceTotal = 6.43 * kLitre;  // of LungConfig's man (GLI 2021)
constexpr double kTangentFrom = 0.996;             // of A; the recoil is a straight line above
constexpr double kLimitSharpness = 4;              // how flow bends into its limit, see flow()

/// Linear in age through the values at 30 and 70 years; the young have those of 20.
double atAge(double at30, double at70, double age) {
  constexpr double kYoungest = 20, kOldest = 90;
  return at30 + (at70 - at30) * (std::clamp(age, kYoungest, kOldest) - 30) / 40;
}

}  // namespace

double Lungs::recoil(double gas) const {
  const double edge = kTangentFrom * A, at = std::min(gas, edge);
  const double p = -std::log((A - at) / B) / K;
  return gas <= edge ? p : p + (gas - edge) * staticStiffness(edge);
}

double Lungs::stiffness(double gas) const {
  return staticStiffness(gas) + relaxing;
}

double Lungs::staticStiffness(double gas) const {
  return 1 / (K * (A - std::min(gas, kTangentFrom * A)));
}

/// Exact for a volume that is held.
double Lungs::relax(double gas, double relaxed, double h) const {
  return relaxed - std::expm1(-h / relaxationTime) * (gas - relaxed);
}

double Lungs::greatestFlow(double gas) const {
  return std::max(0.0, recoil(gas) - recoil(residual)) / upstream;
}

/// Without a limit P = r F + q F |F|. An expiration bends into its limit L as
/// F = Fu (1 + (Fu / L)^s)^(-1/s), which is Fu for small and L for large Fu.
Lungs::Flow Lungs::flow(double pressure, double gas, double added) const {
  const double r = added + upper + lower / std::max(gas, 0.1 * residual);
  const double root = std::sqrt(r * r + 4 * turbulent * std::abs(pressure));
  Flow f{std::copysign(2 * std::abs(pressure) / (r + root), pressure), 1 / root};
  if (pressure <= 0) return f;
  const double limit = greatestFlow(gas);
  if (limit <= 0) return {0, 0};
  const double ratio = f.flow / limit, bend = 1 + std::pow(ratio, kLimitSharpness);
  const double factor = std::pow(bend, -1 / kLimitSharpness);
  return {f.flow * factor, f.conductance * factor / bend};
}

/// Newton's method on n' = n - h F(P, V), P = P_atm (n' / V' - 1): F grows with P, so the residual
/// is monotone in P and a few steps suffice.
Lungs::Alveoli Lungs::breathe(const Airway& airway, double n, double gas, double change,
                              double h) const {
  const double after = std::max(gas + change, 0.05 * residual);
  const double soft = after / kDryAtmosphere;  // dn/dP at that volume
  Alveoli a;
  a.pressure = kDryAtmosphere * (n / after - 1);
  Flow f;
  if (airway.open) {
    constexpr int kMost = 12;
    for (int i = 0; i < kMost; ++i) {
      f = flow(a.pressure - airway.mouthPressure, after, airway.resistance);
      const double residue = soft * (a.pressure + kDryAtmosphere) - n + h * f.flow;
      const double next = a.pressure - residue / (soft + h * f.conductance);
      const bool done = std::abs(next - a.pressure) < 1e-9 * (1 + std::abs(next));
      a.pressure = next;
      if (done) break;
    }
    f = flow(a.pressure - airway.mouthPressure, after, airway.resistance);
  }
  a.flow = f.flow;
  a.gas = n - h * f.flow;
  a.stiffness = (kDryAtmosphere + a.pressure) / kDryAtmosphere / (soft + h * f.conductance);
  return a;
}

Lungs makeLungs(const anatomy::Person& person, double cavity, const LungConfig& c) {
  Lungs l;
  const anatomy::LungVolumes v = anatomy::lungVolumes(person);
  l.tissue = anatomy::predictThoracicTissue(person);
  l.rest = cavity - l.tissue;
  PNEUMA_CHECK(l.rest > 0, "no gas in a cavity of {} m^3", cavity);
  // A body whose measured lungs hold more at rest than its height predicts has larger ones.
  constexpr double kLeastInspiration = 1.2, kLeastReserve = 0.95;  // of FRC
  l.total = std::max(v.total, kLeastInspiration * l.rest);
  l.residual = std::min(v.residual, kLeastReserve * l.rest);
  l.K = atAge(c.k30, c.k70, person.age) / kCmH2O;
  l.A = atAge(c.a30, c.a70, person.age) * l.total;
  l.B = atAge(c.b30, c.b70, person.age) * l.total;
  // Airways grow with the lungs.
  const double unit = kCmH2O / kLitre * kReferenceTotal / l.total;
  l.upper = c.upper * unit;
  l.lower = c.lower * kCmH2O;  // falls with the volume of gas already
  l.turbulent = c.turbulent * kCmH2O / (kLitre * kLitre) * std::pow(kReferenceTotal / l.total, 2);
  l.upstream = c.upstream * unit;
  // Tissue grows with the lungs too; its time does not.
  if (c.relaxingCompliance > 0) l.relaxing = c.relaxingShare * unit / c.relaxingCompliance;
  l.relaxationTime = c.relaxationTime;
  return l;
}

}  // namespace pneuma::breath
