#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/render/report.h"
#include "pneuma/stage/act_flesh.h"
#include "pneuma/stage/breath_table.h"
#include "pneuma/stage/drawn_parts.h"
#include "pneuma/stage/living_actor.h"
#include "pneuma/stage/living_request.h"
#include "pneuma/stage/recorder.h"

namespace pneuma::stage {

/// A living body on stage: simulated with checkpoints, recorded, and shown with bones, diaphragm,
/// gut and skin.
class LivingRun : private Performer {
 public:
  /// `resolved` must outlive the run.
  LivingRun(const LivingRequest& request, const ResolvedLiving& resolved);

  /// Simulates and records, from the last checkpoint in the folder if there is one. With flesh
  /// every frame is a checkpoint, and a pose that cannot be solved ends the run with a
  /// SimulationError after all frames before it are saved: `write` then shows those.
  void simulate(io::RunFolder& folder, Progress& progress);
  /// Without a folder: measures only.
  void simulate(Progress& progress);

  /// Simulates into a folder, writes and finishes it. With flesh, a pose that cannot be solved
  /// leaves what there is before it, and its SimulationError.
  void perform(io::RunFolder& folder, const DrawnParts& drawn, Progress& simulating,
               Progress& drawing);

  /// living.csv, living.glb, stills, film and report.html; asset.glb where it is asked for.
  void write(const io::RunFolder& folder, const DrawnParts& drawn, Progress& progress);

  const body::LivingSimulation& simulation() const { return simulation_; }
  /// Everything that was measured over time: living.csv.
  io::Table measures() const { return measureTable(measured()); }
  std::size_t frames() const { return track_->size(); }  ///< recorded
  nlohmann::ordered_json json() const;
  std::string text() const;

 private:
  void addFlesh();
  void writeFlesh(const io::RunFolder& folder);
  void compareWithStanding();
  void advance(double time) override { simulation_.run(time); }
  double time() const override { return simulation_.state().time(); }
  std::uint64_t steps() const override { return simulation_.state().steps; }
  body::Frame capture() override;
  void relaxHands(const body::Frame& frame, std::span<Vec3> skin) const;
  void save(io::StateWriter& out) const override;
  void load(io::StateReader& in) override;
  View view(const Look& look, render::View from, int width, int height, int samples) const;
  MeasuredBreath measured() const;
  void writeLayers(const io::RunFolder& folder, bool asset);
  void addStills(const io::RunFolder& folder, render::Report& report) const;
  std::vector<FilmPanel> filmPanels(int width, int height) const;
  std::size_t fullest() const;  ///< frame with the most air in the lungs

  const LivingRequest& request_;
  const ResolvedLiving& resolved_;
  body::LivingSimulation simulation_;
  LivingActor actor_;
  std::optional<body::LivingFlesh> flesh_;
  std::optional<FleshMuscles> fleshMuscles_;
  std::optional<FleshRecord> fleshRecord_;
  std::optional<FrameTrack> track_;
  std::optional<body::GaitMeasures> gait_;  // of a gait that is long enough
  double standingTidal_ = 0;                // swing of the same breath in a body that stands [m^3]
  nlohmann::ordered_json layers_ = nlohmann::ordered_json::object();  // what the files hold
};

}  // namespace pneuma::stage
