#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/skeleton/model.h"
#include "pneuma/skin/layered_driver.h"
#include "pneuma/skin/weights_driver.h"

namespace pneuma::stage {

/// Motion of every link of `compiled` from its place at rest, in configuration q of `model`, which
/// is made from it.
std::vector<Pose> linkMotionsAt(const anatomy::CompiledBody& compiled, const skeleton::Model& model,
                                const VecX& q);
/// The same of every bone of the body.
std::vector<Pose> boneMotionsAt(const anatomy::CompiledBody& compiled, const skeleton::Model& model,
                                const VecX& q);

/// A person's one skin on the joints of an articulation: carried plainly, as any engine carries it,
/// as `live` shows it, or by the contours of the layered figure.
class SkinRig {
 public:
  static constexpr const char* kArticulation = "figure";

  /// `measured` is the body before it is fitted to the person; about as many `triangles` as asked.
  SkinRig(const anatomy::Body& measured, const anatomy::Person& person,
          int triangles = anatomy::skinTriangles(0));

  const anatomy::SkinSurface& surface() const { return surface_; }
  const std::vector<Vec3>& rest() const { return surface_.mesh.positions; }
  const anatomy::CompiledBody& compiled() const { return compiled_; }
  const skeleton::Model& model() const { return model_; }

  /// Linear blend of the joints' motions: x_v = sum_k w_vk X_k p_v. `rest` may be another skin of
  /// the same topology on the same bones.
  std::vector<Vec3> plain(const VecX& q, std::span<const Vec3> rest) const;
  /// The skin of `live` in that pose, without breath: turned by dual quaternions, creases evened
  /// out, held off the bones, its volume kept.
  std::vector<Vec3> posed(const VecX& q);
  /// The skin over contours around bones and muscle bellies (skin::ContourDriver) in that pose,
  /// bellies settled in it.
  std::vector<Vec3> contoured(const VecX& q);
  /// Weights over the links of compiled(), as a file wants them.
  std::vector<io::JointWeights> jointWeights() const;

 private:
  anatomy::Body body_;  // fitted
  anatomy::CompiledBody compiled_;
  skeleton::Model model_;
  anatomy::SkinSurface surface_;
  std::unique_ptr<skin::LayeredDriver> driver_;
  const skin::WeightsDriver* weights_ = nullptr;  // of the driver
  std::unique_ptr<flesh::FigureBellies> bellies_;
  std::unique_ptr<skin::LayeredDriver> contours_;  // made when first asked for
};

}  // namespace pneuma::stage
