#pragma once

#include "tests/support/run_program.h"

namespace pneuma::test {

/// Runs the pneuma program of this build.
inline ProgramResult runPneuma(const std::vector<std::string>& arguments) {
  return runProgram(PNEUMA_PROGRAM, arguments);
}

}  // namespace pneuma::test
