#include <sstream>

#include "pneuma/io/file.h"
#include "pneuma/skeleton/retarget.h"

namespace pneuma::skeleton {
namespace {

std::vector<ClipRole> makeRoles() {
  std::vector<ClipRole> roles;
  for (const char side : {'l', 'r'}) {
    const std::string s(1, side), S(1, side == 'l' ? 'L' : 'R');
    const std::string Side = side == 'l' ? "Left" : "Right";
    const auto add = [&](const std::string& name, const std::string& link,
                         std::vector<std::string> known, bool required, bool tip, double ori) {
      roles.push_back(
          {name + "_" + s, {link + "_" + s}, std::move(known), required, tip, true, ori});
    };
    add("hip", "femur", {Side + "UpLeg", Side + "Hip", s + "Thigh", S + "Hip"}, true, false, 0);
    add("knee", "tibia", {Side + "Leg", Side + "Knee", s + "Shin", S + "Knee"}, true, false, 0);
    add("ankle", "talus", {Side + "Foot", Side + "Ankle", s + "Foot", S + "Ankle"}, true, false, 0);
    add("toe", "toes", {Side + "ToeBase", Side + "Toe", s + "Toe", S + "Toe"}, false, false, 0.01);
    add("shoulder", "humerus", {Side + "Arm", Side + "Shoulder", s + "Shldr", S + "Shoulder"}, true,
        false, 0.01);
    add("elbow", "ulna", {Side + "ForeArm", Side + "Elbow", s + "ForeArm", S + "Elbow"}, true,
        false, 0.005);
    // Enough to turn the forearm against its pull to rest; 0.02 dragged the wrist of a run 7 mm
    // away to meet a hand that its own range does not reach.
    add("wrist", "hand", {Side + "Hand", Side + "Wrist", s + "Hand", S + "Wrist"}, true, false,
        0.014);
    add("hand", "hand", {Side + "HandIndex1", Side + "HandMiddle1"}, false, true, 0);
  }
  roles.push_back(
      {"pelvis", {"pelvis"}, {"Hips", "hip", "Pelvis", "root"}, true, false, false, 0.05});
  roles.push_back(
      {"chest", {"vt5", "t06"}, {"Spine1", "Spine2", "Chest", "chest"}, false, false, false, 0.05});
  roles.push_back({"head", {"skull"}, {"Head", "head"}, true, false, true, 0.1});
  return roles;
}

std::vector<std::string> roleNames() {
  std::vector<std::string> names;
  for (const ClipRole& r : clipRoles()) names.push_back(r.name);
  return names;
}

std::string trimmed(std::string text) {
  const char* blanks = " \t\r\"";
  text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
  text.erase(text.find_last_not_of(blanks) + 1);
  return text;
}

/// A joint by its name, whatever stands before a colon ("mixamorig:Hips"); -1: none.
int findJoint(const io::Bvh& clip, const std::string& name) {
  for (std::size_t i = 0; i < clip.joints.size(); ++i) {
    const std::string& full = clip.joints[i].name;
    const std::size_t colon = full.rfind(':');
    if (full == name || (colon != std::string::npos && full.substr(colon + 1) == name))
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

const std::vector<ClipRole>& clipRoles() {
  static const std::vector<ClipRole> roles = makeRoles();
  return roles;
}

ClipJointMap ClipJointMap::read(const std::filesystem::path& file) {
  constexpr std::size_t kLargest = 1 << 20;  // some twenty short lines, really
  std::istringstream in(io::readFile(file, kLargest).valueOrThrow());
  ClipJointMap map;
  std::vector<Diagnostic> findings;
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    text = trimmed(text.substr(0, text.find('#')));
    if (text.empty()) continue;
    const std::size_t equals = text.find('=');
    const std::string role = trimmed(text.substr(0, equals));
    const std::vector<std::string> names = roleNames();
    if (equals == std::string::npos)
      findings.push_back({.where = {file.string(), line},
                          .message = "found '" + text + "'",
                          .expected = "role = joint name"});
    else if (std::find(names.begin(), names.end(), role) == names.end())
      findings.push_back({.where = {file.string(), line},
                          .message = "unknown role '" + role + "'",
                          .nearest = nearestName(role, names)});
    else
      map.set(role, trimmed(text.substr(equals + 1)));
  }
  if (!findings.empty()) throw InputError(findings);
  return map;
}

std::vector<int> ClipJointMap::resolve(const io::Bvh& clip) const {
  std::vector<int> joints;
  std::vector<Diagnostic> missing;
  for (const ClipRole& role : clipRoles()) {
    int joint = -1;
    if (const auto own = own_.find(role.name); own != own_.end()) {
      joint = clip.find(own->second);
    } else {
      for (std::size_t k = 0; k < role.known.size() && joint < 0; ++k)
        joint = findJoint(clip, role.known[k]);
    }
    if (joint < 0 && role.required)
      missing.push_back(
          {.subject = "clip",
           .message = "has no joint for '" + role.name + "'",
           .expected = "a joint such as '" + role.known.front() + "', or a line in a joint table"});
    joints.push_back(joint);
  }
  if (!missing.empty()) throw InputError(missing);
  return joints;
}

}  // namespace pneuma::skeleton
