#pragma once

#include <filesystem>
#include <string_view>

namespace pneuma {

/// The folder of files that come with Pneuma (body descriptions, breath styles). The first of:
///   the folder given by setDataFolder,
///   the environment variable PNEUMA_DATA,
///   ../share/pneuma/data beside the program or shared library that holds this function,
///   the folder of the installation it was configured for,
///   `data` of the source tree it was built from.
/// The first two must be folders when they are given. Throws InputError when there is none; nothing
/// is looked for before the first call.
std::filesystem::path dataFolder();

/// Gives the folder explicitly; an empty path takes that back.
void setDataFolder(const std::filesystem::path& folder);

/// A file of it: dataFile("breath/styles.toml"). Throws InputError when it is missing.
std::filesystem::path dataFile(std::string_view relative);

}  // namespace pneuma
