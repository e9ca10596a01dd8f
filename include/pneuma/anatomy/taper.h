#pragma once

#include <array>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/fitted_part.h"
#include "pneuma/core/types.h"

namespace pneuma::anatomy {

/// Sections of a part of the body drawn in across an axis: bones become slimmer or lie deeper,
/// never shorter.
///
///   p  = a + t d + x e_1 + z e_2            e_1 to the left (of a girdle: up), e_2 across both
///   p' = a + t d + (g_1(t) x + c_1(t)) e_1 + (g_2(t) z + c_2(t)) e_2
///
/// g and c are cubic B-splines over equal steps of t: smooth, and never beyond what their stations
/// say.
class Taper {
 public:
  /// Sizes and shifts of a section.
  struct Station {
    double side = 1, front = 1;        ///< g [-]
    double sideways = 0, forward = 0;  ///< c [m]
  };

  Taper() = default;
  /// Nothing is changed until stations are set: `count` >= 4 of them from t = `first` to `last`, in
  /// shares of the axis from `a` to `b`.
  Taper(const Vec3& a, const Vec3& b, double first, double last, std::size_t count);

  std::vector<Station>& stations() { return stations_; }
  const std::vector<Station>& stations() const { return stations_; }

  Vec3 operator()(const Vec3& p) const;
  Mat3 jacobian(const Vec3& p) const;

  /// What the stations are weighed by at a place, and its coordinates across the axis.
  struct Place {
    std::size_t first = 0;   ///< of four stations
    double weights[4] = {};  ///< sum 1
    double slopes[4] = {};   ///< of the weights along the axis [1/m]
    double x = 0, z = 0;     ///< [m]
  };
  Place at(const Vec3& p) const;
  const Vec3& side() const { return side_; }
  const Vec3& front() const { return front_; }
  /// Where a station stands, in shares of the axis.
  double stationShare(std::size_t k) const {
    return (begin_ + step_ * static_cast<double>(k)) / length_;
  }
  /// Whether any station changes anything.
  bool any() const;

 private:
  Station blended(const Place& place, const double (&weights)[4]) const;

  Vec3 origin_ = Vec3::Zero(), along_ = Vec3::UnitY();  ///< along_: unit
  Vec3 side_ = Vec3::UnitX(), front_ = Vec3::UnitZ();
  double begin_ = 0, step_ = 1, length_ = 1;  ///< of the stations, and of the axis [m]
  std::vector<Station> stations_;
};

/// One for each part of a fitted body, of its left side, with nothing changed yet:
///
///   trunk  from between the hips to the base of the neck     girdle  sternal end to shoulder
///   limbs  from joint to joint                               foot    ankle to second toe
///
/// Hands have none. `person` is fitted to a person (fitToPerson).
using PartTapers = std::array<Taper, kFittedParts>;
PartTapers partTapers(const Body& person);

}  // namespace pneuma::anatomy
