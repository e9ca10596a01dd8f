#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pneuma/core/progress.h"

namespace pneuma::cli {

/// Options that every verb understands.
struct GlobalOptions {
  bool json = false;   ///< print results as JSON on stdout
  bool quiet = false;  ///< no progress, no summary
  int threads = 0;     ///< 0: as many as the machine has
};

/// The program a verb belongs to. A verb's file (verb_<name>.cpp) has one function
/// `void add<Name>Verb(Program&)` that declares its options and its action; verbs.h lists them.
/// Actions throw InputError (exit 2) or SimulationError (exit 1), and otherwise succeed (exit 0).
class Program {
 public:
  Program();

  /// Adds a verb with the global options. `example` is a command line that works as typed and
  /// closes the verb's help page.
  CLI::App* addVerb(const std::string& name, const std::string& summary,
                    const std::string& example);
  /// The same for a verb below another one (`pneuma body info`).
  CLI::App* addSubVerb(CLI::App* verb, const std::string& name, const std::string& summary,
                       const std::string& example);

  const GlobalOptions& options() const { return options_; }
  /// The words the program was called with, for run.toml.
  const std::string& commandLine() const { return commandLine_; }
  /// A bar or lines on stderr, or nothing with --quiet. `unit` names what is counted.
  std::unique_ptr<Progress> makeProgress(const std::string& unit) const;
  /// Prints results: `data` with --json, else `text` (unless --quiet).
  void print(const nlohmann::ordered_json& data, const std::string& text) const;

  /// Runs a command line; returns the exit code.
  int run(int argc, const char* const* argv);

  CLI::App& app() { return app_; }

 private:
  void addGlobalOptions(CLI::App* app);
  int runCatching(int argc, const char* const* argv);
  int parse(int argc, const char* const* argv);

  CLI::App app_;
  GlobalOptions options_;
  std::string commandLine_;
};

/// An option value out of a list; a wrong one is answered with the nearest.
CLI::Validator oneOf(std::vector<std::string> names);
/// A finite number in a range, both ends included; the help shows the range.
CLI::Validator between(double lowest, double highest);
/// Any finite number. Every option shown as FLOAT has this check by itself.
CLI::Validator finiteNumber();
/// `--size WxH` of a picture or film.
void addPictureSize(CLI::App* verb, int& width, int& height, const std::string& meaning);
/// The name of a file to write that ends in one of `endings` (".png"); fails before any work is
/// done when the file could not be written.
CLI::Validator outputFile(std::vector<std::string> endings);

}  // namespace pneuma::cli
