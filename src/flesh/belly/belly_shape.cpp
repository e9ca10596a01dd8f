#include "pneuma/flesh/belly_shape.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"

namespace pneuma::flesh {
namespace {

constexpr int kVolumeRounds = 8;
constexpr double kVolumeTolerance = 1e-9;

/// Makes a shape wider or narrower until it encloses a volume. Along a straight line the volume
/// grows with the square of the width; a bent one takes a few rounds.
template <class Make>
BellyGrid ofVolume(const Make& make, double width, double volume) {
  BellyGrid grid = make(width);
  const std::vector<Triangle> triangles = bellyTriangles(grid.slices, grid.around);
  for (int i = 0; i < kVolumeRounds; ++i) {
    const double now = enclosedVolume(grid.points, triangles);
    if (!(now > 0) || std::abs(now - volume) < kVolumeTolerance * volume) break;
    width *= std::sqrt(volume / now);
    grid = make(width);
  }
  return grid;
}

/// A cross-section between the described ones.
anatomy::BellySection sectionAt(std::span<const anatomy::BellySection> sections, double t) {
  const double place = t * static_cast<double>(sections.size()) - 0.5;
  const double last = static_cast<double>(sections.size() - 1);
  if (place < 0 || place > last) {
    anatomy::BellySection s = place < 0 ? sections.front() : sections.back();
    const double part = 2 * std::min(t, 1 - t) * static_cast<double>(sections.size());
    s.center *= part;
    s.wide *= std::sqrt(part);
    s.thick *= std::sqrt(part);
    return s;
  }
  const auto i = std::min(static_cast<std::size_t>(place), sections.size() - 1);
  const auto& a = sections[i];
  const auto& b = sections[std::min(i + 1, sections.size() - 1)];
  const double f = place - static_cast<double>(i);
  anatomy::BellySection s;
  s.center = (1 - f) * a.center + f * b.center;
  s.wide = (1 - f) * a.wide + f * (a.wide.dot(b.wide) < 0 ? -1 : 1) * b.wide;
  s.thick = (1 - f) * a.thick + f * b.thick;
  return s;
}

}  // namespace

Vec3 ringReference(std::span<const Vec3> points) {
  const Vec3 along = (points.back() - points.front()).normalized();
  Vec3::Index axis = 0;
  along.cwiseAbs().minCoeff(&axis);
  const Vec3 across = Vec3::Unit(axis);
  return (across - across.dot(along) * along).normalized();
}

BellyGrid makeFusiformOfVolume(const ActionLine& line, double volume, double exponent, int slices,
                               int around) {
  const double radius = std::sqrt(volume / (2 * std::max(1e-6, line.bellyLength())));
  return ofVolume([&](double r) { return makeFusiform(line, r, exponent, slices, around); }, radius,
                  volume);
}

BellyGrid makeProfiled(const ActionLine& line, std::span<const double> radii, int slices,
                       int around) {
  const auto radiusAt = [&](double t) {
    const double at = t * static_cast<double>(radii.size() - 1);
    const auto i = std::min(static_cast<std::size_t>(at), radii.size() - 2);
    const double part = at - static_cast<double>(i);
    return (1 - part) * radii[i] + part * radii[i + 1];
  };
  BellyGrid grid = makeFusiform(line, 1, 0, slices, around);
  std::vector<Pose> frames;
  line.bellyFrames(slices + 2, ringReference(line.points()), frames);
  for (int s = 0; s < slices; ++s) {
    const Pose& frame = frames[static_cast<std::size_t>(s + 1)];
    const double r = std::max(1e-4, radiusAt((s + 1.0) / (slices + 1.0)));
    for (int a = 0; a < around; ++a) {
      const double phi = 2 * kPi * a / around;
      grid.points[static_cast<std::size_t>(grid.index(s, a))] =
          frame * Vec3(r * std::cos(phi), r * std::sin(phi), 0);
    }
  }
  return grid;
}

BellyGrid makeSectioned(const ActionLine& line, std::span<const anatomy::BellySection> sections,
                        double volume, double rotation, int slices, int around) {
  PNEUMA_CHECK(!sections.empty(), "a belly without sections");
  std::vector<Pose> frames;
  line.bellyFrames(slices + 2, ringReference(line.points()), frames);
  const auto make = [&](double scale) {
    BellyGrid grid{slices, around, {frames.front().position}};
    for (int s = 0; s < slices; ++s) {
      const Pose& frame = frames[static_cast<std::size_t>(s + 1)];
      const Vec3 along = frame.rotation.col(2);
      const anatomy::BellySection section = sectionAt(sections, (s + 1.0) / (slices + 1.0));
      const auto across = [&](const Vec3& v) { return Vec3(v - along.dot(v) * along); };
      const Vec3 side = across(section.wide).stableNormalized();
      const Vec3 turned = Eigen::AngleAxisd(rotation, along) * side;
      const Vec3 wide = scale * section.wide.norm() * turned,
                 thick = scale * section.thick * along.cross(turned);
      for (int a = 0; a < around; ++a) {
        const double phi = 2 * kPi * a / around;
        grid.points.push_back(frame.position + across(section.center) + std::cos(phi) * wide +
                              std::sin(phi) * thick);
      }
    }
    grid.points.push_back(frames.back().position);
    return grid;
  };
  return volume > 0 ? ofVolume(make, 1, volume) : make(1);
}

}  // namespace pneuma::flesh
