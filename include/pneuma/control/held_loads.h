#pragma once

#include <string>
#include <vector>

#include "pneuma/io/state_blob.h"
#include "pneuma/skeleton/jacobian.h"
#include "pneuma/skeleton/step.h"

namespace pneuma::control {

/// Something that pulls at a point of a link: a weight held there, a force, or both. Both may
/// change at any time.
struct HeldLoad {
  std::string name;           ///< "5kg@hand_r"
  int link = 0;               ///< of the model
  Vec3 local = Vec3::Zero();  ///< in the link's frame [m]
  double mass = 0;            ///< a point mass [kg], >= 0
  Vec3 force = Vec3::Zero();  ///< in the world [N]
};

/// Loads as the body feels them, and as its controller senses them [Lee09, Eq. 17]:
///
///   d f~/dt = sigma (f_e - f~)       f~ <- f_e + (f~ - f_e) exp(-sigma h), exact for a step
///
///   f_e  force or mass of the load   f~  what the controller reckons with    sigma  rate [1/s]
///
/// A mass m at a point with Jacobian J adds m J^T J to the matrix of the implicit step, m J^T J v
/// to its right-hand side and the force J^T m (g - Jdot v). As a source it stands for f~, so that
/// the plan is made with it; `addUnsensed` turns the assembled system into that of f_e.
/// Reading: Eq. 17 filters forces. The force of a weight follows from its mass, so its mass is
/// filtered; at rest that is the same.
/// Departure: the derivatives of the weight's force by the joints' angles (m g times a lever, below
/// 1 % of the matrix at 7 ms) are left out.
class HeldLoads : public skeleton::LoadSource {
 public:
  explicit HeldLoads(const skeleton::Model& model)
      : model_(model), jacobian_(3, model.dofCount()) {}

  /// Adds a load that the controller knows from the start. Throws InputError for a mass that is
  /// negative or not finite.
  int add(const HeldLoad& load);
  const std::vector<HeldLoad>& loads() const { return loads_; }
  void setMass(int load, double mass);
  /// Where it is held, in its link's frame [m].
  void setPlace(int load, const Vec3& local) {
    loads_[static_cast<std::size_t>(load)].local = local;
  }
  void setForce(int load, const Vec3& force) {
    loads_[static_cast<std::size_t>(load)].force = force;
  }
  double sensedMass(int load) const { return sensed_[static_cast<std::size_t>(load)].mass; }
  const Vec3& sensedForce(int load) const { return sensed_[static_cast<std::size_t>(load)].force; }

  /// Eq. 17 over a step h with the rate sigma; an infinite rate senses at once.
  void sense(double sigma, double h);

  /// Makes the system that was assembled with f~ that of f_e.
  void addUnsensed(const skeleton::State& state, skeleton::StepWorkspace& workspace, double h);

  void addLoads(const skeleton::Model& model, const skeleton::State& state,
                const skeleton::Kinematics& kinematics, skeleton::Loads& loads) override;
  void addCoupling(skeleton::Coupling&) const override {}

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  struct Amount {
    double mass = 0;
    Vec3 force = Vec3::Zero();
  };
  Vec3 prepare(const HeldLoad& load, const skeleton::Kinematics& k);

  const skeleton::Model& model_;
  std::vector<HeldLoad> loads_;
  std::vector<Amount> sensed_;
  skeleton::Matrix3X jacobian_;  // of one load
};

}  // namespace pneuma::control
