#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skin/flesh_driver.h"
#include "pneuma/stage/figure_actor.h"

namespace pneuma::stage {

/// What flesh did over a run: numbers of each frame, and the worst of all.
class FleshRecord {
 public:
  /// The group `flesh`, for an actor's last scalars.
  static std::vector<body::FrameScalar> scalars();
  /// Writes the numbers of one pose into a frame whose last scalars are the group's.
  void add(const skin::FleshPoseReport& report, body::Frame& frame);

  nlohmann::ordered_json json() const;
  std::string text() const;
  void save(io::StateWriter& out) const { out.put(worst_); }
  void load(io::StateReader& in) { in.get(worst_); }

 private:
  struct Worst {
    std::int64_t frames = 0, inverted = 0, steps = 0, iterations = 0;
    double volume = 0, muscle = 0;  ///< farthest from rest, as a part of it
    double leastJ = 1, gap = 0;     ///< [-], mean [m]
    double cpuSeconds = 0;          ///< of all frames
  };
  Worst worst_;
};

/// Elements, tissues, muscles and what they cost, for `pneuma flesh info`.
nlohmann::ordered_json fleshInfoJson(const flesh::embedded::BodyFlesh& flesh, bool muscles);
std::string fleshInfoText(const flesh::embedded::BodyFlesh& flesh, bool muscles);

}  // namespace pneuma::stage
