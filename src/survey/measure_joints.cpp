#include "survey/measure_joints.h"

#include <algorithm>
#include <cmath>

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

using Samples = std::vector<SurfaceSample>;

/// Bones of a joint that carry cartilage face each other within this [m].
constexpr double kJointGap = 0.006;
/// The same for sockets; farther off lies their rim.
constexpr double kSocketGap = 0.004;

std::vector<Vec3> positions(const Samples& samples) {
  std::vector<Vec3> points;
  for (const SurfaceSample& s : samples) points.push_back(s.position);
  return points;
}

/// The stretch of one bone's surface that faces others across the joint.
Samples jointSurface(SidedMeshes& meshes, Side side, const std::string& bone,
                     const std::vector<std::string>& others, double gap) {
  return facingSamples(surfaceSamples(meshes.mesh(bone, side)), meshes.query(others, side), gap);
}

/// The whole head, not only what the socket covers in this pose: what of its bone lies on the
/// sphere and faces outwards. The patch under the socket gives the first guess.
Sphere fitHead(const Samples& bone, const Samples& covered) {
  Sphere sphere = fitSphereTrimmed(positions(covered), 0.001);
  for (int pass = 0; pass < 4; ++pass) {
    Samples head = bone;
    std::erase_if(head, [&](const SurfaceSample& s) {
      const Vec3 arm = s.position - sphere.center;
      return std::abs(arm.norm() - sphere.radius) > 0.1 * sphere.radius ||
             arm.normalized().dot(s.normal) < 0.9;
    });
    sphere = fitSphereTrimmed(positions(head), 0.001);
  }
  return sphere;
}

BallJoint fitBall(SidedMeshes& meshes, Side side, const std::string& headBone,
                  const std::string& socketBone) {
  const Samples socket = jointSurface(meshes, side, socketBone, {headBone}, kSocketGap);
  const Samples covered = jointSurface(meshes, side, headBone, {socketBone}, kJointGap);
  BallJoint joint;
  joint.head = fitHead(surfaceSamples(meshes.mesh(headBone, side)), covered);
  joint.socket = fitSphereTrimmed(positions(socket), 0.001);
  joint.socketMiddle = meanPosition(socket);
  return joint;
}

/// The axis cut where the joint surface ends on either side; the medial end has the smaller x.
HingeJoint hingeOf(const Samples& surface) {
  const Axis axis = fitRevolution(surface);
  double low = 1e300, high = -1e300;
  for (const SurfaceSample& s : surface) {
    const double along = axis.direction.dot(s.position - axis.point);
    low = std::min(low, along), high = std::max(high, along);
  }
  HingeJoint joint;
  joint.medial = axis.point + low * axis.direction;
  joint.lateral = axis.point + high * axis.direction;
  if (joint.medial.x() > joint.lateral.x()) std::swap(joint.medial, joint.lateral);
  return joint;
}

/// Sphere through the rear of a condyle: in the straight leg the tibia covers the flatter lower
/// part; the rear is round and turns about its centre when the knee bends [Iwaki et al. 2000].
template <typename Belongs>
Sphere rearOfCondyle(Samples condyle, const Belongs& belongs) {
  std::erase_if(condyle, [&](const SurfaceSample& s) { return !belongs(s.position); });
  double back = 1e300, bottom = 1e300;
  for (const SurfaceSample& s : condyle) {
    back = std::min(back, s.position.z());
    bottom = std::min(bottom, s.position.y());
  }
  std::erase_if(condyle, [&](const SurfaceSample& s) {
    return s.position.z() > back + 0.020 || s.position.y() > bottom + 0.040 || s.normal.z() > 0.2 ||
           std::abs(s.normal.x()) > 0.6;
  });
  return fitSphereTrimmed(positions(condyle), 0.001);
}

}  // namespace

BallJoint measureShoulder(SidedMeshes& meshes, Side side) {
  return fitBall(meshes, side, "humerus_l", "scapula_l");
}

BallJoint measureHip(SidedMeshes& meshes, Side side) {
  return fitBall(meshes, side, "femur_l", "hip_bone_l");
}

HingeJoint measureElbow(SidedMeshes& meshes, Side side) {
  return hingeOf(jointSurface(meshes, side, "humerus_l", {"ulna_l", "radius_l"}, kJointGap));
}

HingeJoint measureKnee(SidedMeshes& meshes, Side side) {
  const TriangleMesh& femur = meshes.mesh("femur_l", side);
  const double bottom = boundingBox(femur.positions).min.y();
  Samples end = surfaceSamples(femur);
  std::erase_if(end, [&](const SurfaceSample& s) { return s.position.y() > bottom + 0.06; });
  const double middle = meanPosition(end).x();
  const Sphere medial = rearOfCondyle(end, [&](const Vec3& p) { return p.x() < middle; });
  const Sphere lateral = rearOfCondyle(end, [&](const Vec3& p) { return p.x() > middle; });
  HingeJoint joint;
  joint.medial = medial.center;
  joint.lateral = lateral.center;
  return joint;
}

HingeJoint measureAnkle(SidedMeshes& meshes, Side side) {
  return hingeOf(jointSurface(meshes, side, "talus_l", {"tibia_l", "fibula_l"}, kJointGap));
}

Vec3 measureRadialHead(SidedMeshes& meshes, Side side) {
  const TriangleMesh& radius = meshes.mesh("radius_l", side);
  const double top = boundingBox(radius.positions).max.y();
  Samples barrel = surfaceSamples(radius);
  std::erase_if(barrel, [&](const SurfaceSample& s) { return s.position.y() < top - 0.012; });
  return fitRevolution(barrel).closestTo(meanPosition(barrel));
}

}  // namespace pneuma::survey::internal
