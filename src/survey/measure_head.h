#pragma once

#include <filesystem>
#include <string>

#include "pneuma/core/triangle_mesh.h"

/// Heads of both sexes for the skin, from a folder of character bodies.
namespace pneuma::survey::internal {

/// Size and place of a head: what two heads are laid over one another by.
struct HeadFrame {
  double vertex = 0, menton = 0;     ///< heights [m]
  double occiput = 0, glabella = 0;  ///< depths in the mid-plane [m]
  double breadth = 0;                ///< above the ears [m]
};
HeadFrame headFrame(const TriangleMesh& body);

/// Takes points of one head to another: one factor and shift per axis.
struct HeadMap {
  Vec3 scale, shift;

  HeadMap(const HeadFrame& from, const HeadFrame& to);
  Vec3 operator()(const Vec3& p) const { return scale.cwiseProduct(p) + shift; }
};

/// Height [m] at which a head changes over into the measured neck, at a depth z of the measured
/// man: it rises from below the chin to the nape. The change takes `kNeckBlend` to either side.
inline constexpr double kNeckBlend = 0.02;
double neckBorder(double z);
/// 0 on the measured neck, 1 on the character's head.
double shareOfHead(const Vec3& p);

/// The middle of a character's left eye, from `characters.json`.
Vec3 eyeMarker(const std::filesystem::path& folder, const std::string& character);

}  // namespace pneuma::survey::internal
