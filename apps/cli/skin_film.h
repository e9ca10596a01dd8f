#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/point_cache.h"
#include "pneuma/render/renderer.h"
#include "pneuma/skin/figure_skin.h"

namespace pneuma::cli {

/// The skin of a moving figure: pictures, a point cache, and a GLB node with morph targets.
class SkinFilm {
 public:
  /// `measured` is the body before it was fitted to the person of `body`. `bellies` may be null.
  SkinFilm(const anatomy::Body& measured, const anatomy::Body& body,
           const anatomy::CompiledBody& compiled, const skeleton::Model& model,
           const flesh::FigureBellies* bellies);

  /// Takes a pose and keeps it as the next frame.
  void record(const VecX& q, const skeleton::Kinematics& kinematics);
  /// Takes a pose without keeping it.
  void show(const VecX& q, const skeleton::Kinematics& kinematics);

  const skin::FigureSkin& skin() const { return skin_; }
  /// Of the pose taken last: the whole figure, or `size` metres around a point (size 0: all).
  render::Image picture(render::View view, int width, int height, int samples,
                        const Vec3& center = Vec3::Zero(), double size = 0);
  /// Mean time of a pose [s].
  double meanSeconds() const { return poses_ > 0 ? seconds_ / poses_ : 0.0; }

  /// skin.obj (first frame) and skin.pc2 (all frames).
  void writeCache(const std::filesystem::path& mesh, const std::filesystem::path& cache) const;
  /// An animated mesh below the root link's node.
  void addTo(io::GltfScene& scene, const std::vector<double>& times) const;

 private:
  skin::FigureSkin skin_;
  double height_, seconds_ = 0;
  int poses_ = 0, root_ = 0;
  std::string rootName_;
  Vec3 middle_ = Vec3::Zero();
  std::vector<Pose> rootPoses_;
  std::vector<std::vector<Vec3>> frames_;  // in the root link's frame
  std::unique_ptr<render::Renderer> renderer_;
};

}  // namespace pneuma::cli
