#include "stage/packed_person.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "pneuma/anatomy/fitted_map.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/flesh/embedded/fibre_paths.h"

namespace pneuma::stage {
namespace {

using anatomy::MapBranch;
using internal::BlendedMap;

// How far beyond the leanest and the stoutest form a skin is drawn out, in steps between forms.
constexpr double kBeyond = 0.6;
constexpr double kSameVolume = 1e-5;  // of the volume that a skin must enclose

MapBranch branchOfBone(const anatomy::Body& body, const std::string& name) {
  const auto bone = std::ranges::find(body.bones, name, &anatomy::Bone::name);
  return bone == body.bones.end() ? MapBranch::Trunk : anatomy::branchOf(*bone);
}

std::vector<skin::BoneSample> mapped(std::vector<skin::BoneSample> samples,
                                     const anatomy::Body& body, const anatomy::PersonMap& map) {
  for (skin::BoneSample& s : samples)
    s.place = map(anatomy::branchOf(body.bones.at(static_cast<std::size_t>(s.bone))), s.place);
  return samples;
}

/// The skin of a person, by how far along the forms of the sex it lies.
class FormedSkin {
 public:
  FormedSkin(const SkinForms& skin, const BlendedMap& map, anatomy::Sex sex)
      : skin_(skin), map_(map), forms_(skin.bySex[sex == anatomy::Sex::Female ? 1 : 0]) {
    if (forms_.empty())
      throw InputError(Diagnostic{
          .subject = "packed body", .field = "sex", .message = "the file has no skin of this sex"});
  }

  /// 0 the leanest form, forms - 1 the stoutest.
  std::vector<Vec3> at(double place) const {
    const auto last = static_cast<double>(forms_.size() - 1);
    const double k = std::clamp(std::floor(place), 0.0, std::max(0.0, last - 1));
    const double u = forms_.size() > 1 ? place - k : 0;
    const std::vector<Vec3>& a = forms_[static_cast<std::size_t>(k)];
    const std::vector<Vec3>& b = forms_[static_cast<std::size_t>(std::min(k + 1, last))];
    std::vector<Vec3> x(a.size());
    for (std::size_t v = 0; v < x.size(); ++v)
      x[v] = map_((1 - u) * a[v] + u * b[v], skin_.armShare[v]);
    return x;
  }

  /// The skin that encloses a volume [m^3], or the nearest that the forms reach. The volume rises
  /// along the forms: false position between two ends.
  std::vector<Vec3> enclosing(double volume) const {
    if (forms_.size() < 2) return at(0);
    const auto excess = [&](const std::vector<Vec3>& x) {
      return enclosedVolume(x, skin_.triangles) - volume;
    };
    double low = -kBeyond, high = static_cast<double>(forms_.size() - 1) + kBeyond;
    std::vector<Vec3> x = at(low);
    double below = excess(x);
    if (below >= 0) return x;
    x = at(high);
    double above = excess(x);
    if (above <= 0) return x;
    for (int i = 0; i < 24; ++i) {
      // Every third step halves, so that a bent course cannot hold one end for long.
      const double place =
          i % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * below / (below - above);
      x = at(place);
      const double e = excess(x);
      if (std::abs(e) < kSameVolume * volume) break;
      (e < 0 ? low : high) = place;
      (e < 0 ? below : above) = e;
    }
    return x;
  }

