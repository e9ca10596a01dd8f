#pragma once

#include <span>
#include <vector>

#include "pneuma/core/types.h"
#include "pneuma/shape/shape_template.h"

/// Rotations of body parts [Tsoli14, Sec. 4.2].
namespace pneuma::shape {

/// Axis times angle [rad], angle in [0, pi]. At pi, where two axes give one rotation, the one whose
/// largest component is positive.
Vec3 logRotation(const Mat3& R);
Mat3 expRotation(const Vec3& axisAngle);

/// The rotation R (determinant +1) that minimises |R A - B|_F for the sum M = sum B A^T: a mirror
/// image is answered with the nearest rotation, never with a reflection.
Mat3 nearestProperRotation(const Mat3& M);

/// The mean about which the logarithms of all rotations sum to zero. Throws InputError for none, or
/// when they lie so far apart (about a half turn) that there is no such mean.
Mat3 meanRotation(std::span<const Mat3> rotations);

/// R_l of every part: the proper rotation that takes the template's edges, weighted by area, best
/// to those of `positions`. Throws InputError for another number of vertices or a part without
/// extent.
std::vector<Mat3> partRotations(const ShapeTemplate& shape, std::span<const Vec3> positions);
/// The same from another shape of the template's topology.
std::vector<Mat3> partRotations(const ShapeTemplate& shape, std::span<const Vec3> from,
                                std::span<const Vec3> to);

}  // namespace pneuma::shape
