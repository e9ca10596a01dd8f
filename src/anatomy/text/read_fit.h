#pragma once

#include <filesystem>
#include <optional>

#include "anatomy/text/table_reader.h"
#include "pneuma/anatomy/fitted_shapes.h"

namespace pneuma::anatomy::internal {

inline constexpr const char* kFitField = "fit";

/// How a file includes another: a file that comes with Pneuma as "pneuma:body/human.toml", wherever
/// its data folder lies, others by their full path.
std::string includeName(const std::filesystem::path& file);
/// The file that an entry of `include` in a file of that folder means.
std::filesystem::path includedFile(const std::filesystem::path& folder, const std::string& name);

/// The table `[fit]`; findings go to `file`, and nothing comes back where there is an error.
std::optional<FittedShapes> readFit(const toml::node& node, const FileContext& file);

}  // namespace pneuma::anatomy::internal
