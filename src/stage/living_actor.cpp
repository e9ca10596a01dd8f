#include "pneuma/stage/living_actor.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/stage/units.h"
#include "stage/organ_parts.h"

namespace pneuma::stage {
namespace {

constexpr MorphQuality kSkinMorphs{.tolerance = 1e-3, .mostTargets = 24};
constexpr MorphQuality kOrganMorphs{.tolerance = 1e-3, .mostTargets = 8};
constexpr double kOrganFileOpacity = 0.5;

/// Faces in a numbering of their own, and which points these are.
std::vector<Triangle> renumbered(std::vector<Triangle> faces, std::vector<std::int32_t>& used) {
  for (const Triangle& t : faces) used.insert(used.end(), t.begin(), t.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (Triangle& t : faces)
    for (std::int32_t& i : t)
      i = static_cast<std::int32_t>(std::lower_bound(used.begin(), used.end(), i) - used.begin());
  return faces;
}

}  // namespace

PersonShapes makePersonShapes(const body::LivingModel& model, const anatomy::Body& measured,
                              int skinTriangles, Hands hands) {
  const bool relaxed = hands == Hands::Relaxed;
  PersonShapes shapes{.bones = makeBoneMeshes(*model.body, relaxed)};
  if (skinTriangles <= 0) return shapes;
  const anatomy::GeometryCache cache;
  shapes.skin =
      relaxed ? anatomy::makeShownSkin(measured, model.body->person, skinTriangles, cache)
              : anatomy::makeSkinSurface(anatomy::skinModelOf(measured), measured,
                                         model.body->person, {.triangles = skinTriangles}, cache);
  shapes.binding = skin::bindSkin(*shapes.skin, *model.body, model.compiled, cache);
  return shapes;
}

LivingActor::LivingActor(const body::LivingModel& model, PersonShapes shapes)
    : model_(model),
      surface_(std::move(shapes.skin)),
      figure_(*model.body, model.compiled, model.tree, shapes.bones) {
  if (surface_) skin_.emplace(model, *surface_, shapes.binding);
  if (!model.bellies.empty()) {
    bellies_ = std::make_unique<flesh::BellySystem>(model.bellies, model.tree);
    figure_.addBellies(bellies_->bellies());
  }
  addSurfaces();
}

void LivingActor::addLungs() {
  const breath::CageModel& cage = model_.cage;
  std::vector<Triangle> faces = cage.cage;
  // The dome's faces look up, into the cavity.
  for (const Triangle& t : cage.dome) faces.push_back({t[0], t[2], t[1]});
  const std::vector<Triangle> lungs = renumbered(std::move(faces), lungPoints_);
  lungSet_ = figure_.addPointSet({.name = "lungs",
                                  .count = lungPoints_.size(),
                                  .tissue = body::Tissue::Organ,
                                  .triangles = lungs},
                                 kOrganMorphs, kOrganFileOpacity, false);
}

void LivingActor::showOrgans() {
  if (lungSet_ < 0) addLungs();
  // The two sets hold all points of the cage's surfaces.
  const auto points =
      [lungs = lungPoints_, gut = gutPoints_, firstLung = layout().pointOffset(lungSet_),
       firstGut = layout().pointOffset(gutSet_)](const body::Frame& f, std::int32_t point) {
        const auto lung = std::ranges::lower_bound(lungs, point);
        if (lung != lungs.end() && *lung == point)
          return f.points[firstLung + static_cast<std::size_t>(lung - lungs.begin())];
        return f.points[firstGut + static_cast<std::size_t>(std::ranges::lower_bound(gut, point) -
                                                            gut.begin())];
      };
  const int chest = layout().pointSets[static_cast<std::size_t>(domeSet_)].carrier,
            pelvis = layout().pointSets[static_cast<std::size_t>(gutSet_)].carrier;
  for (SoftPart& part : internal::organParts(model_.cage, points)) {
    part.carrier = part.name == "gut" ? pelvis : chest;
    part.morphs = kOrganMorphs;
    figure_.show(std::move(part));
  }
}

/// Diaphragm, gut and skin, each carried in files by the link that it rides on.
void LivingActor::addSurfaces() {
  const breath::CageModel& cage = model_.cage;
  const auto layoutLink = [&](int treeLink) {
    const auto& links = model_.linkIndices;
    return static_cast<int>(std::find(links.begin(), links.end(), treeLink) - links.begin());
  };
  const int chest = layoutLink(cage.carriers.chest), pelvis = layoutLink(cage.carriers.pelvis);
  const std::vector<Triangle> dome = renumbered(cage.dome, domePoints_);
  domeSet_ = figure_.addPointSet(
      {.name = "diaphragm", .count = domePoints_.size(), .carrier = chest, .triangles = dome},
      kOrganMorphs);
  const std::vector<Triangle> wall = renumbered(cage.wall, gutPoints_);
  gutSet_ = figure_.addPointSet({.name = "gut",
                                 .count = gutPoints_.size(),
                                 .tissue = body::Tissue::Organ,
                                 .carrier = pelvis,
                                 .triangles = wall},
                                kOrganMorphs, kOrganFileOpacity);
  if (skin_)
    skinSet_ = figure_.addPointSet({.name = "skin",
                                    .count = skin_->rest().vertexCount(),
                                    .tissue = body::Tissue::Skin,
                                    .carrier = pelvis,
                                    .triangles = skin_->rest().triangles},
                                   kSkinMorphs);
  for (const flesh::GridMusclePlan& muscle : model_.gridMuscles)
    gridMuscleSets_.push_back(
        figure_.addPointSet({.name = muscle.name,
                             .count = muscle.model.solid.rest.size(),
                             .tissue = body::Tissue::Muscle,
                             .carrier = layoutLink(muscle.carrier),
                             .triangles = flesh::gridSurface(muscle.model.solid.size)},
                            kOrganMorphs));
  for (const flesh::SealedBodyPlan& soft : model_.shoulderBodies)
    shoulderSets_.push_back(figure_.addPointSet({.name = soft.name,
                                                 .count = soft.mesh.vertexCount(),
                                                 .tissue = body::Tissue::Muscle,
                                                 .carrier = chest,
                                                 .triangles = soft.mesh.triangles},
                                                kOrganMorphs));
  firstScalar_ = static_cast<int>(layout().scalars.size());
  for (const auto& [name, unit, meaning] :
       {std::tuple{"lung_volume", "mL", "gas above the settled rest"},
        {"rib_cage", "mL", "change of the trunk above the costal margin"},
        {"abdomen", "mL", "change of the trunk below it"},
        {"gut_pressure", "Pa", "of the sealed gut"},
        {"pleural_pressure", "Pa", "change against rest"}})
    figure_.addScalar({"breath", name, unit, meaning});
}

body::Frame LivingActor::capture(const body::LivingState& state, const body::LivingWorkspace& now,
                                 const breath::TorsoMeasures& m,
                                 const breath::TorsoMeasures& rest) {
  if (bellies_) {
    bellies_->place(state.bellies, now.kinematics());
    bellySwing_ = std::max(bellySwing_, bellies_->largestSwing());
  }
  body::Frame frame = figure_.capture(state.time(), now.kinematics());
  const breath::PointArray& points = now.cage().points();
  const auto fill = [&](int set, const std::vector<std::int32_t>& used) {
    const std::span<Vec3> target = frame.pointsOf(layout(), set);
    for (std::size_t i = 0; i < used.size(); ++i)
      target[i] = points[static_cast<std::size_t>(used[i])];
  };
  fill(domeSet_, domePoints_);
  fill(gutSet_, gutPoints_);
  if (lungSet_ >= 0) fill(lungSet_, lungPoints_);
  for (std::size_t i = 0; i < gridMuscleSets_.size(); ++i)
    std::ranges::copy(flesh::toPoints(state.gridMuscles[i].q),
                      frame.pointsOf(layout(), gridMuscleSets_[i]).begin());
  for (std::size_t i = 0; i < shoulderSets_.size(); ++i)
    now.shoulderBodies()->readVertices(state.shoulderBodies, i,
                                       frame.pointsOf(layout(), shoulderSets_[i]));
  if (skin_) {
    skin_->pose(state, now, frame.pointsOf(layout(), skinSet_));
    checkSkin(now.cage().reading().lungVolume - model_.cage.restLung);
  }
  restGas_ = rest.lungVolume - model_.cage.restLung;
  frame.scalars = scalars(m, rest);
  return frame;
}

std::vector<double> LivingActor::scalars(const breath::TorsoMeasures& m,
                                         const breath::TorsoMeasures& rest) const {
  std::vector<double> values(layout().scalars.size());
  auto to = values.begin() + firstScalar_;
  for (const double value :
       {(m.lungVolume - rest.lungVolume) / kMillilitre,
        (m.ribCageVolume - rest.ribCageVolume) / kMillilitre,
        (m.abdomenVolume - rest.abdomenVolume) / kMillilitre, m.gutPressure, m.pleuralPressure})
    *to++ = value;
  return values;
}

void LivingActor::checkSkin(double gas) {
  const skin::LayerReport& report = skin_->report();
  skinSwing_ = std::max(skinSwing_, std::abs(report.volume - report.posedVolume - gas));
  largestGas_ = std::max(largestGas_, std::abs(gas));
}

std::optional<double> LivingActor::skinVolumeError() const {
  if (!skin_ || largestGas_ <= 0) return std::nullopt;
  return skinSwing_ / largestGas_;
}

std::optional<double> LivingActor::bellySwing() const {
  return bellies_ ? std::optional(bellySwing_) : std::nullopt;
}

void LivingActor::save(io::StateWriter& out) const {
  out.put(bellySwing_);
  out.put(skinSwing_);
  out.put(largestGas_);
  out.put(restGas_);
}

void LivingActor::load(io::StateReader& in) {
  in.get(bellySwing_);
  in.get(skinSwing_);
  in.get(largestGas_);
  in.get(restGas_);
}

RecordedBody LivingActor::recorded(double gaitCycle) {
  RecordedBody r{.body = model_.body.get(), .compiled = &model_.compiled};
  r.motions = [this](const body::Frame& f) {
    std::vector<Pose> motions;
    for (std::size_t l = 0; l < f.X_WL.size(); ++l)
      motions.push_back(f.X_WL[l] * layout().links[l].X_WL_rest.inverse());
    return motions;
  };
  for (const int link : model_.linkIndices)
    r.breathing.push_back(std::ranges::find(model_.cage.cageLinks, link) !=
                          model_.cage.cageLinks.end());
  r.lungVolumeUnit = kMillilitre;
  r.gaitCycle = gaitCycle;
  r.cast = &figure_.cast();
  if (!skin_) return r;
  r.surface = &*surface_;
  r.driver = &skin_->driver();
  r.restSkin = [this, motions = r.motions](const body::Frame& f) {
    return restSkin(motions(f), f);
  };
  return r;
}

/// The breath of a frame in the rest pose: its wall is part of the recorded gut.
std::vector<Vec3> LivingActor::restSkin(const std::vector<Pose>& motions, const body::Frame& f) {
  const std::span<const Vec3> gut = f.pointsOf(layout(), gutSet_);
  std::vector<Vec3> wall;
  for (const std::int32_t i : skin_->wallPoints())
    wall.push_back(gut[static_cast<std::size_t>(
        std::lower_bound(gutPoints_.begin(), gutPoints_.end(), i) - gutPoints_.begin())]);
  const double above = f.scalars[static_cast<std::size_t>(firstScalar_)] * kMillilitre;
  std::vector<Vec3> positions(skin_->rest().vertexCount());
  skin_->breathe(motions, wall, above + restGas_, positions);
  return positions;
}

}  // namespace pneuma::stage
