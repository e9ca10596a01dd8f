// Profiles: a stack of parallel contours, each a Fourier series of its radius.
#include <algorithm>
#include <cmath>

#include "anatomy/shape/shape_field.h"
#include "anatomy/shape/spline.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kProfileSteps = 6;

class ProfileField final : public PartField {
 public:
  explicit ProfileField(const ShapePart& part)
      : origin_(part.contours.front().center),
        rotation_(part.rotation),
        toLocal_(part.rotation.transpose()) {
    std::size_t harmonics = 0;
    for (const ProfileSection& c : part.contours) harmonics = std::max(harmonics, c.cosine.size());
    sampleStack(part.contours, static_cast<Eigen::Index>(harmonics));
  }

  double distance(const Vec3& p) const override {
    const Vec3 q = toLocal_ * (p - origin_);
    const double t = std::clamp(q.z(), height_[0], height_[height_.size() - 1]);
    const auto above = std::upper_bound(height_.begin() + 1, height_.end() - 1, t);
    const Eigen::Index i = above - height_.begin() - 1;
    const double s = (t - height_[i]) / std::max(height_[i + 1] - height_[i], 1e-12);
    const double side = sideDistance(q, i, s);
    // The stack ends in a rounded edge.
    const double beyond = std::max(height_[0] - q.z(), q.z() - height_[height_.size() - 1]);
    return -smoothMinimum(-side, -beyond, 0.35 * table_(2, i)).value;
  }

  Box bounds() const override {
    Box local;
    for (Eigen::Index i = 0; i < height_.size(); ++i) {
      double reach = table_(2, i);
      for (Eigen::Index k = 3; k < table_.rows(); ++k) reach += std::abs(table_(k, i));
      local.add(Vec3(table_(0, i) - reach, table_(1, i) - reach, height_[i]));
      local.add(Vec3(table_(0, i) + reach, table_(1, i) + reach, height_[i]));
    }
    const Vec3 half = rotation_.cwiseAbs() * (0.5 * local.size());
    const Vec3 center = origin_ + rotation_ * local.center();
    Box box;
    box.add(center - half);
    box.add(center + half);
    return box;
  }

 private:
  /// Signed distance across the stack: radial gap, shortened by the slope of the contour.
  double sideDistance(const Vec3& q, Eigen::Index i, double s) const {
    const auto at = [&](Eigen::Index row) {
      return (1 - s) * table_(row, i) + s * table_(row, i + 1);
    };
    const double x = q.x() - at(0), y = q.y() - at(1);
    const double rho = std::hypot(x, y);
    const double c1 = rho > 1e-12 ? x / rho : 1, s1 = rho > 1e-12 ? y / rho : 0;
    double ck = 1, sk = 0, r = at(2), slope = 0;
    for (Eigen::Index k = 1; 2 * k + 2 < table_.rows(); ++k) {
      const double next = ck * c1 - sk * s1;
      sk = sk * c1 + ck * s1;
      ck = next;
      const double a = at(2 * k + 1), b = at(2 * k + 2);
      r += a * ck + b * sk;
      slope += static_cast<double>(k) * (b * ck - a * sk);
    }
    const double rise = (table_(2, i + 1) - table_(2, i)) / (height_[i + 1] - height_[i]);
    const double tilt = slope / std::max(r, 1e-4);
    return (rho - r) / std::sqrt(1 + tilt * tilt + std::min(rise * rise, 4.0));
  }

  /// Rows of the table: centre x, y, mean radius, then c1, s1, c2, s2...
  void sampleStack(const std::vector<ProfileSection>& contours, Eigen::Index harmonics) {
    const auto n = static_cast<Eigen::Index>(contours.size());
    MatX values = MatX::Zero(3 + 2 * harmonics, n);
    VecX knots(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      const ProfileSection& c = contours[static_cast<std::size_t>(j)];
      const Vec3 q = toLocal_ * (c.center - origin_);
      knots[j] = q.z();
      values.col(j).head<3>() << q.x(), q.y(), c.meanRadius;
      for (std::size_t k = 0; k < c.cosine.size(); ++k) {
        values(3 + 2 * static_cast<Eigen::Index>(k), j) = c.cosine[k];
        values(4 + 2 * static_cast<Eigen::Index>(k), j) = c.sine[k];
      }
    }
    const Eigen::Index steps = (n - 1) * kProfileSteps;
    table_.resize(values.rows(), steps + 1);
    height_.resize(steps + 1);
    for (Eigen::Index i = 0; i <= steps; ++i) {
      const double u = static_cast<double>(i) / kProfileSteps;
      height_[i] = monotoneInterpolation(knots, knots, u);
      for (Eigen::Index r = 0; r < values.rows(); ++r)
        table_(r, i) = smoothInterpolation(knots, values.row(r).transpose(), u);
    }
  }

  Vec3 origin_;
  Mat3 rotation_, toLocal_;
  VecX height_;
  MatX table_;
};

}  // namespace

std::unique_ptr<PartField> makeProfileField(const ShapePart& part) {
  return std::make_unique<ProfileField>(part);
}

}  // namespace pneuma::anatomy::internal
