#include "pneuma/stage/posed_person.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/skin/layered_driver.h"
#include "pneuma/stage/head_hair.h"
#include "pneuma/stage/palette.h"
#include "pneuma/stage/skin_rig.h"
#include "stage/carried_muscles.h"
#include "stage/lid_line.h"

namespace pneuma::stage {
namespace {

constexpr double kAnatomySkin = 0.28, kXraySkin = 0.12;  // opacities
constexpr double kPoseRate = 30;                         // of a clip's moments [1/s]

std::size_t frameAt(const PlayedMotion& motion, bool clip, std::optional<double> seconds) {
  const std::size_t last = motion.q.size() - 1;
  if (!seconds) return clip ? 0 : last;
  if (*seconds > motion.times.back() + 1 / kPoseRate)
    throw InputError(Diagnostic{.field = "at",
                                .message = fmt::format("{:g} s is beyond the motion", *seconds),
                                .expected = fmt::format("0 to {:g} s", motion.times.back())});
  return std::min(last, static_cast<std::size_t>(std::lround(*seconds * kPoseRate)));
}

/// Skin as x-rays see it: a faint rim that throws no shadow.
render::Material xraySkin() {
  render::Material m = render::materials::translucent(
      render::materials::plain(render::Color::hex(0x8fb6d6)), kXraySkin);
  m.castsShadow = false;
  return m;
}

bool isPaired(anatomy::SkinPart part) {
  return part >= anatomy::SkinPart::Shoulder;  // the trunk and what it carries come first
}

constexpr double kFront = 0.11;  // of the face, on the measured man [m]

/// How taut a place of the measured man is drawn where his lips meet; complexion.cpp paints the
/// line there.
double atLips(const Vec3& p) {
  constexpr double kHeight = 1.479, kHalf = 0.0275;
  constexpr double kSlit = 0.0012, kRim = 0.0042;  // taut up to here, and free from here [m]
  return (1 - smoothStep(kSlit, kRim, std::abs(p.y() - kHeight))) *
         (1 - smoothStep(0.9, 1.1, std::abs(p.x()) / kHalf));
}

/// The same where his closed lids meet.
double atLids(const Vec3& p) {
  constexpr double kSlit = 0.0010, kRim = 0.0030;
  const double u = LidLine::along(std::abs(p.x()));
  if (u <= -0.1 || u >= 1.1) return 0;
  const double line = LidLine::height(u);
  return (1 - smoothStep(kSlit, kRim, std::abs(p.y() - line))) *
         (1 - smoothStep(0.5, 0.6, std::abs(u - 0.5)));
}

/// Lips and lids that meet. Where they touch, the measured heads have a slit with walls that pass
/// through each other; the skin there is drawn taut into a smooth groove, by means over neighbours.
/// The lips' texture, drawn taut alike, gives their line.
void closeSlit(const anatomy::SkinTopology& topology, double (*tautness)(const Vec3&),
               std::vector<Vec3>& positions) {
  constexpr int kPasses = 40;
  struct Corner {
    std::size_t vertex;
    double share;
    std::vector<std::int32_t> around;
  };
  std::vector<Corner> slit;
  std::vector<int> index(positions.size(), -1);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3& p = topology.places[v];
    if (p.z() < kFront) continue;
    const double share = tautness(p);
    if (!(share > 0)) continue;
    index[v] = static_cast<int>(slit.size());
    slit.push_back({v, share, {}});
  }
  for (const Triangle& t : topology.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      if (const int i = index[at(t[k])]; i >= 0) slit[at(i)].around.push_back(t[(k + 1) % 3]);
  std::vector<Vec3> next(slit.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < slit.size(); ++i) {
      Vec3 mean = Vec3::Zero();
      for (const std::int32_t n : slit[i].around) mean += positions[at(n)];
      mean /= static_cast<double>(slit[i].around.size());
      const Vec3& x = positions[slit[i].vertex];
      next[i] = x + 0.7 * slit[i].share * (mean - x);
    }
    for (std::size_t i = 0; i < slit.size(); ++i) positions[slit[i].vertex] = next[i];
  }
}

/// Skin with the line of the lips as smooth as these themselves.
std::shared_ptr<const render::Texture> painted(const anatomy::SkinTopology& topology,
                                               const Complexion& complexion) {
  render::Texture texture = *skinTexture(topology, complexion);
  closeSlit(topology, atLips, texture.places);
  return std::make_shared<const render::Texture>(std::move(texture));
}

/// The left forearm and hand of a skin, and the hips and thighs that they may touch. All move with
/// one link each: nothing bends there while arms hang.
class HangingArm {
 public:
  HangingArm(const anatomy::SkinSurface& skin, const PlayedMotion& motion)
      : motion_(motion), hips_(hipsOf(skin)) {
    using anatomy::SkinPart;
    // Vertices of the coarsest level come first and are enough.
    const std::size_t count =
        std::min(skin.mesh.vertexCount(), at(anatomy::skinTriangles(0)) / 2 + 2);
    for (std::size_t v = 0; v < count; ++v) {
      if (skin.mesh.positions[v].x() <= 0) continue;
      if (skin.parts[v] == SkinPart::Hand) hand_.push_back(skin.mesh.positions[v]);
      if (skin.parts[v] == SkinPart::Forearm) forearm_.push_back(skin.mesh.positions[v]);
    }
  }

