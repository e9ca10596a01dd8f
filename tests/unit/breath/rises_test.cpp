#include "breath/drive/rises.h"

#include <gtest/gtest.h>

namespace pneuma::breath::internal {
namespace {

TEST(FindRises, GivesHeightAndPeakOfEveryBreath) {
  const std::vector<double> signal{2, 0, 3, 5, 4, 1, 4, 0};
  const std::vector<Rise> rises = findRises(signal, 1);
  ASSERT_EQ(rises.size(), 2u);
  EXPECT_EQ(rises[0].height, 5);
  EXPECT_EQ(rises[0].peak, 3u);
  EXPECT_EQ(rises[1].height, 3);
  EXPECT_EQ(rises[1].peak, 6u);
}

TEST(FindRises, PassesOverRipplesWithinTheBand) {
  const std::vector<double> signal{0, 2, 1.5, 4, 3.5, 4.2, 0.1, 0.6, 0};
  const std::vector<Rise> rises = findRises(signal, 1);
  ASSERT_EQ(rises.size(), 1u);
  EXPECT_EQ(rises[0].height, 4.2);
  EXPECT_EQ(rises[0].peak, 5u);
}

TEST(FindRises, LeavesOutABreathThatHasNotEnded) {
  EXPECT_TRUE(findRises(std::vector<double>{0, 3, 5}, 1).empty());
  EXPECT_TRUE(findRises(std::vector<double>{}, 1).empty());
}

}  // namespace
}  // namespace pneuma::breath::internal
