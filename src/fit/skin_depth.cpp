#include "fit/skin_depth.h"

#include "pneuma/core/index.h"
#include "pneuma/skin/skin_checks.h"

namespace pneuma::fit::internal {
namespace {

constexpr double kInside = 0.5;        // winding number between 0 outside and 1 within
constexpr double kDeepEnough = 0.015;  // below this no bone is drawn in [m]
constexpr double kTouching = 1e-9;     // [m]

SkinDepth::Depth below(const SurfaceQuery& skin, const Vec3& p, bool inside) {
  const SurfaceQuery::Hit hit = skin.closest(p);
  const TriangleMesh& mesh = skin.mesh();
  const Triangle& t = mesh.triangles[at(hit.triangle)];
  Vec3 inward = inside ? Vec3(p - hit.point) : Vec3(hit.point - p);
  if (hit.distance < kTouching)
    inward = -(mesh.positions[at(t[1])] - mesh.positions[at(t[0])])
                  .cross(mesh.positions[at(t[2])] - mesh.positions[at(t[0])]);
  return {inside ? hit.distance : -hit.distance, inward.normalized()};
}

}  // namespace

// Rays are fast and nearly always right; where they say outside, the solid angles decide.
bool SkinDepth::outside(const Vec3& p) const {
  if (surface_.inside(p) || (registered_ && registered_->inside(p))) return false;
  const TriangleMesh& mesh = surface_.mesh();
  return skin::windingNumber(p, mesh.positions, mesh.triangles) < kInside;
}

SkinDepth::Depth SkinDepth::at(const Vec3& p) const {
  const Depth own = below(surface_, p, surface_.inside(p));
  if (own.depth > kDeepEnough || !registered_) return own;
  const Depth ours = below(*registered_, p, registered_->inside(p));
  return own.depth < 0 && ours.depth < 0 ? own : own.depth > ours.depth ? own : ours;
}

bool isHeldInside(const std::string& bone) {
  return !bone.starts_with("skull") && !bone.starts_with("mandible");
}

}  // namespace pneuma::fit::internal
