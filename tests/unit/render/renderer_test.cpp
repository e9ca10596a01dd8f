#include "pneuma/render/renderer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/cpu_time.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "render/geometry.h"

namespace pneuma::render {
namespace {

const Color kWhite = Color::hex(0xffffff), kBlack = Color::hex(0x000000),
            kRed = Color::hex(0xff0000), kGreen = Color::hex(0x00ff00),
            kBlue = Color::hex(0x0000ff);

/// Plain colour without light: what a pixel must be is known exactly.
Material flat(Color color, double opacity = 1) {
  Material m{.color = color, .opacity = opacity};
  m.lit = false;
  m.capColor = color;
  return m;
}

/// Looks along -Z at a square of the given height.
Camera front(double height, const Vec3& center = Vec3::Zero()) {
  Camera c;
  c.target = center;
  c.position = center + Vec3(0, 0, 10);
  c.orthographicHeight = height;
  return c;
}

RenderOptions plain(int size, int samples = 16) {
  RenderOptions o;
  o.width = o.height = size;
  o.samples = samples;
  o.ground = o.vignette = false;
  o.background = kWhite;
  return o;
}

TriangleMesh square(double half, double z) {
  return {{{-half, -half, z}, {half, -half, z}, {half, half, z}, {-half, half, z}},
          {{0, 1, 2}, {0, 2, 3}}};
}

void expectColor(const Color& a, const Color& b, double tolerance) {
  EXPECT_NEAR(a.r, b.r, tolerance);
  EXPECT_NEAR(a.g, b.g, tolerance);
  EXPECT_NEAR(a.b, b.b, tolerance);
}

/// Mean difference of two pictures [8-bit steps].
double difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
  return sum / static_cast<double>(a.rgb.size());
}

double brightness(const Color& c) {
  return static_cast<double>(c.r + c.g + c.b) / 3;
}

TEST(Renderer, SilhouetteOfASphereHasItsArea) {
  Scene scene;
  scene.add(makeSphere(0.4, 5), flat(kBlack));
  const Image image = render(scene, front(1), plain(200));
  double covered = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) {
      const double s = static_cast<double>(image.at(x, y).r);  // sRGB of the white part
      covered += 1 - (s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
    }
  // Antialiased edges make the sum exact to far less than a pixel row; the chord of the facets and
  // 8-bit rounding stay below 0.2 %.
  EXPECT_NEAR(covered / (200 * 200), kPi * 0.16, 0.002 * kPi * 0.16);
}

TEST(Renderer, AFaceTurnedToTheLampIsBrighterThanOneTurnedAway) {
  Scene scene;
  scene.add(makeSphere(0.4, 4), materials::plain());
  const Image image = render(scene, front(1), plain(100, 64));
  // The key lamp stands up and to the left of the camera.
  EXPECT_GT(brightness(image.at(35, 35)), brightness(image.at(62, 68)) + 0.1);
}

/// A deep, narrow slit between plates of skin: groins and clefts were red gashes.
TEST(Renderer, AFoldOfSkinIsDarkerButNoRedGash) {
  constexpr double w = 0.012, d = 0.15, h = 0.3, far = 0.3;
  const auto wall = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& e) {
    return TriangleMesh{{a, b, c, e}, {{0, 1, 2}, {0, 2, 3}}};
  };
  Scene scene;
  const Material skin = materials::skin();
  scene.add(wall({-w, -h, -d}, {w, -h, -d}, {w, h, -d}, {-w, h, -d}), skin);
  scene.add(wall({-w, -h, 0}, {-w, -h, -d}, {-w, h, -d}, {-w, h, 0}), skin);
  scene.add(wall({w, -h, -d}, {w, -h, 0}, {w, h, 0}, {w, h, -d}), skin);
  scene.add(wall({-far, -h, 0}, {-w, -h, 0}, {-w, h, 0}, {-far, h, 0}), skin);
  scene.add(wall({w, -h, 0}, {far, -h, 0}, {far, h, 0}, {w, h, 0}), skin);
  const Image image = render(scene, front(0.2), plain(40, 256));
  const auto redness = [](const Color& c) { return static_cast<double>(c.r / (c.r + c.g + c.b)); };
  const Color fold = image.at(20, 20), plate = image.at(6, 20);
  EXPECT_LT(brightness(fold), 0.75 * brightness(plate));
  EXPECT_LT(redness(fold), redness(plate) + 0.055);
}

