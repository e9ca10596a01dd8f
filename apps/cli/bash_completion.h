#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace pneuma::cli {

/// A bash script that completes verbs, options, the values of options that have a list of them, and
/// the names of files.
std::string bashCompletion(const CLI::App& app);

}  // namespace pneuma::cli
