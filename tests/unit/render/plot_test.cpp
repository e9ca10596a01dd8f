#include "pneuma/render/plot.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <regex>

#include "pneuma/core/error.h"
#include "pneuma/render/image.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::render {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PlotFile : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "gnuplot is not installed (Debian package gnuplot-nox)";
  }
  const test::ScratchFolder folder;
  const std::vector<double> x{0, 1, 2, 3}, y{1, 3, 2, 4}, high{2, 4, 3, 5};
};

TEST_F(PlotFile, SvgCarriesTitlesUnitsAndLegendAsWritten) {
  Plot plot("Breath <1> & it's `id` $(x)");
  plot.panel("Volume", "time [s]", "volume [l]")
      .line(x, y, "sim_ulated ^2")
      .band(x, y, high, "range");
  const std::string svg = plot.toSvg();
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, HasSubstr("Breath &lt;1> &amp; it's `id` $(x)"));
  EXPECT_THAT(svg, HasSubstr("time [s]"));
  EXPECT_THAT(svg, HasSubstr("volume [l]"));
  EXPECT_THAT(svg, HasSubstr("sim_ulated ^2"));
}

/// Left end, right end and height of a text in an SVG [pixels].
struct TextPlace {
  double left = 0, right = 0, y = 0;
};
TextPlace placeOf(const std::string& svg, const std::string& text) {
  constexpr double kCharacter = 7;  // width of a letter, a little less than the widest
  const std::regex form(
      "translate\\(([0-9.]+),([0-9.]+)\\)\"[^>]*text-anchor=\"(start|end|middle)\">\\s*<text>" +
      text + "</text>");
  std::smatch found;
  if (!std::regex_search(svg, found, form)) {
    ADD_FAILURE() << text << " is not in the picture";
    return {};
  }
  const double x = std::stod(found[1]), width = kCharacter * static_cast<double>(text.size());
  const double left = found[3] == "start" ? x : found[3] == "end" ? x - width : x - width / 2;
  return {left, left + width, std::stod(found[2])};
}

/// The six curves of a leg's torques: their legend is wider than the picture, and once lay over the
/// title.
TEST_F(PlotFile, ALongLegendLeavesTheTitleWhole) {
  constexpr double kLine = 12;  // height of a letter [pixels]
  const std::vector<std::string> names{"l_hip_flexion", "l_knee_flexion", "l_ankle_flexion",
                                       "r_hip_flexion", "r_knee_flexion", "r_ankle_flexion"};
  Plot plot("Inverse dynamics");
  Panel& panel = plot.panel("Joint torques, legs", "time [s]", "torque [N m]");
  for (const std::string& name : names) panel.line(x, y, name);
  const std::string svg = plot.toSvg();
  const TextPlace title = placeOf(svg, "Joint torques, legs");
  for (const std::string& name : names) {
    const TextPlace entry = placeOf(svg, name);
    EXPECT_TRUE(std::abs(entry.y - title.y) >= kLine || entry.left > title.right) << name;
    EXPECT_GT(entry.left, 0) << name;
    EXPECT_LT(entry.right, plot.panelWidth) << name;
  }
}

TEST_F(PlotFile, PngHasTheAskedSizeAndShowsTheSeriesColour) {
  Plot plot;
  plot.panelWidth = 300, plot.panelHeight = 200;
  plot.panel("a", "x", "y").line(x, y, "", {.color = Color::hex(0xff0000), .width = 3});
  const fs::path path = folder / "line.png";
  plot.write(path);
  const Image image = readPng(path);
  EXPECT_EQ(image.width, 600);
  EXPECT_EQ(image.height, 400);
  int red = 0;
  for (int j = 0; j < image.height; ++j)
    for (int i = 0; i < image.width; ++i) red += image.at(i, j) == Color::hex(0xff0000);
  EXPECT_GT(red, 500);
}

TEST_F(PlotFile, AllKindsAndPanelsDraw) {
  Plot plot("All");
  plot.columns = 2;
  const std::vector<double> values{1, 2, 2, 3, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<std::string> labels{"a", "b's", "c", "d"};
  plot.panel("histogram", "v", "count").histogram(values, 3);
  plot.panel("bars", "", "v").bars(labels, y);
  plot.panel("scatter", "x", "y").scatter(x, y, "dots").horizontalRule(2, "mean").verticalRule(1);
  std::vector<double> grid(16);
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = std::sin(static_cast<double>(i));
  plot.panel("heat", "x", "y").heatMap(x, x, grid, {ColorMap::Diverging, -1, 1, "p [Pa]"});
  const std::string svg = plot.toSvg();
  for (const char* text : {"histogram", "b's", "dots", "mean", "p [Pa]"})
    EXPECT_THAT(svg, HasSubstr(text));
}

TEST_F(PlotFile, BadDataNeverReachesTheFile) {
  const fs::path path = folder / "kept.svg";
  std::ofstream(path) << "former";
  Plot plot;
  EXPECT_THROW(plot.write(path), InputError);  // no panel
  plot.panel("empty", "x", "y");
  EXPECT_THROW(plot.write(path), InputError);  // nothing to draw
  const std::vector<double> shorter{1, 2};
  EXPECT_THROW(plot.panel("p", "x", "y").line(x, shorter), InputError);
  Plot unseen;  // gnuplot itself refuses a logarithmic axis without positive values
  const std::vector<double> negative{-1, -2, -3, -4};
  Panel& p = unseen.panel("p", "x", "y").line(x, negative);
  p.y.logarithmic = true;
  EXPECT_THROW(unseen.write(path), InputError);
  std::ifstream in(path);
  std::string content;
  in >> content;
  EXPECT_EQ(content, "former");
}

TEST_F(PlotFile, UnknownEndingIsNamed) {
  Plot plot;
  plot.panel("p", "x", "y").line(x, y);
  try {
    plot.write("figure.gif");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr(".gif"));
    EXPECT_THAT(e.what(), HasSubstr(".svg"));
  }
}

}  // namespace
}  // namespace pneuma::render