TEST(Renderer, TheLampFollowsTheCamera) {
  Scene scene;
  scene.add(makeSphere(0.4, 4), materials::plain());
  Camera back = front(1);
  back.position.z() = -10;
  const Image a = render(scene, front(1), plain(64, 64)), b = render(scene, back, plain(64, 64));
  expectColor(a.at(24, 24), b.at(24, 24), 0.03);
}

TEST(Renderer, AnObjectAboveThrowsAShadow) {
  Scene open, shaded;
  open.add(makeBox({2, 0.1, 2}), materials::plain());
  shaded = open;
  shaded.add(makeSphere(0.2, 3, {0, 0.4, 0}), materials::plain());
  Camera camera;
  camera.position = {0, 4, 4};
  camera.target = Vec3::Zero();
  const RenderOptions o = plain(96, 64);
  // The lamp stands to the left, so the shadow falls to the right of the sphere.
  const Vec3 p = camera.project({0.32, 0.05, -0.3}, 96, 96);
  const int x = static_cast<int>(p.x()), y = static_cast<int>(p.y());
  EXPECT_LT(brightness(render(shaded, camera, o).at(x, y)),
            brightness(render(open, camera, o).at(x, y)) - 0.1);
}

TEST(Renderer, GroundIsDarkUnderABodyAndFadesToTheBackground) {
  Scene scene;
  scene.add(makeSphere(0.5, 3, {0, 0.5, 0}), materials::plain());
  Camera camera;
  camera.position = {0, 2, 6};
  camera.target = {0, 0.3, 0};
  camera.verticalFieldOfView = 0.8;
  RenderOptions o = plain(128);
  o.ground = true;
  const Image image = render(scene, camera, o);
  const Vec3 near = camera.project({0.15, 0, 0.3}, 128, 128);
  EXPECT_LT(brightness(image.at(static_cast<int>(near.x()), static_cast<int>(near.y()))), 0.9);
  EXPECT_EQ(image.at(1, 126).toHex(), "#ffffff");
}

TEST(Renderer, TranslucentLayersBlendFrontToBackInWhateverOrderTheyAreAdded) {
  for (const bool swapped : {false, true}) {
    Scene scene;
    for (int i = 0; i < 2; ++i) {
      const bool nearOne = (i == 0) != swapped;
      scene.add(square(1, nearOne ? 0.5 : -0.5), flat(nearOne ? kRed : kGreen, 0.5));
    }
    const Image image = render(scene, front(1), plain(8));
    // In linear light: 0.5 red + 0.25 green + 0.25 white.
    const auto srgb = [](double l) {
      return static_cast<float>(1.055 * std::pow(l, 1 / 2.4) - 0.055);
    };
    expectColor(image.at(4, 4), {srgb(0.75), srgb(0.5), srgb(0.25)}, 0.005);
  }
}

TEST(Renderer, AShellIsDenserWhereSeenAtAnAngle) {
  Scene scene;
  scene.add(makeSphere(0.45, 5), flat(kBlack, 0.2));
  const Image image = render(scene, front(1), plain(100));
  EXPECT_LT(brightness(image.at(8, 50)), brightness(image.at(50, 50)) - 0.1);
}

TEST(Renderer, CutShowsTheInnermostSolidOnItsCapAndKeepsTheRest) {
  Scene scene;
  scene.add(makeSphere(0.4, 4), flat(kBlue));
  scene.add(makeSphere(0.2, 4), flat(kRed));
  RenderOptions o = plain(100);
  o.cut = CutPlane{Vec3::Zero(), Vec3::UnitZ()};
  const Image image = render(scene, front(1), o);
  expectColor(image.at(50, 50), kRed, 0.01);
  expectColor(image.at(50 + 30, 50), kBlue, 0.01);
  expectColor(image.at(3, 3), kWhite, 0.01);
}

TEST(Renderer, UncappedCutLooksIntoTheShell) {
  Scene scene;
  Material shell = flat(kBlue);
  shell.capped = false;
  scene.add(makeSphere(0.4, 4), shell);
  scene.add(makeSphere(0.1, 4, {0, 0, -0.15}), flat(kRed));
  RenderOptions o = plain(100);
  o.cut = CutPlane{Vec3::Zero(), Vec3::UnitZ()};
  expectColor(render(scene, front(1), o).at(50, 50), kRed, 0.01);
}

