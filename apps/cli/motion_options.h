#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "pneuma/stage/played_motion.h"

namespace pneuma::cli {

/// Declares the options that place the figure (stage::MotionSource), below a heading of their own
/// unless `group` is empty.
void addMotionOptions(CLI::App* verb, stage::MotionSource& source, const std::string& group = "");

/// Throws InputError when options of a motion do not go together, instead of ignoring one of them.
void checkMotionOptions(const CLI::App& verb);

/// Throws the InputError of an option that does not belong where it stands.
[[noreturn]] void refuseOption(const std::string& option, const std::string& message,
                               const std::string& expected);
/// Refuses options of flesh that were given without flesh.
void refuseFleshOptions(const CLI::App& verb, bool flesh);

}  // namespace pneuma::cli
