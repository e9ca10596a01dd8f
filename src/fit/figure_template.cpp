#include "pneuma/fit/figure_template.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "fit/mirror.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/error.h"

namespace pneuma::fit {
namespace {

using internal::mirroredAtX;

FigureJoints jointsOf(const anatomy::Body& body, const BodyMeasures& measures) {
  std::vector<Diagnostic> findings;
  const anatomy::PointTable points(body, findings);
  const auto point = [&](const char* name) { return points.find(name).valueOrThrow().position; };
  FigureJoints j;
  j.neck = point("vertebra_c7:joint_below");
  j.top = measures.top;
  const auto both = [&](std::array<Vec3, 2>& pair, const char* name) {
    pair[0] = point(name);
    pair[1] = mirroredAtX(pair[0]);
  };
  both(j.shoulder, "humerus_l:head_center");
  both(j.elbow, "humerus_l:elbow_joint");
  both(j.wrist, "hand_l:wrist_center");
  both(j.hip, "femur_l:head_center");
  both(j.knee, "femur_l:knee_joint");
  both(j.ankle, "talus_l:ankle_joint");
  j.hand = measures.hands;
  j.toe = measures.feet;
  return j;
}

/// Way along a limb whose centre lies nearest to a point, between its tip and root.
double wayNear(const LimbBands& limb, const Vec3& p) {
  double best = limb.tip, least = 1e300;
  for (double way = 0.5 * limb.tip; way < limb.root; way += 0.25 * limb.width)
    if (const double d = (limb.centre(way) - p).norm(); d < least) least = d, best = way;
  return best;
}

Mat3 shortestArc(const Vec3& from, const Vec3& to) {
  return Quat::FromTwoVectors(from, to).toRotationMatrix();
}

/// Direction of a limb's centreline around a way, towards its root.
Vec3 directionAt(const LimbBands& limb, double way) {
  const double half = 4 * limb.width;
  return (limb.centre(way + half) - limb.centre(way - half)).normalized();
}

/// The straight line that comes nearest to points.
struct Line {
  Vec3 middle = Vec3::Zero(), direction = Vec3::UnitX();
  double off = 0;  ///< sum of squared distances [m^2]

