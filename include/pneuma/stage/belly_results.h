#pragma once

#include <nlohmann/json.hpp>

#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/table.h"
#include "pneuma/render/report.h"
#include "pneuma/stage/figure_actor.h"

namespace pneuma::stage {

/// Ranges of length and volume of the bellies during a motion, read from its frames: scalars
/// `muscle_lengths` [m] and `belly_volumes` [mL], one per belly.
class BellyResults {
 public:
  /// The scalars that record() fills.
  static void addScalars(const flesh::FigureBellies& bellies, FigureActor& actor);
  static void record(const flesh::FigureBellies& bellies, const body::FrameLayout& layout,
                     body::Frame& frame);

  BellyResults(const flesh::FigureBellies& bellies, const FrameTrack& track);

  /// One line: the smallest and the largest volume over rest, and whose they are.
  std::string text() const;
  /// Writes belly_summary.csv into the run and the ranges into report and `json`. `rate` is that of
  /// the updates [1/s].
  void add(double rate, const io::RunFolder& run, render::Report& report,
           nlohmann::ordered_json& json) const;

 private:
  struct Range {
    double low = 1e9, high = 0;
    void add(double x) { low = std::min(low, x), high = std::max(high, x); }
  };

  std::size_t smallest() const;
  std::size_t largest() const;
  /// How many stayed within a part of their rest volume.
  int within(double part) const;
  /// Each belly's ranges, the largest departure from its rest volume first.
  io::Table summary() const;

  std::vector<std::string> names_;
  std::vector<double> restVolume_;      // [m^3]
  std::vector<Range> length_, volume_;  // of each belly: line [m], over rest [-]
};

}  // namespace pneuma::stage
