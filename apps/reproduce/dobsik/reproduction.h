#pragma once

#include <functional>
#include <map>

#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/render/report.h"

/// The parts of `pneuma reproduce dobsik`.
namespace pneuma::reproduce::dobsik {

/// Numbers that took long to compute, kept in the checkpoint of the run: a run that was stopped
/// goes on behind the last of them.
class Memo {
 public:
  explicit Memo(io::RunFolder& folder);
  /// The numbers stored under `key`, or those that `compute` gives, which are stored.
  const std::vector<double>& get(const std::string& key,
                                 const std::function<std::vector<double>()>& compute);

 private:
  io::RunFolder& folder_;
  std::map<std::string, std::vector<double>> values_;
};

/// What the sections share.
struct Reproduction {
  io::RunFolder& folder;
  bool quick = false;  ///< fewer and coarser grids, no film
  Progress& progress;
  Memo memo;
  render::Report report;
  std::vector<render::ComparisonRow> rows;
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();

  void plot(const render::Plot& figure, const std::string& caption, const std::string& name);
  void compare(const char* quantity, const char* unit, const char* published, double ours,
               std::optional<bool> pass, const std::string& note);
};

/// Fig. 1: the curves, and the simulated block laid over them.
void reproduceFig1(Reproduction& r);
/// Fig. 3: the hanging brick, its pictures and its deviations of volume by resolution.
void reproduceFig3(Reproduction& r);
/// Fig. 4: the active muscle.
void reproduceFig4(Reproduction& r);
/// Energy over time without dissipation: what each kind of step does to it.
void reproduceEnergy(Reproduction& r);
/// The study the paper announces: integrators on the passive brick and the active muscle.
void reproduceIntegrators(Reproduction& r);

}  // namespace pneuma::reproduce::dobsik
