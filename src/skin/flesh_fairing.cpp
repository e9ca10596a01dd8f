#include "pneuma/skin/flesh_fairing.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/skin/volume_law.h"
#include "skin/surface_laplacian.h"

namespace pneuma::skin {
namespace {

/// Chosen by eye on elbow 130, shoulder 150 and hip 95 with knee 115 at cells of 29 mm: half the
/// length [m] leaves corners beside the kneecap and on the buttocks, a higher threshold too. In
/// proportion to the cells (tried) it leaves wrinkles and a lobe of cells of 11.5 mm at the
/// shoulder, crease 3.5 degrees for 2.5: that finer cells buckle more finely is no shape of skin.
constexpr double kLength = 0.087, kResolved = 0.12;
/// Skin shares its roughness over this [m]: what buckles lies between creases.
constexpr double kAround = 0.03;
/// Skin of this length takes its full part in the law of volume [m].
constexpr double kGives = 0.058;
/// Roughness from which less, and from which nothing is given back of what evening took. A belly
/// that bulges at the preview level stands at 0.2 (given back nowhere, 3.4 % of girth instead of
/// 4.3), a bent hip, knee or shoulder above 0.6, where what comes back is corners.
constexpr double kGivesBack = 0.2, kGivesNone = 0.6;
constexpr double kShortest = 1e-4;  ///< a length that is none [m]
/// Of conjugate gradients: until what is left moves no vertex by more [m].
constexpr double kAtRest = 1e-5;
constexpr double kRoughTolerance = 1e-4;  ///< the same for roughness [-]
constexpr int kMostIterations = 400;
/// Bones under the skin: which may come near it, what lies over them, how far a push reaches [m].
constexpr double kNearBone = 0.05, kOverBone = 1e-3, kRestPart = 0.75, kPushReach = 0.03;
constexpr double kOwnLimb = 0.1;   ///< skin farther from a bone at rest is another limb's [m]
constexpr double kNoWay = 2e-4;    ///< a way shorter than this has no direction of its own [m]
constexpr double kMissing = 1e-4;  ///< what may be missing [m]
constexpr int kPushRounds = 4;

}  // namespace

FleshFairing::FleshFairing(const TriangleMesh& skin, std::unique_ptr<LayeredDriver> guide,
                           std::span<const flesh::embedded::BonePoint> bones)
    : rest_(skin.positions),
      triangles_(skin.triangles),
      guide_(std::move(guide)),
      area_(internal::vertexAreas(skin)),
      length_(skin.vertexCount(), 0),
      hold_(skin.vertexCount(), 0),
      guided_(skin.positions),
      apart_(skin.vertexCount(), Vec3::Zero()),
      rough_(skin.vertexCount()),
      query_(SurfaceQuery::moving(skin)),
      push_(skin.vertexCount(), Vec3::Zero()),
      reach_(skin.vertexCount(), -1) {
  for (const flesh::embedded::BonePoint& p : bones) {
    const double depth = -query_.signedDistance(p.rest);
    if (!(depth > 0 && depth < kNearBone)) continue;
    points_.push_back(p);
    margin_.push_back(std::min(kOverBone, kRestPart * depth));
  }
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
template <int N>
FleshFairing::Value<N> FleshFairing::timesMatrix(std::span<const Value<N>> x, std::size_t v) const {
  Value<N> sum = hold_[v] * x[v];
  for (auto k = at(begin_[v]); k < at(begin_[v + 1]); ++k)
    sum += weight_[k] * (x[v] - x[at(neighbour_[k])]);
  return sum;
}

/// Conjugate gradients with the diagonal as preconditioner, started from d: all that is not active
/// stays as it is, and directions are zero there. One thread, so sums have one order.
template <int N>
void FleshFairing::spread(std::vector<Value<N>>& x, double tolerance) const {
  const std::size_t n = active_.size();
  std::vector<Value<N>> residual(n), product(n), way(x.size(), Value<N>::Zero());
  std::vector<double> inverse(n);
  const auto given = x;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t v = at(active_[i]);
    double diagonal = hold_[v];
    for (auto k = at(begin_[v]); k < at(begin_[v + 1]); ++k) diagonal += weight_[k];
    inverse[i] = 1 / diagonal;
    residual[i] = hold_[v] * given[v] - timesMatrix<N>(x, v);
  }
  double before = 0;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    double rho = 0, most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      rho += inverse[i] * residual[i].squaredNorm();
      most = std::max(most, inverse[i] * residual[i].norm());
    }
    if (most < tolerance) return;
    // One step along the next conjugate direction.
    const double beta = iteration == 0 ? 0 : rho / before;
    for (std::size_t i = 0; i < n; ++i) {
      Value<N>& p = way[at(active_[i])];
      p = inverse[i] * residual[i] + beta * p;
    }
    double curvature = 0;
    for (std::size_t i = 0; i < n; ++i) {
      product[i] = timesMatrix<N>(way, at(active_[i]));
      curvature += way[at(active_[i])].dot(product[i]);
    }
    const double alpha = rho / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      x[at(active_[i])] += alpha * way[at(active_[i])];
      residual[i] -= alpha * product[i];
    }
    before = rho;
  }
}

