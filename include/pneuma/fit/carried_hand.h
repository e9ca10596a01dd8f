#pragma once

#include <array>
#include <vector>

#include "pneuma/anatomy/taper.h"
#include "pneuma/fit/volume_map.h"

namespace pneuma::fit {

/// The bones of a hand in the palm and the five fingers of a character: one bone of the
/// articulations, here carried piece by piece. All places are of a left hand; a right one is its
/// mirror image.
///
///   p' = sum_r w_r (B_r T p)     w ~ d^-8
///
/// d is the distance to ray r (a finger with its metacarpal), B_r the maps of its pieces, blended
/// about their joints, T the taper that draws the sections of the finger, or of the palm, in.
class CarriedHand {
 public:
  /// A thumb's or finger's line at rest, its joints from where the metacarpal begins to the tip,
  /// and the maps of the pieces between them.
  struct Ray {
    std::vector<Vec3> joints;
    std::vector<AffineMap> maps;
    anatomy::Taper taper;  ///< of the pieces from `free` on
    std::size_t free = 1;  ///< the joint from which on it leaves the palm
  };

  AffineMap palm;            ///< of the carpal bones
  anatomy::Taper palmTaper;  ///< of all that is no finger
  std::array<Ray, 5> rays;   ///< thumb, index, middle, ring, little

  Vec3 operator()(const Vec3& p) const;

  /// The map of a place before its taper, and the taper: a ray's, or kPalm.
  struct Part {
    AffineMap map;
    std::size_t taper = 0;
  };
  static constexpr std::size_t kPalm = 5;
  Part partOf(const Vec3& p) const;
  const anatomy::Taper& taper(std::size_t number) const {
    return number == kPalm ? palmTaper : rays[number].taper;
  }
};

}  // namespace pneuma::fit
