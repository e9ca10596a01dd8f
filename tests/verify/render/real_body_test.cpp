// Pictures of real anatomy, judged by what must be true of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "pneuma/io/mesh_file.h"
#include "pneuma/render/renderer.h"

namespace pneuma::render {
namespace {

namespace fs = std::filesystem;

class RealBody : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* shared = std::getenv("PNEUMA_SHARED");
    folder = shared ? fs::path(shared) : fs::path(PNEUMA_SOURCE_DIR) / "../shared";
    if (!fs::exists(folder / "anatomy/skin/skin_outer.ply"))
      GTEST_SKIP() << "no anatomy pack at " << folder << " (set PNEUMA_SHARED)";
  }
  /// In metres, +Y up, +Z front.
  TriangleMesh part(const std::string& name) const {
    TriangleMesh mesh = io::readMesh(folder / "anatomy" / name);
    for (Vec3& p : mesh.positions) p = Vec3(p.x(), p.z(), -p.y()) / 1000;
    return mesh;
  }
  fs::path folder;
};

double meanBrightness(const Image& image) {
  double sum = 0;
  for (const std::uint8_t b : image.rgb) sum += b / 255.0;
  return sum / static_cast<double>(image.rgb.size());
}

RenderOptions smallPicture() {
  RenderOptions o;
  o.width = 320, o.height = 240, o.samples = 8;
  return o;
}

TEST_F(RealBody, SectionThroughTheChestShowsTheLungsInsideTheSkin) {
  Scene scene;
  Material lung{.color = Color::hex(0x00ff00)}, skin{.color = Color::hex(0x0000ff)};
  lung.lit = skin.lit = false;
  lung.capColor = lung.color, skin.capColor = skin.color;
  scene.add(part("skin/skin_outer.ply"), skin, "skin");
  for (const char* lobe : {"upper_lobe_of_lung_l", "lower_lobe_of_lung_l", "upper_lobe_of_lung_r",
                           "middle_lobe_of_lung_r", "lower_lobe_of_lung_r"}) {
    const std::string file = std::string("organs/") + lobe + ".ply";
    scene.add(part(file), lung, lobe);
  }
  RenderOptions o = smallPicture();
  const double height = 1.25;  // through the middle of the chest [m]
  o.cut = CutPlane{{0, height, 0}, Vec3::UnitY()};
  const Camera camera = Camera::closeUp({0, height, 0}, 0.6, View::Top, {.orthographic = true});
  const Image image = render(scene, camera, o);
  int lungs = 0, wall = 0;
  for (int y = 0; y < o.height; ++y)
    for (int x = 0; x < o.width; ++x) {
      const Color c = image.at(x, y);
      lungs += c.g > 0.9f && c.r < 0.1f && c.b < 0.1f;
      wall += c.b > 0.9f && c.r < 0.1f && c.g < 0.1f;
    }
  const double pixelArea = (0.6 / o.height) * (0.6 / o.height);
  // Area of the lungs in that plane, from their own volume by slices of 1 mm.
  double expected = 0;
  for (std::size_t i = 1; i < scene.surfaces.size(); ++i) {
    TriangleMesh above = scene.surfaces[i].mesh, below = above;
    for (Vec3& p : above.positions) p.y() = std::max(p.y(), height + 0.0005);
    for (Vec3& p : below.positions) p.y() = std::max(p.y(), height - 0.0005);
    expected += (enclosedVolume(below) - enclosedVolume(above)) / 0.001;
  }
  EXPECT_GT(wall, 1000);
  EXPECT_NEAR(lungs * pixelArea, expected, 0.08 * expected);
}

TEST_F(RealBody, TranslucentSkinShowsTheBonesWithin) {
  Scene skinOnly, withBone;
  skinOnly.add(part("skin/skin_outer.ply"), materials::translucent(materials::skin(), 0.3));
  withBone = skinOnly;
  for (const char* bone : {"bones/femur_l.ply", "bones/femur_r.ply", "bones/humerus_l.ply"}) {
    Material dark = materials::bone(Color::hex(0x202020));
    withBone.add(part(bone), dark);
  }
  const RenderOptions o = smallPicture();
  EXPECT_LT(meanBrightness(render(withBone, View::Front, o)),
            meanBrightness(render(skinOnly, View::Front, o)) - 0.002);
}

}  // namespace
}  // namespace pneuma::render
