#include "pneuma/skin/contour_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/skin/skin_checks.h"
#include "skin/rotation_fit.h"

namespace pneuma::skin {
namespace {

constexpr double kFacing = 0.3;  // cosine between the normals of a vertex and of its place

Vec3 barycentricOf(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double area = n.squaredNorm();
  if (area == 0) return {1, 0, 0};
  const double u = (c - b).cross(p - b).dot(n) / area, v = (a - c).cross(p - c).dot(n) / area;
  return {u, v, 1 - u - v};
}

/// Passes of evening the turns of vertices out. In creases (armpit, chin) the contours' surface is
/// pressed together, and the turns of single places are noise: their neighbours outvote them.
constexpr int kEvenPasses = 4;
/// Under the chin, where throat and head part by a fold, neighbours are noise too: where turns
/// still differ by more than kRough (a third of a right angle) after that, they and kRoughRings
/// around them are evened out further.
constexpr double kRough = 0.75;  // Frobenius norm of the difference of two turns
constexpr int kRoughRings = 3, kRoughPasses = 16;

/// Neighbours of every vertex, one after another, and where each list begins.
void listNeighbours(std::span<const Triangle> triangles, std::size_t vertices,
                    std::vector<std::int32_t>& begin, std::vector<std::int32_t>& neighbour) {
  std::vector<std::vector<std::int32_t>> around(vertices);
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) around[at(t[k])].push_back(t[(k + 1) % 3]);
  begin.push_back(0);
  for (const auto& list : around) {
    neighbour.insert(neighbour.end(), list.begin(), list.end());
    begin.push_back(static_cast<std::int32_t>(neighbour.size()));
  }
}

/// Share of the skull in a vertex's weights below which contours alone carry it, and above which
/// weights do.
constexpr double kNoHead = 0.02, kAllHead = 0.35;

/// A frame of two directions, the first kept.
Mat3 sectionFrame(const Vec3& first, const Vec3& second) {
  Mat3 frame;
  frame.col(0) = first.normalized();
  frame.col(2) = first.cross(second).normalized();
  frame.col(1) = frame.col(2).cross(frame.col(0));
  return frame;
}

}  // namespace

ContourDriver::ContourDriver(const anatomy::SkinSurface& surface, FigureSkin skin,
                             const anatomy::Body& body, JointGroups groups, SkinWeights weights)
    : skin_(std::move(skin)),
      boneCount_(body.bones.size()),
      groups_(std::move(groups)),
      weights_(std::move(weights)) {
  skin_.follow(std::vector<Pose>(boneCount_));
  rest_ = skin_.positions();
  listNeighbours(skin_.triangles(), rest_.size(), begin_, neighbour_);
  listNeighbours(surface.mesh.triangles, surface.mesh.vertexCount(), meshBegin_, meshNeighbour_);
  turn_.assign(rest_.size(), Mat3::Identity());
  meshTurn_.assign(surface.mesh.vertexCount(), Mat3::Identity());
  nextTurn_ = meshTurn_;
  isRough_.assign(meshTurn_.size(), 0);
  rough_.reserve(meshTurn_.size());
  bind(surface.mesh);
  const auto skull = std::ranges::find(body.bones, "skull", &anatomy::Bone::name);
  if (skull == body.bones.end()) return;
  std::vector<bool> chosen(groups_.names.size(), false);
  chosen[at(groups_.ofBone[static_cast<std::size_t>(skull - body.bones.begin())])] = true;
  for (std::size_t v = 0; v < surface.mesh.vertexCount(); ++v)
    if (const double t = smoothStep(kNoHead, kAllHead, weights_.share(v, chosen)); t > 0)
      head_.push_back({static_cast<std::int32_t>(v), t, surface.mesh.positions[v]});
}

