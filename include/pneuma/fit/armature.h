#pragma once

#include <span>
#include <vector>

#include "pneuma/fit/fitted_figure.h"
#include "pneuma/io/gltf_edit.h"

namespace pneuma::fit {

/// The joint centres that an artist gave a character: shoulder, elbow, wrist, hip, knee and ankle
/// of both sides, "shoulder_l" and so on, in the file's frame.
///
/// Joints are known by name: those of motion clips (skeleton::clipRoles: Mixamo, Poser, CMU), of
/// Blender's rigs (upper_arm.L, shin.L, DEF- in front), Unreal (upperarm_l, calf_l), Unity and VRM
/// (LeftUpperArm, J_Bip_L_UpperArm), MakeHuman (upperarm01.L). Case, dots, blanks and underscores
/// do not count, nor does what stands before a colon. A pair of which one side is missing is left
/// out.
std::vector<Landmark> armatureJoints(std::span<const io::GltfJoint> joints);

}  // namespace pneuma::fit
