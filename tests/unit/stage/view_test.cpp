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
