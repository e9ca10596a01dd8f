#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "pneuma/anatomy/body.h"

/// Reading and writing body files (docs/body-format.md).
namespace pneuma::anatomy {

/// Limits of what is read; beyond them a file is refused with a clear error.
inline constexpr int kDeepestInclude = 16;
inline constexpr int kMostFiles = 256;
inline constexpr std::size_t kLargestBodyFile = std::size_t{32} << 20;  // [bytes]

/// Gives the text of a file by its path, for bodies that do not live on disk.
using TextSource = std::function<Result<std::string>(const std::string& path)>;

/// Reads a body file and all it includes, as declared: mirror and series entries are not yet
/// written out. All errors of all files come together; unknown fields are warnings.
Result<Body> readBody(const std::filesystem::path& path);
Result<Body> readBody(const std::string& path, const TextSource& source);

/// Writes out the mirror and series rules and based-on articulations, then checks every name and
/// reference. The result has no mirror, series or basedOn left.
Result<Body> expandBody(const Body& declared);

/// readBody and expandBody in one call.
Result<Body> loadBody(const std::filesystem::path& path);

/// The body as one TOML text in mm, deg, kg, cm2, cm3 with 12 digits and a fixed order of fields.
/// Fields at their default are left out, unknown fields are kept. Reading and writing the text
/// again gives the same bytes.
std::string bodyText(const Body& body);

/// The default body that comes with Pneuma: body/human.toml in the data folder.
std::filesystem::path defaultBodyPath();

}  // namespace pneuma::anatomy
