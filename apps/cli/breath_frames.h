#pragma once

#include <deque>
#include <vector>

#include "pneuma/breath/breath_simulation.h"

namespace pneuma::cli {

/// The torso at one moment, as pictures and files need it.
struct BreathFrame {
  double time = 0;
  double lungVolume = 0;          ///< [m^3]
  breath::PointArray points;      ///< all points of the model
  std::vector<Pose> motions;      ///< of all 28 bodies, from their place at rest
  std::vector<Vec3> layerPoints;  ///< of the shoulder layer
  std::vector<double> tensions;   ///< of the trunk's springs, then of the shoulders' elements [N]
};
BreathFrame captureFrame(breath::BreathSimulation& simulation);

/// The frames of the last seconds of a run; a checkpoint holds them.
class FrameTrack {
 public:
  explicit FrameTrack(double seconds) : seconds_(seconds) {}

  void add(BreathFrame frame);
  const std::deque<BreathFrame>& frames() const { return frames_; }
  /// The last ones that span at most that long.
  std::vector<const BreathFrame*> last(double seconds) const;

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  double seconds_;
  std::deque<BreathFrame> frames_;
};

}  // namespace pneuma::cli
