#include "pneuma/stage/breath_request.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/error.h"

namespace pneuma::stage {
namespace {

std::shared_ptr<const anatomy::Body> someBody() {
  static const auto body = std::make_shared<const anatomy::Body>();
  return body;
}

TEST(BreathRequest, DefaultsAreInRange) {
  EXPECT_TRUE(checkSettings(BreathRequest{}).empty());
}

TEST(BreathRequest, EverySettingThatIsGivenIsDescribed) {
  const BreathRequest full{
      .rate = 12, .tidal = 0.5e-3, .chestShare = 0.4, .variability = 0.1, .step = 0.002};
  const auto j = describe(full, resolve(full, someBody(), {}));
  for (const SettingRow& row : settingRows(full))
    EXPECT_EQ(j.contains(row.name), row.name != "mets") << row.name;  // not given
  EXPECT_EQ(j["tidal"], 500);
  EXPECT_EQ(j["step"], 2);
  EXPECT_EQ(j["person"]["height_m"], anatomy::Person{}.height);
}

TEST(BreathRequest, LastsFiveBreathsUnlessTold) {
  const BreathRequest slow{.rate = 6}, told{.seconds = 3, .rate = 6};
  EXPECT_NEAR(resolve(slow, someBody(), {}).seconds, 50, 1e-9);
  EXPECT_EQ(resolve(told, someBody(), {}).seconds, 3);
}

TEST(BreathRequest, WrongValuesAreAllNamed) {
  try {
    resolve({.style = "casuall", .kappa = -1}, someBody(), {});
    FAIL() << "no error";
  } catch (const InputError& e) {
    ASSERT_EQ(e.diagnostics().size(), 2u);
    EXPECT_EQ(e.diagnostics()[0].nearest, "casual");
    EXPECT_EQ(e.diagnostics()[1].field, "kappa");
  }
}

}  // namespace
}  // namespace pneuma::stage
