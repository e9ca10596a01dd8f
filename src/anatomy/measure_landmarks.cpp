// Landmarks of the default body: what the folder of meshes states about its joints, by bone.
#include <fmt/format.h>

#include <array>

#include "anatomy/pack_measurements.h"
#include "pneuma/anatomy/measure_tables.h"

namespace pneuma::anatomy {
namespace {

using internal::PackMeasurements;

/// Collects the landmarks bone by bone, in the order of the body.
class LandmarkTable {
 public:
  explicit LandmarkTable(const PackMeasurements& m) : m_(m) {}

  std::vector<Measurement> run() {
    addSpine();
    addRibs();
    addCartilages();
    addSternum();
    addArm();
    addHand();
    addLeg();
    addFoot();
    addHead();
    return std::move(bones_);
  }

 private:
  Measurement& bone(const std::string& name) {
    Measurement m;
    m.name = name;
    m.mirror = name.ends_with("_l");
    bones_.push_back(m);
    return bones_.back();
  }
  Vec3 joint(const std::string& name) const { return m_.paired("joints", name, "centre"); }
  Vec3 joint(const std::string& name, const std::string& field) const {
    return m_.paired("joints", name, field);
  }
  Vec3 midJoint(const std::string& name) const { return m_.middle("joints", name, "centre"); }

  void addSpine() {
    std::vector<std::string> levels;
    for (int i = 1; i <= 7; ++i) levels.push_back(fmt::format("c{}", i));
    for (int i = 1; i <= 12; ++i) levels.push_back(fmt::format("t{:02}", i));
    for (int i = 1; i <= 5; ++i) levels.push_back(fmt::format("l{}", i));
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::string& level = levels[i];
      auto& p = bone("vertebra_" + level).points;
      p["body_center"] = m_.middle("vertebrae", level, "body_centre");
      p["joint_below"] = level == "c1" ? midJoint("atlanto_axial")
                         : level == "l5"
                             ? midJoint("lumbosacral")
                             : m_.middle("discs", level + "_" + levels[i + 1], "centre");
      p["spinous_tip"] = m_.middle("vertebrae", level, "spinous_tip");
      p["transverse_tip_l"] = m_.pairedField("vertebrae", level, "transverse_tip");
      if (level == "c1") p["occipital_facet_l"] = joint("atlanto_occipital");
      if (level == "c2") p["dens_top"] = m_.middle("vertebrae", level, "dens_top");
    }
    auto& p = bone("sacrum").points;
    p["promontory"] = m_.middle("sacrum", "promontory_disc_centre", "");
    p["sacroiliac_l"] = joint("sacroiliac");
    p["tip"] = m_.middle("sacrum", "tip", "");
  }

  void addRibs() {
    for (int i = 1; i <= 12; ++i) {
      const std::string key = fmt::format("{:02}", i);
      Measurement& rib = bone("rib_" + key + "_l");
      rib.curves["centreline"] = m_.pairedLine("ribs", key, "centreline");
      for (const char* name : {"angle", "costovertebral", "head", "lateral", "sternal_end"})
        rib.points[name] = m_.paired("ribs", key, name);
      rib.points["head_center"] = m_.paired("ribs", key, "head_centre");
      // The twelfth rib does not reach its transverse process.
      if (m_.has("ribs", key + "_l", "costotransverse"))
        rib.points["costotransverse"] = m_.paired("ribs", key, "costotransverse");
    }
  }

  void addCartilages() {
    for (int i = 1; i <= 7; ++i) {
      const std::string key = fmt::format("{:02}", i);
      auto& p = bone("costal_cartilage_" + key + "_l").points;
      p["costochondral"] = m_.paired("costal_cartilages", key, "costochondral");
      p["sternal"] = m_.paired("costal_cartilages", key, "sternal");
    }
    for (int i = 8; i <= 10; ++i) {
      auto& p = bone(fmt::format("costal_cartilage_{:02}_l", i)).points;
      p["costochondral"] =
          m_.paired("costal_cartilages", "08_10", fmt::format("costochondral_{:02}", i));
      if (i == 8) p["junction"] = m_.paired("costal_cartilages", "08_10", "joins_07_at");
    }
  }

  void addSternum() {
    auto& manubrium = bone("manubrium").points;
    manubrium["jugular_notch"] = m_.middle("sternum", "jugular_notch", "");
    manubrium["manubriosternal"] = m_.middle("sternum", "manubriosternal_joint", "");
    manubrium["sternoclavicular_l"] = joint("sternoclavicular");
    auto& body = bone("body_of_sternum").points;
    body["center"] = m_.centroid("body_of_sternum");
    body["xiphisternal"] = m_.middle("sternum", "xiphisternal_joint", "");
    bone("xiphoid_process").points["tip"] = m_.middle("sternum", "xiphoid_tip", "");
  }

