#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/taper.h"

/// What a character's fit adds to a body: its own skeleton, cage and skin.
namespace pneuma::anatomy {

/// How a piece of the trunk goes from the person to the character. Level planes stay level, the
/// mid-plane stays the mid-plane.
///
///   x' = width x     y' = height y + rise     z' = depth z + lean y + forward
struct TrunkRow {
  double width = 1, height = 1, rise = 0;   ///< [-], [-], [m]
  double depth = 1, lean = 0, forward = 0;  ///< [-], [-], [m]

  Vec3 operator()(const Vec3& p) const {
    return {width * p.x(), height * p.y() + rise, depth * p.z() + lean * p.y() + forward};
  }
};

/// Joint centres of the left side at rest, arms hanging [m].
struct LimbJoints {
  Vec3 shoulder = Vec3::Zero(), elbow = Vec3::Zero(), wrist = Vec3::Zero();
  Vec3 hip = Vec3::Zero(), knee = Vec3::Zero(), ankle = Vec3::Zero();
};

/// The shapes that a fit found, told against the person of that sex, height and mass (PersonMap).
/// The inside is that of a symmetric body: left and right of a character are averaged. The skin is
/// the character's own.
struct FittedShapes {
  std::string character;        ///< file it was fitted to, for people to read
  Sex sex = Sex::Male;          ///< the person whom the shapes are told against
  double height = 0, mass = 0;  ///< [m], [kg]
  TrunkRow pelvis, cage, head;
  LimbJoints joints;
  double hand = 1, foot = 1;  ///< size against the person's [-]
  double arm = 1, leg = 1;    ///< girth of their long bones against the person's [-]
  /// Stations of partTapers, part by part: bones drawn in so that they lie within the skin. Empty:
  /// nothing is changed.
  std::array<std::vector<Taper::Station>, kFittedParts> tapers;
  std::uint64_t topology = 0;  ///< SkinTopology::id of `skin`
  std::vector<Vec3> skin;      ///< vertices of the one skin at its coarsest level, rest [m]
};

inline constexpr int kFittedVersion = 1;  ///< of the table `[fit]`

/// The shapes in the `[fit]` table of a body, or none. The table is checked when a body is read and
/// travels with it as text (Body::unknownFields), so that it costs nothing where no one asks.
/// Throws InputError with file and field for a table of another version or a damaged one.
std::optional<FittedShapes> fittedShapes(const Body& body);
bool isFitted(const Body& body);

/// The body with these shapes, and without any.
Body withFit(Body body, const FittedShapes& shapes);
Body withoutFit(Body body);

/// A body file for a body with shapes that was read from a file: it includes that file, names the
/// person and holds the shapes. Written out in full (bodyText) its numbers would be rounded, and
/// its skin be another.
std::string fittedBodyText(const Body& body);

/// Throws InputError when a person is not the one whom the shapes belong to.
void requireFittedPerson(const FittedShapes& shapes, const Person& person);

}  // namespace pneuma::anatomy
