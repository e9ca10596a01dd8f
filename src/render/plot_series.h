#pragma once

#include "pneuma/core/error.h"
#include "pneuma/render/plot.h"

namespace pneuma::render {

namespace internal {

[[noreturn]] inline void failPlot(const std::string& title, const std::string& message,
                                  const std::string& expected = "") {
  throw InputError(
      Diagnostic{.subject = "plot '" + title + "'", .message = message, .expected = expected});
}

}  // namespace internal

/// One thing drawn in a panel.
struct Panel::Series {
  enum class Kind { Line, Scatter, Band, Boxes, Bars, Heat, RuleX, RuleY };
  Kind kind;
  std::string name;
  SeriesStyle style;
  std::vector<std::vector<double>> columns;  ///< of equal length
  std::vector<std::string> labels;           ///< of bars
  ColorScale scale;                          ///< of a heat map
  double boxWidth = 1;

  /// The numbers as a block of that name; `linear`: both axes are.
  void writeData(std::string& script, const std::string& block, bool linear) const;
  /// Its part of gnuplot's plot command; "" for rules, which are arrows.
  std::string drawing(const std::string& block) const;
};

}  // namespace pneuma::render
