#include "pneuma/render/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pneuma/io/atomic_file.h"
#include "render/plot_series.h"
#include "render/process.h"

namespace pneuma::render {
namespace {

/// A gnuplot string in single quotes: nothing inside is special but the quote itself.
std::string literal(std::string_view text) {
  std::string q = "'";
  for (const char c : text) {
    if (c == '\'')
      q += "''";
    else
      q += c == '\n' || c == '\r' ? ' ' : c;
  }
  return q + "'";
}

std::string color(const Color& c) {
  return "rgb " + literal(c.toHex());
}

void put(std::string& script, double value) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(script), "{:.9g} ", value);
  else
    script += "NaN ";
}

/// Rows of a line that make a difference to the eye: what lies within `tolerance` (part of the
/// line's extents) of the chord between its kept neighbours is left out (Douglas and Peucker). A
/// minute of measures would else fill a report with points that fall into the same pixel.
std::vector<std::size_t> tellingRows(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr double tolerance = 2e-4;
  const auto extent = [](const std::vector<double>& v) {
    double low = 0, high = 0;
    bool any = false;
    for (const double a : v) {
      if (!std::isfinite(a)) continue;
      low = any ? std::min(low, a) : a, high = any ? std::max(high, a) : a;
      any = true;
    }
    return high > low ? high - low : 1;
  };
  const double width = extent(x), height = extent(y);
  std::vector<char> kept(x.size(), 0);
  const auto whole = [&](std::size_t i) { return std::isfinite(x[i]) && std::isfinite(y[i]); };
  std::vector<std::pair<std::size_t, std::size_t>> open;
  for (std::size_t i = 0, start = 0; i <= x.size(); ++i) {
    if (i < x.size() && whole(i)) continue;
    if (i < x.size()) kept[i] = 1;  // a gap stays one
    if (i > start) open.emplace_back(start, i - 1);
    start = i + 1;
  }
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    kept[a] = kept[b] = 1;
    const double dx = (x[b] - x[a]) / width, dy = (y[b] - y[a]) / height;
    const double chord = std::hypot(dx, dy);
    double worst = tolerance;
    std::size_t at = a;
    for (std::size_t i = a + 1; i < b; ++i) {
      const double px = (x[i] - x[a]) / width, py = (y[i] - y[a]) / height;
      // Beyond the chord's ends the distance to its line would be too small.
      const double along = chord > 0 ? (px * dx + py * dy) / chord : -1;
      const double off = along < 0 || along > chord
                             ? std::min(std::hypot(px, py), std::hypot(px - dx, py - dy))
                             : std::abs(px * dy - py * dx) / chord;
      if (off > worst) worst = off, at = i;
    }
    if (at == a) continue;
    open.emplace_back(a, at);
    open.emplace_back(at, b);
  }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) rows.push_back(i);
  return rows;
}

int dashType(Dash dash) {
  return dash == Dash::Dashed ? 2 : dash == Dash::Dotted ? 3 : 1;
}

const char* legendCommand(LegendPlace place) {
  switch (place) {
    case LegendPlace::TopLeft:
      return "inside top left Left reverse";
    case LegendPlace::BottomRight:
      return "inside bottom right";
    case LegendPlace::BottomLeft:
      return "inside bottom left Left reverse";
    case LegendPlace::TopRight:
      return "inside top right";
    default:
      return "at graph 1, graph 1.015 right bottom horizontal";
  }
}

constexpr double kLegendLine = 1.15;  ///< height of a line [characters]

struct LegendLayout {
  int columns = 1;
  int linesBelowTitle = 0;  ///< 0: the legend stands beside the title
};

/// Widths in pixels are estimates on the safe side for the fonts of Plot::run.
LegendLayout layOutLegend(std::string_view title, std::span<const std::string> names, int width) {
  constexpr double kCharacter = 8.5, kSample = 55, kMargins = 130;
  if (names.empty()) return {};
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const double entry = kCharacter * static_cast<double>(longest) + kSample, room = width - kMargins;
  const auto count = static_cast<int>(names.size());
  if (count * entry + kCharacter * static_cast<double>(title.size()) < room) return {count, 0};
  const int columns = std::clamp(static_cast<int>(room / entry), 1, count);
  return {columns, (count + columns - 1) / columns};
}

