#pragma once

#include <fmt/format.h>

#include <string>

#include "pneuma/core/version.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/stage/person_request.h"
#include "pneuma/stage/run_description.h"

/// What saved sessions have in common.
namespace pneuma::stage::internal {

[[noreturn]] inline void refuseSession(std::string message, std::string expected = "") {
  throw InputError(Diagnostic{
      .subject = "session", .message = std::move(message), .expected = std::move(expected)});
}

/// What a saved session says of itself, before its state.
struct SessionHead {
  std::string version, bodyHash, settings;

  template <class Settings>
  static SessionHead of(const anatomy::Body& measured, const PersonRequest& person,
                        const Settings& settings) {
    nlohmann::ordered_json j = io::settingsJson(person);
    j.update(io::settingsJson(settings));
    if (person.sex.empty()) j.erase("sex");
    return {std::string(pneuma::version()), stage::bodyHash(measured), j.dump()};
  }

  void save(io::StateWriter& out) const {
    for (const std::string* text : {&version, &bodyHash, &settings}) out.put(*text);
  }
  void load(io::StateReader& in) {
    for (std::string* text : {&version, &bodyHash, &settings}) in.get(*text);
  }
  /// Refuses a state of another version, body or settings.
  void require(const SessionHead& saved) const {
    if (saved.version != version)
      refuseSession(fmt::format("saved by version {}", saved.version), "version " + version);
    if (saved.bodyHash != bodyHash) refuseSession("saved with another body");
    if (saved.settings != settings)
      refuseSession("saved with other settings: " + saved.settings, settings);
  }
};

}  // namespace pneuma::stage::internal
