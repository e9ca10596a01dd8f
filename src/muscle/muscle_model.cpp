#include "pneuma/muscle/muscle_model.h"

#include <fmt/format.h>

#include <unordered_set>

#include "pneuma/core/error.h"
#include "pneuma/muscle/path_kinematics.h"

namespace pneuma::muscle {
namespace {

using skeleton::Model;

/// Collects what is wrong with one muscle after the other.
class Findings {
 public:
  void begin(const MuscleDescription& muscle) {
    subject_ = fmt::format("muscle '{}'", muscle.name);
  }
  void add(std::string field, std::string message, std::string expected = {},
           std::string nearest = {}) {
    list_.push_back({.subject = subject_,
                     .field = std::move(field),
                     .message = std::move(message),
                     .expected = std::move(expected),
                     .nearest = std::move(nearest)});
  }
  /// Takes over what a component's validation throws.
  template <class Check>
  void absorb(Check&& check) {
    try {
      check();
    } catch (const InputError& error) {
      for (const Diagnostic& d : error.diagnostics())
        add(d.field, fmt::format("{}: {}", d.subject, d.message), d.expected);
    }
  }
  void throwIfAny() const {
    if (!list_.empty()) throw InputError(list_);
  }

 private:
  std::string subject_;
  std::vector<Diagnostic> list_;
};

class Resolver {
 public:
  explicit Resolver(const Model& model) : model_(model) {
    for (const skeleton::Link& link : model.links) names_.push_back(link.name);
  }

  /// Index of a link, -1 for the world; an unknown name is a finding (and the world).
  int link(const std::string& name, const std::string& field, Findings& findings) const {
    if (name.empty()) return -1;
    const int found = model_.findLink(name);
    if (found < 0)
      findings.add(field, fmt::format("unknown link '{}'", name), {}, nearestName(name, names_));
    return found;
  }

  /// A pose of the body frame at rest in a link's frame.
  Pose inLink(int link, const Pose& pose) const {
    return link < 0 ? pose : model_.links[link].X_WL_rest.inverse() * pose;
  }

