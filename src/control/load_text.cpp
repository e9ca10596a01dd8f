#include "pneuma/control/load_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "pneuma/core/error.h"

namespace pneuma::control {
namespace {

[[noreturn]] void refuse(const std::string& subject, const std::string& message,
                         std::string nearest = "") {
  throw InputError(Diagnostic{.subject = subject,
                              .message = message,
                              .expected = "such as 5kg@hand_r, 0/-30/0N@hand_l or "
                                          "2kg,3s:8kg@hand_r",
                              .nearest = std::move(nearest)});
}

/// A whole text as a finite number.
std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

/// "5kg" or "0/-30/0N".
LoadSchedule::Stage parseAmount(std::string_view text, const std::string& subject) {
  LoadSchedule::Stage stage;
  const std::string found = fmt::format("found '{}'", text);
  if (text.ends_with("kg")) {
    const auto mass = number(text.substr(0, text.size() - 2));
    if (!mass) refuse(subject, found);
    if (*mass < 0) refuse(subject, fmt::format("mass '{}' is negative", text));
    stage.mass = *mass;
    return stage;
  }
  if (!text.ends_with("N")) refuse(subject, found);
  const std::vector<std::string_view> parts = split(text.substr(0, text.size() - 1), '/');
  if (parts.size() != 3) refuse(subject, found);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto value = number(parts[k]);
    if (!value) refuse(subject, found);
    stage.force[static_cast<Eigen::Index>(k)] = *value;
  }
  return stage;
}

LoadSchedule::Stage parseStage(std::string_view text, const std::string& subject) {
  const std::size_t colon = text.find("s:");
  const auto time = colon == std::string_view::npos ? std::nullopt : number(text.substr(0, colon));
  if (!time || *time < 0) refuse(subject, fmt::format("found '{}'", text));
  LoadSchedule::Stage stage = parseAmount(text.substr(colon + 2), subject);
  stage.time = *time;
  return stage;
}

}  // namespace

bool LoadSchedule::hasMass() const {
  return load.mass > 0 || std::ranges::any_of(stages, [](const Stage& s) { return s.mass > 0; });
}

LoadSchedule::Stage LoadSchedule::at(double time) const {
  Stage now{0, load.mass, load.force};
  for (const Stage& stage : stages)
    if (stage.time <= time) now = stage;
  return now;
}

LoadSchedule parseLoad(const std::string& text, const skeleton::Model& model,
                       const std::string& subject) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos) refuse(subject, fmt::format("found '{}'", text));
  const std::string name = text.substr(at + 1);
  LoadSchedule schedule;
  schedule.load.name = text;
  schedule.load.link = model.findLink(name);
  if (schedule.load.link < 0) {
    std::vector<std::string> known;
    for (const skeleton::Link& link : model.links) known.push_back(link.name);
    refuse(subject, fmt::format("unknown link '{}'", name), nearestName(name, known));
  }
  schedule.load.local = model.links[static_cast<std::size_t>(schedule.load.link)].inertia.center;
  const std::vector<std::string_view> parts = split(std::string_view(text).substr(0, at), ',');
  const LoadSchedule::Stage first = parseAmount(parts.front(), subject);
  schedule.load.mass = first.mass;
  schedule.load.force = first.force;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    schedule.stages.push_back(parseStage(parts[k], subject));
    if (k > 1 && schedule.stages[k - 1].time <= schedule.stages[k - 2].time)
      refuse(subject, fmt::format("times of '{}' do not rise", text));
  }
  return schedule;
}

}  // namespace pneuma::control
