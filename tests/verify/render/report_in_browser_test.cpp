// A report with an animated GLB, opened from the disk by headless Chromium.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "pneuma/core/error.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/render/report.h"
#include "render/process.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::render {
namespace {

namespace fs = std::filesystem;

class ReportInBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!hasInteractiveView()) GTEST_SKIP() << "this build leaves out the 3-D view (npm missing)";
    if (std::system("chromium --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "chromium is not installed (Debian package chromium)";
  }

  /// What the page looks like, opened with a fragment. On a busy machine the browser's virtual
  /// clock may stand still for good; then it is ended and asked once more.
  Image screenshot(const std::string& fragment) {
    const fs::path shot = folder / "shot.png";
    for (int attempt = 0; attempt < 3 && !fs::exists(shot); ++attempt) {
      const std::string profile = (folder / fmt::format("profile_{}", profiles_++)).string();
      internal::Process browser(
          {"timeout", "--signal=KILL", "90", "chromium", "--headless=new", "--no-sandbox",
           "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
           "--no-first-run", "--disable-background-networking", "--disable-component-update",
           "--disable-sync", "--disable-extensions", "--window-size=500,640",
           "--virtual-time-budget=3000", "--user-data-dir=" + profile,
           "--screenshot=" + shot.string(),
           "file://" + (folder / "report.html").string() + fragment},
          "coreutils");
      try {
        browser.finish();
      } catch (const InputError&) {
        if (attempt == 2) throw;
      }
    }
    Image image = readPng(shot);
    fs::remove(shot);
    return image;
  }
  const test::ScratchFolder folder;

 private:
  int profiles_ = 0;
};

/// A red ball that grows to twice its size within a second.
void writeGrowingBall(const fs::path& path) {
  io::GltfScene scene;
  const TriangleMesh ball = makeSphere(0.5, 3);
  io::GltfMesh mesh{.name = "ball", .positions = ball.positions, .triangles = ball.triangles};
  mesh.material = scene.addMaterial({.name = "red", .color = Vec3(0.8, 0.02, 0.02)});
  mesh.targets.push_back({"grown", ball.positions, {}});
  io::GltfNode node{.name = "ball", .mesh = scene.addMesh(mesh)};
  node.animation = {.times = {0, 1}, .weights = {0, 1}};
  scene.addNode(node);
  io::writeGlb(path, scene);
}

int redPixels(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const Color c = image.at(x, y);
      count += c.r > 0.35f && c.g < 0.6f * c.r && c.b < 0.6f * c.r;
    }
  return count;
}

TEST_F(ReportInBrowser, ViewShowsTheModelAndItsMorphAnimation) {
  writeGrowingBall(folder / "ball.glb");
  Report report("Ball");
  report.view3d(folder / "ball.glb", "A ball that grows");
  report.writeHtml(folder / "report.html");
  const int small = redPixels(screenshot("#time=0")), large = redPixels(screenshot("#time=1"));
  EXPECT_GT(small, 2000);
  // Twice the radius is four times the disc, and a little more in perspective: the camera stands
  // closer to the larger ball.
  EXPECT_GT(large, 3.8 * small);
  EXPECT_LT(large, 6.0 * small);
}

}  // namespace
}  // namespace pneuma::render
