#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pneuma/skeleton/motion_dynamics.h"
#include "pneuma/stage/played_motion.h"

namespace pneuma::stage {

/// What kind of motion a recording is, by its speed and by whether both feet leave the floor.
enum class Gait { None, Walk, Run };

/// The largest torque of a joint one way, beside people's.
struct TorquePeak {
  std::string joint, action;        ///< "knee", "extension"
  double value = 0;                 ///< of either leg, over the body's mass [N m/kg]
  double time = 0;                  ///< when [s]
  double left = 0;                  ///< force that nothing explains then [body weights]
  std::optional<double> low, high;  ///< people's band [N m/kg]
  bool seen = false;                ///< the band's figures were read in a source, not recalled
  bool inside() const { return low && value >= *low && value <= *high; }
};

/// What a gait asks of the legs.
struct GaitTorques {
  Gait gait = Gait::None;
  double speed = 0;        ///< of the pelvis over the floor, mean [m/s]
  double outsideSole = 0;  ///< centre of pressure farthest out of its sole [m]; 0: never out
  std::vector<TorquePeak> peaks;
};

/// Frames within 0.1 s of an end do not count: there accelerations are one-sided.
GaitTorques measureGait(const PlayedMotion& motion, const skeleton::MotionDynamics& dynamics,
                        const std::vector<skeleton::FloorPoint>& soles);

}  // namespace pneuma::stage
