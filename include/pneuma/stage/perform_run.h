#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pneuma/core/progress.h"
#include "pneuma/shape/registration.h"
#include "pneuma/stage/perform_beside.h"
#include "pneuma/stage/posed_performance.h"

namespace pneuma::stage {

/// A performance on stage: at rest, in a pose, in motion, or beside the simulated torso.
class PerformRun {
 public:
  /// `model` must outlive the run. `skin` is the performer's skin at rest; absent: the person's
  /// own. `beside` also simulates the torso. Throws InputError.
  PerformRun(const shape::BreathModel& model, const PerformRequest& perform,
             const BreathRequest& breath, std::shared_ptr<const anatomy::Body> measured,
             const anatomy::Person& person, std::optional<std::vector<Vec3>> skin, bool beside,
             Progress& progress);

  /// perform.csv, perform.glb and, if wanted, perform.mp4.
  void write(const std::filesystem::path& folder, bool film, Progress& progress) const;

  const shape::PersonBreath& performer() const { return *performer_; }
  const BreathTrack& track() const { return track_; }
  const std::vector<VecX>& weights() const { return weights_; }
  /// The skin of a frame, in its pose.
  std::vector<Vec3> skin(std::size_t frame) const;
  const std::optional<SimulatedSkins>& simulated() const { return simulated_; }
  const std::optional<BesideErrors>& errors() const { return errors_; }
  nlohmann::ordered_json json() const;
  std::string text() const;

 private:
  io::Table table() const;

  const shape::BreathModel* model_;
  BreathTrack track_;
  std::optional<SimulatedSkins> simulated_;
  std::unique_ptr<shape::PersonBreath> performer_;
  std::unique_ptr<PosedPerformance> posed_;
  std::vector<VecX> weights_;
  std::optional<BesideErrors> errors_;
};

/// The person's skin at rest on the model's topology. Throws InputError for a model of another.
std::vector<Vec3> restSkinOf(const shape::BreathModel& model, const anatomy::Body& measured,
                             const anatomy::Person& person);

/// A person found in a scan.
struct ScanFit {
  std::vector<Vec3> positions;    ///< of the model's vertices, in the scan's frame [m]
  shape::SurfaceDistances trunk;  ///< of the trunk's vertices from the scan [m]
  double volume = 0;  ///< inside the skin above rest: the gas that was breathed in [m^3]
  double type = 0.5;  ///< the chest's share of it
  nlohmann::ordered_json json() const;
};
/// `scan` in metres, +Y up, facing +Z, wherever it stands. Throws InputError for a scan of another
/// size.
ScanFit findInScan(const shape::BreathModel& model, const shape::PersonBreath& person,
                   TriangleMesh scan);

}  // namespace pneuma::stage
