#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pneuma/render/color.h"

/// Plots in one look, drawn by gnuplot to PNG or SVG.
///
///   Plot plot("Quiet breathing");
///   plot.panel("Lung volume", "time [s]", "volume [l]").line(t, v, "simulated");
///   plot.write("volume.svg");
namespace pneuma::render {

/// One axis of a panel; limits left empty follow from the data.
struct Axis {
  std::string label;  ///< quantity and unit: "time [s]"
  std::optional<double> min, max;
  bool logarithmic = false;
  std::vector<std::string> names = {};  ///< of 0, 1, 2, ... in the place of numbers
};

/// Pattern of a line.
enum class Dash { Solid, Dashed, Dotted };

/// Looks of one series.
struct SeriesStyle {
  std::optional<Color> color;  ///< default: the next one of the shared palette
  double width = 2;            ///< of a line [points], or size of a mark
  Dash dash = Dash::Solid;
};

/// Above: beside the panel's title or on lines of its own below it, where it never covers a curve.
enum class LegendPlace { Above, TopRight, TopLeft, BottomRight, BottomLeft, None };

/// One coordinate system. Values that are not finite leave gaps. Series drawn later lie on top; a
/// name may be empty to stay out of the legend.
class Panel {
 public:
  Panel(std::string title, std::string xLabel, std::string yLabel);

  Panel& line(std::span<const double> x, std::span<const double> y, std::string name = "",
              const SeriesStyle& style = {});
  Panel& scatter(std::span<const double> x, std::span<const double> y, std::string name = "",
                 const SeriesStyle& style = {});
  /// The area between two curves (mean plus and minus a deviation, a measured range).
  Panel& band(std::span<const double> x, std::span<const double> low, std::span<const double> high,
              std::string name = "", const SeriesStyle& style = {});
  /// Counts of values in equal bins over their range.
  Panel& histogram(std::span<const double> values, int bins, std::string name = "",
                   const SeriesStyle& style = {});
  /// One bar per label.
  Panel& bars(std::span<const std::string> labels, std::span<const double> values,
              std::string name = "", const SeriesStyle& style = {});
  /// Values on a regular grid, row by row: values[j * x.size() + i] at (x[i], y[j]).
  Panel& heatMap(std::span<const double> x, std::span<const double> y,
                 std::span<const double> values, ColorScale scale);
  /// A thin line across the panel at a value, with its name beside it.
  Panel& horizontalRule(double y, std::string name = "");
  Panel& verticalRule(double x, std::string name = "");

  Axis x, y;
  LegendPlace legend = LegendPlace::Above;
  bool equalAxes = false;  ///< one unit is as long on both axes: shapes keep their proportions

 private:
  friend class Plot;
  struct Series;
  SeriesStyle resolve(const SeriesStyle& style);
  std::vector<std::string> legendNames() const;
  Axis withoutTinyNegatives() const;
  void write(std::string& script, std::size_t index, int width, bool svg) const;
  void writeAxes(std::string& script) const;
  static void writeNames(std::string& script, char axis, const Axis& of);
  double leftMargin() const;
  void writeMarks(std::string& script) const;
  void writeSeries(std::string& script, std::size_t index) const;

  std::string title_;
  std::vector<std::shared_ptr<const Series>> series_;
  std::size_t nextColor_ = 0;
};

/// A figure of one or more panels.
class Plot {
 public:
  explicit Plot(std::string title = "") : title_(std::move(title)) {}

  /// Adds a panel; the reference stays valid while the plot lives.
  Panel& panel(std::string title, std::string xLabel, std::string yLabel);

  /// Writes .png or .svg, complete or not at all. Throws InputError when gnuplot is missing or
  /// fails, when there is nothing to draw, or for another ending.
  void write(const std::filesystem::path& path) const;
  std::string toSvg() const;

  int columns = 1;                          ///< panels side by side
  int panelWidth = 760, panelHeight = 400;  ///< [pixels at 96 dpi]; PNG has twice as many
 private:
  std::string run(bool svg) const;

  std::string title_;
  std::deque<Panel> panels_;
};

}  // namespace pneuma::render
