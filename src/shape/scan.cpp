#include "pneuma/shape/scan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/random.h"
#include "pneuma/shape/rotations.h"

namespace pneuma::shape {
namespace {

constexpr double kSlide = 0.3;  // of the mean edge, that a corner moves along the surface
constexpr std::array kCameraHeights{0.3, 1.0, 1.8};  // of a ring of cameras [m]
constexpr int kCamerasInRing = 8;
constexpr double kCameraDistance = 2.2;  // [m]
constexpr double kGrazing = 0.25;        // cosine below which a camera sees nothing of a surface
constexpr double kClear = 1e-3;          // of the surface, where a line of sight begins [m]

/// Each triangle cut into four by the middles of its edges.
TriangleMesh cutInFour(const TriangleMesh& mesh) {
  TriangleMesh fine{mesh.positions, {}};
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
  const auto middle = [&](std::int32_t a, std::int32_t b) {
    const auto [found, isNew] =
        middles.emplace(std::minmax(a, b), static_cast<std::int32_t>(fine.positions.size()));
    if (isNew) fine.positions.push_back(0.5 * (mesh.positions[at(a)] + mesh.positions[at(b)]));
    return found->second;
  };
  for (const Triangle& t : mesh.triangles) {
    const std::int32_t ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
    for (const Triangle& part : {Triangle{t[0], ab, ca}, Triangle{ab, t[1], bc},
                                 Triangle{ca, bc, t[2]}, Triangle{ab, bc, ca}})
      fine.triangles.push_back(part);
  }
  return fine;
}

Vec3 randomDirection(Random& random) {
  return Vec3(random.normal(), random.normal(), random.normal()).normalized();
}

/// Corners anywhere near on the same surface: none lies where the skin has one.
void slideCorners(TriangleMesh& mesh, const SurfaceQuery& surface, Random& random) {
  std::vector<double> edge(mesh.vertexCount(), std::numeric_limits<double>::infinity());
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const double l = (mesh.positions[at(t[k])] - mesh.positions[at(t[(k + 1) % 3])]).norm();
      for (const std::int32_t v : {t[k], t[(k + 1) % 3]}) edge[at(v)] = std::min(edge[at(v)], l);
    }
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    const Vec3 moved = mesh.positions[v] + kSlide * edge[v] * randomDirection(random);
    mesh.positions[v] = surface.closest(moved).point;
  }
}

std::vector<Vec3> cameraRing() {
  std::vector<Vec3> cameras;
  for (const double height : kCameraHeights)
    for (int k = 0; k < kCamerasInRing; ++k) {
      const double angle = 2 * kPi * k / kCamerasInRing;
      cameras.emplace_back(kCameraDistance * std::sin(angle), height,
                           kCameraDistance * std::cos(angle));
    }
  return cameras;
}

/// Which triangles a camera sees, neither from behind, nor grazing, nor through the body.
std::vector<char> seenTriangles(const TriangleMesh& mesh, const SurfaceQuery& surface) {
  const std::vector<Vec3> cameras = cameraRing(), normals = triangleNormals(mesh);
  std::vector<char> seen(mesh.triangleCount(), 0);
  parallelFor(seen.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle& c = mesh.triangles[t];
      const Vec3 place =
          (mesh.positions[at(c[0])] + mesh.positions[at(c[1])] + mesh.positions[at(c[2])]) / 3;
      const Vec3 from = place + kClear * normals[t];
      for (const Vec3& camera : cameras) {
        const Vec3 way = camera - from;
        const double distance = way.norm();
        if (way.dot(normals[t]) < kGrazing * distance) continue;
        if (surface.firstHit(from, way / distance, distance)) continue;
        seen[t] = 1;
        break;
      }
    }
  });
  return seen;
}

void tearHoles(TriangleMesh& mesh, std::vector<char>& seen, const ScanConfig& config,
               Random& random) {
  for (int i = 0; i < config.holes; ++i) {
    const Vec3 middle = mesh.positions[random.next() % mesh.vertexCount()];
    const double radius = random.uniform(config.smallestHole, config.largestHole);
    for (std::size_t t = 0; t < mesh.triangleCount(); ++t)
      if ((mesh.positions[at(mesh.triangles[t][0])] - middle).norm() < radius) seen[t] = 0;
  }
}

