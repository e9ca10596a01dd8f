// The table of muscle patches to measure.
#include <fmt/format.h>

#include "anatomy/text/names.h"
#include "survey/attachment_recipes.h"
#include "survey/directions.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

using PatchTable = std::vector<PatchRecipe>;

/// `count` points spread that way.
PatchRule spread(int count, const Vec3& along) {
  return {.count = count, .along = along};
}

/// The stretch of the patch between two heights (or along another direction), as fractions.
PatchRule stretch(double from, double to, const Vec3& along = kUp) {
  return {.along = along, .from = from, .to = to};
}

/// Adds a row; "vertebra_{c3..c6}" stands for one row for each level.
void addPatch(PatchTable& t, const std::string& bone, const std::string& point,
              const std::string& muscle, const PatchRule& rule = {}, const std::string& onto = {}) {
  const std::size_t open = bone.find('{'), close = bone.find('}');
  if (open == std::string::npos) {
    t.push_back({bone, point, muscle, rule, onto, 0});
    return;
  }
  for (const std::string& level : expandRange(bone.substr(open + 1, close - open - 1)))
    t.push_back(
        {bone.substr(0, open) + level + bone.substr(close + 1), point, muscle, rule, onto, 0});
}

/// As above for a muscle that passes over these bones to others.
void addPassage(PatchTable& t, const std::string& bone, const std::string& point,
                const std::string& muscle) {
  const std::size_t first = t.size();
  addPatch(t, bone, point, muscle);
  for (std::size_t i = first; i < t.size(); ++i) t[i].lift = 0.004;
}

void addHeadPatches(PatchTable& t) {
  addPatch(t, "skull", "trapezius", "descending_part_of_trapezius_l");
  addPatch(t, "skull", "sternocleidomastoid", "sternocleidomastoid_l");
  addPatch(t, "skull", "splenius_capitis", "splenius_capitis_l");
  addPatch(t, "skull", "semispinalis_capitis", "semispinalis_capitis_l", spread(3, kLateral));
  addPatch(t, "skull", "stylohyoid", "stylohyoid_l", stretch(0, 0.6));
  addPatch(t, "skull", "masseter", "superficial_part_of_masseter_l", stretch(0.3, 1, kFront));
  for (const char* m : {"longissimus_capitis", "longus_capitis", "obliquus_capitis_superior",
                        "rectus_capitis_posterior_major", "rectus_capitis_posterior_minor",
                        "rectus_capitis_anterior", "rectus_capitis_lateralis"})
    addPatch(t, "skull", m, fmt::format("{}_l", m));
  addPatch(t, "mandible", "masseter", "superficial_part_of_masseter_l");
  for (const char* m : {"geniohyoid", "mylohyoid"})
    addPatch(t, "mandible", m, fmt::format("{}_l", m));
  for (const char* m :
       {"geniohyoid", "mylohyoid", "stylohyoid", "sternohyoid", "omohyoid", "thyrohyoid"})
    addPatch(t, "hyoid", m, fmt::format("{}_l", m));
  for (const char* m : {"sternothyroid", "thyrohyoid"})
    addPatch(t, "thyroid_cartilage", m, fmt::format("{}_l", m));
}

