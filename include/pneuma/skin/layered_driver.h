#pragma once

#include <memory>
#include <vector>

#include "pneuma/skin/breath_layer.h"
#include "pneuma/skin/driver.h"
#include "pneuma/skin/skin_tension.h"
#include "pneuma/skin/swing_layer.h"
#include "pneuma/skin/volume_law.h"

namespace pneuma::skin {

namespace internal {
class Untangler;
}

/// What one pose took and gave.
struct LayerReport {
  double posedVolume = 0;  ///< inside the skin with the pose alone [m^3]
  double volume = 0;       ///< and with breath [m^3]
  double correction = 0;   ///< multiplier of the volume law: how far it moved the softest skin [m]
  double push = 0;         ///< largest push off a bone in the first round [m]
};

/// The one mesh, layer by layer: breath in the rest pose, the pose that carries it, then what holds
/// for the body as a whole:
///
///   y_v = X_v p_v + u_v                the pose alone             V_0 = volume of y
///   x_v = X_v (p_v + d_v) + u_v        with breath, and muscles that swing (swing_layer.h)
///   x  <- floor, folds, volume law     four rounds, until         V(x) = V_0 + dV_gas
///                                      (up to ten where a bone still pushes by a millimetre)
///
/// u_v evens out what the pose squeezes into creases (skin_tension.h); triangles that pushes and
/// shapes turn over all the same are opened before each step of the volume law.
///
/// So in any pose the volume inside the skin swings as the gas in the lungs does, to the last
/// digits: tissue is incompressible. The pose alone changes the volume as far as its driver lets it
/// (LayerReport::posedVolume says how far).
class LayeredDriver : public SkinDriver {
 public:
  /// Without breath: `breath` null.
  LayeredDriver(TriangleMesh rest, std::unique_ptr<PoseDriver> pose,
                std::unique_ptr<BreathLayer> breath, std::unique_ptr<BoneFloor> floor,
                std::unique_ptr<SkinTension> tension = nullptr);

  ~LayeredDriver() override;

  /// Has the skin follow points that swing: SkinInputs::swings then may have their swings.
  void follow(std::unique_ptr<SwingLayer> swings);

  void pose(const SkinInputs& inputs, std::span<Vec3> positions) override;
  /// The breath of that moment alone, as a shape of the rest pose: p_v + d_v, then floor, folds and
  /// volume law as the rest pose has them, with bones as breath moves them there. It does not
  /// depend on the posture but for what the traces do in it, and is what morph targets are made
  /// from: morph first, then pose. Without breath the mesh at rest. Does not touch report() and
  /// motions().
  void breathe(const SkinInputs& inputs, std::span<Vec3> positions);

  const TriangleMesh& rest() const { return rest_; }
  const PoseDriver& poseDriver() const { return *pose_; }
  const BreathLayer* breath() const { return breath_.get(); }
  const LayerReport& report() const { return report_; }       ///< of the last pose
  std::span<const Pose> motions() const { return motions_; }  ///< X_v of the last pose

 private:
  /// Floor, folds and volume law, in rounds.
  void settle(std::span<const Pose> bones, std::span<const Pose> motions, double volume,
              std::span<Vec3> positions, LayerReport& report);

  TriangleMesh rest_;
  std::unique_ptr<PoseDriver> pose_;
  std::unique_ptr<BreathLayer> breath_;
  std::unique_ptr<BoneFloor> floor_;
  std::unique_ptr<SkinTension> tension_;
  std::unique_ptr<SwingLayer> swings_;
  std::unique_ptr<internal::Untangler> untangler_;
  std::unique_ptr<VolumeLaw> law_;
  std::vector<Pose> posture_;  // that motions_, shifts_ and posedVolume_ are of
  double posedVolume_ = 0;
  std::vector<Pose> motions_;
  std::vector<Pose> still_;  // the identity for each vertex
  std::vector<Vec3> displacements_, shifts_;
  LayerReport report_;
};

/// Depth that ribs keep under the skin [m]: the 2 mm asked for, and what the last steps of folds
/// and volume may take.
inline constexpr double kLeastRibDepth = 0.0036;

/// How far the skin of `surface` slides over the bones of `body`, by vertex [m].
std::vector<double> skinSlide(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                              const anatomy::GeometryCache& cache);
/// The tension of a skin that slides so far.
std::unique_ptr<SkinTension> makeSkinTension(const anatomy::SkinSurface& surface,
                                             const anatomy::Body& body,
                                             const anatomy::GeometryCache& cache);

/// What ties a skin to a person's bones: all that their surfaces are asked for, so that a driver
/// can be made where no such surface is.
struct SkinBinding {
  SkinWeights weights;
  std::vector<BoneSample> trunk;  ///< that breath follows (sampleTrunk)
  std::vector<BoneSample> cage;   ///< that keep their depth (sampleCage)
  std::vector<double> slide;      ///< of each vertex (skinSlide) [m]
};
SkinBinding bindSkin(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                     const anatomy::CompiledBody& compiled, const anatomy::GeometryCache& cache);

/// A driver with weights and breath for a body fitted to the person whose skin `surface` is. Throws
/// InputError for a binding of another skin or body.
std::unique_ptr<LayeredDriver> makeWeightsSkin(const anatomy::SkinSurface& surface,
                                               const SkinBinding& binding,
                                               const anatomy::Body& body,
                                               const anatomy::CompiledBody& compiled,
                                               std::span<const PointTrace> traces);
/// The same, bound here.
std::unique_ptr<LayeredDriver> makeWeightsSkin(const anatomy::SkinSurface& surface,
                                               const anatomy::Body& body,
                                               const anatomy::CompiledBody& compiled,
                                               const anatomy::GeometryCache& cache,
                                               std::span<const PointTrace> traces);

/// Samples of the cage's bones, fine enough to judge their depth.
std::vector<BoneSample> sampleCage(const anatomy::Body& body, const anatomy::GeometryCache& cache);

}  // namespace pneuma::skin
