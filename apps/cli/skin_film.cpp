#include "cli/skin_film.h"

#include <algorithm>

#include "cli/figure_scene.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/io/morph_compression.h"

namespace pneuma::cli {

namespace {

constexpr int kPersonTriangles = 40000;   // of the person's skin, from which head, hands, feet come
constexpr double kMorphTolerance = 1e-3;  // [m]

skin::FigureSkin makeSkin(const anatomy::Body& measured, const anatomy::Body& body,
                          const anatomy::CompiledBody& compiled, const skeleton::Model& model,
                          const flesh::FigureBellies* bellies) {
  const anatomy::GeometryCache cache;
  const anatomy::SkinSurface person =
      anatomy::makeSkinSurface(anatomy::skinModelOf(measured), measured, body.person,
                               {.triangles = kPersonTriangles}, cache);
  return skin::FigureSkin(body, compiled, model, person, bellies, cache);
}

}  // namespace

SkinFilm::SkinFilm(const anatomy::Body& measured, const anatomy::Body& body,
                   const anatomy::CompiledBody& compiled, const skeleton::Model& model,
                   const flesh::FigureBellies* bellies)
    : skin_(makeSkin(measured, body, compiled, model, bellies)), height_(body.person.height) {
  const auto root = std::ranges::find(compiled.links, -1, &anatomy::CompiledLink::parent);
  rootName_ = root->name;
  root_ = model.linkIndex(rootName_);
}

void SkinFilm::show(const VecX& q, const skeleton::Kinematics& kinematics) {
  seconds_ += skin_.follow(q, kinematics).seconds;
  ++poses_;
  const Box box = boundingBox(skin_.positions());
  middle_ = box.center();
  middle_.y() = 0.5 * height_;
}

void SkinFilm::record(const VecX& q, const skeleton::Kinematics& kinematics) {
  show(q, kinematics);
  rootPoses_.push_back(kinematics.X_WL[static_cast<std::size_t>(root_)]);
  const Pose X_RW = rootPoses_.back().inverse();
  std::vector<Vec3>& frame = frames_.emplace_back(skin_.positions());
  for (Vec3& p : frame) p = X_RW * p;
}

render::Image SkinFilm::picture(render::View view, int width, int height, int samples,
                                const Vec3& center, double size) {
  if (!renderer_) {
    render::Scene scene;
    scene.add(skin_.mesh(), render::materials::skin(), "skin");
    renderer_ = std::make_unique<render::Renderer>(std::move(scene));
  } else {
    renderer_->setPositions(0, skin_.positions());
  }
  // Room for raised arms.
  return size > 0
             ? standingPicture(*renderer_, view, width, height, samples, center, size)
             : standingPicture(*renderer_, view, width, height, samples, middle_, 1.35 * height_);
}

void SkinFilm::writeCache(const std::filesystem::path& mesh,
                          const std::filesystem::path& cache) const {
  io::PointCacheWriter writer(cache, frames_.front().size());
  std::vector<Vec3> world;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    world = frames_[i];
    for (Vec3& p : world) p = rootPoses_[i] * p;
    if (i == 0) io::writeMesh(mesh, {world, skin_.triangles()});
    writer.addFrame(world);
  }
  writer.finish();
}

void SkinFilm::addTo(io::GltfScene& scene, const std::vector<double>& times) const {
  const int material =
      scene.addMaterial({.name = "skin", .color = io::linearColor(0xD9A98C), .roughness = 0.6});
  const io::MorphSequence sequence =
      io::compressFrames(frames_, skin_.triangles(), {.tolerance = kMorphTolerance});
  const int node = io::addSequence(scene, "skin", sequence, skin_.triangles(), times, material);
  const auto parent =
      std::ranges::find(scene.nodes, rootName_, &io::GltfNode::name) - scene.nodes.begin();
  if (parent < node) scene.nodes[static_cast<std::size_t>(node)].parent = static_cast<int>(parent);
}

}  // namespace pneuma::cli
