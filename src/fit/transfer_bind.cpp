#include "fit/transfer_bind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::fit::internal {
namespace {

using anatomy::SkinPart;

constexpr std::size_t kBindGrain = 256;  // vertices a thread takes at a time
/// A label is certain where skin and body nearly touch and face alike: share of the height, cosine.
constexpr double kCertainDistance = 0.01, kCertainCosine = 0.85;
constexpr std::int8_t kNoLimb = -1;
constexpr std::size_t kFewestToFollow = 6;  // vertices that tell how a forearm turns

enum Limb : std::int8_t { kTrunk = 0, kArmLeft = 1, kArmRight = 2 };

bool isArm(SkinPart part) {
  return part == SkinPart::UpperArm || part == SkinPart::Forearm || part == SkinPart::Hand;
}

bool isTrunk(SkinPart part) {
  return part == SkinPart::Chest || part == SkinPart::Abdomen || part == SkinPart::Back;
}

double smoothStep(double x, double from, double to) {
  const double s = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

/// What lies under a vertex on the skin.
struct Under {
  SurfacePlace place;
  SkinPart part = SkinPart::Chest;
  std::int8_t limb = kTrunk;
  double distance = 0, cosine = 0;
};

std::vector<Under> lookUnder(const TriangleMesh& body, const anatomy::SkinSurface& skin) {
  const SurfaceQuery query(skin.mesh);
  const std::vector<Vec3> bodyNormals = vertexNormals(body), skinNormals = vertexNormals(skin.mesh);
  std::vector<Under> under(body.vertexCount());
  parallelFor(under.size(), kBindGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const SurfaceQuery::Hit hit = query.closest(body.positions[v]);
      Under& u = under[v];
      u.place = placeOf(skin.mesh, hit);
      Eigen::Index nearest = 0;
      u.place.weights.maxCoeff(&nearest);
      u.part = skin.parts[at(u.place.corners[static_cast<std::size_t>(nearest)])];
      u.limb = !isArm(u.part) ? kTrunk : hit.point.x() > 0 ? kArmLeft : kArmRight;
      u.distance = hit.distance;
      u.cosine = bodyNormals[v].dot(u.place.of(skinNormals).normalized());
    }
  });
  return under;
}

using Neighbourhood = std::vector<std::vector<std::int32_t>>;

/// Keeps the largest connected set of each label; the others lose theirs.
void dropIslands(const Neighbourhood& next, std::vector<std::int8_t>& limb) {
  std::vector<std::int32_t> island(limb.size(), -1), queue;
  std::vector<std::size_t> sizes;
  std::vector<std::int32_t> best(3, -1);
  for (std::size_t start = 0; start < limb.size(); ++start) {
    if (limb[start] == kNoLimb || island[start] >= 0) continue;
    const auto id = static_cast<std::int32_t>(sizes.size());
    sizes.push_back(0);
    island[start] = id;
    queue.assign(1, static_cast<std::int32_t>(start));
    while (!queue.empty()) {
      const std::size_t v = at(queue.back());
      queue.pop_back();
      ++sizes.back();
      for (const std::int32_t n : next[v])
        if (island[at(n)] < 0 && limb[at(n)] == limb[v]) {
          island[at(n)] = id;
          queue.push_back(n);
        }
    }
    std::int32_t& largest = best[static_cast<std::size_t>(limb[start])];
    if (largest < 0 || sizes[at(id)] > sizes[at(largest)]) largest = id;
  }
  for (std::size_t v = 0; v < limb.size(); ++v)
    if (limb[v] != kNoLimb && best[static_cast<std::size_t>(limb[v])] != island[v])
      limb[v] = kNoLimb;
}