  explicit Line(std::span<const Vec3> points) {
    for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
    Mat3 spread = Mat3::Zero();
    for (const Vec3& p : points) spread += (p - middle) * (p - middle).transpose();
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread);
    direction = axes.eigenvectors().col(2);
    off = axes.eigenvalues()[0] + axes.eigenvalues()[1];
    if (direction.dot(points.back() - points.front()) < 0) direction = -direction;
  }
};

/// Elbow of a bent arm: where the lines of forearm and upper arm come nearest to each other, for
/// the parting of the centreline that both fit best; nothing when the arm is nearly straight.
std::optional<Vec3> bentElbow(const LimbBands& arm) {
  constexpr double kLeastBend = 0.35;  // [rad]
  constexpr std::size_t kSamples = 60, kOfALine = 12, kCorner = 3;
  const double length = arm.root - arm.tip;
  std::vector<Vec3> centres;
  for (std::size_t i = 0; i < kSamples; ++i)
    centres.push_back(
        arm.centre(arm.tip + length * (0.06 + 0.88 * static_cast<double>(i) / (kSamples - 1))));
  // Bands round the corner off: what lies next to it counts for neither line.
  const std::span<const Vec3> all(centres);
  std::optional<std::pair<Line, Line>> best;
  for (std::size_t i = kOfALine; i + kOfALine < kSamples; ++i) {
    std::pair<Line, Line> lines{Line(all.first(i - kCorner)), Line(all.subspan(i + kCorner))};
    if (!best || lines.first.off + lines.second.off < best->first.off + best->second.off)
      best = lines;
  }
  const Vec3 &u = best->first.direction, &v = best->second.direction;
  const double c = u.dot(v);
  if (std::acos(std::clamp(c, -1.0, 1.0)) < kLeastBend) return std::nullopt;
  const Vec3 apart = best->second.middle - best->first.middle;
  const double s = (u.dot(apart) - c * v.dot(apart)) / (1 - c * c);
  const double t = (c * u.dot(apart) - v.dot(apart)) / (1 - c * c);
  return 0.5 * (best->first.middle + s * u + best->second.middle + t * v);
}

/// Elbow of a straight arm by its outline: a little above where the bulge of the forearm ends,
/// which is the deepest hollow between wrist and armpit; nothing when there is none to speak of.
std::optional<Vec3> shownElbow(const LimbBands& arm, double height) {
  constexpr double kFrom = 0.3, kTo = 0.72;  // of the way from wrist to armpit
  constexpr double kSpan = 3;                // bands to both sides that the hollow is seen against
  constexpr double kLeastHollow = 0.085;     // of the radius; ours have 0.08 at most, elsewhere
  constexpr double kAbove = 0.0133;          // of the height; 10 to 41 mm on the shared characters
  // Over a band, for single ones are rough.
  const auto radius = [&](double way) {
    const double half = 0.5 * arm.width;
    return (arm.radius(way - half) + arm.radius(way) + arm.radius(way + half)) / 3;
  };
  double deepest = kLeastHollow;
  std::optional<Vec3> elbow;
  const double length = arm.root - arm.tip, span = kSpan * arm.width;
  for (double way = arm.tip + kFrom * length; way < arm.tip + kTo * length;
       way += 0.25 * arm.width) {
    const double hollow = (radius(way - span) + radius(way + span)) / radius(way) - 2;
    if (hollow > deepest) deepest = hollow, elbow = arm.centre(way + kAbove * height);
  }
  return elbow;
}

/// A joint of the character at `way`, as far from the centreline as the template's at its own way.
Vec3 beside(const LimbBands& from, double fromWay, const Vec3& joint, const LimbBands& to,
            double way) {
  const double scale = to.meanRadius(0.9 * way, 1.1 * way) /
                       std::max(from.meanRadius(0.9 * fromWay, 1.1 * fromWay), 1e-9);
  const Mat3 turn = shortestArc(directionAt(from, fromWay), directionAt(to, way));
  return to.centre(way) + scale * (turn * (joint - from.centre(fromWay)));
}

/// Way along a leg at a height above the floor; legs are taken as roughly straight.
double wayAtHeight(const LimbBands& leg, double y) {
  double best = leg.tip, least = 1e300;
  const double farthest = static_cast<double>(leg.centres.size()) * leg.width;
  for (double way = 0.5 * leg.tip; way < std::min(1.3 * leg.root, farthest);
       way += 0.25 * leg.width)
    if (const double d = std::abs(leg.centre(way).y() - y); d < least) least = d, best = way;
  return best;
}

/// Height of the hips above the floor: the mean of what the profile says, and of where they would
/// lie if crotch and hips were as far apart as the template's. Thighs that touch put the crotch too
/// low, unlike buttocks the profile too high or low; on the five shared characters each alone errs
/// by 40 mm, their mean by less than 15.
double hipHeight(const FigureTemplate& figure, const BodyMeasures& there, double byProfile) {
  const auto above = [](const BodyMeasures& m, double y) { return y - (m.top.y() - m.height); };
  const BodyMeasures& m = figure.measures;
  const double neck = above(m, m.neck.y()), neckThere = above(there, there.neck.y());
  const double hip = above(m, figure.joints.hip[0].y()) / neck;
  const double shift = above(there, there.crotch.y()) / neckThere - above(m, m.crotch.y()) / neck;
  return 0.5 * (byProfile + neckThere * (hip + shift));
}

/// Height of the knees above the floor: people's share of the hips' height, and to a tenth what
/// the profile says. Girths around a knee differ more from body to body than the lengths of thigh
/// and shank do to each other: on the shared characters and their variants the profile errs by up
/// to 52 mm, the share by 44.
double kneeHeight(double hips, double byProfile) {
  constexpr double kShare = 0.285 / 0.530;  // Drillis, Contini 1966: heights of knees and hips
  constexpr double kProfile = 0.1;
  return kProfile * byProfile + (1 - kProfile) * kShare * hips;
}

/// Height of a knee above the floor by the hollow behind it, which lies as far above the joint as
/// ours, as legs are longer: 3.2 to 4.4 % of the way from ankle to hip on our people, 3.0 to 4.2 on
/// men of MakeHuman and their variants, 1.5 on its women.
std::optional<double> kneeByHollow(const std::optional<double>& ours, double knee,
                                   const std::optional<double>& there, double longer) {
  if (!ours || !there) return std::nullopt;
  return *there - longer * (*ours - knee);
}

TrunkMap trunkMap(const FigureTemplate& figure, const BodyMeasures& character, double hips) {
  const BodyMeasures& m = figure.measures;
  const double hip = figure.joints.hip[0].y();
  TrunkMap map;
  map.scale.x() = character.width / m.width;
  map.scale.y() = (character.neck.y() - hips) / (m.neck.y() - hip);
  map.scale.z() = character.depth / m.depth;
  map.from = Vec3(m.middle.x(), m.neck.y(), m.middle.z());
  map.to = Vec3(character.middle.x(), character.neck.y(), character.middle.z());
  return map;
}

}  // namespace

