#pragma once

#include "pneuma/control/performance.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/render/report.h"

/// The parts of `pneuma reproduce lee2009`.
namespace pneuma::reproduce::lee2009 {

/// What the sections share.
struct Reproduction {
  io::RunFolder& folder;
  bool quick = false;
  Progress& progress;
  const anatomy::Body& measured;  ///< before it was fitted to its person
  const anatomy::Body& described;
  const anatomy::CompiledBody& compiled;  ///< upper body
  render::Report report;
  std::vector<render::ComparisonRow> rows;
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();

  void plot(const render::Plot& figure, const std::string& caption, const std::string& name);
  void compare(const std::string& quantity, const std::string& unit, const std::string& published,
               double ours, std::optional<bool> pass, const std::string& note);
};

/// A pose of the upper body, in degrees by the names of PoseMaker, held for some seconds.
control::Exercise holdPose(const Reproduction& r, const muscle::DrivenBody& body,
                           const std::vector<std::pair<std::string, double>>& degrees,
                           double seconds);
/// Degree of freedom by its name.
int dofOf(const muscle::DrivenBody& body, const std::string& name);

/// Figs. 7 to 11 and 13: skin, lattice and muscles of the flesh.
void reproduceFlesh(Reproduction& r);
/// Fig. 1: dumbbell curls, with pictures.
void reproduceCurls(Reproduction& r);
/// Fig. 14: coactivation 0, 0.5 and 1 in one pose.
void reproduceCoactivation(Reproduction& r);
/// Fig. 15: dumbbells that become heavier, with and without Eq. 17.
void reproduceLoadJump(Reproduction& r);
/// Fig. 16: ribs lifted by their muscles.
void reproduceRibBreath(Reproduction& r);
/// The pectoral dance of Sec. 5.
void reproducePectoralDance(Reproduction& r);
/// Fig. 17: activations with other cross sections and via points.
void reproduceSensitivity(Reproduction& r);
/// The outlook: principal components of the torso's activations.
void reproduceComponents(Reproduction& r);

}  // namespace pneuma::reproduce::lee2009
