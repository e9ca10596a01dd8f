#include "pneuma/skeleton/jacobian.h"

#include <gtest/gtest.h>

#include "pneuma/skeleton/energy.h"
#include "pneuma/skeleton/mass_matrix.h"
#include "scenes/skeleton_trees.h"

namespace pneuma::skeleton {
namespace {

class JacobianTest : public ::testing::Test {
 protected:
  JacobianTest() { updateDynamics(model_, state_, w_); }

  Model model_ = scenes::makeRandomTree(24, 8);
  State state_ = scenes::randomState(model_, 3);
  Workspace w_{model_};
};

TEST_F(JacobianTest, OfAPointTimesVelocityIsThePointVelocity) {
  Matrix3X J;
  for (int l = 0; l < model_.linkCount(); ++l) {
    const Vec3 p = w_.kinematics.X_WL[l] * Vec3(0.1, 0.2, -0.3);
    computePointJacobian(model_, w_.kinematics, l, p, J);
    EXPECT_LT((J * state_.v - pointVelocity(w_.kinematics, l, p)).norm(), 1e-12);
  }
}

TEST_F(JacobianTest, OfALinkTimesVelocityIsItsVelocity) {
  Matrix6X J;
  for (int l = 0; l < model_.linkCount(); ++l) {
    computeLinkJacobian(model_, w_.kinematics, l, J);
    const Vec6 V = J * state_.v;
    EXPECT_LT((V.head<3>() - w_.kinematics.velocity[l].head<3>()).norm(), 1e-12);
    const Vec3 p = w_.kinematics.X_WL[l].position;
    EXPECT_LT((V.tail<3>() - pointVelocity(w_.kinematics, l, p)).norm(), 1e-12);
  }
}

TEST_F(JacobianTest, OfTheCentreOfMassGivesTheLinearMomentum) {
  Matrix3X J;
  computeCenterOfMassJacobian(model_, w_.kinematics, J);
  const Vec3 p = model_.totalMass() * (J * state_.v);
  EXPECT_LT((p - momentum(model_, w_).tail<3>()).norm(), 1e-11);
}

TEST_F(JacobianTest, KineticEnergyIsTheQuadraticFormOfTheMassMatrix) {
  const double expected = 0.5 * state_.v.dot(massMatrix(model_, state_) * state_.v);
  EXPECT_NEAR(kineticEnergy(model_, state_.v, w_), expected, 1e-12 * expected);
}

}  // namespace
}  // namespace pneuma::skeleton
