// Attachments that no mesh shows: places near landmarks and along the ribs.
#include <fmt/format.h>

#include <algorithm>

#include "anatomy/text/names.h"
#include "survey/attachment_recipes.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

using PlaceTable = std::vector<PlaceRecipe>;

constexpr double kMillimetre = 1e-3;

void addPlace(PlaceTable& t, const std::string& bone, const std::string& point,
              const std::string& at, const Vec3& offsetMillimetres) {
  PointRef ref;
  ref.at = at;
  ref.offset = kMillimetre * offsetMillimetres;
  t.push_back({bone, point, ref});
}

/// Processes of a vertebra, where the short muscles of the back hold on.
void addVertebra(PlaceTable& t, const std::string& level) {
  const std::string bone = "vertebra_" + level;
  const std::string spinous = bone + ":spinous_tip", transverse = bone + ":transverse_tip_l";
  const double back = level[0] == 'c' ? 1 : 2;
  addPlace(t, bone, "spinous", spinous, {0, 0, 0});
  addPlace(t, bone, "spinous_upper_l", spinous, {3, 2, back});
  addPlace(t, bone, "spinous_lower_l", spinous, {3, -2, back});
  addPlace(t, bone, "transverse_l", transverse, {0, 0, 0});
  addPlace(t, bone, "transverse_upper_l", transverse, {-2, 3, 0});
  addPlace(t, bone, "transverse_lower_l", transverse, {-2, -3, 0});
  addPlace(t, bone, "transverse_front_l", transverse, {-2, 0, 3});
  addPlace(t, bone, "transverse_back_l", transverse, {-2, 0, -3});
  // Short muscles start at the articular pillar in the neck, at the root of the process below.
  addPlace(t, bone, "transverse_root_l", transverse,
           level[0] == 'c' ? Vec3(-5, 3, -14) : Vec3(-6, 1, -4));
  addPlace(t, bone, "lamina_l", spinous, {6, 0, 0});
  PointRef& lamina = t.back().near;
  lamina.towards = bone + ":body_center";
  lamina.fraction = 0.25;
}

/// Tendons that the source leaves short of their bone, and passages at the wrist.
void addTendons(PlaceTable& t) {
  addPlace(t, "hand_l", "palmaris_longus", "hand_l:wrist_center", {3, -23, 20});
  addPlace(t, "hand_l", "carpal_tunnel", "hand_l:wrist_center", {-10, -14, 18});
  addPlace(t, "patella_l", "quadriceps", "patella_l:joint_surface", {11.6, 9, 7});
  addPlace(t, "patella_l", "patellar_ligament", "patella_l:joint_surface", {10.4, -32, 2});
  addPlace(t, "tibia_l", "patellar_ligament", "femur_l:knee_center", {11.8, -63, 42});
  addPlace(t, "tibia_l", "pes_anserinus", "femur_l:knee_center", {-10, -95, 22});
  addPlace(t, "midfoot_l", "tibialis_anterior", "midfoot_l:midtarsal", {-19, -6, 45});
  addPlace(t, "sacrum", "intertransversarius_l", "vertebra_l5:transverse_tip_l", {-4, -24, -6});
}

const std::vector<Vec3>& centreline(const PointTable& points, const std::string& bone) {
  const std::vector<Vec3>* curve = points.curve(points.findBone(bone), "centreline");
  if (!curve)
    throw InputError(Diagnostic{.subject = fmt::format("landmarks '{}'", bone),
                                .field = "curves.centreline",
                                .message = "is missing",
                                .expected = "the centreline, for the edges of the ribs"});
  return *curve;
}

std::string ribName(int rib) {
  return fmt::format("rib_{:02}_l", rib);
}

Vec3 tangentAt(const std::vector<Vec3>& line, double t) {
  return (pointAlong(line, t + 0.02) - pointAlong(line, t - 0.02)).normalized();
}