/// Where skin touches skin (arm and trunk, thighs) the nearest place may be the other side's; it
/// faces the other way. Every triangle is looked at: bound once.
void ContourDriver::bind(const TriangleMesh& mesh) {
  const TriangleMesh contours{rest_, skin_.triangles()};
  const std::vector<Vec3> facing = vertexNormals(mesh), normals = triangleNormals(contours);
  std::vector<Vec3> center;
  std::vector<double> radius, distance(mesh.vertexCount());
  for (const Triangle& t : contours.triangles) {
    center.push_back((rest_[at(t[0])] + rest_[at(t[1])] + rest_[at(t[2])]) / 3);
    double r = 0;
    for (const std::int32_t v : t) r = std::max(r, (rest_[at(v)] - center.back()).norm());
    radius.push_back(r);
  }
  bindings_.resize(mesh.vertexCount());
  parallelFor(mesh.vertexCount(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3& p = mesh.positions[v];
      double best = 1e300;
      std::size_t triangle = 0;
      for (std::size_t t = 0; t < center.size(); ++t) {
        const double reach = best + radius[t];
        if ((center[t] - p).squaredNorm() > reach * reach || normals[t].dot(facing[v]) < kFacing)
          continue;
        const Triangle& f = contours.triangles[t];
        const Vec3 q = closestPointOnTriangle(p, rest_[at(f[0])], rest_[at(f[1])], rest_[at(f[2])]);
        if (const double d = (q - p).norm(); d < best) {
          best = d, triangle = t;
          bindings_[v].rest = q;
        }
      }
      const Triangle& f = contours.triangles[triangle];
      bindings_[v].corners = f;
      bindings_[v].weights =
          barycentricOf(bindings_[v].rest, rest_[at(f[0])], rest_[at(f[1])], rest_[at(f[2])]);
      distance[v] = best;
    }
  });
  farthest_ = *std::ranges::max_element(distance);
  if (farthest_ > 0.1)
    throw InputError(fmt::format(
        "contour driver: a vertex lies {:.0f} mm off the contours; they are another person's",
        1e3 * farthest_));
}

void ContourDriver::turnCorners() {
  const std::vector<Vec3>& now = skin_.positions();
  parallelFor(turn_.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto first = at(begin_[v]), last = at(begin_[v + 1]);
      if (last < first + 2) continue;
      Mat3 A = Mat3::Zero();
      for (std::size_t k = first; k < last; ++k) {
        const std::size_t n = at(neighbour_[k]);
        A.noalias() += (now[n] - now[v]) * (rest_[n] - rest_[v]).transpose();
      }
      const std::size_t a = at(neighbour_[first]), b = at(neighbour_[first + 1]);
      const Mat3 start = sectionFrame(now[a] - now[v], now[b] - now[v]) *
                         sectionFrame(rest_[a] - rest_[v], rest_[b] - rest_[v]).transpose();
      turn_[v] = internal::nearestRotation(A, start);
    }
  });
}

Mat3 ContourDriver::evenTurn(std::size_t v) const {
  Mat3 sum = meshTurn_[v];
  for (auto k = at(meshBegin_[v]); k < at(meshBegin_[v + 1]); ++k)
    sum += meshTurn_[at(meshNeighbour_[k])];
  return sum / static_cast<double>(1 + meshBegin_[v + 1] - meshBegin_[v]);
}

void ContourDriver::findRough() {
  rough_.clear();
  std::ranges::fill(isRough_, 0);
  const auto add = [&](std::size_t v) {
    if (isRough_[v] == 0) rough_.push_back(static_cast<std::int32_t>(v));
    isRough_[v] = 1;
  };
  for (std::size_t v = 0; v < meshTurn_.size(); ++v)
    for (auto k = at(meshBegin_[v]); k < at(meshBegin_[v + 1]); ++k)
      if ((meshTurn_[v] - meshTurn_[at(meshNeighbour_[k])]).squaredNorm() > kRough * kRough) add(v);
  for (std::size_t ring = 0, done = 0; ring < kRoughRings; ++ring)
    for (const std::size_t last = rough_.size(); done < last; ++done) {
      const std::size_t v = at(rough_[done]);
      for (auto k = at(meshBegin_[v]); k < at(meshBegin_[v + 1]); ++k) add(at(meshNeighbour_[k]));
    }
}

