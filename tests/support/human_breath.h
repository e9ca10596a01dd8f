#pragma once

#include "pneuma/breath/breath_simulation.h"
#include "tests/support/human.h"

/// Settings of the body and the styles that come with Pneuma.
namespace pneuma::test {

inline const breath::BreathStyle& humanStyle(std::string_view name) {
  static const std::vector<breath::BreathStyle> styles =
      breath::readBreathStyles(dataFile("breath/styles.toml"));
  return breath::findBreathStyle(styles, name);
}

inline breath::BreathSettings humanBreath(std::string_view style) {
  breath::BreathSettings s;
  s.body = humanBody();
  s.person = s.body->person;
  s.torso = breath::makeTorsoConfig("default");
  s.style = humanStyle(style);
  return s;
}

inline breath::TorsoModel humanTorso(const breath::TorsoConfig& config) {
  return breath::makeTorsoModel(breath::readTorsoAnatomy(humanAsBuilt()), config);
}

}  // namespace pneuma::test
