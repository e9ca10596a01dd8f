#pragma once

#include <array>
#include <optional>
#include <vector>

#include "pneuma/fit/five_ends.h"

namespace pneuma::fit {

/// A limb as bands of equal distance along the skin from its end: fingers or toes.
struct LimbBands {
  double width = 0;           ///< of a band [m]
  std::vector<Vec3> centres;  ///< of the bands, from the end on [m]
  std::vector<double> radii;  ///< mean distance of a band from its centre [m]
  double tip = 0;             ///< way to the wrist or ankle, where the limb is thinnest [m]
  double root = 0;            ///< way to the armpit or the crotch, where it joins the trunk [m]

  /// Centre at a way from the end, between bands; beyond them the last one.
  Vec3 centre(double way) const;
  /// Radius at a way from the end, between bands [m].
  double radius(double way) const;
  /// Mean radius between two ways [m].
  double meanRadius(double from, double to) const;
};

/// A level cut of the trunk without arms.
struct TrunkSection {
  double y = 0;
  double left = 0, right = 0, front = 0, back = 0;  ///< where it ends [m]
  double width() const { return left - right; }
  double depth() const { return front - back; }
};

/// A level cut without arms as the way up the body shows it: both legs together.
struct ProfileCut {
  double area = 0;   ///< [m^2]
  double depth = 0;  ///< [m]
};

/// What is measured on any human surface, template and character alike: biases of a measure cancel
/// when the one is taken to the other.
struct BodyMeasures {
  double height = 0;  ///< [m]
  double volume = 0;  ///< [m^3]
  Vec3 top = Vec3::Zero(), neck = Vec3::Zero(), crotch = Vec3::Zero();
  std::array<LimbBands, 2> arms, legs;  ///< left, right
  std::array<Vec3, 2> hands, feet;      ///< their ends
  std::vector<TrunkSection> trunk;      ///< at equal steps from crotch to neck
  /// From the floor to the neck at equal steps, in their middles.
  std::vector<ProfileCut> profile;
  double width = 0, depth = 0;  ///< mean over the middle of the trunk [m]
  Vec3 middle = Vec3::Zero();   ///< centre of that middle
  /// Limb of each vertex: 0 trunk and head, 1, 2 arms, 3, 4 legs (left, right), -1 near a border.
  std::vector<int> labels;
  std::vector<bool> beyondWrist;  ///< of each vertex: on a hand
  /// Heights of the hollows behind the knees above the floor [m]; nothing where none is seen.
  std::array<std::optional<double>, 2> kneeHollows;
};

/// Heights above the floor of the deepest hollow of each leg's rear outline, seen against the
/// outline a little above and below; of measures that hold labels, crotch and top.
std::array<std::optional<double>, 2> kneeHollows(const TriangleMesh& mesh,
                                                 const BodyMeasures& measures);

/// Heights on one body that correspond to heights on another, by their profiles.
///
///   minimise over heights h_k   mean over y of (f(y) - f'(Y(y)))^2 + r sum_k (h_k - h_k0)^2 / N^2
///
///   f, f'  log of area and depth of the cuts, less their means, each up to the neck's height N
///   Y      piecewise linear: floor to floor, `known` heights to h_k, neck to neck
///   h_k0   where `known` would lie if the legs and the trunk were as long as the other's
///
/// Where thighs touch or legs stand apart, cuts of both legs together keep their area, so hips and
/// knees are found where the crotch would mislead. Heights above the floor [m], ascending.
std::vector<double> alignHeights(const BodyMeasures& from, const std::vector<double>& known,
                                 const BodyMeasures& to);

/// Measures a surface that stands in the body frame (any unit). Throws InputError that asks for
/// landmarks when arms, neck or crotch are not where a person has them.
BodyMeasures measureBody(const TriangleMesh& mesh, const SurfaceGraph& graph, const FiveEnds& ends);

}  // namespace pneuma::fit
