#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/stage/living_actor.h"
#include "pneuma/stage/person_request.h"

/// A body in one small file, for places where none of its surfaces can be made (a browser): text
/// of the body and of the breath styles, and the shapes of one person.
///
///   "PNEUMAPB"   8 bytes
///   version      u32, kBodyPackVersion
///   hash         u64, Hash64 over all that follows
///   content      io/pack.h: person, texts, bones, skin with its binding, muscles
///
/// Places are rounded to 1/65535 of their part's box (0.03 mm on the skin), weights to 1/65535.
namespace pneuma::stage {

inline constexpr std::uint32_t kBodyPackVersion = 1;
inline constexpr int kMuscleLinks = 4;

/// A muscle's surface that goes with the links around it.
struct MuscleShape {
  std::string name;
  bool tendon = false;
  TriangleMesh mesh;                                          ///< at rest in the body frame
  std::vector<std::array<std::int32_t, kMuscleLinks>> links;  ///< of each vertex, of the model
  std::vector<std::array<double, kMuscleLinks>> weights;      ///< sum 1
};

struct BodyPack {
  PersonRequest person;  ///< whose shapes these are, all four stated
  std::string body;      ///< text of the measured body, without what only shapes are made from
  std::string styles;    ///< text of the breath styles
  PersonShapes shapes;
  std::vector<MuscleShape> muscles;
};

/// How fine the shapes are.
struct BodyPackOptions {
  int skinTriangles = 20000;
  double boneTolerance = 1e-3;      ///< [m]
  double muscleTolerance = 1.5e-3;  ///< [m]
};

/// Makes surfaces, which takes some seconds. `measured` as loaded, `styles` the text of a file of
/// styles. Throws InputError.
BodyPack makeBodyPack(const anatomy::Body& measured, const PersonRequest& person,
                      std::string styles, const BodyPackOptions& options = {});

/// The measured body of a pack, expanded.
anatomy::Body packedBody(const BodyPack& pack);

std::string encodePack(const BodyPack& pack);
/// Throws InputError for bytes that are no pack, of another version, cut short or damaged.
BodyPack decodePack(std::string_view bytes);

}  // namespace pneuma::stage
