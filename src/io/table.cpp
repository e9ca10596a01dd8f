#include "pneuma/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/state_blob.h"

namespace pneuma::io {

namespace {

/// A CSV field in quotes where its text demands them (RFC 4180).
std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quotedField = "\"";
  for (const char c : text) {
    if (c == '"') quotedField += '"';
    quotedField += c;
  }
  return quotedField + '"';
}

nlohmann::ordered_json jsonNumber(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

}  // namespace

std::string TableColumn::header() const {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

std::size_t Table::addColumn(std::string name, std::string unit, std::vector<double> values) {
  for (const TableColumn& c : columns_) PNEUMA_CHECK(c.name != name, "column '{}' twice", name);
  columns_.push_back(
      {.name = std::move(name), .unit = std::move(unit), .values = std::move(values)});
  return columns_.size() - 1;
}

std::size_t Table::addTextColumn(std::string name, std::vector<std::string> words) {
  const std::size_t index = addColumn(std::move(name));
  columns_[index].words = std::move(words);
  columns_[index].isText = true;
  return index;
}

void Table::appendRow(std::span<const double> row) {
  PNEUMA_CHECK(row.size() == columns_.size(), "{} values for {} columns", row.size(),
               columns_.size());
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].values.push_back(row[i]);
}

const TableColumn& Table::column(std::string_view name) const {
  for (const TableColumn& c : columns_)
    if (c.name == name) return c;
  std::vector<std::string> names;
  for (const TableColumn& c : columns_) names.push_back(c.name);
  throw InputError(Diagnostic{.message = fmt::format("unknown column '{}'", name),
                              .nearest = nearestName(name, names)});
}

std::string Table::toCsv() const {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    PNEUMA_CHECK(columns_[i].size() == rowCount(), "column '{}' has {} of {} rows",
                 columns_[i].name, columns_[i].size(), rowCount());
    fmt::format_to(to, "{}{}", i ? "," : "", csvField(columns_[i].header()));
  }
  out.push_back('\n');
  for (std::size_t row = 0; row < rowCount(); ++row) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i) out.push_back(',');
      if (columns_[i].isText) {
        fmt::format_to(to, "{}", csvField(columns_[i].words[row]));
      } else {
        fmt::format_to(to, "{}", columns_[i].values[row]);
      }
    }
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

nlohmann::ordered_json Table::toJson() const {
  nlohmann::ordered_json data = nlohmann::ordered_json::object();
  for (const TableColumn& c : columns_) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    if (c.isText) {
      values = c.words;
    } else {
      for (const double v : c.values) values.push_back(jsonNumber(v));
    }
    data[c.name] = {{"unit", c.unit}, {"values", std::move(values)}};
  }
  return data;
}

void Table::save(StateWriter& out) const {
  out.put(static_cast<std::uint64_t>(columns_.size()));
  for (const TableColumn& c : columns_) {
    out.put(c.name);
    out.put(c.unit);
    out.put(c.isText);
    out.put(c.values);
    out.put(static_cast<std::uint64_t>(c.words.size()));
    for (const std::string& word : c.words) out.put(word);
  }
}

void Table::load(StateReader& in) {
  std::vector<TableColumn> columns;
  const auto count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    TableColumn& c = columns.emplace_back();
    in.get(c.name);
    in.get(c.unit);
    in.get(c.isText);
    in.get(c.values);
    const auto words = in.get<std::uint64_t>();
    for (std::uint64_t w = 0; w < words; ++w) in.get(c.words.emplace_back());
  }
  columns_ = std::move(columns);
}

void writeCsv(const std::filesystem::path& path, const Table& table) {
  writeFile(path, table.toCsv());
}

void writeJson(const std::filesystem::path& path, const nlohmann::ordered_json& data) {
  writeFile(path,
            data.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace pneuma::io
