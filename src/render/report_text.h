#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pneuma/render/report.h"

/// Small pieces shared by the HTML and the Markdown writer.
namespace pneuma::render::internal {

std::string escapeHtml(std::string_view text);
/// Escaped, with `code` and **strong** turned into tags.
std::string inlineHtml(std::string_view text);
/// Whether a cell is a number (with sign, unit-free), so that it belongs to the right.
bool looksNumeric(std::string_view cell);
/// A comparison as a plain table; the marks are words.
Table comparisonTable(const Report::Comparison& comparison);
std::string_view ending(std::string_view name);

}  // namespace pneuma::render::internal
