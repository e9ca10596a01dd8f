#pragma once

#include <filesystem>
#include <string>

#include "cli/program.h"
#include "pneuma/survey/measure_pack.h"

namespace pneuma::cli {

/// Measures muscle attachments on a folder of real meshes and writes attachments.toml into `out`.
/// Tells, as text and in `j`, how far points were moved onto the described bones, and how the
/// volumes of the default body's muscles compare with the measured ones.
std::string measureBodyAttachments(Program& program, const anatomy::AnatomyPack& pack,
                                   const std::filesystem::path& out, nlohmann::ordered_json& j);

}  // namespace pneuma::cli
