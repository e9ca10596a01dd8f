// Measurements as body text.
#include <fmt/format.h>

#include <cmath>
#include <span>

#include "anatomy/text/packed_points.h"
#include "pneuma/survey/measure.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using anatomy::internal::packingMiddle;
using anatomy::internal::packPoints;

/// A number with two digits after the point at most, no trailing zeros: 0.01 mm, 0.01 degrees.
std::string number(double v) {
  std::string s = fmt::format("{:.2f}", v);
  s.erase(s.find_last_not_of('0') + 1);
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

std::string vec(const Vec3& v, double unit) {
  return fmt::format("[{}, {}, {}]", number(v.x() * unit), number(v.y() * unit),
                     number(v.z() * unit));
}

std::string sectionText(const SweepSection& s) {
  return fmt::format("[{}, {}, {}, {}, {}, {:.3f}, {:.3f}, {:.3f}]", number(s.center.x() * 1e3),
                     number(s.center.y() * 1e3), number(s.center.z() * 1e3),
                     number(s.radiusA * 1e3), number(s.radiusB * 1e3), s.reference.x(),
                     s.reference.y(), s.reference.z());
}

std::string contourText(const ProfileSection& c) {
  std::string out =
      fmt::format("[{}, {}, {}, {}", number(c.center.x() * 1e3), number(c.center.y() * 1e3),
                  number(c.center.z() * 1e3), number(c.meanRadius * 1e3));
  for (std::size_t k = 0; k < c.cosine.size(); ++k)
    out += fmt::format(", {}, {}", number(c.cosine[k] * 1e3), number(c.sine[k] * 1e3));
  return out + "]";
}

template <class List, class Text>
std::string rows(const char* name, const List& list, Text&& text) {
  std::string out = fmt::format(", {} = [", name);
  for (std::size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + text(list[i]);
  return out + "]";
}

/// Points of a surface without thickness, packed, a row of the table to a line.
std::string surfaceText(const ShapePart& p) {
  const Vec3 middle = packingMiddle(p.grid);
  std::string out =
      fmt::format("  {{ kind = \"plate\", rows = {}, columns = {}, center = {}, packed = \"\"\"\n",
                  p.rows, p.columns, vec(middle, 1e3));
  const auto columns = static_cast<std::size_t>(p.columns);
  for (std::size_t row = 0; row < static_cast<std::size_t>(p.rows); ++row)
    out += packPoints(std::span(p.grid).subspan(row * columns, columns), middle) + "\n";
  return out + "\"\"\" },\n";
}

std::string partText(const ShapePart& p) {
  const bool cut = p.operation == ShapeOperation::Subtract;
  const char* kinds[] = {"sweep", "ellipsoid", "plate", "profile"};
  std::string out = fmt::format("  {{ kind = \"{}\"", kinds[static_cast<int>(p.kind)]);
  if (cut) out += ", operation = \"subtract\"";
  out += fmt::format(", blend = {}", number(p.blend * 1e3));
  const Eigen::AngleAxisd turn(p.rotation);
  const Vec3 rotation = turn.axis() * turn.angle() * (180 / kPi);
  if (p.kind == ShapeKind::Ellipsoid)
    out += fmt::format(", center = {}, radii = {}, rotation = {}, bend = {}", vec(p.center, 1e3),
                       vec(p.radii, 1e3), vec(rotation, 1), vec(p.bend, 1));
  if (p.kind == ShapeKind::Plate && p.thickness.empty()) return surfaceText(p);
  if (p.kind == ShapeKind::Plate) {
    out += fmt::format(", rows = {}, columns = {}, grid = [", p.rows, p.columns);
    for (std::size_t i = 0; i < p.grid.size(); ++i)
      out += fmt::format("{}[{}, {}, {}, {}]", i ? ", " : "", number(p.grid[i].x() * 1e3),
                         number(p.grid[i].y() * 1e3), number(p.grid[i].z() * 1e3),
                         number(p.thickness[i] * 1e3));
    out += "]";
  }
  if (p.kind == ShapeKind::Sweep) out += rows("sections", p.sections, sectionText);
  if (p.kind == ShapeKind::Profile)
    out += fmt::format(", rotation = {}", vec(rotation, 1)) +
           rows("contours", p.contours, contourText);
  return out + " },\n";
}

void appendShape(std::string& out, const Measurement& m) {
  const char* section = m.group == "skin" || m.group == "face" || m.group == "relief"
                            ? "skin_envelope"
                        : m.group == "muscles" ? "muscle_solid"
                                               : "shape";
  out += fmt::format("\n[[{}]]  # volume of the solid {:.2f} cm3, fit {:.2f} mm rms\n", section,
                     m.volume * 1e6, m.fitError * 1e3);
  out += fmt::format("bone = \"{}\"\n", m.name);
  if (m.mirror) out += "mirror = true\n";
  if (m.shape.symmetric) out += "symmetric = true\n";
  out += "part = [\n";
  for (const ShapePart& p : m.shape.parts) out += partText(p);
  out += "]\n";
}

void appendLandmarks(std::string& out, const Measurement& m) {
  if (m.points.empty() && m.curves.empty()) return;
  out += fmt::format("\n[[landmarks]]\nbone = \"{}\"\n", m.name);
  // On a bone of the middle the rule adds the right points to the left ones.
  bool sided = m.mirror;
  for (const auto& [name, p] : m.points) sided = sided || name.ends_with("_l");
  if (sided) out += "mirror = true\n";
  if (!m.points.empty()) out += "[landmarks.points]\n";
  for (const auto& [name, p] : m.points) out += fmt::format("{} = {}\n", name, vec(p, 1e3));
  if (!m.curves.empty()) out += "[landmarks.curves]\n";
  for (const auto& [name, line] : m.curves) {
    out += name + " = [\n";
    for (const Vec3& p : line) out += "  " + vec(p, 1e3) + ",\n";
    out += "]\n";
  }
}

std::string headText(const std::string& credit) {
  return "# Written by `pneuma body measure`. Body frame: +x left, +y up, +z front, the sole at\n"
         "# y = 0; left and right averaged. Measured on:\n# " +
         credit +
         "\nformat = \"pneuma-body 1\"\n"
         "units = { length = \"mm\", angle = \"deg\" }\n";
}

}  // namespace

std::string shapesText(const std::vector<Measurement>& measurements, const std::string& credit) {
  std::string out = headText(credit);
  for (const Measurement& m : measurements) appendShape(out, m);
  return out;
}

std::string landmarksText(const std::vector<Measurement>& measurements, const std::string& credit) {
  std::string out = headText(credit);
  for (const Measurement& m : measurements) appendLandmarks(out, m);
  return out;
}

std::string muscleTable(const std::vector<MuscleMeasurement>& muscles, const std::string& credit) {
  std::string out = "# " + credit + "\nname,volume_cm3,length_mm,mean_area_cm2";
  const std::size_t stations = muscles.empty() ? 0 : muscles[0].sectionArea.size();
  for (std::size_t i = 0; i < stations; ++i) out += fmt::format(",area_{}_cm2", i + 1);
  out += "\n";
  for (const MuscleMeasurement& m : muscles) {
    out += fmt::format("{},{:.2f},{:.1f},{:.3f}", m.solid.name, m.solid.volume * 1e6,
                       m.length * 1e3, m.meanArea * 1e4);
    for (double a : m.sectionArea) out += fmt::format(",{:.3f}", a * 1e4);
    out += "\n";
  }
  return out;
}

}  // namespace pneuma::survey
