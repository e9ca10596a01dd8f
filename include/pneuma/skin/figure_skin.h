#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/flesh/figure_bellies.h"

namespace pneuma::skin {

/// Settings of a figure's skin.
struct FigureSkinConfig {
  int levels = 1;           ///< halvings of the control net, 0 to 3
  bool extremities = true;  ///< head, hands and feet; otherwise the envelope ends open
};

/// What one pose took and gave.
struct SkinPoseReport {
  double seconds = 0;        ///< wall time
  int rays = 0;              ///< cast
  double largestChange = 0;  ///< of a radius by the tissue under it [m]
};

/// The skin of a posed figure: one closed surface, the same triangles in every pose. [Nedel00,
/// section 5]
///
///   r_i = t_i + f_i
///   s   = S (c_k + r_i d_i)
///
/// Ray i of contour k runs from the contour's centre c_k along d_i to its control point; t_i is
/// where it leaves the outermost tissue of the contour's groups, f_i what lies above (fat, and what
/// the figure's muscles leave out), S the cubic B-spline surface over all control points.
///
/// The contours follow bones, through the links that carry these in the articulation given: one
/// between two links turns by its share of the joint's angle,
/// so that contours fan out around a joint and lie in its bisecting plane in the middle.
///
/// Reading: the paper does not say how contours turn at joints, nor what fat is. f_i is measured at
/// rest, as the distance between the person's own skin and the tissue below it, and kept. So the
/// skin at rest is the person's, and poses change it by what bones, bellies and primitives do.
/// Departure: changes of r_i are limited (25 mm out, 15 mm in) and evened over neighbouring rays.
/// Spindles leave gaps through which single rays fall deep; the paper's skin shows them as dents.
/// Departure: around shoulders and hips control points are not carried by their contours but span
/// like a plate between trunk and limb (limb_roots.h); contours that fan out around an armpit would
/// fold over each other. Elbow and knee stop at the plane of their fold (fold.h).
class FigureSkin {
 public:
  /// `body` is fitted to the person, `compiled` any articulation that carries the bones which the
  /// contours name; `personSkin` the person's own skin at rest (anatomy::makeSkinSurface).
  /// `bellies` may be null: bones and primitives alone.
  FigureSkin(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
             const skeleton::Model& model, const anatomy::SkinSurface& personSkin,
             const flesh::FigureBellies* bellies, const anatomy::GeometryCache& cache,
             const FigureSkinConfig& config = {});
  ~FigureSkin();
  FigureSkin(FigureSkin&&) noexcept;

  /// Takes a pose, and the shapes that the bellies have now.
  SkinPoseReport follow(const VecX& q, const skeleton::Kinematics& kinematics);
  /// The same by the motions of bones from rest (SkinInputs::bones): links follow the first of
  /// their bones.
  SkinPoseReport follow(std::span<const Pose> bones);

  const std::vector<Vec3>& positions() const;      ///< [m], world
  const std::vector<Triangle>& triangles() const;  ///< constant
  TriangleMesh mesh() const { return {positions(), triangles()}; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::skin
