#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anatomy/text/names.h"
#include "anatomy/text/units.h"
#include "pneuma/anatomy/schema.h"

namespace pneuma::anatomy::internal {
namespace {

using testing::ElementsAre;

TEST(Names, MirrorExchangesSidesInEveryWord) {
  EXPECT_EQ(mirrorName("rib_05_l:head"), "rib_05_r:head");
  EXPECT_EQ(mirrorName("rib_05_r:centreline@0.35"), "rib_05_l:centreline@0.35");
  EXPECT_EQ(mirrorName("l_elbow_flexion"), "r_elbow_flexion");
  EXPECT_EQ(mirrorName("vertebra_l5:transverse_tip_l"), "vertebra_l5:transverse_tip_r");
  EXPECT_EQ(mirrorName("sacrum:tip"), "sacrum:tip");
}

TEST(Names, MirrorTwiceIsTheSame) {
  for (const char* name : {"rib_05_l:head", "l_hip", "sacrum", "a_r", "vertebra_{level+1}:tip_l"})
    EXPECT_EQ(mirrorName(mirrorName(name)), name);
}

TEST(Names, RangesFollowTheSpineOrCount) {
  EXPECT_THAT(expandRange("c6..t02"), ElementsAre("c6", "c7", "t01", "t02"));
  EXPECT_THAT(expandRange("l2..t12"), ElementsAre("l2", "l1", "t12"));
  EXPECT_THAT(expandRange("09..11"), ElementsAre("09", "10", "11"));
  EXPECT_TRUE(expandRange("c6").empty());
  EXPECT_TRUE(expandRange("c6..x9").empty());
  EXPECT_TRUE(expandRange("..").empty());
}

TEST(Names, LevelsShiftAcrossRegions) {
  EXPECT_EQ(shiftLevel("c7", 1), "t01");
  EXPECT_EQ(shiftLevel("t01", -2), "c6");
  EXPECT_EQ(shiftLevel("09", 1), "10");
  EXPECT_FALSE(shiftLevel("l5", 1));
  EXPECT_FALSE(shiftLevel("femur", 1));
  EXPECT_FALSE(shiftLevel("01", -2));
}

TEST(Units, EveryDeclaredUnitHasAnSiSpelling) {
  for (int i = 0; i < kDeclaredUnits; ++i) {
    const auto unit = static_cast<Unit>(i);
    EXPECT_EQ(unitFactor(unit, unitName(unit)), 1.0) << unitKey(unit);
    EXPECT_TRUE(writingUnits().declared(unit));
  }
  EXPECT_EQ(unitFactor(Unit::Area, "cm2"), 1e-4);
  EXPECT_FALSE(unitFactor(Unit::Area, "mm"));
}

TEST(Schema, EveryFieldSaysWhatItMeans) {
  std::size_t fields = 0;
  for (const SectionSchema& section : bodySchema())
    for (const FieldSchema& f : section.fields) {
      EXPECT_FALSE(f.meaning.empty()) << section.path << " " << f.name;
      EXPECT_FALSE(f.type.empty()) << section.path << " " << f.name;
      ++fields;
    }
  EXPECT_GT(fields, 100u);
}

}  // namespace
}  // namespace pneuma::anatomy::internal
