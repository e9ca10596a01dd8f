#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/flesh/embedded/carriers.h"
#include "pneuma/flesh/embedded/embedding.h"
#include "pneuma/flesh/embedded/flesh_solver.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skin/driver.h"

namespace pneuma::skin {

/// What one pose took and gave.
struct FleshPoseReport {
  int parts = 0;                              ///< steps from the last pose to this one
  int steps = 0, iterations = 0, stages = 0;  ///< Newton, conjugate gradients, recovery; all parts
  double lastMove = 0;                        ///< of the last Newton step [m]
  double cpuSeconds = 0;
  flesh::embedded::FleshMeasures measures;
  flesh::embedded::FleshVolumes volumes;
};

/// Embedded flesh as a driver of the one mesh [Lee09, Sec. 3.3]: bones, walls of the breathing cage
/// and activations move the flesh to equilibrium, the skin rides in it.
///
/// A pose starts from the last one. Each node is first carried along by the motion of the bones it
/// lies between; a pose too far away (or one that does not converge) is reached in parts, bones
/// turning evenly in between. Traces of the inputs are the flesh's walls, found by name.
class FleshDriver : public SkinDriver {
 public:
  using Settings = flesh::embedded::FleshSettings;

  FleshDriver(std::shared_ptr<const flesh::embedded::BodyFlesh> flesh, const TriangleMesh& skin,
              const Settings& settings = {});

  /// Throws SimulationError, naming the place and the cause, for a pose that cannot be solved; the
  /// state is then that before it.
  void pose(const SkinInputs& inputs, std::span<Vec3> positions) override;
  /// The same without the skin.
  void solve(const SkinInputs& inputs);

  const FleshPoseReport& report() const { return report_; }
  const flesh::embedded::BodyFlesh& flesh() const { return *flesh_; }
  const flesh::embedded::FleshSolver& solver() const { return solver_; }
  std::span<const Vec3> nodes() const { return nodes_; }  ///< all, of the last pose

  /// All that the next pose depends on.
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  /// What acts, in a form that can be half-way between two poses.
  struct Drive {
    std::vector<Pose> bones;
    std::vector<std::vector<Vec3>> walls;
    std::vector<double> activations;
  };
  Drive driveOf(const SkinInputs& inputs) const;
  Drive between(const Drive& a, const Drive& b, double fraction) const;
  double farthest(const Drive& a, const Drive& b) const;
  void carryAlong(const Drive& from, const Drive& to, std::vector<Vec3>& y) const;
  bool reach(const Drive& goal, std::vector<Vec3>& y, double tolerance);
  void fillTargets(const Drive& drive);
  [[noreturn]] void refuse(double time, const Drive& goal) const;

  std::shared_ptr<const flesh::embedded::BodyFlesh> flesh_;
  flesh::embedded::FleshSolver solver_;
  flesh::embedded::NodeCarriers carriers_;
  flesh::embedded::Embedding embedding_;
  std::vector<Vec3> centre_;  ///< of the anchors of each bone, at rest
  Settings settings_;
  Drive now_;
  std::vector<Vec3> y_, nodes_, targets_;
  FleshPoseReport report_;
};

}  // namespace pneuma::skin
