// Mass, centre and inertia of what moves with each bone, counted in cubes of the measured man.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "anatomy/text/names.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/survey/measure_tables.h"
#include "survey/measure_points.h"
#include "survey/measure_recipes.h"
#include "survey/sided_names.h"
#include "survey/voxel_body.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using internal::VoxelGrid;
using Names = std::vector<std::string>;

constexpr double kCell = 0.003;  ///< [m]

/// Densities [kg/m^3] in the order in which solids are filled: later ones win where they overlap.
enum Tissue : std::uint8_t { kOutside, kOther, kOrgan, kLung, kMuscle, kCartilage, kBone };
constexpr std::array<double, 7> kDensity = {0, 970, 1050, 260, 1060, 1100, 1300};

/// A segment bears the name of its first bone; a left one has a right twin.
struct SegmentRule {
  std::string name;
  Names parts;  ///< meshes of the folder
};

/// The bones that move as one: sternum, shank, pelvis; the fused cartilages 8 to 10.
std::vector<SegmentRule> segmentRules() {
  const std::map<std::string, std::string> joined = {
      {"manubrium", "body_of_sternum"},
      {"xiphoid_process", "body_of_sternum"},
      {"fibula_l", "tibia_l"},
      {"hip_bone_l", "sacrum"},
      {"costal_cartilage_09_l", "costal_cartilage_08_l"},
      {"costal_cartilage_10_l", "costal_cartilage_08_l"},
  };
  std::vector<SegmentRule> rules;
  const auto ruleOf = [&](const std::string& name) -> SegmentRule& {
    const auto it = std::find_if(rules.begin(), rules.end(),
                                 [&](const SegmentRule& r) { return r.name == name; });
    return it != rules.end() ? *it : rules.emplace_back(SegmentRule{name, {}});
  };
  for (const internal::Recipe& recipe : internal::boneRecipes()) {
    const auto it = joined.find(recipe.name);
    SegmentRule& rule = ruleOf(it == joined.end() ? recipe.name : it->second);
    for (const internal::RecipePiece& piece : recipe.pieces)
      for (const std::string& mesh : piece.meshes)
        if (std::find(rule.parts.begin(), rule.parts.end(), mesh) == rule.parts.end())
          rule.parts.push_back(mesh);
    // Both hip bones belong to the one pelvis.
    if (recipe.name == "hip_bone_l") rule.parts.push_back("hip_bone_r");
  }
  return rules;
}

Tissue tissueOf(const PackPart& part) {
  if (part.kind == "bone" || part.kind == "tooth") return kBone;
  if (part.kind == "cartilage" || part.kind == "connective") return kCartilage;
  if (part.kind == "muscle") return kMuscle;
  if (part.name.find("lobe_of_lung") != std::string::npos) return kLung;
  return part.kind == "organ" ? kOrgan : kOutside;
}

/// The plane that parts trunk and thigh: through the front spine of the ilium, 37 degrees off the
/// sagittal plane, downwards and inwards [Zatsiorsky & Seluyanov 1983, whose shares de Leva 1996
/// restates].
/// Without it the nearest bone decides, and the seat and the groin count as pelvis.
class GroinPlane {
 public:
  explicit GroinPlane(const AnatomyPack& pack) {
    const auto spine = [](const TriangleMesh& hip) {
      return internal::extremePoint(hip, Vec3(0.3, 0, 1), {0.3, 0.55, 0.3}, {1, 0.95, 1});
    };
    spine_ = 0.5 * (spine(pack.mesh("hip_bone_l")) + spine(mirroredMesh(pack.mesh("hip_bone_r"))));
  }
  bool below(const Vec3& p) const {
    constexpr double kSlope = 0.75355;  // tan 37 degrees
    return std::abs(p.x()) - spine_.x() > kSlope * (p.y() - spine_.y());
  }

 private:
  Vec3 spine_;
};

/// Sums of a segment.
struct Sums {
  double mass = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  void add(const Vec3& p, double m) {
    mass += m;
    first += m * p;
    second += m * p * p.transpose();
  }
};

/// Mass [kg], centre [m] and inertia about it [kg m^2].
struct Solid {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

Solid solidOf(const Sums& s) {
  Solid solid;
  solid.mass = s.mass;
  solid.center = s.first / s.mass;
  const Mat3 spread = s.second - s.mass * solid.center * solid.center.transpose();
  // Each cube has an inertia of its own.
  solid.inertia = (spread.trace() + s.mass * kCell * kCell / 6) * Mat3::Identity() - spread;
  return solid;
}

Solid mirrored(Solid s) {
  const Mat3 flip = Vec3(-1, 1, 1).asDiagonal();
  s.center = flip * s.center;
  s.inertia = flip * s.inertia * flip;
  return s;
}

Solid mean(const Solid& a, const Solid& b) {
  return {0.5 * (a.mass + b.mass), 0.5 * (a.center + b.center), 0.5 * (a.inertia + b.inertia)};
}

class SegmentTable {
 public:
  explicit SegmentTable(const AnatomyPack& pack)
      : pack_(pack), rules_(segmentRules()), groin_(pack) {}

