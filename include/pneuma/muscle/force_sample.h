#pragma once

/// The interface of all force models: a plain struct of parameters P (doubles only, so that a batch
/// can lay it out by field) and a free function
///
///   ForceSample evaluateForce(const P&, double length, double lengthRate, double activation);
///
/// Tension is positive and never negative: a muscle pulls, it does not push.
namespace pneuma::muscle {

/// Tension and its partial derivatives.
struct ForceSample {
  double force = 0;        ///< tension [N], >= 0
  double dLength = 0;      ///< stiffness along the line [N/m]
  double dVelocity = 0;    ///< damping along the line [N s/m]
  double dActivation = 0;  ///< [N]
};

}  // namespace pneuma::muscle