/// Limb of each vertex of the body by its own connections: certain ones first, the others from the
/// nearest certain one over the edges. The inner side of an arm that touches the trunk is arm.
std::vector<std::int8_t> ownLimbs(const std::vector<Under>& under, const Neighbourhood& next,
                                  double height) {
  std::vector<std::int8_t> limb(under.size(), kNoLimb);
  for (std::size_t v = 0; v < under.size(); ++v)
    if (under[v].distance < kCertainDistance * height && under[v].cosine > kCertainCosine)
      limb[v] = under[v].limb;
  dropIslands(next, limb);
  std::vector<std::int32_t> front, further;
  for (std::size_t v = 0; v < limb.size(); ++v)
    if (limb[v] != kNoLimb) front.push_back(static_cast<std::int32_t>(v));
  while (!front.empty()) {
    for (const std::int32_t v : front)
      for (const std::int32_t n : next[at(v)])
        if (limb[at(n)] == kNoLimb) {
          limb[at(n)] = limb[at(v)];
          further.push_back(n);
        }
    front.swap(further);
    further.clear();
  }
  return limb;
}

/// Distance over edges from the vertices that `from` marks, up to `most` [m].
std::vector<double> edgeDistances(const TriangleMesh& body, const Neighbourhood& next,
                                  const std::vector<bool>& from, double most) {
  std::vector<double> distance(from.size(), 2 * most);
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t v = 0; v < from.size(); ++v)
    if (from[v]) queue.emplace(distance[v] = 0, static_cast<std::int32_t>(v));
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > distance[at(v)] || d > most) continue;
    for (const std::int32_t n : next[at(v)]) {
      const double through = d + (body.positions[at(v)] - body.positions[at(n)]).norm();
      if (through < distance[at(n)]) queue.emplace(distance[at(n)] = through, n);
    }
  }
  return distance;
}

}  // namespace

SurfacePlace placeOf(const TriangleMesh& mesh, const SurfaceQuery::Hit& hit) {
  const Triangle& t = mesh.triangles[at(hit.triangle)];
  const Vec3 a = mesh.positions[at(t[0])], b = mesh.positions[at(t[1])],
             c = mesh.positions[at(t[2])];
  const Vec3 normal = (b - a).cross(c - a);
  SurfacePlace place{t, Vec3(1, 0, 0)};
  if (const double area = normal.squaredNorm(); area > 0) {
    place.weights[1] = std::clamp((hit.point - a).cross(c - a).dot(normal) / area, 0.0, 1.0);
    place.weights[2] =
        std::clamp((b - a).cross(hit.point - a).dot(normal) / area, 0.0, 1.0 - place.weights[1]);
    place.weights[0] = 1 - place.weights[1] - place.weights[2];
  }
  return place;
}

std::vector<std::vector<std::int32_t>> edgeNeighbours(std::size_t vertexCount,
                                                      const std::vector<Triangle>& triangles) {
  std::vector<std::vector<std::int32_t>> next(vertexCount);
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      next[at(t[k])].push_back(t[(k + 1) % 3]);
      next[at(t[(k + 1) % 3])].push_back(t[k]);
    }
  for (auto& list : next) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return next;
}

