#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skin/flesh_driver.h"
#include "pneuma/skin/skin_checks.h"
#include "pneuma/stage/figure_actor.h"
#include "pneuma/stage/skin_meter.h"

namespace pneuma::stage {

/// What flesh did over a run: numbers of each frame, and the worst of all.
class FleshRecord {
 public:
  /// The groups `flesh` and `girths`, for an actor's last scalars.
  static std::vector<body::FrameScalar> scalars();

  /// `body` has the bones of the flesh; `skin` is the one that is moved, at rest.
  FleshRecord(const flesh::embedded::BodyFlesh& flesh, const anatomy::Body& body,
              const TriangleMesh& skin, const anatomy::GeometryCache& cache);
  /// Measures one pose and writes its numbers into a frame whose last scalars are the groups'.
  void add(const skin::FleshPoseReport& report, std::span<const Vec3> skin,
           std::span<const Pose> bones, body::Frame& frame);

  nlohmann::ordered_json json() const;
  std::string text() const;
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  struct Worst {
    std::int64_t frames = 0, inverted = 0, steps = 0, iterations = 0;
    double volume = 0, muscle = 0;              ///< farthest from rest, as a part of it
    std::int32_t muscleIndex = -1;              ///< which one
    double leastJ = 1, gap = 0, widestGap = 0;  ///< [-], mean and largest of an anchor [m]
    double cpuSeconds = 0;                      ///< of all frames
    double depth = 1e9;                         ///< of the shallowest place of a bone [m]
    std::int32_t bone = -1;                     ///< whose it is
    double crease = 0;                          ///< of the skin's edges [rad]
    std::array<double, kTapes> leastGirth{}, mostGirth{}, leastFront{}, mostFront{};  ///< [m]
  };
  void addReading(const SkinReading& reading);

  SkinMeter meter_;
  skin::SkinCreases creases_;
  std::vector<std::string> muscleNames_;
  std::vector<std::int32_t> large_;   ///< muscles that count as large
  std::vector<double> muscleChange_;  ///< of each large one, the farthest from rest
  Worst worst_;
};

/// Elements, tissues, muscles and what they cost, for `pneuma flesh info`.
nlohmann::ordered_json fleshInfoJson(const flesh::embedded::BodyFlesh& flesh, bool muscles);
std::string fleshInfoText(const flesh::embedded::BodyFlesh& flesh, bool muscles);

}  // namespace pneuma::stage
