#include "pneuma/skeleton/pose_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::skeleton {
namespace {

constexpr std::array kAxisNames{"x", "y", "z", "turn_x", "turn_y", "turn_z"};
constexpr double kResting = 1e-3;                     // [m/rad]: decides what places leave open
constexpr double kTurnWeight = 0.3;                   // [m/rad]: a head's size
constexpr double kFarthest = 0.01;                    // from a place [m]
constexpr double kLargestTurn = degreesToRadians(3);  // from a turn [rad]
constexpr int kSteps = 100, kRounds = 20;
constexpr double kSettled = 1e-5;  // of a free axis between rounds [m]

}  // namespace

void PosePlaces::add(const std::string& name, const std::string& subject) {
  const std::size_t sign = name.find('@');
  const std::string link = name.substr(0, sign), axis = name.substr(sign + 1);
  const auto refuse = [&](const std::string& message, const std::vector<std::string>& known,
                          const std::string& found) {
    throw InputError(Diagnostic{.subject = fmt::format("{} '{}'", subject, name),
                                .message = message,
                                .expected = "LINK@x, y, z, turn_x, turn_y or turn_z",
                                .nearest = nearestName(found, known)});
  };
  Entry entry{.link = model_.findLink(link)};
  if (entry.link < 0) {
    std::vector<std::string> known;
    for (const Link& l : model_.links) known.push_back(l.name);
    refuse(fmt::format("unknown link '{}'", link), known, link);
  }
  const auto found = std::ranges::find(kAxisNames, axis);
  if (found == kAxisNames.end())
    refuse(fmt::format("unknown axis '{}'", axis), {kAxisNames.begin(), kAxisNames.end()}, axis);
  const auto number = static_cast<int>(found - kAxisNames.begin());
  entry.axis = number % 3;
  entry.turn = number >= 3;
  entries_.push_back(entry);
}

bool PosePlaces::onSpine(int link) const {
  const int head = model_.findLink("skull");
  for (int l = head; l >= 0; l = model_.links[at(l)].parent)
    if (l == link) return true;
  return false;
}

/// Entries of one link become one goal, whatever their order in the table: a place stated along
/// one axis leaves the others free (`stated`), three turns are one rotation vector.
PosePlaces::Goals PosePlaces::goals(std::span<const double> values, bool spine) const {
  Goals g;
  std::vector<Vec3> turns;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& e = entries_[i];
    if (onSpine(e.link) != spine) continue;
    const Link& link = model_.links[at(e.link)];
    if (std::ranges::find(g.links, e.link) == g.links.end()) g.links.push_back(e.link);
    if (e.turn) {
      auto goal = std::ranges::find(g.orientations, e.link, &OrientationTarget::link);
      if (goal == g.orientations.end()) {
        g.orientations.push_back({.link = e.link, .weight = kTurnWeight});
        turns.push_back(Vec3::Zero());
        goal = g.orientations.end() - 1;
      }
      turns[static_cast<std::size_t>(goal - g.orientations.begin())][e.axis] = values[i];
      continue;
    }
    auto goal = std::ranges::find(g.points, e.link, &PointTarget::link);
    if (goal == g.points.end()) {
      const Vec3& center = link.inertia.center;
      g.points.push_back({.link = e.link, .local = center, .position = link.X_WL_rest * center});
      g.stated.push_back({});
      goal = g.points.end() - 1;
    }
    goal->position[e.axis] += values[i];
    g.stated[static_cast<std::size_t>(goal - g.points.begin())][static_cast<std::size_t>(e.axis)] =
        true;
  }
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const double angle = turns[k].norm();
    const Vec3 axis = angle > 0 ? Vec3(turns[k] / angle) : Vec3::UnitX();
    g.orientations[k].rotation = Eigen::AngleAxisd(angle, axis).toRotationMatrix() *
                                 model_.links[at(g.orientations[k].link)].X_WL_rest.rotation;
  }
  return g;
}

void PosePlaces::meet(const Goals& g, bool spine, const std::string& subject, VecX& q) const {
  if (g.links.empty()) return;
  // A limb's places are met by the limb: what moves the head is left where it is, as is a free
  // root.
  std::vector<PoseCoordinate> coordinates = poseCoordinates(body_, model_, g.links);
  std::erase_if(coordinates, [&](const PoseCoordinate& c) {
    const int link = model_.dofLink[at(c.dofs.front().first)];
    return model_.links[at(link)].parent < 0 || (!spine && onSpine(link));
  });
  PoseFit fit(model_, kResting, std::move(coordinates));
  fit.preferred = q;
  if (!spine)
    for (const Glide& glide : glides_) fit.glides.push_back(&glide);
  // Free axes ask for where the last round has brought them, until that is where they stay.
  const std::vector<Pose>& X = fit.kinematics().X_WL;
  std::vector<PointTarget> points = g.points;
  for (int round = 0; round < kRounds; ++round) {
    fit.solve(points, g.orientations, q, kSteps);
    double moved = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (g.stated[i][axis]) continue;
        const auto a = static_cast<Eigen::Index>(axis);
        const double now = (X[at(points[i].link)] * points[i].local)[a];
        moved = std::max(moved, std::abs(now - points[i].position[a]));
        points[i].position[a] = now;
      }
    if (moved < kSettled) break;
  }
  const auto refuse = [&](int link, double away, const char* unit) {
    throw InputError(Diagnostic{.subject = subject,
                                .message = fmt::format("'{}' stays {:.2g} {} away from its place",
                                                       model_.links[at(link)].name, away, unit),
                                .expected = "places within reach"});
  };
  for (const PointTarget& t : points)
    if (const double away = (X[at(t.link)] * t.local - t.position).norm(); away > kFarthest)
      refuse(t.link, 1e3 * away, "mm");
  for (const OrientationTarget& t : g.orientations)
    if (const double away = rotationVector(t.rotation * X[at(t.link)].rotation.transpose()).norm();
        away > kLargestTurn)
      refuse(t.link, radiansToDegrees(away), "degrees");
}

VecX PosePlaces::fit(const VecX& pose, std::span<const double> values,
                     const std::string& subject) const {
  VecX q = pose;
  meet(goals(values, true), true, subject, q);
  meet(goals(values, false), false, subject, q);
  return q;
}

}  // namespace pneuma::skeleton
