#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "pneuma/core/check.h"
#include "pneuma/io/run_folder.h"

namespace pneuma::io {
namespace {

using Json = nlohmann::ordered_json;

std::string tomlString(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
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
