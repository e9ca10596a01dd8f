#include "pneuma/flesh/grid_muscle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "flesh/grid/grid_forces.h"
#include "flesh/grid/grid_paper_forms.h"
#include "flesh/grid/grid_terms.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh {
namespace {

constexpr std::array<std::pair<GridForm, const char*>, 4> kForms{{
    {GridForm::Energy, "energy"},
    {GridForm::PaperFluxes, "paper-fluxes"},
    {GridForm::PaperTermwise, "paper-termwise"},
    {GridForm::PaperPrinted, "paper-printed"},
}};

Vec3 attachment(const GridModel& model, const GridTendon& tendon, double t) {
  return model.anchors[static_cast<std::size_t>(tendon.anchor)](t) * tendon.point;
}

void addFibreForces(const GridModel& model, double t, const VecX& q, const VecX& v, VecX& f) {
  const double a = model.activation.at(t);
  for (const GridFibre& fibre : model.fibres) {
    const Vec3 e = node(q, fibre.b) - node(q, fibre.a);
    const double length = e.norm();
    const Vec3 n = e / length;
    const double rate = n.dot(node(v, fibre.b) - node(v, fibre.a));
    const Vec3 pull = fibreForce(model, fibre, a, length, rate).force * n;
    node(f, fibre.a) += pull;
    node(f, fibre.b) -= pull;
  }
}

void addTendonForces(const GridModel& model, double t, const VecX& q, VecX& f) {
  for (const GridTendon& tendon : model.tendons) {
    const Vec3 d = attachment(model, tendon, t) - node(q, tendon.node);
    const double length = d.norm();
    const double strain = length / tendon.slack - 1;
    if (strain <= 0) continue;
    node(f, tendon.node) += tendon.force * model.curves.tendonForce(strain).value / length * d;
  }
}

}  // namespace

const std::vector<std::string>& gridFormNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [form, name] : kForms) list.emplace_back(name);
    return list;
  }();
  return names;
}

GridForm parseGridForm(const std::string& name) {
  for (const auto& [form, text] : kForms)
    if (name == text) return form;
  throw InputError(
      Diagnostic{.field = "form",
                 .message = fmt::format("unknown form '{}'", name),
                 .expected = fmt::format("one of {}", fmt::join(gridFormNames(), ", ")),
                 .nearest = nearestName(name, gridFormNames())});
}

AnchorMotion fixedAnchor() {
  return [](double) { return Pose{}; };
}

ActivationTrace::ActivationTrace(std::vector<ExcitationStep> steps,
                                 const muscle::ActivationDynamics& dynamics, double initial)
    : steps_(std::move(steps)), dynamics_(dynamics), initial_(initial) {
  muscle::validate(dynamics);
  double a = initial;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const ExcitationStep& s = steps_[i];
    if (!(s.level >= 0 && s.level <= 1))
      throw InputError(Diagnostic{.field = "excite",
                                  .message = fmt::format("excitation {} at {} s", s.level, s.time),
                                  .expected = "a level in [0, 1]"});
    if (i > 0 && !(s.time > steps_[i - 1].time))
      throw InputError(
          Diagnostic{.field = "excite",
                     .message = fmt::format("time {} s after {} s", s.time, steps_[i - 1].time),
                     .expected = "rising times"});
    if (i > 0)
      a = muscle::stepActivation(dynamics_, a, steps_[i - 1].level, s.time - steps_[i - 1].time);
    start_.push_back(a);
  }
}

double ActivationTrace::excitationAt(double time) const {
  double level = 0;
  for (const ExcitationStep& s : steps_)
    if (s.time <= time) level = s.level;
  return level;
}

double ActivationTrace::at(double time) const {
  std::size_t i = steps_.size();
  while (i > 0 && steps_[i - 1].time > time) --i;
  if (i == 0) return initial_;
  return muscle::stepActivation(dynamics_, start_[i - 1], steps_[i - 1].level,
                                time - steps_[i - 1].time);
}