FigureTemplate makeFigureTemplate(const anatomy::Body& measured, const anatomy::Person& person,
                                  const anatomy::GeometryCache& cache) {
  FigureTemplate figure{.person = person};
  figure.body = std::make_shared<const anatomy::Body>(anatomy::fitToPerson(measured, person));
  figure.skin = anatomy::makeSkinSurface(anatomy::skinModelOf(measured), measured, person,
                                         {.triangles = anatomy::skinTriangles(0)}, cache);
  const SurfaceGraph graph(figure.skin.mesh);
  FiveEnds ends = pairEnds(findEnds(figure.skin.mesh, graph), graph);
  findFrame(figure.skin.mesh, graph, ends);  // tells left from right
  figure.measures = measureBody(figure.skin.mesh, graph, ends);
  figure.joints = jointsOf(*figure.body, figure.measures);
  return figure;
}

FoundJoints findJoints(const FigureTemplate& figure, const BodyMeasures& character) {
  const BodyMeasures& m = figure.measures;
  const FigureJoints& j = figure.joints;
  const double floor = m.top.y() - m.height, floorThere = character.top.y() - character.height;
  const std::vector<double> heights =
      alignHeights(m, {j.knee[0].y() - floor, j.hip[0].y() - floor}, character);
  FoundJoints found;
  const double hips = hipHeight(figure, character, heights[1]);
  const double knees = kneeHeight(hips, heights[0]);
  found.trunk = trunkMap(figure, character, floorThere + hips);
  FigureJoints& there = found.joints;
  there.neck = found.trunk(j.neck);
  there.top = character.top;
  there.hand = character.hands;
  there.toe = character.feet;
  for (std::size_t side = 0; side < 2; ++side) {
    there.shoulder[side] = found.trunk(j.shoulder[side]);
    there.hip[side] = found.trunk(j.hip[side]);
    const LimbBands &arm = m.arms[side], &armThere = character.arms[side];
    const double elbow = wayNear(arm, j.elbow[side]), wrist = wayNear(arm, j.wrist[side]);
    // Ways are longer or shorter as the arms' are.
    const double size = (armThere.root - armThere.tip) / (arm.root - arm.tip);
    const std::optional<Vec3> bent = bentElbow(armThere);
    if (!bent) found.arms[side] = {true, shownElbow(armThere, character.height)};
    there.elbow[side] =
        bent ? *bent
             : beside(arm, elbow, j.elbow[side], armThere, armThere.tip + size * (elbow - arm.tip));
    there.wrist[side] =
        beside(arm, wrist, j.wrist[side], armThere, armThere.tip + size * (wrist - arm.tip));
    const LimbBands &leg = m.legs[side], &legThere = character.legs[side];
    const double knee = wayAtHeight(leg, j.knee[side].y());
    const double kneeThere = wayAtHeight(legThere, floorThere + knees);
    there.knee[side] = beside(leg, knee, j.knee[side], legThere, kneeThere);
    found.kneeByHollow[side] =
        kneeByHollow(m.kneeHollows[side], j.knee[side].y() - floor, character.kneeHollows[side],
                     hips / (j.hip[side].y() - floor));
    if (found.kneeByHollow[side]) *found.kneeByHollow[side] += floorThere;
    const double ankle = wayNear(leg, j.ankle[side]);
    const double foot = legThere.tip / leg.tip;
    there.ankle[side] = beside(leg, ankle, j.ankle[side], legThere, foot * ankle);
  }
  placeStraightElbows(j, found.arms, character.height, there);
  return found;
}

void placeStraightElbows(const FigureJoints& figure, const std::array<StraightArm, 2>& arms,
                         double height, FigureJoints& joints) {
  constexpr double kFarthest = 0.025;  // of the height: what is shown farther off is no elbow
  for (std::size_t s = 0; s < 2; ++s) {
    if (!arms[s].straight) continue;
    const double upper = (figure.shoulder[s] - figure.elbow[s]).norm(),
                 lower = (figure.elbow[s] - figure.wrist[s]).norm();
    const Vec3 arm = joints.shoulder[s] - joints.wrist[s], along = arm.normalized();
    double from = lower / (upper + lower) * arm.norm();  // the wrist
    if (arms[s].elbow) {
      const double shown = along.dot(*arms[s].elbow - joints.wrist[s]);
      if (std::abs(shown - from) < kFarthest * height) from = shown;
    }
    joints.elbow[s] += (from - along.dot(joints.elbow[s] - joints.wrist[s])) * along;
  }
}

void evenSides(FigureJoints& joints) {
  using J = FigureJoints;
  for (std::array<Vec3, 2> J::*pair :
       {&J::shoulder, &J::elbow, &J::wrist, &J::hand, &J::hip, &J::knee, &J::ankle, &J::toe}) {
    auto& [left, right] = joints.*pair;
    left = 0.5 * (left + mirroredAtX(right));
    right = mirroredAtX(left);
  }
  joints.neck.x() = 0;
}

}  // namespace pneuma::fit