void addNeck(PatchTable& t) {
  for (const char* m :
       {"obliquus_capitis_inferior", "obliquus_capitis_superior", "rectus_capitis_anterior",
        "rectus_capitis_lateralis", "rectus_capitis_posterior_minor"})
    addPatch(t, "vertebra_c1", m, fmt::format("{}_l", m));
  for (const char* m : {"obliquus_capitis_inferior", "rectus_capitis_posterior_major"})
    addPatch(t, "vertebra_c2", m, fmt::format("{}_l", m));
  const std::string colli = "_part_of_longus_colli_l";
  addPatch(t, "vertebra_c1", "longus_colli", "superior_oblique" + colli);
  addPatch(t, "vertebra_{c3..c5}", "longus_colli_superior", "superior_oblique" + colli);
  addPatch(t, "vertebra_{c5..c6}", "longus_colli_inferior", "inferior_oblique" + colli);
  addPatch(t, "vertebra_{t01..t03}", "longus_colli_inferior", "inferior_oblique" + colli);
  addPatch(t, "vertebra_{c2..c7}", "longus_colli_vertical", "vertical_intermediate" + colli);
  addPatch(t, "vertebra_{c3..c6}", "longus_capitis", "longus_capitis_l");
  addPatch(t, "vertebra_{c3..c6}", "scalenus_anterior", "scalenus_anterior_l");
  addPatch(t, "vertebra_{c2..c7}", "scalenus_medius", "scalenus_medius_l");
  addPatch(t, "vertebra_{c5..c7}", "scalenus_posterior", "scalenus_posterior_l");
  addPatch(t, "vertebra_{c1..c4}", "levator_scapulae", "levator_scapulae_l", spread(2, kFront));
  addPatch(t, "rib_01_l", "scalenus_anterior", "scalenus_anterior_l", spread(2, kFront));
  addPatch(t, "rib_01_l", "scalenus_medius", "scalenus_medius_l", spread(2, kFront));
  addPatch(t, "rib_02_l", "scalenus_posterior", "scalenus_posterior_l", spread(2, kFront));
}

void addShoulder(PatchTable& t) {
  const std::string pectoralis = "_part_of_pectoralis_major_l", deltoid = "_part_of_deltoid_l",
                    trapezius = "_part_of_trapezius_l";
  for (const char* m : {"sternocleidomastoid", "sternohyoid", "sternothyroid"})
    addPatch(t, "manubrium", m, fmt::format("{}_l", m));
  addPatch(t, "manubrium", "pectoralis_major", "sternocostal" + pectoralis);
  addPatch(t, "body_of_sternum", "pectoralis_major", "sternocostal" + pectoralis, spread(2, kUp));
  addPatch(t, "costal_cartilage_07_l", "pectoralis_major", "abdominal" + pectoralis,
           spread(2, kLateral));
  addPatch(t, "clavicle_l", "sternocleidomastoid", "sternocleidomastoid_l");
  addPatch(t, "clavicle_l", "trapezius", "descending" + trapezius, spread(2, kLateral));
  addPatch(t, "clavicle_l", "subclavius", "subclavius_l");
  addPatch(t, "rib_01_l", "subclavius", "subclavius_l");
  addPatch(t, "clavicle_l", "deltoid", "clavicular" + deltoid, spread(3, kLateral));
  addPatch(t, "clavicle_l", "pectoralis_major", "clavicular" + pectoralis, spread(2, kLateral));
  addPatch(t, "scapula_l", "trapezius_transverse", "transverse" + trapezius, spread(3, kLateral));
  addPatch(t, "scapula_l", "trapezius_ascending", "ascending" + trapezius, spread(2, kLateral));
  for (const char* m :
       {"rhomboid_major", "rhomboid_minor", "omohyoid", "pectoralis_minor", "infraspinatus",
        "supraspinatus", "teres_major", "teres_minor", "subscapularis", "coracobrachialis"})
    addPatch(t, "scapula_l", m, fmt::format("{}_l", m));
  addPatch(t, "scapula_l", "levator_scapulae", "levator_scapulae_l", spread(2, kUp));
  // Serratus anterior lies along the whole costal face but holds on to the medial border.
  addPatch(t, "scapula_l", "serratus_anterior", "serratus_anterior_l",
           {.count = 8, .along = kUp, .edge = kMedial});
  addPatch(t, "scapula_l", "deltoid_acromial", "acromial" + deltoid, spread(3, kFront));
  addPatch(t, "scapula_l", "deltoid_spinal", "spinal" + deltoid);
  addPatch(t, "scapula_l", "biceps_long", "long_head_of_biceps_brachii_l");
  addPatch(t, "scapula_l", "biceps_short", "short_head_of_biceps_brachii_l");
  addPatch(t, "scapula_l", "triceps_long", "long_head_of_triceps_brachii_l");
  addPatch(t, "humerus_l", "pectoralis_clavicular", "clavicular" + pectoralis);
  addPatch(t, "humerus_l", "pectoralis_sternocostal", "sternocostal" + pectoralis);
  addPatch(t, "humerus_l", "pectoralis_abdominal", "abdominal" + pectoralis);
  // The deltoid covers the tubercles; it holds on to the shaft, at the lowest contact.
  addPatch(t, "humerus_l", "deltoid_acromial", "acromial" + deltoid, stretch(0, 0.35));
  addPatch(t, "humerus_l", "deltoid_clavicular", "clavicular" + deltoid, stretch(0, 0.35));
  addPatch(t, "humerus_l", "deltoid_spinal", "spinal" + deltoid, stretch(0, 0.35));
  // The cuff ends on top, the long head of biceps passes the groove.
  addPatch(t, "humerus_l", "supraspinatus", "supraspinatus_l", stretch(0.6, 1));
  addPatch(t, "humerus_l", "biceps_long", "long_head_of_biceps_brachii_l", stretch(0.7, 1));
  for (const char* m : {"latissimus_dorsi", "teres_major", "teres_minor", "infraspinatus",
                        "subscapularis", "coracobrachialis"})
    addPatch(t, "humerus_l", m, fmt::format("{}_l", m));
}

