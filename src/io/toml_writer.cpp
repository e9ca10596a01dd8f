#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "pneuma/core/check.h"
#include "pneuma/io/run_folder.h"

namespace pneuma::io {
namespace {

using Json = nlohmann::ordered_json;

/// Length of the UTF-8 character that begins at `at`; 0 where the bytes are none.
std::size_t characterLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = at + 1; i < at + length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates and what lies beyond Unicode.
  if (length == 3 &&
      ((lead == 0xE0 && byte(at + 1) < 0xA0) || (lead == 0xED && byte(at + 1) > 0x9F)))
    return 0;
  if (length == 4 &&
      ((lead == 0xF0 && byte(at + 1) < 0x90) || (lead == 0xF4 && byte(at + 1) > 0x8F)))
    return 0;
  return length;
}

/// A path may hold any bytes, TOML only UTF-8: what is none is written as U+FFFD.
std::string asUtf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = characterLength(text, at);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string tomlString(const std::string& text) {
  std::string out = "\"";
  for (const char c : asUtf8(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// A TOML float needs a point or an exponent, or it would read back as an integer.
std::string tomlFloat(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string tomlKey(const std::string& key) {
  const bool bare = !key.empty() && key.find_first_not_of(
                                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-") == std::string::npos;
  return bare ? key : tomlString(key);
}

std::string tomlValue(const Json& value) {
  if (value.is_string()) return tomlString(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float()) return tomlFloat(value.get<double>());
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    const bool fits = number <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    return fits ? fmt::format("{}", number) : fmt::format("\"{}\"", number);
  }
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (value.is_null()) return "\"\"";
  std::string inner;
  for (const auto& item : value.items()) {
    if (!inner.empty()) inner += ", ";
    if (value.is_object()) inner += tomlKey(item.key()) + " = ";
    inner += tomlValue(item.value());
  }
  return value.is_object() ? (inner.empty() ? "{}" : "{ " + inner + " }") : "[" + inner + "]";
}

/// Scalars of a table come before its sub-tables, as TOML demands.
void writeTable(const Json& object, const std::string& prefix, std::string& out) {
  for (const auto& item : object.items())
    if (!item.value().is_object())
      out += tomlKey(item.key()) + " = " + tomlValue(item.value()) + "\n";
  for (const auto& item : object.items()) {
    if (!item.value().is_object()) continue;
    const std::string name =
        prefix.empty() ? tomlKey(item.key()) : prefix + "." + tomlKey(item.key());
    out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", name);
    writeTable(item.value(), name, out);
  }
}

}  // namespace

std::string toToml(const Json& object) {
  PNEUMA_CHECK(object.is_object(), "settings are {}", object.type_name());
  std::string out;
  writeTable(object, "", out);
  return out;
}

}  // namespace pneuma::io