TEST(Renderer, PartsMayEscapeTheCut) {
  Scene scene;
  Material kept = flat(kRed);
  kept.cut = false;
  scene.add(makeSphere(0.4, 4), flat(kBlue));
  scene.add(makeSphere(0.1, 3, {0, 0, 0.6}), kept);
  RenderOptions o = plain(100);
  o.cut = CutPlane{Vec3::Zero(), Vec3::UnitZ()};
  const Image image = render(scene, front(1), o);
  expectColor(image.at(50, 50), kRed, 0.01);
  expectColor(image.at(50 + 30, 50), kBlue, 0.01);
}

TEST(Renderer, ScalarsBecomeTheColoursOfTheirScale) {
  TriangleMesh mesh = square(0.5, 0);
  Scene scene;
  scene.add(mesh, {-1, 1, 1, -1}, {ColorMap::Diverging, -1, 1, "x"}, flat(kWhite));
  RenderOptions o = plain(101);
  o.legend = false;
  const Image image = render(scene, front(1), o);
  expectColor(image.at(50, 20), sample(ColorMap::Diverging, 0.5), 0.02);
  expectColor(image.at(0, 80), sample(ColorMap::Diverging, 0.0), 0.02);
  expectColor(image.at(75, 50), sample(ColorMap::Diverging, 0.75), 0.02);
}

TEST(Renderer, LinesHaveTheirRadiusAndBlendTheirColours) {
  Scene scene;
  scene.addLine(Polyline{{{-0.4, 0, 0}, {0.4, 0, 0}}, {0.1}, {kRed, kRed}, flat(kWhite)});
  const Image image = render(scene, front(1), plain(100));
  expectColor(image.at(50, 50), kRed, 0.01);
  expectColor(image.at(50, 41), kRed, 0.01);
  expectColor(image.at(50, 38), kWhite, 0.01);
}

TEST(Renderer, GivesTheSameBitsForAnyNumberOfThreads) {
  Scene scene;
  for (int i = 0; i < 6; ++i)
    scene.add(makeSphere(0.2, 4, {0.15 * i - 0.4, 0.2, 0.1 * (i % 3)}),
              materials::translucent(materials::skin(), i % 2 ? 1.0 : 0.4));
  RenderOptions o;
  o.width = 160, o.height = 90, o.samples = 8;
  o.cut = CutPlane{{0.2, 0, 0}, {1, 0, 0}};
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    setThreadCount(threads);
    hashes.push_back(render(scene, View::ThreeQuarter, o).hash());
  }
  setThreadCount(0);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

double meanDifference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
  return sum / static_cast<double>(a.rgb.size());
}

TEST(Renderer, DenoisingComesNearerToTheConvergedPicture) {
  Scene scene;
  scene.add(makeSphere(0.45, 4), materials::skin());
  scene.add(makeBox({0.2, 0.2, 0.2}, {-0.25, 0.25, 0.4}), materials::bone());
  RenderOptions o = plain(96, 8);
  const Image clean = render(scene, front(1), o);
  o.denoise = false;
  const Image raw = render(scene, front(1), o);
  o.samples = 512;
  const Image converged = render(scene, front(1), o);
  EXPECT_LT(meanDifference(clean, converged), 0.6 * meanDifference(raw, converged));
}

TEST(Renderer, DenoisingLeavesColourEdgesSharp) {
  Scene scene;
  TriangleMesh left = square(0.5, 0), right = left;
  for (Vec3& p : left.positions) p.x() = p.x() / 2 - 0.25;
  for (Vec3& p : right.positions) p.x() = p.x() / 2 + 0.25;
  scene.add(left, materials::plain(Color::hex(0xc04040)));
  scene.add(right, materials::plain(Color::hex(0x40c040)));
  const Image image = render(scene, front(1), plain(64, 8));
  for (int y = 8; y < 56; ++y) {
    EXPECT_GT(image.at(31, y).r, image.at(31, y).g + 0.2f);
    EXPECT_GT(image.at(32, y).g, image.at(32, y).r + 0.2f);
  }
}

