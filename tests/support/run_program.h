#pragma once

#include <string>
#include <vector>

namespace pneuma::test {

struct ProgramResult {
  int exitCode = -1;  ///< -1: ended by a signal
  std::string out;    ///< standard output
  std::string err;    ///< standard error
};

/// Runs a program with arguments (no shell) and waits for it.
ProgramResult runProgram(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace pneuma::test
