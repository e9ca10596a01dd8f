#include "pneuma/fit/armature.h"

#include <cctype>

#include "pneuma/skeleton/retarget.h"

namespace pneuma::fit {
namespace {

/// What counts of a joint's name: letters and digits in lower case, without the rig's own prefix.
std::string plainName(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  std::string plain;
  for (std::size_t i = colon == std::string::npos ? 0 : colon + 1; i < name.size(); ++i)
    if (std::isalnum(static_cast<unsigned char>(name[i])))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  for (const char* prefix : {"def", "org", "jbip", "bip001", "bip01", "bip"})
    if (const std::string p = prefix; plain.starts_with(p) && plain.size() > p.size())
      return plain.substr(p.size());
  return plain;
}

/// Names of modelling programs and engines, without their side: tried before those of clips, in
/// which "LeftShoulder" may mean the joint that a rig calls the upper arm.
std::vector<std::string> rigNames(const std::string& role) {
  if (role == "hip") return {"thigh", "upperleg", "upperleg01"};
  if (role == "knee") return {"shin", "calf", "lowerleg", "lowerleg01"};
  if (role == "ankle") return {"foot"};
  if (role == "shoulder") return {"upperarm", "upperarm01"};
  if (role == "elbow") return {"forearm", "lowerarm", "lowerarm01"};
  return {"hand", "wrist"};
}

/// The joint of a role on one side, or null.
const io::GltfJoint* findRole(std::span<const io::GltfJoint> joints, const std::string& role,
                              char side) {
  std::vector<std::string> names;
  const std::string s(1, side), word = side == 'l' ? "left" : "right";
  for (const std::string& n : rigNames(role))
    for (const std::string& full : {n + s, s + n, word + n, n + word}) names.push_back(full);
  for (const skeleton::ClipRole& known : skeleton::clipRoles())
    if (known.name == role + "_" + s)
      for (const std::string& n : known.known) names.push_back(plainName(n));
  for (const std::string& name : names)
    for (const io::GltfJoint& joint : joints)
      if (plainName(joint.name) == name) return &joint;
  return nullptr;
}

}  // namespace

std::vector<Landmark> armatureJoints(std::span<const io::GltfJoint> joints) {
  std::vector<Landmark> found;
  for (const char* role : {"shoulder", "elbow", "wrist", "hip", "knee", "ankle"}) {
    const io::GltfJoint *left = findRole(joints, role, 'l'), *right = findRole(joints, role, 'r');
    if (!left || !right || left == right) continue;
    found.push_back({std::string(role) + "_l", left->position});
    found.push_back({std::string(role) + "_r", right->position});
  }
  return found;
}

}  // namespace pneuma::fit
