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

/// The skin of a posed figure: one closed surface, the same triangles in every pose.
class FigureSkin {
 public:
  /// `body` is fitted to the person, `compiled` its figure articulation; `personSkin` the person's
  /// own skin at rest (anatomy::makeSkinSurface). `bellies` may be null: bones and primitives
  /// alone.
  FigureSkin(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
             const skeleton::Model& model, const anatomy::SkinSurface& personSkin,
             const flesh::FigureBellies* bellies, const anatomy::GeometryCache& cache,
             const FigureSkinConfig& config = {});
  ~FigureSkin();
  FigureSkin(FigureSkin&&) noexcept;

  /// Takes a pose, and the shapes that the bellies have now.
  SkinPoseReport follow(const VecX& q, const skeleton::Kinematics& kinematics);

  const std::vector<Vec3>& positions() const;      ///< [m], world
  const std::vector<Triangle>& triangles() const;  ///< constant
  TriangleMesh mesh() const { return {positions(), triangles()}; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::skin
