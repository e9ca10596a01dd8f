#include "pneuma/muscle/strength.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "muscle/balanced_torque.h"
#include "pneuma/core/error.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/muscle/path_kinematics.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::muscle {
namespace {

using anatomy::CompiledBody;
using anatomy::CompiledDof;
using anatomy::CompiledLink;
using anatomy::CompiledMuscle;

/// A freedom as a direction of motion: `axis` over the freedoms from `first` on. One of a ball's
/// has three entries, any other one.
struct Freedom {
  int first = 0;
  VecX axis;

  double of(const VecX& arms) const { return axis.dot(arms.segment(first, axis.size())); }
};

/// A line that pulls, with both force models ready.
struct MeterLine {
  int index = 0;  // in the body and in the paths
  Musculotendon unit;
  LinearHill hill;
};

/// Active force at full activation, and passive force.
struct LineForce {
  double active = 0, passive = 0;
};

std::vector<PathDescription> pathsOf(const CompiledBody& body, const skeleton::Model& model) {
  const std::vector<int> indices = skeleton::linkIndices(body, model);
  std::vector<PathDescription> paths;
  for (const CompiledMuscle& m : body.muscles) {
    PathDescription path;
    for (const anatomy::CompiledPoint& p : m.points) {
      const int link = p.link < 0 ? -1 : indices[p.link];
      const Vec3 local = link < 0 ? p.position : model.links[link].X_WL_rest.inverse() * p.position;
      path.points.push_back({link, local});
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace

struct StrengthMeter::Impl {
  Impl(const CompiledBody& compiled, StrengthModel kind)
      : body(compiled),
        force(kind),
        model(skeleton::modelFromBody(body)),
        paths(compilePaths(model, pathsOf(body, model))) {
    for (std::size_t i = 0; i < body.muscles.size(); ++i)
      if (body.muscles[i].peakForce > 0)
        lines.push_back(
            {static_cast<int>(i), musculotendonOf(body.muscles[i]), linearHillOf(body.muscles[i])});
  }

  /// A test with its names resolved.
  struct Setup {
    Freedom wanted;
    std::vector<Freedom> others;  // of the same joint, which must balance
    double sense = -1;            // a muscle pulls against the growth of its length
    std::vector<std::pair<Freedom, const anatomy::StrengthPose*>> pose;
  };
  struct PoseTorque {
    double active = 0, passive = 0;
    std::vector<StrengthShare> shares;
  };

  Freedom freedomOf(const CompiledLink& link, std::size_t d) const {
    const int first = model.links[model.linkIndex(link.name)].firstDof;
    if (link.joint == anatomy::JointType::Ball) return {first, link.dofs[d].axis};
    return {first + static_cast<int>(d), VecX::Ones(1)};
  }

  /// Link and place of a freedom by its name.
  std::pair<const CompiledLink*, std::size_t> find(const std::string& name,
                                                   const anatomy::StrengthTest& test) const {
    std::vector<std::string> names;
    for (const CompiledLink& link : body.links)
      for (std::size_t d = 0; d < link.dofs.size(); ++d) {
        if (link.dofs[d].name == name) return {&link, d};
        names.push_back(link.dofs[d].name);
      }
    throw InputError(Diagnostic{
        .where = test.where.position(),
        .subject = fmt::format("strength '{}'", test.name),
        .field = "freedom",
        .message = fmt::format("'{}' is no freedom of articulation '{}'", name, body.articulation),
        .nearest = nearestName(name, names)});
  }

  Setup prepare(const anatomy::StrengthTest& test) const {
    Setup s;
    const auto [link, at] = find(test.freedom, test);
    s.wanted = freedomOf(*link, at);
    s.sense = test.reverse ? 1 : -1;
    for (std::size_t d = 0; test.balanced && d < link->dofs.size(); ++d)
      if (d != at && link->dofs[d].kind == anatomy::DofKind::Rotation)
        s.others.push_back(freedomOf(*link, d));
    static const anatomy::StrengthPose kItself = [] {
      anatomy::StrengthPose p;
      p.part = 1;
      return p;
    }();
    if (test.pose.empty()) s.pose.emplace_back(s.wanted, &kItself);
    for (const anatomy::StrengthPose& p : test.pose) {
      const auto [owner, d] = find(p.freedom, test);
      s.pose.emplace_back(freedomOf(*owner, d), &p);
    }
    return s;
  }

  VecX configuration(const Setup& setup, double angle) const {
    VecX q = model.neutral;
    for (const auto& [freedom, p] : setup.pose) {
      VecX step = VecX::Zero(model.dofCount());
      step.segment(freedom.first, freedom.axis.size()) =
          (p->part * angle + p->angle) * freedom.axis;
      skeleton::integrateConfiguration(model, step, q);
    }
    return q;
  }

  PoseTorque torqueAt(const Setup& setup, const PathKinematics& k) const {
    PoseTorque out;
    std::vector<internal::MuscleTorque> torques;
    std::vector<int> owners;
    for (const MeterLine& line : lines) {
      const VecX arms = momentArms(paths, k, line.index, model.dofCount());
      const LineForce f = forceOf(line, k.length[line.index]);
      internal::MuscleTorque t;
      t.wanted = setup.sense * setup.wanted.of(arms) * f.active;
      for (std::size_t o = 0; o < setup.others.size() && o < 2; ++o)
        t.other[o] = setup.others[o].of(arms) * f.active;
      out.passive += setup.sense * setup.wanted.of(arms) * f.passive;
      if (t.wanted == 0 && t.other[0] == 0 && t.other[1] == 0) continue;
      torques.push_back(t);
      owners.push_back(line.index);
    }
    const internal::BalancedTorque best = internal::balancedTorque(
        torques, static_cast<int>(std::min<std::size_t>(setup.others.size(), 2)));
    out.active = best.torque;
    std::map<std::string, double> shares;
    for (std::size_t i = 0; i < torques.size(); ++i) {
      if (!best.fullyActive[i]) continue;
      const CompiledMuscle& muscle = body.muscles[owners[i]];
      shares[muscle.muscle.empty() ? muscle.name : muscle.muscle] += torques[i].wanted;
    }
    for (const auto& [name, part] : shares) out.shares.push_back({name, part});
    return out;
  }

  LineForce forceOf(const MeterLine& line, double length) const {
    const auto sample = [&](double activation) {
      return force == StrengthModel::Zajac
                 ? evaluateForce(curves, line.unit, length, 0, activation).force
                 : evaluateForce(line.hill, length, 0, activation).force;
    };
    const double passive = sample(0);
    return {sample(1) - passive, passive};
  }

  CompiledBody body;
  StrengthModel force;
  skeleton::Model model;
  PathSet paths;
  ZajacCurves curves;
  std::vector<MeterLine> lines;
};

StrengthMeter::StrengthMeter(const CompiledBody& body, StrengthModel model)
    : impl_(std::make_unique<Impl>(body, model)) {}
StrengthMeter::~StrengthMeter() = default;
StrengthMeter::StrengthMeter(StrengthMeter&&) noexcept = default;

StrengthCurve StrengthMeter::measure(const anatomy::StrengthTest& test, int points) const {
  const Impl& m = *impl_;
  const Impl::Setup setup = m.prepare(test);
  StrengthCurve curve{.test = test.name};
  skeleton::Kinematics kinematics(m.model);
  PathKinematics k(m.paths);
  for (int i = 0; i < points; ++i) {
    const double angle =
        test.angles.lower + (test.angles.upper - test.angles.lower) * i / (points - 1);
    skeleton::computePoses(m.model, m.configuration(setup, angle), kinematics);
    computePaths(m.paths, kinematics, k);
    Impl::PoseTorque now = m.torqueAt(setup, k);
    curve.angle.push_back(angle);
    curve.torque.push_back(now.active);
    curve.passive.push_back(now.passive);
    if (i > 0 && now.active <= curve.peak) continue;
    curve.peak = now.active;
    curve.peakAngle = angle;
    curve.shares = std::move(now.shares);
  }
  std::sort(curve.shares.begin(), curve.shares.end(),
            [](const StrengthShare& x, const StrengthShare& y) { return x.torque > y.torque; });
  return curve;
}

double StrengthCurve::at(double x) const {
  if (angle.empty()) return 0;
  if (x <= angle.front()) return torque.front();
  for (std::size_t i = 1; i < angle.size(); ++i)
    if (x <= angle[i]) {
      const double t = (x - angle[i - 1]) / (angle[i] - angle[i - 1]);
      return torque[i - 1] + t * (torque[i] - torque[i - 1]);
    }
  return torque.back();
}

std::optional<StrengthVerdict> judgeStrength(const StrengthCurve& curve,
                                             const anatomy::StrengthTest& test,
                                             const anatomy::Person& person) {
  for (const anatomy::StrengthBand& band : test.people) {
    if (band.sex != person.sex || person.age < band.youngest || person.age > band.oldest) continue;
    const double scale = band.perMass ? person.mass : 1.0;
    const bool measured = band.seen && band.deviation > 0;
    const double half = measured ? 2 * band.deviation : kRecalledWidth * band.mean;
    StrengthVerdict v{.band = &band, .mean = scale * band.mean};
    v.low = scale * (band.mean - half);
    v.high = scale * (band.mean + half);
    v.torque = band.at ? curve.at(*band.at) : curve.peak;
    v.inside = v.torque >= v.low && v.torque <= v.high;
    if (band.peakAngle && curve.peak > 0) {
      double best = std::max(curve.at(band.peakAngle->lower), curve.at(band.peakAngle->upper));
      for (std::size_t i = 0; i < curve.angle.size(); ++i)
        if (curve.angle[i] >= band.peakAngle->lower && curve.angle[i] <= band.peakAngle->upper)
          best = std::max(best, curve.torque[i]);
      v.reachedAtAngle = best / curve.peak;
      v.angleInside = v.reachedAtAngle >= kAngleShare;
    }
    return v;
  }
  return std::nullopt;
}

std::vector<StrengthResult> measureStrength(const anatomy::Body& body, StrengthModel model,
                                            const std::string& only) {
  std::map<std::string, StrengthMeter> meters;  // by articulation
  std::vector<StrengthResult> results;
  std::vector<std::string> names;
  for (const anatomy::StrengthTest& test : body.strengthTests) {
    names.push_back(test.name);
    if (!test.name.starts_with(only)) continue;
    auto it = meters.find(test.articulation);
    if (it == meters.end())
      it = meters
               .emplace(test.articulation,
                        StrengthMeter(anatomy::compileBody(body, test.articulation).valueOrThrow(),
                                      model))
               .first;
    StrengthResult r{&test, it->second.measure(test), {}};
    r.verdict = judgeStrength(r.curve, test, body.person);
    results.push_back(std::move(r));
  }
  if (results.empty())
    throw InputError(Diagnostic{.field = "strength",
                                .message = names.empty() ? "the body describes no strength tests"
                                                         : fmt::format("no test '{}'", only),
                                .nearest = nearestName(only, names)});
  return results;
}

}  // namespace pneuma::muscle
