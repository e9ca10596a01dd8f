// Landmarks of the default body, measured on the meshes bone by bone: joints by contact, sphere and
// hinge axis, tips by extreme points, ribs by their centrelines.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "anatomy/shape/spline.h"
#include "anatomy/text/names.h"
#include "pneuma/core/error.h"
#include "pneuma/survey/measure_tables.h"
#include "survey/measure_joints.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using internal::bothSides;
using internal::HingeJoint;
using internal::Side;
using internal::SidedMeshes;
using internal::SurfaceSample;
using Parts = std::vector<std::string>;
using Region = std::function<bool(const Vec3&)>;

constexpr int kRibPoints = 21;       ///< of a centreline
constexpr double kRibCell = 0.0012;  ///< of the grid it is found on [m]
/// From the rib's end, its joint with the vertebral bodies lies before this, that with the
/// transverse process behind it [m].
constexpr double kRibNeck = 0.014;
constexpr int kLastHinged = 10;  ///< the two lowest have no joint with a transverse process

/// Collects the landmarks bone by bone, in the order of the body. All of left and mirrored right,
/// averaged.
class LandmarkTable {
 public:
  explicit LandmarkTable(const AnatomyPack& pack) : meshes_(pack) {}

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

  // --- ways to find a point --------------------------------------------------------------------

  Vec3 contact(const Parts& a, const Parts& b, const Region& within = {}) {
    return bothSides([&](Side s) { return contactOf(a, b, within, s); });
  }
  Vec3 contactOf(const Parts& a, const Parts& b, const Region& within, Side side) {
    try {
      return internal::findContact(meshes_.query(a, side), meshes_.query(b, side), within).center;
    } catch (const InputError& e) {
      throw InputError(Diagnostic{.where = {meshes_.pack().folder().string()},
                                  .subject = fmt::format("joint of {} and {}", a[0], b[0]),
                                  .message = e.what()});
    }
  }
  Vec3 contact(const std::string& a, const std::string& b) { return contact(Parts{a}, Parts{b}); }
  /// Of two joints between parts of the middle, the left one.
  Vec3 leftContact(const Parts& a, const Parts& b) {
    return contact(a, b, [](const Vec3& p) { return p.x() > 0; });
  }
  Vec3 midContact(const std::string& a, const std::string& b) { return inMiddle(contact(a, b)); }
  Vec3 tip(const std::string& part, const Vec3& direction, const Vec3& low = Vec3::Zero(),
           const Vec3& high = Vec3::Ones()) {
    return bothSides([&](Side s) {
      return internal::extremePoint(meshes_.mesh(part, s), direction, low, high);
    });
  }
  Vec3 centroid(const std::string& part) {
    return bothSides([&](Side s) { return solidProperties(meshes_.mesh(part, s)).centroid; });
  }
  static Vec3 inMiddle(const Vec3& p) { return {0, p.y(), p.z()}; }

  // --- trunk -----------------------------------------------------------------------------------

  Vec3 discBelow(const std::string& level) {
    const std::string below = level == "l5" ? "s1" : *anatomy::internal::shiftLevel(level, 1);
    return inMiddle(centroid(fmt::format("disc_{}_{}", level, below)));
  }

  void addSpine() {
    for (const std::string& level : anatomy::internal::vertebralLevels()) {
      const std::string name = "vertebra_" + level;
      auto& p = bone(name).points;
      p["joint_below"] = level == "c1" ? midContact(name, "vertebra_c2") : discBelow(level);
      p["body_center"] = vertebralCenter(level);
      p["spinous_tip"] = inMiddle(tip(name, -Vec3::UnitZ(), {0.35, 0, 0}, {0.65, 1, 1}));
      p["transverse_tip_l"] = tip(name, Vec3::UnitX());
      if (level == "c1") p["occipital_facet_l"] = leftContact({name}, {"occipital"});
      if (level == "c2") p["dens_top"] = inMiddle(tip(name, Vec3::UnitY()));
    }
    auto& p = bone("sacrum").points;
    p["promontory"] = discBelow("l5");
    p["sacroiliac_l"] = contact("sacrum", "hip_bone_l");
    p["tip"] = inMiddle(tip("sacrum", -Vec3::UnitY()));
  }

