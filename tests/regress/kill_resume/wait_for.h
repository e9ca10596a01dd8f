#pragma once

#include <sys/wait.h>

namespace pneuma::test {

/// Status of a child process that has ended.
inline int waitFor(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace pneuma::test