  /// Least distance of the arm from the hips in a configuration, negative inside [m].
  double clearance(const VecX& q) const {
    const std::vector<Pose> links = linkMotionsAt(motion_.compiled, motion_.model, q);
    const auto link = [&](const char* name) {
      const auto found =
          std::ranges::find(motion_.compiled.links, name, &anatomy::CompiledLink::name);
      return found == motion_.compiled.links.end()
                 ? Pose{}
                 : links[static_cast<std::size_t>(found - motion_.compiled.links.begin())];
    };
    const Pose back = link("pelvis").inverse();
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [name, points] : {std::pair("hand_l", &hand_), {"ulna_l", &forearm_}}) {
      const Pose moved = back * link(name);
      for (const Vec3& p : *points) least = std::min(least, distance(moved * p));
    }
    return least;
  }

 private:
  static TriangleMesh hipsOf(const anatomy::SkinSurface& skin) {
    using anatomy::SkinPart;
    TriangleMesh hips{skin.mesh.positions, {}};
    const auto carries = [&](std::int32_t v) {
      const SkinPart part = skin.parts[at(v)];
      return part == SkinPart::Pelvis || part == SkinPart::Thigh || part == SkinPart::Abdomen;
    };
    for (const Triangle& t : skin.mesh.triangles)
      if (carries(t[0]) && carries(t[1]) && carries(t[2])) hips.triangles.push_back(t);
    return hips;
  }

  /// The piece is open above and below: the nearest triangle's side tells what is inside.
  double distance(const Vec3& p) const {
    const SurfaceQuery::Hit hit = hips_.closest(p);
    const Triangle& t = hips_.mesh().triangles[at(hit.triangle)];
    const std::vector<Vec3>& x = hips_.mesh().positions;
    const Vec3 normal = (x[at(t[1])] - x[at(t[0])]).cross(x[at(t[2])] - x[at(t[0])]);
    return (p - hit.point).dot(normal) < 0 ? -hit.distance : hit.distance;
  }

  const PlayedMotion& motion_;
  SurfaceQuery hips_;
  std::vector<Vec3> hand_, forearm_;
};

bool isTendon(const std::string& name) {
  return name.find("tendon") != std::string::npos || name.find("tract") != std::string::npos;
}

}  // namespace

const std::vector<std::string>& shadingNames() {
  static const std::vector<std::string> names{"clay", "skin", "anatomy", "xray"};
  return names;
}

Shading shadingFromName(const std::string& name) {
  const auto& names = shadingNames();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<Shading>(found - names.begin());
  throw InputError(Diagnostic{.field = "shading",
                              .message = "unknown shading '" + name + "'",
                              .expected = "clay, skin, anatomy or xray",
                              .nearest = nearestName(name, names)});
}

render::RenderOptions lightFor(Shading shading, render::RenderOptions options) {
  if (shading != Shading::Xray) return options.inStudio();
  options.background = render::Color::hex(0x10151b);
  options.ground = false;
  return options;
}

std::vector<std::string> skinPartNames() {
  std::vector<std::string> names;
  for (int k = 0; k < anatomy::kSkinParts; ++k)
    names.emplace_back(anatomy::name(static_cast<anatomy::SkinPart>(k)));
  return names;
}

