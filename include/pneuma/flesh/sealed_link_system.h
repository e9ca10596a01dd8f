#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pneuma/flesh/pressure_body.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skeleton/subsystem.h"

/// Sealed bodies of flesh that take part in the step of a body: pectorals and shoulders
/// [Zordan05, Sec. 8] whose weight and inertia the bones feel.
namespace pneuma::flesh {

/// A sealed body planned on a tree of links.
struct SealedBodyPlan {
  std::string name;
  TriangleMesh mesh;  ///< at rest, in the body frame
  PressureBodyConfig config;
  std::vector<SurfaceSpring> springs;  ///< edges and what crosses the inside
  std::vector<int> carrier;            ///< link of the tree under each vertex
  std::vector<std::uint8_t> anchored;  ///< by vertex: tied to that link
};

/// Takes the mass of a planned body from the heaviest of the links that carry it, evenly, so that
/// the person weighs what he did. Throws InputError when that link is too light.
void takeSealedMass(const SealedBodyPlan& plan, skeleton::Model& tree);

/// What a checkpoint keeps: vertices of all bodies in the world, three numbers each.
struct SealedState {
  VecX position;  ///< [m]
  VecX velocity;  ///< [m/s]

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);
};

/// Sealed bodies in the step of links (skeleton::Subsystem).
///
/// Vertex i of mass m is pulled by springs along edges and supports, pushed by the pressure of its
/// body and, where it is anchored, tied to a point c_i of its link L,
///
///   f_i = ... + k (c_i - x_i) + d (u_i - v_i)         u_i  velocity of L at x_i
///
/// with the reaction on L at x_i, so that forces and moments of ties are pairs. One step changes
/// velocities by w,
///
///   (m + g_s S + g) w = h f + g (known change of u + J dv) - sum_k phi_k s_k
///
///   g, g_s  gains h d + h^2/2 k of a tie and of a spring     J dv  what links do besides
///   S       graph of the springs: the same bound (k I >= k n n^T) along all directions, so that
///           one matrix per body serves for all steps of one size
///   s_k     gradient of the volume of body k, rank one as the gut's: a body keeps its volume
///           within the step, and its bones feel what that takes
///
/// Rows of S sum to 0: springs and pressure exchange no momentum with anything else, to rounding;
/// angular momentum to the order of the step, for S acts along all directions.
class SealedLinkSystem final : public skeleton::Subsystem {
 public:
  SealedLinkSystem(const std::vector<SealedBodyPlan>& plans, const skeleton::Model& tree);
  ~SealedLinkSystem() override;

  /// Each vertex where its link carries it, moving with it.
  SealedState makeState(const skeleton::Kinematics& kinematics) const;
  /// The state that the next step changes; must stay where it is.
  void bind(SealedState& state);

  int count() const;
  double mass() const;                                        ///< of all [kg]
  Vec3 momentum(const SealedState& state) const;              ///< [kg m/s]
  double largestVolumeError(const SealedState& state) const;  ///< largest |V / V0 - 1|
  /// How far a vertex is at most from where its link would carry it [m].
  double largestSwing(const SealedState& state, const skeleton::Kinematics& kinematics) const;
  /// Vertices of one body, for drawing.
  void readVertices(const SealedState& state, std::size_t body, std::span<Vec3> out) const;

  void carry(const skeleton::Kinematics& kinematics, std::span<const Vec6> acceleration,
             std::span<const std::uint8_t> known, double h) override;
  void evaluate(const skeleton::Model& model, const skeleton::State& state,
                const skeleton::Kinematics& kinematics, double h, VecX& force) override;
  bool linearise(const skeleton::State& state, std::span<const std::uint8_t> prescribed,
                 double h) override;
  void addGains(MatX& gains) const override;
  void solve() override;
  void addReaction(VecX& residual) const override;
  int pressureCount() const override { return count(); }
  double pressureGain(int k) const override;
  const VecX& pressureGradient(int) const override;
  const VecX& condensedGradient(int k) const override;
  double gradientOfMotion(int k) const override;
  double gradientOfGradient(int k, int j) const override;
  void check(std::span<const double> factors, const VecX& dv, double time) override;
  void advance(std::span<const double> factors, double h) override;
  double elasticEnergy() const override;
  double kineticEnergy() const override;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::flesh
