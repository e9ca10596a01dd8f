#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/skeleton/model.h"
#include "skin/carriers.h"

namespace pneuma::skin::internal {

/// A contour as compiled: body frame at rest.
struct Contour {
  std::string name;  ///< of the described contour it is, or comes after
  Vec3 center = Vec3::Zero();
  Mat3 frame = Mat3::Identity();  ///< columns: sideways u, front v, normal n; u x n = v outwards
  std::vector<int> groups;
  Shares shares;
  double follow = 1, aspect = 1, tight = 0.3, twist = 1;

  /// Direction of the ray at angle phi from the front, turning towards u.
  Vec3 direction(double phi) const {
    return (aspect * std::sin(phi) * frame.col(0) + std::cos(phi) * frame.col(1)).normalized();
  }
};

/// A passage to another bone, as compiled.
struct Turn {
  int link = 0;  ///< in the model
  Vec3 center = Vec3::Zero(), direction = Vec3::UnitY();
  double width = 0;

  /// 0 before the passage, 1 beyond it, smooth in between.
  double passed(const Vec3& place) const {
    const double x = std::clamp(0.5 + (place - center).dot(direction) / width, 0.0, 1.0);
    return x * x * (3 - 2 * x);
  }
};
std::vector<Turn> makeTurns(const std::vector<anatomy::SkinTurn>& turns,
                            const anatomy::PointTable& points, const BoneLinks& links);

struct LimbLayout {
  std::string name;
  bool arm = false;
  double side = 1;  ///< +1 left, -1 right
  std::vector<Contour> contours;
  int openingLow = 0, openingHigh = 0;  ///< arm: trunk contours below and above
  int openingWidth = 8;
  std::vector<Turn> turns;
};

/// All contours of a body, with those in between.
struct Layout {
  int columns = 48;        ///< around the trunk
  int crotchColumns = 10;  ///< quads between front and back across the crotch
  int hipRows = 7;         ///< between the legs' roots and the first trunk contour
  Contour crotch;
  std::vector<Contour> trunk;  ///< from below
  std::vector<LimbLayout> limbs;

  /// Row of points that lies on a contour of the trunk; row 0 are the legs' roots.
  int row(int trunkContour) const { return 1 + hipRows + trunkContour; }
  /// Place of a point of the trunk, row by row; columns go around.
  int trunkPlace(int r, int c) const { return r * columns + (c % columns + columns) % columns; }
};

/// Resolves points and bones. Throws InputError for a body whose skin description does not fit
/// together: a piece missing or without contours, an opening that is none.
Layout makeLayout(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                  const skeleton::Model& model);

}  // namespace pneuma::skin::internal
