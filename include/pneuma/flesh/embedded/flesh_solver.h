#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pneuma/flesh/embedded/flesh_model.h"

/// Equilibrium of embedded flesh: the minimum of
///
///   E(y) = sum_e share_e V_e Psi(F_e) + 1/2 sum_a k_a |x_a - target_a|^2 - sum_n load_n . y_n
///          + 1/2 sum_c k_c min(0, n_c . x_c - d_c)^2 + 1/2 sum_n k_n |y_n - target_n|^2
///
/// over the free nodes y; nodes are x = S y [Lee09, Sec. 3.3.4; Teran et al. 2005]. The second row
/// is contact and inertia.
///
/// Newton's method with element Hessians that have no negative eigenvalue, so every step goes
/// downhill; conjugate gradients with a Galerkin multigrid V(1,1)-cycle on the lattice's own
/// hierarchy; halved steps until the energy falls. A matrix is kept while the steps it gives shrink
/// by half (chords); the search ends when a first look at the next step, a few
/// iterations, finds it below the tolerance. Elements that are folded, or a search that
/// fails, lead to stages of growing bulk modulus with the convex continuation of equation 9.
namespace pneuma::flesh::embedded {

enum class LinearMethod {
  Multigrid,    ///< float kernels, geometric multigrid
  BlockJacobi,  ///< scalar double, conjugate gradients with 3x3 blocks: a baseline
  Cholesky      ///< scalar double, sparse factors (CHOLMOD): a baseline and a judge
};
std::string_view name(LinearMethod method);

struct FleshSettings {
  LinearMethod method = LinearMethod::Multigrid;
  double tolerance = 1e-4;       ///< largest motion of a node in the last step [m], > 0
  double linearTolerance = 0.1;  ///< residual of conjugate gradients [-], in (0, 1)
  int maximumSteps = 100;        ///< Newton steps in all stages, >= 1
  int maximumIterations = 2000;  ///< conjugate gradients in one step, >= 1
  bool recovery = true;          ///< stages of growing bulk modulus when needed
  /// The matrix of a step serves the next ones, of the next frame too, as long as steps shrink
  /// fast.
  bool chords = true;
  /// Only what a motion reaches is solved for; flesh whose forces stay balanced is left alone.
  /// Multigrid only. Weight is small at every node and large in its sum, so with loads the sums of
  /// coarser levels are looked at, too; inertia moves all that is free, and all is solved for.
  bool regions = false;
};

/// A point of the flesh that is pushed back when it goes behind a plane:
/// 1/2 k min(0, normal . x - offset)^2.
struct ContactPlane {
  LatticePlace place;
  Vec3 normal = Vec3::UnitX();
  double offset = 0;     ///< [m]
  double stiffness = 0;  ///< k [N/m]

  /// The force on the point at a place [N].
  double pushes(const Vec3& x) const { return std::max(0.0, stiffness * (offset - normal.dot(x))); }
};

/// A round of search for contact between two equilibria.
struct ContactRound {
  double firmness = 1;  ///< of its planes, as a multiple of their usual stiffness
  /// The flesh is at equilibrium with the planes of the last round: the forces they push with are
  /// where those of this one begin (multipliers of an augmented Lagrangian).
  bool settled = false;
  /// Planes also for what is this near without touching: more where a search is to begin farther
  /// from its end [m].
  double watched = 4e-3;
};

/// What acts in one frame.
struct FleshInputs {
  std::span<const Vec3> targets;           ///< of the anchors [m]
  std::span<const double> activations;     ///< of the lines, 0 .. 1; empty: all zero
  std::span<const Vec3> loads;             ///< on free nodes [N]; empty: none
  Vec3 gravity = Vec3::Zero();             ///< [m/s^2]; acts on FleshModel::density
  std::span<const ContactPlane> contacts;  ///< empty: none
  /// Springs that hold each free node at a place: a step of inertia has m / h^2 and where the node
  /// would go by itself. Empty: none.
  std::span<const double> nodeStiffness;  ///< [N/m]
  std::span<const Vec3> nodeTargets;      ///< [m]
};

struct FleshReport {
  bool converged = false;
  int steps = 0;        ///< Newton
  int iterations = 0;   ///< conjugate gradients
  int stages = 0;       ///< of recovery; 0: none was needed
  double lastMove = 0;  ///< largest motion in the last step [m]
  int matrices = 0;     ///< assembled; fewer than steps with chords
  double energy = 0;    ///< before the last step [J]
  double residual = 0;  ///< largest unbalanced force on a free node, before the last step [N]
};

/// Quality of a solution.
struct FleshMeasures {
  double volume = 0, restVolume = 0;  ///< of the material [m^3]
  double volumeRms = 0;               ///< root mean square of J - 1, by volume
  double leastJ = 0;
  std::int32_t worstTet = -1;
  std::int32_t inverted = 0;         ///< tetrahedra with J <= 0
  double meanGap = 0, worstGap = 0;  ///< of the anchors [m]
};

class FleshSolver {
 public:
  /// Keeps the model. Throws InputError (check).
  FleshSolver(std::shared_ptr<const FleshModel> model, const FleshSettings& settings = {});
  ~FleshSolver();
  FleshSolver(FleshSolver&&) noexcept;

  const FleshModel& model() const;
  /// Free nodes at rest.
  std::vector<Vec3> rest() const;
  /// Moves `y` (free nodes; a good guess on entry) to equilibrium. Not converged: y is the best
  /// that was found. Same bits for any thread count and vector width.
  FleshReport solve(const FleshInputs& inputs, std::span<Vec3> y);
  /// The same, ended at another tolerance than that of the settings [m]: half-way to a pose.
  FleshReport solve(const FleshInputs& inputs, std::span<Vec3> y, double tolerance);

  /// Energy and its gradient [N] with respect to free nodes.
  double energy(const FleshInputs& inputs, std::span<const Vec3> y, std::span<Vec3> gradient);
  /// Places of all nodes.
  std::vector<Vec3> nodes(std::span<const Vec3> y) const;
  FleshMeasures measure(const FleshInputs& inputs, std::span<const Vec3> y) const;

  /// Where the matrix at hand was taken; empty: there is none. With chords, the next solution
  /// depends on it.
  struct Linearization {
    std::vector<Vec3> nodes;
    std::vector<double> activations, nodeStiffness;
    std::vector<ContactPlane> contacts;
    std::vector<std::uint8_t> groups;  ///< of neighbouring free nodes: in the matrix or not
  };
  Linearization linearization() const;
  /// Takes the matrix there (none when empty), as if the solver had come along that way.
  void setLinearization(const Linearization& at);

  struct Data;

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::flesh::embedded
