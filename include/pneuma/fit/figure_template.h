#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/fit/landmarks.h"

namespace pneuma::fit {

/// Joint centres and ends of a figure, left first [m].
struct FigureJoints {
  Vec3 neck = Vec3::Zero();  ///< base of the neck
  Vec3 top = Vec3::Zero();   ///< of the head
  std::array<Vec3, 2> shoulder, elbow, wrist, hand, hip, knee, ankle, toe;
};

/// Pairs of joint centres that can be given: where each lies in FigureJoints, and its name.
struct NamedPair {
  const char* name;
  std::array<Vec3, 2> FigureJoints::*place;
};
inline constexpr std::array<NamedPair, 6> kNamedPairs{{{"shoulder", &FigureJoints::shoulder},
                                                       {"elbow", &FigureJoints::elbow},
                                                       {"wrist", &FigureJoints::wrist},
                                                       {"hip", &FigureJoints::hip},
                                                       {"knee", &FigureJoints::knee},
                                                       {"ankle", &FigureJoints::ankle}}};

/// Our person, measured by the same means as a character.
struct FigureTemplate {
  anatomy::Person person;
  std::shared_ptr<const anatomy::Body> body;  ///< fitted to the person
  anatomy::SkinSurface skin;                  ///< at the coarsest level, rest pose
  FigureJoints joints;                        ///< of the anatomy
  BodyMeasures measures;                      ///< of the skin
};

/// `measured` is the expanded body of the subject.
FigureTemplate makeFigureTemplate(const anatomy::Body& measured, const anatomy::Person& person,
                                  const anatomy::GeometryCache& cache);

/// The map of the trunk from template to character: scaled by width and depth about the middle of
/// the trunk, by heights between hips and neck.
struct TrunkMap {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  ///< middle of the hips' height and the neck's
  Vec3 scale = Vec3::Ones();

  Vec3 operator()(const Vec3& p) const { return to + scale.cwiseProduct(p - from); }
};

/// A straight arm: it does not show where it bends.
struct StraightArm {
  bool straight = false;
  /// Above where the forearm's bulge ends, if that is seen [m].
  std::optional<Vec3> elbow;
};

/// A character's joints: where the template's lie beside what both show of themselves.
struct FoundJoints {
  FigureJoints joints;
  TrunkMap trunk;
  std::array<StraightArm, 2> arms;
  /// Heights of the knees as the hollows behind them show them, where both bodies have one [m].
  std::array<std::optional<double>, 2> kneeByHollow;
};
FoundJoints findJoints(const FigureTemplate& figure, const BodyMeasures& character);

/// Moves the elbows of straight arms along them: to where the arm shows them, or else to where
/// upper arm and forearm are in our person's ratio.
void placeStraightElbows(const FigureJoints& figure, const std::array<StraightArm, 2>& arms,
                         double height, FigureJoints& joints);

/// Left and right made mirror images of each other at x = 0: the mean of both.
void evenSides(FigureJoints& joints);

}  // namespace pneuma::fit
