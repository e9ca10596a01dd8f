#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/body/living_model.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skin/flesh_driver.h"
#include "pneuma/skin/under_skin.h"
#include "pneuma/stage/figure_actor.h"
#include "pneuma/stage/flesh_record.h"
#include "pneuma/stage/flesh_request.h"

namespace pneuma::stage {

/// Bones and muscles through the skin; a cut opens the skin alone.
Look musclesLook();

/// Surfaces of muscles that ride in flesh: the body's solids, moved with the elements around them
/// and, near the skin, with what evened it, so that a cutaway shows how they bulge.
class FleshMuscles {
 public:
  static constexpr double kSkinOver = 0.35;  ///< opacity of a skin over muscles, in files

  /// Adds each solid to the actor, and how active it is to the group `muscle_activation`. A solid
  /// works as hard as its lines do on the average, by their volumes: those of its side whose muscle
  /// its name tells ("long_head_of_biceps_brachii_l"). `skin` is that over them, at rest. The flesh
  /// outlives it.
  FleshMuscles(const flesh::embedded::BodyFlesh& flesh, const TriangleMesh& skin,
               std::span<const flesh::embedded::NamedSolid> solids,
               const anatomy::CompiledBody& lines, FigureActor& actor);

  /// Fills surfaces and activations of a frame from the last pose of the driver, `skin`.
  void capture(const skin::FleshDriver& driver, std::span<const Vec3> skin,
               std::span<const double> activations, body::Frame& frame);

 private:
  struct Muscle {
    int set = -1, scalar = -1;
    std::size_t first = 0, count = 0;                     ///< of its points in the embedding
    std::vector<std::pair<std::size_t, double>> lines{};  ///< and their parts, sum 1
  };
  FigureActor& actor_;
  std::vector<Muscle> muscles_;
  std::unique_ptr<flesh::embedded::Embedding> embedding_;
  std::optional<skin::UnderSkin> under_;
  std::vector<Vec3> points_;
};

/// Flesh and skin of a body that acts by its own muscles: bones and activations of the articulation
/// that acts, no breath.
class ActFlesh {
 public:
  /// `measured` before it was fitted to the person of `described`; both and `compiled` (the
  /// articulation that acts) and `tree` outlive it. Fibres are those of `lines`, absent: of the
  /// living body's own. Adds a skin of about `triangles` and the numbers of the flesh to the actor,
  /// whose last scalars they are, and on request the surfaces of muscles inside. Hands are shown
  /// as held.
  ActFlesh(const anatomy::Body& measured, const anatomy::Body& described,
           const anatomy::CompiledBody& compiled, const skeleton::Model& tree,
           const anatomy::CompiledBody* lines, const FleshRequest& request, int triangles,
           const anatomy::RelaxedHands& hands, FigureActor& actor);

  /// Fills skin and numbers of a frame. Throws SimulationError.
  void capture(const skeleton::Kinematics& kinematics, std::span<const double> activations,
               body::Frame& frame);

  const FleshRecord& record() const { return *record_; }
  bool hasMuscles() const { return muscles_ != nullptr; }
  skin::FleshDriver& driver() { return *driver_; }
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  /// A vertex of a hand and where it is shown, from where it was measured, at rest.
  struct HandVertex {
    std::size_t vertex = 0, bone = 0;
    Vec3 shift = Vec3::Zero();
  };
  void holdHands(const anatomy::SkinSurface& skin, const anatomy::Body& body,
                 const anatomy::RelaxedHands& hands);

  const anatomy::CompiledBody& compiled_;
  const skeleton::Model& tree_;
  std::vector<int> links_;
  FigureActor& actor_;
  int skinSet_ = -1;
  std::unique_ptr<skin::FleshDriver> driver_;
  std::unique_ptr<FleshMuscles> muscles_;
  std::vector<HandVertex> hands_;
  std::optional<FleshRecord> record_;
};

}  // namespace pneuma::stage