 private:
  const Model& model_;
  std::vector<std::string> names_;
};

double depthInside(const std::variant<WrapCylinder, WrapEllipsoid>& shape, const Vec3& p) {
  if (const auto* c = std::get_if<WrapCylinder>(&shape)) return c->radius - p.head<2>().norm();
  const Vec3& r = std::get<WrapEllipsoid>(shape).radii;
  return (1 - p.cwiseQuotient(r).norm()) * r.minCoeff();
}

void checkWraps(const MuscleDescription& muscle, Findings& findings) {
  const int count = static_cast<int>(muscle.points.size());
  std::unordered_set<int> used;
  for (const MuscleDescription::Wrap& w : muscle.wraps) {
    findings.absorb([&] { std::visit([](const auto& s) { validate(s); }, w.shape); });
    if (w.afterPoint < 0 || w.afterPoint + 1 >= count) {
      findings.add("wraps", fmt::format("after point {}", w.afterPoint),
                   fmt::format("0 to {}", count - 2));
      continue;
    }
    if (!used.insert(w.afterPoint).second)
      findings.add("wraps", fmt::format("two surfaces after point {}", w.afterPoint), "one");
    for (int end : {w.afterPoint, w.afterPoint + 1}) {
      const double depth = depthInside(w.shape, w.pose.inverse() * muscle.points[end].position);
      if (depth > 0)
        findings.add("wraps", fmt::format("point {} lies {:.4g} m inside the surface", end, depth),
                     "points outside");
    }
  }
}

void checkForce(const ForceParameters& force, Findings& findings) {
  findings.absorb([&] {
    if (const auto* s = std::get_if<SpringElement>(&force)) validate(*s);
    if (const auto* h = std::get_if<LinearHill>(&force)) validate(*h);
    if (const auto* r = std::get_if<RigidTendonUnit>(&force)) validate(r->unit, false);
    if (const auto* e = std::get_if<ElasticTendonUnit>(&force)) validate(e->unit, true);
  });
}

PathDescription resolvePath(const MuscleDescription& muscle, const Resolver& resolver,
                            Findings& findings) {
  PathDescription path;
  for (std::size_t i = 0; i < muscle.points.size(); ++i) {
    const MuscleDescription::Point& p = muscle.points[i];
    const int link = resolver.link(p.link, fmt::format("points[{}]", i), findings);
    if (!p.position.allFinite()) findings.add(fmt::format("points[{}]", i), "not finite");
    path.points.push_back({link, resolver.inLink(link, {Mat3::Identity(), p.position}).position});
  }
  for (const MuscleDescription::Wrap& w : muscle.wraps) {
    const int link = resolver.link(w.link, "wraps", findings);
    path.wraps.push_back({w.afterPoint, {link, resolver.inLink(link, w.pose), w.shape}});
  }
  return path;
}

void addForce(MuscleModel& model, const ForceParameters& force) {
  const auto kind = static_cast<ForceKind>(force.index());
  const int index = model.count() - 1;
  int first = 0;
  if (const auto* s = std::get_if<SpringElement>(&force)) {
    first = static_cast<int>(model.springs.size());
    model.springs.add(*s);
  } else if (const auto* h = std::get_if<LinearHill>(&force)) {
    first = static_cast<int>(model.hills.size());
    model.hills.add(*h);
  } else {
    first = static_cast<int>(model.units.size());
    const auto* rigid = std::get_if<RigidTendonUnit>(&force);
    model.units.add(rigid ? rigid->unit : std::get<ElasticTendonUnit>(force).unit);
  }
  if (model.runs.empty() || model.runs.back().kind != kind)
    model.runs.push_back({kind, index, index + 1, first});
  else
    ++model.runs.back().end;
}

}  // namespace

int MuscleModel::find(std::string_view name) const {
  for (int i = 0; i < count(); ++i)
    if (names[i] == name) return i;
  return -1;
}

// All faults of all muscles are found before the first is reported; paths are compiled only when
// each of them can be.
MuscleModel compileMuscles(const Model& model, std::span<const MuscleDescription> muscles,
                           const ZajacCurvesConfig& curves) {
  const Resolver resolver(model);
  Findings findings;
  std::unordered_set<std::string> seen;
  std::vector<PathDescription> paths;
  MuscleModel out;
  out.curves = ZajacCurves(curves);
  for (const MuscleDescription& muscle : muscles) {
    findings.begin(muscle);
    if (muscle.name.empty()) findings.add("name", "is empty");
    if (!seen.insert(muscle.name).second) findings.add("name", "is used twice");
    if (muscle.points.size() < 2)
      findings.add("points", fmt::format("{} given", muscle.points.size()), "at least two");
    checkWraps(muscle, findings);
    checkForce(muscle.force, findings);
    paths.push_back(resolvePath(muscle, resolver, findings));
    out.names.push_back(muscle.name);
    out.muscles.push_back(muscle.muscle);
    out.groups.push_back(muscle.group);
    addForce(out, muscle.force);
  }
  findings.throwIfAny();

  out.paths = compilePaths(model, paths);
  skeleton::Kinematics kinematics(model);
  skeleton::computePoses(model, model.neutral, kinematics);
  PathKinematics k(out.paths);
  computePaths(out.paths, kinematics, k);
  out.restLength = k.length;
  return out;
}

MuscleState makeState(const MuscleModel& muscles) {
  MuscleState state;
  state.activation = VecX::Zero(muscles.count());
  state.contraction = VecX::Ones(muscles.count());
  state.fibreLength = VecX::Zero(muscles.count());
  for (const ForceRun& run : muscles.runs) {
    for (int i = run.begin; i < run.end; ++i) {
      const int p = run.first + i - run.begin;
      if (run.kind == ForceKind::Spring) state.contraction[i] = muscles.springs[p].contraction;
      if (run.kind == ForceKind::ElasticTendon)
        state.fibreLength[i] =
            solveIsometric(muscles.curves, muscles.units[p], muscles.restLength[i], 0).fibreLength;
    }
  }
  return state;
}

double restLength(const MuscleDescription& muscle) {
  double length = 0;
  for (std::size_t i = 0; i + 1 < muscle.points.size(); ++i) {
    const Vec3 &a = muscle.points[i].position, &b = muscle.points[i + 1].position;
    double piece = (b - a).norm();
    for (const MuscleDescription::Wrap& w : muscle.wraps) {
      if (w.afterPoint != static_cast<int>(i)) continue;
      const Pose X = w.pose.inverse();
      if (const auto* c = std::get_if<WrapCylinder>(&w.shape))
        piece = wrapCylinder(*c, X * a, X * b).length;
      else
        piece = wrapEllipsoid(std::get<WrapEllipsoid>(w.shape), X * a, X * b).length;
    }
    length += piece;
  }
  return length;
}

}  // namespace pneuma::muscle
