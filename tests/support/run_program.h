#pragma once

#include <functional>
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

/// Starts a program and kills it with SIGKILL as soon as the condition holds (looked at every
/// millisecond, for at most five minutes), or lets it end.
void killProgramWhen(const std::string& program, const std::vector<std::string>& arguments,
                     const std::function<bool()>& condition);

}  // namespace pneuma::test
