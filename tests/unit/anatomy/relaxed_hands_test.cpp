#include "pneuma/anatomy/relaxed_hands.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/points.h"
#include "tests/support/human.h"

namespace pneuma::anatomy {
namespace {

class RelaxedHand : public ::testing::Test {
 protected:
  Vec3 at(const std::string& name) const { return points_.find("hand_l:" + name)->position; }
  Vec3 moved(const std::string& name) const { return relaxed_(at(name)); }
  /// Angle between two bones of a finger [rad].
  static double angle(const Vec3& a, const Vec3& b) {
    return std::acos(std::clamp(a.normalized().dot(b.normalized()), -1.0, 1.0));
  }

  std::vector<Diagnostic> findings_;
  PointTable points_{*test::humanBody(), findings_};
  RelaxedHands relaxed_{*test::humanBody()};
};

TEST_F(RelaxedHand, WristAndKnucklesStay) {
  for (const char* name : {"wrist_center", "radiocarpal"})
    EXPECT_LT((moved(name) - at(name)).norm(), 1e-4) << name;
  for (const char* finger : {"index", "middle", "ring", "little"}) {
    const std::string name = std::string("mcp_") + finger + "_finger";
    EXPECT_LT((moved(name) - at(name)).norm(), 1e-3) << name;
  }
}

TEST_F(RelaxedHand, FingersKeepTheirBonesLengthsAndBendMore) {
  for (const char* finger : {"index", "middle", "ring", "little"}) {
    const std::string f = std::string(finger) + "_finger";
    const Vec3 first = at("pip_" + f) - at("mcp_" + f), second = at("dip_" + f) - at("pip_" + f);
    const Vec3 nowFirst = moved("pip_" + f) - moved("mcp_" + f),
               nowSecond = moved("dip_" + f) - moved("pip_" + f);
    // The joint itself lies in the middle of its band of skin, and neighbours pull by a percent.
    EXPECT_NEAR(nowFirst.norm(), first.norm(), 0.002) << f;
    EXPECT_NEAR(nowSecond.norm(), second.norm(), 0.002) << f;
    EXPECT_GT(angle(nowFirst, nowSecond), angle(first, second) + 0.05) << f;
  }
}

TEST_F(RelaxedHand, FingersComeTogether) {
  const double before = (at("dip_index_finger") - at("dip_little_finger")).norm();
  const double after = (moved("dip_index_finger") - moved("dip_little_finger")).norm();
  EXPECT_LT(after, 0.85 * before);
  // But do not pass into each other: a finger is some 15 mm wide.
  EXPECT_GT((moved("dip_index_finger") - moved("dip_middle_finger")).norm(), 0.015);
  EXPECT_GT((moved("dip_middle_finger") - moved("dip_ring_finger")).norm(), 0.015);
  EXPECT_GT((moved("dip_ring_finger") - moved("dip_little_finger")).norm(), 0.015);
}

TEST_F(RelaxedHand, RightIsTheMirrorImageOfLeft) {
  const Vec3 p = at("dip_index_finger"), image(-p.x(), p.y(), p.z());
  const Vec3 l = relaxed_(p), r = relaxed_(image);
  EXPECT_EQ(Vec3(-l.x(), l.y(), l.z()), r);
}

/// Every bone of a closed finger touches the bar: its axis comes as near as half a finger's width.
TEST_F(RelaxedHand, AGrippingHandIsClosedAroundItsBar) {
  const RelaxedHands hands(*test::humanBody(), HandPosture::Gripping, HandPosture::Relaxed);
  const auto grip = hands.grip(false);
  ASSERT_TRUE(grip.has_value());
  EXPECT_FALSE(hands.grip(true).has_value());
  const auto away = [&](const Vec3& p) {
    const Vec3 d = p - grip->center;
    return (d - d.dot(grip->axis) * grip->axis).norm();
  };
  for (const char* finger : {"index", "middle", "ring", "little"}) {
    const std::string f = std::string(finger) + "_finger";
    const Vec3 mcp = at("mcp_" + f), pip = hands(at("pip_" + f)), dip = hands(at("dip_" + f));
    for (const Vec3& middle : {Vec3(0.5 * (mcp + pip)), Vec3(0.5 * (pip + dip))}) {
      EXPECT_GT(away(middle), kGripRadius + 0.003) << f;
      EXPECT_LT(away(middle), kGripRadius + 0.018) << f;
    }
    EXPECT_LT((hands(at("mcp_" + f)) - mcp).norm(), 1e-3) << f;
    // The other hand hangs.
    const Vec3 p = at("dip_" + f), image(-p.x(), p.y(), p.z());
    EXPECT_EQ(hands(image), relaxed_(image));
  }
}

TEST_F(RelaxedHand, ABodyWithoutHandsIsLeftAlone) {
  const RelaxedHands none{Body{}};
  EXPECT_EQ(none(Vec3(0.27, 0.7, 0.15)), Vec3(0.27, 0.7, 0.15));
  EXPECT_EQ(relaxed_.bone("ulna_l", makeSphere(0.1, 1)).positions, makeSphere(0.1, 1).positions);
}

}  // namespace
}  // namespace pneuma::anatomy