void ContourDriver::evenTurns() {
  for (int pass = 0; pass < kEvenPasses; ++pass) {
    parallelFor(meshTurn_.size(), 512, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) nextTurn_[v] = evenTurn(v);
    });
    meshTurn_.swap(nextTurn_);
  }
  findRough();
  for (int pass = 0; pass < kRoughPasses; ++pass) {
    for (const std::int32_t v : rough_) nextTurn_[at(v)] = evenTurn(at(v));
    for (const std::int32_t v : rough_) meshTurn_[at(v)] = nextTurn_[at(v)];
  }
}

void ContourDriver::carry(std::span<const Pose> bones, std::span<Pose> motions) {
  if (bones.size() < boneCount_)
    throw InputError(fmt::format("skin: motions of {} bones; the driver is bound to {}",
                                 bones.size(), boneCount_));
  PNEUMA_CHECK(motions.size() == bindings_.size(), "{} motions for {} vertices", motions.size(),
               bindings_.size());
  // The figure's surface goes first; a vertex rides on the triangle it was bound to.
  skin_.follow(bones);
  turnCorners();
  const std::vector<Vec3>& now = skin_.positions();
  parallelFor(motions.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Binding& b = bindings_[v];
      Vec3 s = Vec3::Zero();
      Mat3 A = Mat3::Zero();
      for (std::size_t k = 0; k < 3; ++k) {
        const double w = b.weights[static_cast<Eigen::Index>(k)];
        s += w * now[at(b.corners[k])];
        A += w * turn_[at(b.corners[k])];
      }
      meshTurn_[v] = A;
      motions[v].position = s;
    }
  });
  // Evened as matrices, where means are plain sums, and made rotations only then.
  evenTurns();
  parallelFor(motions.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Mat3 R = internal::nearestRotation(meshTurn_[v], turn_[at(bindings_[v].corners[0])]);
      motions[v] = {R, motions[v].position - R * bindings_[v].rest};
    }
  });
  carryHead(bones, motions);
}

void ContourDriver::carryHead(std::span<const Pose> bones, std::span<Pose> motions) {
  groupMotions_.follow(groups_, bones);
  parallelFor(head_.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto& [v, t, p] = head_[i];
      const Pose byWeights = groupMotions_.blend(weights_.vertices[at(v)]);
      Pose& motion = motions[at(v)];
      if (t >= 1) {
        motion = byWeights;
        continue;
      }
      const Vec3 x = (1 - t) * (motion * p) + t * (byWeights * p);
      const Mat3 R = internal::nearestRotation((1 - t) * motion.rotation + t * byWeights.rotation,
                                               byWeights.rotation);
      motion = {R, x - R * p};
    }
  });
}

std::unique_ptr<LayeredDriver> makeContourSkin(const anatomy::SkinSurface& surface,
                                               const anatomy::Body& body,
                                               const anatomy::CompiledBody& compiled,
                                               const skeleton::Model& model,
                                               const flesh::FigureBellies* bellies,
                                               const anatomy::GeometryCache& cache,
                                               std::span<const PointTrace> traces) {
  const JointGroups groups = makeJointGroups(body, compiled);
  const SkinWeights weights = makeSkinWeights(surface, body, groups, cache);
  auto breath = std::make_unique<BreathLayer>(
      makeBreathLayer(surface, weights, groups, body, sampleTrunk(body, cache), traces));
  auto floor = std::make_unique<BoneFloor>(surface.mesh, overTheCage(surface),
                                           sampleCage(body, cache), kLeastRibDepth);
  auto pose = std::make_unique<ContourDriver>(
      surface, FigureSkin(body, compiled, model, surface, bellies, cache), body, groups, weights);
  return std::make_unique<LayeredDriver>(surface.mesh, std::move(pose), std::move(breath),
                                         std::move(floor), makeSkinTension(surface, body, cache));
}

}  // namespace pneuma::skin
