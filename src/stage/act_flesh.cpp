#include "pneuma/stage/act_flesh.h"

#include <algorithm>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skin/joint_groups.h"
#include "pneuma/skin/layered_driver.h"

namespace pneuma::stage {
namespace {

constexpr MorphQuality kActSkinMorphs{.tolerance = 1e-3, .mostTargets = 24};
constexpr MorphQuality kMuscleMorphs{.tolerance = 1e-3, .mostTargets = 8};
constexpr double kPictureSkin = 0.2;  // opacity over muscles in pictures

/// "_l", "_r" or "" at the end of a name.
std::string_view sideOf(std::string_view name) {
  return name.ends_with("_l") || name.ends_with("_r") ? name.substr(name.size() - 2) : "";
}

}  // namespace

Look musclesLook() {
  Look look{.bone = 1, .muscle = 1, .skin = kPictureSkin};
  look.cutSkinOnly = true;
  return look;
}

FleshMuscles::FleshMuscles(const flesh::embedded::BodyFlesh& flesh, const TriangleMesh& skin,
                           std::span<const flesh::embedded::NamedSolid> solids,
                           const anatomy::CompiledBody& lines, FigureActor& actor)
    : actor_(actor) {
  for (const flesh::embedded::NamedSolid& solid : solids) {
    if (solid.mesh.empty()) continue;
    Muscle m{.first = points_.size(), .count = solid.mesh.vertexCount()};
    points_.insert(points_.end(), solid.mesh.positions.begin(), solid.mesh.positions.end());
    double volume = 0;
    for (std::size_t l = 0; l < lines.muscles.size(); ++l)
      if (sideOf(lines.muscles[l].name) == sideOf(solid.name) &&
          solid.name.find(lines.muscles[l].muscle) != std::string::npos) {
        m.lines.emplace_back(l, flesh.lineVolume[l]);
        volume += flesh.lineVolume[l];
      }
    for (auto& [line, part] : m.lines) part /= std::max(volume, 1e-12);
    m.scalar = actor.addScalar({"muscle_activation", solid.name, "", "mean of its lines, 0 .. 1"});
    m.set = actor.addPointSet({.name = solid.name,
                               .count = m.count,
                               .tissue = body::Tissue::Muscle,
                               .carrier = 0,
                               .triangles = solid.mesh.triangles},
                              kMuscleMorphs, 1, false);
    SoftPart part = softPart(actor.layout(), m.set);
    part.morphs = kMuscleMorphs;
    part.activation = [scalar = m.scalar](const body::Frame& f) {
      return f.scalars[static_cast<std::size_t>(scalar)];
    };
    actor.show(std::move(part));
    muscles_.push_back(std::move(m));
  }
  embedding_ = std::make_unique<flesh::embedded::Embedding>(*flesh.model.lattice, points_,
                                                            std::span<const Vec3>{});
  under_.emplace(skin, points_);
}

void FleshMuscles::capture(const skin::FleshDriver& driver, std::span<const Vec3> skin,
                           std::span<const double> activations, body::Frame& frame) {
  embedding_->apply(driver.nodes(), points_);
  under_->follow(skin, driver.evening(), points_);
  for (const Muscle& m : muscles_) {
    std::copy_n(points_.begin() + static_cast<std::ptrdiff_t>(m.first), m.count,
                frame.pointsOf(actor_.layout(), m.set).begin());
    double level = 0;
    for (const auto& [line, part] : m.lines) level += part * activations[line];
    frame.scalars[static_cast<std::size_t>(m.scalar)] = level;
  }
}

ActFlesh::ActFlesh(const anatomy::Body& measured, const anatomy::Body& described,
                   const anatomy::CompiledBody& compiled, const skeleton::Model& tree,
                   const anatomy::CompiledBody* lines, const FleshRequest& request, int triangles,
                   const anatomy::RelaxedHands& hands, FigureActor& actor)
    : compiled_(compiled),
      tree_(tree),
      links_(skeleton::linkIndices(compiled, tree)),
      actor_(actor) {
  const anatomy::GeometryCache cache;
  // Lungs and gut are those of the living body at rest; nothing moves their walls here.
  const body::LivingModel living =
      body::makeLivingModel(std::make_shared<anatomy::Body>(described));
  body::FleshOptions options = request.options();
  options.walls = false;
  const anatomy::SkinSurface surface = anatomy::makeSkinSurface(
      anatomy::skinModelOf(measured), measured, described.person, {.triangles = triangles}, cache);
  const anatomy::CompiledBody& pulling = lines ? *lines : living.compiled;
  driver_ = std::make_unique<skin::FleshDriver>(
      body::makeFlesh(living, measured, pulling, options, cache), surface.mesh,
      skin::FleshDriver::Settings{}, options.effects,
      skin::makeWeightsSkin(surface, described, compiled, cache, {}));
  if (request.muscles)
    muscles_ = std::make_unique<FleshMuscles>(
        driver_->flesh(), surface.mesh,
        body::fleshAnatomy(living, measured, pulling, false, cache).muscles, pulling, actor);
  record_.emplace(driver_->flesh(), described, surface.mesh, cache);
  skinSet_ = actor.addPointSet({.name = "skin",
                                .count = surface.mesh.vertexCount(),
                                .tissue = body::Tissue::Skin,
                                .carrier = 0,
                                .triangles = surface.mesh.triangles},
                               kActSkinMorphs, request.muscles ? FleshMuscles::kSkinOver : 1);
  for (const body::FrameScalar& s : FleshRecord::scalars()) actor.addScalar(s);
  holdHands(surface, described, hands);
}

/// A hand is one bone: its fingers' posture is a shape of the rest pose that the bone carries.
void ActFlesh::holdHands(const anatomy::SkinSurface& skin, const anatomy::Body& body,
                         const anatomy::RelaxedHands& hands) {
  const auto boneAt = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(body.bones, name, &anatomy::Bone::name) -
                                    body.bones.begin());
  };
  const std::size_t left = boneAt("hand_l"), right = boneAt("hand_r");
  if (left == body.bones.size() || right == body.bones.size()) return;
  for (std::size_t v = 0; v < skin.parts.size(); ++v) {
    if (skin.parts[v] != anatomy::SkinPart::Hand && skin.parts[v] != anatomy::SkinPart::Forearm)
      continue;
    const Vec3& p = skin.mesh.positions[v];
    hands_.push_back({v, p.x() < 0 ? right : left, hands(p) - p});
  }
}

void ActFlesh::capture(const skeleton::Kinematics& kinematics, std::span<const double> activations,
                       body::Frame& frame) {
  std::vector<Pose> links, bones;
  for (const int l : links_)
    links.push_back(kinematics.X_WL[at(l)] * tree_.links[at(l)].X_WL_rest.inverse());
  skin::boneMotions(compiled_, links, bones);
  skin::SkinInputs inputs;
  inputs.bones = bones;
  inputs.activations = activations;
  inputs.time = frame.time;
  const std::span<Vec3> skin = frame.pointsOf(actor_.layout(), skinSet_);
  driver_->pose(inputs, skin);
  record_->add(driver_->report(), skin, bones, frame);
  if (muscles_) muscles_->capture(*driver_, skin, activations, frame);
  for (const HandVertex& h : hands_) skin[h.vertex] += bones[h.bone].rotation * h.shift;
}

void ActFlesh::save(io::StateWriter& out) const {
  driver_->save(out);
  record_->save(out);
}

void ActFlesh::load(io::StateReader& in) {
  driver_->load(in);
  record_->load(in);
}

}  // namespace pneuma::stage
