#include "cli/motion_options.h"

#include "cli/field_options.h"
#include "pneuma/core/error.h"

namespace pneuma::cli {

void addMotionOptions(CLI::App* verb, stage::MotionSource& source, const std::string& group) {
  addFieldOptions(verb, source, group);
}

void refuseOption(const std::string& option, const std::string& message,
                  const std::string& expected) {
  throw InputError(
      Diagnostic{.subject = "option '" + option + "'", .message = message, .expected = expected});
}

void refuseFleshOptions(const CLI::App& verb, bool flesh) {
  if (flesh) return;
  for (const char* option : {"--flesh-level", "--flesh-tissue", "--no-flesh-contact",
                             "--flesh-gravity", "--flesh-dynamics"})
    if (verb.get_option(option)->count() > 0)
      refuseOption(option, "is for embedded flesh", "--flesh");
}

void checkMotionOptions(const CLI::App& verb) {
  const auto given = [&](const char* option) { return verb.get_option(option)->count() > 0; };
  if (given("--motion") + given("--joint") + given("--poses") + given("--posture") > 1)
    refuseOption(given("--motion")    ? "--motion"
                 : given("--posture") ? "--posture"
                                      : "--poses",
                 "does not go with another motion",
                 "one of --motion, --joint, --poses and --posture");
  for (const char* option : {"--joint-table", "--rest-frame", "--first-frame", "--loop"})
    if (given(option) && !given("--motion")) refuseOption(option, "is for a clip", "--motion FILE");
}

}  // namespace pneuma::cli
