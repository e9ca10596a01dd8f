#pragma once

#include <cmath>

#include "pneuma/anatomy/body.h"

namespace pneuma::anatomy::internal {

/// A table of the trunk under a map that keeps level planes level.
///
/// `there` takes a place along, `back` leads it back, `heightOf` is where a level goes. Each radius
/// is found where its ray meets the image of the surface: the place, seen before the map, tells how
/// far.
template <class There, class Back, class HeightOf>
RadialTable carriedTable(const RadialTable& subject, There&& there, Back&& back,
                         HeightOf&& heightOf) {
  RadialTable t = subject;
  const bool sphere = subject.byElevation();
  if (!sphere)
    for (double& h : t.heights) h = heightOf(h);
  // An axis off the trunk's would bend with the height; its middle is kept.
  const double middle =
      sphere ? subject.center.y() : 0.5 * (subject.heights.front() + subject.heights.back());
  t.center = there(Vec3(subject.center.x(), middle, subject.center.z()));
  if (!sphere) t.center.y() = subject.center.y();
  const std::size_t columns = t.azimuths.size();
  for (std::size_t i = 0; i < t.radii.size(); ++i) {
    const double row = t.parameters()[i / columns], azimuth = t.azimuths[i % columns];
    const double level = sphere ? std::cos(row) : 1;
    const Vec3 direction(level * std::sin(azimuth), sphere ? std::sin(row) : 0,
                         level * std::cos(azimuth));
    const Vec3 from(t.center.x(), sphere ? t.center.y() : row, t.center.z());
    double& r = t.radii[i];
    for (int pass = 0; pass < 30; ++pass) {
      const Vec3 d = back(Vec3(from + r * direction)) -
                     Vec3(subject.center.x(), sphere ? subject.center.y() : 0, subject.center.z());
      const double across = std::hypot(d.x(), d.z());
      const double parameter = sphere ? std::atan2(d.y(), across) : subject.heights[i / columns];
      const double factor = subject.radius(parameter, std::atan2(std::abs(d.x()), d.z())) /
                            (sphere ? d.norm() : across);
      r *= factor;
      if (std::abs(factor - 1) < 1e-15) break;
    }
  }
  return t;
}

}  // namespace pneuma::anatomy::internal
