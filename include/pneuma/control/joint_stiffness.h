#pragma once

#include "pneuma/anatomy/compile.h"
#include "pneuma/muscle/driven_body.h"

namespace pneuma::control {

/// What muscles oppose to a turn of a joint, at their present activations and at rest [N m/rad].
///
///   -d tau/dq = sum_i p_i^2 df_i/dl  +  sum_i f_i dp_i/dq
///               elements                turning lines
///
///   p_i  moment arm [m]    f_i  tension [N]
///
/// To small and quick turns fibres are stiffer than their force-length curve, by the cross-bridges
/// that are attached (short-range stiffness), in series with the tendon:
///
///   k_m = 23.4 f_i / l_o      k_t = 35 F_i / l_t      K = sum_i p_i^2 k_m k_t / (k_m + k_t)
///
/// 23.4: [Cui08], measured in cat's hindlimb muscles and found to hold for a human arm, recalled;
/// 35: slope of a tendon that stretches by 3.3 % at the peak force F_i [Zajac89], recalled.
/// l_o fibre length at the optimum, l_t tendon [m]. The linearised Hill muscle of the simulation
/// does not have this part: it is reported, not simulated.
struct JointStiffness {
  double elements = 0, turning = 0, shortRange = 0;
  /// Of the simulation: what a slow push meets.
  double slow() const { return elements + turning; }
  /// What a quick, small push meets.
  double quick() const { return slow() + shortRange; }
};

/// For a degree of freedom of a hinge or slide; the body's state stays as it is. Allocates.
JointStiffness measureStiffness(muscle::DrivenBody& body, const anatomy::CompiledBody& compiled,
                                int dof);

}  // namespace pneuma::control
