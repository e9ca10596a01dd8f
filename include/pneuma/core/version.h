#pragma once

#include <string_view>

namespace pneuma {

/// Version of the library, "major.minor.patch".
std::string_view version();
/// Compiler, build type and instruction set of this build, for reports and run folders.
std::string_view buildDescription();

}  // namespace pneuma
