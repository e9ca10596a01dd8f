#include "pneuma/core/surface_query.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/embree_device.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma {

struct SurfaceQuery::Impl {
  TriangleMesh mesh;
  Box box;  // around the mesh
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;
  RTCGeometry geometry = nullptr;
  float* vertices = nullptr;  // of Embree's own buffer
  bool moves = false;

  void copyPositions() {
    box = boundingBox(mesh.positions);
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
      for (int k = 0; k < 3; ++k)
        vertices[3 * i + static_cast<std::size_t>(k)] = static_cast<float>(mesh.positions[i][k]);
  }

  ~Impl() {
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
  }

  Hit exactHit(int triangle, const Vec3& origin, const Vec3& direction, double approximate) const {
    const Triangle& t = mesh.triangles[static_cast<std::size_t>(triangle)];
    const Vec3& a = mesh.positions[t[0]];
    const Vec3 n = (mesh.positions[t[1]] - a).cross(mesh.positions[t[2]] - a);
    const double slope = n.dot(direction);
    // A grazing ray keeps Embree's distance: dividing by the slope would only amplify noise.
    const double exact = n.dot(a - origin) / slope;
    const bool usable = std::abs(slope) > 1e-9 * n.norm() &&
                        std::abs(exact - approximate) < 1e-3 * (1 + approximate);
    const double distance = usable ? exact : approximate;
    return {triangle, origin + distance * direction, distance};
  }

  std::optional<Hit> firstHit(const Vec3& origin, const Vec3& direction, double from,
                              double to) const {
    RTCRayHit ray{};
    const Vec3 start = origin + from * direction;
    ray.ray.org_x = static_cast<float>(start.x());
    ray.ray.org_y = static_cast<float>(start.y());
    ray.ray.org_z = static_cast<float>(start.z());
    ray.ray.dir_x = static_cast<float>(direction.x());
    ray.ray.dir_y = static_cast<float>(direction.y());
    ray.ray.dir_z = static_cast<float>(direction.z());
    ray.ray.tfar = static_cast<float>(to - from);
    ray.ray.mask = 0xffffffffu;
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene, &context, &ray);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
    return exactHit(static_cast<int>(ray.hit.primID), origin, direction,
                    from + static_cast<double>(ray.ray.tfar));
  }
};

SurfaceQuery::SurfaceQuery(TriangleMesh mesh) : SurfaceQuery(std::move(mesh), false) {}

SurfaceQuery SurfaceQuery::moving(TriangleMesh mesh) {
  return SurfaceQuery(std::move(mesh), true);
}

