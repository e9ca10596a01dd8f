#include "pneuma/anatomy/taper.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/points.h"
#include "pneuma/core/check.h"

namespace pneuma::anatomy {

Taper::Taper(const Vec3& a, const Vec3& b, double first, double last, std::size_t count)
    : origin_(a), along_((b - a).normalized()), stations_(count) {
  PNEUMA_CHECK(count >= 4 && last > first && (b - a).norm() > 0, "{} stations", count);
  const Vec3 left = std::abs(along_.x()) < 0.8 ? Vec3::UnitX() : Vec3::UnitY();
  side_ = (left - along_.dot(left) * along_).normalized();
  front_ = side_.cross(along_);
  length_ = (b - a).norm();
  begin_ = first * length_;
  step_ = (last - first) * length_ / static_cast<double>(count - 1);
}

Taper::Place Taper::at(const Vec3& p) const {
  const Vec3 r = p - origin_;
  Place place{.x = side_.dot(r), .z = front_.dot(r)};
  // Station k stands at begin + k step; beyond the second and the last but one nothing changes.
  const auto last = static_cast<double>(stations_.size() - 2);
  const double s = (along_.dot(r) - begin_) / step_, held = std::clamp(s, 1.0, last);
  const auto low = std::min(static_cast<std::size_t>(held), stations_.size() - 3);
  const double u = held - static_cast<double>(low);
  place.first = low - 1;
  const double v = 1 - u;
  const double weights[4] = {v * v * v / 6, (3 * u * u * u - 6 * u * u + 4) / 6,
                             (3 * v * v * v - 6 * v * v + 4) / 6, u * u * u / 6};
  const double slopes[4] = {-v * v / 2, (3 * u * u - 4 * u) / 2, -(3 * v * v - 4 * v) / 2,
                            u * u / 2};
  for (int k = 0; k < 4; ++k) {
    place.weights[k] = weights[k];
    place.slopes[k] = s == held ? slopes[k] / step_ : 0;
  }
  return place;
}

Taper::Station Taper::blended(const Place& place, const double (&weights)[4]) const {
  Station sum{0, 0, 0, 0};
  for (std::size_t k = 0; k < 4; ++k) {
    const Station& s = stations_[place.first + k];
    sum.side += weights[k] * s.side, sum.front += weights[k] * s.front;
    sum.sideways += weights[k] * s.sideways, sum.forward += weights[k] * s.forward;
  }
  return sum;
}

Vec3 Taper::operator()(const Vec3& p) const {
  if (stations_.empty()) return p;
  const Place here = at(p);
  const Station s = blended(here, here.weights);
  return p + ((s.side - 1) * here.x + s.sideways) * side_ +
         ((s.front - 1) * here.z + s.forward) * front_;
}

Mat3 Taper::jacobian(const Vec3& p) const {
  if (stations_.empty()) return Mat3::Identity();
  const Place here = at(p);
  const Station s = blended(here, here.weights), slope = blended(here, here.slopes);
  return Mat3::Identity() + (s.side - 1) * side_ * side_.transpose() +
         (s.front - 1) * front_ * front_.transpose() +
         (slope.side * here.x + slope.sideways) * side_ * along_.transpose() +
         (slope.front * here.z + slope.forward) * front_ * along_.transpose();
}

bool Taper::any() const {
  return std::ranges::any_of(stations_, [](const Station& s) {
    return s.side != 1 || s.front != 1 || s.sideways != 0 || s.forward != 0;
  });
}

PartTapers partTapers(const Body& person) {
  std::vector<Diagnostic> findings;
  const PointTable points(person, findings);
  const auto point = [&](const char* name) { return points.find(name).valueOrThrow().position; };
  PartTapers tapers;
  // Stations every 2 to 5 cm, beyond the ends as far as bones reach.
  const auto set = [&](FittedPart part, const Vec3& a, const Vec3& b, double first, double last,
                       std::size_t count) {
    tapers[static_cast<std::size_t>(part)] = Taper(a, b, first, last, count);
  };
  const auto limb = [&](FittedPart part, const char* a, const char* b) {
    set(part, point(a), point(b), -0.4, 1.4, 16);
  };
  Vec3 hips = point("femur_l:head_center");
  hips.x() = 0;
  set(FittedPart::Trunk, hips, point("vertebra_c7:joint_below"), -0.5, 2, 28);
  limb(FittedPart::Girdle, "clavicle_l:sternal_end", "humerus_l:head_center");
  limb(FittedPart::UpperArm, "humerus_l:head_center", "humerus_l:elbow_joint");
  limb(FittedPart::Forearm, "humerus_l:elbow_joint", "hand_l:wrist_center");
  limb(FittedPart::Thigh, "femur_l:head_center", "femur_l:knee_joint");
  limb(FittedPart::Shank, "femur_l:knee_joint", "talus_l:ankle_joint");
  set(FittedPart::Foot, point("talus_l:ankle_joint"), point("toes_l:mtp_second_toe"), -0.8, 2, 16);
  return tapers;
}

}  // namespace pneuma::anatomy
