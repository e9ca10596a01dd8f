#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "io/text_scan.h"
#include "pneuma/io/signal.h"

namespace pneuma::io {
namespace {

using namespace internal;

struct ColumnName {
  std::string name, unit;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Seconds per unit of time, or nothing when the word is none.
std::optional<double> secondsPer(std::string_view unit) {
  const std::string u = lower(unit);
  if (u == "s" || u == "sec" || u == "seconds") return 1.0;
  if (u == "ms" || u == "milliseconds") return 1e-3;
  if (u == "us") return 1e-6;
  if (u == "min" || u == "minutes") return 60.0;
  if (u == "h" || u == "hours") return 3600.0;
  return std::nullopt;
}

std::string_view unquoted(std::string_view field) {
  field = trimmed(field);
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    field = trimmed(field.substr(1, field.size() - 2));
  return field;
}

/// "time [s]", "time (s)" or, for times only, "time_s". A suffix of another column may be part of
/// its name ("rib_l"), so it is split off only when it is a unit of time after "time" or "t".
ColumnName splitUnit(std::string_view header) {
  header = unquoted(header);
  for (const std::string_view brackets : {"[]", "()"}) {
    const std::size_t open = header.find(brackets[0]);
    if (open != std::string_view::npos && open > 0 && header.back() == brackets[1])
      return {std::string(trimmed(header.substr(0, open))),
              std::string(trimmed(header.substr(open + 1, header.size() - open - 2)))};
  }
  const std::size_t bar = header.rfind('_');
  if (bar != std::string_view::npos) {
    const std::string stem = lower(header.substr(0, bar));
    const bool isTime = stem == "time" || stem == "t";
    if (isTime && secondsPer(header.substr(bar + 1)))
      return {std::string(header.substr(0, bar)), std::string(header.substr(bar + 1))};
  }
  return {std::string(header), ""};
}

class CsvReader {
 public:
  CsvReader(std::string_view content, const std::string& file, const CsvConfig& config)
      : lines_(content), file_(file), config_(config), errors_(file) {}

  Result<Signals> read() {
    std::string_view line;
    bool first = true;
    while (!errors_.full() && lines_.next(line)) {
      line = trimmed(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      if (first) {
        chooseSeparator(line);
        first = false;
        if (readHeader(line)) continue;
      }
      readRow(line);
    }
    if (errors_.any()) return errors_.take();
    if (columns_.empty() || columns_[0].empty()) return fileError(file_, "has no rows of numbers");
    return makeSignals();
  }

 private:
  void chooseSeparator(std::string_view line) {
    for (const char c : {';', '\t', ','})
      if (line.find(c) != std::string_view::npos) {
        separator_ = c;
        return;
      }
  }

  /// Calls f(column, field) for every field.
  template <class F>
  void forFields(std::string_view line, F&& f) const {
    std::size_t column = 0;
    bool inQuotes = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= line.size(); ++i) {
      if (i < line.size() && line[i] == '"') inQuotes = !inQuotes;
      const bool ends = i == line.size() || (line[i] == separator_ && !inQuotes);
      if (!ends) continue;
      f(column++, unquoted(line.substr(begin, i - begin)));
      begin = i + 1;
    }
  }

  bool number(std::string_view field, double& value) const {
    if (parseNumber(field, value)) return true;
    // "0,5" where the comma does not separate fields.
    const std::size_t comma = field.find(',');
    if (separator_ == ',' || comma == std::string_view::npos || field.size() > 64) return false;
    std::array<char, 64> text;
    std::copy(field.begin(), field.end(), text.begin());
    text[comma] = '.';
    return parseNumber({text.data(), field.size()}, value);
  }

