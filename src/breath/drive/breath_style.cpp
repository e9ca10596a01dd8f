#include "pneuma/breath/breath_style.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "pneuma/core/error.h"
#include "pneuma/core/types.h"

namespace pneuma::breath {
namespace {

/// A table whose fields are taken one by one; what is left over is an error with the nearest name.
class Section {
 public:
  Section(const toml::table& table, std::string file, std::string subject)
      : table_(table), file_(std::move(file)), subject_(std::move(subject)) {}

  double number(const std::string& key, double fallback, double low, double high) {
    known_.push_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) return fallback;
    const auto value = node->value<double>();
    if (!value || !(*value >= low && *value <= high))
      fail(node, key, value ? fmt::format("{} is out of range", *value) : "not a number",
           fmt::format("{} .. {}", low, high));
    return *value;
  }
  std::string text(const std::string& key) {
    known_.push_back(key);
    return table_[key].value_or(std::string());
  }
  const toml::node* node(const std::string& key) {
    known_.push_back(key);
    return table_.get(key);
  }
  void finish() const {
    for (const auto& [key, value] : table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        fail(&value, name, "unknown field", "", nearestName(name, known_));
    }
  }
  [[noreturn]] void fail(const toml::node* node, const std::string& key, const std::string& message,
                         const std::string& expected, const std::string& nearest = "") const {
    const auto& where = (node != nullptr ? node->source() : table_.source()).begin;
    throw InputError(
        {.where = {file_, static_cast<int>(where.line), static_cast<int>(where.column)},
         .subject = subject_,
         .field = key,
         .message = message,
         .expected = expected,
         .nearest = nearest});
  }
  const std::string& file() const { return file_; }

 private:
  const toml::table& table_;
  std::string file_, subject_;
  std::vector<std::string> known_;
};

Contractions readContractions(const toml::node* node, const std::string& file,
                              const std::string& subject) {
  Contractions c;
  if (node == nullptr || node->as_table() == nullptr) return c;
  Section s(*node->as_table(), file, subject);
  c.diaphragm = s.number("diaphragm", 0, 0, 2);
  c.external = s.number("external", 0, 0, 2);
  c.internal = s.number("internal", 0, 0, 2);
  c.scalene = s.number("scalene", 0, 0, 2);
  c.levator = s.number("levator", 0, 0, 2);
  c.rectus = s.number("rectus", 0, 0, 2);
  c.transverse = s.number("transverse", 0, 0, 2);
  s.finish();
  return c;
}

Breath readBreath(const toml::table& table, const std::string& file, const std::string& subject) {
  Section s(table, file, subject);
  Breath b;
  b.period = s.number("period", b.period, 0.05, 600);
  b.rise = s.number("rise", b.rise, 0.01, 0.98);
  b.hold = s.number("hold", b.hold, 0, 0.98);
  b.fall = s.number("fall", b.fall, 0.01, 0.98);
  b.depth = s.number("depth", b.depth, 0, 20);
  b.expire = s.number("expire", b.expire, 0, 20);
  b.steps = static_cast<int>(s.number("steps", b.steps, 1, 50));
  b.swell = s.number("swell", b.swell, 0.01, 1);
  b.bursts = static_cast<int>(s.number("bursts", b.bursts, 0, 200));
  b.shutFrom = s.number("shut_from", b.shutFrom, 0, 1);
  b.shutTo = s.number("shut_to", b.shutTo, 0, 1);
  b.narrowIn = s.number("narrow_in", b.narrowIn, 0, 1000);
  b.narrowOut = s.number("narrow_out", b.narrowOut, 0, 1000);
  s.finish();
  if (b.shutTo < b.shutFrom) s.fail(&table, "shut_to", "before 'shut_from'", ">= shut_from");
  if (b.rise + b.hold + b.fall > 1 + 1e-9)
    s.fail(&table, "fall", "rise, hold and fall together exceed the breath", "a sum <= 1");
  return b;
}

PaperControl readPaper(const toml::table& table, const std::string& file,
                       const std::string& subject) {
  Section s(table, file, subject);
  PaperControl p;
  p.rate = s.number("rate", p.rate, 0.1, 300);
  p.diaphragm = s.number("diaphragm", p.diaphragm, 0, 1);
  p.mean = s.number("mean", p.mean, 0, 1);
  p.swing = s.number("swing", p.swing, 0, 1);
  if (table.contains("rectus")) p.rectus = s.number("rectus", 1, 0, 1);
  s.node("rectus");
  s.finish();
  return p;
}

BreathStyle readStyle(const std::string& name, const toml::table& table, const std::string& file,
                      const Contractions& inspire, const Contractions& expire) {
  const std::string subject = fmt::format("style '{}'", name);
  Section s(table, file, subject);
  BreathStyle style{.name = name, .text = s.text("text"), .inspire = inspire, .expire = expire};
  if (const toml::node* n = s.node("inspire")) style.inspire = readContractions(n, file, subject);
  if (const toml::node* n = s.node("expire")) style.expire = readContractions(n, file, subject);
  style.variability = s.number("variability", 0, 0, 1);
  if (const toml::node* n = s.node("zordan2005"); n != nullptr && n->as_table() != nullptr)
    style.paper = readPaper(*n->as_table(), file, subject);
  const toml::node* list = s.node("breaths");
  if (list == nullptr || list->as_array() == nullptr || list->as_array()->empty())
    s.fail(list, "breaths", "missing or not a list", "a list of tables {period = ...}");
  for (const toml::node& n : *list->as_array()) {
    if (n.as_table() == nullptr) s.fail(&n, "breaths", "not a table", "{period = ...}");
    style.breaths.push_back(readBreath(*n.as_table(), file, subject));
  }
  s.finish();
  return style;
}

double smooth(double x) {
  return 0.5 - 0.5 * std::cos(kPi * std::clamp(x, 0.0, 1.0));
}

/// Of an inspiration: its drive rises at once and most steeply at first, as the pressure of people
/// on a shut airway does (about 1 of 10 cmH2O within the first tenth of a second).
double ramp(double x) {
  return std::sin(0.5 * kPi * std::clamp(x, 0.0, 1.0));
}

}  // namespace