/// Vertices of the trunk far from one another, each next the farthest from those before.
std::vector<std::int32_t> paintedVertices(const ShapeTemplate& shape, std::span<const Vec3> skin,
                                          int count) {
  std::vector<double> distance(skin.size());
  for (std::size_t v = 0; v < skin.size(); ++v)
    distance[v] = shape.trunkVertex[v] ? std::numeric_limits<double>::infinity() : -1;
  std::vector<std::int32_t> chosen;
  while (static_cast<int>(chosen.size()) < count) {
    const auto next = std::ranges::max_element(distance) - distance.begin();
    if (!(distance[static_cast<std::size_t>(next)] > 0)) break;
    chosen.push_back(static_cast<std::int32_t>(next));
    for (std::size_t v = 0; v < skin.size(); ++v)
      distance[v] = std::min(distance[v], (skin[v] - skin[at(chosen.back())]).norm());
  }
  return chosen;
}

/// Turns each arm a little about where it leaves the shoulder; what is not arm stays.
void turnArms(const ShapeTemplate& shape, const ScanConfig& config, std::vector<Vec3>& skin) {
  constexpr double kBlend = 0.08;  // length over which an arm takes up its turn [m]
  Random random(config.seed ^ 0x61726d73);
  const std::vector<Vec3> before = skin;
  for (const char* side : {"_l", "_r"}) {
    std::vector<char> arm(skin.size(), 0), other(skin.size(), 0);
    for (std::size_t t = 0; t < shape.triangleCount(); ++t) {
      const std::string& part = shape.partNames[at(shape.partOfTriangle[t])];
      const bool ofArm = part == std::string("upper_arm") + side ||
                         part == std::string("forearm") + side ||
                         part == std::string("hand") + side;
      for (const std::int32_t v : shape.mesh.triangles[t]) (ofArm ? arm : other)[at(v)] = 1;
    }
    Vec3 joint = Vec3::Zero();
    double count = 0;
    for (std::size_t v = 0; v < skin.size(); ++v)
      if (arm[v] && other[v]) joint += before[v], count += 1;
    const Mat3 R = expRotation(config.armTurn * random.uniform() * randomDirection(random));
    if (count == 0) continue;
    joint /= count;
    for (std::size_t v = 0; v < skin.size(); ++v) {
      if (!arm[v] || other[v]) continue;
      const double share = std::min(1.0, (before[v] - joint).norm() / kBlend);
      skin[v] = before[v] + share * (R * (before[v] - joint) + joint - before[v]);
    }
  }
}

}  // namespace

Scan simulateScan(const ShapeTemplate& shape, std::span<const Vec3> skin,
                  const ScanConfig& config) {
  PNEUMA_CHECK(skin.size() == shape.vertexCount(), "{} vertices for a template of {}", skin.size(),
               shape.vertexCount());
  Random random(config.seed);
  TriangleMesh truth{{skin.begin(), skin.end()}, shape.mesh.triangles};
  turnArms(shape, config, truth.positions);
  const SurfaceQuery surface(truth);
  Scan scan;
  scan.mesh = cutInFour(truth);
  slideCorners(scan.mesh, surface, random);
  std::vector<char> seen = seenTriangles(scan.mesh, surface);
  tearHoles(scan.mesh, seen, config, random);
  const std::vector<Vec3> normals = vertexNormals(scan.mesh);
  for (std::size_t v = 0; v < normals.size(); ++v)
    scan.mesh.positions[v] += config.noise * random.normal() * normals[v];
  std::size_t t = 0;
  std::erase_if(scan.mesh.triangles, [&](const Triangle&) { return !seen[t++]; });
  removeUnusedVertices(scan.mesh);
  // Turned about the middle of the person.
  const Vec3 middle = boundingBox(skin).center();
  scan.X_SW.rotation = expRotation(config.turn * random.uniform() * randomDirection(random));
  scan.X_SW.position = middle - scan.X_SW.rotation * middle +
                       config.shift * random.uniform() * randomDirection(random);
  for (Vec3& p : scan.mesh.positions) p = scan.X_SW * p;
  for (const std::int32_t v : paintedVertices(shape, skin, config.painted)) {
    const Vec3 miss(random.normal(), random.normal(), random.normal());
    scan.paint.push_back({v, scan.X_SW * skin[at(v)] + config.paintNoise * miss});
  }
  return scan;
}

}  // namespace pneuma::shape
