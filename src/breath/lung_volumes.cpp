#include "pneuma/breath/lung_volumes.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

constexpr double kLitre = 1e-3;
// Heart, vessels and lung tissue 1.1 l, lining of the chest wall and half the diaphragm 0.3 l.
constexpr double kReferenceTissue = 1.4e-3;  // [m^3], man of 1.75 m and 30 years

void checkRange(std::vector<Diagnostic>& found, const char* field, double value, double low,
                double high, const char* unit) {
  if (value >= low && value <= high) return;
  found.push_back({.subject = "person",
                   .field = field,
                   .message = fmt::format("{} is out of range", value),
                   .expected = fmt::format("{} .. {} {}", low, high, unit)});
}

double logLog(double a, double b, double c, const Subject& s) {
  return kLitre * std::exp(a + b * std::log(s.age) + c * std::log(100 * s.height));
}

double logLinear(double a, double b, double c, const Subject& s) {
  return kLitre * std::exp(a + b * s.age + c * 100 * s.height);
}

}  // namespace

void validate(const Subject& subject) {
  std::vector<Diagnostic> found;
  checkRange(found, "height", subject.height, 1.2, 2.2, "m");
  checkRange(found, "mass", subject.mass, 30, 200, "kg");
  checkRange(found, "age", subject.age, 16, 95, "years");
  if (!found.empty()) throw InputError(std::move(found));
}

LungVolumes predictLungVolumes(const Subject& s) {
  validate(s);
  if (s.sex == Sex::Male)
    return {.functionalResidual = logLog(-13.4898, 0.1111, 2.7634, s),
            .total = logLog(-10.5861, 0.1433, 2.3155, s),
            .residual = logLinear(-2.37211, 0.01346, 0.01307, s)};
  return {.functionalResidual = logLog(-12.7674, 0.1251, 2.6049, s),
          .total = logLog(-10.1128, 0.1062, 2.2259, s),
          .residual = logLinear(-2.50593, 0.01307, 0.01379, s)};
}

double predictThoracicTissue(const Subject& subject) {
  const double reference = predictLungVolumes(Subject{}).functionalResidual;
  return kReferenceTissue * predictLungVolumes(subject).functionalResidual / reference;
}

}  // namespace pneuma::breath
