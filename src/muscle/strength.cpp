#include "pneuma/muscle/strength.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

/// Where a freedom is: its first index in v, and its axis if it is one of a ball's.
struct Freedom {
  int dof = 0;
  bool ball = false;
  Vec3 axis = Vec3::Zero();
};

/// A line that pulls, with both force models ready.
struct Line {
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

  Freedom find(const std::string& name, const anatomy::StrengthTest& test) const {
    std::vector<std::string> names;
    for (const CompiledLink& link : body.links)
      for (std::size_t d = 0; d < link.dofs.size(); ++d) {
        const CompiledDof& dof = link.dofs[d];
        if (dof.name == name) {
          const int first = model.links[model.linkIndex(link.name)].firstDof;
          const bool ball = link.joint == anatomy::JointType::Ball;
          return {first + (ball ? 0 : static_cast<int>(d)), ball, dof.axis};
        }
        names.push_back(dof.name);
      }
    throw InputError(Diagnostic{
        .where = test.where.position(),
        .subject = fmt::format("strength '{}'", test.name),
        .field = "freedom",
        .message = fmt::format("'{}' is no freedom of articulation '{}'", name, body.articulation),
        .nearest = nearestName(name, names)});
  }

  void turn(const Freedom& f, double angle, VecX& q) const {
    VecX step = VecX::Zero(model.dofCount());
    if (f.ball)
      step.segment<3>(f.dof) = angle * f.axis;
    else
      step[f.dof] = angle;
    skeleton::integrateConfiguration(model, step, q);
  }

  LineForce forceOf(const Line& line, double length) const {
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
  std::vector<Line> lines;
};

StrengthMeter::StrengthMeter(const CompiledBody& body, StrengthModel model)
    : impl_(std::make_unique<Impl>(body, model)) {}
StrengthMeter::~StrengthMeter() = default;
StrengthMeter::StrengthMeter(StrengthMeter&&) noexcept = default;

StrengthCurve StrengthMeter::measure(const anatomy::StrengthTest& test, int points) const {
  const Impl& m = *impl_;
  const Freedom freedom = m.find(test.freedom, test);
  std::vector<std::pair<Freedom, const anatomy::StrengthPose*>> pose;
  for (const anatomy::StrengthPose& p : test.pose) pose.emplace_back(m.find(p.freedom, test), &p);

  StrengthCurve curve{.test = test.name};
  skeleton::Kinematics kinematics(m.model);
  PathKinematics k(m.paths);
  const double sense = test.reverse ? 1 : -1;  // a muscle pulls against the growth of its length
  for (int i = 0; i < points; ++i) {
    const double angle =
        test.angles.lower + (test.angles.upper - test.angles.lower) * i / (points - 1);
    VecX q = m.model.neutral;
    for (const auto& [f, p] : pose) m.turn(f, p->part * angle + p->angle, q);
    if (pose.empty()) m.turn(freedom, angle, q);
    skeleton::computePoses(m.model, q, kinematics);
    computePaths(m.paths, kinematics, k);

    double torque = 0, passive = 0;
    std::map<std::string, double> shares;
    for (const Line& line : m.lines) {
      const VecX arms = momentArms(m.paths, k, line.index, m.model.dofCount());
      const double arm = sense * (freedom.ball ? freedom.axis.dot(arms.segment<3>(freedom.dof))
                                               : arms[freedom.dof]);
      const LineForce f = m.forceOf(line, k.length[line.index]);
      passive += arm * f.passive;
      if (arm <= 0) continue;
      torque += arm * f.active;
      const CompiledMuscle& muscle = m.body.muscles[line.index];
      shares[muscle.muscle.empty() ? muscle.name : muscle.muscle] += arm * f.active;
    }
    curve.angle.push_back(angle);
    curve.torque.push_back(torque);
    curve.passive.push_back(passive);
    if (torque > curve.peak || i == 0) {
      curve.peak = torque;
      curve.peakAngle = angle;
      curve.shares.clear();
      for (const auto& [name, part] : shares) curve.shares.push_back({name, part});
    }
  }
  std::sort(curve.shares.begin(), curve.shares.end(),
            [](const StrengthShare& a, const StrengthShare& b) { return a.torque > b.torque; });
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
    v.inside = curve.peak >= v.low && curve.peak <= v.high;
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

}  // namespace pneuma::muscle
