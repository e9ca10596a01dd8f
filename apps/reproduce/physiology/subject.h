#pragma once

#include <memory>

#include "pneuma/breath/breath_simulation.h"

/// Who is measured.
namespace pneuma::reproduce::physiology {

inline constexpr double kMillilitre = 1e-6, kLitre = 1e-3, kMillimetre = 1e-3;

std::shared_ptr<const anatomy::Body> subjectBody();
/// The man of the table: 30 years, 1.75 m, 73 kg.
anatomy::Person subject();
breath::TorsoModel trunkOf(const anatomy::Person& person);
breath::BreathSettings settingsOf(const anatomy::Person& person, const char* style);
/// A style's breath in, its drive held until the chest stands still.
breath::Contractions inspirationOf(const char* style);

}  // namespace pneuma::reproduce::physiology
