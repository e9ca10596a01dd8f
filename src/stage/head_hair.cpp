#include "pneuma/stage/head_hair.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/index.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/surface_query.h"
#include "stage/hairline.h"

namespace pneuma::stage {
namespace {

const Vec3 kWhorl(0.008, 1.645, 0.025);  // the crown on the measured man [m]
const Vec3 kEar(0.09, 1.532, 0.07), kEarSize(0.018, 0.036, 0.042);  // likewise [m]
constexpr double kHeadFrom = 1.44, kHeadHeight = 0.2;  // of the measured man's head [m]

/// How hair is cut. Lengths hold for the measured man's size of head.
struct Cut {
  double atRim, onTop;     ///< length of the hairs at the hairline and on top [m]
  double longFrom;         ///< above the hairline they are as long as on top [m]
  double lift;             ///< angle at which they leave the skin [rad]
  double lowest, highest;  ///< over the skin where they lie [m]
  double perArea;          ///< lines [1/m^2]
  double thick;            ///< radius at the root [m]
  double strand;           ///< size of a strand of hairs that go together [m]
  double aside;            ///< how much the front is combed to one side
  int steps;
};
constexpr Cut kMansCut{.atRim = 0.004,
                       .onTop = 0.013,
                       .longFrom = 0.07,
                       .lift = degreesToRadians(60),
                       .lowest = 0.001,
                       .highest = 0.006,
                       .perArea = 6.0e5,
                       .thick = 1.0e-4,
                       .strand = 0.006,
                       .aside = 0.2,
                       .steps = 3};
constexpr Cut kWomansCut{.atRim = 0.030,
                         .onTop = 0.048,
                         .longFrom = 0.06,
                         .lift = degreesToRadians(50),
                         .lowest = 0.001,
                         .highest = 0.010,
                         .perArea = 6.0e5,
                         .thick = 1.1e-4,
                         .strand = 0.009,
                         .aside = 0.9,
                         .steps = 8};

/// A number in [0, 1) for the k-th hair, another one for each `use`.
double chance(std::size_t k, double use) {
  const double x = 0.754877666 * static_cast<double>(k) * use + 0.5 * use;
  return x - std::floor(x);
}

bool isEar(const Vec3& place) {
  const Vec3 left(std::abs(place.x()), place.y(), place.z());
  return (left - kEar).cwiseQuotient(kEarSize).squaredNorm() < 1;
}

/// A place to grow from.
struct Root {
  Vec3 point, place;
  double over;  ///< the hairline [m]
};

/// The head of a person, where hair lies down on it.
class Head {
 public:
  Head(const anatomy::SkinTopology& topology, const std::vector<Vec3>& positions)
      : topology_(topology),
        skin_(headOf(topology, positions)),
        normals_(vertexNormals(skin_.mesh())) {
    std::size_t crown = 0;
    double low = 1e3, high = 0;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const Vec3& p = topology.places[v];
      if ((p - kWhorl).squaredNorm() < (topology.places[crown] - kWhorl).squaredNorm()) crown = v;
      if (p.y() < kHeadFrom) continue;
      low = std::min(low, positions[v].y()), high = std::max(high, positions[v].y());
    }
    whorl_ = positions[crown];
    size_ = (high - low) / kHeadHeight;
  }

  double size() const { return size_; }  ///< against the measured man's

  /// Roots spread over the triangles as their area and the hair's density want it.
  std::vector<Root> roots(double perArea) const {
    std::vector<Root> roots;
    double due = 0.5;
    std::size_t k = 0;
    for (const Triangle& t : skin_.mesh().triangles) {
      const auto mix = [&](const std::vector<Vec3>& of, double u, double v) -> Vec3 {
        return (1 - u - v) * of[at(t[0])] + u * of[at(t[1])] + v * of[at(t[2])];
      };
      const std::vector<Vec3>& x = skin_.mesh().positions;
      const double density = hairDensity(overHairline(mix(topology_.places, 1.0 / 3, 1.0 / 3)));
      due += density * perArea * triangleArea(x[at(t[0])], x[at(t[1])], x[at(t[2])]);
      for (; due >= 1; --due, ++k) {
        double u = chance(k, 1), v = chance(k, 0.754877666);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        const Vec3 place = mix(topology_.places, u, v);
        if (isEar(place)) continue;
        roots.push_back({mix(x, u, v), place, overHairline(place)});
      }
    }
    return roots;
  }

  struct Near {
    Vec3 normal;
    double height;  ///< over the skin [m]
    bool ear;
  };
  /// The skin below a point.
  Near below(const Vec3& p) const {
    const SurfaceQuery::Hit hit = skin_.closest(p);
    const Triangle& t = skin_.mesh().triangles[at(hit.triangle)];
    Vec3 n = Vec3::Zero();
    for (const std::int32_t v : t) {
      const double away = (skin_.mesh().positions[at(v)] - hit.point).norm();
      n += normals_[at(v)] / (away + 1e-5);
    }
    n.normalize();
    return {n, (p - hit.point).dot(n), isEar(topology_.places[at(t[0])])};
  }

