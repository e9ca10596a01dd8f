#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "pneuma/anatomy/model_import.h"
#include "pneuma/io/file.h"
#include "pneuma/io/xml.h"

/// What both importers need.
namespace pneuma::anatomy::internal {

/// Findings of one file, thrown together when reading cannot go on.
class ImportNotes {
 public:
  explicit ImportNotes(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void refuse(const io::XmlElement& e, const std::string& message) const {
    throw InputError(io::lineError(file_, e.line, fmt::format("<{}>: {}", e.name, message)));
  }
  /// Counts what is dropped by its words: "3 x wrap object".
  void drop(const std::string& what) { ++dropped_[what]; }
  std::vector<std::string> dropped() const {
    std::vector<std::string> lines;
    for (const auto& [what, count] : dropped_)
      lines.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
    return lines;
  }

 private:
  std::string file_;
  std::map<std::string, int> dropped_;
};

/// Numbers of a text, separated by blanks; refuses what is none or not finite.
inline std::vector<double> numbersOf(const std::string& text, const io::XmlElement& e,
                                     const ImportNotes& notes) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
    if (at == end) return values;
    double value = 0;
    if (*at == '+') ++at;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value))
      notes.refuse(e, io::quotedWord(std::string_view(at, static_cast<std::size_t>(end - at))) +
                          " is no number");
    values.push_back(value);
    at = stop;
  }
}

inline std::vector<double> numbersOf(const std::string& text, std::size_t count,
                                     const io::XmlElement& e, const ImportNotes& notes) {
  std::vector<double> values = numbersOf(text, e, notes);
  if (values.size() != count)
    notes.refuse(e, fmt::format("{} numbers, where {} are expected", values.size(), count));
  return values;
}

inline Vec3 vectorOf(const std::string& text, const io::XmlElement& e, const ImportNotes& notes) {
  const std::vector<double> v = numbersOf(text, 3, e, notes);
  return {v[0], v[1], v[2]};
}

/// Rotation about an axis that need not have length 1.
inline Mat3 turned(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

/// Turns about x, y and z, each about the axes as turned before.
inline Mat3 turnedXyz(const Vec3& angles) {
  return turned(Vec3::UnitX(), angles.x()) * turned(Vec3::UnitY(), angles.y()) *
         turned(Vec3::UnitZ(), angles.z());
}

/// Sizes of a muscle that follow from the others.
inline void completeMuscle(CompiledMuscle& m) {
  constexpr double kTension = 3.0e5;  // peak force over cross-section, as Muscle::tension [Pa]
  m.restLength = 0;
  for (std::size_t i = 1; i < m.points.size(); ++i)
    m.restLength += (m.points[i].position - m.points[i - 1].position).norm();
  m.pcsa = m.peakForce / kTension;
  m.slackLength =
      m.fiberLength > 0 ? m.tendonLength + m.fiberLength * std::cos(m.pennation) : m.restLength;
  m.muscle = m.name;
}

}  // namespace pneuma::anatomy::internal