void writeRange(std::string& script, char axis, const Axis& a) {
  const auto bound = [](const std::optional<double>& v) {
    return v ? fmt::format("{:.9g}", *v) : std::string("*");
  };
  script += fmt::format("set {}range [{}:{}]\n", axis, bound(a.min), bound(a.max));
  script += fmt::format("{} logscale {}\n", a.logarithmic ? "set" : "unset", axis);
  if (a.logarithmic) script += fmt::format("set format {} '%g'\n", axis);
}

std::string paletteCommand(const ColorScale& scale) {
  std::string nodes;
  for (int i = 0; i <= 16; ++i)
    nodes += fmt::format("{}{} {}", i ? ", " : "", i, literal(sample(scale.map, i / 16.0).toHex()));
  return fmt::format(
      "set palette defined ({})\nset cbrange [{:.9g}:{:.9g}]\nset cblabel {} offset 0.7\n"
      "set colorbox noborder\n",
      nodes, scale.min, scale.max, literal(scale.label));
}

}  // namespace

void Panel::Series::writeData(std::string& script, const std::string& block, bool linear) const {
  if (kind == Kind::RuleX || kind == Kind::RuleY) return;
  script += block + " << EOD\n";
  const auto write = [&](std::size_t row) {
    for (const auto& column : columns) put(script, column[row]);
    script += '\n';
  };
  if (kind == Kind::Line && linear)
    for (const std::size_t row : tellingRows(columns[0], columns[1])) write(row);
  else
    for (std::size_t row = 0; row < columns[0].size(); ++row) write(row);
  script += "EOD\n";
}

