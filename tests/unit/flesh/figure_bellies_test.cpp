#include "pneuma/flesh/figure_bellies.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/random.h"
#include "pneuma/skeleton/retarget.h"
#include "tests/support/shared_data.h"

namespace pneuma::flesh {
namespace {

struct Figure {
  anatomy::Body body;
  anatomy::CompiledBody compiled;
  skeleton::Model model;
};

Figure makeFigure(double height = 0) {
  const anatomy::Body loaded = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  anatomy::Person person = loaded.person;
  if (height > 0) {
    person.mass *= std::pow(height / person.height, 2);
    person.height = height;
  }
  anatomy::Body body = anatomy::fitToPerson(loaded, person);
  anatomy::CompiledBody compiled = anatomy::compileBody(body, "figure").valueOrThrow();
  skeleton::Model model = skeleton::modelFromBody(compiled, {.freeRoot = true});
  return {std::move(body), std::move(compiled), std::move(model)};
}

void expectWhole(const FigureBellies& bellies, double time) {
  for (int i = 0; i < bellies.count(); ++i) {
    const double ratio = bellies.belly(i).volume() / bellies.belly(i).model().restVolume();
    ASSERT_TRUE(std::isfinite(ratio)) << bellies.name(i) << " at " << time;
    ASSERT_GT(ratio, 0.1) << bellies.name(i) << " at " << time;
    ASSERT_LT(ratio, 3.0) << bellies.name(i) << " at " << time;
  }
}

TEST(FigureBellies, EveryPartHasTheVolumeOfItsMuscle) {
  const Figure f = makeFigure();
  const FigureBellies bellies(f.body, f.compiled, f.model);
  ASSERT_EQ(bellies.count(), 105);
  int part = 0;
  for (const anatomy::CompiledMuscle& m : f.compiled.muscles) {
    if (m.belly.empty()) continue;
    if (m.profile.empty()) {
      EXPECT_NEAR(bellies.belly(part).model().restVolume(), m.volume, 1e-6 * m.volume) << m.name;
    }
    ++part;
  }
}

TEST(FigureBellies, SmallAndLargeMusclesTakeTheSameSteps) {
  const Figure f = makeFigure();
  FigureBellies bellies(f.body, f.compiled, f.model);
  double lightest = 1e9, heaviest = 0;
  for (int i = 0; i < bellies.count(); ++i) {
    const BellyModel& m = bellies.belly(i).model();
    EXPECT_GE(m.stableStep(), 0.025) << bellies.name(i);
    lightest = std::min(lightest, m.particleMass());
    heaviest = std::max(heaviest, m.particleMass());
  }
  EXPECT_GT(heaviest, 10 * lightest);
}

TEST(FigureBellies, ScaledPersonsHaveWholeBelliesWithoutEdits) {
  double last = 0;
  for (const double height : {1.20, 1.60, 1.95}) {
    const Figure f = makeFigure(height);
    FigureBellies bellies(f.body, f.compiled, f.model);
    skeleton::Kinematics kinematics(f.model);
    VecX q = f.model.neutral;
    for (const char* link : {"ulna_l", "ulna_r", "tibia_l", "tibia_r"}) {
      const auto& l = f.model.links[static_cast<std::size_t>(f.model.linkIndex(link))];
      q[l.firstPosition] = 1.5;
    }
    skeleton::computePoses(f.model, q, kinematics);
    bellies.settle(kinematics, 1);
    expectWhole(bellies, height);
    double total = 0;
    for (int i = 0; i < bellies.count(); ++i) total += bellies.belly(i).model().restVolume();
    EXPECT_GT(total, last) << height;
    last = total;
  }
}

TEST(FigureBellies, StayWholeInRandomPosesWithinTheRanges) {
  const Figure f = makeFigure();
  FigureBellies bellies(f.body, f.compiled, f.model);
  skeleton::Kinematics kinematics(f.model);
  Random random(5);
  VecX q = f.model.neutral;
  for (int pose = 0; pose < 12; ++pose) {
    VecX goal = f.model.neutral;
    for (const skeleton::CompiledMotion& m : f.model.motions) {
      const skeleton::DofResistance& r = f.model.dofResistance[static_cast<std::size_t>(m.dof)];
      if (m.code != skeleton::MotionCode::Ball && std::isfinite(r.lowerLimit))
        goal[m.position] = random.uniform(r.lowerLimit, r.upperLimit);
    }
    const VecX start = q;
    for (int i = 1; i <= 10; ++i) {
      q = start + (goal - start) * (i / 10.0);
      skeleton::computePoses(f.model, q, kinematics);
      bellies.follow(kinematics, 0.05);
      for (int b = 0; b < bellies.count(); ++b)
        ASSERT_GT(bellies.belly(b).volume(), 0) << bellies.name(b) << " in pose " << pose;
    }
  }
}

TEST(FigureBellies, FollowARecordedRunWithoutTurningInsideOut) {
  const std::filesystem::path folder = test::sharedData("motion");
  if (folder.empty()) GTEST_SKIP() << "no motion clips at hand";
  const Figure f = makeFigure();
  const io::Bvh clip = io::readBvh(folder / "cmu_09_01_run.bvh").valueOrThrow();
  const skeleton::RetargetedMotion motion =
      skeleton::Retargeter(f.compiled, f.model, clip, {}, {.framesPerSecond = 20}).run();
  FigureBellies bellies(f.body, f.compiled, f.model);
  skeleton::Kinematics kinematics(f.model);
  skeleton::computePoses(f.model, motion.q.front(), kinematics);
  bellies.settle(kinematics, 1);
  for (std::size_t i = 0; i < motion.q.size(); ++i) {
    skeleton::computePoses(f.model, motion.q[i], kinematics);
    bellies.follow(kinematics, 0.05);
    expectWhole(bellies, motion.times[i]);
  }
}

}  // namespace
}  // namespace pneuma::flesh