 private:
  const SkinForms& skin_;
  const BlendedMap& map_;
  const std::vector<std::vector<Vec3>>& forms_;
};

}  // namespace

namespace internal {

Vec3 BlendedMap::operator()(const Vec3& p, double arm) const {
  if (arm <= 0) return map_(MapBranch::Trunk, p);
  if (arm >= 1) return map_(MapBranch::Arm, p);
  return (1 - arm) * map_(MapBranch::Trunk, p) + arm * map_(MapBranch::Arm, p);
}

Vec3 BlendedMap::toSubject(const Vec3& x, double arm) const {
  constexpr int kSteps = 12;
  constexpr double kNear = 1e-9;  // [m]
  Vec3 p = map_.toSubject(arm < 0.5 ? MapBranch::Trunk : MapBranch::Arm, x);
  for (int i = 0; i < kSteps; ++i) {
    const Vec3 off = x - (*this)(p, arm);
    if (off.norm() < kNear) break;
    const Mat3 slope =
        (1 - arm) * map_.jacobian(MapBranch::Trunk, p) + arm * map_.jacobian(MapBranch::Arm, p);
    p += slope.inverse() * off;
  }
  return p;
}

}  // namespace internal

PersonShapes packedShapes(const BodyPack& pack, const anatomy::Body& measured,
                          const anatomy::Person& person) {
  anatomy::checkPerson(person);
  const BlendedMap map(measured, person);
  const std::optional<anatomy::FittedMap> fit = anatomy::fittedMapOf(measured, person);
  PersonShapes shapes;
  for (const auto& [name, mesh] : pack.bones) {
    TriangleMesh& bone = shapes.bones[name] = mesh;
    const MapBranch branch = branchOfBone(measured, name);
    const anatomy::FittedPart part = anatomy::fittedPartOf(name);
    for (Vec3& p : bone.positions) {
      p = map.map()(branch, p);
      if (fit) p = (*fit)(part, p);
    }
  }
  const SkinForms& skin = pack.skin;
  if (skin.triangles.empty()) return shapes;
  anatomy::SkinSurface& surface = shapes.skin.emplace();
  surface.mesh.triangles = skin.triangles;
  surface.mesh.positions = FormedSkin(skin, map, person.sex).enclosing(anatomy::skinVolume(person));
  surface.parts = skin.parts;
  // What files need of it; textures have no place on a packed skin.
  auto topology = std::make_shared<anatomy::SkinTopology>();
  topology->triangles = skin.triangles;
  topology->parts = skin.parts;
  surface.topology = std::move(topology);
  shapes.binding = skin.binding;
  shapes.binding.trunk = mapped(skin.binding.trunk, measured, map.map());
  shapes.binding.cage = mapped(skin.binding.cage, measured, map.map());
  return shapes;
}

std::vector<MuscleShape> packedMuscles(const BodyPack& pack, const anatomy::Body& measured,
                                       const anatomy::CompiledBody& compiled,
                                       const anatomy::Person& person) {
  std::vector<bool> ofArm;
  std::vector<anatomy::FittedPart> parts;
  for (const anatomy::CompiledLink& link : compiled.links) {
    const auto first =
        link.bones.empty() ? std::size_t{0} : static_cast<std::size_t>(link.bones[0]);
    const anatomy::Bone& bone = measured.bones.at(first);
    ofArm.push_back(!link.bones.empty() && anatomy::branchOf(bone) == MapBranch::Arm);
    parts.push_back(link.bones.empty() ? anatomy::FittedPart::Trunk
                                       : anatomy::fittedPartOf(bone.name));
  }
  const BlendedMap map(measured, person);
  const std::optional<anatomy::FittedMap> fit = anatomy::fittedMapOf(measured, person);
  std::vector<MuscleShape> muscles = pack.muscles;
  for (MuscleShape& m : muscles)
    for (std::size_t v = 0; v < m.links.size(); ++v) {
      double arm = 0;
      for (std::size_t k = 0; k < kMuscleLinks; ++k)
        if (ofArm.at(static_cast<std::size_t>(m.links[v][k]))) arm += m.weights[v][k];
      const Vec3 p = map(m.mesh.positions[v], arm);
      m.mesh.positions[v] = p;
      if (!fit) continue;
      // On a character each link draws what goes with it to where it has that part.
      m.mesh.positions[v].setZero();
      for (std::size_t k = 0; k < kMuscleLinks; ++k)
        if (const double w = m.weights[v][k]; w > 0)
          m.mesh.positions[v] += w * (*fit)(parts.at(static_cast<std::size_t>(m.links[v][k])), p);
    }
  return muscles;
}

std::vector<std::vector<std::int32_t>> nearestLines(const std::vector<MuscleShape>& muscles,
                                                    const anatomy::CompiledBody& compiled) {
  namespace embedded = flesh::embedded;
  embedded::FleshAnatomy anatomy;
  for (const MuscleShape& m : muscles) anatomy.muscles.push_back({.name = m.name, .mesh = {}});
  for (const anatomy::CompiledMuscle& m : compiled.muscles) {
    embedded::FleshLine& line = anatomy.lines.emplace_back();
    line.name = m.name;
    line.muscle = m.muscle;
    for (const anatomy::CompiledPoint& p : m.points) line.points.push_back(p.position);
  }
  const embedded::FibrePaths paths(anatomy);
  std::vector<std::vector<std::int32_t>> lines;
  for (std::size_t i = 0; i < muscles.size(); ++i) {
    std::vector<std::int32_t>& of = lines.emplace_back();
    for (const Vec3& p : muscles[i].mesh.positions) of.push_back(paths.nearest(i, p).line);
  }
  return lines;
}

}  // namespace pneuma::stage
