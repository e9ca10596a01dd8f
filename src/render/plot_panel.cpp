#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/plot_series.h"

/// What a panel holds; plot.cpp draws it.
namespace pneuma::render {

Panel::Panel(std::string title, std::string xLabel, std::string yLabel) : title_(std::move(title)) {
  x.label = std::move(xLabel);
  y.label = std::move(yLabel);
}

SeriesStyle Panel::resolve(const SeriesStyle& style) {
  SeriesStyle s = style;
  if (!s.color) s.color = seriesColor(nextColor_++);
  return s;
}

namespace {

std::vector<double> copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}

void requireEqual(const std::string& panel, std::size_t a, std::size_t b) {
  if (a != b || a == 0)
    internal::failPlot(panel, fmt::format("a series has {} and {} values", a, b),
                       "equal numbers, at least one");
}

}  // namespace

Panel& Panel::line(std::span<const double> xs, std::span<const double> ys, std::string name,
                   const SeriesStyle& style) {
  requireEqual(title_, xs.size(), ys.size());
  series_.push_back(std::make_shared<Series>(Series{
      Series::Kind::Line, std::move(name), resolve(style), {copy(xs), copy(ys)}, {}, {}, 1}));
  return *this;
}

Panel& Panel::scatter(std::span<const double> xs, std::span<const double> ys, std::string name,
                      const SeriesStyle& style) {
  requireEqual(title_, xs.size(), ys.size());
  series_.push_back(std::make_shared<Series>(Series{
      Series::Kind::Scatter, std::move(name), resolve(style), {copy(xs), copy(ys)}, {}, {}, 1}));
  return *this;
}

Panel& Panel::band(std::span<const double> xs, std::span<const double> low,
                   std::span<const double> high, std::string name, const SeriesStyle& style) {
  requireEqual(title_, xs.size(), low.size());
  requireEqual(title_, xs.size(), high.size());
  series_.push_back(std::make_shared<Series>(Series{Series::Kind::Band,
                                                    std::move(name),
                                                    resolve(style),
                                                    {copy(xs), copy(low), copy(high)},
                                                    {},
                                                    {},
                                                    1}));
  return *this;
}

Panel& Panel::histogram(std::span<const double> values, int bins, std::string name,
                        const SeriesStyle& style) {
  std::vector<double> finite;
  for (const double v : values)
    if (std::isfinite(v)) finite.push_back(v);
  if (finite.empty() || bins < 1)
    internal::failPlot(title_, fmt::format("{} values in {} bins", finite.size(), bins),
                       "at least one of each");
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  const double from = *low, width = *high > *low ? (*high - *low) / bins : 1.0;
  std::vector<double> centers, counts(static_cast<std::size_t>(bins), 0.0);
  for (int i = 0; i < bins; ++i) centers.push_back(from + (i + 0.5) * width);
  for (const double v : finite)
    ++counts[std::min(static_cast<std::size_t>((v - from) / width), counts.size() - 1)];
  if (!y.min) y.min = 0;
  series_.push_back(std::make_shared<Series>(Series{
      Series::Kind::Boxes, std::move(name), resolve(style), {centers, counts}, {}, {}, width}));
  return *this;
}

Panel& Panel::bars(std::span<const std::string> labels, std::span<const double> values,
                   std::string name, const SeriesStyle& style) {
  requireEqual(title_, labels.size(), values.size());
  std::vector<double> places;
  for (std::size_t i = 0; i < labels.size(); ++i) places.push_back(static_cast<double>(i));
  if (!y.min && std::all_of(values.begin(), values.end(), [](double v) { return v >= 0; }))
    y.min = 0;
  x.min = -0.6;
  x.max = static_cast<double>(labels.size()) - 0.4;
  series_.push_back(std::make_shared<Series>(Series{Series::Kind::Bars,
                                                    std::move(name),
                                                    resolve(style),
                                                    {places, copy(values)},
                                                    {labels.begin(), labels.end()},
                                                    {},
                                                    0.7}));
  return *this;
}

Panel& Panel::heatMap(std::span<const double> xs, std::span<const double> ys,
                      std::span<const double> values, ColorScale scale) {
  requireEqual(title_, xs.size() * ys.size(), values.size());
  if (xs.size() < 2 || ys.size() < 2) internal::failPlot(title_, "a heat map of one row or column");
  Series s{Series::Kind::Heat, "", {.color = palette::kInk}, {{}, {}, copy(values)}, {},
           std::move(scale),   1};
  for (const double yj : ys)
    for (const double xi : xs) {
      s.columns[0].push_back(xi);
      s.columns[1].push_back(yj);
    }
  const double dx = (xs.back() - xs.front()) / (2.0 * static_cast<double>(xs.size() - 1));
  const double dy = (ys.back() - ys.front()) / (2.0 * static_cast<double>(ys.size() - 1));
  if (!x.min) x.min = xs.front() - dx;
  if (!x.max) x.max = xs.back() + dx;
  if (!y.min) y.min = ys.front() - dy;
  if (!y.max) y.max = ys.back() + dy;
  series_.push_back(std::make_shared<Series>(std::move(s)));
  return *this;
}

Panel& Panel::horizontalRule(double value, std::string name) {
  series_.push_back(std::make_shared<Series>(Series{
      Series::Kind::RuleY, std::move(name), {.color = palette::kMuted}, {{value}}, {}, {}, 1}));
  return *this;
}

Panel& Panel::verticalRule(double value, std::string name) {
  series_.push_back(std::make_shared<Series>(Series{
      Series::Kind::RuleX, std::move(name), {.color = palette::kMuted}, {{value}}, {}, {}, 1}));
  return *this;
}

}  // namespace pneuma::render
