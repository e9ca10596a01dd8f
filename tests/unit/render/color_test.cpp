#include "pneuma/render/color.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "render/vec.h"

namespace pneuma::render {
namespace {

double lightness(const Color& c) {
  const internal::Rgb l = internal::toLinear(c);
  return static_cast<double>(0.2126f * l[0] + 0.7152f * l[1] + 0.0722f * l[2]);
}

TEST(Color, HexRoundTrips) {
  EXPECT_EQ(Color::hex(0x1f6f8b).toHex(), "#1f6f8b");
}

TEST(Color, SequentialAndHeatMapsAreMonotoneInLightness) {
  for (int i = 1; i <= 100; ++i) {
    const double a = (i - 1) / 100.0, b = i / 100.0;
    EXPECT_LT(lightness(sample(ColorMap::Sequential, a)),
              lightness(sample(ColorMap::Sequential, b)));
    EXPECT_GT(lightness(sample(ColorMap::Heat, a)), lightness(sample(ColorMap::Heat, b)));
  }
}

TEST(Color, DivergingMapIsLightestInTheMiddle) {
  const double middle = lightness(sample(ColorMap::Diverging, 0.5));
  for (const double t : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
    EXPECT_LT(lightness(sample(ColorMap::Diverging, t)), middle);
}

TEST(Color, ValuesOutsideAreClampedAndNonFiniteIsGrey) {
  EXPECT_EQ(sample(ColorMap::Heat, -3), sample(ColorMap::Heat, 0));
  EXPECT_EQ(sample(ColorMap::Heat, 7), sample(ColorMap::Heat, 1));
  EXPECT_EQ(sample(ColorMap::Heat, std::nan("")).toHex(), "#808080");
}

TEST(ColorScale, CoversValuesWithRoundEnds) {
  const std::vector<double> amounts = {0.3, 11.2, std::numeric_limits<double>::infinity()};
  const ColorScale up = makeColorScale(amounts, ColorMap::Sequential, "displacement [mm]");
  EXPECT_EQ(up.min, 0);
  EXPECT_EQ(up.max, 12);
  const std::vector<double> both = {-0.4, 3.1};
  const ColorScale around = makeColorScale(both, ColorMap::Diverging, "");
  EXPECT_EQ(around.min, -4);
  EXPECT_EQ(around.max, 4);
  EXPECT_GT(makeColorScale({}, ColorMap::Heat, "").max, makeColorScale({}, ColorMap::Heat, "").min);
}

TEST(ColorScale, TicksAreRoundAndInside) {
  EXPECT_EQ(roundTicks(0, 12, 6), (std::vector<double>{0, 2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(roundTicks(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_TRUE(roundTicks(1, 1, 4).empty());
}

}  // namespace
}  // namespace pneuma::render
