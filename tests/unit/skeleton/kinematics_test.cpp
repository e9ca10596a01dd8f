#include "pneuma/skeleton/kinematics.h"

#include <gtest/gtest.h>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/configuration.h"
#include "scenes/skeleton_trees.h"

namespace pneuma::skeleton {
namespace {

using scenes::makeRandomTree;
using scenes::randomState;

TEST(Kinematics, NeutralPosesAreTheRestPoses) {
  const Model model = makeRandomTree(20, 3);
  Kinematics k(model);
  computePoses(model, model.neutral, k);
  for (int l = 0; l < model.linkCount(); ++l) {
    EXPECT_TRUE(k.X_WL[l].rotation.isApprox(model.links[l].X_WL_rest.rotation, 1e-13));
    EXPECT_TRUE(k.X_WL[l].position.isApprox(model.links[l].X_WL_rest.position, 1e-13));
  }
}

TEST(Kinematics, PointVelocityIsTheRateOfThePointsPosition) {
  const Model model = makeRandomTree(20, 4);
  const State state = randomState(model, 9);
  Kinematics now(model), ahead(model), behind(model);
  computeKinematics(model, state.q, state.v, now);
  const double h = 1e-6;
  VecX qa = state.q, qb = state.q;
  integrateConfiguration(model, h * state.v, qa);
  integrateConfiguration(model, -h * state.v, qb);
  computePoses(model, qa, ahead);
  computePoses(model, qb, behind);
  const Vec3 local(0.1, -0.2, 0.05);
  for (int l = 0; l < model.linkCount(); ++l) {
    const Vec3 rate = (ahead.X_WL[l] * local - behind.X_WL[l] * local) / (2 * h);
    // Central differences: h^2 times the third derivative (about 1e3) plus rounding 1e-16 / h.
    EXPECT_LT((rate - pointVelocity(now, l, now.X_WL[l] * local)).norm(), 1e-7);
  }
}

TEST(Kinematics, AxesAreTheColumnsOfTheLinkJacobian) {
  const Model model = makeRandomTree(12, 5);
  const State state = randomState(model, 2);
  Kinematics k(model);
  computeKinematics(model, state.q, state.v, k);
  for (int l = 0; l < model.linkCount(); ++l) {
    Vec6 V = Vec6::Zero();
    for (const DofRange r : model.ancestorRanges(l))
      for (int j = r.begin; j < r.end; ++j) V += k.axis[j] * state.v[j];
    EXPECT_TRUE(V.isApprox(k.velocity[l], 1e-12) || V.norm() < 1e-12);
  }
}

TEST(Configuration, DifferenceUndoesIntegration) {
  const Model model = makeRandomTree(15, 6);
  const State a = randomState(model, 1);
  Random random(5);
  VecX step(model.dofCount());
  for (double& s : step) s = random.uniform(-1, 1);
  VecX q = a.q;
  integrateConfiguration(model, step, q);
  EXPECT_LT((configurationDifference(model, a.q, q) - step).cwiseAbs().maxCoeff(), 1e-13);
}

}  // namespace
}  // namespace pneuma::skeleton
