#include "pneuma/body/frame.h"

#include <gtest/gtest.h>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma::body {
namespace {

FrameLayout smallLayout() {
  FrameLayout layout;
  layout.addLink(
      {.name = "pelvis", .bones = {"sacrum", "hip_l"}, .X_WL_rest = {.position = {0, 1, 0}}});
  layout.addLink({.name = "thorax", .parent = 0});
  layout.addPointSet({.name = "diaphragm", .count = 3, .triangles = {{0, 1, 2}}});
  layout.addPointSet({.name = "skin", .count = 2, .tissue = Tissue::Skin, .labels = {0, 1}});
  layout.addScalar({"activations", "scalene_l", "", "share of the fibres that work"});
  layout.addScalar({"activations", "scalene_r", "", ""});
  layout.addScalar({"energy", "kinetic", "J", ""});
  return layout;
}

TEST(FrameLayout, SetsLieOneAfterAnother) {
  const FrameLayout layout = smallLayout();
  EXPECT_EQ(layout.pointOffset(0), 0u);
  EXPECT_EQ(layout.pointOffset(1), 3u);
  EXPECT_EQ(layout.pointCount(), 5u);
  Frame frame = makeFrame(layout);
  frame.pointsOf(layout, 1)[0] = Vec3(1, 2, 3);
  EXPECT_EQ(frame.points[3], Vec3(1, 2, 3));
  EXPECT_EQ(std::as_const(frame).pointsOf(layout, 0).size(), 3u);
}

TEST(FrameLayout, UnknownNameIsAnsweredWithTheNearest) {
  const FrameLayout layout = smallLayout();
  EXPECT_EQ(layout.linkIndex("thorax"), 1);
  EXPECT_EQ(layout.scalarIndex("energy", "kinetic"), 2);
  try {
    layout.pointSetIndex("diaphragma");
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().front().nearest, "diaphragm");
  }
  EXPECT_THROW(layout.scalarIndex("energy", "scalene_l"), InputError);
}

TEST(FrameLayout, GroupsStayOneBlockInOrder) {
  FrameLayout layout = smallLayout();
  EXPECT_EQ(layout.groups(), (std::vector<std::string>{"activations", "energy"}));
  EXPECT_EQ(layout.group("activations"), (std::vector<int>{0, 1}));
  EXPECT_THROW(layout.addScalar({"activations", "sartorius_l", "", ""}), InternalError);
  EXPECT_THROW(layout.addScalar({"energy", "kinetic", "J", ""}), InternalError);
}

TEST(FrameLayout, ParentsComeBeforeChildrenAndNamesDoNotRepeat) {
  FrameLayout layout = smallLayout();
  EXPECT_THROW(layout.addLink({.name = "head", .parent = 2}), InternalError);
  EXPECT_THROW(layout.addLink({.name = "pelvis"}), InternalError);
  EXPECT_THROW(layout.addPointSet({.name = "lung", .count = 1, .labels = {0, 0}}), InternalError);
}

TEST(Frame, BeginsAtRest) {
  const FrameLayout layout = smallLayout();
  const Frame frame = makeFrame(layout);
  EXPECT_EQ(frame.X_WL[0].position, Vec3(0, 1, 0));
  EXPECT_EQ(frame.scalars, (std::vector<double>{0, 0, 0}));
  checkFrame(layout, frame);
  Frame other = frame;
  other.scalars.pop_back();
  EXPECT_THROW(checkFrame(layout, other), InternalError);
}

}  // namespace
}  // namespace pneuma::body