// Heads of one muscle on several bones are patches of their own: each line begins at its own.
void addForearm(PatchTable& t) {
  const std::string triceps = "_head_of_triceps_brachii_l", teres = "_head_of_pronator_teres_l",
                    ulnarFlexor = "_head_of_flexor_carpi_ulnaris_l",
                    ulnarExtensor = "_head_of_extensor_carpi_ulnaris_l",
                    fingers = "humeroulnar_head_of_flexor_digitorum_superficialis_l";
  addPatch(t, "humerus_l", "brachialis", "brachialis_l", stretch(0.3, 0.8));
  addPatch(t, "humerus_l", "brachialis_low", "brachialis_l", stretch(0.1, 0.5));
  addPatch(t, "humerus_l", "triceps_medial", "medial" + triceps);
  addPatch(t, "humerus_l", "triceps_lateral", "lateral" + triceps);
  addPatch(t, "humerus_l", "extensor_carpi_ulnaris", "humeral" + ulnarExtensor);
  addPatch(t, "humerus_l", "flexor_carpi_ulnaris", "humeral" + ulnarFlexor);
  addPatch(t, "humerus_l", "flexor_digitorum_superficialis", fingers);
  addPatch(t, "humerus_l", "pronator_teres", "humeral" + teres);
  for (const char* m :
       {"brachioradialis", "extensor_carpi_radialis_brevis", "extensor_carpi_radialis_longus",
        "flexor_carpi_radialis", "palmaris_longus", "supinator", "extensor_digitorum", "anconeus"})
    addPatch(t, "humerus_l", m, fmt::format("{}_l", m));
  addPatch(t, "ulna_l", "triceps_long", "long" + triceps);
  addPatch(t, "ulna_l", "triceps_medial", "medial" + triceps);
  addPatch(t, "ulna_l", "triceps_lateral", "lateral" + triceps);
  addPatch(t, "ulna_l", "pronator_teres", "ulnar" + teres);
  addPatch(t, "ulna_l", "flexor_carpi_ulnaris", "ulnar" + ulnarFlexor);
  addPatch(t, "ulna_l", "extensor_carpi_ulnaris", "ulnar" + ulnarExtensor);
  for (const char* m :
       {"brachialis", "supinator", "pronator_quadratus", "anconeus", "extensor_pollicis_longus"})
    addPatch(t, "ulna_l", m, fmt::format("{}_l", m));
  addPatch(t, "radius_l", "biceps", "long_head_of_biceps_brachii_l");
  addPatch(t, "radius_l", "pronator_teres", "humeral" + teres);
  addPatch(t, "radius_l", "pronator_teres_ulnar", "ulnar" + teres);
  addPatch(t, "radius_l", "flexor_digitorum_superficialis",
           "radial_head_of_flexor_digitorum_superficialis_l");
  addPatch(t, "radius_l", "brachioradialis", "brachioradialis_l", stretch(0, 0.4));
  for (const char* m : {"supinator", "pronator_quadratus", "extensor_pollicis_longus"})
    addPatch(t, "radius_l", m, fmt::format("{}_l", m));
  addPatch(t, "hand_l", "extensor_carpi_radialis_brevis", "extensor_carpi_radialis_brevis_l", {},
           "third_metacarpal_l");
  addPatch(t, "hand_l", "extensor_carpi_radialis_longus", "extensor_carpi_radialis_longus_l", {},
           "second_metacarpal_l");
  addPatch(t, "hand_l", "flexor_carpi_radialis", "flexor_carpi_radialis_l", {},
           "second_metacarpal_l");
  addPatch(t, "hand_l", "extensor_carpi_ulnaris", "ulnar" + ulnarExtensor, {},
           "fifth_metacarpal_l");
  addPatch(t, "hand_l", "flexor_carpi_ulnaris", "humeral" + ulnarFlexor, {}, "pisiform_l");
  addPatch(t, "hand_l", "extensor_pollicis_longus", "extensor_pollicis_longus_l", {},
           "distal_phalanx_of_thumb_l");
  addPatch(t, "hand_l", "extensor_digitorum", "extensor_digitorum_l", {}, "third_metacarpal_l");
  for (const char* finger : {"index", "middle", "ring", "little"})
    addPatch(t, "hand_l", fmt::format("flexor_digitorum_superficialis_{}", finger), fingers, {},
             fmt::format("middle_phalanx_of_{}_finger_l", finger));
}

