#pragma once

#include <vector>

#include "pneuma/muscle/muscle_model.h"
#include "scenes/skeleton_trees.h"

/// A synthetic set of 814 muscles on the synthetic upper body.
namespace pneuma::scenes {

struct UpperBodyMuscleOptions {
  double passiveStrength = 1;  ///< scales the parallel elements
  double activeStrength = 1;   ///< scales the contractile elements
};

/// Names and counts are those of [Lee09, Table 1]: 300 of head and neck, 432 of the trunk, 41 of
/// each arm. Paths follow the named bones with plausible offsets and via points; areas are
/// plausible, not measured. Slack lengths are the lengths in the neutral pose.
std::vector<muscle::MuscleDescription> upperBodyMuscles(const skeleton::Model& upperBody,
                                                        const UpperBodyMuscleOptions& options = {});

/// Muscles of both sides that bend over bones: triceps and biceps over a cylinder at the elbow,
/// deltoid over the head of the humerus, latissimus over the rib cage, sternocleidomastoid over a
/// cylinder in the neck.
std::vector<muscle::MuscleDescription> wrappedMuscles(const skeleton::Model& upperBody);

}  // namespace pneuma::scenes