  /// Halfway between the discs. The atlas is a ring, its centre that of its box; the body of the
  /// axis ends where the atlas rests on it.
  Vec3 vertebralCenter(const std::string& level) {
    if (level == "c1") {
      const Box box = boundingBox(meshes_.mesh("vertebra_c1", Side::Left).positions);
      return inMiddle(0.5 * (box.min + box.max));
    }
    if (level == "c2") return inMiddle(0.5 * (discBelow("c2") + axisShoulders()));
    return 0.5 * (discBelow(*anatomy::internal::shiftLevel(level, -1)) + discBelow(level));
  }
  /// Between the joint surfaces of the axis that carry the atlas.
  Vec3 axisShoulders() { return leftContact({"vertebra_c1"}, {"vertebra_c2"}); }

  void addRibs() {
    for (int i = 1; i <= 12; ++i) {
      const std::string name = fmt::format("rib_{:02}_l", i);
      Measurement& rib = bone(name);
      const std::vector<Vec3> line = ribLine(name, i);
      // Between the points, since the line is flat where it is farthest out.
      const anatomy::internal::CurveSpline curve(line);
      std::vector<Vec3> fine;
      for (int k = 0; k <= 16 * (kRibPoints - 1); ++k) fine.push_back(curve.position(k / 16.0));
      const auto most = [&](const Vec3& direction) {
        return *std::max_element(fine.begin(), fine.end(), [&](const Vec3& a, const Vec3& b) {
          return a.dot(direction) < b.dot(direction);
        });
      };
      rib.curves["centreline"] = line;
      rib.points["head"] = line.front();
      rib.points["angle"] = most(-Vec3::UnitZ());
      rib.points["lateral"] = most(Vec3::UnitX());
      rib.points["sternal_end"] = line.back();
      rib.points["costovertebral"] = ribHead(i, line.front());
      if (i <= kLastHinged) rib.points["costotransverse"] = ribTubercle(i, line.front());
    }
  }

  /// From the end at the spine, which lies nearer to the middle, to the cartilage.
  std::vector<Vec3> ribLine(const std::string& name, int i) {
    const auto outwards = [](const Vec3& p) { return p.x(); };
    const auto of = [&](Side s) {
      const TriangleMesh& rib = meshes_.mesh(name, s);
      std::vector<Vec3> line = measureCentreline(rib, kRibPoints, outwards, kRibCell);
      if (i > kLastHinged) return line;
      const Vec3 end = contactOf({name}, {cartilagePart(i)}, {}, s);
      return measureCentreline(rib, kRibPoints, line.front(), end, kRibCell);
    };
    std::vector<Vec3> line = of(Side::Left);
    const std::vector<Vec3> other = of(Side::Right);
    for (std::size_t k = 0; k < line.size(); ++k) line[k] = 0.5 * (line[k] + other[k]);
    return line;
  }

  /// Cartilages 8 to 10 are one piece.
  static std::string cartilagePart(int i) {
    return i <= 7 ? fmt::format("costal_cartilage_{:02}_l", i) : "costal_cartilage_08_10_l";
  }

  /// On the body of its own vertebra; ribs 2 to 9 also on the one above and the disc between.
  Vec3 ribHead(int i, const Vec3& end) {
    Parts on = {fmt::format("vertebra_t{:02}", i)};
    if (i >= 2 && i <= 9) {
      on.push_back(fmt::format("vertebra_t{:02}", i - 1));
      on.push_back(fmt::format("disc_t{:02}_t{:02}", i - 1, i));
    }
    const Region near = [&](const Vec3& p) { return (p - end).norm() < kRibNeck; };
    return contact({fmt::format("rib_{:02}_l", i)}, on, i <= kLastHinged ? near : Region());
  }

  Vec3 ribTubercle(int i, const Vec3& end) {
    const auto beyond = [&](const Vec3& p) { return (p - end).norm() > kRibNeck; };
    return contact({fmt::format("rib_{:02}_l", i)}, {fmt::format("vertebra_t{:02}", i)}, beyond);
  }

  void addCartilages() {
    for (int i = 1; i <= 10; ++i) {
      const std::string name = fmt::format("costal_cartilage_{:02}_l", i);
      const std::string part = cartilagePart(i), rib = fmt::format("rib_{:02}_l", i);
      auto& p = bone(name).points;
      p["costochondral"] = contact(rib, part);
      if (i <= 7) p["sternal"] = contact(Parts{part}, Parts{"manubrium", "body_of_sternum"});
      if (i == 8) p["junction"] = contact(part, "costal_cartilage_07_l");
    }
  }

