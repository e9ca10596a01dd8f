#include "pneuma/core/data_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "pneuma/core/error.h"

namespace pneuma {
namespace {

/// Leaves environment and given folder as they were.
class DataFolder : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* set = std::getenv("PNEUMA_DATA")) before_ = set;
    unsetenv("PNEUMA_DATA");
  }
  void TearDown() override {
    setDataFolder({});
    if (before_.empty())
      unsetenv("PNEUMA_DATA");
    else
      setenv("PNEUMA_DATA", before_.c_str(), 1);
  }
  std::string before_;
};

TEST_F(DataFolder, IsTheSourceTreesWhenNothingElseIsSaid) {
  EXPECT_TRUE(std::filesystem::exists(dataFile("body/human.toml")));
}

TEST_F(DataFolder, GivenFolderWinsOverTheEnvironment) {
  const auto given = std::filesystem::temp_directory_path();
  setenv("PNEUMA_DATA", "/nonexist", 1);
  EXPECT_THROW(dataFolder(), InputError);
  setDataFolder(given);
  EXPECT_EQ(dataFolder(), given);
  setDataFolder("/nonexist");
  EXPECT_THROW(dataFolder(), InputError);
  setDataFolder({});
  setenv("PNEUMA_DATA", given.c_str(), 1);
  EXPECT_EQ(dataFolder(), given);
}

TEST_F(DataFolder, MissingFileIsNamed) {
  try {
    dataFile("body/nobody.toml");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("nobody.toml"), std::string::npos);
  }
}

}  // namespace
}  // namespace pneuma
