#include "survey/measure_recipes.h"

#include <fmt/format.h>

namespace pneuma::survey::internal {

namespace {

using Recipes = std::vector<Recipe>;

/// A bone of one mesh and one piece.
Recipe simple(std::string name, std::string group, bool paired, RecipePiece piece) {
  piece.meshes = {name};
  return {std::move(name), std::move(group), paired, {std::move(piece)}};
}

void addSpine(Recipes& all) {
  const RecipePiece cervical{.ellipsoids = 18, .cuts = 3, .spacing = 0.0012, .blend = 0.0015};
  const RecipePiece thoracic{.ellipsoids = 19, .cuts = 3, .spacing = 0.0014, .blend = 0.002};
  const RecipePiece lumbar{.ellipsoids = 19, .cuts = 3, .spacing = 0.0018, .blend = 0.0025};
  for (int i = 1; i <= 7; ++i) {
    Recipe r = simple(fmt::format("vertebra_c{}", i), "spine", false, cervical);
    if (i == 1) r.pieces[0].meshes = {"vertebra_c1_atlas"};
    if (i == 2) r.pieces[0].meshes = {"vertebra_c2_axis"};
    all.push_back(r);
  }
  for (int i = 1; i <= 12; ++i)
    all.push_back(simple(fmt::format("vertebra_t{:02}", i), "spine", false, thoracic));
  for (int i = 1; i <= 5; ++i)
    all.push_back(simple(fmt::format("vertebra_l{}", i), "spine", false, lumbar));
  all.push_back(simple("sacrum", "spine", false,
                       {.ellipsoids = 34, .cuts = 8, .spacing = 0.002, .blend = 0.0025}));
}

void addThorax(Recipes& all) {
  for (int i = 1; i <= 12; ++i)
    all.push_back(simple(fmt::format("rib_{:02}_l", i), "ribs", true,
                         {.ellipsoids = i == 12 ? 9 : 14,
                          .cuts = 0,
                          .spacing = 0.0012,
                          .blend = 0.003,
                          .centreline = i == 1 || i == 12 ? 10 : 14}));
  for (int i = 1; i <= 7; ++i)
    all.push_back(simple(fmt::format("costal_cartilage_{:02}_l", i), "ribs", true,
                         {.ellipsoids = 4 + i / 2,
                          .cuts = 0,
                          .spacing = 0.0012,
                          .blend = 0.0025,
                          .centreline = 5 + i / 2}));
  // The folder holds cartilages 8 to 10 as one piece; each is the branch from its rib.
  for (int i = 8; i <= 10; ++i)
    all.push_back({fmt::format("costal_cartilage_{:02}_l", i),
                   "ribs",
                   true,
                   {{.meshes = {"costal_cartilage_08_10_l"},
                     .ellipsoids = 0,
                     .cuts = 0,
                     .spacing = 0.0012,
                     .blend = 0.0025,
                     .centreline = i == 8 ? 8 : 6}}});
  all.push_back(simple("manubrium", "sternum", false,
                       {.ellipsoids = 12, .cuts = 2, .spacing = 0.0015, .blend = 0.002}));
  all.push_back(simple("body_of_sternum", "sternum", false,
                       {.ellipsoids = 12, .cuts = 2, .spacing = 0.0015, .blend = 0.002}));
  all.push_back(simple("xiphoid_process", "sternum", false,
                       {.ellipsoids = 4, .cuts = 0, .spacing = 0.001, .blend = 0.0015}));
}

// Skull bones are measured as one: sutures matter to nothing that is simulated, and a closed
// cranium needs far fewer ellipsoids.
void addHead(Recipes& all) {
  const RecipePiece cranium{.meshes = {"frontal",
                                       "parietal_l",
                                       "parietal_r",
                                       "occipital",
                                       "temporal_l",
                                       "temporal_r",
                                       "sphenoid",
                                       "ethmoid",
                                       "zygomatic_l",
                                       "zygomatic_r",
                                       "maxilla_l",
                                       "maxilla_r",
                                       "nasal_l",
                                       "nasal_r",
                                       "lacrimal_l",
                                       "lacrimal_r",
                                       "palatine_l",
                                       "palatine_r",
                                       "vomer",
                                       "inferior_nasal_concha_l",
                                       "inferior_nasal_concha_r"},
                            .ellipsoids = 90,
                            .cuts = 26,
                            .spacing = 0.0024,
                            .blend = 0.003,
                            .filled = true,
                            .thinnest = 0.001};
  const RecipePiece upper{
      .meshes = {"teeth_upper"}, .ellipsoids = 9, .cuts = 0, .spacing = 0.001, .blend = 0.0004};
  const RecipePiece lower{
      .meshes = {"teeth_lower"}, .ellipsoids = 9, .cuts = 0, .spacing = 0.001, .blend = 0.0004};
  all.push_back({"skull", "head", false, {cranium, upper}});
  all.push_back({"mandible",
                 "head",
                 false,
                 {{.meshes = {"mandible"},
                   .ellipsoids = 34,
                   .cuts = 5,
                   .spacing = 0.0015,
                   .blend = 0.002,
                   .thinnest = 0.001},
                  lower}});
  all.push_back(simple("hyoid", "head", false,
                       {.ellipsoids = 7, .cuts = 0, .spacing = 0.001, .blend = 0.0015}));
  all.push_back(
      simple("thyroid_cartilage", "head", false,
             {.ellipsoids = 18, .cuts = 1, .spacing = 0.001, .blend = 0.0015, .thinnest = 0.0011}));
}

void addArm(Recipes& all) {
  all.push_back(
      simple("clavicle_l", "arm", true,
             {.ellipsoids = 14, .cuts = 1, .spacing = 0.0015, .blend = 0.0025, .centreline = 10}));
  all.push_back(simple("scapula_l", "arm", true,
                       {.ellipsoids = 36,
                        .cuts = 2,
                        .spacing = 0.0018,
                        .blend = 0.003,
                        .thinnest = 0.0013,
                        .plate = 0.003}));
  all.push_back(
      simple("humerus_l", "arm", true,
             {.ellipsoids = 24, .cuts = 3, .spacing = 0.0025, .blend = 0.004, .centreline = 12}));
  all.push_back(
      simple("ulna_l", "arm", true,
             {.ellipsoids = 18, .cuts = 2, .spacing = 0.0018, .blend = 0.003, .centreline = 12}));
  all.push_back(
      simple("radius_l", "arm", true,
             {.ellipsoids = 16, .cuts = 2, .spacing = 0.0018, .blend = 0.003, .centreline = 12}));
}

void addLeg(Recipes& all) {
  all.push_back(
      simple("hip_bone_l", "leg", true,
             {.ellipsoids = 56, .cuts = 8, .spacing = 0.0024, .blend = 0.003, .thinnest = 0.0015}));
  all.push_back(
      simple("femur_l", "leg", true,
             {.ellipsoids = 26, .cuts = 3, .spacing = 0.003, .blend = 0.004, .centreline = 12}));
  all.push_back(simple("patella_l", "leg", true,
                       {.ellipsoids = 6, .cuts = 0, .spacing = 0.0016, .blend = 0.003}));
  all.push_back(
      simple("tibia_l", "leg", true,
             {.ellipsoids = 24, .cuts = 2, .spacing = 0.003, .blend = 0.004, .centreline = 12}));
  all.push_back(
      simple("fibula_l", "leg", true,
             {.ellipsoids = 16, .cuts = 0, .spacing = 0.0018, .blend = 0.003, .centreline = 12}));
}

RecipePiece smallBone(const std::string& mesh, int ellipsoids, double spacing) {
  return {
      .meshes = {mesh}, .ellipsoids = ellipsoids, .cuts = 0, .spacing = spacing, .blend = 0.0008};
}

const char* const kOrdinals[] = {"first", "second", "third", "fourth", "fifth"};

void addHand(Recipes& all) {
  Recipe hand{"hand_l", "hand", true, {}};
  for (const char* bone : {"scaphoid", "lunate", "triquetral", "pisiform", "trapezium", "trapezoid",
                           "capitate", "hamate"})
    hand.pieces.push_back(smallBone(fmt::format("{}_l", bone), 3, 0.0012));
  for (const char* n : kOrdinals)
    hand.pieces.push_back(smallBone(fmt::format("{}_metacarpal_l", n), 6, 0.0012));
  for (const char* finger :
       {"thumb", "index_finger", "middle_finger", "ring_finger", "little_finger"})
    for (const char* row : {"proximal", "middle", "distal"})
      if (!(std::string(finger) == "thumb" && std::string(row) == "middle"))
        hand.pieces.push_back(smallBone(fmt::format("{}_phalanx_of_{}_l", row, finger), 5, 0.001));
  all.push_back(hand);
}

/// The foot in the pieces that its joints move.
void addFoot(Recipes& all) {
  all.push_back({"talus_l", "foot", true, {smallBone("talus_l", 10, 0.0018)}});
  all.push_back({"hindfoot_l", "foot", true, {smallBone("calcaneus_l", 14, 0.0018)}});
  Recipe midfoot{"midfoot_l", "foot", true, {}}, toes{"toes_l", "foot", true, {}};
  for (const char* bone :
       {"navicular", "cuboid", "medial_cuneiform", "intermediate_cuneiform", "lateral_cuneiform"})
    midfoot.pieces.push_back(smallBone(fmt::format("{}_l", bone), 4, 0.0015));
  for (const char* n : kOrdinals)
    midfoot.pieces.push_back(smallBone(fmt::format("{}_metatarsal_l", n), 7, 0.0014));
  for (const char* toe : {"big", "second", "third", "fourth", "little"})
    for (const char* row : {"proximal", "middle", "distal"})
      if (!(std::string(toe) == "big" && std::string(row) == "middle"))
        toes.pieces.push_back(smallBone(fmt::format("{}_phalanx_of_{}_toe_l", row, toe), 4, 0.001));
  all.push_back(midfoot);
  all.push_back(toes);
}

}  // namespace

const std::vector<Recipe>& boneRecipes() {
  static const Recipes recipes = [] {
    Recipes all;
    addSpine(all);
    addThorax(all);
    addHead(all);
    addArm(all);
    addLeg(all);
    addHand(all);
    addFoot(all);
    return all;
  }();
  return recipes;
}

}  // namespace pneuma::survey::internal