PosedPerson::PosedPerson(const anatomy::Body& measured, const anatomy::Person& person,
                         const MotionSource& pose, std::optional<double> seconds, int triangles,
                         bool openEyes)
    : measured_(measured), person_(person), fitted_(anatomy::fitToPerson(measured, person)) {
  std::optional<PlayedMotion> motion;  // first: a wrong joint is named before the skin is made
  if (pose.asked()) motion = makePlayedMotion(pose, measured, person, "figure", kPoseRate);
  const std::size_t frame = motion ? frameAt(*motion, !pose.clip.empty(), seconds) : 0;
  if (triangles > 0) {
    surface_ = anatomy::makeShownSkin(measured, person, triangles, cache_);
    closeSlit(*surface_.topology, atLips, surface_.mesh.positions);
    if (!openEyes) {
      closeSlit(*surface_.topology, atLids, surface_.mesh.positions);
      const auto lines = closedLashes(*surface_.topology, surface_.mesh.positions);
      lidLines_.assign(lines.begin(), lines.end());
    } else {
      auto eyes = stage::openEyes(*surface_.topology, surface_.mesh.positions);
      eyes_.assign(eyes.begin(), eyes.end());
    }
    skin_ = surface_.mesh;
    hair_ = headHair(*surface_.topology, surface_.mesh.positions, person.sex, complexion().hair);
  }
  if (motion) hold(*motion, besideHips(*motion, motion->q[frame]));
}

/// The pose with arms that hang beside the hips, not in them. The posture's angles, which simulated
/// people hold too, know a thigh as a cylinder; a picture has the skin. Both arms go out, or in, to
/// the least angle at which the nearest place of hand or forearm is kOff from the skin of hips and
/// thighs.
VecX PosedPerson::besideHips(const PlayedMotion& motion, const VecX& q) const {
  constexpr double kOff = 0.006;  // [m]
  constexpr double kMost = degreesToRadians(30), kStep = degreesToRadians(0.2);
  if (skin_.positions.empty() || motion.source.posture.empty() ||
      !skeleton::hangsArms(skeleton::findPosture(motion.body, motion.source.posture)))
    return q;
  const skeleton::PoseMaker maker(motion.compiled, motion.model);
  std::vector<int> outwards;
  for (const int f : maker.find("shoulder.abduction"))
    if (const skeleton::Freedom& freedom = maker.freedoms()[at(f)]; freedom.position >= 0)
      outwards.push_back(freedom.position);
  const HangingArm arm(surface_, motion);
  const auto heldBy = [&](double outward) {
    VecX held = q;
    for (const int position : outwards) held[position] += outward;
    return held;
  };
  double turned = 0;
  while (turned > -kMost && arm.clearance(heldBy(turned - kStep)) >= kOff) turned -= kStep;
  while (turned < kMost && arm.clearance(heldBy(turned)) < kOff) turned += kStep;
  return heldBy(turned);
}

void PosedPerson::hold(const PlayedMotion& motion, const VecX& q) {
  bones_ = boneMotionsAt(motion.compiled, motion.model, q);
  if (skin_.positions.empty()) return;
  const auto driver = skin::makeWeightsSkin(surface_, motion.body, motion.compiled, cache_, {});
  driver->pose({.bones = bones_, .posture = {}, .traces = {}}, skin_.positions);
  motions_.assign(driver->motions().begin(), driver->motions().end());
}

void PosedPerson::addBones(render::Scene& scene) const {
  const anatomy::RelaxedHands relaxed(fitted_);
  for (const anatomy::Shape& s : fitted_.shapes) {
    const auto bone = std::ranges::find(fitted_.bones, s.bone, &anatomy::Bone::name);
    const bool known = bone != fitted_.bones.end();
    const bool cartilage = known && bone->kind == anatomy::BoneKind::Cartilage;
    TriangleMesh mesh = relaxed.bone(s.bone, cache_.boneMesh(s.shape));
    if (!bones_.empty() && known)
      for (Vec3& p : mesh.positions)
        p = bones_[static_cast<std::size_t>(bone - fitted_.bones.begin())] * p;
    scene.add(std::move(mesh),
              tissueMaterial(cartilage ? body::Tissue::Cartilage : body::Tissue::Bone), s.bone);
  }
}

void PosedPerson::addMuscles(render::Scene& scene) const {
  std::optional<SurfaceQuery> skin, posed;
  if (!bones_.empty()) {
    if (motions_.empty())
      throw InputError(Diagnostic{.field = "triangles",
                                  .message = "muscles in a pose are carried by the skin over them",
                                  .expected = "a skin"});
    skin.emplace(surface_.mesh);
    posed.emplace(skin_);
  }
  for (const anatomy::Shape& s :
       anatomy::personMuscles(anatomy::skinModelOf(measured_), measured_, person_)) {
    TriangleMesh mesh = cache_.boneMesh(s.shape);
    if (skin) mesh.positions = internal::carriedWithin(*skin, *posed, motions_, mesh);
    scene.add(std::move(mesh),
              tissueMaterial(isTendon(s.bone) ? body::Tissue::Tendon : body::Tissue::Muscle),
              s.bone);
  }
}

