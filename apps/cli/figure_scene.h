#pragma once

#include <filesystem>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/render/renderer.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::cli {

/// `size` metres around a point, above a floor at height 0.
render::Image standingPicture(render::Renderer& renderer, render::View view, int width, int height,
                              int samples, const Vec3& center, double size);

/// A bone's surface as pictures show it, at rest in the world.
struct DrawnBone {
  std::string name;
  TriangleMesh mesh;
  render::Material material;
  int link = 0;                ///< of the compiled body
  Vec3 center = Vec3::Zero();  ///< of the link's frame at rest
};
/// All bones that a link of the articulation carries.
std::vector<DrawnBone> drawnBones(const anatomy::Body& body, const anatomy::CompiledBody& compiled);

/// Bones, bellies and tendons of a posed figure in pictures.
class FigureScene {
 public:
  /// `bellies` may be null: bones alone.
  FigureScene(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
              const skeleton::Model& model, const flesh::FigureBellies* bellies);

  /// Takes the pose, and the shapes that the bellies have now.
  void show(const skeleton::Kinematics& kinematics);

  /// The whole figure, or a part of it of `size` metres around a point (size 0: all).
  render::Image picture(render::View view, int width, int height, int samples,
                        const Vec3& center = Vec3::Zero(), double size = 0);

 private:
  struct BoneSurface {
    std::size_t surface;
    int link;     // in the model
    Vec3 offset;  // of the link's frame at rest
  };
  const skeleton::Model& model_;
  const flesh::FigureBellies* bellies_;
  std::vector<BoneSurface> bones_;
  std::vector<std::size_t> bellySurfaces_;
  std::vector<std::array<std::size_t, 2>> tendons_;  // lines before and after each belly
  double height_ = 1.7;
  Vec3 middle_ = Vec3(0, 0.85, 0);
  std::unique_ptr<render::Renderer> renderer_;
};

/// Shapes of all bellies over time, for a GLB: each in the frame of the link it starts from.
class BellyFilm {
 public:
  BellyFilm(const flesh::FigureBellies& bellies, const anatomy::CompiledBody& compiled,
            const skeleton::Model& model);
  void record(const flesh::FigureBellies& bellies, const skeleton::Kinematics& kinematics);
  /// Adds one animated mesh per belly below its link's node.
  void addTo(io::GltfScene& scene, const flesh::FigureBellies& bellies,
             const std::vector<double>& times) const;

 private:
  const skeleton::Model& model_;
  std::vector<int> link_;                               // of each belly, in the model
  std::vector<std::vector<std::vector<Vec3>>> shapes_;  // by belly, then frame
};

}  // namespace pneuma::cli
