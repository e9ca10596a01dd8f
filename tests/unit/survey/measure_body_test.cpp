#include "pneuma/survey/measure_body.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pneuma/core/error.h"
#include "tests/regress/body_files/valid_body.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::survey {
namespace {

/// The tiny body with its thigh in a table of its own, as measured before and as measured now.
class MeasuredBody : public ::testing::Test {
 protected:
  MeasuredBody() {
    for (const auto& [name, text] : anatomy::validFiles()) installed_.put(name, text);
    std::string body = test::contentOf(installed_ / "body.toml");
    const std::size_t begin = body.find("[[shape]]"), end = body.find("[[segment]]");
    body.erase(begin, end - begin);
    body.insert(body.find("\"bones.toml\""), "\"shapes_leg.toml\", ");
    installed_.put("body.toml", body);
    installed_.put("shapes_leg.toml", table(20));
  }

  static std::string table(int radius) {
    return "format = \"pneuma-body 1\"\nunits = { length = \"mm\" }\n[[shape]]\nbone = "
           "\"femur_l\"\n"
           "mirror = true\n[[shape.part]]\nkind = \"ellipsoid\"\ncenter = [80, 600, 60]\nradii = "
           "[" +
           std::to_string(radius) + ", 200, 20]\n";
  }

  static double radiusOf(const anatomy::Body& body) {
    const auto shape = std::ranges::find(body.shapes, "femur_l", &anatomy::Shape::bone);
    return shape->shape.parts.front().radii.x();
  }

  const test::ScratchFolder installed_;
};

TEST_F(MeasuredBody, IsTheInstalledOneWhereNothingWasMeasured) {
  const auto body = loadMeasured(installed_ / "body.toml", installed_ / "nothing");
  ASSERT_TRUE(body.ok()) << toString(body.diagnostics());
  EXPECT_NEAR(radiusOf(*body), 0.020, 1e-12);
}

TEST_F(MeasuredBody, HasTheTableThatThisRunHasJustWritten) {
  std::filesystem::create_directories(installed_ / "measured");
  installed_.put("measured/shapes_leg.toml", table(33));
  const auto body = loadMeasured(installed_ / "body.toml", installed_ / "measured");
  ASSERT_TRUE(body.ok()) << toString(body.diagnostics());
  EXPECT_NEAR(radiusOf(*body), 0.033, 1e-12);
  EXPECT_EQ(std::ranges::count(body->shapes, "femur_l", &anatomy::Shape::bone), 1);
}

}  // namespace
}  // namespace pneuma::survey
