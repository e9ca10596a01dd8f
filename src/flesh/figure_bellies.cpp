#include "pneuma/flesh/figure_bellies.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::flesh {
namespace {

constexpr double kUpdate = 0.05;  // [s] of settling

/// Ring directions at rest: the world axis that is most across the line, made perpendicular.
Vec3 referenceFor(const std::vector<Vec3>& points) {
  const Vec3 along = (points.back() - points.front()).normalized();
  Vec3::Index axis = 0;
  along.cwiseAbs().minCoeff(&axis);
  const Vec3 across = Vec3::Unit(axis);
  return (across - across.dot(along) * along).normalized();
}

BellyConfig shapeOf(const anatomy::Belly& b, const BellyConfig& base) {
  BellyConfig config = base;
  config.elasticityHorizontal = b.elasticityHorizontal;
  config.elasticityVertical = b.elasticityVertical;
  config.curvatureHorizontal = b.curvatureHorizontal;
  config.curvatureVertical = b.curvatureVertical;
  if (b.mass > 0) config.totalMass = b.mass;
  return config;
}

}  // namespace

BellyConfig scaledToMass(BellyConfig config, double particleMass, double highestFrequency,
                         double dampingRate) {
  // The bound on the stiffest oscillation that BellyModel uses, solved for the common factor.
  const double stiffness = 4 * (config.elasticityHorizontal + config.elasticityVertical +
                                config.curvatureHorizontal + config.curvatureVertical) +
                           config.goalStiffness;
  const double factor =
      stiffness > 0 ? particleMass * highestFrequency * highestFrequency / stiffness : 0;
  config.elasticityHorizontal *= factor;
  config.elasticityVertical *= factor;
  config.curvatureHorizontal *= factor;
  config.curvatureVertical *= factor;
  config.goalStiffness *= factor;
  config.damping = dampingRate * particleMass;
  return config;
}

BellyGrid makeFusiformOfVolume(const ActionLine& line, double volume, double exponent, int slices,
                               int around) {
  double radius = std::sqrt(volume / (2 * std::max(1e-6, line.bellyLength())));
  BellyGrid grid = makeFusiform(line, radius, exponent, slices, around);
  const std::vector<Triangle> triangles = bellyTriangles(slices, around);
  // Along a straight line the volume grows with the square of the radius; a bent one takes a few
  // rounds.
  for (int i = 0; i < 8; ++i) {
    const double now = enclosedVolume(grid.points, triangles);
    if (!(now > 0) || std::abs(now - volume) < 1e-9 * volume) break;
    radius *= std::sqrt(volume / now);
    grid = makeFusiform(line, radius, exponent, slices, around);
  }
  return grid;
}

BellyGrid makeProfiled(const ActionLine& line, std::span<const double> radii, int slices,
                       int around) {
  const auto radiusAt = [&](double t) {
    const double at = t * static_cast<double>(radii.size() - 1);
    const auto i = std::min(static_cast<std::size_t>(at), radii.size() - 2);
    const double part = at - static_cast<double>(i);
    return (1 - part) * radii[i] + part * radii[i + 1];
  };
  BellyGrid grid = makeFusiform(line, 1, 0, slices, around);
  std::vector<Pose> frames;
  line.bellyFrames(slices + 2, referenceFor({line.points().begin(), line.points().end()}), frames);
  for (int s = 0; s < slices; ++s) {
    const Pose& frame = frames[static_cast<std::size_t>(s + 1)];
    const double r = std::max(1e-4, radiusAt((s + 1.0) / (slices + 1.0)));
    for (int a = 0; a < around; ++a) {
      const double phi = 2 * kPi * a / around;
      grid.points[static_cast<std::size_t>(grid.index(s, a))] =
          frame * Vec3(r * std::cos(phi), r * std::sin(phi), 0);
    }
  }
  return grid;
}

FigureBellies::FigureBellies(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                             const skeleton::Model& model, const FigureBellyConfig& config) {
  const std::vector<int> links = skeleton::linkIndices(compiled, model);
  for (const anatomy::CompiledMuscle& m : compiled.muscles) {
    if (m.belly.empty()) continue;
    const auto described = std::ranges::find(body.bellies, m.belly, &anatomy::Belly::name);
    if (described == body.bellies.end())
      throw InputError(Diagnostic{.subject = "muscle '" + m.name + "'",
                                  .field = "belly",
                                  .message = "unknown belly '" + m.belly + "'"});
    if (!(m.volume > 0) && m.profile.size() < 2)
      throw InputError(Diagnostic{.subject = "muscle '" + m.name + "'",
                                  .field = "volume",
                                  .message = "is not given",
                                  .expected = "a volume or a profile for its belly"});
    std::vector<LinePoint> points;
    std::vector<Vec3> rest;
    for (const anatomy::CompiledPoint& p : m.points) {
      const auto link = static_cast<std::size_t>(p.link);
      points.push_back({links[link], p.position - compiled.links[link].center});
      rest.push_back(p.position);
    }
    const ActionLine line(rest, m.tendonOrigin, m.tendonInsertion);
    const int slices = described->slices, around = described->pointsPerSlice;
    const BellyGrid grid =
        m.profile.size() >= 2
            ? makeProfiled(line, m.profile, slices, around)
            : makeFusiformOfVolume(line, m.volume, config.exponent, slices, around);
    const BellyConfig shape = shapeOf(*described, config.belly);
    const BellyConfig scaled =
        scaledToMass(shape, BellyModel(grid, shape).particleMass(), config.highestFrequency,
                     2 * described->damping * config.dampingRate);
    const Vec3 reference = referenceFor(rest);
    parts_.push_back({m.belly, std::move(points), reference,
                      Belly(std::make_shared<BellyModel>(grid, scaled), grid, line, reference)});
  }
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (const anatomy::BellyZone& zone :
         std::ranges::find(body.bellies, parts_[p].name, &anatomy::Belly::name)->zones)
      addZone(p, zone, body, compiled, links);
}

