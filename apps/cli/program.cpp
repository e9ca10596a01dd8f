#include "cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <system_error>

#include "cli/suggest.h"
#include "cli/validators.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/log.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/version.h"

namespace pneuma::cli {
namespace {

constexpr int kExitSimulationFailed = 1;
constexpr int kExitBadInput = 2;

/// Words of a file may hold anything; they must not steer the terminal.
std::string printable(std::string text) {
  for (char& c : text)
    if ((c >= 0 && c < ' ' && c != '\n') || c == 0x7f) c = '?';
  return text;
}

/// To standard error. Where that takes nothing, the exit code alone must say it.
void say(const std::string& line) {
  std::fputs((line + '\n').c_str(), stderr);
}

void reportError(const std::string& text) {
  say("pneuma: error: " + printable(text));
}

/// A file opened while a standard stream is closed would take its number, and what is printed would
/// end up in the file.
void fillStandardStreams() {
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF && ::open("/dev/null", O_RDWR) < 0) return;
}

/// Results that did not reach standard output (a full disk) are no success.
int checkStandardOutput(int exitCode) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout.good()) return exitCode;
  reportError(fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
  return exitCode == 0 ? kExitBadInput : exitCode;
}

/// Checks that the type of an option implies, so that no verb needs to think of them.
void checkNumbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("FLOAT")) option->check(finiteNumber());
    if (type.starts_with("INT") || type.starts_with("UINT"))
      option->check(internal::wholeNumber(type.starts_with("UINT")));
  }
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) checkNumbers(*sub);
}

/// One line per diagnostic, so that editors and scripts can pick file and line. One mistake can
/// make every link of a body wrong: what does not fit a screen is counted.
int reportBadInput(const InputError& error) {
  constexpr std::size_t kShown = 15;
  const std::vector<Diagnostic>& all = error.diagnostics();
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i) reportError(all[i].toString());
  if (all.size() > kShown) reportError(fmt::format("and {} more", all.size() - kShown));
  return kExitBadInput;
}

}  // namespace

Program::Program() : app_("Pneuma: a living, breathing body for digital humans", "pneuma") {
  app_.require_subcommand(1);
  app_.set_version_flag("--version", fmt::format("pneuma {} ({})", version(), buildDescription()));
  app_.set_help_flag("-h,--help", "Show this page and leave");
  app_.get_formatter()->column_width(34);
  app_.get_formatter()->label("SUBCOMMAND", "VERB");
  app_.footer(
      "Each verb has its own page: pneuma VERB --help\n"
      "Exit codes: 0 done, 1 a simulation failed and says where, 2 bad input.");
  addGlobalOptions(&app_);
}

CLI::App* Program::addVerb(const std::string& name, const std::string& summary,
                           const std::string& example) {
  return addSubVerb(&app_, name, summary, example);
}

CLI::App* Program::addSubVerb(CLI::App* verb, const std::string& name, const std::string& summary,
                              const std::string& example) {
  CLI::App* sub = verb->add_subcommand(name, summary);
  sub->set_help_flag("-h,--help", "Show this page and leave");
  sub->group("Verbs");
  if (!example.empty()) sub->footer("Example:\n  " + example);
  addGlobalOptions(sub);
  return sub;
}

void Program::addGlobalOptions(CLI::App* app) {
  app->add_flag("--json", options_.json, "Print results as JSON on standard output")
      ->group("Everywhere");
  app->add_flag("--quiet", options_.quiet, "No progress and no summary")->group("Everywhere");
  app->add_option("--threads", options_.threads, "Threads to use; 0: as many as the machine has")
      ->check(CLI::Range(0, 1024))
      ->group("Everywhere")
      ->capture_default_str();
}

std::unique_ptr<Progress> Program::makeProgress(const std::string& unit) const {
  if (options_.quiet) return std::make_unique<SilentProgress>();
  return std::make_unique<ConsoleProgress>(stderr, unit);
}

void Program::print(const nlohmann::ordered_json& data, const std::string& text) const {
  if (options_.json) {
    // A path need not be UTF-8; JSON must be.
    fmt::print("{}\n", data.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (!options_.quiet) {
    fmt::print("{}", text);
    if (!text.ends_with('\n')) fmt::print("\n");
  }
  std::fflush(stdout);
}

int Program::run(int argc, const char* const* argv) {
  fillStandardStreams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error that names it, not a death
  checkNumbers(app_);
  return checkStandardOutput(runCatching(argc, argv));
}

int Program::runCatching(int argc, const char* const* argv) {
  setLogSink([this](LogLevel level, std::string_view message) {
    const std::string text = printable(std::string(message));
    if (level >= LogLevel::Warning)
      say("pneuma: warning: " + text);
    else if (level == LogLevel::Info && !options_.quiet)
      say(text);
  });
  commandLine_ = fmt::format("{}", fmt::join(argv, argv + argc, " "));
  try {
    return parse(argc, argv);
  } catch (const InputError& e) {
    return reportBadInput(e);
  } catch (const SimulationError& e) {
    reportError(e.what());
    return kExitSimulationFailed;
  } catch (const InternalError& e) {
    reportError(fmt::format("{}\nThis is a mistake in Pneuma, not in your input. Please report it.",
                            e.what()));
    return kExitSimulationFailed;
  } catch (const std::bad_alloc&) {
    reportError("out of memory");
    return kExitSimulationFailed;
  } catch (const std::system_error& e) {  // files and folders that refuse
    reportError(e.what());
    return kExitBadInput;
  } catch (const std::exception& e) {
    reportError(e.what());
    return kExitSimulationFailed;
  }
}

int Program::parse(int argc, const char* const* argv) {
  try {
    app_.parse_complete_callback([this] { setThreadCount(options_.threads); });
    checkWords(app_, std::vector<std::string>(argv + 1, argv + argc));
    app_.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& e) {  // --help, --version
    return app_.exit(e);
  } catch (const CLI::ParseError& e) {
    const bool verbMissing = std::string_view(e.what()).starts_with("A subcommand");
    reportError(verbMissing ? "a verb is required" : e.what());
    const CLI::App* page = deepestVerb(app_, std::vector<std::string>(argv + 1, argv + argc));
    say(fmt::format("Try '{} --help'.", fullName(page)));
    return kExitBadInput;
  }
}

}  // namespace pneuma::cli
