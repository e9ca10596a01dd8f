#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"

namespace pneuma::anatomy {

/// How a hand is held: as it hangs, or closed around a bar.
enum class HandPosture { Relaxed, Gripping };

/// The bar in a gripping hand, in the body frame at rest.
struct HandGrip {
  Vec3 center = Vec3::Zero();  ///< on its axis, below the middle finger [m]
  Vec3 axis = Vec3::UnitX();   ///< of the bar, along the knuckles towards the thumb
};

/// Thickness of the bar that gripping hands are closed around, as that of a dumbbell [m].
inline constexpr double kGripRadius = 0.014;

/// Hands as people let them hang or close them around a bar. The subject was measured with fingers
/// spread and all but straight; a hand is one bone of the articulations, so this is a shape of the
/// rest pose: a map of places of the measured hand to where a relaxed one has them.
///
/// Each finger is a chain of joints (mcp, pip, dip; thumb: carpometacarpal, mcp) found from the
/// body's landmarks. A place p near chain f turns about the joints below it, the farthest first,
///
///   T_f(p) = R_mcp R_pip R_dip p,   each by its angle times smoothStep(s / c),
///
/// s: how far p lies beyond the joint along the finger, c: half a finger's width on either side, so
/// that knuckles bend as a band of skin; chains and palm share p by their distances,
///
///   p' = sum_f w_f T_f(p) + w_palm p,   w ~ d^-6.
///
/// Angles are those that a joint shall have, not what is added: a hand that is relaxed already
/// stays as it is. In a gripping hand every bone of a finger touches the bar.
class RelaxedHands {
 public:
  /// For a body in its own size, expanded. Without the landmarks of a hand nothing moves.
  explicit RelaxedHands(const Body& body, HandPosture left = HandPosture::Relaxed,
                        HandPosture right = HandPosture::Relaxed);

  /// Where a hand so held has a place of either hand; x tells the side [m].
  Vec3 operator()(const Vec3& place) const;
  /// The surface of a bone in a hand so held; of any other bone as it is.
  TriangleMesh bone(std::string_view name, TriangleMesh mesh) const;
  /// The bar in a hand that grips; nothing without landmarks.
  std::optional<HandGrip> grip(bool right) const;

 private:
  /// A hinge: everything beyond it turns.
  struct Joint {
    Vec3 center, along, axis;  ///< `along` points to the finger's tip
    double angle = 0;          ///< [rad]
    double band = 0;           ///< c [m]
  };
  struct Chain {
    std::vector<Joint> joints;  ///< from the palm on
    std::vector<Vec3> line;     ///< the finger's middle, to its tip
  };

  struct Landmarks;
  static Chain finger(const Landmarks& hand, std::size_t number, HandPosture posture);
  static Chain thumb(const Landmarks& hand, HandPosture posture);
  static Vec3 turned(const Chain& chain, Vec3 p, double bands);
  Vec3 moved(const Vec3& place, double bands) const;

  std::array<std::vector<Chain>, 2> chains_;  ///< left and right, both in the left hand's place
  std::array<HandPosture, 2> posture_{};
  std::vector<std::array<Vec3, 2>> palm_;  ///< lines that stay
  HandGrip grip_;                          ///< of a left hand
};

/// makeSkinSurface with relaxed hands: the skin that is shown.
SkinSurface makeShownSkin(const Body& measured, const Person& person, int triangles,
                          const GeometryCache& cache);
/// The same with hands held as given; they are those of the person.
SkinSurface makeShownSkin(const Body& measured, const Person& person, int triangles,
                          const GeometryCache& cache, const RelaxedHands& hands);

}  // namespace pneuma::anatomy
