#include "pneuma/core/field_table.h"

#include <gtest/gtest.h>

namespace pneuma {
namespace {

struct Pump {
  double stroke = 0.5e-3;  ///< [m^3]
  std::optional<double> rate;
  int valves = 2;
  std::string side = "left";
  bool quiet = false;
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<Pump> p) {
  v.field({.name = "stroke",
           .meaning = "Volume of a stroke",
           .unit = "mL",
           .unitInSi = 1e-6,
           .min = 1,
           .max = 10000},
          p.stroke);
  v.field({.name = "stroke_rate", .meaning = "Strokes per minute", .min = 0, .max = 300}, p.rate);
  v.field({.name = "valves", .meaning = "How many", .min = 1, .max = 4}, p.valves);
  v.field({.name = "side", .meaning = "Where", .choices = {"left", "right"}}, p.side);
  v.field({.name = "quiet", .meaning = "No sound"}, p.quiet);
}

TEST(FieldTable, DefaultsAreInRange) {
  EXPECT_TRUE(checkSettings(Pump{}).empty());
}

TEST(FieldTable, EveryFaultIsNamedWithItsRangeAndUnit) {
  const std::vector<Diagnostic> found =
      checkSettings(Pump{.stroke = 0.02, .rate = -1, .valves = 9, .side = "lefft"});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].field, "stroke");
  EXPECT_EQ(found[0].message, "20000 is out of range");
  EXPECT_EQ(found[0].expected, "1 .. 10000 [mL]");
  EXPECT_EQ(found[1].field, "stroke_rate");
  EXPECT_EQ(found[3].nearest, "left");
  EXPECT_THROW(requireSettings(Pump{.valves = 0}), InputError);
}

TEST(FieldTable, NotANumberIsOutOfEveryRange) {
  EXPECT_EQ(checkSettings(Pump{.stroke = std::nan("")}).size(), 1u);
  EXPECT_EQ(checkSettings(Pump{.rate = kNoLimit}).size(), 1u);
}

TEST(FieldTable, AnAbsentValueIsNeverWrong) {
  EXPECT_TRUE(checkSettings(Pump{.rate = std::nullopt}).empty());
}

TEST(FieldTable, RowsSpeakInTheUnitOfPeople) {
  const std::vector<SettingRow> rows = settingRows<Pump>();
  EXPECT_EQ(rows[0].initial, "500");
  EXPECT_EQ(rows[0].unit, "mL");
  EXPECT_EQ(rows[1].initial, "");
  EXPECT_EQ(rows[3].range, "left, right");
}

TEST(FieldTable, UnitsLeaveNoNoise) {
  const SettingSpec spec{.name = "x", .unit = "mL", .unitInSi = 1e-6};
  for (const double ml : {1.0, 3.0, 7.0, 350.0, 500.1}) EXPECT_EQ(spec.inUnit(ml * 1e-6), ml);
  EXPECT_EQ((SettingSpec{.name = "chest_share"}).optionName(), "chest-share");
}

}  // namespace
}  // namespace pneuma
