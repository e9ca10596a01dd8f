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

/// What the table and the diagrams are made of.
struct Measured {
  Figures figures;
  stage::ManoeuvreRun relaxation, forced;  ///< for their diagrams
};

/// Runs every experiment, one part after the other.
Measured measureAll(Progress& progress);
inline constexpr int kParts = 7;

// Parts: each adds its figures.
stage::ManoeuvreRun measureManoeuvre(const char* name, Figures& out);
void measureQuiet(Figures& out);
void measureFull(Figures& out);
void measurePostures(Figures& out);
void measurePersons(Figures& out);
void measureNumerics(Figures& out);

}  // namespace pneuma::reproduce::physiology