  void addArm() {
    auto& clavicle = bone("clavicle_l").points;
    clavicle["acromial_end"] = joint("acromioclavicular");
    clavicle["sternal_end"] = joint("sternoclavicular");
    auto& scapula = bone("scapula_l").points;
    scapula["acromioclavicular"] = joint("acromioclavicular");
    scapula["glenoid"] = joint("glenoid");
    auto& humerus = bone("humerus_l").points;
    humerus["elbow_center"] = joint("elbow");
    humerus["head_center"] = joint("shoulder");
    humerus["lateral_epicondyle"] = joint("elbow", "lateral_epicondyle");
    humerus["medial_epicondyle"] = joint("elbow", "medial_epicondyle");
    bone("ulna_l").points["styloid"] = joint("wrist", "ulnar_styloid");
    auto& radius = bone("radius_l").points;
    radius["head_center"] = joint("radial_head");
    radius["styloid"] = joint("wrist", "radial_styloid");
  }

  void addHand() {
    auto& p = bone("hand_l").points;
    for (const char* finger : {"index_finger", "middle_finger", "ring_finger", "little_finger"})
      for (const char* row : {"mcp", "pip", "dip"})
        p[fmt::format("{}_{}", row, finger)] = joint(fmt::format("{}_{}", row, finger));
    p["mcp_thumb"] = joint("mcp_thumb");
    p["ip_thumb"] = joint("ip_thumb");
    p["radiocarpal"] = joint("wrist", "radiocarpal_contact");
    p["wrist_center"] = joint("wrist");
  }

  void addLeg() {
    auto& hip = bone("hip_bone_l").points;
    hip["acetabulum"] = joint("hip");
    hip["sacroiliac"] = joint("sacroiliac");
    hip["symphysis"] = midJoint("pubic_symphysis");
    auto& femur = bone("femur_l").points;
    femur["head_center"] = joint("hip");
    femur["knee_center"] = joint("knee");
    femur["lateral_epicondyle"] = joint("knee", "lateral_epicondyle");
    femur["medial_epicondyle"] = joint("knee", "medial_epicondyle");
    bone("patella_l").points["joint_surface"] = joint("patellofemoral");
    auto& tibia = bone("tibia_l").points;
    tibia["medial_malleolus"] = joint("ankle", "medial_malleolus");
    tibia["talocrural"] = joint("ankle", "talocrural_contact");
    auto& fibula = bone("fibula_l").points;
    fibula["lateral_malleolus"] = joint("ankle", "lateral_malleolus");
    fibula["tibiofibular"] = joint("proximal_tibiofibular");
  }

  void addFoot() {
    bone("talus_l").points["ankle_center"] = joint("ankle");
    bone("hindfoot_l").points["subtalar"] = joint("subtalar");
    // Between the hindfoot's bones and those in front of them.
    Vec3 sum = Vec3::Zero();
    for (const char* name : {"talus_l", "calcaneus_l", "navicular_l", "cuboid_l"})
      sum += 0.25 * m_.centroid(name);
    bone("midfoot_l").points["midtarsal"] = sum;
    auto& toes = bone("toes_l").points;
    for (const char* toe : {"big", "second", "third", "fourth", "little"})
      toes[fmt::format("mtp_{}_toe", toe)] = joint(fmt::format("mtp_{}_toe", toe));
  }

  void addHead() {
    auto& skull = bone("skull").points;
    skull["atlanto_occipital"] = midPoint(joint("atlanto_occipital"));
    skull["condyle_l"] = joint("atlanto_occipital");
    skull["temporomandibular_l"] = joint("temporomandibular");
    bone("mandible").points["condyle_l"] = joint("temporomandibular");
    bone("hyoid").points["center"] = m_.centroid("hyoid");
    bone("thyroid_cartilage").points["center"] = m_.centroid("thyroid_cartilage");
  }

  static Vec3 midPoint(const Vec3& left) { return {0, left.y(), left.z()}; }

  const PackMeasurements& m_;
  std::vector<Measurement> bones_;
};

}  // namespace

std::vector<Measurement> measureLandmarks(const AnatomyPack& pack) {
  const PackMeasurements measured(pack);
  return LandmarkTable(measured).run();
}

}  // namespace pneuma::anatomy
