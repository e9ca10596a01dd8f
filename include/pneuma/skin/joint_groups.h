#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/geometry_cache.h"

namespace pneuma::skin {

/// Bones that carry skin as one: the joints of a skin's armature.
///
/// One group for each link of an articulation, except that ribs, costal cartilages and sternum
/// which are links of their own belong to the group of the vertebra at their level: what they do
/// beyond it is breath, a layer of its own (breath_layer.h).
struct JointGroups {
  std::vector<std::string> names;  ///< of the links
  std::vector<int> parent;         ///< group, parents first; -1: root
  std::vector<int> carrier;        ///< bone whose motion is the group's
  std::vector<Vec3> center;        ///< of the joint to the parent, body frame at rest [m]
  std::vector<bool> trunk;         ///< thorax, abdomen or pelvis: breath moves its skin
  std::vector<int> ofBone;         ///< group of each bone of the body; never -1

  int count() const { return static_cast<int>(names.size()); }
};

/// The groups of an articulation. Bones that it leaves out (legs of an upper body) go with the
/// root.
JointGroups makeJointGroups(const anatomy::Body& body, const anatomy::CompiledBody& compiled);

/// Whether a bone belongs to the breathing cage: rib, costal cartilage or sternum.
bool isCageBone(const std::string& name);

/// A place on a bone's surface at rest.
struct BoneSample {
  int bone = 0;  ///< in Body::bones
  Vec3 place = Vec3::Zero();
};
/// Points spread evenly over the surfaces of the bones that `wanted` accepts, about `spacing` apart
/// [m]. Mirrored bones get mirrored points.
std::vector<BoneSample> sampleBones(const anatomy::Body& body, const anatomy::GeometryCache& cache,
                                    double spacing, bool (*wanted)(const anatomy::Bone&));

/// The motion of every bone of a body, given the motion of every link against its place at rest.
/// Bones outside the articulation keep the motion of link 0.
void boneMotions(const anatomy::CompiledBody& compiled, const std::vector<Pose>& linkMotions,
                 std::vector<Pose>& bones);

}  // namespace pneuma::skin
