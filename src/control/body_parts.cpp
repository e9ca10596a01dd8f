#include "pneuma/control/body_parts.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::control {
namespace {

bool isRight(const std::string& name) {
  return name.ends_with("_r") || name.find("_r_") != std::string::npos;
}

bool isNeck(const std::string& link) {
  const bool vertebra = link.size() == 2 && link[0] == 'c' && std::isdigit(link[1]);
  return vertebra || link == "skull" || link == "hyoid" || link == "thyroid";
}

BodyPart partOf(const anatomy::CompiledLink& link) {
  using anatomy::LinkRegion;
  const bool right = isRight(link.name);
  if (link.region == LinkRegion::Leg) return right ? BodyPart::LegRight : BodyPart::LegLeft;
  const bool girdle = link.name.starts_with("clavicle") || link.name.starts_with("scapula");
  if (link.region == LinkRegion::Arm && !girdle)
    return right ? BodyPart::ArmRight : BodyPart::ArmLeft;
  return isNeck(link.name) ? BodyPart::HeadNeck : BodyPart::Torso;
}

BodyPart partOf(const anatomy::CompiledMuscle& muscle) {
  using anatomy::MuscleRegion;
  const bool right = isRight(muscle.name);
  switch (muscle.region) {
    case MuscleRegion::Arm:
      return right ? BodyPart::ArmRight : BodyPart::ArmLeft;
    case MuscleRegion::Leg:
      return right ? BodyPart::LegRight : BodyPart::LegLeft;
    case MuscleRegion::HeadNeck:
      return BodyPart::HeadNeck;
    case MuscleRegion::Trunk:
      break;
  }
  return BodyPart::Torso;
}

/// Words that a text may use, with the parts they mean.
const std::map<std::string, std::vector<BodyPart>>& words() {
  using enum BodyPart;
  static const std::map<std::string, std::vector<BodyPart>> all{
      {"arms", {ArmLeft, ArmRight}},
      {"arm_l", {ArmLeft}},
      {"arm_r", {ArmRight}},
      {"neck", {HeadNeck}},
      {"torso", {Torso}},
      {"legs", {LegLeft, LegRight}},
      {"leg_l", {LegLeft}},
      {"leg_r", {LegRight}},
      {"all", {ArmLeft, ArmRight, HeadNeck, LegLeft, LegRight, Torso}}};
  return all;
}

std::vector<std::string> wordList() {
  std::vector<std::string> list;
  for (const auto& [word, parts] : words()) list.push_back(word);
  return list;
}

void readEntry(const std::string& entry, const std::string& subject, PerPart& out) {
  const std::size_t equals = entry.find('=');
  const std::string word = equals == std::string::npos ? "all" : entry.substr(0, equals);
  const char* begin = entry.data() + (equals == std::string::npos ? 0 : equals + 1);
  const char* end = entry.data() + entry.size();
  double value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value))
    throw InputError(Diagnostic{.subject = subject,
                                .message = fmt::format("found '{}'", entry),
                                .expected = "such as arms=0.5,neck=0.2, or one number for all"});
  const auto parts = words().find(word);
  if (parts == words().end()) {
    const std::vector<std::string> known = wordList();
    throw InputError(Diagnostic{.subject = subject,
                                .message = fmt::format("unknown body part '{}'", word),
                                .expected = fmt::format("one of {}", fmt::join(known, ", ")),
                                .nearest = nearestName(word, known)});
  }
  if (value < 0)
    throw InputError(Diagnostic{
        .subject = subject, .message = fmt::format("'{}' is below 0", entry), .expected = ">= 0"});
  for (const BodyPart part : parts->second) out[part] = value;
}

}  // namespace

const std::vector<std::string>& bodyPartNames() {
  static const std::vector<std::string> names{"arm_l", "arm_r", "neck", "leg_l", "leg_r", "torso"};
  return names;
}

BodyParts::BodyParts(const anatomy::CompiledBody& body, const skeleton::Model& model)
    : ofDof(static_cast<std::size_t>(model.dofCount()), BodyPart::Torso) {
  const std::vector<int> indices = skeleton::linkIndices(body, model);
  for (std::size_t l = 0; l < body.links.size(); ++l) {
    const skeleton::Link& link = model.links[static_cast<std::size_t>(indices[l])];
    for (int d = 0; d < link.dofCount; ++d)
      ofDof[static_cast<std::size_t>(link.firstDof + d)] = partOf(body.links[l]);
  }
  for (const anatomy::CompiledMuscle& m : body.muscles) ofMuscle.push_back(partOf(m));
}

bool PerPart::anyPositive() const {
  for (const double v : values)
    if (v > 0) return true;
  return false;
}

PerPart parsePerPart(const std::string& text, const std::string& subject) {
  PerPart out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    readEntry(text.substr(from, comma - from), subject, out);
    from = comma + 1;
  }
  return out;
}

}  // namespace pneuma::control
