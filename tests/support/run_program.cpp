#include "tests/support/run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace pneuma::test {
namespace {

/// A file that removes itself; outputs go through files, so that no pipe can fill up and block.
class CaptureFile {
 public:
  CaptureFile() : path_((std::filesystem::temp_directory_path() / "pneuma_test_XXXXXX").string()) {
    descriptor_ = mkstemp(path_.data());
    if (descriptor_ < 0) throw std::runtime_error("cannot make a temporary file");
  }
  ~CaptureFile() {
    close(descriptor_);
    std::filesystem::remove(path_);
  }
  int descriptor() const { return descriptor_; }
  std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
  int descriptor_;
};

pid_t start(const std::string& program, const std::vector<std::string>& arguments, int out,
            int err) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvp(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

ProgramResult runProgram(const std::string& program, const std::vector<std::string>& arguments) {
  const CaptureFile out, err;
  const pid_t child = start(program, arguments, out.descriptor(), err.descriptor());
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out.content(), err.content()};
}

void killProgramWhen(const std::string& program, const std::vector<std::string>& arguments,
                     const std::function<bool()>& condition) {
  const CaptureFile out, err;
  const pid_t child = start(program, arguments, out.descriptor(), err.descriptor());
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (std::chrono::steady_clock::now() < end && !condition()) {
    if (waitpid(child, nullptr, WNOHANG) == child) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace pneuma::test