/// How the head has moved from rest.
Pose PosedPerson::head() const {
  const auto skull = std::ranges::find(fitted_.bones, "skull", &anatomy::Bone::name);
  return bones_.empty() || skull == fitted_.bones.end()
             ? Pose{}
             : bones_[static_cast<std::size_t>(skull - fitted_.bones.begin())];
}

void PosedPerson::addLashes(std::span<const Lash> lashes, const Pose& head,
                            render::Scene& scene) const {
  for (const Lash& lash : lashes) {
    render::Polyline line{.points = lash.points, .radii = lash.radii, .material = lashMaterial()};
    for (Vec3& p : line.points) p = head * p;
    scene.addLine(std::move(line));
  }
}

void PosedPerson::addHair(render::Scene& scene) const {
  const Pose moved = head();
  for (render::Polyline hair : hair_) {
    for (Vec3& p : hair.points) p = moved * p;
    scene.addLine(std::move(hair));
  }
}

void PosedPerson::addEyes(render::Scene& scene) const {
  const Pose moved = head();
  for (const Eyeball& eye : eyes_) {
    TriangleMesh mesh = eye.mesh;
    for (Vec3& p : mesh.positions) p = moved * p;
    scene.surfaces[scene.add(std::move(mesh), eyeMaterial(), "eye")].texture = eye.texture;
    addLashes(eye.lashes, moved, scene);
  }
}

/// Lashes of closed lids are lines of their own.
Complexion PosedPerson::complexion() const {
  return {.sex = person_.sex, .lidsClosed = false};
}

render::Scene PosedPerson::scene(Shading shading) const {
  render::Scene scene;
  const bool inside = shading == Shading::Anatomy || shading == Shading::Xray;
  if (shading == Shading::Anatomy) addMuscles(scene);
  if (inside) addBones(scene);
  if (skin_.positions.empty()) return scene;
  render::Material material =
      shading == Shading::Clay ? render::materials::plain() : tissueMaterial(body::Tissue::Skin);
  if (shading == Shading::Anatomy)
    material = render::materials::translucent(material, kAnatomySkin);
  if (shading == Shading::Xray) material = xraySkin();
  const std::size_t k = scene.add(skin_, material, "skin");
  if (shading == Shading::Skin)
    scene.surfaces[k].texture = painted(*surface_.topology, complexion());
  if (shading == Shading::Skin) {
    addLashes(lidLines_, head(), scene);
    addHair(scene);
  }
  if (!inside) addEyes(scene);
  return scene;
}

render::Scene PosedPerson::scene(std::span<const std::string> layers) const {
  render::Scene scene;
  for (const std::string& layer : layers) {
    if (layer == "skeleton") addBones(scene);
    if (layer == "muscles") addMuscles(scene);
    if (layer != "skin" || skin_.positions.empty()) continue;
    const render::Material material = tissueMaterial(body::Tissue::Skin);
    const bool over = layers.size() > 1;
    const std::size_t k = scene.add(
        skin_, over ? render::materials::translucent(material, kAnatomySkin) : material, "skin");
    if (over) continue;
    scene.surfaces[k].texture = painted(*surface_.topology, complexion());
    addLashes(lidLines_, head(), scene);
    addHair(scene);
  }
  return scene;
}

Box PosedPerson::boxOf(const std::string& skinPart) const {
  const std::vector<std::string> names = skinPartNames();
  if (std::ranges::find(names, skinPart) == names.end())
    throw InputError(Diagnostic{.field = "close-up",
                                .message = "unknown part of the skin '" + skinPart + "'",
                                .expected = fmt::format("{}", fmt::join(names, ", ")),
                                .nearest = nearestName(skinPart, names)});
  Box box;
  for (std::size_t v = 0; v < skin_.positions.size(); ++v)
    if (const anatomy::SkinPart part = surface_.parts[v];
        anatomy::name(part) == skinPart && (!isPaired(part) || surface_.mesh.positions[v].x() > 0))
      box.add(skin_.positions[v]);
  return box;
}

}  // namespace pneuma::stage
