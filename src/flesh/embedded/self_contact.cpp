#include "pneuma/flesh/embedded/self_contact.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

/// Skins farther through one another than this are not told apart from the two sides of a limb [m].
constexpr double kDeepest = 0.03;
/// Skin that was within this distance at rest (and twice the depth) is the same fold or the other
/// side of a finger, not something to touch [m]; unless it lay across a gap, in front of the
/// vertex: the arm beside the trunk. Then the cosine between its direction and the normal is above
/// kInFront.
constexpr double kSameFold = 0.015, kInFront = 0.3;
/// Rays begin this far from the vertex, past the triangles around it [m].
constexpr double kPast = 2e-5;
/// Skins nearer than this touch [m].
constexpr double kNear = 5e-4;
/// Flesh that has moved less than this, a quarter of how far is watched, finds no other skin than
/// it knew [m].
constexpr double kStands = 1e-3;
/// Skins that face each other: the cosine between one's normal and the other's, turned.
constexpr double kFacing = 0.2;
/// How far the way outwards is followed to where it leaves what the vertex lies in [m].
constexpr double kFarSide = 1;
/// Stiffness by area, in shear moduli over cell edges: as the springs of the bones.
constexpr double kModuli = 20;

Vec3 areaNormal(std::span<const Vec3> x, const Triangle& t) {
  const Vec3& a = x[std::size_t(t[0])];
  return 0.5 * (x[std::size_t(t[1])] - a).cross(x[std::size_t(t[2])] - a);
}

/// Space within a ray's length of marked boxes.
class MarkedCells {
 public:
  /// Around all that will be marked. One that is empty has nothing near it; one that is huge has
  /// all space (flesh that was flung far).
  explicit MarkedCells(const Box& box) {
    if (box.empty()) return;
    origin_ = box.min.array() - kReach;
    const Eigen::Array3d count = ((box.size().array() + 2 * kReach) / kCell).floor() + 1;
    all_ = !(count.prod() < kMostCells);
    if (all_) return;
    cells_ = count.cast<int>();
    marked_.assign(std::size_t(cells_[0]) * std::size_t(cells_[1]) * std::size_t(cells_[2]), 0);
  }

  void mark(const Box& box) {
    if (all_) return;
    const Eigen::Array3i low = cellOf(box.min.array() - kReach).max(0),
                         high = cellOf(box.max.array() + kReach).min(cells_ - 1);
    for (int k = low[2]; k <= high[2]; ++k)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int i = low[0]; i <= high[0]; ++i) marked_[index(i, j, k)] = 1;
  }

  bool has(const Vec3& p) const {
    if (all_) return true;
    if (marked_.empty()) return false;
    const Eigen::Array3i c = cellOf(p.array());
    return (c >= 0).all() && (c < cells_).all() && marked_[index(c[0], c[1], c[2])] != 0;
  }

 private:
  static constexpr double kReach = kDeepest + 2 * kPast;
  static constexpr double kCell = 0.02;  // [m]
  static constexpr double kMostCells = 1e7;

  Eigen::Array3i cellOf(const Eigen::Array3d& p) const {
    return ((p - origin_) / kCell).floor().cast<int>();
  }
  std::size_t index(int i, int j, int k) const {
    return (std::size_t(k) * std::size_t(cells_[1]) + std::size_t(j)) * std::size_t(cells_[0]) +
           std::size_t(i);
  }

  bool all_ = false;
  Eigen::Array3d origin_ = Eigen::Array3d::Zero();
  Eigen::Array3i cells_ = Eigen::Array3i::Zero();
  std::vector<std::uint8_t> marked_;
};

}  // namespace

SelfContact::SelfContact(const FleshModel& model, const TriangleMesh& skin)
    : model_(model),
      rest_(skin.positions),
      now_(skin.positions),
      before_(skin.positions),
      restNormals_(vertexNormals(skin)),
      triangles_(skin.triangles),
      normals_(skin),
      stiffness_(skin.positions.size(), 0),
      closed_(skin.positions.size(), 0),
      candidates_(skin.positions.size()),
      last_(skin.positions.size()),
      depth_(skin.positions.size(), 0),
      push_(skin.positions.size(), 0),
      query_(SurfaceQuery::moving(skin)) {
  for (std::size_t v = 0; v < rest_.size(); ++v)
    places_.push_back(model.lattice->locate(rest_[v], -restNormals_[v]));
  for (const Triangle& t : triangles_)
    for (const std::int32_t v : t) stiffness_[std::size_t(v)] += areaNormal(rest_, t).norm() / 3;
  for (std::size_t v = 0; v < rest_.size(); ++v) {
    const TissueMaterial& m = model.tissue[std::size_t(places_[v].tet)];
    stiffness_[v] *= kModuli * 2 * (m.mu10 + m.mu01) / model.lattice->config.spacing;
  }
  std::vector<ContactPlane> atRest;
  find(model.lattice->nodes, atRest);
  for (std::size_t v = 0; v < rest_.size(); ++v) {
    closed_[v] = candidates_[v].stiffness > 0 && depth_[v] > -kNear;
    if (closed_[v] != 0) candidates_[v] = {}, depth_[v] = 0;
  }
}

/// Whether a piece of skin near a vertex is one to touch: it faces the vertex and is not its own
/// fold or the other side of its limb.
bool SelfContact::touches(std::size_t v, const SurfaceQuery::Hit& hit, const Vec3& inwards) const {
  const Triangle& t = triangles_[std::size_t(hit.triangle)];
  if (!(areaNormal(now_, t).normalized().dot(inwards) > kFacing)) return false;
  const Vec3 far =
      (rest_[std::size_t(t[0])] + rest_[std::size_t(t[1])] + rest_[std::size_t(t[2])]) / 3;
  const Vec3 away = far - rest_[v];
  const bool inFront = away.dot(restNormals_[v]) > kInFront * away.norm();
  return inFront || away.norm() > kSameFold + 2 * hit.distance;
}

