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
/// of the body and of the breath styles, and shapes from which those of any person follow.
///
///   "PNEUMAPB"   8 bytes
///   version      u32, kBodyPackVersion
///   hash         u64, Hash64 over all that follows
///   content      io/pack.h: person, texts, bones, skin with its binding, muscles
///
/// Places are rounded to 1/65535 of their part's box (0.03 mm on the skin), weights to 1/65535.
namespace pneuma::stage {

inline constexpr std::uint32_t kBodyPackVersion = 3;
inline constexpr int kMuscleLinks = 4;

/// A muscle's surface that goes with the links around it.
struct MuscleShape {
  std::string name;
  bool tendon = false;
  TriangleMesh mesh;                                          ///< at rest in the body frame
  std::vector<std::array<std::int32_t, kMuscleLinks>> links;  ///< of each vertex, of the model
  std::vector<std::array<double, kMuscleLinks>> weights;      ///< sum 1
};

/// The skin of people who differ in what the map of a person does not know: sex and fat.
struct SkinForms {
  std::vector<Triangle> triangles;
  std::vector<anatomy::SkinPart> parts;
  std::vector<double> armShare;  ///< of each vertex: 0 follows the trunk's branch, 1 the arm's
  /// Skins of each sex, lean to stout, every vertex brought back to the subject.
  std::array<std::vector<std::vector<Vec3>>, 2> bySex;  ///< 0 male, 1 female
  skin::SkinBinding binding;                            ///< its samples on the subject's bones
};

/// Surfaces of bones and muscles are the subject's, who was measured.
struct BodyPack {
  PersonRequest person;  ///< unless another one is asked for: all four stated
  std::string body;      ///< text of the measured body, without what only shapes are made from
  std::string styles;    ///< text of the breath styles
  BoneMeshes bones;
  SkinForms skin;
  std::vector<MuscleShape> muscles;
};

/// How fine the shapes are.
struct BodyPackOptions {
  int skinTriangles = 20000;
  double boneTolerance = 1e-3;      ///< [m]
  double muscleTolerance = 1.5e-3;  ///< [m]
  bool everyone = true;             ///< false: the skin of the one person alone
};

/// Makes surfaces, which takes a minute when none is cached. `measured` as loaded, `styles` the
/// text of a file of styles. Throws InputError.
BodyPack makeBodyPack(const anatomy::Body& measured, const PersonRequest& person,
                      std::string styles, const BodyPackOptions& options = {});

/// The measured body of a pack, expanded.
anatomy::Body packedBody(const BodyPack& pack);

/// The shapes of a person, from those of a pack and its measured body:
///
///   bones, samples   x = M_branch(p)              the one map of a person (anatomy::PersonMap)
///   muscles, skin    x = (1 - a) M_trunk(p) + a M_arm(p)           a the arm's share
///   skin             p = (1 - u) p_k + u p_k+1    between two forms of the sex, such that the
///                                                 volume inside is skinVolume(person)
///
/// Beyond the leanest and the stoutest form it is drawn out a little, then left. Throws InputError
/// for someone who cannot be, or for another sex than a pack of one person has.
PersonShapes packedShapes(const BodyPack& pack, const anatomy::Body& measured,
                          const anatomy::Person& person);
/// `links` of the articulation that muscles are bound to, by the branch that each follows.
std::vector<MuscleShape> packedMuscles(const BodyPack& pack, const anatomy::Body& measured,
                                       const anatomy::CompiledBody& compiled,
                                       const anatomy::Person& person);

/// For each vertex of each muscle the line of the articulation that runs nearest to it at rest, of
/// those that pull in this muscle; -1: none does.
std::vector<std::vector<std::int32_t>> nearestLines(const std::vector<MuscleShape>& muscles,
                                                    const anatomy::CompiledBody& compiled);

std::string encodePack(const BodyPack& pack);
/// Throws InputError for bytes that are no pack, of another version, cut short or damaged.
BodyPack decodePack(std::string_view bytes);

}  // namespace pneuma::stage
