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
#include "pneuma/skin/layered_driver.h"

namespace pneuma::flesh::embedded {
class BoneCover;
class SelfContact;
}  // namespace pneuma::flesh::embedded

namespace pneuma::skin {

class FleshFairing;
namespace internal {
class BonePath;
}

/// What acts on flesh besides bones, walls and muscles.
struct FleshEffects {
  bool contact = true;  ///< skin does not go through skin, nor bones through it
  /// Weight. The shape at rest is that of the body standing, loaded: only what differs from it
  /// acts, with standing's weight turned along with the bones.
  bool gravity = false;
  /// Inertia, by backward Euler's method in steps of 1/60 s or less: breast, belly and buttocks lag
  /// and swing. Its own damping at 3 Hz is a sixth of critical.
  bool inertia = false;
};

/// How contact took part in a pose.
enum class FleshContact {
  Settled,         ///< sought until skins were apart, or no nearer to it
  OfEarlierRound,  ///< what was found last had no equilibrium: that of the round before
  LeftOut          ///< a part of the way had none with contact: the rest was gone without
};

/// What one pose took and gave.
struct FleshPoseReport {
  int parts = 0;                              ///< steps from the last pose to this one
  int steps = 0, iterations = 0, stages = 0;  ///< Newton, conjugate gradients, recovery; all parts
  int matrices = 0;                           ///< assembled
  int goneOn = 0;                             ///< searches that ran out of steps and went on
  double lastMove = 0;                        ///< of the last Newton step [m]
  std::size_t contacts = 0;                   ///< vertices pushed back
  double deepest = 0;                         ///< skin through skin that was left [m]
  FleshContact contact = FleshContact::Settled;
  std::size_t covered = 0;  ///< places of bones that push skin outwards
  std::size_t evened = 0;   ///< vertices of the skin that the fairing moved
  double cpuSeconds = 0;
  flesh::embedded::FleshMeasures measures;
  flesh::embedded::FleshVolumes volumes;
};

/// Embedded flesh as a driver of the one mesh [Lee09, Sec. 3.3]: bones, walls of the breathing cage
/// and activations move the flesh to equilibrium, the skin rides in it.
///
/// A pose starts from the last one. Each node is first carried along by the motion of the bones it
/// lies between, and by what that left to be solved in the last pose, in the measure in which the
/// motion goes on; a pose too far away (or one that does not converge) is reached in parts, joints
/// turning evenly in between. Traces of the inputs are the flesh's walls, found by name.
///
/// Only what a motion reaches is solved for, unless inertia acts (FleshSettings::regions).
///
/// Where the lattice does not resolve a bend, a guide has the fine shape of the skin
/// (flesh_fairing.h).
///
/// Flesh is solved in the frame of the first bone: a body that only turns and travels as a whole
/// keeps it exactly, and the solver its matrix.
class FleshDriver : public SkinDriver {
 public:
  using Settings = flesh::embedded::FleshSettings;

  /// `guide` poses the same skin without flesh. Null: the skin is what the lattice makes of it.
  FleshDriver(std::shared_ptr<const flesh::embedded::BodyFlesh> flesh, const TriangleMesh& skin,
              const Settings& settings = {}, const FleshEffects& effects = {},
              std::unique_ptr<LayeredDriver> guide = nullptr);
  ~FleshDriver() override;

  /// Throws SimulationError, naming the place and the cause, for a pose that cannot be solved; the
  /// state is then that before it.
  void pose(const SkinInputs& inputs, std::span<Vec3> positions) override;
  /// The same without the skin.
  void solve(const SkinInputs& inputs);

  const FleshPoseReport& report() const { return report_; }
  const flesh::embedded::BodyFlesh& flesh() const { return *flesh_; }
  const flesh::embedded::FleshSolver& solver() const { return solver_; }
  std::span<const Vec3> nodes() const { return nodes_; }  ///< all, of the last pose
  /// What evening moved each vertex of the skin by in the last pose() [m]; empty: nothing.
  std::span<const Vec3> evening() const { return evening_; }

