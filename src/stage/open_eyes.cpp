#include "pneuma/stage/open_eyes.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/interpolate.h"
#include "pneuma/core/smooth_surface.h"

namespace pneuma::stage {
namespace {

// The measured man's left eye [m], found from his closed lids, and where they meet (complexion.cpp
// draws lashes there).
const Vec3 kEye(0.0312, 1.5511, 0.1643);
constexpr double kEyeRadius = 0.0135, kReach = 0.034, kNear = 0.019;
constexpr double kLidHeight = 1.549, kLidSag = 0.0135, kInner = 0.0165, kOuter = 0.0465;
constexpr double kHalfWidth = 0.0122;  // of the opening, no farther than the eyeball is seen

constexpr double kUpper = degreesToRadians(36), kLower = degreesToRadians(7);
constexpr double kFoldAbove = degreesToRadians(52), kFoldBelow = degreesToRadians(34);
constexpr double kLidThickness = 0.0008, kTucked = 0.002;  // [m]

// Angles from the line of sight on the eyeball.
constexpr double kIris = degreesToRadians(29), kPupil = degreesToRadians(10);
constexpr double kCorneaRise = 0.0011;  // [m]

/// A place seen from an eye that looks along +z; x points away from the nose.
struct Sight {
  double r, azimuth, elevation;

  explicit Sight(const Vec3& q)
      : r(q.norm()), azimuth(std::atan2(q.x(), q.z())), elevation(std::asin(q.y() / r)) {}
  Vec3 point() const {
    return r * Vec3(std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
                    std::cos(azimuth) * std::cos(elevation));
  }
};

/// Elevation at which the lids meet, over the azimuth, and the share of the opening that is left
/// there: 1 in the middle, 0 at the corners.
struct LidLine {
  double elevation = 0, open = 0;

  explicit LidLine(double azimuth) {
    constexpr double kLids = kEyeRadius + kLidThickness;
    const double x = kLids * std::sin(std::clamp(azimuth, -kPi / 2, kPi / 2));
    const double u = std::clamp((kEye.x() + x - kInner) / (kOuter - kInner), 0.0, 1.0);
    const double y = kLidHeight - kLidSag * u * (1 - u) - kEye.y();
    elevation = std::asin(y / kLids);
    const double across = x / kHalfWidth;
    open = std::sqrt(std::max(0.0, 1 - across * across));
  }
};

/// Size of the person's head against the measured man's near the eye, and where his eye is.
struct EyeMap {
  double scale = 1;
  Vec3 center = kEye;