  std::string run() {
    const Box box = boundingBox(pack_.mesh("skin_outer").positions);
    const VoxelGrid tissue = fillTissues(box);
    const VoxelGrid owner = nearestBones(box);
    std::vector<Sums> sums(names_.size());
    const double volume = kCell * kCell * kCell;
    for (std::size_t i = 0; i < tissue.count(); ++i) {
      if (tissue.at(i) == kOutside) continue;
      const Vec3 p = tissue.center(i);
      sums[ownerOf(owner.at(i), tissue.at(i), p)].add(p, volume * kDensity[tissue.at(i)]);
    }
    return text(sums);
  }

 private:
  VoxelGrid fillTissues(const Box& box) const {
    VoxelGrid grid(box, kCell);
    for (Tissue tissue : {kOrgan, kLung, kMuscle, kCartilage, kBone})
      for (const PackPart& part : pack_.parts())
        if (tissueOf(part) == tissue) grid.fill(pack_.mesh(part.name), tissue);
    // What the skin encloses and no part fills: fat, vessels, brain.
    VoxelGrid skin(box, kCell);
    skin.fill(pack_.mesh("skin_outer"), kOther);
    for (std::size_t i = 0; i < grid.count(); ++i)
      if (grid.at(i) == kOutside) grid.at(i) = skin.at(i);
    return grid;
  }

  /// Cubes hold 1 + the index in `names_`.
  VoxelGrid nearestBones(const Box& box) {
    VoxelGrid grid(box, kCell);
    const auto add = [&](const std::string& name, const Names& parts, bool right) {
      names_.push_back(name);
      for (const std::string& part : parts)
        grid.fill(pack_.mesh(right ? anatomy::internal::mirrorName(part) : part),
                  static_cast<std::uint8_t>(names_.size()));
    };
    for (const SegmentRule& rule : rules_) {
      add(rule.name, rule.parts, false);
      if (isLeft(rule.name)) add(anatomy::internal::mirrorName(rule.name), rule.parts, true);
    }
    grid.spread();
    pelvis_ = indexOf("sacrum"), thighs_ = {indexOf("femur_l"), indexOf("femur_r")};
    return grid;
  }

  std::size_t ownerOf(std::uint8_t nearest, std::uint8_t tissue, const Vec3& p) const {
    const std::size_t own = nearest - 1u;
    const bool thigh = own == thighs_[0] || own == thighs_[1];
    if (tissue == kBone || (own != pelvis_ && !thigh)) return own;
    return groin_.below(p) ? thighs_[p.x() > 0 ? 0 : 1] : pelvis_;
  }

  std::size_t indexOf(const std::string& name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

  std::string text(const std::vector<Sums>& sums) const {
    std::string out = fmt::format(
        "# Written by `pneuma body measure`. Left and right averaged. Measured on:\n# {}\n"
        "# See LICENSE beside this file.\n"
        "# What moves with each bone: cubes of 3 mm within the skin, given to the nearest bone;\n"
        "# between pelvis and thigh the plane through the front spine of the ilium decides, 37\n"
        "# degrees off the sagittal plane. Densities: bone 1.30, cartilage 1.10, muscle 1.06,\n"
        "# organ 1.05, lung 0.26, other 0.97 g/cm3.\n"
        "format = \"pneuma-body 1\"\n"
        "units = {{ length = \"mm\", mass = \"kg\", inertia = \"kg m2\" }}\n",
        pack_.attribution());
    for (const SegmentRule& rule : rules_) {
      const Solid own = solidOf(sums[indexOf(rule.name)]);
      const std::string twin = anatomy::internal::mirrorName(rule.name);
      const Solid s = mean(own, mirrored(isLeft(rule.name) ? solidOf(sums[indexOf(twin)]) : own));
      append(out, rule.name, s);
    }
    return out;
  }

  static void append(std::string& out, const std::string& bone, const Solid& s) {
    const auto number = [](double v) { return v == 0 ? 0.0 : v; };  // no negative zero
    const Mat3& I = s.inertia;
    out += fmt::format("\n[[segment]]\nbone = \"{}\"\n", bone);
    if (isLeft(bone)) out += "mirror = true\n";
    out += fmt::format("mass = {:.4f}\ncenter = [{:.6g}, {:.6g}, {:.6g}]\n", s.mass,
                       number(std::round(s.center.x() * 1e5) / 100),
                       std::round(s.center.y() * 1e5) / 100, std::round(s.center.z() * 1e5) / 100);
    out += fmt::format("inertia = [{:.4g}, {:.4g}, {:.4g}, {:.4g}, {:.4g}, {:.4g}]\n", I(0, 0),
                       I(1, 1), I(2, 2), number(I(0, 1)), number(I(0, 2)), I(1, 2));
  }

  const AnatomyPack& pack_;
  std::vector<SegmentRule> rules_;
  GroinPlane groin_;
  Names names_;
  std::size_t pelvis_ = 0;
  std::array<std::size_t, 2> thighs_{};
};

}  // namespace

std::string measureSegments(const AnatomyPack& pack) {
  return SegmentTable(pack).run();
}

}  // namespace pneuma::survey
