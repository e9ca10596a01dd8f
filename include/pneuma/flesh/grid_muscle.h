#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pneuma/flesh/grid_solid.h"
#include "pneuma/muscle/activation.h"
#include "pneuma/muscle/zajac_curves.h"

namespace pneuma::flesh {

/// Which discrete form of Eq. 2 and Eq. 4 gives the forces of the solid.
enum class GridForm {
  Energy,         ///< exact gradient of the discrete energy (GridSolid)
  PaperFluxes,    ///< backward difference of (alpha + gamma) times forward difference
  PaperTermwise,  ///< the same derivative expanded by the product rule, each term differenced
  PaperPrinted    ///< Eq. 2 and Eq. 4 letter by letter, slips included; for comparison only
};
const std::vector<std::string>& gridFormNames();
GridForm parseGridForm(const std::string& name);

/// Neural excitation as steps: `level` holds from `time` on.
struct ExcitationStep {
  double time = 0;   ///< [s]
  double level = 0;  ///< in [0, 1]
};

/// Activation as a function of time. Between two steps of the excitation the first-order dynamics
/// has a closed solution, so a(t) is exact and no integrator sees it.
class ActivationTrace {
 public:
  ActivationTrace() = default;
  /// Throws InputError for unordered times or levels outside [0, 1].
  ActivationTrace(std::vector<ExcitationStep> steps, const muscle::ActivationDynamics& dynamics,
                  double initial = 0);
  double at(double time) const;
  double excitationAt(double time) const;

 private:
  std::vector<ExcitationStep> steps_;
  std::vector<double> start_;  ///< activation at the beginning of each step
  muscle::ActivationDynamics dynamics_;
  double initial_ = 0;
};

/// Moves what is attached to a bone or a plane: the pose at time t relative to the pose at rest.
using AnchorMotion = std::function<Pose(double time)>;
AnchorMotion fixedAnchor();

/// A muscle fibre between two successive nodes of axis 1 [Zajac89].
struct GridFibre {
  int a, b;
  double force;    ///< share of the maximum isometric force [N]
  double optimal;  ///< optimal length of this piece of fibre [m]
  double width;    ///< optimal length times sin of the pennation at optimal length, constant [m]
};

/// A tendon from a node to a point that moves with an anchor.
struct GridTendon {
  int node;
  int anchor;
  Vec3 point;    ///< attachment in the pose at rest [m]
  double force;  ///< share of the maximum isometric force [N]
  double slack;  ///< slack length [m]
};

/// A node that moves with an anchor.
struct GridFixedNode {
  int node;
  int anchor;
};

/// A constant force on a node.
struct GridLoad {
  int node;
  Vec3 force;  ///< [N]
};

/// A solid with fibres, tendons, supports and loads: all that acts in Eq. 5. Constant while
/// simulating; positions and velocities are the state.
struct GridModel {
  GridSolid solid;
  GridForm form = GridForm::Energy;
  std::vector<GridFibre> fibres;
  std::vector<GridTendon> tendons;
  std::vector<GridFixedNode> fixed;
  std::vector<GridLoad> loads;
  std::vector<AnchorMotion> anchors;
  Vec3 gravity = Vec3(0, -kGravity, 0);
  muscle::ZajacCurves curves;
  double maxVelocity = 10;  ///< shortening speed at zero load [optimal lengths / s]
  ActivationTrace activation;
};

/// Muscle properties that Zajac's dimensionless model is scaled with.
struct GridMuscleConfig {
  double maxForce = 400;      ///< F0, maximum isometric force [N], > 0
  double optimalLength = 0;   ///< fibre length at which F0 is reached [m]; 0: the rest length
  double pennation = 0;       ///< alpha at optimal length [rad], in [0, pi/3]
  double tendonSlack = 0.03;  ///< slack length of each tendon [m], > 0
  double maxVelocity = 10;    ///< [optimal lengths / s], > 0
  muscle::ZajacCurvesConfig curves;
  muscle::ActivationDynamics dynamics;
};

/// Adds fibres along axis 1. Each of the N x O lines takes a share of F0 in proportion to the part
/// of the rest cross-section around it; optimal lengths follow the rest lengths of the pieces.
void addFibres(GridModel& model, const GridMuscleConfig& config);

/// Ends of axis 1.
enum class GridEnd { First, Last };

/// Adds a tendon from every node of an end plane to its own point, `slack` further out along the
/// mean fibre direction: at rest the tendons are just slack. `anchor` indexes model.anchors.
void addTendonsToPlane(GridModel& model, GridEnd end, int anchor, const GridMuscleConfig& config);
/// Adds tendons from every node of an end plane to points around one point of a bone, spread like
/// the nodes but drawn together by `spread` in [0, 1]. Each is as long as it is at rest divided by
/// 1 + `preStrain`.
void addTendonsToPoint(GridModel& model, GridEnd end, int anchor, const Vec3& point, double spread,
                       double preStrain, const GridMuscleConfig& config);
/// Lets an end plane move with an anchor as a whole.
void fixEnd(GridModel& model, GridEnd end, int anchor);
/// Nodes of an end plane and the share of the cross-section each stands for (sum 1).
std::vector<std::pair<int, double>> endNodes(const GridSolid& solid, GridEnd end);

/// All forces at (q, v, t) [N]; supports are not considered. `f` is overwritten.
void computeForces(const GridModel& model, double t, const VecX& q, const VecX& v, VecX& f);

/// Sum of the tendon forces (or, for a fixed end, of the forces the end carries) on an end: the
/// force with which the muscle pulls what it is attached to [N].
Vec3 endForce(const GridModel& model, GridEnd end, double t, const VecX& q, const VecX& v);
/// Mean fibre length over the lines, in units of the optimal length.
double normalisedFibreLength(const GridModel& model, const VecX& q);

/// Energies of a state [J].
struct GridModelEnergy {
  GridEnergy solid;
  double kinetic = 0;
  double gravity = 0;
  double passiveFibre = 0;
  double tendon = 0;
  double total() const { return solid.total() + kinetic + gravity + passiveFibre + tendon; }
};
GridModelEnergy computeModelEnergy(const GridModel& model, double t, const VecX& q, const VecX& v);

/// Force of one piece of fibre along its chord and its derivatives to chord length and rate.
struct FibreForce {
  double force;    ///< [N], pulling the two nodes together
  double dLength;  ///< [N/m]
  double dRate;    ///< [N s/m]
};
FibreForce fibreForce(const GridModel& model, const GridFibre& fibre, double activation,
                      double length, double rate);

}  // namespace pneuma::flesh
