#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/breath/recording.h"
#include "pneuma/core/error.h"
#include "pneuma/stage/act_session.h"
#include "pneuma/stage/body_pack.h"
#include "pneuma/stage/session.h"

/// The sessions as C functions for a worker: one packed body, and one session at a time, of a body
/// that breathes or of one that acts. A function that fails returns 0 and leaves a message in
/// studio_error().
namespace pneuma::page {

using nlohmann::ordered_json;

struct Studio {
  stage::BodyPack pack;
  anatomy::Body measured;
  std::unique_ptr<stage::Session> session;
  std::unique_ptr<stage::ActSession> act;
  std::vector<stage::MuscleShape> muscles;        // of its person, once asked for
  std::vector<std::vector<std::int32_t>> lines;   // of an acting body, by vertex
  std::optional<breath::VolumeTarget> recording;  // that the lungs follow
  double recordingBegin = 0;                      // session's time at its beginning [s]
  double recordingFrom = 0;                       // volume that the lungs had then [m^3]
  std::string answer;                             // of the last call
  std::vector<float> numbers;
  std::vector<std::uint32_t> indices;
};

inline Studio& studio() {
  static Studio instance;
  return instance;
}
inline std::string& message() {
  static std::string text;
  return text;
}

/// 1, or 0 and the message.
template <class Action>
int attempt(Action&& action) {
  try {
    message().clear();
    action();
    return 1;
  } catch (const std::exception& e) {
    message() = e.what();
  }
  return 0;
}

inline stage::Session& session() {
  if (!studio().session) throw InputError("there is no breathing session yet");
  return *studio().session;
}
inline stage::ActSession& act() {
  if (!studio().act) throw InputError("there is no acting session yet");
  return *studio().act;
}
/// What both kinds of session can do.
template <class Action>
decltype(auto) live(Action&& action) {
  return studio().act ? action(act()) : action(session());
}

inline ordered_json parsed(const char* text) {
  ordered_json j = ordered_json::parse(text, nullptr, false);
  if (!j.is_object()) throw InputError("settings: not a JSON object");
  return j;
}

/// Layout and person of a new session.
ordered_json madeJson(const body::FrameLayout& layout, const anatomy::Person& person);

}  // namespace pneuma::page