  void addSternum() {
    auto& manubrium = bone("manubrium").points;
    manubrium["jugular_notch"] =
        inMiddle(tip("manubrium", Vec3::UnitY(), {0.42, 0.5, 0}, {0.58, 1, 1}));
    manubrium["manubriosternal"] = midContact("manubrium", "body_of_sternum");
    manubrium["sternoclavicular_l"] = contact("manubrium", "clavicle_l");
    auto& body = bone("body_of_sternum").points;
    body["center"] = inMiddle(centroid("body_of_sternum"));
    body["xiphisternal"] = midContact("body_of_sternum", "xiphoid_process");
    bone("xiphoid_process").points["tip"] = inMiddle(tip("xiphoid_process", -Vec3::UnitY()));
  }

  // --- limbs -----------------------------------------------------------------------------------

  template <typename Measure>
  HingeJoint hinge(const Measure& measure) {
    const HingeJoint l = measure(meshes_, Side::Left), r = measure(meshes_, Side::Right);
    return {0.5 * (l.medial + r.medial), 0.5 * (l.lateral + r.lateral)};
  }
  static void keep(std::map<std::string, Vec3>& points, const std::string& joint,
                   const HingeJoint& hinge) {
    points[joint + "_axis_medial"] = hinge.medial;
    points[joint + "_axis_lateral"] = hinge.lateral;
    points[joint + "_joint"] = hinge.center();
  }
  /// The widest points of the lower end of humerus or femur, and the point between them.
  void addEpicondyles(std::map<std::string, Vec3>& points, const std::string& part,
                      const std::string& center) {
    const Vec3 high(1, 0.15, 1);
    points["lateral_epicondyle"] = tip(part, Vec3::UnitX(), Vec3::Zero(), high);
    points["medial_epicondyle"] = tip(part, -Vec3::UnitX(), Vec3::Zero(), high);
    points[center] = 0.5 * (points["lateral_epicondyle"] + points["medial_epicondyle"]);
  }

  void addArm() {
    const auto shoulder = [&](auto field) {
      return bothSides([&](Side s) { return field(internal::measureShoulder(meshes_, s)); });
    };
    auto& clavicle = bone("clavicle_l").points;
    clavicle["acromial_end"] = contact("clavicle_l", "scapula_l");
    clavicle["sternal_end"] = contact("manubrium", "clavicle_l");
    auto& scapula = bone("scapula_l").points;
    scapula["acromioclavicular"] = clavicle["acromial_end"];
    scapula["glenoid"] = shoulder([](const auto& j) { return j.socketMiddle; });
    scapula["glenoid_center"] = shoulder([](const auto& j) { return j.socket.center; });
    auto& humerus = bone("humerus_l").points;
    humerus["head_center"] = shoulder([](const auto& j) { return j.head.center; });
    addEpicondyles(humerus, "humerus_l", "elbow_center");
    keep(humerus, "elbow", hinge(internal::measureElbow));
    bone("ulna_l").points["styloid"] = tip("ulna_l", -Vec3::UnitY());
    auto& radius = bone("radius_l").points;
    radius["head_center"] =
        bothSides([&](Side s) { return internal::measureRadialHead(meshes_, s); });
    radius["styloid"] = tip("radius_l", -Vec3::UnitY());
  }

  void addHand() {
    auto& p = bone("hand_l").points;
    addDigits(p, "mcp", "metacarpal",
              {"thumb", "index_finger", "middle_finger", "ring_finger", "little_finger"});
    const auto phalanx = [](const char* row, const std::string& finger) {
      return fmt::format("{}_phalanx_of_{}_l", row, finger);
    };
    p["ip_thumb"] = contact(phalanx("proximal", "thumb"), phalanx("distal", "thumb"));
    for (const char* finger : {"index_finger", "middle_finger", "ring_finger", "little_finger"}) {
      p[fmt::format("pip_{}", finger)] =
          contact(phalanx("proximal", finger), phalanx("middle", finger));
      p[fmt::format("dip_{}", finger)] =
          contact(phalanx("middle", finger), phalanx("distal", finger));
    }
    p["radiocarpal"] = contact(Parts{"radius_l"}, Parts{"scaphoid_l", "lunate_l"});
    p["wrist_center"] = 0.5 * (tip("ulna_l", -Vec3::UnitY()) + tip("radius_l", -Vec3::UnitY()));
  }

