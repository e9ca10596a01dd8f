#pragma once

#include <array>
#include <optional>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::fit::internal {

/// A finger as the skin around it shows it.
struct Finger {
  /// Middles of its sections, from the tip to where it parts from its neighbours [m].
  std::vector<Vec3> line;
  double radius = 0;  ///< mean of its sections [m]
};

/// Fingers of a hand: thumb, index, middle, ring, little.
using Fingers = std::array<Finger, 5>;

/// The fingers of the hand that ends a body's arm; nothing for a hand that shows other than five,
/// as a mitten, or fingers in an order that no hand has. `end` is a place at its end.
///
/// Fingers are the peaks of the way w from the wrist over the skin: a peak counts that stands
/// kLeastFinger of the hand's length above the saddle where it meets a higher one (persistence).
/// The thumb is the one that meets the others nearest to the wrist; the others lie in their order
/// from it. Sections are curves of equal way from the tip, up to the saddle.
std::optional<Fingers> findFingers(const TriangleMesh& body, const Vec3& wrist, const Vec3& end);

}  // namespace pneuma::fit::internal
