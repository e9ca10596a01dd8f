#include <fmt/format.h>

#include <cmath>

#include "pneuma/anatomy/growth.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/anatomy/trunk.h"

namespace pneuma::anatomy {
namespace {

/// The named points of a body.
class TrunkMarks {
 public:
  explicit TrunkMarks(const Body& body) : points_(body, findings_) {
    if (!findings_.empty()) throw InputError(findings_);
  }
  Vec3 point(const std::string& reference) const {
    return points_.find(reference).valueOrThrow().position;
  }
  const std::vector<Vec3>& curve(const std::string& bone, const std::string& name) const {
    const int index = points_.findBone(bone);
    const std::vector<Vec3>* curve = index < 0 ? nullptr : points_.curve(index, name);
    if (curve == nullptr)
      throw InputError(Diagnostic{.subject = bone,
                                  .field = name,
                                  .message = "the breathing torso needs this curve of the body",
                                  .expected = "a curve under [landmarks.curves]"});
    return *curve;
  }

 private:
  std::vector<Diagnostic> findings_;
  PointTable points_;
};

void readRibs(const TrunkMarks& marks, const std::vector<double>& radii, TrunkAnatomy& a) {
  for (int i = 1; i <= kMovingRibs + 2; ++i) {
    const std::string rib = fmt::format("rib_{:02}_l", i);
    const std::string cartilage = fmt::format("costal_cartilage_{:02}_l", i);
    const auto index = static_cast<std::size_t>(i - 1);
    RibAnatomy& r = i <= kMovingRibs ? a.ribs[index] : a.floatingRibs[index - kMovingRibs];
    r.centerline = marks.curve(rib, kCentreline);
    r.radius = radii[index];
    if (i > kMovingRibs) continue;
    r.head = marks.point(rib + ":costovertebral");
    r.neckAxis = (marks.point(rib + ":costotransverse") - r.head).normalized();
    r.cartilageOnRib = marks.point(cartilage + ":costochondral");
    if (i <= 7) r.cartilageOnSternum = marks.point(cartilage + ":sternal");
  }
}

void readPoints(const TrunkMarks& marks, TrunkAnatomy& a) {
  a.jugularNotch = marks.point("manubrium:jugular_notch");
  a.manubriosternal = marks.point("manubrium:manubriosternal");
  a.xiphisternal = marks.point("body_of_sternum:xiphisternal");
  a.xiphoidTip = marks.point("xiphoid_process:tip");
  a.marginJoin = marks.point("costal_cartilage_08_l:junction");
  const auto column = [&](const char* level, int count) {
    for (int i = 1; i <= count; ++i)
      a.vertebrae.push_back(
          marks.point(fmt::format("vertebra_{}{}:body_center", level,
                                  count > 9 ? fmt::format("{:02}", i) : std::to_string(i))));
  };
  column("c", 7);
  column("t", 12);
  column("l", 5);
  a.promontory = marks.point("sacrum:promontory");
  a.pubicCrest = marks.point("hip_bone_l:pubic_crest");
  a.iliacSpine = marks.point("hip_bone_l:iliac_spine");
  a.iliacTubercle = marks.point("hip_bone_l:iliac_tubercle");
  a.iliacCrest = marks.point("hip_bone_l:iliac_crest");
  a.sternoclavicular = marks.point("clavicle_l:sternal_end");
  a.acromioclavicular = marks.point("clavicle_l:acromial_end");
  a.shoulder = marks.point("humerus_l:head_center");
  a.elbow = marks.point("humerus_l:elbow_joint");
  a.wrist = marks.point("hand_l:wrist_center");
}

/// The contact points behind the axes are good to a few millimetres only, over a lever of 2 cm:
/// neighbouring ribs share their directions (weights 1 2 1, twice), and the axes are level, as
/// [Wilson87] describes them by their angle to the midplane alone.
void smoothNeckAxes(TrunkAnatomy& a) {
  for (int pass = 0; pass < 2; ++pass) {
    std::array<Vec3, kMovingRibs> smooth;
    for (std::size_t i = 0; i < kMovingRibs; ++i) {
      const Vec3& before = a.ribs[i == 0 ? 0 : i - 1].neckAxis;
      const Vec3& after = a.ribs[std::min<std::size_t>(i + 1, kMovingRibs - 1)].neckAxis;
      smooth[i] = before + 2 * a.ribs[i].neckAxis + after;
      smooth[i].y() = 0;
      smooth[i].normalize();
    }
    for (std::size_t i = 0; i < kMovingRibs; ++i) a.ribs[i].neckAxis = smooth[i];
  }
}

void require(bool given, const Body& body, const char* field) {
  if (given) return;
  throw InputError(Diagnostic{.where = body.where.position(),
                              .subject = "trunk",
                              .field = field,
                              .message = "the breathing torso needs this part of the body",
                              .expected = "a table under [trunk]"});
}

}  // namespace

TrunkAnatomy trunkAnatomy(const Body& body) {
  require(body.trunk.ribRadii.size() == kMovingRibs + 2, body, "rib_radius");
  require(!body.trunk.diaphragm.empty(), body, "diaphragm");
  require(!body.trunk.wall.empty(), body, "wall");
  require(!body.trunk.outline.empty(), body, "outline");
  TrunkAnatomy a;
  a.name = fmt::format("{} {:.0f} cm", wordFor(body.subject.sex, body.subject.age),
                       100 * body.subject.height);
  a.height = body.subject.height;
  a.person = body.subject;
  const TrunkMarks marks(body);
  readRibs(marks, body.trunk.ribRadii, a);
  smoothNeckAxes(a);
  readPoints(marks, a);
  a.dome = body.trunk.diaphragm;
  a.wall = body.trunk.wall;
  a.trunk = body.trunk.outline;
  return a;
}

}  // namespace pneuma::anatomy
