#include "pneuma/stage/open_eyes.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "pneuma/core/interpolate.h"
#include "pneuma/core/smooth_surface.h"
#include "pneuma/core/surface_query.h"
#include "stage/lid_line.h"

namespace pneuma::stage {
namespace {

// The measured man's left eye [m], found from his closed lids.
const Vec3 kEye(0.0312, 1.5511, 0.1643);
constexpr double kEyeRadius = 0.0135, kReach = 0.034, kNear = 0.019;
constexpr double kHalfWidth = 0.0124;  // of the opening, no farther than the eyeball is seen
constexpr double kAlmond = 0.95;       // how pointed its corners are: 1/2 an ellipse, 1 a parabola

constexpr double kUpper = degreesToRadians(36), kLower = degreesToRadians(7);
constexpr double kFoldAbove = degreesToRadians(52), kFoldBelow = degreesToRadians(34);
constexpr double kDrawn = 7;  // how far the edge draws the lid along, in widths of what is tucked
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
struct Opening {
  double elevation = 0, open = 0;

  explicit Opening(double azimuth) {
    constexpr double kLids = kEyeRadius + kLidThickness;
    const double x = kLids * std::sin(std::clamp(azimuth, -kPi / 2, kPi / 2));
    const double u = std::clamp(LidLine::along(kEye.x() + x), 0.0, 1.0);
    const double y = LidLine::height(u) - kEye.y();
    elevation = std::asin(y / kLids);
    const double across = x / kHalfWidth;
    open = std::pow(std::max(0.0, 1 - across * across), kAlmond);
  }
  double upper() const { return elevation + kUpper * open; }
  double lower() const { return elevation - kLower * open; }
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
  const Opening line(s.azimuth);
  const double over = s.elevation - line.elevation;
  const double most = (over > 0 ? kUpper : -kLower) * line.open;
  const double fold = over > 0 ? kFoldAbove : kFoldBelow;
  const double away = std::max(0.0, std::abs(over) - band);
  const double share = std::pow(std::max(0.0, 1 - away / fold), 1.3);
  const double size = radius / kEyeRadius;
  const double near = 1 - smoothStep(kNear * size, kReach * size, s.r);
  const double hold = near * smoothStep(0.0, 0.3, line.open);  // none beyond the corners
  // Rows of vertices that the mesh has beside the lower lid's edge come to lie along it, or it
  // would be as jagged as they are; the upper one's are drawn out enough by its own way.
  const double drawn =
      over < 0 ? share * (1 - smoothStep(band, kDrawn * band, std::abs(over))) : 0.0;
  s.elevation += near * (share * most - smoothStep(0.0, 0.3, line.open) * drawn * over);
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

/// Part of the light that lids and lashes leave to a place of the eyeball. They lie so close that a
/// picture's few rays would give grain there instead of shade.
double underLids(const Sight& s) {
  const Opening line(s.azimuth);
  const double above = smoothStep(degreesToRadians(-2), degreesToRadians(20),
                                  line.upper() - s.elevation),
               below = smoothStep(degreesToRadians(-2), degreesToRadians(9),
                                  s.elevation - line.lower()),
               middle = smoothStep(0.0, 0.55, line.open);
  return (0.38 + 0.62 * above) * (0.7 + 0.3 * below) * (0.55 + 0.45 * middle);
}

/// `place` as seen from the middle of the eye, x away from the nose.
render::Color eyeColor(const Vec3& place) {
  const Vec3 d = place.normalized();
  const double off = std::acos(std::clamp(d.z(), -1.0, 1.0)), turn = std::atan2(d.y(), d.x());
  const auto hex = [](std::uint32_t c) { return render::Color::hex(c); };
  // Pale, redder away from the iris.
  render::Color c = render::mix(hex(0xd9cdc3), hex(0xb9786a), smoothStep(0.62, 1.15, off));
  const double fibres = 0.5 + 0.3 * std::sin(37 * turn) + 0.2 * std::sin(61 * turn + 1);
  const double near = 1 - smoothStep(kPupil, 0.55 * kIris, off);  // a paler collar at the pupil
  render::Color iris = render::mix(hex(0x4c3019), hex(0x80592f), fibres);
  iris = render::mix(iris, hex(0x9a7440), 0.35 * near);
  iris = render::mix(iris, hex(0x23160e), smoothStep(0.72 * kIris, kIris, off));
  c = render::mix(iris, c, smoothStep(0.93 * kIris, 1.06 * kIris, off));
  c = render::mix(hex(0x060505), c, smoothStep(0.92 * kPupil, 1.05 * kPupil, off));
  return render::mix(hex(0x1c100c), c, underLids(Sight(place)));
}

/// A number in [0, 1) for the k-th lash.
double lashChance(int k) {
  const double x = 0.754877666 * k + 0.5;
  return x - std::floor(x);
}

/// Hairs along one lid, seen from the middle of the eye: they leave the lid forwards and bend away
/// from the other one.
void addLashes(std::vector<Lash>& lashes, double radius, bool upper) {
  constexpr int kPoints = 6;
  const int count = upper ? 64 : 40;
  const double size = radius / kEyeRadius, length = size * (upper ? 0.0075 : 0.0042),
               thick = size * (upper ? 6.5e-5 : 4.5e-5), side = upper ? 1 : -1;
  for (int k = 0; k < count; ++k) {
    const double u = 2 * (k + 0.6 * lashChance(k)) / count - 1;  // -1 at the nose
    Sight root(radius * Vec3(0.88 * u * kHalfWidth / kEyeRadius, 0, 1).normalized());
    const Opening line(root.azimuth);
    root.elevation = upper ? line.upper() : line.lower();
    root.r = radius + size * kLidThickness * 0.7;
    const Vec3 from = root.point(), ahead = from.normalized();
    const Vec3 away =
        (side * Vec3::UnitY() + (0.55 * u + 0.25 * (lashChance(3 * k) - 0.5)) * Vec3::UnitX())
            .normalized();
    const double grown = length * (0.7 + 0.3 * lashChance(7 * k)) * (0.75 + 0.25 * u);
    Lash lash;
    for (int i = 0; i < kPoints; ++i) {
      const double t = static_cast<double>(i) / (kPoints - 1);
      lash.points.push_back(from +
                            grown * (t * ahead * (1 - 0.35 * t) + (0.1 * t + 0.75 * t * t) * away));
      lash.radii.push_back(thick * (1 - 0.8 * t));
    }
    lashes.push_back(std::move(lash));
  }
}

constexpr int kTerms = 5;  // of the polynomials along the lids
using Terms = Eigen::Matrix<double, kTerms, 1>;

Terms powers(double u) {
  Terms t;
  t[0] = 1;
  for (int k = 1; k < kTerms; ++k) t[k] = t[k - 1] * (2 * u - 1);
  return t;
}

/// Points over the place along the lids, by least squares.
class LidCurve {
 public:
  void add(double u, double weight, const Vec3& p) {
    const Terms t = powers(u);
    normal_ += weight * t * t.transpose();
    right_ += weight * t * p.transpose();
  }
  void solve() { curve_ = normal_.ldlt().solve(right_); }
  Vec3 at(double u) const { return curve_.transpose() * powers(u); }

