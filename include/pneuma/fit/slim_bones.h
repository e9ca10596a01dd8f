#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/fit/inside.h"

namespace pneuma::fit {

/// Draws in the sections of limbs and trunk (anatomy::Taper) where carried bones come through a
/// character's skin, or nearer to it than kLeastDepth: a slim wrist has slim bones. Left and right
/// alike, smooth from section to section, least in the sense of squares, never along a bone;
/// joints stay where they are.
///
///   minimise over steps s of the stations   sum_i w_i (n_i . J_i s - (m - d_i))^2 + |s|^2
///
///   d_i, n_i  depth of bone vertex i, where it is less than the margin m, and the way inwards
///   J_i       change of its place with the stations
///   w_i       1; of limbs after 40 rounds 20 where d_i is less than kLeastDepth
///
/// taken until none lies too high. Feet that are too long for the character's become smaller first.
/// `surface` is closed, `registered` our skin on it (bonesOutside).
void slimBones(const FigureTemplate& figure, CarriedAnatomy& inside, const TriangleMesh& surface,
               const TriangleMesh& registered, const anatomy::GeometryCache& cache);
inline constexpr double kLeastDepth = 3e-4;  ///< [m]
inline constexpr double kThinnest = 0.5;     ///< of a section, against our person's

/// Bones carried (carryBones) and drawn in. A chest so flat that its cage is drawn in by more than
/// a hundredth gets one that is as much wider, up to a tenth: ribs of a person of its size find
/// room.
CarriedAnatomy fitBones(const FigureTemplate& figure, const FittedFigure& fitted,
                        const TriangleMesh& surface, const anatomy::GeometryCache& cache);

/// The bony cage as one number: volume of the thin ellipsoid shell whose area spreads as the ribs'
/// surface does (a sphere's by a third of its squared radius along each axis) [m^3].
double cageVolume(const FigureTemplate& figure, const CarriedAnatomy& inside,
                  const anatomy::GeometryCache& cache);

/// What it did to a bone.
struct SlimmedBone {
  std::string bone;
  double thinnest = 1;  ///< its thinnest section across, against the carried bone's
  double moved = 0;     ///< the way of its farthest vertex [m]
};
/// Bones that changed by more than 0.1 mm, the thinnest first.
std::vector<SlimmedBone> slimmedBones(const FigureTemplate& figure, const CarriedAnatomy& inside,
                                      const anatomy::GeometryCache& cache);

}  // namespace pneuma::fit