/// Where and how far skin is evened: around what is rough. Nothing is where nothing is.
void FleshFairing::findLengths(std::span<const double> roughness) {
  active_.clear();
  std::ranges::fill(length_, 0);
  if (std::ranges::none_of(roughness, [](double r) { return r > kResolved; })) return;
  for (std::size_t v = 0; v < rest_.size(); ++v) {
    active_.push_back(static_cast<std::int32_t>(v));
    hold_[v] = area_[v] / (kAround * kAround);
    rough_[v][0] = roughness[v];
  }
  spread(rough_, kRoughTolerance);
  std::erase_if(active_, [&](std::int32_t i) {
    const double length = kLength * (rough_[at(i)][0] - kResolved);
    if (length > kShortest) length_[at(i)] = length;
    return !(length > kShortest);
  });
}

void FleshFairing::apply(const SkinInputs& inputs, std::span<const double> roughness,
                         std::span<Vec3> positions) {
  PNEUMA_CHECK(roughness.size() == rest_.size() && positions.size() == rest_.size());
  findLengths(roughness);
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
  // What the first pass took is spread too: a muscle's bulge, several lengths wide, stays; corners
  // of single cells do not.
  const auto given = apart_;
  spread(apart_, kAtRest);
  const auto once = apart_;
  for (std::size_t v = 0; v < rest_.size(); ++v) apart_[v] = given[v] - once[v];
  spread(apart_, kAtRest);
  for (std::size_t v = 0; v < rest_.size(); ++v)
    apart_[v] = once[v] + (1 - smoothStep(kGivesBack, kGivesNone, rough_[v][0])) * apart_[v];
  const double volume = enclosedVolume(positions, triangles_);
  std::vector<double> compliance(rest_.size());
  for (const std::int32_t i : active_) {
    const std::size_t v = at(i);
    positions[v] = guided_[v] + motions[v].rotation * apart_[v];
    compliance[v] = std::min(1.0, length_[v] / kGives);
  }
  VolumeLaw(triangles_, std::move(compliance)).apply(volume, positions);
  cover(inputs.bones, positions);
}

/// The largest push at each vertex stays, as far along edges as kPushReach.
void FleshFairing::pushAround(const SurfaceQuery::Hit& hit, const Vec3& push) {
  front_.clear();
  for (const std::int32_t v : triangles_[at(hit.triangle)]) front_.push_back(v), reach_[at(v)] = 0;
  for (std::size_t i = 0; i < front_.size(); ++i) {
    const std::size_t v = at(front_[i]);
    const Vec3 own = (1 - smoothStep(reach_[v] / kPushReach)) * push;
    if (own.squaredNorm() > push_[v].squaredNorm()) push_[v] = own;
    for (auto k = at(begin_[v]); k < at(begin_[v + 1]); ++k) {
      const std::size_t n = at(neighbour_[k]);
      const double way = reach_[v] + (rest_[n] - rest_[v]).norm();
      if (reach_[n] >= 0 || way >= kPushReach) continue;
      reach_[n] = way;
      front_.push_back(neighbour_[k]);
    }
  }
  for (const std::int32_t v : front_) reach_[at(v)] = -1;
}

/// Only skin that was evened is asked: the rest is the solver's (BoneCover).
void FleshFairing::cover(std::span<const Pose> bones, std::span<Vec3> positions) {
  double lack = points_.empty() ? 0 : 1;
  for (int round = 0; round < kPushRounds && lack > kMissing; ++round) {
    lack = 0;
    query_.move({positions.begin(), positions.end()});
    const std::vector<Vec3> normals = vertexNormals(query_.mesh());
    std::ranges::fill(push_, Vec3::Zero());
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Vec3 p = bones[at(points_[i].bone)] * points_[i].rest;
      const SurfaceQuery::Hit hit = query_.closest(p);
      const Triangle& t = triangles_[at(hit.triangle)];
      if (!std::ranges::any_of(t, [&](std::int32_t v) { return length_[at(v)] > 0; })) continue;
      if ((rest_[at(t[0])] - points_[i].rest).norm() > kOwnLimb) continue;
      const Vec3 normal = normals[at(t[0])] + normals[at(t[1])] + normals[at(t[2])];
      // In a fold the nearest skin is the other side's as often as not, and faces the bone: it is
      // not what lies over it.
      const bool inside = (hit.point - p).dot(normal) >= 0;
      if (!inside && query_.inside(p)) continue;
      const double missing = margin_[i] - (inside ? hit.distance : -hit.distance);
      if (!(missing > 0)) continue;
      const Vec3 way = inside ? Vec3(hit.point - p) : Vec3(p - hit.point);
      pushAround(hit, missing * (hit.distance > kNoWay ? way : normal).normalized());
      lack = std::max(lack, missing);
    }
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] += push_[v];
  }
}

}  // namespace pneuma::skin