void addTrunk(PatchTable& t) {
  addPatch(t, "rib_{01..08}_l", "serratus_anterior", "serratus_anterior_l");
  addPatch(t, "rib_{03..05}_l", "pectoralis_minor", "pectoralis_minor_l");
  addPatch(t, "rib_{09..12}_l", "serratus_posterior_inferior", "serratus_posterior_inferior_l");
  addPatch(t, "rib_{05..12}_l", "external_oblique", "external_oblique_l");
  addPatch(t, "rib_{10..12}_l", "internal_oblique", "internal_oblique_l");
  addPatch(t, "rib_{07..12}_l", "transversus_abdominis", "transversus_abdominis_l");
  addPatch(t, "rib_{07..12}_l", "diaphragm", "diaphragm");
  // The lumbar strip ends on rib 6; its uppermost line goes on within the thoracic one.
  addPatch(t, "rib_05_l", "iliocostalis_lumborum", "iliocostalis_thoracis_l");
  addPatch(t, "rib_{06..12}_l", "iliocostalis_lumborum", "iliocostalis_lumborum_l");
  addPatch(t, "rib_{01..12}_l", "iliocostalis_thoracis", "iliocostalis_thoracis_l");
  addPassage(t, "rib_{02..11}_l", "iliocostalis_over", "iliocostalis_thoracis_l");
  addPatch(t, "rib_{03..07}_l", "iliocostalis_cervicis", "iliocostalis_cervicis_l");
  addPatch(t, "rib_{06..12}_l", "longissimus_thoracis", "longissimus_thoracis_l");
  addPatch(t, "rib_12_l", "quadratus_lumborum", "quadratus_lumborum_l");
  addPatch(t, "costal_cartilage_{05..07}_l", "rectus_abdominis", "rectus_abdominis_l");
  addPatch(t, "xiphoid_process", "diaphragm", "diaphragm");
  addPatch(t, "vertebra_{l1..l3}", "diaphragm_crus", "diaphragm");
  addPatch(t, "sacrum", "iliocostalis_lumborum", "iliocostalis_lumborum_l");
  addPatch(t, "sacrum", "longissimus_thoracis", "longissimus_thoracis_l", spread(3, kUp));
  addPatch(t, "sacrum", "multifidus", "multifidus_l", spread(4, kUp));
  addPatch(t, "hip_bone_l", "quadratus_lumborum", "quadratus_lumborum_l", spread(5, kLateral));
  addPatch(t, "hip_bone_l", "external_oblique", "external_oblique_l", spread(3, kFront));
  addPatch(t, "hip_bone_l", "internal_oblique", "internal_oblique_l", spread(5, kFront));
  addPatch(t, "hip_bone_l", "iliocostalis_lumborum", "iliocostalis_lumborum_l",
           spread(3, kLateral));
  for (const char* m : {"rectus_abdominis", "longissimus_thoracis", "latissimus_dorsi"})
    addPatch(t, "hip_bone_l", m, fmt::format("{}_l", m));
}

