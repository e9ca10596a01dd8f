#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "pneuma/core/random.h"

namespace pneuma::test {

/// Hierarchy of a body with other proportions in a T-pose: root and 15 joints, in the order root,
/// left leg (3), right leg (3), chest, left arm (3), right arm (3), head.
inline std::string clipHierarchy() {
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
  return "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
         "Zrotation "
         "Yrotation Xrotation\n" +
         leg("Left", "") + leg("Right", "-") +
         joint("Chest", "0 35 0",
               arm("Left", "") + arm("Right", "-") + joint("Head", "0 26 0", end("0 15 0"))) +
         "}\n";
}

/// Channels of one frame: place of the root, then Z, Y and X rotation of each joint in degrees.
using ClipFrame = std::array<double, 3 + 15 * 3>;

inline double& clipAngle(ClipFrame& frame, std::size_t joint, std::size_t axis) {
  return frame[3 + 3 * joint + axis];
}

/// Hierarchy and frames as the text of a BVH file; the first frame is the T-pose.
inline std::string clipOf(const std::vector<ClipFrame>& frames, const std::string& interval) {
  std::string text = clipHierarchy() + "MOTION\nFrames: " + std::to_string(frames.size()) +
                     "\nFrame Time: " + interval + "\n";
  for (const ClipFrame& frame : frames) {
    for (const double value : frame) text += std::to_string(value) + " ";
    text += "\n";
  }
  return text;
}

/// A clip of the T-pose, then one frame per angle of the left knee, hip, elbow and shoulder, in
/// degrees.
inline std::string clipText(const std::vector<std::array<double, 4>>& angles) {
  std::vector<ClipFrame> frames;
  const auto add = [&](const std::array<double, 4>& a) {
    ClipFrame f{};
    f[0] = 12, f[1] = 100, f[2] = -7;
    clipAngle(f, 2, 2) = a[0];   // left knee about x
    clipAngle(f, 1, 2) = -a[1];  // left hip
    clipAngle(f, 9, 1) = -a[2];  // left elbow about y: forwards
    clipAngle(f, 8, 0) = -a[3];  // left shoulder about z: down
    frames.push_back(f);
  };
  add({});
  for (const auto& a : angles) add(a);
  return clipOf(frames, "0.04");
}

/// A walk of three strides of 1.1 s at 120 frames per second: legs and arms swing, the pelvis bobs
/// by 40 mm at the step rate and sways by 30 mm at the stride rate, the chest turns against it.
/// `jitter` [degrees, and cm of the root] is added to every channel, as markers have it.
inline std::string walkClipText(double jitter) {
  constexpr double kInterval = 1.0 / 120, kStride = 1.1, kTurn = 6.283185307179586;
  std::vector<ClipFrame> frames(1);
  frames[0][1] = 100;
  Random random(11);
  for (int i = 0; i * kInterval < 3 * kStride; ++i) {
    const double t = i * kInterval, phase = kTurn * t / kStride;
    const double swing = std::sin(phase);
    ClipFrame f{};
    f[0] = 1.5 * swing;
    f[1] = 98 + 2 * std::cos(2 * phase);
    f[2] = 120 * t;
    clipAngle(f, 0, 1) = 5 * swing;
    clipAngle(f, 7, 1) = -8 * swing;
    for (const double side : {1.0, -1.0}) {
      const std::size_t hip = side > 0 ? 1 : 4, shoulder = side > 0 ? 8 : 11;
      clipAngle(f, hip, 2) = -25 * side * swing;
      clipAngle(f, hip + 1, 2) = 25 + 20 * std::sin(phase + (side > 0 ? 0.8 : 3.94));
      clipAngle(f, shoulder, 0) = -75 * side;
      clipAngle(f, shoulder, 1) = 15 * swing;
    }
    for (double& value : f) value += jitter * random.normal();
    frames.push_back(f);
  }
  return clipOf(frames, "0.00833333");
}

}  // namespace pneuma::test