TEST(Renderer, MovedSurfacesGiveThePictureOfASceneBuiltThere) {
  const RenderOptions o = plain(64, 8);
  const TriangleMesh ball = makeSphere(0.2, 3), moved = makeSphere(0.2, 3, {0.2, 0.1, 0});
  Scene a, b;
  a.add(ball, materials::bone());
  a.addLine({{0, 0, 0}, {0.1, 0, 0}}, 0.02, materials::muscle());
  b.add(moved, materials::bone());
  b.addLine({{0, 0.3, 0}, {0.1, 0.3, 0}}, 0.02, materials::muscle());
  Renderer renderer(a);
  renderer.render(front(1), o);
  renderer.setPositions(0, moved.positions);
  renderer.setLine(0, std::vector<Vec3>{{0, 0.3, 0}, {0.1, 0.3, 0}});
  EXPECT_EQ(renderer.render(front(1), o).hash(), render(b, front(1), o).hash());
  Pose pose;
  renderer.setPositions(0, ball.positions);
  renderer.setPose(0, pose);
  pose.position = {0.2, 0.1, 0};
  renderer.setPose(0, pose);
  const Image posed = renderer.render(front(1), o);
  expectColor(posed.at(44, 25), render(b, front(1), o).at(44, 25), 0.02);
}

TEST(Renderer, ATextureStaysWhereItIsWhileTheSurfaceMoves) {
  Scene scene;
  scene.add(square(1, 0), flat(kWhite));
  Texture halves{.places = scene.surfaces[0].mesh.positions,
                 .color = [](const Vec3& p) { return p.x() > 0 ? kRed : kBlue; }};
  scene.surfaces[0].texture = std::make_shared<const Texture>(std::move(halves));
  Renderer renderer(std::move(scene));
  Image image = renderer.render(front(2), plain(32));
  expectColor(image.at(4, 16), kBlue, 0.01);
  expectColor(image.at(28, 16), kRed, 0.01);
  Pose turned;  // by half a turn
  turned.rotation = Eigen::AngleAxisd(kPi, Vec3::UnitZ()).toRotationMatrix();
  renderer.setPose(0, turned);
  image = renderer.render(front(2), plain(32));
  expectColor(image.at(4, 16), kRed, 0.01);
  expectColor(image.at(28, 16), kBlue, 0.01);
}

TEST(Renderer, AReliefIsLitByItsSlope) {
  // A ramp that rises to the right looks away from the lamp, which stands to the left.
  const auto lit = [](double slope) {
    Scene scene;
    scene.add(square(1, 0), {.color = Color::hex(0x808080)});
    scene.surfaces[0].texture = std::make_shared<const Texture>(
        Texture{.places = scene.surfaces[0].mesh.positions,
                .relief = [slope](const Vec3& p) { return slope * p.x(); }});
    return brightness(Renderer(std::move(scene)).render(front(2), plain(16, 64)).at(8, 8));
  };
  EXPECT_GT(lit(0.3), lit(0) + 0.01);
  EXPECT_LT(lit(-0.3), lit(0) - 0.01);
}

TEST(Renderer, TexturesOfAnotherMeshAreRefused) {
  Scene scene;
  scene.add(square(1, 0), {});
  scene.surfaces[0].texture = std::make_shared<const Texture>(Texture{.places = {Vec3::Zero()}});
  EXPECT_THROW(Renderer(std::move(scene)), InputError);
}

TEST(Renderer, LightThatSpreadsBelowTheSurfaceSoftensItsFinestForms) {
  // A field of steep grooves: in skin their flanks differ less than in clay.
  TriangleMesh field;
  constexpr int n = 40;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      field.positions.emplace_back(0.002 * i, 0.002 * j, 0.001 * std::sin(0.5 * kPi * i));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i;
      field.triangles.push_back({a, a + 1, a + n + 2});
      field.triangles.push_back({a, a + n + 2, a + n + 1});
    }
  const auto spread = [&](double depth) {
    Scene scene;
    Material m{.color = Color::hex(0xb08070), .specular = 0, .softness = 1};
    m.scatter = m.color, m.depth = depth;
    scene.add(field, m);
    const Image image =
        Renderer(std::move(scene)).render(front(0.02, {0.04, 0.04, 0}), plain(40, 64));
    double least = 1, most = 0;
    for (int x = 0; x < 40; ++x) {
      least = std::min(least, brightness(image.at(x, 20)));
      most = std::max(most, brightness(image.at(x, 20)));
    }
    return most - least;
  };
  EXPECT_LT(spread(0.006), 0.8 * spread(0));
}

