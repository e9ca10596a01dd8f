// Measured bellies as body text.
#include <fmt/format.h>

#include "pneuma/survey/belly_measure.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

std::string zoneText(const anatomy::BellyZone& z) {
  const anatomy::BellyZone plain;
  std::string text =
      fmt::format("  {{ to = \"{}\", from = {:.4g}, until = {:.4g}", z.to, z.from, z.until);
  if (z.direction != plain.direction)
    text += fmt::format(", direction = {:.4g}", radiansToDegrees(z.direction));
  if (z.width != plain.width) text += fmt::format(", width = {:.4g}", radiansToDegrees(z.width));
  return text + " },\n";
}

std::string bellySectionText(const anatomy::BellySection& s) {
  const Vec3 c = 1e3 * s.center, w = 1e3 * s.wide;
  return fmt::format(
      "  {{ center = [{:.1f}, {:.1f}, {:.1f}], wide = [{:.1f}, {:.1f}, {:.1f}], thick = {:.1f} "
      "}},\n",
      c.x(), c.y(), c.z(), w.x(), w.y(), w.z(), 1e3 * s.thick);
}

std::string bellyText(const MeasuredBelly& m) {
  const anatomy::Belly& b = m.belly;
  std::string text = fmt::format("\n[[belly]]\nname = \"{}\"\n", b.name);
  if (m.mirror) text += "mirror = true\n";
  text += fmt::format("slices = {}\npoints_per_slice = {}\n", b.slices, b.pointsPerSlice);
  const anatomy::Belly plain;
  const auto coefficient = [&](const char* name, double value, double usual) {
    if (value != usual) text += fmt::format("{} = {:.4g}\n", name, value);
  };
  coefficient("elasticity_horizontal", b.elasticityHorizontal, plain.elasticityHorizontal);
  coefficient("elasticity_vertical", b.elasticityVertical, plain.elasticityVertical);
  coefficient("curvature_horizontal", b.curvatureHorizontal, plain.curvatureHorizontal);
  coefficient("curvature_vertical", b.curvatureVertical, plain.curvatureVertical);
  if (b.rotation != 0) text += fmt::format("rotation = {:.4g}\n", radiansToDegrees(b.rotation));
  std::string names;
  for (const std::string& name : b.muscles)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  text += fmt::format("muscles = [{}]\n", names);
  if (!b.zones.empty()) {
    text += "zone = [\n";
    for (const anatomy::BellyZone& z : b.zones) text += zoneText(z);
    text += "]\n";
  }
  text += "section = [\n";
  for (const anatomy::BellySection& s : b.sections) text += bellySectionText(s);
  return text + "]\n";
}

}  // namespace

std::string belliesText(const std::vector<MeasuredBelly>& bellies, const std::string& credit) {
  std::string text =
      "# Bellies of the layered figure. Sections (from the action line, in the body frame at "
      "rest)\n"
      "# and coefficients are renewed by `pneuma body measure`; zones and muscles are kept.\n"
      "# Left and right averaged. Measured on:\n# " +
      credit + "\nformat = \"pneuma-body 1\"\nunits = { length = \"mm\", angle = \"deg\" }\n";
  for (const MeasuredBelly& b : bellies) text += bellyText(b);
  return text;
}

}  // namespace pneuma::survey
