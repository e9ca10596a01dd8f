#include "render/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "pneuma/core/error.h"

extern char** environ;

namespace pneuma::render::internal {
namespace {

std::string readAll(int fd) {
  std::string text;
  const off_t size = ::lseek(fd, 0, SEEK_END);
  if (size <= 0) return text;
  text.resize(static_cast<std::size_t>(size));
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// The last lines that say something, on one line.
std::string lastLines(const std::string& text) {
  std::string tail = text.size() > 400 ? text.substr(text.size() - 400) : text;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  for (char& c : tail)
    if (c == '\n' || c == '\r') c = ' ';
  return tail;
}

}  // namespace

void failNotInstalled(const std::string& program, const std::string& package) {
  throw InputError(Diagnostic{.subject = "program '" + program + "'",
                              .message = "is not installed",
                              .expected = fmt::format("Debian package {}", package)});
}

Process::Process(std::vector<std::string> command, const std::string& package)
    : name_(command.front()) {
  // A socket instead of a pipe: a reader that went away gives an error code, not SIGPIPE.
  int ends[2] = {-1, -1};
  const bool ok = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  input_ = ends[0];
  output_ = ::memfd_create("output", MFD_CLOEXEC);
  errors_ = ::memfd_create("errors", MFD_CLOEXEC);
  if (!ok || output_ < 0 || errors_ < 0) {
    closeAll();
    throw InputError(fmt::format("{}: cannot be started: {}", name_, std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& a : command) arguments.push_back(a.data());
  arguments.push_back(nullptr);
  const int error =
      ::posix_spawnp(&child_, name_.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    child_ = -1;
    closeAll();
    if (error == ENOENT) failNotInstalled(name_, package);
    throw InputError(
        Diagnostic{.subject = "program '" + name_ + "'", .message = std::strerror(error)});
  }
}

Process::~Process() {
  closeAll();
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void Process::closeAll() {
  for (int* fd : {&input_, &output_, &errors_})
    if (const int open = std::exchange(*fd, -1); open >= 0) ::close(open);
}

bool Process::write(const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(input_, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

std::string Process::finish() {
  if (const int open = std::exchange(input_, -1); open >= 0) ::close(open);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  messages_ = readAll(errors_);
  std::string output = readAll(output_);
  closeAll();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw InputError(fmt::format("{} failed: {}", name_, lastLines(messages_)));
  return output;
}

}  // namespace pneuma::render::internal
