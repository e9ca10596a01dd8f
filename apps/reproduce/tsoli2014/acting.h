#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/core/progress.h"
#include "pneuma/render/report.h"
#include "pneuma/shape/breath_model.h"

namespace pneuma::reproduce::tsoli2014 {

/// A breath acted by the learned model beside the simulated torso (Figs 14 and 15).
struct ActingLine {
  std::string name;       ///< of the recording, or the style
  double type = 0.5;      ///< chest's share, as the simulated skin has it
  double volume = 0;      ///< largest gap of the mesh's volume from the lungs', of their range [-]
  double reached = 0;     ///< the same of the simulated torso's lungs [-]
  double difference = 0;  ///< between both skins on the trunk, rms [m]
  double p99 = 0;         ///< and 99 % of all places [m]
  double breath = 0;      ///< way of the simulated skin, rms [m]
};

/// Quiet breath, forced exhale and every recording, for some seconds each; of the first recording
/// (or the forced exhale) `film` asks for acting/perform.mp4.
std::vector<ActingLine> actBreaths(const shape::BreathModel& model,
                                   const std::shared_ptr<const anatomy::Body>& measured,
                                   const std::vector<std::filesystem::path>& recordings,
                                   const std::filesystem::path& folder, bool film,
                                   render::Report& report, Progress& progress);

}  // namespace pneuma::reproduce::tsoli2014
