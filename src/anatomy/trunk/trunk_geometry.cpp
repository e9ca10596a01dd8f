#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/trunk.h"

namespace pneuma::anatomy {
namespace {

/// Index i and weight w of the later entry, so that x ~ (1 - w) v[i] + w v[i + 1].
std::pair<std::size_t, double> bracket(const std::vector<double>& v, double x) {
  const auto later = std::upper_bound(v.begin(), v.end(), x);
  if (later == v.begin()) return {0, 0.0};
  if (later == v.end()) return {v.size() - 2, 1.0};
  const auto i = static_cast<std::size_t>(later - v.begin()) - 1;
  return {i, (x - v[i]) / (v[i + 1] - v[i])};
}

/// Between two points of the margin; a part that carries both keeps the sum of its weights.
MarginPoint between(const MarginPoint& p, const MarginPoint& q, double t) {
  MarginPoint m{(1 - t) * p.position + t * q.position, {}};
  for (const auto& [part, w] : p.carriers) m.carriers.emplace_back(part, (1 - t) * w);
  for (const auto& [part, w] : q.carriers) {
    const auto same = std::find_if(m.carriers.begin(), m.carriers.end(),
                                   [p = part](const auto& e) { return e.first == p; });
    if (same != m.carriers.end())
      same->second += t * w;
    else
      m.carriers.emplace_back(part, t * w);
  }
  return m;
}

/// Sums six times the volume of tetrahedra between an origin and the triangles of the left half;
/// the origin lies in the mid-plane, so that what closes the half there adds nothing.
class HalfVolume {
 public:
  explicit HalfVolume(const Vec3& origin) : origin_(origin) {}

  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    sum_ += (a - origin_).dot((b - origin_).cross(c - origin_));
  }
  double both() const { return sum_ / 3; }  // two halves of a sixth

 private:
  Vec3 origin_;
  double sum_ = 0;
};

/// A level of the cage from spine to front.
std::vector<Vec3> levelLine(const TrunkAnatomy& a, int level, bool withSternum) {
  std::vector<Vec3> line{spinePoint(a, level)};
  const RibAnatomy& rib = a.ribs[static_cast<std::size_t>(level - 1)];
  for (int k = 0; k <= kRibSamples; ++k)
    line.push_back(innerPoint(a, rib, static_cast<double>(k) / kRibSamples));
  if (withSternum) line.push_back(sternumPoint(a, level));
  return line;
}

void addCageWall(const TrunkAnatomy& a, HalfVolume& volume) {
  for (int level = 1; level < kMovingRibs; ++level) {
    const bool full = level < 7;  // both levels reach the sternum
    const auto upper = levelLine(a, level, full), lower = levelLine(a, level + 1, full);
    for (std::size_t k = 0; k + 1 < upper.size(); ++k) {
      volume.add(upper[k], lower[k + 1], lower[k]);
      volume.add(upper[k], upper[k + 1], lower[k + 1]);
    }
  }
  // The opening above rib 1: a fan around the spine.
  const auto top = levelLine(a, 1, true);
  for (std::size_t k = 1; k + 1 < top.size(); ++k) volume.add(top[0], top[k + 1], top[k]);
}

/// Triangles between the lower border of the cage and the margin; both run from the front to the
/// back, the columns of their points say which comes next.
void addStrip(const TrunkAnatomy& a, const std::vector<MarginPoint>& margin, HalfVolume& volume) {
  std::vector<Vec3> cage{sternumPoint(a, 7)};
  std::vector<double> column{0};
  for (int level = 7; level <= kMovingRibs; ++level) {
    cage.push_back(innerPoint(a, a.ribs[static_cast<std::size_t>(level - 1)], 1));
    column.push_back(level == 7 ? 6.5 : level);
  }
  for (int k = kRibSamples; k-- > 0;) {
    cage.push_back(innerPoint(a, a.ribs.back(), static_cast<double>(k) / kRibSamples));
    column.push_back(kHalfColumns - 6.0 * k / kRibSamples);
  }
  cage.push_back(spinePoint(a, kMovingRibs));
  column.push_back(kHalfColumns);
  std::size_t i = 0, j = 0;
  while (i + 1 < cage.size() || j + 1 < margin.size()) {
    const bool advanceCage = j + 1 == margin.size() ||
                             (i + 1 < cage.size() && column[i + 1] <= static_cast<double>(j + 1));
    volume.add(cage[i], margin[j].position, advanceCage ? cage[i + 1] : margin[j + 1].position);
    advanceCage ? ++i : ++j;
  }
}

/// The dome closes the cavity from below, so it counts the other way round.
void addDome(const TrunkAnatomy& a, const std::vector<MarginPoint>& margin, HalfVolume& volume) {
  const auto node = [&](int ring, std::size_t column) -> Vec3 {
    if (ring == kDomeRings) return domeTop(a);
    const Vec3& p = margin[column].position;
    return ring == 0 ? p : domePoint(a, p, static_cast<double>(ring) / kDomeRings);
  };
  for (int k = 0; k < kDomeRings; ++k)
    for (std::size_t c = 0; c + 1 < margin.size(); ++c) {
      const Vec3 p = node(k, c), q = node(k, c + 1), up = node(k + 1, c);
      volume.add(p, up, q);
      if (k + 1 < kDomeRings) volume.add(q, up, node(k + 1, c + 1));
    }
}

}  // namespace