  /// The way hair takes over the skin at a point.
  Vec3 way(const Vec3& p, const Vec3& normal, double aside) const {
    Vec3 d = p - whorl_;
    const double off = d.norm() / (0.05 * size_);
    // A whorl turns; the front is combed to one side.
    const Vec3 swirl = normal.cross(d.normalized());
    const double front = smoothStep(0.04, 0.12, d.z() / size_);
    Vec3 w = d.normalized() + 0.9 * std::exp(-off * off) * swirl + aside * front * Vec3::UnitX();
    w -= w.dot(normal) * normal;
    return w.norm() > 1e-9 ? Vec3(w.normalized()) : Vec3(normal.unitOrthogonal());
  }

 private:
  static TriangleMesh headOf(const anatomy::SkinTopology& topology,
                             const std::vector<Vec3>& positions) {
    TriangleMesh head{positions, {}};
    for (const Triangle& t : topology.triangles)
      if (topology.places[at(t[0])].y() > kHeadFrom) head.triangles.push_back(t);
    return head;
  }

  const anatomy::SkinTopology& topology_;
  SurfaceQuery skin_;
  std::vector<Vec3> normals_;
  Vec3 whorl_;
  double size_ = 1;
};

/// One hair from its root to its tip.
render::Polyline grow(const Head& head, const Cut& cut, const Root& root, std::size_t k) {
  const double size = head.size();
  const Vec3 kTuft = Vec3::Constant(cut.strand);
  // Hairs of a strand have height and way in common.
  const double together = smoothNoise(root.place, kTuft),
               turn = 0.5 * smoothNoise(root.place + Vec3(5, 1, 2), 1.5 * kTuft) +
                      0.35 * (chance(k, 3) - 0.5);
  const double length =
      size * (0.8 + 0.4 * chance(k, 5)) *
      (cut.atRim + (cut.onTop - cut.atRim) * smoothStep(0, cut.longFrom, root.over));
  const double full = smoothStep(-0.005, 0.03, root.over);
  const double rest = size * (cut.lowest + (cut.highest - cut.lowest) * full *
                                               std::clamp(chance(k, 7) + 0.3 * together, 0.0, 1.0));
  render::Polyline hair;
  Vec3 p = root.point;
  hair.points.push_back(p);
  hair.radii.push_back(size * cut.thick);
  const double step = length / cut.steps;
  for (int i = 0; i < cut.steps; ++i) {
    const Head::Near skin = head.below(p);
    if (skin.ear) break;  // hair ends above ears instead of growing over them
    const Vec3 ahead = Eigen::AngleAxisd(turn, skin.normal) * head.way(p, skin.normal, cut.aside);
    // Steep at the root, along the skin at its own height. Most of what lacks to that in one step:
    // more would pass it and come back, and hairs were hooks.
    constexpr double kShare = 0.7, kFall = -0.3;
    const double rise =
        std::asin(std::clamp(kShare * (rest - skin.height) / step, kFall, std::sin(cut.lift)));
    p += step * (std::cos(rise) * ahead + std::sin(rise) * skin.normal);
    hair.points.push_back(p);
    hair.radii.push_back(size * cut.thick * (1 - 0.75 * (i + 1.0) / cut.steps));
  }
  // What ended at its root still is a line.
  if (hair.points.size() < 2) {
    hair.points.push_back(p + step * head.below(p).normal);
    hair.radii.push_back(0.25 * size * cut.thick);
  }
  return hair;
}

render::Material hairMaterial(const render::Color& color, double shade) {
  const auto by = [&](float c) { return static_cast<float>(std::clamp(c * shade, 0.0, 1.0)); };
  render::Material m = render::materials::plain({by(color.r), by(color.g), by(color.b)});
  m.roughness = 0.36;
  m.specular = 0.05;
  m.softness = 0.8;
  m.scatter = m.color;
  return m;
}

}  // namespace

std::vector<render::Polyline> headHair(const anatomy::SkinTopology& topology,
                                       const std::vector<Vec3>& positions, anatomy::Sex sex,
                                       const render::Color& color) {
  const Cut& cut = sex == anatomy::Sex::Female ? kWomansCut : kMansCut;
  const Head head(topology, positions);
  const std::vector<Root> roots = head.roots(cut.perArea / (head.size() * head.size()));
  std::vector<render::Polyline> hairs;
  hairs.reserve(roots.size());
  for (std::size_t k = 0; k < roots.size(); ++k) {
    hairs.push_back(grow(head, cut, roots[k], k));
    hairs.back().material = hairMaterial(color, 1.25 + 0.75 * chance(k, 11));
  }
  return hairs;
}

}  // namespace pneuma::stage
