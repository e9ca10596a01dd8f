#include "pneuma/breath/cage_joints.h"

#include "breath/cage/torso_mesh.h"
#include "pneuma/core/error.h"

namespace pneuma::breath {

Vec3 ribAxis(const TorsoAnatomy& anatomy, int level, int side) {
  const RibAnatomy& rib = anatomy.ribs[static_cast<std::size_t>(level - 1)];
  // An axis is a pseudovector: mirrored with the opposite sign. Sign: the end of the rib rises.
  const Vec3 axis = internal::onSide(rib.neckAxis, side);
  const Vec3 reach =
      internal::onSide(rib.centerline.back(), side) - internal::onSide(rib.head, side);
  return axis.cross(reach).y() < 0 ? Vec3(-axis) : axis;
}

skeleton::DofResistance ribResistance(const TorsoAnatomy& anatomy, const TorsoConfig& config) {
  const bool hinge = config.ribJoint == RibJoint::Neck;
  return {.damping = config.jointFriction,
          .stiffness =
              hinge ? internal::cageStiffening(anatomy.person.age) * config.jointStiffness : 0};
}

void setCageJoints(const TorsoAnatomy& anatomy, const TorsoConfig& config, const BoneLinks& links,
                   skeleton::Model& tree) {
  for (int level = 1; level <= kRibCount; ++level)
    for (int side = 0; side < 2; ++side) {
      const std::string bone = internal::ribBone(level, side);
      const int l = links(bone);
      if (l < 0 || tree.links[static_cast<std::size_t>(l)].joint != skeleton::JointKind::Hinge)
        throw InputError(
            Diagnostic{.subject = bone,
                       .message = "does not turn on a hinge of its own, as a breathing rib does"});
      const skeleton::Link& link = tree.links[static_cast<std::size_t>(l)];
      skeleton::CompiledMotion& hinge = tree.motions[static_cast<std::size_t>(link.firstMotion)];
      hinge.code = skeleton::MotionCode::Hinge;
      hinge.axis = link.X_WL_rest.rotation.transpose() * ribAxis(anatomy, level, side);
      tree.dofResistance[static_cast<std::size_t>(link.firstDof)] = ribResistance(anatomy, config);
    }
  const int sternum = links(internal::kSternumBone);
  if (sternum < 0) return;  // makeCage says which bone is missing
  const skeleton::Link& link = tree.links[static_cast<std::size_t>(sternum)];
  for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
    tree.dofResistance[static_cast<std::size_t>(j)] = {};
}

}  // namespace pneuma::breath