std::string Panel::Series::drawing(const std::string& block) const {
  const std::string c = color(*style.color);
  const std::string key = name.empty() ? "notitle" : "title " + literal(name);
  const std::string line = fmt::format("lc {} lw {} dt {}", c, style.width, dashType(style.dash));
  switch (kind) {
    case Kind::Line:
      return fmt::format("{} using 1:2 with lines {} {}", block, line, key);
    case Kind::Scatter:
      return fmt::format("{} using 1:2 with points pt 7 ps {} lc {} {}", block, style.width * 0.35,
                         c, key);
    case Kind::Band:
      return fmt::format(
          "{} using 1:2:3 with filledcurves lc {} fs transparent solid 0.20 noborder {}", block, c,
          key);
    case Kind::Boxes:
    case Kind::Bars:
      return fmt::format(
          "{} using 1:2:({}) with boxes lc {} fs solid 0.75 border lc rgb '#ffffff' {}", block,
          boxWidth, c, key);
    case Kind::Heat:
      return fmt::format("{} using 1:2:3 with image notitle", block);
    default:
      return "";
  }
}
/// Rounding that dips below zero would cost a whole empty tick: the axis ends at the lowest value.
Axis Panel::withoutTinyNegatives() const {
  constexpr double kTiny = 0.03;
  Axis a = y;
  double low = 0, high = 0;
  for (const auto& s : series_) {
    if (s->kind == Series::Kind::Heat || s->kind == Series::Kind::RuleX) continue;
    for (std::size_t c = s->kind == Series::Kind::RuleY ? 0 : 1; c < s->columns.size(); ++c)
      for (const double v : s->columns[c])
        if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
  if (!a.min && !a.logarithmic && low < 0 && low > -kTiny * high) a.min = low;
  return a;
}

/// Rules carry their names themselves.
std::vector<std::string> Panel::legendNames() const {
  std::vector<std::string> names;
  for (const auto& s : series_)
    if (!s->name.empty() && s->kind != Series::Kind::RuleX && s->kind != Series::Kind::RuleY)
      names.push_back(s->name);
  return names;
}

void Panel::writeAxes(std::string& script) const {
  script += "set datafile missing 'NaN'\n";
  script += fmt::format("set border 3 lw 1 lc {0}\nset tics out nomirror scale 0.6 textcolor {1}\n",
                        color(palette::kMuted), color(palette::kInk));
  script += fmt::format("set grid ytics lt 1 lw 0.8 lc {}\n", color(Color::hex(0xe7eaed)));
  script += fmt::format(
      "set xlabel {} textcolor {} offset 0,0.2\nset ylabel {} textcolor {} offset 0.4,0\n",
      literal(x.label), color(palette::kInk), literal(y.label), color(palette::kInk));
  writeNames(script, 'x', x);
  writeNames(script, 'y', y);
}

void Panel::writeNames(std::string& script, char axis, const Axis& of) {
  if (of.names.empty()) return;
  script += fmt::format("set {}tics (", axis);
  for (std::size_t i = 0; i < of.names.size(); ++i)
    script += fmt::format("{}{} {}", i ? ", " : "", literal(of.names[i]), i);
  script += ") scale 0 font ',10'\n";
}

/// Room for the numbers or names of the y axis [widths of a letter].
double Panel::leftMargin() const {
  constexpr double kNumbers = 12, kNamesBeside = 4, kSmaller = 0.62;  // of a proportional font
  std::size_t longest = 0;
  for (const std::string& name : y.names) longest = std::max(longest, name.size());
  return std::max(kNumbers, kNamesBeside + kSmaller * static_cast<double>(longest));
}

void Panel::writeMarks(std::string& script) const {
  using Kind = Series::Kind;
  script += "unset colorbox\n";
  int label = 2;
  // A line across the panel, with the name of its series.
  const auto rule = [&](const std::string& name, const std::string& ends,
                        const std::string& place) {
    script += fmt::format("set arrow from {} nohead lw 1 dt 2 lc {} front\n", ends,
                          color(palette::kMuted));
    script += fmt::format("set label {} {} at {} textcolor {} font ',9' front\n", label++,
                          literal(name), place, color(palette::kMuted));
  };
  for (const auto& s : series_) {
    if (s->kind == Kind::Heat) script += paletteCommand(s->scale) + "unset grid\n";
    const double v = s->columns[0].empty() ? 0 : s->columns[0][0];
    if (s->kind == Kind::RuleY)
      rule(s->name, fmt::format("graph 0, first {0:.9g} to graph 1, first {0:.9g}", v),
           fmt::format("graph 0.995, first {:.9g} right offset 0,0.5", v));
    if (s->kind == Kind::RuleX)
      rule(s->name, fmt::format("first {0:.9g}, graph 0 to first {0:.9g}, graph 1", v),
           fmt::format("first {:.9g}, graph 0.97 left offset 0.5,0", v));
    if (s->kind == Kind::Bars) {
      script += "set xtics (";
      for (std::size_t i = 0; i < s->labels.size(); ++i)
        script += fmt::format("{}{} {}", i ? ", " : "", literal(s->labels[i]), i);
      script += ") scale 0\n";
    }
  }
}

void Panel::writeSeries(std::string& script, std::size_t index) const {
  std::string drawings;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const std::string block = fmt::format("$p{}s{}", index, i);
    series_[i]->writeData(script, block, !x.logarithmic && !y.logarithmic);
    const std::string d = series_[i]->drawing(block);
    if (!d.empty()) drawings += (drawings.empty() ? "plot " : ", \\\n  ") + d;
  }
  if (drawings.empty()) internal::failPlot(title_, "nothing to draw");
  script += drawings + "\n";
}