  EyeMap(const anatomy::SkinTopology& topology, const std::vector<Vec3>& positions, double side) {
    const Vec3 eye = kEye.cwiseProduct(Vec3(side, 1, 1));
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
    std::vector<std::size_t> near;
    for (std::size_t v = 0; v < positions.size(); ++v)
      if ((topology.places[v] - eye).norm() < kReach) {
        near.push_back(v);
        from += topology.places[v], to += positions[v];
      }
    const auto count = static_cast<double>(std::max<std::size_t>(1, near.size()));
    from /= count, to /= count;
    double before = 0, after = 0;
    for (const std::size_t v : near) {
      before += (topology.places[v] - from).squaredNorm();
      after += (positions[v] - to).squaredNorm();
    }
    scale = before > 0 ? std::sqrt(after / before) : 1;
    center = to + scale * (eye - from);
  }
};

/// Where a vertex of the lids comes to lie. Those within `band` [rad] of where they meet are tucked
/// under the eyeball, so that what the triangles span between both lids is hidden.
Vec3 lidPoint(const Vec3& q, double radius, double band) {
  Sight s(q);
  const LidLine line(s.azimuth);
  const double over = s.elevation - line.elevation;
  const double most = (over > 0 ? kUpper : -kLower) * line.open;
  const double fold = over > 0 ? kFoldAbove : kFoldBelow;
  const double away = std::max(0.0, std::abs(over) - band);
  const double share = std::pow(std::max(0.0, 1 - away / fold), 1.3);
  const double size = radius / kEyeRadius;
  const double near = 1 - smoothStep(kNear * size, kReach * size, s.r);
  const double hold = near * smoothStep(0.0, 0.3, line.open);  // none beyond the corners
  s.elevation += near * share * most;
  if (std::abs(over) < band) {
    s.elevation += hold * (line.elevation + most - s.elevation);
    s.r += hold * (std::min(s.r, radius - kTucked) - s.r);
  } else {
    s.r += hold * share * share * (radius + kLidThickness - s.r);
  }
  return s.point();
}

/// Mean length of the edges near an eye.
double edgeNear(const anatomy::SkinTopology& topology, const std::vector<Vec3>& positions,
                const Vec3& center, double reach) {
  double sum = 0, count = 0;
  for (const Triangle& t : topology.triangles) {
    const Vec3 &a = positions[static_cast<std::size_t>(t[0])],
               &b = positions[static_cast<std::size_t>(t[1])];
    if ((a - center).norm() < reach) sum += (a - b).norm(), ++count;
  }
  return count > 0 ? sum / count : reach;
}

/// A sphere of triangles around the line of sight, +z, with the cornea's bulge.
TriangleMesh ball(double radius) {
  const std::vector<Vec3> corners{{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                  {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  const SmoothSurface smooth(
      std::vector<Triangle>{
          {0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}},
      corners.size(), 5);
  TriangleMesh mesh{smooth.refine(corners), smooth.triangles()};
  for (Vec3& p : mesh.positions) {
    p.normalize();
    const double off = std::acos(std::clamp(p.z(), -1.0, 1.0));
    p *= radius + kCorneaRise * radius / kEyeRadius * (1 - smoothStep(0.35 * kIris, kIris, off));
  }
  return mesh;
}

render::Color eyeColor(const Vec3& place) {
  const Vec3 d = place.normalized();
  const double off = std::acos(std::clamp(d.z(), -1.0, 1.0)), turn = std::atan2(d.y(), d.x());
  const auto hex = [](std::uint32_t c) { return render::Color::hex(c); };
  // Pale, redder away from the iris.
  render::Color c = render::mix(hex(0xe6dcd4), hex(0xc98f80), smoothStep(0.75, 1.25, off));
  const double fibres = 0.5 + 0.3 * std::sin(37 * turn) + 0.2 * std::sin(61 * turn + 1);
  const render::Color iris = render::mix(render::mix(hex(0x5a3a20), hex(0x8a6236), fibres),
                                         hex(0x2a1a10), smoothStep(0.75 * kIris, kIris, off));
  c = render::mix(iris, c, smoothStep(0.96 * kIris, 1.04 * kIris, off));
  return render::mix(hex(0x060505), c, smoothStep(0.92 * kPupil, 1.05 * kPupil, off));
}

}  // namespace

std::array<Eyeball, 2> openEyes(const anatomy::SkinTopology& topology,
                                std::vector<Vec3>& positions) {
  std::array<Eyeball, 2> eyes;
  for (std::size_t k = 0; k < 2; ++k) {
    const double side = k == 0 ? 1 : -1;
    const Vec3 mirror(side, 1, 1);
    const EyeMap map(topology, positions, side);
    eyes[k].center = map.center;
    eyes[k].radius = map.scale * kEyeRadius;
    const double band =
        0.9 * edgeNear(topology, positions, map.center, 1.2 * eyes[k].radius) / eyes[k].radius;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const Vec3 q = (positions[v] - map.center).cwiseProduct(mirror);
      if (q.z() <= 0 || q.norm() > map.scale * kReach) continue;
      positions[v] = map.center + lidPoint(q, eyes[k].radius, band).cwiseProduct(mirror);
    }
    eyes[k].mesh = ball(eyes[k].radius);
    eyes[k].texture = std::make_shared<const render::Texture>(
        render::Texture{.places = eyes[k].mesh.positions, .color = eyeColor});
    for (Vec3& p : eyes[k].mesh.positions) p += eyes[k].center;
  }
  return eyes;
}

render::Material eyeMaterial() {
  render::Material m = render::materials::plain();
  m.roughness = 0.12;
  m.specular = 0.05;
  m.softness = 0.25;
  return m;
}

}  // namespace pneuma::stage
