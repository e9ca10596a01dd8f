#pragma once

#include <memory>
#include <span>
#include <vector>

#include "anatomy/shape/shape_field.h"

/// Ellipsoids as unknowns of a fit.
namespace pneuma::survey::internal {

/// Centre 3, radii 3, rotation 3, bend 3: each scaled so that one unit moves the surface by about
/// one metre.
inline constexpr int kEllipsoidParameters = 12;
inline constexpr double kEllipsoidStep = 2e-6;  ///< of difference quotients [m]

using EllipsoidDelta = Eigen::Matrix<double, kEllipsoidParameters, 1>;

/// The ellipsoid after a step, kept within sensible bounds: no radius moves by more than a third,
/// none gets thinner than `thinnest` [m], no centre jumps farther than `reach` [m].
anatomy::ShapePart movedEllipsoid(const anatomy::ShapePart& part, const EllipsoidDelta& delta,
                                  double thinnest, double reach);

/// The fields of the ellipsoid with each parameter shifted by kEllipsoidStep.
std::vector<std::unique_ptr<anatomy::internal::PartField>> shiftedFields(
    const anatomy::ShapePart& part);

/// Ellipsoids from a mixture of normal distributions fitted to weighted points (expectation and
/// maximisation from farthest-point seeds). Radii are sqrt(5) standard deviations, as of a solid
/// ellipsoid. At most `count`; fewer when points are few.
std::vector<anatomy::ShapePart> mixtureEllipsoids(std::span<const Vec3> points,
                                                  std::span<const double> weights, int count,
                                                  double spacing);

}  // namespace pneuma::survey::internal