/// From a place on a rib across to its neighbour.
Vec3 acrossTo(const PointTable& points, int rib, double t, int neighbour) {
  const std::vector<Vec3>& line = centreline(points, ribName(rib));
  const std::vector<Vec3>& other = centreline(points, ribName(neighbour));
  const Vec3 here = pointAlong(line, t), along = tangentAt(line, t);
  Vec3 nearest = other.front();
  for (const Vec3& p : other)
    if ((p - here).norm() < (nearest - here).norm()) nearest = p;
  const Vec3 d = nearest - here;
  return (d - d.dot(along) * along).normalized();
}

/// The edge of a rib that faces another.
void addEdge(PlaceTable& t, const PointTable& points, const std::string& point, int rib,
             int neighbour, double fraction) {
  constexpr double kBeyond = 0.009;  // more than half the height of a rib [m]
  PointRef ref;
  ref.position = pointAlong(centreline(points, ribName(rib)), fraction) +
                 kBeyond * acrossTo(points, rib, fraction, neighbour);
  t.push_back({ribName(rib), point, ref});
}

/// External fibres run forwards and down, internal ones backwards and down [fractions of the rib].
void addIntercostals(PlaceTable& t, const PointTable& points) {
  for (int rib = 1; rib <= 10; ++rib) {
    const int next = rib + 1;
    addEdge(t, points, "external_intercostal_above", rib, next, 0.40);
    addEdge(t, points, "external_intercostal_below", next, rib, rib < 9 ? 0.51 : 0.50);
    addEdge(t, points, "internal_intercostal_above", rib, next, rib < 10 ? 0.64 : 0.70);
    addEdge(t, points, "internal_intercostal_below", next, rib, rib < 10 ? 0.50 : 0.60);
  }
}

Vec3 between(const PointTable& points, const std::string& bone, double fraction) {
  const Vec3 from = points.find(bone + ":sternal").valueOrThrow().position;
  return from + fraction * (points.find(bone + ":costochondral").valueOrThrow().position - from);
}

/// Parasternals: the internal run between the cartilages beside the sternum, down and outwards.
void addParasternals(PlaceTable& t, const PointTable& points) {
  for (int n = 1; n <= 5; ++n) {
    const std::string above = fmt::format("costal_cartilage_{:02}_l", n),
                      below = fmt::format("costal_cartilage_{:02}_l", n + 1);
    const Vec3 upper = between(points, above, 0.25), lower = between(points, below, 0.5);
    PointRef ref;
    ref.position = upper + 0.3 * (lower - upper);
    t.push_back({above, "parasternal_above", ref});
    ref.position = lower + 0.3 * (upper - lower);
    t.push_back({below, "parasternal_below", ref});
  }
}

}  // namespace

std::vector<PlaceRecipe> placeRecipes(const PointTable& points) {
  PlaceTable t;
  for (const std::string& level : vertebralLevels()) addVertebra(t, level);
  addTendons(t);
  addIntercostals(t, points);
  addParasternals(t, points);
  return t;
}

std::vector<Vec3> ribOutside(const PointTable& points, int rib, int count, double distance) {
  const std::vector<Vec3>& line = centreline(points, ribName(rib));
  std::vector<Vec3> outside;
  for (int i = 0; i < count; ++i) {
    const double t = std::clamp(static_cast<double>(i) / (count - 1), 0.02, 0.98);
    const Vec3 here = pointAlong(line, t);
    const Vec3 down = acrossTo(points, rib, t, rib < 12 ? rib + 1 : rib - 1);
    Vec3 out = tangentAt(line, t).cross(down).normalized();
    // Away from the middle of the chest, which lies some centimetres before the spine.
    const Vec3 radial(here.x(), 0, here.z() - 0.09);
    if (out.dot(radial) < 0) out = -out;
    outside.push_back(here + distance * out);
  }
  return outside;
}

}  // namespace pneuma::survey::internal
