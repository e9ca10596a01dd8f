#include "stage/fit_pictures.h"

#include <gtest/gtest.h>

#include <set>

#include "stage/fit_film.h"

namespace pneuma::stage::internal {
namespace {

// Names of left and right lay on each other in the views from behind and from the sides.
TEST(FitPictures, NamesPointAwayFromTheBodyInEveryView) {
  fit::FittedFigure figure;
  figure.landmarks = {{"hand_l", Vec3(0.6, 1, 0.2)}, {"hand_r", Vec3(-0.6, 1, 0.2)}};
  const auto toRight = [&](render::View view) {
    std::set<std::string> names;
    for (const render::Label& l : markNames(figure, view))
      names.insert((l.offset.x() > 0 ? "right " : "left ") + l.text);
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(toRight(render::View::Front), (Names{"right hand_l", "left hand_r"}));
  EXPECT_EQ(toRight(render::View::Back), (Names{"left hand_l", "right hand_r"}));
  EXPECT_EQ(toRight(render::View::Left), (Names{"left hand_l"}));  // it looks to the left
  EXPECT_EQ(toRight(render::View::Right), (Names{"right hand_r"}));
}

// A mesh that is split along seams of its texture was filmed with every seam an edge.
TEST(FitPictures, SeamsOfATextureAreNoEdgesButSharpEdgesAndSheetsStay) {
  TriangleMesh mesh;
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const auto first = static_cast<std::int32_t>(mesh.vertexCount());
    for (const Vec3& p : {a, b, c}) mesh.positions.push_back(p);
    mesh.triangles.push_back({first, first + 1, first + 2});
  };
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(1, 1, 0), d(0, 1, 0), up(0, 0, 1);
  add(a, b, c);
  add(a, c, d);   // beside it, in one plane
  add(a, up, b);  // across an edge
  add(c, b, a);   // the rear side
  const std::vector<double> times = {0, 1};
  const BreathLoop loop{.loop = Loop(times, {.begin = 0, .end = 1}, 1)};
  const BreathingSurface surface(mesh, {}, loop);
  const std::vector<Triangle>& t = surface.rest().triangles;
  EXPECT_EQ(t[1], (Triangle{0, 2, 5}));
  EXPECT_EQ(t[2], (Triangle{6, 7, 8}));
  EXPECT_EQ(t[3], (Triangle{9, 10, 11}));
  EXPECT_EQ(surface.rest().vertexCount(), mesh.vertexCount());
}

}  // namespace
}  // namespace pneuma::stage::internal
