#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/progress.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/survey/measure_pack.h"

/// Where muscles hold on to bones, measured on real meshes.
///
/// A muscle's patch on a bone is the part of the muscle's surface within a few millimetres of it,
/// moved onto it. A patch is cut across a direction into as many parts of equal area as the muscle
/// has lines there; each gives one point. Left and mirrored right are averaged, and the mean is
/// moved onto the bone as the body describes it, so that the point lies on the generated surface.
namespace pneuma::survey {

/// How points are taken from a patch.
struct PatchRule {
  int count = 1;               ///< parts, one point each
  Vec3 along = Vec3::UnitY();  ///< from the first part to the last
  double from = 0, to = 1;     ///< stretch of the patch that is used, fractions of its area
  /// Only the tenth of each part that lies farthest this way counts; zero: all of it.
  Vec3 edge = Vec3::Zero();
  double reach = 0.004;  ///< distance that counts as touching [m]; grows until a patch is found
};

/// A point on a surface with the direction outwards.
struct SurfacePoint {
  Vec3 position = Vec3::Zero();  ///< [m]
  Vec3 normal = Vec3::Zero();    ///< unit
};

/// Points of a muscle's patch on a bone. Throws InputError when the muscle comes nowhere near it.
std::vector<SurfacePoint> measurePatch(const SurfaceQuery& bone, const TriangleMesh& muscle,
                                       const PatchRule& rule);

/// The place of a surface that belongs to a point measured on another, similar surface: along the
/// normal where that meets it near by, else the closest place. Keeps to the right side of a plate.
SurfacePoint moveOnto(const SurfaceQuery& surface, const SurfacePoint& measured);

/// A named point of a bone.
struct Attachment {
  std::string bone, point;
  Vec3 position = Vec3::Zero();  ///< on the described bone [m]
  double moved = 0;              ///< from the measured place [m]
};

/// A line along a bone for muscles that pass over it: "outer" runs along the outside of a rib, a
/// few millimetres off its surface.
struct Passage {
  std::string bone, curve;
  std::vector<Vec3> points;  ///< evenly along the bone's centreline [m]
};

/// What the muscles need to know of the bones: where they attach, and where they pass over.
struct AttachmentSurvey {
  std::vector<Attachment> points;
  std::vector<Passage> passages;
};

/// All attachments and passages of the default muscles: patches of the folder's meshes, and places
/// near landmarks of the body (tips of vertebrae, edges and outer faces of ribs). `skeleton` is an
/// expanded body with bones, landmarks and shapes, as measured; muscles are not needed.
AttachmentSurvey measureAttachments(const AnatomyPack& pack, const anatomy::Body& skeleton,
                                    const anatomy::GeometryCache& cache, Progress& progress);

/// Bones, landmarks and shapes of a body file without what refers to attachments, expanded. Tables
/// of the same name in the folder `measured`, where given, take the place of the body's own.
anatomy::Body loadSkeleton(const std::filesystem::path& bodyFile,
                           const std::filesystem::path& measured = {});

/// Body text (`[[landmarks]]`) to a tenth of a millimetre, bones in the order of `bones`.
std::string attachmentsText(const AttachmentSurvey& survey, const std::vector<anatomy::Bone>& bones,
                            const std::string& credit);

}  // namespace pneuma::survey
