#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pneuma::io {

class StateWriter;
class StateReader;

/// One named column of numbers or of words, with its unit ("" for none).
struct TableColumn {
  std::string name;
  std::string unit;
  std::vector<double> values;
  std::vector<std::string> words;  ///< used instead of `values` by a column of words
  bool isText = false;

  std::size_t size() const { return isText ? words.size() : values.size(); }
  std::string header() const;  ///< "time [s]"
};

/// Columns of equal length, built column by column or row by row; written as CSV with units in the
/// header, or as JSON. Numbers keep their full precision (the shortest text that reads back equal).
class Table {
 public:
  Table() = default;

  /// Adds a column and returns its index. Names must differ.
  std::size_t addColumn(std::string name, std::string unit = "", std::vector<double> values = {});
  std::size_t addTextColumn(std::string name, std::vector<std::string> words = {});

  /// Appends one value to one column; all columns must be equally long when the table is written.
  void append(std::size_t column, double value) { columns_[column].values.push_back(value); }
  void append(std::size_t column, std::string word) {
    columns_[column].words.push_back(std::move(word));
  }
  /// Appends a row of numbers, one per column.
  void appendRow(std::span<const double> row);
  void appendRow(std::initializer_list<double> row) {
    appendRow(std::span<const double>(row.begin(), row.size()));
  }

  std::size_t rowCount() const { return columns_.empty() ? 0 : columns_.front().size(); }
  std::size_t columnCount() const { return columns_.size(); }
  const std::vector<TableColumn>& columns() const { return columns_; }
  /// Throws InputError with the nearest name when there is no such column.
  const TableColumn& column(std::string_view name) const;

  std::string toCsv() const;
  /// {"time": {"unit": "s", "values": [...]}, ...}; non-finite numbers become null.
  nlohmann::ordered_json toJson() const;

  /// A table that grows during a run is part of its checkpoint.
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::vector<TableColumn> columns_;
};

/// Both atomic.
void writeCsv(const std::filesystem::path& path, const Table& table);
void writeJson(const std::filesystem::path& path, const nlohmann::ordered_json& data);

}  // namespace pneuma::io
