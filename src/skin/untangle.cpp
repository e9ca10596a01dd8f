#include "skin/untangle.h"

#include <algorithm>
#include <numeric>

#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "skin/surface_laplacian.h"

namespace pneuma::skin::internal {
namespace {

constexpr double kBad = 0.2;  // cosine between a normal and where it should point
constexpr int kPasses = 14;   // of looking for bad triangles
constexpr int kSweeps = 16;   // in each
constexpr int kRings = 2;     // around a bad triangle in the first round

Vec3 areaVector(std::span<const Vec3> x, const Triangle& t) {
  return (x[at(t[1])] - x[at(t[0])]).cross(x[at(t[2])] - x[at(t[0])]);
}

}  // namespace

Untangler::Untangler(const TriangleMesh& rest)
    : triangles_(rest.triangles),
      rest_(rest.positions),
      begin_{0},
      isBad_(rest.triangleCount(), 0),
      inPatch_(rest.vertexCount(), 0),
      next_(rest.vertexCount()) {
  for (const Triangle& t : triangles_) areas_.push_back(areaVector(rest_, t));
  const Eigen::SparseMatrix<double> laplacian = surfaceLaplacian(rest);
  for (Eigen::Index v = 0; v < laplacian.cols(); ++v) {
    for (Eigen::SparseMatrix<double>::InnerIterator e(laplacian, v); e; ++e)
      if (e.row() != v && e.value() < 0)
        edges_.push_back({static_cast<std::int32_t>(e.row()), -e.value()});
    begin_.push_back(edges_.size());
  }
  std::vector<std::size_t> count(rest.vertexCount() + 1, 0);
  for (const Triangle& t : triangles_)
    for (const std::int32_t v : t) ++count[at(v) + 1];
  std::partial_sum(count.begin(), count.end(), count.begin());
  fanBegin_ = count;
  fan_.resize(3 * triangles_.size());
  for (std::size_t i = 0; i < triangles_.size(); ++i)
    for (const std::int32_t v : triangles_[i]) fan_[count[at(v)]++] = static_cast<std::int32_t>(i);
  bad_.reserve(fan_.size());
  patch_.reserve(rest.vertexCount());
}

bool Untangler::isBad(std::size_t i, std::span<const Pose> motions, std::span<const Vec3> x) const {
  const Triangle& t = triangles_[i];
  const Mat3 turn =
      motions[at(t[0])].rotation + motions[at(t[1])].rotation + motions[at(t[2])].rotation;
  const Vec3 wanted = turn * areas_[i], now = areaVector(x, t);
  return wanted.dot(now) < kBad * wanted.norm() * now.norm();
}

void Untangler::findBad(std::span<const Pose> motions, std::span<const Vec3> x) {
  parallelFor(triangles_.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) isBad_[i] = isBad(i, motions, x) ? 1 : 0;
  });
  bad_.clear();
  for (std::size_t i = 0; i < isBad_.size(); ++i)
    if (isBad_[i] != 0) bad_.push_back(static_cast<std::int32_t>(i));
}

void Untangler::findBadAgain(std::span<const Pose> motions, std::span<const Vec3> x) {
  bad_.clear();
  for (const std::int32_t v : patch_)
    for (std::size_t e = fanBegin_[at(v)]; e < fanBegin_[at(v) + 1]; ++e) bad_.push_back(fan_[e]);
  std::sort(bad_.begin(), bad_.end());
  bad_.erase(std::unique(bad_.begin(), bad_.end()), bad_.end());
  std::erase_if(bad_, [&](std::int32_t i) { return !isBad(at(i), motions, x); });
}

void Untangler::findPatch(int rings) {
  for (const std::int32_t v : patch_) inPatch_[at(v)] = 0;
  patch_.clear();
  const auto add = [&](std::int32_t v) {
    if (inPatch_[at(v)] == 0) patch_.push_back(v);
    inPatch_[at(v)] = 1;
  };
  for (const std::int32_t t : bad_)
    for (const std::int32_t v : triangles_[at(t)]) add(v);
  for (std::size_t ring = 0, done = 0; ring < static_cast<std::size_t>(rings); ++ring)
    for (const std::size_t last = patch_.size(); done < last; ++done)
      for (std::size_t e = begin_[at(patch_[done])]; e < begin_[at(patch_[done]) + 1]; ++e)
        add(edges_[e].to);
}

void Untangler::sweep(std::span<const Pose> motions, std::span<Vec3> x) {
  for (const std::int32_t v : patch_) {
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (std::size_t e = begin_[at(v)]; e < begin_[at(v) + 1]; ++e) {
      const auto [j, w] = edges_[e];
      const Mat3 turn = motions[at(v)].rotation + motions[at(j)].rotation;
      sum += w * (x[at(j)] + 0.5 * (turn * (rest_[at(v)] - rest_[at(j)])));
      total += w;
    }
    next_[at(v)] = total > 0 ? Vec3(sum / total) : x[at(v)];
  }
  for (const std::int32_t v : patch_) x[at(v)] = next_[at(v)];
}

std::size_t Untangler::apply(std::span<const Pose> motions, std::span<Vec3> x) {
  findBad(motions, x);
  for (int round = 0; round < kPasses && !bad_.empty(); ++round) {
    findPatch(kRings + round);
    for (int k = 0; k < kSweeps; ++k) sweep(motions, x);
    findBadAgain(motions, x);
  }
  return bad_.size();
}

}  // namespace pneuma::skin::internal