FibreForce fibreForce(const GridModel& model, const GridFibre& fibre, double activation, double l,
                      double lRate) {
  // Fibre length from the chord: the width between the two aponeuroses stays constant [Zajac89].
  const double L = std::sqrt(l * l + fibre.width * fibre.width);
  const double cosine = l / L, cosineSlope = (1 - cosine * cosine) / L;
  const double vMax = model.maxVelocity * fibre.optimal;
  const muscle::CurvePoint active = model.curves.activeForceLength(L / fibre.optimal);
  const muscle::CurvePoint speed = model.curves.forceVelocity(cosine * lRate / vMax);
  const muscle::CurvePoint passive = model.curves.passiveForceLength(L / fibre.optimal);
  // Force along the fibre and its derivatives to fibre length and rate.
  const double F = fibre.force * (activation * active.value * speed.value + passive.value);
  const double dL =
      fibre.force * (activation * active.slope * speed.value + passive.slope) / fibre.optimal;
  const double dRate = fibre.force * activation * active.value * speed.slope / vMax;
  return {F * cosine, (dL * cosine + dRate * cosineSlope * lRate) * cosine + F * cosineSlope,
          dRate * cosine * cosine};
}

void computeForces(const GridModel& model, double t, const VecX& q, const VecX& v, VecX& f) {
  for (int i = 0; i < model.solid.nodeCount(); ++i)
    node(f, i) = model.solid.mass[static_cast<std::size_t>(i)] * model.gravity;
  if (model.form == GridForm::Energy)
    addLatticeForces(model.solid, q, v, f);
  else
    addPaperForces(model.solid, model.form, q, v, f);
  addAttachedForces(model, t, q, v, f);
}

void addAttachedForces(const GridModel& model, double t, const VecX& q, const VecX& v, VecX& f) {
  for (const GridLoad& load : model.loads) node(f, load.node) += load.force;
  if (model.form == GridForm::Energy) addBendForces(model.solid, q, f);
  addFibreForces(model, t, q, v, f);
  addTendonForces(model, t, q, f);
}

Vec3 endForce(const GridModel& model, GridEnd end, double t, const VecX& q, const VecX& v) {
  const int first =
      end == GridEnd::First ? 0 : model.solid.size.index(model.solid.size.m - 1, 0, 0);
  const int past = first + model.solid.size.n * model.solid.size.o;
  const auto inside = [&](int i) { return i >= first && i < past; };
  Vec3 sum = Vec3::Zero();
  bool tied = false;
  for (const GridTendon& tendon : model.tendons) {
    if (!inside(tendon.node)) continue;
    const Vec3 d = node(q, tendon.node) - attachment(model, tendon, t);
    const double length = d.norm();
    sum += tendon.force * model.curves.tendonForce(length / tendon.slack - 1).value / length * d;
    tied = true;
  }
  if (tied) return sum;
  // A clamped plane: what its nodes would be pulled with is carried by the support.
  VecX f(q.size());
  computeForces(model, t, q, v, f);
  for (const GridFixedNode& held : model.fixed)
    if (inside(held.node)) sum += node(f, held.node);
  return sum;
}

double normalisedFibreLength(const GridModel& model, const VecX& q) {
  double length = 0, optimal = 0;
  for (const GridFibre& fibre : model.fibres) {
    const double chord = (node(q, fibre.b) - node(q, fibre.a)).norm();
    length += fibre.force * std::hypot(chord, fibre.width);
    optimal += fibre.force * fibre.optimal;
  }
  return optimal > 0 ? length / optimal : 0;
}

GridModelEnergy computeModelEnergy(const GridModel& model, double t, const VecX& q, const VecX& v) {
  GridModelEnergy energy;
  energy.solid = computeEnergy(model.solid, q);
  for (int i = 0; i < model.solid.nodeCount(); ++i) {
    const double m = model.solid.mass[static_cast<std::size_t>(i)];
    energy.kinetic += 0.5 * m * node(v, i).squaredNorm();
    energy.gravity -= m * model.gravity.dot(node(q, i));
  }
  for (const GridFibre& fibre : model.fibres) {
    const double length =
        std::hypot((node(q, fibre.b) - node(q, fibre.a)).norm(), fibre.width) / fibre.optimal;
    energy.passiveFibre += fibre.force * fibre.optimal * model.curves.passiveEnergy(length);
  }
  for (const GridTendon& tendon : model.tendons) {
    const double length = (attachment(model, tendon, t) - node(q, tendon.node)).norm();
    energy.tendon +=
        tendon.force * tendon.slack * model.curves.tendonEnergy(length / tendon.slack - 1);
  }
  return energy;
}

}  // namespace pneuma::flesh
