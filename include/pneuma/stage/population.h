#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pneuma/anatomy/person.h"
#include "pneuma/breath/breath_simulation.h"
#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/shape/people_files.h"

/// Many people who breathe: who they are, what they do, and the work of simulating them.
namespace pneuma::stage {

/// Trials of a set by name: "paper" (as many as a model needs) or "short" (the paper's own five).
std::vector<std::string> trialSetNames();

struct PopulationRequest {
  int people = 60;
  std::uint64_t seed = 7;
  std::string trials = "paper";
  int frames = 16;       ///< of each trial
  double heldOut = 0.2;  ///< share of people kept for tests
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<PopulationRequest> r) {
  v.field({.name = "people", .meaning = "How many", .min = 1, .max = 100000}, r.people);
  v.field({.name = "seed", .meaning = "Of who they are"}, r.seed);
  v.field({.name = "trials", .meaning = "What each of them does", .choices = trialSetNames()},
          r.trials);
  v.field({.name = "frames",
           .meaning = "Skins kept of each trial, evenly over the volume that is breathed",
           .min = 2,
           .max = 1000},
          r.frames);
  v.field({.name = "held_out",
           .meaning = "Share of people kept for tests, the same of both sexes",
           .min = 0,
           .max = 0.9},
          r.heldOut);
}

/// How someone's breathing differs from the calibrated torso: factors, 1 for the torso itself. All
/// people are one subject scaled to size; without these they would breathe alike.
struct BreathMechanics {
  double elevatorGain = 1;   ///< drive of the muscles that lift the ribs
  double diaphragmGain = 1;  ///< drive of the diaphragm
  double gradient = 1;       ///< fall of the external intercostals' drive from rib 1 to 9
  double wallStiffness = 1;  ///< passive, of the abdominal wall
  double ribStiffness = 1;   ///< of rib joints and cartilages
};
void apply(const BreathMechanics& mechanics, breath::TorsoConfig& config);

/// One of the people.
struct Subject {
  std::string name;  ///< "p0001"
  anatomy::Person person;
  BreathMechanics mechanics;
  bool heldOut = false;
};

/// Latin hypercube over sex (half and half), height, body mass index, age, proportions and
/// mechanics: of N people each N-th part of every range holds exactly one. Heights are normal
/// (1.76 +- 0.07 m men, 1.63 +- 0.065 m women, within 2 deviations), body mass index 18 .. 38 with
/// even logarithm, age 18 .. 75, proportions 1 +- 0.05, mechanics 1 +- 0.2: chosen to cover adults,
/// not to count them. Those held out are the same whatever the trials, so that a test stays one.
std::vector<Subject> samplePeople(const PopulationRequest& request);

/// What a person is asked to do.
struct BreathTrial {
  std::string name, style;
  double chestShare = 0.5, effort = 1;
  breath::Posture posture = breath::Posture::Upright;
  shape::TrialUse use = shape::TrialUse::Learn;
};
const std::vector<BreathTrial>& trialSet(std::string_view name);

/// Simulates one person's trials into `folder`, one after the other; those already there are kept.
/// Files are complete or absent, so a unit that was killed goes on at the trial it was in, and the
/// bits are the same however often that happens.
void runPersonUnit(const PopulationRequest& request, const Subject& subject,
                   std::shared_ptr<const anatomy::Body> measured, io::RunFolder& folder);

/// A population in a folder: one unit of work per person.
class PopulationRun {
 public:
  PopulationRun(PopulationRequest request, std::shared_ptr<const anatomy::Body> measured,
                std::string command);

  const std::vector<Subject>& people() const { return people_; }
  /// Does what is not yet done of one unit. Throws SimulationError when the person's torso fails.
  void runUnit(std::size_t unit, const std::filesystem::path& folder) const;
  /// All units that are not done, on all cores, then the merge. A person whose torso fails stops
  /// nobody else; the error at the end names all who failed.
  void runAll(const std::filesystem::path& folder, Progress& progress) const;
  /// Writes template, tables and manifest from the units that are done; returns the manifest.
  nlohmann::ordered_json merge(const std::filesystem::path& folder) const;

 private:
  io::RunDescription description(std::string verb) const;
  void writeTemplate(const std::filesystem::path& folder, nlohmann::ordered_json& manifest) const;

  PopulationRequest request_;
  std::shared_ptr<const anatomy::Body> measured_;
  std::string command_;
  std::vector<Subject> people_;
};

}  // namespace pneuma::stage
