// 814 muscles against MuJoCo's spatial tendons through the same points.
#include <gtest/gtest.h>

#ifdef PNEUMA_JUDGE_MUJOCO
#include <mujoco/mujoco.h>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/muscle/muscle_forces.h"
#include "scenes/muscle_upper_body.h"
#include "tests/judges/mujoco_muscles.h"

namespace pneuma::muscle {
namespace {

void expectAgreement(const skeleton::Model& body, const MuscleModel& muscles) {
  judges::MujocoJudge judge(judges::makeMjcfWithMuscles(body, muscles, "", false));
  mjModel* model = judge.model();
  mjData* data = judge.data();
  ASSERT_EQ(model->ntendon, muscles.count());
  ASSERT_EQ(model->nv, body.dofCount());

  skeleton::Kinematics kinematics(body);
  PathKinematics paths(muscles.paths);
  MatX theirArms(model->ntendon, model->nv);
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    const skeleton::State state = scenes::randomState(body, seed);
    skeleton::computeKinematics(body, state.q, state.v, kinematics);
    computePaths(muscles.paths, kinematics, paths);
    computeLengthRates(muscles.paths, state.v, paths);

    judge.setState(judges::view(state.q), judges::view(state.v));
    mj_fwdPosition(model, data);
    mj_fwdVelocity(model, data);
    theirArms.setZero();
    for (int t = 0; t < model->ntendon; ++t) {
      if (!mj_isSparse(model)) {
        for (int j = 0; j < model->nv; ++j) theirArms(t, j) = data->ten_J[t * model->nv + j];
        continue;
      }
      for (int k = 0; k < data->ten_J_rownnz[t]; ++k) {
        const int at = data->ten_J_rowadr[t] + k;
        theirArms(t, data->ten_J_colind[at]) = data->ten_J[at];
      }
    }
    double arms = 0, lengths = 0, rates = 0;
    for (int t = 0; t < model->ntendon; ++t) {
      lengths = std::max(lengths, std::abs(paths.length[t] - data->ten_length[t]));
      rates = std::max(rates, std::abs(paths.lengthRate[t] - data->ten_velocity[t]));
      const VecX ours = momentArms(muscles.paths, paths, t, body.dofCount());
      arms = std::max(arms, (ours - theirArms.row(t).transpose()).cwiseAbs().maxCoeff());
    }
    EXPECT_LT(lengths, 1e-12) << "state " << seed;
    EXPECT_LT(arms, 1e-12) << "state " << seed;
    EXPECT_LT(rates, 1e-12) << "state " << seed;
    if (seed == 0) {
      testing::Test::RecordProperty("lengths", std::to_string(lengths));
      testing::Test::RecordProperty("arms", std::to_string(arms));
      EXPECT_GT(theirArms.cwiseAbs().maxCoeff(), 0.01);  // something was compared
    }
  }
}

TEST(MujocoTendons, LengthsMomentArmsAndRatesAgreeToTwelveDigits) {
  const skeleton::Model body = scenes::makeUpperBody();
  expectAgreement(body, compileMuscles(body, scenes::upperBodyMuscles(body)));
}

TEST(MujocoTendons, AgreeOnTheBodysOwn814Muscles) {
  const auto compiled =
      anatomy::compileBody(anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow(),
                           "upper-body")
          .valueOrThrow();
  const skeleton::Model body = skeleton::modelFromBody(compiled);
  const MuscleModel muscles = compileMuscles(body, musclesFromBody(compiled));
  ASSERT_EQ(muscles.count(), 814);
  expectAgreement(body, muscles);
}

}  // namespace
}  // namespace pneuma::muscle
#endif
