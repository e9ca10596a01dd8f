#include "render/report_text.h"

#include <cctype>

namespace pneuma::render::internal {

std::string escapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string inlineHtml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool code = text.starts_with('`'), strong = text.starts_with("**");
    const std::string_view mark = code ? "`" : "**";
    const std::size_t close =
        code || strong ? text.find(mark, mark.size()) : std::string_view::npos;
    if (close != std::string_view::npos) {
      const std::string inner = escapeHtml(text.substr(mark.size(), close - mark.size()));
      out += code ? "<code>" + inner + "</code>" : "<strong>" + inner + "</strong>";
      text.remove_prefix(close + mark.size());
      continue;
    }
    out += escapeHtml(text.substr(0, 1));
    text.remove_prefix(1);
  }
  return out;
}

bool looksNumeric(std::string_view cell) {
  bool digit = false;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const char c = cell[i];
    if (std::isdigit(static_cast<unsigned char>(c)))
      digit = true;
    else if (std::isalpha(static_cast<unsigned char>(c)) && c != 'e' && c != 'E' && c != 'x')
      return false;
  }
  return digit;
}

Table comparisonTable(const Report::Comparison& comparison) {
  Table table{{"quantity", "unit", "published", "ours", "verdict", "note"}, {}, comparison.caption};
  for (const ComparisonRow& row : comparison.rows)
    table.rows.push_back({row.quantity, row.unit, row.published, row.ours,
                          row.pass ? (*row.pass ? "✓ meets" : "✗ differs") : "–", row.note});
  return table;
}

std::string_view ending(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : name.substr(dot);
}

}  // namespace pneuma::render::internal
