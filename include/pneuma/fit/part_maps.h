#pragma once

#include <array>
#include <vector>

#include "pneuma/fit/figure_template.h"

namespace pneuma::fit {

/// Parts of a figure that keep their shape while joints turn.
enum class FigurePart {
  Trunk,
  Head,
  UpperArmL,
  UpperArmR,
  ForearmL,
  ForearmR,
  HandL,
  HandR,
  ThighL,
  ThighR,
  ShankL,
  ShankR,
  FootL,
  FootR
};
inline constexpr std::size_t kFigureParts = 14;

/// x' = to + rotation stretch (x - from)
struct PartMap {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();
  Mat3 stretch = Mat3::Identity();  ///< symmetric, in the template's axes

  Vec3 operator()(const Vec3& p) const { return to + rotation * (stretch * (p - from)); }
};
using PartMaps = std::array<PartMap, kFigureParts>;

/// Thickness of a character's limbs against the template's, left and right.
struct LimbThickness {
  std::array<double, 2> arm{1, 1}, leg{1, 1};
};
LimbThickness limbThickness(const BodyMeasures& figure, const BodyMeasures& character);

/// The template's parts in a character's pose and proportions: the trunk by its own map, limbs from
/// joint to joint by the shortest arc, stretched along by their lengths and across by their
/// thickness; head, hands and feet by their lengths alike in all directions.
PartMaps posedParts(const FigureJoints& figure, const FoundJoints& character,
                    const LimbThickness& thickness);

/// The same proportions in the template's rest pose: directions of the limbs as the template's.
/// `joints` receives where the joints then lie.
PartMaps restParts(const FigureJoints& figure, const FoundJoints& character,
                   const LimbThickness& thickness, FigureJoints* joints = nullptr);

/// How far each part carries each vertex of the one skin: labels, spread over the neighbours.
struct PartWeights {
  std::vector<std::array<double, kFigureParts>> vertices;  ///< sum 1
};
PartWeights partWeights(const anatomy::SkinSurface& skin, int spread = 5);

/// Vertices carried by their parts.
std::vector<Vec3> carried(const std::vector<Vec3>& positions, const PartWeights& weights,
                          const PartMaps& maps);

/// Rotation that takes the one pose of a vertex to the other: of the blended parts.
std::vector<Mat3> turnsBetween(const PartWeights& weights, const PartMaps& from,
                               const PartMaps& to);

}  // namespace pneuma::fit
