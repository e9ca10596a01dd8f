#include "pneuma/stage/view.h"

#include <gtest/gtest.h>

#include "pneuma/stage/palette.h"

namespace pneuma::stage {
namespace {

/// A bone inside a ball of skin.
struct Egg {
  body::FrameLayout layout;
  Cast cast;
  Egg() {
    layout.addLink({.name = "core"});
    const TriangleMesh ball = makeSphere(1, 3);
    layout.addPointSet({.name = "shell",
                        .count = ball.vertexCount(),
                        .tissue = body::Tissue::Skin,
                        .triangles = ball.triangles});
    cast.rigid.push_back({.name = "yolk", .link = 0, .mesh = makeSphere(0.5, 3)});
    cast.soft.push_back(softPart(layout, 0));
  }
  body::Frame frame(double size) const {
    body::Frame f = body::makeFrame(layout);
    f.points = makeSphere(size, 3).positions;
    return f;
  }
  View view(const Look& look) const {
    render::RenderOptions options;
    options.width = options.height = 48;
    options.samples = 1;
    options.ground = false;
    return View(cast, frame(1), look, fixedCamera(Vec3::Zero(), 3, render::View::Front, 1),
                options);
  }
};

/// How much of the picture differs from its corner.
int seen(const render::Image& image) {
  const render::Color corner = image.at(0, image.height / 2);
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    const render::Color c = image.at(image.width / 2, y);
    count += std::abs(c.g - corner.g) + std::abs(c.b - corner.b) > 0.06f;
  }
  return count;
}

TEST(View, ALookShowsTissuesAndHidesParts) {
  const Egg egg;
  EXPECT_GT(seen(egg.view({.skin = 1}).draw(egg.frame(1))),
            seen(egg.view({.bone = 1}).draw(egg.frame(1))));
  EXPECT_EQ(seen(egg.view({.skin = 1, .hidden = {"shell"}}).draw(egg.frame(1))), 0);
}

TEST(View, FollowsTheFrame) {
  const Egg egg;
  View view = egg.view({.skin = 1});
  const int small = seen(view.draw(egg.frame(0.7)));
  const int large = seen(view.draw(egg.frame(1.2)));
  EXPECT_GT(large, small + 8);
  EXPECT_EQ(seen(view.draw(egg.frame(0.7))), small) << "the way back";
}

TEST(View, ACameraThatSwaysComesBackAndKeepsItsDistance) {
  const render::Camera at = fixedCamera(Vec3(0, 1, 0), 2, render::View::Front, 1)({});
  const CameraOf sway =
      swayingCamera([at](const body::Frame&) { return at; }, degreesToRadians(20), 3, 4);
  const auto camera = [&](double time) {
    body::Frame f;
    f.time = time;
    return sway(f);
  };
  EXPECT_LT((camera(3).position - at.position).norm(), 1e-12);
  EXPECT_LT((camera(7).position - at.position).norm(), 1e-12);
  const Vec3 out = camera(5).position - at.target, before = at.position - at.target;
  EXPECT_NEAR(out.norm(), before.norm(), 1e-12);
  // About the vertical: by what is level of both.
  const Vec3 level(out.x(), 0, out.z()), levelBefore(before.x(), 0, before.z());
  EXPECT_NEAR(std::acos(level.dot(levelBefore) / levelBefore.squaredNorm()), degreesToRadians(20),
              1e-6);
}

TEST(View, PanelsOfAFilmLieSideBySide) {
  const Egg egg;
  std::vector<View> views;
  views.push_back(egg.view({.skin = 1}));
  views.push_back(egg.view({.bone = 1}));
  const std::vector<FilmPanel> panels = sideBySide(std::move(views));
  ASSERT_EQ(panels.size(), 2u);
  EXPECT_EQ(panels[0].x, 0);
  EXPECT_EQ(panels[1].x, 48);
  EXPECT_EQ(panels[1].y, 0);
}

TEST(Palette, OneColourPerTissueInPicturesAndFiles) {
  for (const body::Tissue t : {body::Tissue::Bone, body::Tissue::Muscle, body::Tissue::Skin}) {
    const Vec3 linear = gltfMaterial(t).color;
    const Vec4 picture = linearRgba(tissueMaterial(t).color);
    EXPECT_LT((linear - picture.head<3>()).norm(), 1e-12) << body::toString(t);
  }
}

TEST(Palette, ColourGrowsRedderWithActivation) {
  EXPECT_GT(activationColor(0).g, activationColor(0.5).g);
  EXPECT_GT(activationColor(0.5).g, activationColor(1).g);
  EXPECT_EQ(activationColor(-1), activationColor(0));
  EXPECT_EQ(activationColor(2), activationColor(1));
}

}  // namespace
}  // namespace pneuma::stage
