#pragma once

#include "anatomy/shape/distance_volume.h"
#include "pneuma/anatomy/bone_shape.h"

/// Fits a shape of few (bent) ellipsoids to a measured solid.
namespace pneuma::survey::internal {

struct ShapeFitConfig {
  int ellipsoids = 16;       ///< added parts in all, those of the start not counted
  int cuts = 2;              ///< subtracted ellipsoids among the further ones, at most
  double spacing = 0.002;    ///< of the samples [m]
  double band = 0.004;       ///< distances are cut to +-band [m]
  double blend = 0.002;      ///< of every part [m]
  double thinnest = 0.0006;  ///< no radius gets smaller [m]
  bool symmetric = false;    ///< fit the half x >= 0 of a mid-line bone
  int finalIterations = 25;
};

struct ShapeFitReport {
  double rmsError = 0;  ///< of the cut distances at samples within one spacing of the surface [m]
  int iterations = 0;
};

/// Least squares on the difference of cut distance fields over a grid of samples:
///
///   E(theta) = sum_i ( clamp(f(p_i; theta)) - clamp(d(p_i)) )^2
///
/// Starts from a mixture of normal distributions of the inside (beyond what `start` covers), then
/// in turn adds ellipsoids where the difference is largest and improves all of them (Levenberg and
/// Marquardt). The parts of `start` stay as given. Deterministic.
anatomy::BoneShape fitShape(const anatomy::internal::DistanceVolume& target,
                            const anatomy::BoneShape& start, const ShapeFitConfig& config,
                            ShapeFitReport* report = nullptr);

}  // namespace pneuma::survey::internal