// One thread builds: queries are made inside parallel loops, where Embree's own threads would wait
// for ours. Robust traversal, because rays here count crossings and a missed edge turns inside out.
SurfaceQuery::SurfaceQuery(TriangleMesh mesh, bool moves) : impl_(std::make_unique<Impl>()) {
  if (mesh.empty()) throw InputError("a surface without triangles cannot be searched");
  for (const Vec3& p : mesh.positions)
    if (!p.allFinite()) throw InputError("a surface with a non-finite position cannot be searched");
  impl_->mesh = std::move(mesh);
  const TriangleMesh& m = impl_->mesh;

  impl_->device = newEmbreeDevice("threads=1");
  impl_->scene = rtcNewScene(impl_->device);
  impl_->moves = moves;
  rtcSetSceneFlags(impl_->scene, moves ? static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST |
                                                                    RTC_SCENE_FLAG_DYNAMIC)
                                       : RTC_SCENE_FLAG_ROBUST);
  // Embree refits geometries of scenes of low quality alone; any other is built anew.
  if (moves) rtcSetSceneBuildQuality(impl_->scene, RTC_BUILD_QUALITY_LOW);
  RTCGeometry geometry = rtcNewGeometry(impl_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  if (moves) rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
  impl_->geometry = geometry;
  impl_->vertices = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                              3 * sizeof(float), m.positions.size()));
  checkEmbreeMemory(impl_->device);
  impl_->copyPositions();
  auto* indices = static_cast<unsigned*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                              3 * sizeof(unsigned), m.triangles.size()));
  checkEmbreeMemory(impl_->device);
  for (std::size_t i = 0; i < m.triangles.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      indices[3 * i + k] = static_cast<unsigned>(m.triangles[i][k]);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(impl_->scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(impl_->scene);
  checkEmbreeMemory(impl_->device);
}

SurfaceQuery::~SurfaceQuery() = default;
SurfaceQuery::SurfaceQuery(SurfaceQuery&&) noexcept = default;
SurfaceQuery& SurfaceQuery::operator=(SurfaceQuery&&) noexcept = default;

void SurfaceQuery::move(std::span<const Vec3> positions) {
  PNEUMA_CHECK(impl_->moves && positions.size() == impl_->mesh.positions.size(),
               "a moving surface keeps its vertices");
  std::copy(positions.begin(), positions.end(), impl_->mesh.positions.begin());
  impl_->copyPositions();
  rtcUpdateGeometryBuffer(impl_->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(impl_->geometry);
  rtcCommitScene(impl_->scene);
}

const TriangleMesh& SurfaceQuery::mesh() const {
  return impl_->mesh;
}

std::optional<SurfaceQuery::Hit> SurfaceQuery::firstHit(const Vec3& origin, const Vec3& direction,
                                                        double maxDistance) const {
  return impl_->firstHit(origin, direction, 0, maxDistance);
}

std::optional<SurfaceQuery::Hit> SurfaceQuery::lastHit(const Vec3& origin, const Vec3& direction,
                                                       double maxDistance) const {
  // Shot from outside inwards, the last hit is the first one.
  const Vec3 end = origin + maxDistance * direction;
  const auto hit = impl_->firstHit(end, -direction, 0, maxDistance);
  if (!hit) return std::nullopt;
  return Hit{hit->triangle, hit->point, maxDistance - hit->distance};
}

SurfaceQuery::Hit SurfaceQuery::closest(const Vec3& point) const {
  struct Search {
    const TriangleMesh* mesh;
    Vec3 point;
    Hit best;
  } search{&impl_->mesh, point, {-1, Vec3::Zero(), std::numeric_limits<double>::infinity()}};

  RTCPointQuery query;
  query.x = static_cast<float>(point.x());
  query.y = static_cast<float>(point.y());
  query.z = static_cast<float>(point.z());
  query.time = 0;
  query.radius = std::numeric_limits<float>::infinity();
  RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  rtcPointQuery(
      impl_->scene, &query, &context,
      [](RTCPointQueryFunctionArguments* args) {
        auto& s = *static_cast<Search*>(args->userPtr);
        const Triangle& t = s.mesh->triangles[args->primID];
        const Vec3 q = closestPointOnTriangle(s.point, s.mesh->positions[t[0]],
                                              s.mesh->positions[t[1]], s.mesh->positions[t[2]]);
        const double distance = (q - s.point).norm();
        // Equal distances (a shared edge) go to the lower index, so that the answer does not depend
        // on the tree.
        if (distance < s.best.distance ||
            (distance == s.best.distance && static_cast<int>(args->primID) < s.best.triangle)) {
          s.best = {static_cast<int>(args->primID), q, distance};
          // A little larger than the distance, so that single precision never cuts off the true
          // answer.
          args->query->radius = static_cast<float>(distance * (1 + 1e-6)) + 1e-6f;
          return true;
        }
        return false;
      },
      &search);
  return search.best;
}

bool SurfaceQuery::inside(const Vec3& point) const {
  static const Vec3 directions[3] = {Vec3(0.577, 0.211, 0.789).normalized(),
                                     Vec3(-0.683, 0.612, 0.397).normalized(),
                                     Vec3(0.129, -0.871, -0.473).normalized()};
  const Box& box = impl_->box;
  if ((point.array() < box.min.array()).any() || (point.array() > box.max.array()).any())
    return false;
  const double reach = 2 * box.size().norm();
  int votes = 0;
  for (const Vec3& direction : directions) {
    // Enough to look at the first hit: from inside, the ray leaves through a face that looks along
    // with it.
    const auto hit = impl_->firstHit(point, direction, 0, reach);
    if (!hit) continue;
    const Triangle& t = impl_->mesh.triangles[static_cast<std::size_t>(hit->triangle)];
    const Vec3& a = impl_->mesh.positions[t[0]];
    if ((impl_->mesh.positions[t[1]] - a).cross(impl_->mesh.positions[t[2]] - a).dot(direction) > 0)
      ++votes;
  }
  return votes >= 2;
}

double SurfaceQuery::signedDistance(const Vec3& point) const {
  const double distance = closest(point).distance;
  return inside(point) ? -distance : distance;
}

}  // namespace pneuma