  /// A first line in which some field is no number names the columns.
  bool readHeader(std::string_view line) {
    bool isHeader = false;
    std::vector<std::string_view> fields;
    forFields(line, [&](std::size_t, std::string_view field) {
      double ignored = 0;
      isHeader = isHeader || (!field.empty() && !number(field, ignored));
      fields.push_back(field);
    });
    columns_.resize(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i)
      names_.push_back(isHeader ? splitUnit(fields[i])
                                : ColumnName{fmt::format("column_{}", i + 1), ""});
    hasHeader_ = isHeader;
    if (isHeader) headerLine_ = lines_.number();
    return isHeader;
  }

  void readRow(std::string_view line) {
    std::size_t count = 0;
    rows_.push_back(lines_.number());
    forFields(line, [&](std::size_t column, std::string_view field) {
      ++count;
      if (column >= columns_.size() || errors_.full()) return;
      double value = 0;
      if (!number(field, value) || !std::isfinite(value)) {
        errors_.add(lines_.number(),
                    fmt::format("column '{}' holds {}", names_[column].name, quotedWord(field)),
                    "a finite number");
      }
      columns_[column].push_back(value);
    });
    if (count != columns_.size() && !errors_.full())
      errors_.add(lines_.number(), fmt::format("{} fields", count),
                  fmt::format("{} as in the first line", columns_.size()));
  }

  Result<Signals> makeSignals() {
    Signals signals;
    const Result<std::size_t> time = timeColumn();
    if (!time) return time.diagnostics();
    if (*time == columns_.size()) {
      for (std::size_t i = 0; i < columns_[0].size(); ++i)
        signals.times.push_back(static_cast<double>(i) / config_.sampleRate);
    } else {
      if (columns_.size() < 2)
        return fileError(file_, "has only a time column", "a signal beside it");
      const double scale = secondsPer(names_[*time].unit).value_or(1.0);
      for (const double t : columns_[*time]) signals.times.push_back(t * scale);
    }
    for (std::size_t i = 1; i < signals.times.size(); ++i)
      if (!(signals.times[i] > signals.times[i - 1]))
        return lineError(file_, rows_[i],
                         fmt::format("time does not rise: {} s after {} s", signals.times[i],
                                     signals.times[i - 1]));
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (c != *time)
        signals.channels.push_back({names_[c].name, names_[c].unit, std::move(columns_[c])});
    signals.lines = std::move(rows_);
    signals.headerLine = headerLine_;
    return signals;
  }

  /// Index of the time column; the number of columns when times come from the sample rate.
  Result<std::size_t> timeColumn() const {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      known.push_back(names_[i].name);
      const std::string name = lower(names_[i].name);
      const bool match = config_.timeColumn.empty() ? name == "time" || name == "t"
                                                    : names_[i].name == config_.timeColumn;
      if (match && (hasHeader_ || !config_.timeColumn.empty())) return i;
    }
    if (!config_.timeColumn.empty()) {
      Diagnostic d = fileError(file_, fmt::format("has no column '{}'", config_.timeColumn));
      d.nearest = nearestName(config_.timeColumn, known);
      return d;
    }
    if (config_.sampleRate > 0) return columns_.size();
    return std::size_t{0};
  }

  LineReader lines_;
  const std::string& file_;
  const CsvConfig& config_;
  FileErrors errors_;
  char separator_ = ',';
  bool hasHeader_ = false;
  int headerLine_ = 0;
  std::vector<int> rows_;  // line of each
  std::vector<ColumnName> names_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace

Result<Signals> parseCsvSignals(std::string_view content, const std::string& file,
                                const CsvConfig& config) {
  if (content.empty()) return fileError(file, "is empty");
  if (looksBinary(content)) return fileError(file, "is not a text table: it holds binary data");
  return CsvReader(content, file, config).read();
}

Result<Signals> readCsvSignals(const std::filesystem::path& path, const CsvConfig& config) {
  const Result<std::string> content = readFile(path);
  if (!content) return content.diagnostics();
  return parseCsvSignals(*content, path.string(), config);
}

}  // namespace pneuma::io