  /// All that the next pose depends on.
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  /// What acts, in the frame of the first bone and in a form that can be half-way between two
  /// poses.
  struct Drive {
    std::vector<Pose> bones;
    std::vector<std::vector<Vec3>> walls;
    std::vector<double> activations;
  };
  Drive driveOf(const SkinInputs& inputs) const;
  Drive between(const Drive& a, const Drive& b, double fraction) const;
  void carryAlong(const Drive& from, const Drive& to, std::vector<Vec3>& y) const;
  bool reach(const Drive& goal, const Pose& frame, std::vector<Vec3>& y, double tolerance);
  /// What contact has found and left.
  struct Meeting {
    double depth = 0;                       ///< of skin in skin [m]
    double lack = 0;                        ///< of skin over bones [m]
    double held = 0;                        ///< apart, and yet pushed [m]
    std::size_t contacts = 0, covered = 0;  ///< FleshPoseReport
    double wrong() const;                   ///< all, as a multiple of what may be left
  };
  /// Forces that contact goes on with, of skin's vertices and of bones' places [N].
  struct Pushes {
    std::vector<double> skin, bones;
  };
  Pushes pushes() const;
  void setPushes(const Pushes& pushes);
  Meeting seek(const Drive& goal, std::span<const Vec3> y, bool covered,
               const flesh::embedded::ContactRound& round);
  bool reachApart(const Drive& goal, std::vector<Vec3>& y, double tolerance, bool covered);
  bool settle(const Drive& goal, std::vector<Vec3>& y, double tolerance);
  void fillLoads(const Drive& goal, const Pose& frame);
  void fillInertia(const Pose& before, const Pose& after, std::span<const Vec3> y, double h);
  void fillTargets(const Drive& drive);
  void goOn(std::vector<Vec3>& y) const;
  void keepWay(std::span<const Vec3> guess, std::span<const Vec3> y);
  void placeNodes();
  [[noreturn]] void refuse(double time, const Pose& frame, const Drive& goal,
                           std::span<const Vec3> y) const;

  std::shared_ptr<const flesh::embedded::BodyFlesh> flesh_;
  flesh::embedded::FleshSolver solver_;
  flesh::embedded::NodeCarriers carriers_;
  flesh::embedded::Embedding embedding_;
  std::unique_ptr<FleshFairing> fairing_;
  std::unique_ptr<internal::BonePath> path_;
  Settings settings_;
  FleshEffects effects_;
  std::unique_ptr<flesh::embedded::SelfContact> contact_;
  std::unique_ptr<flesh::embedded::BoneCover> cover_;
  std::vector<flesh::embedded::ContactPlane> planes_;
  std::vector<double> mass_;     ///< of free nodes [kg]
  std::vector<Vec3> loads_;      ///< [N], in the frame
  std::vector<double> inertia_;  ///< m / h^2 [N/m]; empty: none in this step
  std::vector<Vec3> coasting_;   ///< where nodes would go by themselves, in the frame
  std::vector<Vec3> velocity_;   ///< of free nodes in the world [m/s]
  double time_ = 0;              ///< of the last pose [s]
  bool posed_ = false;
  Pose frame_;  ///< of the first bone
  Drive now_;
  std::vector<Vec3> y_;        ///< free nodes in that frame
  std::vector<Vec3> nodes_;    ///< all, in the world
  std::vector<Vec3> evening_;  ///< of the skin
  std::vector<Vec3> targets_;
  std::vector<Vec3> place_, travel_;  ///< of the anchors in the last pose, and the way there
  std::vector<Vec3> lag_;             ///< of free nodes: equilibrium less first guess, last pose
  bool wide_ = false;                 ///< contact of this pose looks farther
  FleshPoseReport report_;
};

}  // namespace pneuma::skin
