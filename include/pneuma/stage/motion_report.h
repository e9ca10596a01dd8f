#pragma once

#include <nlohmann/json.hpp>

#include "pneuma/io/run_folder.h"
#include "pneuma/render/report.h"
#include "pneuma/stage/played_motion.h"

/// Results of a played motion: each function writes its tables into the run, a section into the
/// report and its numbers into `json`.
namespace pneuma::stage {

/// How far the figure's joints are from those of the clip, and which stand at their limits.
void addResiduals(const PlayedMotion& motion, const io::RunFolder& run, render::Report& report,
                  nlohmann::ordered_json& json);

/// Joint torques of the motion and the force from the floor; a gait's beside people's. Returns the
/// peaks as text. Throws InputError below 5 frames.
std::string addInverseDynamics(const PlayedMotion& motion, const io::RunFolder& run,
                               render::Report& report, nlohmann::ordered_json& json);

}  // namespace pneuma::stage
