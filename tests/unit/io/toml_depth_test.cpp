#include "pneuma/io/toml_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace pneuma::io {
namespace {

std::string dotted(int parts) {
  std::string key = "a";
  for (int i = 1; i < parts; ++i) key += ".a";
  return key;
}

TEST(TomlDepth, FindsTheLineOfAKeyThatIsTooDeep) {
  const std::string deep = dotted(kDeepestKey + 1);
  EXPECT_EQ(lineOfDeepKey(deep + " = 1"), 1);
  EXPECT_EQ(lineOfDeepKey("x = 1\n[" + deep + "]\n"), 2);
  EXPECT_EQ(lineOfDeepKey("x = 1\n\n[[" + deep + "]]\n"), 3);
  EXPECT_EQ(lineOfDeepKey("x = {" + deep + " = 1}"), 1);
  EXPECT_EQ(lineOfDeepKey("s = \"\"\"\n\n\"\"\"\n" + deep + " = 1"), 4);
  EXPECT_EQ(lineOfDeepKey("\"q.\" . " + deep), 1);
}

TEST(TomlDepth, LeavesOrdinaryTextAlone) {
  const std::string dots(100, '.');
  EXPECT_EQ(lineOfDeepKey(dotted(kDeepestKey) + " = 1"), 0);
  EXPECT_EQ(lineOfDeepKey("x = \"" + dots + "\"\ny = '" + dots + "'  # " + dots + "\n"), 0);
  EXPECT_EQ(lineOfDeepKey("x = \"\"\"a\n\" \\\" " + dots + "\"\"\"\ny = '''\n'" + dots + "'''"), 0);
  std::string list = "x = [0.5";
  for (int i = 0; i < 100; ++i) list += ", 0.5";
  EXPECT_EQ(lineOfDeepKey(list + "]\n[a.b.c]\nd.e = 1.5"), 0);
  EXPECT_EQ(lineOfDeepKey("x = \"open " + dots + "\ny = 1"), 0);
}

}  // namespace
}  // namespace pneuma::io
