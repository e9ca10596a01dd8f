#include "pneuma/breath/breath_style.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/data_folder.h"
#include "pneuma/core/error.h"
#include "tests/support/human_breath.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::breath {
namespace {

TEST(BreathLevels, RisesHoldsAndFades) {
  const Breath b{.period = 5, .rise = 0.4, .hold = 0.2, .fall = 0.3, .depth = 0.8};
  EXPECT_EQ(levels(b, 0).inspire, 0);
  EXPECT_NEAR(levels(b, 0.4).inspire, 0.8, 1e-9);
  EXPECT_NEAR(levels(b, 0.5).inspire, 0.8, 1e-9);
  EXPECT_NEAR(levels(b, 0.95).inspire, 0, 1e-9);
  double before = 0;
  for (double phase = 0; phase <= 0.4; phase += 0.01) {
    EXPECT_GE(levels(b, phase).inspire, before - 1e-12);
    before = levels(b, phase).inspire;
  }
}

TEST(BreathLevels, AreContinuousOverTheWholeBreath) {
  for (const char* name : {"casual", "deep", "panting", "sigh"}) {
    const BreathStyle& style = test::humanStyle(name);
    for (const Breath& b : style.breaths) {
      BreathLevels last = levels(b, 0);
      for (double phase = 1e-4; phase < 1; phase += 1e-4) {
        const BreathLevels now = levels(b, phase);
        // In the shortest stretch, a hundredth of a breath, the level may run its whole way.
        EXPECT_LT(std::abs(now.inspire - last.inspire), 0.03 * std::max(1.0, b.depth)) << name;
        EXPECT_LT(std::abs(now.expire - last.expire), 0.03 * std::max(1.0, b.expire)) << name;
        last = now;
      }
      EXPECT_NEAR(last.inspire, levels(b, 0).inspire, 1e-3) << name;
    }
  }
}

TEST(BreathStyle, RateIsTheMeanOverItsBreaths) {
  BreathStyle style;
  style.breaths = {{.period = 2}, {.period = 4}};
  EXPECT_NEAR(style.ratePerMinute(), 20, 1e-12);
}

TEST(BreathStyle, ContractionsAddAndScaleGroupByGroup) {
  const Contractions a{.diaphragm = 0.1, .rectus = 0.2}, b{.diaphragm = 0.3, .levator = 0.4};
  const Contractions sum = a * 2 + b;
  EXPECT_NEAR(sum.diaphragm, 0.5, 1e-15);
  EXPECT_NEAR(sum.rectus, 0.4, 1e-15);
  EXPECT_NEAR(sum.levator, 0.4, 1e-15);
  EXPECT_EQ(sum.internal, 0);
}

TEST(BreathStyle, AnUnknownNameSuggestsTheNearest) {
  try {
    test::humanStyle("casul");
    FAIL() << "an unknown style was found";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("casual"), std::string::npos) << e.what();
  }
}

TEST(BreathStyle, EveryStyleOfTheDataFolderFitsIntoItsPeriod) {
  for (const BreathStyle& style : readBreathStyles(dataFile("breath/styles.toml"))) {
    EXPECT_FALSE(style.text.empty()) << style.name;
    EXPECT_FALSE(style.breaths.empty()) << style.name;
    for (const Breath& b : style.breaths) {
      EXPECT_GT(b.period, 0) << style.name;
      EXPECT_LE(b.rise + b.hold + b.fall, 1 + 1e-12) << style.name;
    }
  }
}

class BadStyle : public testing::Test {
 protected:
  std::string messageOf(const std::string& text) {
    try {
      readBreathStyles(folder_.put("styles.toml", text));
    } catch (const InputError& e) {
      return e.what();
    }
    return "(read)";
  }
  test::ScratchFolder folder_;
};

TEST_F(BadStyle, NamesLineAndField) {
  const std::string message = messageOf("[style.odd]\ntext = \"x\"\nbreaths = [{period = -1}]\n");
  EXPECT_NE(message.find("styles.toml:3"), std::string::npos) << message;
  EXPECT_NE(message.find("period"), std::string::npos) << message;
}

TEST_F(BadStyle, AMisspelledFieldIsRefused) {
  const std::string message =
      messageOf("[style.odd]\ntext = \"x\"\nbreaths = [{period = 4, raise = 0.4}]\n");
  EXPECT_NE(message.find("raise"), std::string::npos) << message;
}

TEST(BreathKnobs, RangesAreChecked) {
  EXPECT_NO_THROW(validate(BreathKnobs{}));
  EXPECT_NO_THROW(validate(BreathKnobs{.rate = 0}));
  EXPECT_THROW(validate(BreathKnobs{.rate = -1}), InputError);
  EXPECT_THROW(validate(BreathKnobs{.effort = 21}), InputError);
  EXPECT_THROW(validate(BreathKnobs{.chestShare = 1.2}), InputError);
  EXPECT_THROW(validate(BreathKnobs{.variability = std::nan("")}), InputError);
}

}  // namespace
}  // namespace pneuma::breath
