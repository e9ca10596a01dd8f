// Muscles: volume, line, cross-sections and a shape of few ellipsoids.
#include <algorithm>
#include <cmath>

#include "anatomy/shape/distance_volume.h"
#include "anatomy/shape/spline.h"
#include "pneuma/core/error.h"
#include "pneuma/survey/measure.h"
#include "survey/centreline.h"
#include "survey/fill_enclosed.h"
#include "survey/shape_fit.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using anatomy::internal::DistanceVolume;

constexpr int kStations = 9;

/// A broad sheet (abdominal wall, iliotibial tract) that coarse samples would miss.
struct Sheet {
  double thickness = 0;  ///< mean [m]
  bool thin = false;     ///< below five millimetres
};

Sheet sheetOf(const TriangleMesh& mesh, double volume) {
  const double thickness = 2 * volume / surfaceArea(mesh);
  return {thickness, thickness < 0.005 && volume > 5e-5};
}

/// Samples across a muscle and parts to describe it grow with its size.
internal::ShapeFitConfig fitConfig(double volume, const Sheet& sheet) {
  const double size = std::cbrt(volume);
  internal::ShapeFitConfig config;
  config.spacing = std::clamp(size / 14, 0.0015, 0.0045);
  if (sheet.thin) config.spacing = std::clamp(0.8 * sheet.thickness, 0.002, 0.0035);
  config.band = 2 * config.spacing;
  config.blend = 1.5 * config.spacing;
  config.ellipsoids = sheet.thin ? 22 : volume > 1.5e-4 ? 12 : volume > 4e-5 ? 9 : 6;
  config.finalIterations = 12;
  config.cuts = 0;
  config.thinnest = 0.0012;
  return config;
}

}  // namespace

void matchVolume(BoneShape& shape, double volume, double cell) {
  for (int pass = 0; pass < 4; ++pass) {
    const double now = enclosedVolume(makeBoneMesh(shape, cell));
    if (now <= 0 || std::abs(now / volume - 1) < 0.02) return;
    // Thickness alone makes up for what a coarse fit of a sheet lost.
    const double factor = std::clamp(volume / now, 0.7, 1.8);
    for (ShapePart& p : shape.parts)
      if (p.operation == ShapeOperation::Add) p.radii.z() *= factor;
  }
}

std::vector<std::string> measurableMuscles(const AnatomyPack& pack, double smallestVolume) {
  std::vector<std::string> names;
  for (const PackPart& p : pack.parts())
    if ((p.kind == "muscle" || p.kind == "connective") && p.side == "left" &&
        p.volume >= smallestVolume && p.name.ends_with("_l"))
      names.push_back(p.name);
  return names;
}

MuscleMeasurement measureMuscle(const AnatomyPack& pack, const std::string& name) {
  std::string right = name;
  right.back() = 'r';
  const std::vector<TriangleMesh> left{pack.mesh(name)};
  MuscleMeasurement m;
  m.solid.name = name;
  m.solid.group = "muscles";
  m.solid.mirror = true;
  m.solid.volume = pack.part(name).volume;
  const Sheet sheet = sheetOf(left[0], m.solid.volume);
  const internal::ShapeFitConfig config = fitConfig(m.solid.volume, sheet);
  DistanceVolume volume =
      anatomy::internal::makeDistanceVolume(left, 0.5 * config.spacing, 6 * config.spacing);
  // Sides of small muscles may differ by half: average only where they agree in volume. Of thin
  // sheets the sides lie farther apart than they are thick, and their mean would have holes.
  if (pack.has(right) && !sheet.thin &&
      std::abs(pack.part(right).volume / std::max(m.solid.volume, 1e-12) - 1) < 0.1) {
    const std::vector<TriangleMesh> other{pack.mesh(right)};
    volume = anatomy::internal::mirrorAverage(
        volume,
        anatomy::internal::makeDistanceVolume(other, 0.5 * config.spacing, 6 * config.spacing));
    m.solid.volume = 0.5 * (m.solid.volume + pack.part(right).volume);
  }
  // From the upper end to the lower one.
  auto [a, b] = internal::farthestEnds(volume);
  if (a.y() < b.y()) std::swap(a, b);
  const std::vector<Vec3> path = internal::medialPath(volume, a, b);
  const ShapePart sweep =
      internal::sweepAlong(volume, path, kStations, 0.5 * anatomy::internal::polylineLength(path));
  for (const SweepSection& s : sweep.sections) {
    m.solid.curves["line"].push_back(s.center);
    m.sectionArea.push_back(kPi * s.radiusA * s.radiusB);
  }
  m.length = anatomy::internal::polylineLength(m.solid.curves["line"]);
  m.meanArea = m.solid.volume / std::max(m.length, 1e-3);
  if (sheet.thin) volume = internal::thickened(volume, 0.0035);
  internal::ShapeFitReport report;
  m.solid.shape = internal::fitShape(volume, {}, config, &report);
  m.solid.fitError = report.rmsError;
  matchVolume(m.solid.shape, m.solid.volume, config.spacing);
  return m;
}

}  // namespace pneuma::survey
