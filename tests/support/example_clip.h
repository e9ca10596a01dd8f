#pragma once

#include <array>
#include <string>
#include <vector>

namespace pneuma::test {

/// A clip of a body with other proportions in a T-pose, then one frame per angle of the left knee,
/// hip, elbow and shoulder, in degrees.
inline std::string clipText(const std::vector<std::array<double, 4>>& angles) {
  const auto joint = [](const std::string& name, const std::string& offset,
                        const std::string& children) {
    return "JOINT " + name + "\n{\nOFFSET " + offset +
           "\nCHANNELS 3 Zrotation Yrotation Xrotation\n" + children + "}\n";
  };
  const auto end = [](const std::string& offset) {
    return "End Site\n{\nOFFSET " + offset + "\n}\n";
  };
  const auto arm = [&](const std::string& side, const std::string& sign) {
    const std::string hand = joint(side + "Hand", sign + "22 0 0", end(sign + "8 0 0"));
    return joint(side + "Arm", sign + "15 10 0", joint(side + "ForeArm", sign + "30 0 0", hand));
  };
  const auto leg = [&](const std::string& side, const std::string& sign) {
    const std::string foot = joint(side + "Foot", "0 -41 0", end("0 -6 14"));
    return joint(side + "UpLeg", sign + "10 -8 0", joint(side + "Leg", "0 -40 0", foot));
  };
  std::string text =
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
      "Yrotation Xrotation\n" +
      leg("Left", "") + leg("Right", "-") +
      joint("Chest", "0 35 0",
            arm("Left", "") + arm("Right", "-") + joint("Head", "0 26 0", end("0 15 0"))) +
      "}\nMOTION\nFrames: " + std::to_string(angles.size() + 1) + "\nFrame Time: 0.04\n";
  // Order of joints: root, left leg (3), right leg (3), chest, left arm (3), right arm (3), head.
  const auto frame = [&](const std::array<double, 4>& a) {
    std::array<double, 3 + 15 * 3> v{};
    v[0] = 12, v[1] = 100, v[2] = -7;
    const auto set = [&](std::size_t index, std::size_t axis, double value) {
      v[3 + 3 * index + axis] = value;
    };
    set(2, 2, a[0]);   // left knee about x
    set(1, 2, -a[1]);  // left hip
    set(9, 1, -a[2]);  // left elbow about y: forwards
    set(8, 0, -a[3]);  // left shoulder about z: down
    for (double value : v) text += std::to_string(value) + " ";
    text += "\n";
  };
  frame({});
  for (const auto& a : angles) frame(a);
  return text;
}

}  // namespace pneuma::test