Vec3 SelfContact::placeOf(const LatticePlace& place, std::span<const Vec3> nodes) const {
  const Tet& t = model_.lattice->tets[std::size_t(place.tet)];
  Vec3 now = Vec3::Zero();
  for (int k = 0; k < 4; ++k) now += place.weights[k] * nodes[std::size_t(t[std::size_t(k)])];
  return now;
}

/// Places of the skin in the straight-sided tetrahedra, before and now.
void SelfContact::place(std::span<const Vec3> nodes) {
  std::swap(now_, before_);
  for (std::size_t v = 0; v < now_.size(); ++v) now_[v] = placeOf(places_[v], nodes);
  nodes_.assign(nodes.begin(), nodes.end());
}

/// Vertices whose rays may meet something else than before: those of triangles that have moved, and
/// those within a ray's length of where such a triangle was or is.
std::vector<std::uint8_t> SelfContact::toLookAt() const {
  std::vector<std::uint8_t> found(now_.size(), looked_ ? 0 : 1);
  if (!looked_) return found;
  const auto moved = [&](const Triangle& t) {
    return std::ranges::any_of(
        t, [&](std::int32_t v) { return now_[std::size_t(v)] != before_[std::size_t(v)]; });
  };
  Box box;
  for (const Triangle& t : triangles_)
    if (moved(t))
      for (const std::int32_t v : t)
        box.add(now_[std::size_t(v)]), box.add(before_[std::size_t(v)]);
  MarkedCells near(box);
  for (const Triangle& t : triangles_) {
    if (!moved(t)) continue;
    Box around;
    for (const std::int32_t v : t) {
      found[std::size_t(v)] = 1;
      around.add(now_[std::size_t(v)]), around.add(before_[std::size_t(v)]);
    }
    near.mark(around);
  }
  for (std::size_t v = 0; v < now_.size(); ++v)
    if (near.has(now_[v])) found[v] = 1;
  return found;
}

/// The plane that pushes a vertex back, if there is any.
void SelfContact::look(std::size_t v) {
  candidates_[v] = {};
  depth_[v] = 0;
  if (closed_[v] != 0) return;
  const Vec3 inwards = -normals_.normal(v, now_);
  auto hit = query_.firstHit(now_[v] + kPast * inwards, inwards, kDeepest);
  double deep = hit ? hit->distance : 0;
  if (!hit || !touches(v, *hit, inwards)) {
    hit = query_.firstHit(now_[v] - kPast * inwards, -inwards, watched_);
    if (!hit || !touches(v, *hit, inwards)) return;
    deep = -hit->distance;
  }
  const Vec3 normal =
      (areaNormal(now_, triangles_[std::size_t(hit->triangle)]).normalized() + inwards)
          .normalized();
  depth_[v] = deep;
  candidates_[v] = {places_[v], normal, normal.dot(0.5 * (now_[v] + hit->point)), stiffness_[v]};
}

/// Whether the way outwards from a vertex leaves flesh before it enters any. (Asked at each look:
/// it depends on skin far away.)
bool SelfContact::inOther(std::size_t v) const {
  const Vec3 outwards = normals_.normal(v, now_);
  const auto hit = query_.firstHit(now_[v] + kPast * outwards, outwards, kFarSide);
  return hit && areaNormal(now_, triangles_[std::size_t(hit->triangle)]).dot(outwards) > 0;
}

/// The plane of a vertex with the force it goes on with, and with what is missing by itself.
ContactPlane SelfContact::pushing(std::size_t v, const ContactRound& round) {
  ContactPlane plane = candidates_[v];
  plane.stiffness *= round.firmness;
  plane.offset += push_[v] / plane.stiffness;
  return plane;
}

SelfContact::Found SelfContact::find(std::span<const Vec3> nodes, std::vector<ContactPlane>& planes,
                                     const ContactRound& round) {
  place(nodes);
  looked_ = looked_ && watched_ == round.watched;
  watched_ = round.watched;
  const std::vector<std::uint8_t> wanted = toLookAt();
  query_.move(now_);
  parallelFor(now_.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (wanted[v] != 0) look(v);
  });
  looked_ = true;
  Found found;
  bool pushed = false;
  planes.clear();
  for (std::size_t v = 0; v < now_.size(); ++v) {
    if (round.settled) push_[v] = last_[v].pushes(now_[v]);
    if (push_[v] > 0)
      found.held = std::max(found.held, std::min(-depth_[v], push_[v] / last_[v].stiffness));
    if (!(candidates_[v].stiffness > 0) || (depth_[v] > 0 && !inOther(v))) {
      push_[v] = 0;
      last_[v] = {};
      continue;
    }
    last_[v] = pushing(v, round);
    planes.push_back(last_[v]);
    if (depth_[v] > -kNear) ++found.count;
    found.deepest = std::max(found.deepest, depth_[v]);
    pushed |= last_[v].pushes(now_[v]) > 0;
  }
  touching_ = pushed || found.deepest > 0;
  return found;
}

bool SelfContact::stands(std::span<const Vec3> nodes) const {
  if (!looked_ || touching_) return false;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (!((nodes[n] - nodes_[n]).squaredNorm() < kStands * kStands)) return false;
  for (const ContactPlane& plane : last_)
    if (plane.stiffness > 0 && plane.pushes(placeOf(plane.place, nodes)) > 0) return false;
  return true;
}

}  // namespace pneuma::flesh::embedded