BodyBinding bindBody(const TriangleMesh& body, const anatomy::SkinSurface& skin, double height,
                     const TransferConfig& config) {
  const std::vector<Under> under = lookUnder(body, skin);
  const Neighbourhood next = edgeNeighbours(body.vertexCount(), body.triangles);
  const std::vector<std::int8_t> limb = ownLimbs(under, next, height);
  const double leastCosine = std::cos(config.angle);

  BodyBinding result;
  result.kinds.assign(body.vertexCount(), Binding::Free);
  std::vector<bool> arm(body.vertexCount(), false);
  std::size_t trunk = 0, trunkBound = 0;
  for (std::size_t v = 0; v < under.size(); ++v) {
    const Under& u = under[v];
    result.places.push_back(u.place);
    const bool near = u.distance < config.reach * height && u.cosine > leastCosine;
    const bool hand = u.part == SkinPart::Hand && limb[v] != kTrunk;
    if (near && !hand && u.limb == limb[v]) result.kinds[v] = Binding::Skin;
    arm[v] = limb[v] != kTrunk && !hand;
    trunk += isTrunk(u.part) ? 1 : 0;
    trunkBound += isTrunk(u.part) && near ? 1 : 0;
  }
  result.trunkShare = trunk > 0 ? static_cast<double>(trunkBound) / static_cast<double>(trunk) : 0;

  // Past the band behind the wrist a hand is rigid; what it follows is the end of the forearm.
  const double band = config.wristBand * height;
  const std::vector<double> pastWrist = edgeDistances(body, next, arm, band);
  std::vector<bool> hands(body.vertexCount(), false);
  for (std::size_t v = 0; v < under.size(); ++v) {
    if (under[v].part != SkinPart::Hand || limb[v] == kTrunk) continue;
    hands[v] = true;
    if (pastWrist[v] >= band)
      result.kinds[v] = limb[v] == kArmLeft ? Binding::HandLeft : Binding::HandRight;
  }
  const double forearm = config.forearm * height;
  const std::vector<double> beforeWrist = edgeDistances(body, next, hands, forearm);
  std::array<std::vector<std::int32_t>, 2> wholeArm;
  for (std::size_t v = 0; v < under.size(); ++v) {
    if (result.kinds[v] != Binding::Skin || limb[v] == kTrunk) continue;
    const std::size_t side = limb[v] == kArmLeft ? 0 : 1;
    wholeArm[side].push_back(static_cast<std::int32_t>(v));
    if (beforeWrist[v] <= forearm) result.forearm[side].push_back(static_cast<std::int32_t>(v));
  }
  // A coarse mesh may have no vertex there; without any on the arm the hand is filled in.
  for (std::size_t side = 0; side < 2; ++side)
    if (result.forearm[side].size() < kFewestToFollow) result.forearm[side] = wholeArm[side];
  for (Binding& kind : result.kinds)
    if ((kind == Binding::HandLeft && result.forearm[0].empty()) ||
        (kind == Binding::HandRight && result.forearm[1].empty()))
      kind = Binding::Free;
  return result;
}

std::vector<double> stillHeadShares(const anatomy::SkinSurface& skin) {
  // Only vertices on the rims of the neck count for how far up it one is.
  std::vector<Vec3> upper, lower;
  for (const Triangle& t : skin.mesh.triangles)
    for (const std::int32_t v : t)
      for (const std::int32_t w : t) {
        if (skin.parts[at(v)] != SkinPart::Neck || skin.parts[at(w)] == SkinPart::Neck) continue;
        (skin.parts[at(w)] == SkinPart::Head ? upper : lower).push_back(skin.mesh.positions[at(w)]);
      }
  const auto nearest = [](const Vec3& p, const std::vector<Vec3>& points) {
    double least = 1e300;
    for (const Vec3& q : points) least = std::min(least, (p - q).norm());
    return least;
  };
  std::vector<double> shares(skin.mesh.vertexCount(), 1.0);
  parallelFor(shares.size(), kBindGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (skin.parts[v] == SkinPart::Head) shares[v] = 0;
      if (skin.parts[v] != SkinPart::Neck || upper.empty() || lower.empty()) continue;
      const double up = nearest(skin.mesh.positions[v], upper);
      shares[v] = smoothStep(up / (up + nearest(skin.mesh.positions[v], lower)), 0, 1);
    }
  });
  return shares;
}

std::vector<ClothBinding> bindCloth(std::span<const Vec3> cloth, const TriangleMesh& body,
                                    double height, const TransferConfig& config) {
  // Cloth that lies within half a percent of the height moves with the skin; from 3 % on it hangs.
  constexpr double kTight = 0.005, kLoose = 0.03, kOnTop = 0.05;
  std::vector<ClothBinding> bindings(cloth.size());
  if (cloth.empty()) return bindings;
  const SurfaceQuery query(body);
  const std::vector<Vec3> normals = vertexNormals(body);
  parallelFor(cloth.size(), kBindGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const SurfaceQuery::Hit hit = query.closest(cloth[v]);
      ClothBinding& b = bindings[v];
      b.place = placeOf(body, hit);
      const double share = hit.distance / height;
      b.follow = 1 - smoothStep(share, config.clothReach, config.clothEnd);
      b.loose = smoothStep(share, kTight, kLoose);
      const Vec3 normal = b.place.of(normals).normalized();
      if (share < kOnTop && (cloth[v] - hit.point).dot(normal) >= 0) b.normal = normal;
    }
  });
  return bindings;
}

}  // namespace pneuma::fit::internal