// Broad origins get two points, lest all of a muscle's fibres begin in one place.
void addLegPatches(PatchTable& t) {
  addPatch(t, "sacrum", "gluteus_maximus", "gluteus_maximus_l", spread(2, kUp));
  addPatch(t, "hip_bone_l", "gluteus_medius", "gluteus_medius_l", spread(2, kUp));
  addPatch(t, "hip_bone_l", "biceps_femoris_long", "long_head_of_biceps_femoris_l");
  for (const char* m : {"gluteus_maximus", "gluteus_minimus", "tensor_fasciae_latae", "sartorius",
                        "rectus_femoris", "adductor_longus", "adductor_magnus", "adductor_brevis",
                        "pectineus", "gracilis", "semitendinosus", "semimembranosus", "iliacus"})
    addPatch(t, "hip_bone_l", m, fmt::format("{}_l", m));
  addPatch(t, "vertebra_l1", "psoas_major", "psoas_major_l");
  addPatch(t, "vertebra_l3", "psoas_major", "psoas_major_l");
  addPatch(t, "femur_l", "gluteus_maximus", "gluteus_maximus_l", spread(2, kUp));
  for (const char* m : {"vastus_lateralis", "vastus_medialis", "adductor_magnus"})
    addPatch(t, "femur_l", m, fmt::format("{}_l", m), spread(2, kUp));
  addPatch(t, "femur_l", "biceps_femoris_short", "short_head_of_biceps_femoris_l");
  addPatch(t, "femur_l", "gastrocnemius_medial", "medial_head_of_gastrocnemius_l");
  addPatch(t, "femur_l", "gastrocnemius_lateral", "lateral_head_of_gastrocnemius_l");
  for (const char* m :
       {"gluteus_medius", "gluteus_minimus", "vastus_intermedius", "adductor_longus",
        "adductor_brevis", "pectineus", "iliacus", "psoas_major"})
    addPatch(t, "femur_l", m, fmt::format("{}_l", m));
  for (const char* m : {"rectus_femoris", "vastus_medialis", "vastus_intermedius"})
    addPatch(t, "patella_l", m, fmt::format("{}_l", m));
  for (const char* m : {"semitendinosus", "semimembranosus", "tibialis_anterior", "soleus",
                        "tibialis_posterior", "iliotibial_tract"})
    addPatch(t, "tibia_l", m, fmt::format("{}_l", m));
  addPatch(t, "fibula_l", "biceps_femoris_long", "long_head_of_biceps_femoris_l");
  addPatch(t, "fibula_l", "biceps_femoris_short", "short_head_of_biceps_femoris_l");
  for (const char* m : {"fibularis_longus", "extensor_digitorum_longus", "soleus"})
    addPatch(t, "fibula_l", m, fmt::format("{}_l", m));
  addPatch(t, "hindfoot_l", "calcaneal_tendon", "calcaneal_tendon_l", {}, "calcaneus_l");
  addPatch(t, "midfoot_l", "fibularis_longus", "fibularis_longus_l", {}, "first_metatarsal_l");
  addPatch(t, "midfoot_l", "tibialis_posterior", "tibialis_posterior_l", {}, "navicular_l");
  addPatch(t, "toes_l", "extensor_digitorum_longus", "extensor_digitorum_longus_l", {},
           "middle_phalanx_of_third_toe_l");
}

}  // namespace

const std::vector<PatchRecipe>& patchRecipes() {
  static const PatchTable table = [] {
    PatchTable t;
    addHeadPatches(t);
    addNeck(t);
    addShoulder(t);
    addForearm(t);
    addTrunk(t);
    addLegPatches(t);
    return t;
  }();
  return table;
}

}  // namespace pneuma::survey::internal
