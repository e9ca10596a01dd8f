#include "survey/head_lids.h"

#include <algorithm>
#include <cmath>

#include "anatomy/shape/smooth_step.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::survey::internal {
namespace {

using anatomy::internal::smoothStep;

constexpr double kDegree = kPi / 180;
constexpr int kAzimuths = 161;               ///< from -80 to 80 degrees
constexpr double kLidReach = 0.021;          ///< lids are nearer to the middle of the eye [m]
constexpr double kLidFar = 0.032;            ///< and skin farther away keeps its place [m]
constexpr double kMeetingShare = 0.2;        ///< of the opening, from below: where the lids meet
constexpr double kCleft = 0.4 * kDegree;     ///< half of the cleft that stays
constexpr double kFoldAbove = 38 * kDegree;  ///< the skin of the upper lid unfolds over this
constexpr double kFoldBelow = 25 * kDegree;

/// The opening between the lids as elevations over the azimuth, seen from the eye.
class LidOpening {
 public:
  LidOpening(const PolygonMesh& face, const Vec3& eye) {
    const SurfaceQuery query(triangulated(face));
    for (int a = 0; a < kAzimuths; ++a) scan(query, eye, a);
    extend();
    for (int pass = 0; pass < 4; ++pass) smoothen(low_), smoothen(high_);
  }

  double low(double azimuth) const { return sample(low_, azimuth); }
  double high(double azimuth) const { return sample(high_, azimuth); }

 private:
  static double azimuthOf(int a) { return (a - kAzimuths / 2) * kDegree; }

  /// The largest run of elevations at which a ray leaves.
  void scan(const SurfaceQuery& query, const Vec3& eye, int a) {
    constexpr int kSteps = 500;
    constexpr double kStep = 0.25 * kDegree;
    const double azimuth = azimuthOf(a);
    int run = 0, longest = 0, end = 0;
    for (int k = 0; k < kSteps; ++k) {
      const double e = (k - kSteps / 2) * kStep;
      const Vec3 d(std::sin(azimuth) * std::cos(e), std::sin(e), std::cos(azimuth) * std::cos(e));
      run = query.firstHit(eye, d, kLidReach) ? 0 : run + 1;
      if (run > longest) longest = run, end = k;
    }
    open_.push_back(longest > 1);
    low_.push_back((end - longest + 1 - kSteps / 2) * kStep);
    high_.push_back((end - kSteps / 2) * kStep);
  }

  /// Beyond the corners of the eye the opening has no height.
  void extend() {
    const auto middle = static_cast<std::size_t>(kAzimuths / 2);
    const auto spread = [&](std::size_t from, std::size_t to) {
      if (open_[to]) return;
      if (open_[from]) low_[from] = high_[from] = 0.5 * (low_[from] + high_[from]);
      low_[to] = low_[from], high_[to] = high_[from];
    };
    for (std::size_t a = middle; a + 1 < low_.size(); ++a) spread(a, a + 1);
    for (std::size_t a = middle; a > 0; --a) spread(a, a - 1);
  }

  static void smoothen(std::vector<double>& values) {
    const std::vector<double> before = values;
    for (std::size_t i = 1; i + 1 < values.size(); ++i)
      values[i] = 0.25 * (before[i - 1] + 2 * before[i] + before[i + 1]);
  }

  static double sample(const std::vector<double>& values, double azimuth) {
    const double u =
        std::clamp(azimuth / kDegree + kAzimuths / 2, 0.0, static_cast<double>(kAzimuths - 1));
    const auto i = std::min(static_cast<std::size_t>(u), values.size() - 2);
    return values[i] + (u - static_cast<double>(i)) * (values[i + 1] - values[i]);
  }

  std::vector<char> open_;
  std::vector<double> low_, high_;
};

/// Where a place of the face comes to lie when the lids are closed.
Vec3 withLidsClosed(const LidOpening& opening, const Vec3& eye, const Vec3& p) {
  const Vec3 q = p - eye;
  const double r = q.norm();
  if (r > kLidFar || q.z() <= 0) return p;
  const double azimuth = std::atan2(q.x(), q.z()), elevation = std::asin(q.y() / r);
  const double low = opening.low(azimuth), high = opening.high(azimuth), height = high - low;
  const double meeting = low + kMeetingShare * height, cleft = std::min(kCleft, 0.2 * height);
  double turned = elevation;
  if (elevation > 0.5 * (low + high))
    turned -= (high - meeting - cleft) * (1 - smoothStep(high, high + kFoldAbove, elevation));
  else
    turned += (meeting - low - cleft) * smoothStep(low - kFoldBelow, low, elevation);
  const double near = 1 - smoothStep(kLidReach, kLidFar, r);
  const double e = elevation + near * (turned - elevation);
  return eye +
         r * Vec3(std::sin(azimuth) * std::cos(e), std::sin(e), std::cos(azimuth) * std::cos(e));
}

}  // namespace

void closeLids(PolygonMesh& face, const Vec3& eye) {
  const LidOpening opening(face, eye);
  for (Vec3& p : face.positions)
    if (p.x() > 0) p = withLidsClosed(opening, eye, p);
}

}  // namespace pneuma::survey::internal