Contractions Contractions::operator*(double s) const {
  return {s * diaphragm, s * external, s * internal,  s * scalene,
          s * levator,   s * rectus,   s * transverse};
}

Contractions Contractions::operator+(const Contractions& o) const {
  return {diaphragm + o.diaphragm,  external + o.external, internal + o.internal,
          scalene + o.scalene,      levator + o.levator,   rectus + o.rectus,
          transverse + o.transverse};
}

double BreathStyle::ratePerMinute() const {
  double total = 0;
  for (const Breath& b : breaths) total += b.period;
  return 60 * static_cast<double>(breaths.size()) / total;
}

void validate(const BreathKnobs& k) {
  std::vector<Diagnostic> found;
  const auto check = [&](const char* field, double value, double low, double high) {
    if (value >= low && value <= high) return;
    found.push_back({.field = field,
                     .message = fmt::format("{} is out of range", value),
                     .expected = fmt::format("{} .. {}", low, high)});
  };
  if (k.rate) check("rate", *k.rate, 0, 300);
  check("effort", k.effort, 0, 20);
  if (k.chestShare) check("chest-share", *k.chestShare, 0, 1);
  if (k.variability) check("variability", *k.variability, 0, 1);
  if (!found.empty()) throw InputError(std::move(found));
}

BreathLevels levels(const Breath& b, double phase) {
  BreathLevels out;
  const double top = b.rise + b.hold;
  if (phase < b.rise) {  // a staircase of steps that begin at once and level off
    const double x = phase / b.rise * b.steps;
    out.inspire = (std::floor(x) + ramp(x - std::floor(x))) / b.steps;
  } else if (phase < top) {
    out.inspire = 1;
  } else {
    out.inspire = 1 - smooth((phase - top) / b.fall);
  }
  // Expiration swells while the inspiration fades and lets go before the next breath.
  const double left = 1 - top;
  const double x = left > 0 ? (phase - top) / left : 0;
  if (x > 0) out.expire = std::min(smooth(x / b.swell), smooth((1 - x) / 0.2));
  if (b.bursts > 0) {  // pulses on a floor: the belly stays tense between them
    constexpr double kFloor = 0.25;
    out.expire *= kFloor + (1 - kFloor) * (0.5 - 0.5 * std::cos(2 * kPi * b.bursts * x));
  }
  out.inspire *= b.depth;
  out.expire *= b.expire;
  constexpr double kResistance = kCmH2O / 1e-3;  // of cmH2O s/l [Pa s/m^3]
  out.airway.open = !(phase >= b.shutFrom && phase < b.shutTo);
  out.airway.resistance = kResistance * (phase < b.rise ? b.narrowIn : b.narrowOut);
  return out;
}

std::vector<BreathStyle> readBreathStyles(const std::filesystem::path& path) {
  const std::string file = path.filename().string();
  toml::table root;
  try {
    root = toml::parse_file(path.string());
  } catch (const toml::parse_error& e) {
    throw InputError(Diagnostic{.where = {file, static_cast<int>(e.source().begin.line),
                                          static_cast<int>(e.source().begin.column)},
                                .message = std::string(e.description())});
  }
  const Contractions inspire = readContractions(root.get("inspire"), file, "inspire");
  const Contractions expire = readContractions(root.get("expire"), file, "expire");
  const toml::table* styles = root["style"].as_table();
  if (styles == nullptr)
    throw InputError(
        Diagnostic{.where = {file}, .field = "style", .message = "no [style.NAME] table"});
  std::vector<BreathStyle> list;
  for (const auto& [key, node] : *styles)
    if (node.as_table() != nullptr)
      list.push_back(readStyle(std::string(key.str()), *node.as_table(), file, inspire, expire));
  return list;
}

const BreathStyle& findBreathStyle(const std::vector<BreathStyle>& styles, std::string_view name) {
  std::vector<std::string> names;
  for (const BreathStyle& s : styles) {
    if (s.name == name) return s;
    names.push_back(s.name);
  }
  throw InputError(Diagnostic{.field = "style",
                              .message = fmt::format("unknown style '{}'", name),
                              .expected = fmt::format("{}", fmt::join(names, ", ")),
                              .nearest = nearestName(name, names)});
}

}  // namespace pneuma::breath
