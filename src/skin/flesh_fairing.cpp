#include "pneuma/skin/flesh_fairing.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/skin/volume_law.h"
#include "skin/surface_laplacian.h"

namespace pneuma::skin {
namespace {

/// Chosen by eye on elbow 130, shoulder 150 and hip 95 with knee 115 at cells of 29 mm: half the
/// length leaves corners beside the kneecap and on the buttocks, a higher threshold too.
constexpr double kLength = 3, kResolved = 0.12;
constexpr double kShortest = 1e-4;  ///< a length that is none [m]
/// Of conjugate gradients: until what is left moves no vertex by more [m].
constexpr double kStill = 1e-5;
constexpr int kMostIterations = 400;

}  // namespace

FleshFairing::FleshFairing(const TriangleMesh& skin, std::unique_ptr<LayeredDriver> guide,
                           double cell)
    : rest_(skin.positions),
      triangles_(skin.triangles),
      guide_(std::move(guide)),
      cell_(cell),
      area_(internal::vertexAreas(skin)),
      length_(skin.vertexCount(), 0),
      hold_(skin.vertexCount(), 0),
      guided_(skin.positions),
      apart_(skin.vertexCount(), Vec3::Zero()) {
  PNEUMA_CHECK(guide_->rest().vertexCount() == rest_.size(), "a guide of {} vertices for {}",
               guide_->rest().vertexCount(), rest_.size());
  const Eigen::SparseMatrix<double> laplacian = internal::surfaceLaplacian(skin);
  begin_.push_back(0);
  for (std::size_t v = 0; v < rest_.size(); ++v) {
    for (Eigen::SparseMatrix<double>::InnerIterator e(laplacian, static_cast<Eigen::Index>(v)); e;
         ++e) {
      if (!(e.value() < 0)) continue;
      neighbour_.push_back(static_cast<std::int32_t>(e.row()));
      weight_.push_back(-e.value());
    }
    begin_.push_back(static_cast<std::int32_t>(neighbour_.size()));
  }
}

/// A row of L + A / l^2.
Vec3 FleshFairing::timesMatrix(std::span<const Vec3> x, std::size_t v) const {
  Vec3 sum = hold_[v] * x[v];
  for (auto k = at(begin_[v]); k < at(begin_[v + 1]); ++k)
    sum += weight_[k] * (x[v] - x[at(neighbour_[k])]);
  return sum;
}

/// Conjugate gradients with the diagonal as preconditioner, started from d: all that is not active
/// stays as it is, and directions are zero there. One thread, so sums have one order.
void FleshFairing::spread() {
  const std::size_t n = active_.size();
  std::vector<Vec3> residual(n), product(n), way(apart_.size(), Vec3::Zero());
  std::vector<double> inverse(n);
  const auto given = apart_;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t v = at(active_[i]);
    double diagonal = hold_[v];
    for (auto k = at(begin_[v]); k < at(begin_[v + 1]); ++k) diagonal += weight_[k];
    inverse[i] = 1 / diagonal;
    residual[i] = hold_[v] * given[v] - timesMatrix(apart_, v);
  }
  double before = 0;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    double rho = 0, most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      rho += inverse[i] * residual[i].squaredNorm();
      most = std::max(most, inverse[i] * residual[i].norm());
    }
    if (most < kStill) return;
    const double beta = iteration == 0 ? 0 : rho / before;
    for (std::size_t i = 0; i < n; ++i) {
      Vec3& p = way[at(active_[i])];
      p = inverse[i] * residual[i] + beta * p;
    }
    double curvature = 0;
    for (std::size_t i = 0; i < n; ++i) {
      product[i] = timesMatrix(way, at(active_[i]));
      curvature += way[at(active_[i])].dot(product[i]);
    }
    const double alpha = rho / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      apart_[at(active_[i])] += alpha * way[at(active_[i])];
      residual[i] -= alpha * product[i];
    }
    before = rho;
  }
}

void FleshFairing::apply(const SkinInputs& inputs, std::span<const double> roughness,
                         std::span<Vec3> positions) {
  PNEUMA_CHECK(roughness.size() == rest_.size() && positions.size() == rest_.size());
  active_.clear();
  for (std::size_t v = 0; v < rest_.size(); ++v) {
    length_[v] = kLength * cell_ * std::max(0.0, roughness[v] - kResolved);
    if (length_[v] < kShortest) length_[v] = 0;
    if (length_[v] > 0) active_.push_back(static_cast<std::int32_t>(v));
  }
  if (active_.empty()) return;
  // The guide's skin as the bones alone have it: what breath adds is the flesh's to say.
  SkinInputs bones;
  bones.bones = inputs.bones;
  guide_->pose(bones, guided_);
  const std::span<const Pose> motions = guide_->motions();
  for (std::size_t v = 0; v < rest_.size(); ++v)
    apart_[v] = motions[v].rotation.transpose() * (positions[v] - guided_[v]);
  for (const std::int32_t v : active_)
    hold_[at(v)] = area_[at(v)] / (length_[at(v)] * length_[at(v)]);
  spread();
  const double volume = enclosedVolume(positions, triangles_);
  std::vector<double> compliance(rest_.size());
  for (const std::int32_t i : active_) {
    const std::size_t v = at(i);
    positions[v] = guided_[v] + motions[v].rotation * apart_[v];
    compliance[v] = std::min(1.0, length_[v] / (2 * cell_));
  }
  VolumeLaw(triangles_, std::move(compliance)).apply(volume, positions);
}

}  // namespace pneuma::skin
