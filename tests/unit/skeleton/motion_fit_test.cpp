#include "pneuma/skeleton/motion_fit.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/core/error.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/kinematics.h"
#include "tests/support/shared_data.h"

namespace pneuma::skeleton {
namespace {

Model figure() {
  const anatomy::Body body = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  return modelFromBody(anatomy::compileBody(body, "figure").valueOrThrow(), {.freeRoot = true});
}

/// Feet, hands and head where the clip has them: mean below 25 mm over the clip.
TEST(MotionFit, PlaysTheClipsOnTheFigure) {
  const auto folder = test::sharedData("motion");
  if (folder.empty()) GTEST_SKIP() << "the clips are not there";
  const Model model = figure();
  for (const char* name : {"cmu_02_01_walk.bvh", "cmu_09_01_run.bvh", "cmu_13_01_sit_stand.bvh"}) {
    const io::Bvh clip = io::readBvh(folder / name).valueOrThrow();
    MotionFit fit(model, clip);
    EXPECT_EQ(fit.mapped().size(), 16u);
    VecX q = model.neutral;
    double sum = 0;
    int frames = 0;
    for (std::size_t f = 1; f < clip.frameCount; f += 20, ++frames) sum += fit.fit(f, q);
    EXPECT_LT(sum / frames, 0.025) << name;
  }
}

TEST(MotionFit, RefusesAClipWithoutHips) {
  const io::Bvh clip =
      io::parseBvh(
          "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
          "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: .01\n0 0 0\n",
          "a.bvh")
          .valueOrThrow();
  const Model model = figure();
  EXPECT_THROW(MotionFit(model, clip), InputError);
}

}  // namespace
}  // namespace pneuma::skeleton
