#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/stage/act_flesh.h"

namespace pneuma::stage {

/// How active a muscle ("biceps_brachii"), its one side ("biceps_brachii_r") or a line of it is.
struct MuscleLevel {
  std::string muscle;
  double level = 0;  ///< 0 .. 1
};

/// Activations of all lines. Throws InputError that is about `subject`, with the nearest name.
std::vector<double> activationsOf(std::span<const MuscleLevel> levels,
                                  const anatomy::CompiledBody& lines, const std::string& subject);

/// A person's flesh and skin whose bones and activations are given: nothing else is simulated.
/// Fibres are those of the living body's lines, whatever articulation is posed.
class PosedFlesh {
 public:
  /// `measured` before it was fitted to the person of `described`; both, `compiled` (the
  /// articulation that is posed) and `tree`, which is made from it, outlive it. Throws InputError
  /// for a level or tissue that is not there.
  PosedFlesh(const anatomy::Body& measured, const anatomy::Body& described,
             const anatomy::CompiledBody& compiled, const skeleton::Model& tree,
             const FleshRequest& request, int skinTriangles);

  /// The lines of a body that activations are of, in their order.
  static anatomy::CompiledBody linesOf(const anatomy::Body& described);

  /// Skin, bones, numbers and, where they were asked for, muscles in configuration q. Starts from
  /// the last pose. Throws SimulationError; the flesh is then as it was.
  body::Frame capture(double time, const VecX& q, std::span<const double> activations);
  /// The numbers of a frame, units in their names.
  nlohmann::ordered_json numbers(const body::Frame& frame) const;

  const anatomy::RelaxedHands& hands() const { return hands_; }
  FigureActor& actor() { return actor_; }
  const FigureActor& actor() const { return actor_; }
  const FleshRecord& record() const { return flesh_->record(); }
  const skin::FleshDriver& driver() const { return flesh_->driver(); }
  void save(io::StateWriter& out) const { flesh_->save(out); }
  void load(io::StateReader& in) { flesh_->load(in); }

 private:
  const skeleton::Model& tree_;
  anatomy::RelaxedHands hands_;
  FigureActor actor_;
  std::unique_ptr<ActFlesh> flesh_;
};

}  // namespace pneuma::stage