 private:
  Eigen::Matrix<double, kTerms, kTerms> normal_ = decltype(normal_)::Zero();
  Eigen::Matrix<double, kTerms, 3> right_ = decltype(right_)::Zero(), curve_ = right_;
};

/// Where the lids of one side meet: first among the vertices, then on what is seen of the skin from
/// before it.
LidCurve whereLidsMeet(const anatomy::SkinTopology& topology, const std::vector<Vec3>& positions,
                       double side) {
  constexpr double kFront = 0.11, kBeside = 0.002, kClose = 0.0008;  // [m]
  constexpr double kBefore = 0.02;                                   // [m]
  constexpr int kSeen = 80;
  LidCurve among;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3 q = topology.places[v].cwiseProduct(Vec3(side, 1, 1));
    const double u = LidLine::along(q.x());
    const double over = q.y() - LidLine::height(u);
    if (q.z() < kFront || u < 0 || u > 1 || std::abs(over) > kBeside) continue;
    among.add(u, std::exp(-std::pow(over / kClose, 2)), positions[v]);
  }
  among.solve();
  const Vec3 eye = kEye.cwiseProduct(Vec3(side, 1, 1));
  TriangleMesh around{positions, {}};
  for (const Triangle& t : topology.triangles)
    if ((topology.places[static_cast<std::size_t>(t[0])] - eye).norm() < kReach)
      around.triangles.push_back(t);
  const SurfaceQuery skin(around);
  LidCurve seen;
  for (int k = 0; k <= kSeen; ++k) {
    const double u = static_cast<double>(k) / kSeen;
    const Vec3 p = among.at(u);
    const auto hit = skin.firstHit(p + kBefore * Vec3::UnitZ(), -Vec3::UnitZ(), 2 * kBefore);
    seen.add(u, 1, hit ? hit->point : p);
  }
  seen.solve();
  return seen;
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
    eyes[k].texture = std::make_shared<const render::Texture>(render::Texture{
        .places = eyes[k].mesh.positions,
        .color = [mirror](const Vec3& p) { return eyeColor(p.cwiseProduct(mirror)); }});
    for (Vec3& p : eyes[k].mesh.positions) p += eyes[k].center;
    for (const bool upper : {true, false}) addLashes(eyes[k].lashes, eyes[k].radius, upper);
    for (Lash& lash : eyes[k].lashes)
      for (Vec3& p : lash.points) p = map.center + p.cwiseProduct(mirror);
  }
  return eyes;
}

std::array<Lash, 2> closedLashes(const anatomy::SkinTopology& topology,
                                 const std::vector<Vec3>& positions) {
  constexpr int kPoints = 48;
  constexpr double kFrom = 0.03, kTo = 0.97, kThick = 2.2e-4, kLift = 1e-4;  // [-], [m]
  std::array<Lash, 2> lashes;
  for (std::size_t k = 0; k < 2; ++k) {
    const double side = k == 0 ? 1 : -1;
    const LidCurve line = whereLidsMeet(topology, positions, side);
    const double size = EyeMap(topology, positions, side).scale;
    for (int i = 0; i < kPoints; ++i) {
      const double t = static_cast<double>(i) / (kPoints - 1);
      lashes[k].points.push_back(line.at(kFrom + t * (kTo - kFrom)) + size * kLift * Vec3::UnitZ());
      // Finest at the nose, fullest beyond the middle.
      const double full = smoothStep(0.0, 0.5, t) * (1 - 0.85 * smoothStep(0.75, 1.0, t));
      lashes[k].radii.push_back(size * kThick * (0.2 + 0.8 * full));
    }
  }
  return lashes;
}

render::Material lashMaterial() {
  render::Material m = render::materials::plain(render::Color::hex(0x241812));
  m.roughness = 0.4;
  return m;
}

render::Material eyeMaterial() {
  render::Material m = render::materials::plain();
  m.roughness = 0.12;
  m.specular = 0.05;
  m.softness = 0.25;
  return m;
}

}  // namespace pneuma::stage
