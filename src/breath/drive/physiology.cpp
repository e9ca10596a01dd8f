#include "pneuma/breath/physiology.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

/// Fields of one figure; the first wrong one is reported.
class FigureReader {
 public:
  FigureReader(const toml::table& table, std::string file)
      : table_(table), file_(std::move(file)) {}

  std::string text(const char* field) const {
    const auto value = table_[field].value<std::string>();
    if (!value) fail(field, "missing or not text", "text in quotes");
    return *value;
  }
  double number(const char* field) const {
    const auto value = table_[field].value<double>();
    if (!value) fail(field, "missing or not a number", "a number");
    return *value;
  }
  bool flag(const char* field) const { return table_[field].value_or(false); }

  [[noreturn]] void fail(const char* field, std::string message, std::string expected) const {
    throw InputError(Diagnostic{.where = {file_, static_cast<int>(table_.source().begin.line)},
                                .subject = table_["id"].value_or(std::string("figure")),
                                .field = field,
                                .message = std::move(message),
                                .expected = std::move(expected)});
  }

 private:
  const toml::table& table_;
  std::string file_;
};

HumanFigure readFigure(const FigureReader& r) {
  HumanFigure f{.id = r.text("id"),
                .text = r.text("text"),
                .unit = r.text("unit"),
                .low = r.number("low"),
                .high = r.number("high"),
                .source = r.text("source"),
                .known = r.text("known"),
                .tuned = r.flag("tuned"),
                .relative = r.flag("relative")};
  if (!(f.low < f.high)) r.fail("high", "the range is empty", "more than 'low'");
  if (f.known != "seen" && f.known != "recalled" && f.known != "derived")
    r.fail("known", fmt::format("'{}'", f.known), "seen, recalled or derived");
  return f;
}

}  // namespace

std::vector<HumanFigure> readHumanFigures(const std::filesystem::path& path) {
  const std::string file = path.filename().string();
  toml::table root;
  try {
    root = toml::parse_file(path.string());
  } catch (const toml::parse_error& e) {
    throw InputError(Diagnostic{.where = {file, static_cast<int>(e.source().begin.line)},
                                .message = std::string(e.description())});
  }
  const toml::array* list = root["figure"].as_array();
  if (list == nullptr)
    throw InputError(
        Diagnostic{.where = {file}, .field = "figure", .message = "no [[figure]] table"});
  std::vector<HumanFigure> figures;
  for (const toml::node& node : *list) {
    if (node.as_table() == nullptr) continue;
    const FigureReader reader(*node.as_table(), file);
    figures.push_back(readFigure(reader));
    const std::string& id = figures.back().id;
    if (std::count_if(figures.begin(), figures.end(),
                      [&](const HumanFigure& f) { return f.id == id; }) > 1)
      reader.fail("id", "stands twice", "a name of its own");
  }
  return figures;
}

}  // namespace pneuma::breath
