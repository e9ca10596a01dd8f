#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "pneuma/breath/cage_model.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skeleton/subsystem.h"

/// The motion of a cage as part of the step of the links it hangs on.
namespace pneuma::breath {

/// A rigid ball that can be dropped on the gut (Fig. 4).
struct BallState {
  bool present = false;
  double radius = 0.05;            ///< [m]
  double mass = 2;                 ///< [kg]
  double contactStiffness = 4000;  ///< per wall point inside it [N/m]
  Vec3 gravity = Vec3::Zero();     ///< of the ball alone [m/s^2]
  Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
};

/// Where the gains of a cage's ties were taken last: they serve until springs have turned by some
/// degrees. Part of the state, for a run that is taken up has to go on with the same.
struct TangentPoint {
  std::uint64_t stamp = 0;      ///< of the content; 0: not taken yet
  VecX q;                       ///< configuration of the links
  PointArray position;          ///< of particles
  std::vector<double> tension;  ///< of springs [N]
  double tone = 1;              ///< of wall and dome, see SpringSet::passiveAt

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);
};

/// What a checkpoint has to keep of a cage, besides the state of the links.
struct CageState {
  PointArray position, velocity;  ///< of particles, in the world
  TangentPoint tangent;
  double gas = 0;      ///< in the lungs, at the pressure of the atmosphere: by the spirometer [m^3]
  double relaxed = 0;  ///< gas at which the lungs' tissue would be relaxed, V_d of Lungs [m^3]
  BallState ball;

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);
};

/// Particles where the carriers' poses take their places at rest, moving along with them.
CageState makeCageState(const CageModel& model, const skeleton::Model& tree,
                        const skeleton::Kinematics& kinematics);

/// The control inputs of Eq. 2, one pair per channel; and what is done to the airway.
struct MuscleDrive {
  Airway airway;
  std::array<double, channel::kCount> alpha{};
  std::array<double, channel::kCount> ratio;  ///< r

  MuscleDrive() { ratio.fill(1.0); }
};

/// What a step found out on its way, at the time of the state it started from.
struct TorsoReading {
  double lungVolume = 0;        ///< [m^3]
  double gutVolume = 0;         ///< [m^3]
  double gutPressure = 0;       ///< [Pa]
  double lungPressure = 0;      ///< in the cavity, relative to rest [Pa]
  double alveolarPressure = 0;  ///< against the atmosphere [Pa]
  double flow = 0;              ///< into the mouth, of the last step [m^3/s]
};

/// A cage that takes part in a step. Particles move in the world; what they press and pull on are
/// points of links. The blocks of skeleton::Subsystem are
///
///   A_s    masses, and gains of springs, pins and drag along the directions in which they act
///          (CageTangent); taken anew when springs have turned by 5 degrees. Until then viscosity
///          acts along the lines they had, turned with a chest whose motion is given: force and
///          gain agree, and nothing weighs springs down across
///   G, U   the same ties where they end on links
///   c_k    gut, and lungs: alveolar pressure and recoil; gas is stiff, and so are narrow airways
///
/// The gut is heavy: it presses on dome, wall and pelvis with rho (g - a) . x, where a is the
/// acceleration of pelvis and chest at its middle when their motion is given. Then the particles,
/// which carry its mass, move along without a push of their own.
class CageSystem : public skeleton::Subsystem {
 public:
  CageSystem(const CageModel& model, const skeleton::Model& tree);
  ~CageSystem() override;

  /// What the next step moves, and its input. Both must outlive the step.
  void bind(CageState& state, const MuscleDrive& drive);
  /// Places all points and reads volumes and pressures without stepping.
  void place(const CageState& state, const skeleton::Kinematics& kinematics);

  const TorsoReading& reading() const;
  TorsoReading& reading();
  /// World positions of all points at the last placing or step's beginning.
  const PointArray& points() const;
  /// Of each spring at the last step's beginning: tension [N] and length [m].
  const std::vector<double>& tensions() const;
  const std::vector<double>& lengths() const;
  /// The drive that muscles had in the last step: what was bound, shifted by posture and person.
  const MuscleDrive& drive() const;
  /// Forces on all points at the last step's beginning, before they are collected on links [N].
  const PointArray& forces() const;
  double particleMomentum(int axis) const;  ///< [kg m/s]

  void evaluate(const skeleton::Model&, const skeleton::State&, const skeleton::Kinematics&,
                double h, VecX& force) override;
  void carry(const skeleton::Kinematics&, std::span<const Vec6> acceleration,
             std::span<const std::uint8_t> known, double h) override;
  bool linearise(const skeleton::State&, std::span<const std::uint8_t> prescribed,
                 double h) override;
  void addGains(MatX& gains) const override;
  void solve() override;
  void addReaction(VecX& residual) const override;
  int pressureCount() const override;
  double pressureGain(int) const override;
  const VecX& pressureGradient(int) const override;
  const VecX& condensedGradient(int) const override;
  double gradientOfMotion(int) const override;
  double gradientOfGradient(int, int) const override;
  void check(std::span<const double> factors, const VecX& dv, double time) override;
  void advance(std::span<const double> factors, double h) override;
  double elasticEnergy() const override;
  double kineticEnergy() const override;

  struct Data;

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::breath
