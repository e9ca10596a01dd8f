#include "pneuma/render/camera.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"

namespace pneuma::render {
namespace {

const Box kBody{{-0.5, 0, -0.15}, {0.5, 1.75, 0.25}};

class EveryView : public ::testing::TestWithParam<View> {};

TEST_P(EveryView, FramesAllCornersTightly) {
  for (const bool parallel : {false, true}) {
    const Camera camera = Camera::frame(kBody, GetParam(), {.margin = 0, .orthographic = parallel});
    double widest = 0;
    for (int i = 0; i < 8; ++i) {
      const Vec3 corner((i & 1 ? kBody.max : kBody.min).x(), (i & 2 ? kBody.max : kBody.min).y(),
                        (i & 4 ? kBody.max : kBody.min).z());
      const Vec3 p = camera.project(corner, 1600, 900);
      EXPECT_GT(p.z(), 0);
      widest = std::max({widest, std::abs(p.x() / 800 - 1), std::abs(p.y() / 450 - 1)});
    }
    EXPECT_NEAR(widest, 1, 1e-9);  // the outermost corner touches the border
  }
}

INSTANTIATE_TEST_SUITE_P(Camera, EveryView,
                         ::testing::Values(View::Front, View::Back, View::Left, View::Right,
                                           View::ThreeQuarter, View::ThreeQuarterBack, View::Top),
                         [](const auto& view) {
                           std::string text(name(view.param));
                           std::erase(text, '-');
                           return text;
                         });

TEST(Camera, FrontViewShowsTheBodysLeftAtTheRight) {
  const Camera camera = Camera::frame(kBody, View::Front);
  EXPECT_GT(camera.project({0.3, 1, 0}, 1280, 720).x(), 640);
  EXPECT_LT(camera.project({0, 1.5, 0}, 1280, 720).y(), 360);
}

TEST(Camera, CloseUpFillsTheHeightWithTheGivenSize) {
  const Camera camera = Camera::closeUp({0, 1, 0}, 0.4, View::Front);
  const Vec3 up = camera.right().cross(camera.forward());
  EXPECT_NEAR(camera.project(Vec3(0, 1, 0) + 0.2 * up, 1280, 720).y(), 0, 1e-9);
}

TEST(Camera, UnknownViewNamesTheNearest) {
  EXPECT_EQ(viewFromName("three-quarter"), View::ThreeQuarter);
  try {
    viewFromName("fornt");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("front"), std::string::npos);
  }
}

TEST(Camera, RefusesToFrameNothing) {
  EXPECT_THROW(Camera::frame(Box{}, View::Front), InputError);
}

}  // namespace
}  // namespace pneuma::render