void FigureBellies::addZone(std::size_t index, const anatomy::BellyZone& described,
                            const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                            const std::vector<int>& links) {
  Part& part = parts_[index];
  Zone zone;
  const auto bone = std::ranges::find(body.bones, described.to, &anatomy::Bone::name);
  const auto other = std::ranges::find(parts_, described.to, &Part::name);
  std::vector<Vec3> facing;  // what the zone's side looks at
  Vec3 center = Vec3::Zero();
  if (bone != body.bones.end()) {
    const auto l = static_cast<std::size_t>(
        compiled.boneLink[static_cast<std::size_t>(bone - body.bones.begin())]);
    zone.link = links[l];
    center = compiled.links[l].center;
    Vec3 end = center;
    for (const anatomy::CompiledLink& child : compiled.links)
      if (child.parent == static_cast<int>(l)) end = child.center;
    for (int i = 0; i <= 20; ++i) facing.push_back(center + i / 20.0 * (end - center));
  } else if (other != parts_.end()) {
    zone.part = static_cast<int>(other - parts_.begin());
    other->belly.state().positions(facing);
  } else {
    throw InputError(Diagnostic{.where = described.where.position(),
                                .subject = "belly '" + part.name + "'",
                                .field = "zone",
                                .message = "unknown bone or belly '" + described.to + "'"});
  }
  BellyGoals& goals = part.belly.goals();
  zone.first = goals.particles.size();
  const BellyModel& model = part.belly.model();
  for (int s = 0; s < model.slices(); ++s) {
    const double t = (s + 1.0) / (model.slices() + 1.0);
    if (t < described.from || t > described.until) continue;
    // The particle of the ring that comes nearest, and the point it comes near to.
    const auto particle = [&](int a) { return 1 + s * model.around() + a; };
    const auto nearest = [&](const Vec3& p) {
      return std::ranges::min_element(facing, {},
                                      [&](const Vec3& q) { return (q - p).squaredNorm(); });
    };
    int middle = 0;
    double least = 1e300;
    for (int a = 0; a < model.around(); ++a) {
      const Vec3 p = part.belly.state().position(particle(a));
      const double d = (*nearest(p) - p).squaredNorm();
      if (d < least) least = d, middle = a;
    }
    for (int a = 0; a < model.around(); ++a) {
      const double angle =
          std::remainder(2 * kPi * (a - middle) / model.around() - described.direction, 2 * kPi);
      if (std::abs(angle) > 0.5 * described.width) continue;
      const Vec3 p = part.belly.state().position(particle(a));
      goals.particles.push_back(particle(a));
      goals.targets.push_back(p);
      if (zone.link >= 0) {
        zone.places.push_back(p - center);
      } else {
        const auto at = nearest(p);
        zone.others.push_back(static_cast<int>(at - facing.begin()));
        zone.places.push_back(p - *at);
      }
    }
  }
  if (!zone.places.empty()) part.zones.push_back(std::move(zone));
}

void FigureBellies::moveZones(Part& part, const skeleton::Kinematics& kinematics) {
  for (const Zone& zone : part.zones) {
    BellyGoals& goals = part.belly.goals();
    // What lies on another belly turns with the bone this one starts from.
    const Pose& X =
        kinematics
            .X_WL[static_cast<std::size_t>(zone.link >= 0 ? zone.link : part.points.front().link)];
    for (std::size_t i = 0; i < zone.places.size(); ++i)
      goals.targets[zone.first + i] =
          zone.link >= 0 ? X * zone.places[i]
                         : parts_[at(zone.part)].belly.state().position(zone.others[i]) +
                               X.rotation * zone.places[i];
  }
}

void FigureBellies::moveLine(Part& part, const skeleton::Kinematics& kinematics) {
  points_.clear();
  for (const LinePoint& p : part.points)
    points_.push_back(kinematics.X_WL[static_cast<std::size_t>(p.link)] * p.local);
  const auto turn = [&](const LinePoint& p) {
    return Quat(kinematics.X_WL[static_cast<std::size_t>(p.link)].rotation);
  };
  const Quat half = turn(part.points.front()).slerp(0.5, turn(part.points.back()));
  part.belly.moveLine(points_, half * part.reference);
}

void FigureBellies::follow(const skeleton::Kinematics& kinematics, double dt) {
  for (Part& part : parts_) {
    moveLine(part, kinematics);
    moveZones(part, kinematics);
    try {
      part.belly.advance(dt);
    } catch (const SimulationError& error) {
      throw SimulationError(error.time(), "belly '" + part.name + "'", error.cause());
    }
  }
}

void FigureBellies::settle(const skeleton::Kinematics& kinematics, double seconds) {
  for (double t = 0; t < seconds; t += kUpdate) follow(kinematics, kUpdate);
}

}  // namespace pneuma::flesh
