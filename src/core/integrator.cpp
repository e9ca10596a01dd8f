#include "pneuma/core/integrator.h"

#include <array>
#include <utility>

#include "core/integrator_common.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

#include <fmt/ranges.h>

namespace pneuma {
namespace {

constexpr std::array<std::pair<IntegratorKind, std::string_view>, 10> kNames{{
    {IntegratorKind::ForwardEuler, "euler"},
    {IntegratorKind::SymplecticEuler, "symplectic-euler"},
    {IntegratorKind::Midpoint, "rk2"},
    {IntegratorKind::RungeKutta4, "rk4"},
    {IntegratorKind::CashKarp54, "cash-karp"},
    {IntegratorKind::AdamsBashforth2, "ab2"},
    {IntegratorKind::AdamsBashforth3, "ab3"},
    {IntegratorKind::AdamsBashforth4, "ab4"},
    {IntegratorKind::AdamsMoulton4, "am4"},
    {IntegratorKind::ImplicitEuler, "implicit-euler"},
}};

}  // namespace

bool OdeSystem::jacobian(double, const VecX&, SparseMat&) {
  return false;
}

std::unique_ptr<Integrator> makeIntegrator(IntegratorKind kind, const IntegratorConfig& config) {
  switch (kind) {
    case IntegratorKind::ForwardEuler:
    case IntegratorKind::SymplecticEuler:
    case IntegratorKind::Midpoint:
    case IntegratorKind::RungeKutta4:
      return internal::makeExplicitOneStep(kind);
    case IntegratorKind::CashKarp54:
      return internal::makeCashKarp(config);
    case IntegratorKind::AdamsBashforth2:
    case IntegratorKind::AdamsBashforth3:
    case IntegratorKind::AdamsBashforth4:
    case IntegratorKind::AdamsMoulton4:
      return internal::makeAdams(kind);
    case IntegratorKind::ImplicitEuler:
      return internal::makeImplicitEuler(config);
  }
  PNEUMA_CHECK(false, "integrator {}", static_cast<int>(kind));
  return nullptr;
}

const std::vector<std::string>& integratorNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [kind, name] : kNames) list.emplace_back(name);
    return list;
  }();
  return names;
}

std::string_view toString(IntegratorKind kind) {
  for (const auto& [k, name] : kNames)
    if (k == kind) return name;
  return "unknown";
}

IntegratorKind parseIntegrator(std::string_view name) {
  for (const auto& [kind, n] : kNames)
    if (n == name) return kind;
  throw InputError(
      Diagnostic{.field = "integrator",
                 .message = fmt::format("unknown integrator '{}'", name),
                 .expected = fmt::format("one of {}", fmt::join(integratorNames(), ", ")),
                 .nearest = nearestName(name, integratorNames())});
}

}  // namespace pneuma