double RadialTable::radius(double parameter, double azimuth) const {
  const auto [i, u] = bracket(parameters(), parameter);
  const auto [j, w] = bracket(azimuths, azimuth);
  const std::size_t n = azimuths.size();
  const auto row = [&, j = j, w = w](std::size_t r) {
    return (1 - w) * radii[r * n + j] + w * radii[r * n + j + 1];
  };
  return (1 - u) * row(i) + u * row(i + 1);
}

double lineLength(const std::vector<Vec3>& line) {
  double length = 0;
  for (std::size_t i = 1; i < line.size(); ++i) length += (line[i] - line[i - 1]).norm();
  return length;
}

Vec3 alongLine(const std::vector<Vec3>& line, double s) {
  double left = std::clamp(s, 0.0, 1.0) * lineLength(line);
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double piece = (line[i] - line[i - 1]).norm();
    if (left <= piece) return line[i - 1] + (line[i] - line[i - 1]) * (left / piece);
    left -= piece;
  }
  return line.back();
}

double azimuthOf(const Vec3& p, const Vec3& center) {
  return std::atan2(std::abs(p.x() - center.x()), p.z() - center.z());
}

Vec3 innerPoint(const TrunkAnatomy& a, const RibAnatomy& rib, double s) {
  const Vec3 p = alongLine(rib.centerline, s);
  const Vec3 tangent =
      (alongLine(rib.centerline, s + 0.02) - alongLine(rib.centerline, s - 0.02)).normalized();
  const Vec3 inward = Vec3(0, p.y(), a.trunk.center.z()) - p;
  return p + rib.radius * (inward - inward.dot(tangent) * tangent).normalized();
}

Vec3 spinePoint(const TrunkAnatomy& a, int level) {
  // A thoracic body is about as deep as 1 % of the height on either side of its centre.
  return {0, a.ribs[static_cast<std::size_t>(level - 1)].head.y(),
          a.thoracic(level).z() + 0.01 * a.height};
}

Vec3 sternumPoint(const TrunkAnatomy& a, int level) {
  const Vec3& p = a.ribs[static_cast<std::size_t>(level - 1)].cartilageOnSternum;
  return {0, p.y(), p.z() - kSternumDepth};
}

std::vector<MarginPoint> costalMargin(const TrunkAnatomy& a) {
  const auto onRib = [&](int level, double s) {
    return MarginPoint{innerPoint(a, a.ribs[static_cast<std::size_t>(level - 1)], s), {{level, 1}}};
  };
  const MarginPoint sternum{a.xiphisternal - kSternumDepth * Vec3::UnitZ(), {{kMarginSternum, 1}}};
  const MarginPoint join{a.marginJoin, {{kMarginSternum, 0.5}, {7, 0.5}}};
  const MarginPoint end8 = onRib(8, 1);
  const double first = (join.position - sternum.position).norm();
  const double second = (end8.position - join.position).norm();
  std::vector<MarginPoint> margin;
  for (int c = 0; c <= 8; ++c) {
    const double s = (first + second) * c / 8;
    margin.push_back(s <= first ? between(sternum, join, s / first)
                                : between(join, end8, (s - first) / second));
  }
  margin.push_back(onRib(9, 1));
  for (const double s : {1.0, 0.82, 0.65, 0.48, 0.31, 0.14}) margin.push_back(onRib(10, s));
  margin.push_back({spinePoint(a, kMovingRibs), {{kMarginSpine, 1}}});
  return margin;
}

Vec3 domePoint(const TrunkAnatomy& a, const Vec3& margin, double t) {
  const RadialTable& dome = a.dome;
  const Vec3 d = margin - dome.center;
  const double across = std::hypot(d.x(), d.z());
  const double marginElevation = std::atan2(d.y(), across);
  const double azimuth = azimuthOf(margin, dome.center);
  const double elevation = marginElevation + t * (kPi / 2 - marginElevation);
  const double bend = d.norm() - dome.radius(marginElevation, azimuth);
  double r = dome.radius(elevation, azimuth) + bend * (1 - t) * (1 - t);
  // Behind, the vertebral bodies stand in front of the table's filled-in values.
  const double spine = (dome.center.z() - a.thoracic(9).z()) / std::max(0.05, -std::cos(azimuth));
  if (azimuth > kPi / 2)
    r = std::min(r, std::max(spine, across) / std::max(0.05, std::cos(elevation)));
  const Vec3 flat(d.x() / across, 0, d.z() / across);
  return dome.center + r * (std::cos(elevation) * flat + std::sin(elevation) * Vec3::UnitY());
}

Vec3 domeTop(const TrunkAnatomy& a) {
  return a.dome.center + a.dome.radius(kPi / 2, 0) * Vec3::UnitY();
}

double thoracicCavity(const TrunkAnatomy& a) {
  HalfVolume volume(a.dome.center);
  const std::vector<MarginPoint> margin = costalMargin(a);
  addCageWall(a, volume);
  addStrip(a, margin, volume);
  addDome(a, margin, volume);
  return volume.both();
}

}  // namespace pneuma::anatomy
