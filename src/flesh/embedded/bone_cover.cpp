#include "pneuma/flesh/embedded/bone_cover.h"

#include <algorithm>
#include <utility>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

/// Bones that lie deeper than this at rest are not looked for at the skin [m].
constexpr double kDeep = 0.05;
/// Skin and what is right below it over a bone, and what a skin of 20,000 triangles cuts off a
/// kneecap's roundness [m]; where there is less at rest, the same part of that.
constexpr double kCover = 2.6e-3, kPartOfRest = 0.75;
/// The same where skin lies on skin, as in the fold of an elbow: more would fight with that
/// contact.
constexpr double kInFold = 3e-4;
/// A point pushes with so many times the stiffness of the springs that tie as much of a bone.
constexpr double kStiffer = 3;
/// A point that has up to this part of ContactRound::watched more skin than it must have has a
/// plane for when it comes nearer: bones are nearer to skin than skins are.
constexpr double kWatched = 0.5;
/// Skin that has moved less than this, half of how far is watched, comes to no other bone [m].
constexpr double kStands = 1e-3;
/// Planes of a point at places of the skin nearer to one another than this are one [m]; those at
/// places that have slid farther from the point have no say.
constexpr double kSamePlace = 8e-3, kSlidOff = 0.03;
/// Skin within this distance of the plane between it and other skin lies on that [m].
constexpr double kOnSkin = 2.5e-4;
/// A way to the skin shorter than this has no direction of its own [m].
constexpr double kTouching = 2e-4;
/// Skin that lies farther from a bone at rest is another limb's [m]: a hand that touches a thigh
/// must not lift the thigh's skin. A shoulder blade slides by 8 cm under its own.
constexpr double kOwnSkin = 0.1;

/// Hands are tied all around, and nothing slides in them.
bool slides(const std::string& bone) {
  return !bone.starts_with("hand");
}

/// Where skin is near, and on which side of it all else is: most bones lie deeper, and asking for
/// the closest skin or counting rays is what takes the time. What cannot be reached from outside
/// without coming near skin is inside.
class NearSkin {
 public:
  /// Farther from skin than this a point is told apart [m].
  static constexpr double kReach = 4e-3;

  explicit NearSkin(const TriangleMesh& skin) {
    const Box box = boundingBox(skin.positions);
    // One layer of cells on every side stays free of marks.
    origin_ = box.min.array() - 2 * kCell;
    const Eigen::Array3d count = ((box.size().array() + 4 * kCell) / kCell).ceil();
    // Flesh that was flung far: every point is asked about.
    if (!(count.prod() < kMostCells)) return;
    cells_ = count.cast<int>();
    side_.assign(at(cells_[0]) * at(cells_[1]) * at(cells_[2]), kInside);
    for (const Triangle& t : skin.triangles) {
      const Vec3 &a = skin.positions[at(t[0])], &b = skin.positions[at(t[1])],
                 &c = skin.positions[at(t[2])];
      const Eigen::Array3i low = cellOf(a.cwiseMin(b).cwiseMin(c).array() - kReach),
                           high = cellOf(a.cwiseMax(b).cwiseMax(c).array() + kReach);
      for (int k = low[2]; k <= high[2]; ++k)
        for (int j = low[1]; j <= high[1]; ++j)
          for (int i = low[0]; i <= high[0]; ++i) side_[index(i, j, k)] = kNear;
    }
    flood();
  }

  /// Whether a point is inside and no skin nearer than kReach. False where it is not known.
  bool deep(const Vec3& p) const {
    const Eigen::Array3i c = cellOf(p.array());
    if ((c < 0).any() || (c >= cells_).any()) return false;
    return side_[index(c[0], c[1], c[2])] == kInside;
  }

 private:
  enum Side : std::uint8_t { kInside, kNear, kOutside };
  static constexpr double kCell = 8e-3;  // [m]
  static constexpr double kMostCells = 5e7;

  Eigen::Array3i cellOf(const Eigen::Array3d& p) const {
    return ((p - origin_) / kCell).floor().cast<int>();
  }
  std::size_t index(int i, int j, int k) const {
    return (at(k) * at(cells_[1]) + at(j)) * at(cells_[0]) + at(i);
  }

