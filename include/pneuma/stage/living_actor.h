#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pneuma/body/living_simulation.h"
#include "pneuma/body/living_skin.h"
#include "pneuma/stage/body_layers.h"
#include "pneuma/stage/figure_actor.h"

namespace pneuma::stage {

/// What a person looks like: surfaces that are made once (from the body's shapes, or read from a
/// packed body).
struct PersonShapes {
  BoneMeshes bones;
  std::optional<anatomy::SkinSurface> skin;  ///< at rest
  skin::SkinBinding binding;                 ///< of the skin
};
/// How a person's hands are shown.
enum class Hands {
  Relaxed,  ///< as they hang (anatomy::RelaxedHands)
  Measured  ///< spread, as flesh is made around them
};
/// Those of the model's person. `measured` is the body before it was fitted; `skinTriangles` 0: no
/// skin.
PersonShapes makePersonShapes(const body::LivingModel& model, const anatomy::Body& measured,
                              int skinTriangles, Hands hands = Hands::Relaxed);

/// A living body on stage: its links with their bones, diaphragm, gut, and on demand its skin, with
/// what breath is measured by. It knows the layout of its frames, takes them, and how they look.
class LivingActor {
 public:
  /// The model outlives the actor; the shapes are those of its person.
  LivingActor(const body::LivingModel& model, PersonShapes shapes);
  LivingActor(const body::LivingModel& model, const anatomy::Body& measured, int skinTriangles)
      : LivingActor(model, makePersonShapes(model, measured, skinTriangles)) {}
  LivingActor(const LivingActor&) = delete;
  LivingActor& operator=(const LivingActor&) = delete;

  const body::FrameLayout& layout() const { return figure_.layout(); }
  const FigureActor& figure() const { return figure_; }
  FigureActor& figure() { return figure_; }  ///< to add to; before the first frame
  const Cast& cast() const { return figure_.cast(); }
  /// The skin at rest, or null.
  const anatomy::SkinSurface* surface() const { return surface_ ? &*surface_ : nullptr; }
  const TriangleMesh* skinMesh() const { return surface_ ? &surface_->mesh : nullptr; }
  /// What that shares with everyone's, or null.
  const anatomy::SkinTopology* skinTopology() const {
    return surface_ ? surface_->topology.get() : nullptr;
  }
  bool hasSkin() const { return skin_.has_value(); }
  /// The cavity above the diaphragm as a surface of the frames, not of files; before the first
  /// frame.
  void addLungs();
  /// Diaphragm, gut and lungs as organs to look at (organ_parts.h) instead of as the cage has them;
  /// before the first frame.
  void showOrgans();
  /// Numbers of whoever takes the frames, who fills them in; before the first frame.
  int addScalar(body::FrameScalar scalar) { return figure_.addScalar(std::move(scalar)); }

  /// A state whose kinematics and points are placed (body::refresh), with what is measured of it
  /// now and was at rest. Scalars of others are 0.
  body::Frame capture(const body::LivingState& state, const body::LivingWorkspace& now,
                      const breath::TorsoMeasures& measures, const breath::TorsoMeasures& rest);
  /// The numbers of such a frame, without the places.
  std::vector<double> scalars(const breath::TorsoMeasures& measures,
                              const breath::TorsoMeasures& rest) const;
  /// Frames of this actor, taken apart into motion and breath. `gaitCycle` [s], 0: none.
  RecordedBody recorded(double gaitCycle = 0);

  /// How well the volume inside the skin swings as the gas in the lungs does, over all frames: its
  /// largest error as a part of the largest swing; nothing without a skin or a swing.
  std::optional<double> skinVolumeError() const;
  /// How far a particle of a belly was off its line at most, over all frames [m]; nothing without
  /// bellies.
  std::optional<double> bellySwing() const;
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  void addSurfaces();
  void checkSkin(double gas);
  std::vector<Vec3> restSkin(const std::vector<Pose>& motions, const body::Frame& frame);

  const body::LivingModel& model_;
  std::optional<anatomy::SkinSurface> surface_;
  std::optional<body::LivingSkin> skin_;
  std::unique_ptr<flesh::BellySystem> bellies_;  // as they are seen
  FigureActor figure_;
  int domeSet_ = -1, gutSet_ = -1, lungSet_ = -1, skinSet_ = -1, firstScalar_ = 0;
  std::vector<int> gridMuscleSets_;  // point sets of continuum muscles
  std::vector<int> shoulderSets_;    // of soft bodies
  std::vector<std::int32_t> domePoints_, gutPoints_, lungPoints_;  // of the cage
  double skinSwing_ = 0;  // largest |change inside the skin - change of gas| [m^3]
  double largestGas_ = 0;
  double bellySwing_ = 0;
  double restGas_ = 0;  // in the lungs at the settled rest, above that of the cage's geometry [m^3]
};

}  // namespace pneuma::stage
