#include "pneuma/core/base64.h"

#include <gtest/gtest.h>

namespace pneuma {
namespace {

TEST(Base64, MatchesTheStandardsExamples) {
  EXPECT_EQ(encodeBase64(""), "");
  EXPECT_EQ(encodeBase64("f"), "Zg==");
  EXPECT_EQ(encodeBase64("fo"), "Zm8=");
  EXPECT_EQ(encodeBase64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encodeBase64("\xff\xfe"), "//4=");
}

TEST(Base64, DecodingGivesTheBytesBack) {
  std::string bytes;
  for (int n = 0; n < 70; ++n) {
    EXPECT_EQ(decodeBase64(encodeBase64(bytes)), bytes);
    bytes += static_cast<char>(37 * n);
  }
}

TEST(Base64, DamagedTextIsRefused) {
  EXPECT_FALSE(decodeBase64("Zm9v YmFy"));
  EXPECT_FALSE(decodeBase64("Zm9v-mFy"));
}

}  // namespace
}  // namespace pneuma
