#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skeleton/subsystem.h"

/// Muscle bellies that take part in the step of a body: they have mass, fall, swing and are thrown
/// about by the bones, and the bones feel it.
namespace pneuma::flesh {

/// How the bellies of a living body are. Soft tissue of thigh and calf swings at 10-20 Hz and is
/// calm after two or three swings (Wakeling and Nigg 2001, recalled): 12 Hz about the line, damped
/// by a quarter of the critical damping.
struct BodyBellyConfig {
  double swing = 75;        ///< of a belly about its line [rad/s], > 0
  double damping = 0.25;    ///< of that swing, part of the critical, >= 0
  double endSwing = 250;    ///< of its ends on their tendons [rad/s], > 0
  double mostOfLink = 0.6;  ///< part of a link's mass that may be its bellies', 0 .. 1
};

/// The bellies of a body on an articulation, planned: who they are and what they weigh.
struct BellyPlan {
  BodyBellyConfig config;
  std::shared_ptr<const anatomy::Body> body;  ///< with the mass of each belly
  anatomy::CompiledBody lines;                ///< the articulation with the lines of the bellies

  bool empty() const { return body == nullptr; }
};

/// Plans all bellies of the body's muscles named `muscles`, whatever lines the articulation itself
/// uses, and takes their mass from the links of `tree`, which was made from the articulation: the
/// body weighs what it did. A belly is lighter than its volume says where a link has less to give.
BellyPlan planBellies(std::shared_ptr<const anatomy::Body> body, const std::string& articulation,
                      skeleton::Model& tree, const BodyBellyConfig& config = {},
                      const std::string& muscles = "nedel2000");

/// What a checkpoint keeps of the bellies: particles in the world, three blocks x, y, z per belly.
struct BelliesState {
  VecX position;  ///< [m]
  VecX velocity;  ///< [m/s]

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);
};

/// Bellies in the step of links (skeleton::Subsystem).
///
/// Particle i of mass m belongs to one or two links L with weights w_iL: those of the line's points
/// before and behind its ring. What holds it acts between it and these links, at its own place x_i,
/// so that forces and moments are pairs:
///
///   f_i = k (c_i - x_i) + d (u_i - v_i) + r_i       u_i = sum_L w_iL (velocity of L at x_i)
///
///   c_i  where the line would carry the particle [Nedel00, Sec. 4.2-4.3; belly.h]
///   r_i  what bears its weight in the pose of rest, turned with the links: there nothing hangs
///
/// Springs between particles, zones and ties are those of belly.h, and gravity acts on every
/// particle. With J_i the Jacobian of u_i and w_c what the links' known motion changes of it,
///
///   v_i' = v_i + w_c + J_i dv + y_i                       y: what the particle does besides
///   (m + g + h^2 S) y = h f(x + h v) - m (w_c + J dv)     g = h d + h^2 k
///
/// S is a bound of the springs' stiffness that is the same along all directions (k I >= any
/// spring's tangent), so that one matrix per belly, of as many rows as it has particles, serves for
/// all steps of one size. It multiplies y alone, which is 0 in rigid motion: the bound slows no
/// swing of the whole. Links get -h f + g y: what bellies gain they lose, to rounding. Departure:
/// [Nedel00] moves bellies without mass of their own in frames that are carried along, so a leap
/// leaves them as they are; here they are particles of the world.
class BellySystem final : public skeleton::Subsystem {
 public:
  /// `tree` is that of the plan.
  BellySystem(const BellyPlan& plan, const skeleton::Model& tree);
  ~BellySystem() override;

  /// Shapes as of the last place() or step; for drawing.
  const FigureBellies& bellies() const;
  /// On their lines, moving with them.
  BelliesState makeState(const skeleton::Kinematics& kinematics);
  /// The state that the next step changes; must stay where it is.
  void bind(BelliesState& state);
  /// Brings lines and shapes to a state, for output.
  void place(const BelliesState& state, const skeleton::Kinematics& kinematics);

  double mass() const;                             ///< of all [kg]
  Vec3 momentum(const BelliesState& state) const;  ///< [kg m/s]
  /// About a point [kg m^2/s].
  Vec3 angularMomentum(const BelliesState& state, const Vec3& about) const;
  /// Places of all particles after place(), belly by belly [m].
  void readPlaces(std::vector<Vec3>& places) const;
  /// From where its line would carry each particle to its place [m].
  void readSwings(std::vector<Vec3>& swings) const;
  /// The largest of these [m].
  double largestSwing() const;

  void carry(const skeleton::Kinematics& kinematics, std::span<const Vec6> acceleration,
             std::span<const std::uint8_t> known, double h) override;
  void evaluate(const skeleton::Model& model, const skeleton::State& state,
                const skeleton::Kinematics& kinematics, double h, VecX& force) override;
  bool linearise(const skeleton::State& state, std::span<const std::uint8_t> prescribed,
                 double h) override;
  void addGains(MatX& gains) const override;
  void solve() override;
  void addReaction(VecX& residual) const override;
  int pressureCount() const override { return 0; }
  double pressureGain(int) const override { return 0; }
  const VecX& pressureGradient(int) const override;
  const VecX& condensedGradient(int) const override;
  double gradientOfMotion(int) const override { return 0; }
  double gradientOfGradient(int, int) const override { return 0; }
  void check(std::span<const double> factors, const VecX& dv, double time) override;
  void advance(std::span<const double> factors, double h) override;
  double elasticEnergy() const override;
  double kineticEnergy() const override;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::flesh
