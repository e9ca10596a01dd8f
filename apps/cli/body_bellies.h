#pragma once

#include <filesystem>
#include <string>

#include "cli/program.h"
#include "pneuma/survey/measure_pack.h"

namespace pneuma::cli {

/// Measures the default body's bellies on a folder of real meshes and writes bellies.toml into
/// `out`. Tells, as text and in `j`, where the muscles lie along their lines, and their volumes.
std::string measureBodyBellies(Program& program, const anatomy::AnatomyPack& pack,
                               const std::filesystem::path& out, nlohmann::ordered_json& j);

}  // namespace pneuma::cli
