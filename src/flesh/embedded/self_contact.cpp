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
/// Skins nearer than this are watched, so that those pressed together are not lost [m].
constexpr double kNear = 5e-4;
/// Skins that face each other: the cosine between one's normal and the other's, turned.
constexpr double kFacing = 0.2;
/// Stiffness by area, in shear moduli over cell edges: as the springs of the bones.
constexpr double kModuli = 20;

Vec3 areaNormal(std::span<const Vec3> x, const Triangle& t) {
  const Vec3& a = x[std::size_t(t[0])];
  return 0.5 * (x[std::size_t(t[1])] - a).cross(x[std::size_t(t[2])] - a);
}

}  // namespace

SelfContact::SelfContact(const FleshModel& model, const TriangleMesh& skin)
    : model_(model),
      rest_(skin.positions),
      now_(skin.positions),
      restNormals_(vertexNormals(skin)),
      triangles_(skin.triangles),
      stiffness_(skin.positions.size(), 0),
      closed_(skin.positions.size(), 0),
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
  for (std::size_t v = 0; v < rest_.size(); ++v) closed_[v] = candidates_[v].stiffness > 0;
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

SelfContact::Found SelfContact::find(std::span<const Vec3> nodes,
                                     std::vector<ContactPlane>& planes) {
  const Lattice& l = *model_.lattice;
  for (std::size_t v = 0; v < now_.size(); ++v) {
    now_[v] = Vec3::Zero();
    for (int k = 0; k < 4; ++k)
      now_[v] += places_[v].weights[k] *
                 nodes[std::size_t(l.tets[std::size_t(places_[v].tet)][std::size_t(k)])];
  }
  query_.move(now_);
  const std::vector<Vec3> normals = vertexNormals(query_.mesh());
  candidates_.assign(now_.size(), {});
  std::vector<double> depth(now_.size(), 0);
  parallelFor(now_.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (closed_[v] != 0) continue;
      const Vec3 inwards = -normals[v];
      auto hit = query_.firstHit(now_[v] + kPast * inwards, inwards, kDeepest);
      double deep = hit ? hit->distance : 0;
      if (!hit || !touches(v, *hit, inwards)) {
        hit = query_.firstHit(now_[v] - kPast * inwards, -inwards, kNear);
        if (!hit || !touches(v, *hit, inwards)) continue;
        deep = -hit->distance;
      }
      const Vec3 normal =
          (areaNormal(now_, triangles_[std::size_t(hit->triangle)]).normalized() + inwards)
              .normalized();
      depth[v] = deep;
      candidates_[v] = {places_[v], normal, normal.dot(0.5 * (now_[v] + hit->point)),
                        stiffness_[v]};
    }
  });
  Found found;
  planes.clear();
  for (std::size_t v = 0; v < now_.size(); ++v) {
    if (!(candidates_[v].stiffness > 0)) continue;
    planes.push_back(candidates_[v]);
    found.deepest = std::max(found.deepest, depth[v]);
  }
  found.count = planes.size();
  return found;
}

}  // namespace pneuma::flesh::embedded
