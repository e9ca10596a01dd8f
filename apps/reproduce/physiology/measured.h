#pragma once

#include <map>
#include <string>
#include <vector>

#include "pneuma/breath/manoeuvre.h"
#include "pneuma/core/progress.h"
#include "pneuma/stage/manoeuvre_run.h"

/// The model's own figures, by the ids of data/breath/physiology.toml.
namespace pneuma::reproduce::physiology {

using Figures = std::map<std::string, double>;

/// Greatest pressures on a shut airway at one volume.
struct PressurePoint {
  double vitalPercent = 0;  ///< gas in the lungs [% VC]
  double in = 0, out = 0;   ///< [Pa]
};
/// A depth of breath and its cost.
struct EffortPoint {
  double ventilation = 0;  ///< [L/min]
  double power = 0;        ///< [J/min]
};

/// What the table and the diagrams are made of.
struct Measured {
  Figures figures;
  stage::ManoeuvreRun relaxation, forced;  ///< for their diagrams
  breath::Campbell quiet, deep;
  std::vector<PressurePoint> pressures;
  std::vector<EffortPoint> efforts;
};

/// Runs every experiment, one part after the other.
Measured measureAll(Progress& progress);
inline constexpr int kParts = 8;

// Parts: each adds its figures.
stage::ManoeuvreRun measureManoeuvre(const char* name, Figures& out);
void measureQuiet(Figures& out);
void measureFull(Figures& out);
void measurePostures(Figures& out);
void measurePersons(Figures& out);
void measureNumerics(Figures& out);
/// What only the diagrams show.
void measureDiagrams(Measured& out);

}  // namespace pneuma::reproduce::physiology
