#pragma once

#include <span>
#include <vector>

#include "pneuma/flesh/embedded/body_flesh.h"

namespace pneuma::flesh::embedded {

/// A point of a surface that stands for an area around it.
struct SurfacePoint {
  std::size_t triangle = 0;
  Vec3 weights = Vec3::Zero();  ///< of the triangle's corners, sum 1
  Vec3 place = Vec3::Zero();
  double area = 0;  ///< [m^2]
};
/// Points spread evenly, each for an area of about `area`, their sum that of the surface.
std::vector<SurfacePoint> spreadPoints(std::span<const Vec3> positions,
                                       std::span<const Triangle> triangles, double area);

/// Springs of bones and walls. Fills anchors of all kinds.
void addAnchors(const FleshAnatomy& anatomy, const TissueConstants& constants, BodyFlesh& flesh);

}  // namespace pneuma::flesh::embedded
