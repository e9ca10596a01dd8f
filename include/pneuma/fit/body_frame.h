#pragma once

#include <span>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::fit {

/// How a character's file lies to the body: metres, +Y up, +Z front, +X left, floor at y = 0.
///
///   x_body = scale R x_file + offset
struct BodyFrame {
  Mat3 rotation = Mat3::Identity();  ///< R, proper
  double scale = 1;                  ///< metres per unit of the file, > 0
  Vec3 offset = Vec3::Zero();        ///< [m]

  Vec3 toBody(const Vec3& file) const { return scale * (rotation * file) + offset; }
  Vec3 toFile(const Vec3& body) const { return rotation.transpose() * (body - offset) / scale; }
  /// Differences of places: turned and scaled, not moved.
  Vec3 directionToFile(const Vec3& body) const { return rotation.transpose() * body / scale; }
  std::vector<Vec3> toBody(std::span<const Vec3> file) const;
  std::vector<Vec3> toFile(std::span<const Vec3> body) const;
};

}  // namespace pneuma::fit
