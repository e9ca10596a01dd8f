#include "pneuma/io/settings_json.h"

#include <gtest/gtest.h>

namespace pneuma::io {
namespace {

using nlohmann::ordered_json;

struct Tea {
  double heat = 353.15;         // SI-like, stated in other units below
  std::optional<double> sugar;  // [kg]
  int cups = 2;
  std::uint64_t seed = 1;
  bool milk = false;
  std::string kind = "green";
  std::vector<std::string> guests;
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<Tea> t) {
  v.field({.name = "heat", .meaning = "Of the water", .unit = "kK", .unitInSi = 1e3, .min = 0.2},
          t.heat);
  v.field({.name = "sugar", .meaning = "In all", .unit = "g", .unitInSi = 1e-3, .max = 50},
          t.sugar);
  v.field({.name = "cups", .meaning = "How many", .min = 1, .max = 12}, t.cups);
  v.field({.name = "seed", .meaning = "Of the leaves"}, t.seed);
  v.field({.name = "milk", .meaning = "With milk"}, t.milk);
  v.field({.name = "kind", .meaning = "Which", .choices = {"green", "black"}}, t.kind);
  v.field({.name = "guests", .meaning = "Who comes"}, t.guests);
}

std::vector<Diagnostic> findings(const ordered_json& j, Tea tea = {}) {
  try {
    readSettings(j, "tea", tea);
  } catch (const InputError& e) {
    return e.diagnostics();
  }
  return {};
}

TEST(SettingsJson, WhatIsWrittenReadsBackEqual) {
  const Tea tea{.heat = 300,
                .sugar = 0.02,
                .cups = 3,
                .seed = ~std::uint64_t{0},
                .milk = true,
                .kind = "black",
                .guests = {"a", "b"}};
  Tea back;
  readSettings(settingsJson(tea), "tea", back);
  EXPECT_EQ(settingsJson(back), settingsJson(tea));
  EXPECT_DOUBLE_EQ(*back.sugar, 0.02);
  EXPECT_EQ(back.seed, tea.seed);
}

TEST(SettingsJson, AbsentSettingsStayAndNullTakesAChoiceBack) {
  Tea tea{.sugar = 0.01, .cups = 5};
  readSettings({{"sugar", nullptr}}, "tea", tea);
  EXPECT_FALSE(tea.sugar);
  EXPECT_EQ(tea.cups, 5);
}

TEST(SettingsJson, EverythingWrongIsNamedAtOnceAndNothingChanges) {
  Tea tea;
  const ordered_json bad{{"cup", 3},   {"heat", "hot"},  {"sugar", 80}, {"milk", 1},
                         {"seed", -1}, {"kind", "gren"}, {"guests", 4}};
  const std::vector<Diagnostic> found = findings(bad, tea);
  ASSERT_EQ(found.size(), 7u);
  std::map<std::string, Diagnostic> by;
  for (const Diagnostic& d : found) by[d.field] = d;
  EXPECT_EQ(by["cup"].nearest, "cups");
  EXPECT_EQ(by["heat"].expected, "a number");
  EXPECT_EQ(by["kind"].nearest, "green");
  EXPECT_EQ(by["seed"].expected, "a whole number, 0 or more");
  for (const Diagnostic& d : found) EXPECT_EQ(d.subject, "tea") << d.toString();
  EXPECT_EQ(tea.heat, 353.15);
}

TEST(SettingsJson, NumbersAreInTheUnitOfTheirDescription) {
  Tea tea;
  readSettings({{"heat", 0.4}, {"sugar", 20}}, "tea", tea);
  EXPECT_DOUBLE_EQ(tea.heat, 400);
  EXPECT_DOUBLE_EQ(*tea.sugar, 0.02);
  EXPECT_EQ(findings({{"cups", 2.5}}).size(), 1u);
  EXPECT_EQ(findings({{"cups", 3000000000u}}).size(), 1u);
}

TEST(SettingsJson, TheSchemaTellsWhatAPageNeeds) {
  const ordered_json schema = settingsSchema<Tea>();
  ASSERT_EQ(schema.size(), 7u);
  EXPECT_EQ(schema[0]["unit"], "kK");
  EXPECT_EQ(schema[0]["default"], 0.35315);
  EXPECT_FALSE(schema[0].contains("max"));
  EXPECT_FALSE(schema[1].contains("default"));
  EXPECT_EQ(schema[5]["choices"], ordered_json({"green", "black"}));
  EXPECT_EQ(schema[4]["type"], "boolean");
}

}  // namespace
}  // namespace pneuma::io
