#include "cli/figure_scene.h"

#include <algorithm>
#include <map>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/flesh/belly_grid.h"
#include "pneuma/io/morph_compression.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::cli {

namespace {

constexpr int kRefine = 3;                // of bellies in pictures
constexpr double kTendonRadius = 2.5e-3;  // [m]
constexpr int kTendonPoints = 8;
constexpr double kMorphTolerance = 5e-4;  // [m]

flesh::BellyGrid gridOf(const flesh::Belly& belly) {
  flesh::BellyGrid grid{belly.model().slices(), belly.model().around(), {}};
  belly.state().positions(grid.points);
  return grid;
}

std::array<std::vector<Vec3>, 2> tendonsOf(const flesh::Belly& belly) {
  const flesh::ActionLine& line = belly.line();
  std::array<std::vector<Vec3>, 2> tendons;
  for (int i = 0; i < kTendonPoints; ++i) {
    const double t = static_cast<double>(i) / (kTendonPoints - 1);
    const Vec3 apart(0, 1e-6 * i, 0);  // a tendon of no length must still be a line
    tendons[0].push_back(line.pathAt(t * line.bellyStart()) + apart);
    tendons[1].push_back(line.pathAt(line.bellyEnd() + t * (line.length() - line.bellyEnd())) +
                         apart);
  }
  return tendons;
}

}  // namespace

render::Image standingPicture(render::Renderer& renderer, render::View view, int width, int height,
                              int samples, const Vec3& center, double size) {
  render::RenderOptions options;
  options.width = width;
  options.height = height;
  options.samples = samples;
  options.groundHeight = 0;
  return renderer.render(
      render::Camera::closeUp(center, size, view, {.aspect = double(width) / height}), options);
}

std::vector<DrawnBone> drawnBones(const anatomy::Body& body,
                                  const anatomy::CompiledBody& compiled) {
  const anatomy::GeometryCache cache;
  std::map<std::string, const anatomy::BoneShape*> shapes;
  for (const anatomy::Shape& s : body.shapes) shapes[s.bone] = &s.shape;
  std::vector<DrawnBone> bones;
  for (std::size_t i = 0; i < body.bones.size(); ++i) {
    const auto shape = shapes.find(body.bones[i].name);
    const int link = compiled.boneLink[i];
    if (link < 0 || shape == shapes.end()) continue;
    const bool soft = body.bones[i].kind == anatomy::BoneKind::Cartilage;
    bones.push_back({body.bones[i].name, cache.boneMesh(*shape->second, anatomy::kLightBone),
                     soft ? render::materials::cartilage() : render::materials::bone(), link,
                     compiled.links[link].center});
  }
  return bones;
}

FigureScene::FigureScene(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                         const skeleton::Model& model, const flesh::FigureBellies* bellies)
    : model_(model), bellies_(bellies) {
  render::Scene scene;
  const std::vector<int> links = skeleton::linkIndices(compiled, model);
  for (DrawnBone& b : drawnBones(body, compiled))
    bones_.push_back({scene.add(std::move(b.mesh), b.material, b.name), links[b.link], b.center});
  height_ = std::max(0.5, scene.bounds().max.y());
  if (bellies_ != nullptr)
    for (int i = 0; i < bellies_->count(); ++i) {
      bellySurfaces_.push_back(
          scene.add(flesh::bellyMesh(flesh::refineBelly(gridOf(bellies_->belly(i)), kRefine)),
                    render::materials::muscle(), bellies_->name(i)));
      const auto tendons = tendonsOf(bellies_->belly(i));
      tendons_.push_back({scene.addLine(tendons[0], kTendonRadius, render::materials::tendon()),
                          scene.addLine(tendons[1], kTendonRadius, render::materials::tendon())});
    }
  renderer_ = std::make_unique<render::Renderer>(std::move(scene));
}

void FigureScene::show(const skeleton::Kinematics& kinematics) {
  for (const BoneSurface& b : bones_) {
    const Pose& X = kinematics.X_WL[b.link];
    renderer_->setPose(b.surface, {X.rotation, X.position - X.rotation * b.offset});
  }
  Box joints;
  for (const Pose& X : kinematics.X_WL) joints.add(X.position);
  middle_ = joints.center();
  middle_.y() = 0.5 * height_;
  for (std::size_t i = 0; i < bellySurfaces_.size(); ++i) {
    const flesh::Belly& belly = bellies_->belly(static_cast<int>(i));
    renderer_->setPositions(bellySurfaces_[i], flesh::refineBelly(gridOf(belly), kRefine).points);
    const auto tendons = tendonsOf(belly);
    for (std::size_t k : {0u, 1u}) renderer_->setLine(tendons_[i][k], tendons[k]);
  }
}

render::Image FigureScene::picture(render::View view, int width, int height, int samples,
                                   const Vec3& center, double size) {
  return size > 0
             ? standingPicture(*renderer_, view, width, height, samples, center, size)
             : standingPicture(*renderer_, view, width, height, samples, middle_, 1.12 * height_);
}

BellyFilm::BellyFilm(const flesh::FigureBellies& bellies, const anatomy::CompiledBody& compiled,
                     const skeleton::Model& model)
    : model_(model), shapes_(static_cast<std::size_t>(bellies.count())) {
  const std::vector<int> links = skeleton::linkIndices(compiled, model);
  for (const anatomy::CompiledMuscle& m : compiled.muscles)
    if (!m.belly.empty()) link_.push_back(links[m.points.front().link]);
}

void BellyFilm::record(const flesh::FigureBellies& bellies,
                       const skeleton::Kinematics& kinematics) {
  std::vector<Vec3> points;
  for (int i = 0; i < bellies.count(); ++i) {
    bellies.belly(i).state().positions(points);
    const Pose X_LW = kinematics.X_WL[link_[i]].inverse();
    for (Vec3& p : points) p = X_LW * p;
    shapes_[i].push_back(points);
  }
}

void BellyFilm::addTo(io::GltfScene& scene, const flesh::FigureBellies& bellies,
                      const std::vector<double>& times) const {
  const int material =
      scene.addMaterial({.name = "belly", .color = io::linearColor(0xB5534A), .roughness = 0.5});
  for (int i = 0; i < bellies.count(); ++i) {
    const auto& triangles = bellies.belly(i).model().triangles();
    const io::MorphSequence sequence =
        io::compressFrames(shapes_[i], triangles, {.tolerance = kMorphTolerance});
    const int node = io::addSequence(scene, bellies.name(i), sequence, triangles, times, material);
    const std::string& link = model_.links[link_[i]].name;
    const auto parent =
        std::ranges::find(scene.nodes, link, &io::GltfNode::name) - scene.nodes.begin();
    if (parent < node) scene.nodes[node].parent = static_cast<int>(parent);
  }
}

}  // namespace pneuma::cli
