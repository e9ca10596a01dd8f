#pragma once

#include "survey/joint_fit.h"
#include "survey/measure_points.h"
#include "survey/sided_meshes.h"

/// Ball and hinge joints of the limbs by fits to their joint surfaces, one side at a time.
namespace pneuma::survey::internal {

/// Spheres through the head and through its socket.
struct BallJoint {
  Sphere head, socket;
  Vec3 socketMiddle = Vec3::Zero();  ///< on the socket's surface [m]
};
BallJoint measureShoulder(SidedMeshes& meshes, Side side);  ///< humeral head, glenoid
BallJoint measureHip(SidedMeshes& meshes, Side side);       ///< femoral head, acetabulum

/// The axis of a hinge between the inner and outer end of its joint surfaces.
struct HingeJoint {
  Vec3 medial = Vec3::Zero(), lateral = Vec3::Zero();  ///< on the axis [m]
  Vec3 center() const { return 0.5 * (medial + lateral); }
};
HingeJoint measureElbow(SidedMeshes& meshes, Side side);  ///< trochlea and capitulum
HingeJoint measureKnee(SidedMeshes& meshes, Side side);   ///< through both condyles
HingeJoint measureAnkle(SidedMeshes& meshes, Side side);  ///< trochlea of the talus

/// Centre of the radius' head: the middle of its barrel.
Vec3 measureRadialHead(SidedMeshes& meshes, Side side);

}  // namespace pneuma::survey::internal