void Panel::write(std::string& script, std::size_t index, int width, bool svg) const {
  writeAxes(script);
  // A legend that does not fit beside the title gets lines of its own below it.
  const std::vector<std::string> names = legendNames();
  const LegendLayout layout = layOutLegend(title_, names, width);
  const double lines = legend == LegendPlace::Above ? kLegendLine * layout.linesBelowTitle : 0;
  script += fmt::format(
      "set lmargin {}\nset tmargin {}\nset label 1 {} at graph 0, graph 1 left offset 0,{} "
      "textcolor {} font '{}'\n",
      leftMargin(), 3 + lines, literal(title_), 1.1 + lines, color(palette::kInk),
      svg ? ":Bold,14" : ":Bold,13");
  const bool heat =
      std::ranges::any_of(series_, [](const auto& s) { return s->kind == Series::Kind::Heat; });
  script += heat ? "set rmargin 15\n" : "set rmargin 4\n";  // a colour bar; half a tick's number
  if (equalAxes) script += "set size ratio -1\n";
  writeRange(script, 'x', x);
  writeRange(script, 'y', withoutTinyNegatives());
  writeMarks(script);
  if (!names.empty() && legend != LegendPlace::None)
    script += fmt::format(
        "set key {}{} opaque fillcolor rgb '#ffffff' samplen 1.6 spacing {} textcolor {}\n",
        legendCommand(legend),
        legend == LegendPlace::Above ? fmt::format(" maxcols {}", layout.columns) : "", kLegendLine,
        color(palette::kInk));
  else
    script += "unset key\n";
  writeSeries(script, index);
}

Panel& Plot::panel(std::string title, std::string xLabel, std::string yLabel) {
  return panels_.emplace_back(std::move(title), std::move(xLabel), std::move(yLabel));
}

// One gnuplot script for all panels: a program for each would cost more time than drawing.
std::string Plot::run(bool svg) const {
  if (panels_.empty()) internal::failPlot(title_, "no panels");
  const int count = static_cast<int>(panels_.size()), across = std::clamp(columns, 1, count);
  const int rows = (count + across - 1) / across, head = title_.empty() ? 0 : 44;
  const int width = across * panelWidth, height = rows * panelHeight + head;
  std::string script = "set encoding utf8\n";
  script += svg ? fmt::format(
                      "set terminal svg size {},{} dynamic noenhanced font 'Helvetica Neue, "
                      "Helvetica, Arial, sans-serif,13' background '#ffffff'\n",
                      width, height)
                : fmt::format(
                      "set terminal pngcairo size {},{} noenhanced font 'DejaVu Sans,10.5' "
                      "fontscale 2 linewidth 2 pointscale 2 background '#ffffff'\n",
                      2 * width, 2 * height);
  const double top = 1 - static_cast<double>(head) / height;
  const std::string heading =
      head == 0
          ? ""
          : fmt::format("set label 100 {} at screen {}, screen {} left textcolor {} font '{}'\n",
                        literal(title_), 16.0 / width, 1 - 22.0 / height, color(palette::kInk),
                        svg ? ":Bold,18" : ":Bold,15");
  script += "set multiplot\n";
  for (int i = 0; i < count; ++i) {
    const double w = 1.0 / across, h = top / rows;
    script += fmt::format("reset\nset size {:.6f},{:.6f}\nset origin {:.6f},{:.6f}\n", w, h,
                          (i % across) * w, top - (i / across + 1) * h);
    if (i == 0) script += heading;
    panels_[static_cast<std::size_t>(i)].write(script, static_cast<std::size_t>(i), panelWidth,
                                               svg);
  }
  script += "unset multiplot\n";
  internal::Process gnuplot({"gnuplot", "-d"}, "gnuplot-nox");
  gnuplot.write(script);
  std::string output = gnuplot.finish();
  if (output.empty()) internal::failPlot(title_, "gnuplot drew nothing: " + gnuplot.messages());
  return output;
}

std::string Plot::toSvg() const {
  return run(true);
}

void Plot::write(const std::filesystem::path& path) const {
  const std::string ending = path.extension().string();
  if (ending != ".png" && ending != ".svg")
    throw InputError(Diagnostic{.where = {.file = path.string()},
                                .message = "unknown ending '" + ending + "' of a plot",
                                .expected = ".png or .svg"});
  io::writeFile(path, run(ending == ".svg"));
}

}  // namespace pneuma::render
