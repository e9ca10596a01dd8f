#include "cli/validators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"

namespace pneuma::cli {
namespace {

constexpr double kLeastPixels = 64, kMostPixels = 8192;  // of a picture's side

/// The whole text as a number; NaN when it is none.
double parsed(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const char* begin = text.starts_with('+') ? text.data() + 1 : text.data();
  const auto [rest, error] = std::from_chars(begin, end, value);
  return error == std::errc() && rest == end ? value : std::nan("");
}

}  // namespace

CLI::Validator oneOf(std::vector<std::string> names) {
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  return CLI::Validator(
      [names = std::move(names), list](std::string& value) -> std::string {
        for (const std::string& name : names)
          if (name == value) return {};
        const std::string nearest = nearestName(value, names);
        return fmt::format("{} is not one of {}{}", io::quotedWord(value), list,
                           nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest));
      },
      "one of " + list);
}

CLI::Validator between(double lowest, double highest) {
  const std::string range = fmt::format("{:g} .. {:g}", lowest, highest);
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        const double value = parsed(text);
        if (value >= lowest && value <= highest) return {};
        return fmt::format("{} is out of range; expected {}", io::quotedWord(text), range);
      },
      range);
}

CLI::Validator finiteNumber() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        if (std::isfinite(parsed(text))) return {};
        return fmt::format("{} is not a finite number", io::quotedWord(text));
      },
      "");
}

void addPictureSize(CLI::App* verb, int& width, int& height, const std::string& meaning) {
  verb->add_option_function<std::string>(
          "--size",
          [&width, &height](const std::string& text) {
            const std::size_t x = text.find('x');
            const double w = parsed(text.substr(0, x)),
                         h = x == std::string::npos ? std::nan("") : parsed(text.substr(x + 1));
            for (const double side : {w, h})
              if (!(side >= kLeastPixels && side <= kMostPixels && side == std::floor(side)))
                throw CLI::ValidationError(
                    "--size", fmt::format("{} is no size; expected WIDTHxHEIGHT, {:g} to {:g}",
                                          io::quotedWord(text), kLeastPixels, kMostPixels));
            width = static_cast<int>(w), height = static_cast<int>(h);
          },
          meaning)
      ->default_str(fmt::format("{}x{}", width, height))
      ->type_name("WxH");
}

CLI::Validator outputFile(std::vector<std::string> endings) {
  return CLI::Validator(
      [endings = std::move(endings)](std::string& text) -> std::string {
        const std::string ending = std::filesystem::path(text).extension().string();
        if (std::find(endings.begin(), endings.end(), ending) == endings.end())
          return fmt::format("unknown ending '{}' of {}; expected {}", ending, io::quotedWord(text),
                             fmt::join(endings, " or "));
        io::requireWritable(text);
        return {};
      },
      "");
}

namespace internal {

CLI::Validator wholeNumber(bool positive) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
        const bool digits =
            text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
        if (digits && !(positive && text.starts_with('-'))) return {};
        return fmt::format("{} is not a whole number{}", io::quotedWord(text),
                           positive ? " >= 0" : "");
      },
      "");
}

}  // namespace internal
}  // namespace pneuma::cli
