#include "pneuma/body/frame_bytes.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pneuma/core/error.h"

namespace pneuma::body {
namespace {

FrameLayout layoutForBytes() {
  FrameLayout layout;
  layout.addLink({.name = "pelvis", .bones = {"sacrum"}});
  layout.addLink({.name = "chest", .parent = 0, .X_WL_rest = {.position = {0, 1.3, 0}}});
  layout.addPointSet({.name = "dome", .count = 3, .carrier = 1, .triangles = {{0, 1, 2}}});
  layout.addScalar({"breath", "volume", "mL", "gas"});
  return layout;
}

Frame smallFrame(const FrameLayout& layout) {
  Frame frame = makeFrame(layout);
  frame.time = 0.1;
  frame.X_WL[1].rotation = Eigen::AngleAxisd(0.3, Vec3::UnitY()).toRotationMatrix();
  frame.points = {{0.1, 0.2, 0.3}, {1, 2, 3}, {-1, 0, 1}};
  frame.scalars = {1.0 / 3};
  return frame;
}

TEST(FrameBytes, HoldScalarsExactlyAndPlacesAsFloats) {
  const FrameLayout layout = layoutForBytes();
  const Frame frame = smallFrame(layout);
  const std::string bytes = encodeFrame(frame, layoutDigest(layout));
  EXPECT_EQ(bytes.size(), 40 + 8 * 1 + 48 * 2 + 12 * 3u);
  const Frame back = decodeFrame(layout, bytes);
  EXPECT_EQ(back.time, frame.time);
  EXPECT_EQ(back.scalars, frame.scalars);
  EXPECT_LT((back.X_WL[1].rotation - frame.X_WL[1].rotation).norm(), 1e-7);
  EXPECT_EQ(back.points[0].x(), static_cast<double>(0.1f));
  EXPECT_EQ(back.points[1], frame.points[1]);
}

TEST(FrameBytes, ArraysStandWhereTheDescriptionSays) {
  const FrameLayout layout = layoutForBytes();
  const std::string bytes = encodeFrame(smallFrame(layout), layoutDigest(layout));
  double time = 0, scalar = 0;
  float firstPoint = 0;
  std::memcpy(&time, bytes.data() + 16, 8);
  std::memcpy(&scalar, bytes.data() + 40, 8);
  std::memcpy(&firstPoint, bytes.data() + 40 + 8 + 48 * 2, 4);
  EXPECT_EQ(time, 0.1);
  EXPECT_EQ(scalar, 1.0 / 3);
  EXPECT_EQ(firstPoint, 0.1f);
}

TEST(FrameBytes, AnythingElseIsRefusedAndSaysWhy) {
  const FrameLayout layout = layoutForBytes();
  const std::string good = encodeFrame(smallFrame(layout), layoutDigest(layout));
  FrameLayout other = layout;
  other.pointSets[0].name = "gut";
  const auto message = [&](const FrameLayout& l, const std::string& bytes) -> std::string {
    try {
      decodeFrame(l, bytes);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message(other, good).find("another layout"), std::string::npos);
  EXPECT_NE(message(layout, good.substr(0, good.size() - 1)).find("bytes"), std::string::npos);
  EXPECT_NE(message(layout, good.substr(0, 10)).find("only 10 bytes"), std::string::npos);
  std::string bad = good;
  bad[0] = 'X';
  EXPECT_NE(message(layout, bad).find("no frame"), std::string::npos);
  bad = good;
  bad[4] = 9;
  EXPECT_NE(message(layout, bad).find("version 9"), std::string::npos);
}

TEST(FrameBytes, TheLayoutIsToldOnceAsJson) {
  const nlohmann::ordered_json j = layoutJson(layoutForBytes());
  EXPECT_EQ(j["links"][1]["rest"][10], 1.3);
  EXPECT_EQ(j["points"][0]["triangles"], nlohmann::ordered_json({0, 1, 2}));
  EXPECT_EQ(j["scalars"][0]["unit"], "mL");
  EXPECT_EQ(j["digest"].get<std::string>().size(), 16u);
}

}  // namespace
}  // namespace pneuma::body
