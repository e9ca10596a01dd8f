#pragma once

#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/model.h"

namespace pneuma::control {

/// Parts of a body that are tensed by themselves and, grouped, solved by themselves [Lee09, Sec.
/// 4.4]: each arm, head and neck, torso; legs where there are some. The torso comes last: the
/// muscles of the others load its joints too.
enum class BodyPart { ArmLeft, ArmRight, HeadNeck, LegLeft, LegRight, Torso };
inline constexpr int kBodyPartCount = 6;
/// "arm_l", "arm_r", "neck", "leg_l", "leg_r", "torso"
const std::vector<std::string>& bodyPartNames();

/// Which part each degree of freedom and each muscle belongs to.
///
/// Reading: the paper counts 5 joints of an arm, 26 of head and neck and 75 of the torso for 41,
/// 300 and 432 muscles; so the clavicles belong to the torso, and a muscle to the region of
/// Table 1.
struct BodyParts {
  BodyParts() = default;
  BodyParts(const anatomy::CompiledBody& body, const skeleton::Model& model);

  std::vector<BodyPart> ofDof;
  std::vector<BodyPart> ofMuscle;
};

/// A number for each part, all 0 at first.
struct PerPart {
  double values[kBodyPartCount] = {};
  double& operator[](BodyPart p) { return values[static_cast<int>(p)]; }
  double operator[](BodyPart p) const { return values[static_cast<int>(p)]; }
  bool anyPositive() const;
};

/// "arms=0.5,neck=0.2", "all=1" or "0.5". Throws InputError that names `subject` for what is not
/// understood, an unknown part (with the nearest name), and a value below 0.
PerPart parsePerPart(const std::string& text, const std::string& subject);

}  // namespace pneuma::control
