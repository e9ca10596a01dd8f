#include "anatomy/text/packed_points.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"

namespace pneuma::anatomy::internal {
namespace {

const std::vector<Vec3> kPoints{{0.1, 1.55, 0.02}, {0, 1.3000049, -0.11}, {0.0712345, 1.7, 0.2}};

TEST(PackedPoints, ComeBackWithinHalfAStep) {
  const Vec3 middle = packingMiddle(kPoints);
  const auto back = unpackPoints(packPoints(kPoints, middle), middle);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), kPoints.size());
  for (std::size_t i = 0; i < kPoints.size(); ++i)
    EXPECT_LE(((*back)[i] - kPoints[i]).cwiseAbs().maxCoeff(), 0.5001 * kPackedStep);
  EXPECT_EQ((*back)[1].x(), 0) << "the mid-plane is kept to the last bit";
}

TEST(PackedPoints, PackingAgainGivesTheSameText) {
  const Vec3 middle = packingMiddle(kPoints);
  const std::string text = packPoints(kPoints, middle);
  EXPECT_EQ(packPoints(*unpackPoints(text, middle), middle), text);
}

TEST(PackedPoints, LineBreaksDoNotCountAndDamageIsSeen) {
  const std::string text = packPoints(kPoints, Vec3(0, 1.5, 0));
  const auto plain = unpackPoints(text, Vec3(0, 1.5, 0));
  EXPECT_EQ(unpackPoints("\n" + text.substr(0, 7) + "\n " + text.substr(7), Vec3(0, 1.5, 0)),
            plain);
  EXPECT_FALSE(unpackPoints(text.substr(0, text.size() - 4), Vec3::Zero()));
  EXPECT_FALSE(unpackPoints("*" + text.substr(1), Vec3::Zero()));
}

TEST(PackedPoints, FarPointsAreRefused) {
  EXPECT_THROW(packPoints(kPoints, Vec3(0, 1, 0)), InputError);
}

}  // namespace
}  // namespace pneuma::anatomy::internal
