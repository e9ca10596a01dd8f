#include "pneuma/anatomy/body_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy {
namespace {

using testing::HasSubstr;

TEST(BodyFile, DefaultBodyLoadsWithoutFindings) {
  const Result<Body> body = loadBody(defaultBodyPath());
  EXPECT_EQ(toString(body.diagnostics()), "");
  ASSERT_TRUE(body);
  EXPECT_EQ(body->name, "human");
}

TEST(BodyFile, SaveLoadSaveGivesTheSameBytes) {
  const Result<Body> body = readBody(defaultBodyPath());
  ASSERT_TRUE(body) << toString(body.diagnostics());
  const std::string first = bodyText(*body);
  const Result<Body> again =
      readBody("saved.toml", [&](const std::string&) { return Result<std::string>(first); });
  ASSERT_TRUE(again) << toString(again.diagnostics());
  EXPECT_EQ(bodyText(*again), first);
  const Result<Body> expanded = expandBody(*body);
  ASSERT_TRUE(expanded);
  const std::string all = bodyText(*expanded);
  const Result<Body> allAgain =
      readBody("saved.toml", [&](const std::string&) { return Result<std::string>(all); });
  ASSERT_TRUE(allAgain) << toString(allAgain.diagnostics());
  EXPECT_EQ(bodyText(*allAgain), all);
}

}  // namespace
}  // namespace pneuma::anatomy
