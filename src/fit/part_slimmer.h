#pragma once

#include <vector>

#include "fit/skin_depth.h"
#include "pneuma/anatomy/taper.h"

namespace pneuma::fit::internal {

inline constexpr double kMargin = 1.2e-3;  ///< depth that is aimed at [m]
inline constexpr double kAcross = 0.5;  ///< a way inwards with a smaller part across does not count

/// A vertex of a bone at rest, and how its place moves with it.
struct Watched {
  Vec3 place = Vec3::Zero();
  Mat3 linear = Mat3::Identity();
  Vec3 offset = Vec3::Zero();

  Vec3 there(const anatomy::Taper& taper) const { return linear * taper(place) + offset; }
};

/// What sections of a part may do.
struct SlimRule {
  bool heldAtStart = true;        ///< no shifts where a part begins: a joint is there
  bool heldAtEnd = true;          ///< nor where it ends
  bool sideways = true;           ///< shifts to the side
  bool outsideCountsMore = true;  ///< than what only misses the margin, in the last rounds
};

/// The stations of one part, brought to where its bones lie within the skin (slimBones).
void slimPart(const SlimRule& rule, const SkinDepth& skin, std::vector<Watched> points,
              anatomy::Taper& taper);

}  // namespace pneuma::fit::internal