TEST(Renderer, AnOutlineRunsAroundTheSilhouette) {
  Image image(100, 100, kBlack);
  drawOutline(image, makeSphere(1, 4), front(4), 1.5, kWhite);
  int inked = 0;
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 100; ++x) {
      if (brightness(image.at(x, y)) < 0.5) continue;
      ++inked;
      EXPECT_NEAR(std::hypot(x + 0.5 - 50, y + 0.5 - 50), 25, 2) << x << ' ' << y;
    }
  // All around, between one and three pixels wide: 1.5 and what antialiasing adds.
  EXPECT_GT(inked, 2 * kPi * 25);
  EXPECT_LT(inked, 3 * 2 * kPi * 25);
}

TEST(Renderer, BadScenesAreNamed) {
  const auto message = [](const Scene& scene) {
    try {
      Renderer r(scene);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  Scene scene;
  TriangleMesh mesh = square(1, 0);
  mesh.triangles.push_back({0, 1, 9});
  scene.add(mesh, flat(kRed), "rib_05_l");
  EXPECT_NE(message(scene).find("rib_05_l"), std::string::npos);
  EXPECT_NE(message(scene).find("vertex 9 of 4"), std::string::npos);
  scene.surfaces[0].mesh = square(1, 0);
  scene.surfaces[0].mesh.positions[2].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(scene).find("not finite"), std::string::npos);
  scene.surfaces[0].mesh = square(1, 0);
  scene.surfaces[0].scalars = {1, 2, 3, 4};
  EXPECT_NE(message(scene).find("scale"), std::string::npos);
  scene.surfaces[0].scale = ColorScale{};
  EXPECT_EQ(message(scene), "");
  scene.surfaces[0].scalars.pop_back();
  EXPECT_NE(message(scene).find("one per vertex"), std::string::npos);
}

TEST(Renderer, EmptySceneIsPlainBackground) {
  const Image image = render(Scene{}, front(1), plain(4));
  EXPECT_EQ(image.at(2, 2).toHex(), "#ffffff");
  RenderOptions bad;
  bad.width = 0;
  EXPECT_THROW(render(Scene{}, front(1), bad), InputError);
}

/// Positions of a surface that breathes a little.
std::vector<Vec3> swollen(const TriangleMesh& mesh, double by) {
  std::vector<Vec3> x = mesh.positions;
  for (Vec3& p : x) p *= 1 + by * (1 + p.x());
  return x;
}

/// With kept light the hierarchy is fitted to what moves: it must show the same as one built anew.
TEST(Renderer, AMovingSurfaceUnderKeptLightIsWhereAFreshOneIs) {
  Scene scene;
  const TriangleMesh sphere = makeSphere(0.3, 4);
  scene.add(sphere, flat(kBlack));
  Renderer moving(scene);
  moving.keepLight(front(1), plain(80));
  for (const double by : {0.05, 0.2, -0.1}) {
    moving.setPositions(0, swollen(sphere, by));
    Scene there;
    there.add({swollen(sphere, by), sphere.triangles}, flat(kBlack));
    // Kept light ends a pixel after two samples that are alike, so edges may differ by a part.
    EXPECT_LT(difference(moving.render(front(1), plain(80)), render(there, front(1), plain(80))),
              2.0)
        << by;
  }
}

/// Embree fits only in a scene of low quality; else it builds for every frame of a film what it
/// could fit in a tenth of the time.
TEST(Renderer, WhatHardlyMovesIsFittedInsteadOfBuilt) {
  const TriangleMesh sphere = makeSphere(0.3, 7);
  Scene scene;
  scene.add(sphere, flat(kBlack));
  const auto seconds = [&](bool hardlyMoves) {
    internal::Geometry geometry(scene);
    geometry.commit({});
    if (hardlyMoves) geometry.keepHierarchy();
    double least = 1e9;
    for (int k = 0; k < 6; ++k) {
      geometry.updateSurface(scene, 0);
      const double before = processCpuSeconds();
      geometry.commit({});
      if (k > 0) least = std::min(least, processCpuSeconds() - before);  // the first one builds
    }
    return least;
  };
  const double fitted = seconds(true), built = seconds(false);
  std::printf("  %zu triangles: fitted in %.1f ms, built in %.1f ms\n", sphere.triangles.size(),
              1e3 * fitted, 1e3 * built);
  EXPECT_LT(fitted, 0.5 * built);
}

}  // namespace
}  // namespace pneuma::render
