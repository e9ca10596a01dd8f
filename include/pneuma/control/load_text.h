#pragma once

#include <string>
#include <vector>

#include "pneuma/control/held_loads.h"

namespace pneuma::control {

/// A load and how it changes over time.
struct LoadSchedule {
  struct Stage {
    double time = 0;            ///< from when on [s]
    double mass = 0;            ///< [kg]
    Vec3 force = Vec3::Zero();  ///< in the world [N]
  };
  HeldLoad load;              ///< as at the start
  std::vector<Stage> stages;  ///< the changes after it, rising in time

  bool hasMass() const;  ///< at some time
  /// What holds at a time.
  Stage at(double time) const;
};

/// Reads `AMOUNT@LINK`, where the amount is a mass or a force (x,y,z along the body's left, up and
/// front), and may change: `5kg@hand_r`, `0/-30/0N@hand_l`, `2kg,3s:8kg@hand_r` (8 kg from 3 s on).
/// The load sits at the link's centre of mass, in the grip of a hand. Throws InputError that names
/// `subject` for what is not understood, negative masses and unknown links (with the nearest name).
LoadSchedule parseLoad(const std::string& text, const skeleton::Model& model,
                       const std::string& subject);

}  // namespace pneuma::control