  /// Marks what the corner of the box reaches, run of cells by run.
  void flood() {
    std::vector<Eigen::Array3i> todo{Eigen::Array3i::Zero()};
    while (!todo.empty()) {
      const Eigen::Array3i seed = todo.back();
      todo.pop_back();
      int first = seed[0], last = seed[0];
      std::uint8_t* row = side_.data() + index(0, seed[1], seed[2]);
      if (row[first] != kInside) continue;
      while (first > 0 && row[first - 1] == kInside) --first;
      while (last + 1 < cells_[0] && row[last + 1] == kInside) ++last;
      std::fill(row + first, row + last + 1, kOutside);
      // Each run of the rows beside this one is gone on from once.
      for (const auto& [dj, dk] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
        const int j = seed[1] + dj, k = seed[2] + dk;
        if (j < 0 || j >= cells_[1] || k < 0 || k >= cells_[2]) continue;
        const std::uint8_t* beside = side_.data() + index(0, j, k);
        for (int i = first; i <= last; ++i)
          if (beside[i] == kInside && (i == first || beside[i - 1] != kInside))
            todo.push_back({i, j, k});
      }
    }
  }

  Eigen::Array3d origin_ = Eigen::Array3d::Zero();
  Eigen::Array3i cells_ = Eigen::Array3i::Zero();
  std::vector<std::uint8_t> side_;
};

}  // namespace

BoneCover::BoneCover(const BodyFlesh& flesh)
    : flesh_(flesh),
      now_(flesh.skin.positions),
      embedding_(*flesh.model.lattice, flesh.skin.positions, vertexNormals(flesh.skin)),
      normals_(flesh.skin),
      query_(SurfaceQuery::moving(flesh.skin)) {
  std::vector<double> depth(flesh.bonePoints.size());
  parallelFor(depth.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      depth[i] = -query_.signedDistance(flesh.bonePoints[i].rest);
  });
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (!(depth[i] > 0 && depth[i] < kDeep)) continue;
    if (!slides(flesh.boneNames[at(flesh.bonePoints[i].bone)])) continue;
    points_.push_back(flesh.bonePoints[i]);
    margin_.push_back(kPartOfRest * std::min(kCover, depth[i]));
  }
  push_.assign(points_.size(), 0);
}

/// A place of the skin as it lies at rest, by the weights it has in its triangle now.
Vec3 BoneCover::restOf(const SurfaceQuery::Hit& hit) const {
  const Triangle& t = flesh_.skin.triangles[at(hit.triangle)];
  Mat3 corners;
  for (int k = 0; k < 3; ++k) corners.col(k) = now_[at(t[std::size_t(k)])] - hit.point;
  const auto area = [&](int a, int b) { return corners.col(a).cross(corners.col(b)).norm(); };
  Vec3 weights(area(1, 2), area(2, 0), area(0, 1));
  weights /= std::max(weights.sum(), 1e-300);
  Vec3 rest = Vec3::Zero();
  for (int k = 0; k < 3; ++k) rest += weights[k] * flesh_.skin.positions[at(t[std::size_t(k)])];
  return rest;
}

Vec3 BoneCover::placeOf(const LatticePlace& place, std::span<const Vec3> nodes) const {
  Vec3 now = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k)
    now += place.weights[static_cast<Eigen::Index>(k)] *
           nodes[at(flesh_.model.lattice->tets[at(place.tet)][k])];
  return now;
}

/// The skin at a place is to lie `distance` farther outwards than it does.
ContactPlane BoneCover::planeAt(const SurfaceQuery::Hit& hit, const Vec3& outwards,
                                std::span<const Vec3> nodes, double distance,
                                double stiffness) const {
  const Triangle& t = flesh_.skin.triangles[at(hit.triangle)];
  const auto& p = flesh_.skin.positions;
  const Vec3 normal = (p[at(t[1])] - p[at(t[0])]).cross(p[at(t[2])] - p[at(t[0])]);
  ContactPlane plane{flesh_.model.lattice->locate(restOf(hit), -normal.normalized()), outwards, 0,
                     stiffness};
  plane.offset = outwards.dot(placeOf(plane.place, nodes)) + distance;
  return plane;
}

