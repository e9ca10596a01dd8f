#pragma once

#include <filesystem>
#include <string_view>

namespace pneuma {

/// The folder of files that come with Pneuma (body descriptions, breath styles): PNEUMA_DATA when
/// set, else `share/pneuma/data` beside an installed program, else `data` of the source tree it was
/// built from. Throws InputError when there is none.
std::filesystem::path dataFolder();

/// A file of it: dataFile("breath/styles.toml"). Throws InputError when it is missing.
std::filesystem::path dataFile(std::string_view relative);

}  // namespace pneuma
