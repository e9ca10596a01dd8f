#include "fit/place_head.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "fit/part_slimmer.h"
#include "pneuma/core/index.h"

namespace pneuma::fit::internal {
namespace {

constexpr double kVault = 0.3;     // upwards or backwards of the way from a skull's middle
constexpr int kDeepRounds = 12;    // towards the depths of our person
constexpr int kWithinRounds = 40;  // until nothing lies out
constexpr double kSmallest = 0.85, kLargest = 1.15;  // against the carried skull
constexpr double kHeadSize = 0.1;  // a change of size counts as a shift by this part of it [m]

/// Vertices of the vault and the back of a skull.
std::vector<std::size_t> vaultOf(const std::vector<Vec3>& skull) {
  const Vec3 middle = boundingBox(skull).center();
  std::vector<std::size_t> vault;
  for (std::size_t v = 0; v < skull.size(); ++v) {
    const Vec3 way = (skull[v] - middle).normalized();
    if (way.y() > kVault || (way.z() < -kVault && way.y() > 0)) vault.push_back(v);
  }
  return vault;
}

/// Size, and shifts upwards and forwards.
using HeadStep = Eigen::Vector3d;

}  // namespace

HeadChange headWithin(const FigureTemplate& figure, const CarriedAnatomy& inside,
                      const TriangleMesh& surface, const anatomy::GeometryCache& cache) {
  const auto bone = std::ranges::find(figure.body->shapes, "skull", &anatomy::Shape::bone);
  if (bone == figure.body->shapes.end()) return {};
  const std::vector<Vec3> ours = cache.boneMesh(bone->shape, anatomy::kLightBone).positions;
  const std::vector<Vec3> there = carriedMesh(inside, *bone, cache).positions;
  const std::vector<std::size_t> vault = vaultOf(ours);
  if (there.empty() || vault.empty()) return {};
  const SkinDepth own(figure.skin.mesh), skin(surface);
  const Vec3 middle = boundingBox(there).center();
  const double carried = std::cbrt(std::abs(inside.find("skull")->linear.determinant()));
  double size = 1;
  Vec3 shift = Vec3::Zero();
  // One step of Gauss and Newton towards depths: all of them, or where one is too small.
  const auto step = [&](auto&& wanted) {
    Mat3 normal = Mat3::Zero();
    HeadStep right = HeadStep::Zero();
    bool any = false;
    for (std::size_t i = 0; i < vault.size(); ++i) {
      const Vec3 way = there[vault[i]] - middle;
      const auto [depth, inward] = skin.at(middle + size * way + shift);
      const double missing = wanted(i, depth);
      if (missing == 0) continue;
      any = true;
      const HeadStep row(inward.dot(way), inward.y(), inward.z());
      normal += row * row.transpose(), right += missing * row;
    }
    if (!any) return false;
    normal += Vec3(kHeadSize * kHeadSize, 1, 1).asDiagonal();
    const HeadStep change = normal.ldlt().solve(right);
    size = std::clamp(size + change[0], kSmallest, kLargest);
    shift += Vec3(0, change[1], change[2]);
    return true;
  };
  std::vector<double> depths;
  for (const std::size_t v : vault) depths.push_back(carried * own.at(ours[v]).depth);
  for (int round = 0; round < kDeepRounds; ++round)
    step([&](std::size_t i, double depth) { return depths[i] - depth; });
  for (int round = 0; round < kWithinRounds; ++round)
    if (!step([](std::size_t, double depth) { return std::max(kMargin - depth, 0.0); })) break;
  return {size, middle + shift - size * middle};
}

}  // namespace pneuma::fit::internal