  /// Knuckles: where the five long bones of hand or foot meet the digits.
  void addDigits(std::map<std::string, Vec3>& points, const std::string& joint,
                 const std::string& row, const std::array<const char*, 5>& digits) {
    const std::array<const char*, 5> number = {"first", "second", "third", "fourth", "fifth"};
    for (std::size_t i = 0; i < digits.size(); ++i)
      points[fmt::format("{}_{}", joint, digits[i])] =
          contact(fmt::format("{}_{}_l", number[i], row),
                  fmt::format("proximal_phalanx_of_{}_l", digits[i]));
  }

  void addLeg() {
    const auto hipJoint = [&](auto field) {
      return bothSides([&](Side s) { return field(internal::measureHip(meshes_, s)); });
    };
    auto& hip = bone("hip_bone_l").points;
    hip["acetabulum"] = hipJoint([](const auto& j) { return j.socket.center; });
    hip["sacroiliac"] = contact("sacrum", "hip_bone_l");
    hip["symphysis"] = midContact("hip_bone_l", "hip_bone_r");
    auto& femur = bone("femur_l").points;
    femur["head_center"] = hipJoint([](const auto& j) { return j.head.center; });
    addEpicondyles(femur, "femur_l", "knee_center");
    keep(femur, "knee", hinge(internal::measureKnee));
    bone("patella_l").points["joint_surface"] = contact("patella_l", "femur_l");
    auto& tibia = bone("tibia_l").points;
    tibia["medial_malleolus"] = tip("tibia_l", -Vec3::UnitY());
    tibia["talocrural"] = contact("tibia_l", "talus_l");
    auto& fibula = bone("fibula_l").points;
    fibula["lateral_malleolus"] = tip("fibula_l", -Vec3::UnitY());
    const double knee = femur["knee_center"].y();
    const auto atKnee = [&](const Vec3& p) { return p.y() > 0.7 * knee; };
    fibula["tibiofibular"] = contact({"fibula_l"}, {"tibia_l"}, atKnee);
  }

  void addFoot() {
    auto& talus = bone("talus_l").points;
    talus["ankle_center"] =
        0.5 * (tip("tibia_l", -Vec3::UnitY()) + tip("fibula_l", -Vec3::UnitY()));
    keep(talus, "ankle", hinge(internal::measureAnkle));
    bone("hindfoot_l").points["subtalar"] = contact("talus_l", "calcaneus_l");
    // The transverse tarsal joint has two parts.
    bone("midfoot_l").points["midtarsal"] =
        0.5 * (contact("talus_l", "navicular_l") + contact("calcaneus_l", "cuboid_l"));
    addDigits(bone("toes_l").points, "mtp", "metatarsal",
              {"big_toe", "second_toe", "third_toe", "fourth_toe", "little_toe"});
  }

  // --- head ------------------------------------------------------------------------------------

  void addHead() {
    const Vec3 condyle = leftContact({"vertebra_c1"}, {"occipital"});
    auto& skull = bone("skull").points;
    skull["atlanto_occipital"] = inMiddle(condyle);
    skull["condyle_l"] = condyle;
    skull["temporomandibular_l"] = jawCondyle();
    bone("mandible").points["condyle_l"] = jawCondyle();
    bone("hyoid").points["center"] = inMiddle(centroid("hyoid"));
    bone("thyroid_cartilage").points["center"] = inMiddle(centroid("thyroid_cartilage"));
  }

  /// The middle of the jaw's condyle: the uppermost 7 mm of the bone behind the coronoid process.
  Vec3 jawCondyle() {
    return bothSides([&](Side s) {
      const TriangleMesh& jaw = meshes_.mesh("mandible", s);
      const Box box = boundingBox(jaw.positions);
      std::vector<SurfaceSample> samples = internal::surfaceSamples(jaw);
      const auto top = internal::extremePoint(jaw, Vec3::UnitY(), {0.5, 0.5, 0}, {1, 1, 0.3});
      std::erase_if(samples, [&](const SurfaceSample& x) {
        return x.position.x() < 0 || x.position.y() < top.y() - 0.007 ||
               x.position.z() > box.min.z() + 0.3 * box.size().z();
      });
      return internal::meanPosition(samples);
    });
  }

  SidedMeshes meshes_;
  std::vector<Measurement> bones_;
};

}  // namespace

std::vector<Measurement> measureLandmarks(const AnatomyPack& pack) {
  return LandmarkTable(pack).run();
}

}  // namespace pneuma::survey
