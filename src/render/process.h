#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pneuma::render::internal {

[[noreturn]] void failNotInstalled(const std::string& program, const std::string& package);

/// A helper program (gnuplot, ffmpeg) that reads what we write. Started directly, without a shell,
/// so no argument is ever interpreted.
class Process {
 public:
  /// Throws InputError when the program is not installed; `package` is the Debian package named in
  /// the message.
  Process(std::vector<std::string> command, const std::string& package);
  /// Ends the program if finish() was not called.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Sends bytes to its standard input. False when it no longer reads (finish() tells why).
  bool write(const void* data, std::size_t size);
  bool write(std::string_view text) { return write(text.data(), text.size()); }

  /// Closes its input and waits. Throws InputError with the last lines it wrote to stderr when it
  /// failed; returns what it wrote to stdout.
  std::string finish();
  /// What it said on stderr; valid after finish().
  const std::string& messages() const { return messages_; }

 private:
  void closeAll();

  std::string name_;
  pid_t child_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
  std::string messages_;
};

}  // namespace pneuma::render::internal
