#include "pneuma/breath/physiology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "pneuma/core/data_folder.h"
#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

TEST(HumanFigures, TheTableHasAtLeastFortyAndAtMostEightOfThemAreTuned) {
  const auto figures = readHumanFigures(dataFile("breath/physiology.toml"));
  EXPECT_GE(figures.size(), 40u);
  const auto tuned =
      std::count_if(figures.begin(), figures.end(), [](const auto& f) { return f.tuned; });
  EXPECT_LE(tuned, 8);
}

TEST(HumanFigures, AWrongFieldIsNamedWithItsLine) {
  const auto path = std::filesystem::temp_directory_path() / "pneuma_physiology_test.toml";
  std::ofstream(path) << "[[figure]]\nid = \"a\"\ntext = \"t\"\nunit = \"\"\nlow = 2\nhigh = 1\n"
                         "source = \"s\"\nknown = \"seen\"\n";
  try {
    readHumanFigures(path);
    FAIL() << "an empty range passes";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("high"), std::string::npos) << e.what();
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pneuma::breath