BoneCover::Found BoneCover::find(std::span<const Vec3> nodes, std::span<const Pose> bones,
                                 std::vector<ContactPlane>& planes, const ContactRound& round) {
  embedding_.follow(nodes, now_);
  query_.move(now_);
  const NearSkin near(query_.mesh());
  // Nodes around skin that lies on skin.
  const Lattice& lattice = *flesh_.model.lattice;
  std::vector<std::uint8_t> folded(lattice.nodeCount(), 0);
  for (const ContactPlane& c : planes)
    if (c.normal.dot(placeOf(c.place, nodes)) - c.offset < kOnSkin)
      for (const std::int32_t n : lattice.tets[at(c.place.tet)]) folded[at(n)] = 1;
  const double watched = kWatched * round.watched;
  std::vector<Held> found(points_.size());
  std::vector<double> lack(points_.size(), 0);
  parallelFor(points_.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 p = bones[at(points_[i].bone)] * points_[i].rest;
      if (margin_[i] + watched <= NearSkin::kReach && near.deep(p)) continue;
      const SurfaceQuery::Hit hit = query_.closest(p);
      // Where skin has gone through skin, rays count wrong, and on an edge the normal of one
      // triangle may face away.
      Vec3 normal = Vec3::Zero();
      for (const std::int32_t v : flesh_.skin.triangles[at(hit.triangle)])
        normal += normals_.normal(at(v), now_);
      const bool inside = (hit.point - p).dot(normal) >= 0 || query_.inside(p);
      const std::int32_t corner = flesh_.skin.triangles[at(hit.triangle)][0];
      const bool inFold = std::ranges::any_of(lattice.tets[at(embedding_.place(at(corner)).tet)],
                                              [&](std::int32_t n) { return folded[at(n)] != 0; });
      const double margin = inFold ? std::min(margin_[i], kInFold) : margin_[i];
      if (inside && hit.distance > margin + watched) continue;
      if ((restOf(hit) - points_[i].rest).norm() > kOwnSkin) continue;
      lack[i] = margin - (inside ? hit.distance : -hit.distance);
      const Vec3 way = inside ? Vec3(hit.point - p) : Vec3(p - hit.point);
      const Vec3 outwards = (hit.distance > kTouching ? way : normal).normalized();
      found[i].rest = restOf(hit);
      found[i].plane =
          planeAt(hit, outwards, nodes, lack[i], kStiffer * round.firmness * points_[i].stiffness);
    }
  });
  hold(found, nodes, bones, round);
  nodes_.assign(nodes.begin(), nodes.end());
  Found sum;
  for (const double l : lack) sum.lack = std::max(sum.lack, l);
  for (const Held& h : held_) {
    if (h.push > 0)
      sum.held = std::max(sum.held, std::min(-lack[h.point], h.push / h.plane.stiffness));
    planes.push_back(h.plane);
    planes.back().offset += h.push / h.plane.stiffness;
    if (planes.back().pushes(placeOf(h.plane.place, nodes)) > 0) ++sum.count;
  }
  pushing_ = sum.count > 0;
  return sum;
}

bool BoneCover::stands(std::span<const Vec3> nodes) const {
  if (pushing_ || nodes_.size() != nodes.size()) return false;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (!((nodes[n] - nodes_[n]).squaredNorm() < kStands * kStands)) return false;
  return std::ranges::all_of(held_, [&](const Held& h) {
    return h.push == 0 && !(h.plane.pushes(placeOf(h.plane.place, nodes)) > 0);
  });
}

/// Takes in what was found at the points, one place each. Skin slides over a bone: planes at other
/// places of it that an equilibrium has just been found with stay while they push, or two places
/// would take turns in falling in.
void BoneCover::hold(std::vector<Held>& found, std::span<const Vec3> nodes,
                     std::span<const Pose> bones, const ContactRound& round) {
  if (!round.settled) {
    held_.clear();
    for (std::size_t i = 0; i < found.size(); ++i) found[i].push = push_[i];
  }
  std::vector<Held> slid;
  for (Held& h : held_) {
    const Vec3 now = placeOf(h.plane.place, nodes);
    const Vec3 bone = bones[at(points_[h.point].bone)] * points_[h.point].rest;
    ContactPlane pushed = h.plane;
    pushed.offset += h.push / h.plane.stiffness;
    h.push = pushed.pushes(now);
    Held& place = found[h.point];
    if (place.plane.stiffness > 0 && (place.rest - h.rest).norm() < kSamePlace) {
      place.push += h.push;
    } else if (h.push > 0 && (now - bone).norm() < kSlidOff) {
      h.plane.stiffness = kStiffer * round.firmness * points_[h.point].stiffness;
      slid.push_back(h);
    }
  }
  std::swap(held_, slid);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].point = i;
    if (found[i].plane.stiffness > 0) held_.push_back(found[i]);
  }
  std::fill(push_.begin(), push_.end(), 0.0);
  for (const Held& h : held_) push_[h.point] += h.push;
}

}  // namespace pneuma::flesh::embedded
