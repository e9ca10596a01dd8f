#pragma once

#include "cli/program.h"

namespace pneuma::cli::internal {

/// A whole number, >= 0 when `positive`: the parser itself would wrap -1 around.
CLI::Validator wholeNumber(bool positive);

}  // namespace pneuma::cli::internal
