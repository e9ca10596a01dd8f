#include "breath/cage/shoulder_flesh.h"

#include <algorithm>
#include <cmath>

#include "breath/cage/torso_mesh.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/breath/shoulder_bodies.h"
#include "pneuma/core/error.h"

namespace pneuma::breath::internal {
namespace {

constexpr int kStations = 9;       // rings along a body
constexpr int kSides = 12;         // vertices of a ring
constexpr double kDensity = 1060;  // of muscle [kg/m^3]

/// A ring of a soft body: an ellipse across the line.
struct Station {
  Vec3 center;
  Vec3 outward;      ///< away from the bones
  double breadth;    ///< half of it, across the line and `outward` [m]
  double thickness;  ///< half of it, along `outward` [m]
  std::string bone;  ///< under it
};

Vec3 smoothed(const std::vector<Vec3>& p, double s) {
  const auto n = static_cast<double>(p.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(s * n), p.size() - 2);
  const double t = s * n - static_cast<double>(i);
  const Vec3& b = p[i];
  const Vec3& c = p[i + 1];
  const Vec3 a = i > 0 ? p[i - 1] : Vec3(2 * b - c);
  const Vec3 d = i + 2 < p.size() ? p[i + 2] : Vec3(2 * c - b);
  return 0.5 * (2 * b + t * (c - a) + t * t * (2 * a - 5 * b + 4 * c - d) +
                t * t * t * (3 * b - a - 3 * c + d));  // Catmull-Rom
}

/// Rings around the stations, closed by a point at either end. Vertex ring * kSides + k; k = 0 lies
/// outward, kSides / 2 on the bones.
TriangleMesh loft(const std::vector<Station>& stations) {
  TriangleMesh m;
  const auto n = static_cast<int>(stations.size());
  for (int i = 0; i < n; ++i) {
    const auto at = [&](int j) {
      return stations[static_cast<std::size_t>(std::clamp(j, 0, n - 1))].center;
    };
    const Station& s = stations[static_cast<std::size_t>(i)];
    const Vec3 along = (at(i + 1) - at(i - 1)).normalized();
    const Vec3 out = (s.outward - s.outward.dot(along) * along).normalized();
    const Vec3 across = along.cross(out);
    for (int k = 0; k < kSides; ++k) {
      const double angle = 2 * kPi * k / kSides;
      m.positions.push_back(s.center + s.thickness * std::cos(angle) * out +
                            s.breadth * std::sin(angle) * across);
    }
  }
  const auto vertex = [](int ring, int k) { return ring * kSides + (k + kSides) % kSides; };
  for (int i = 0; i + 1 < n; ++i)
    for (int k = 0; k < kSides; ++k) {
      m.triangles.push_back({vertex(i, k), vertex(i, k + 1), vertex(i + 1, k)});
      m.triangles.push_back({vertex(i, k + 1), vertex(i + 1, k + 1), vertex(i + 1, k)});
    }
  for (const int end : {0, n - 1}) {
    const auto pole = static_cast<std::int32_t>(m.positions.size());
    const Station& s = stations[static_cast<std::size_t>(end)];
    const Vec3& inner = stations[static_cast<std::size_t>(end == 0 ? 1 : n - 2)].center;
    m.positions.push_back(s.center + 0.3 * (s.center - inner));
    for (int k = 0; k < kSides; ++k) {
      Triangle t{vertex(end, k), pole, vertex(end, k + 1)};
      if (end != 0) std::swap(t[1], t[2]);
      m.triangles.push_back(t);
    }
  }
  if (enclosedVolume(m) < 0) flipOrientation(m);
  return m;
}

/// Vertices on the bones, and both ends, hang on the bodies under them.
FleshSpec attach(std::string name, const std::vector<Station>& stations) {
  FleshSpec spec{.name = std::move(name), .mesh = loft(stations)};
  spec.config.mass = kDensity * enclosedVolume(spec.mesh);
  spec.config.bulkModulus = 200e3;
  spec.config.edgeStiffness = 800;
  spec.config.edgeDamping = 4;
  const auto n = static_cast<int>(stations.size());
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < kSides; ++k) {
      const bool end = i == 0 || i == n - 1;
      if (end || std::abs(k - kSides / 2) <= 2) spec.anchors.push_back(i * kSides + k);
      spec.bones.push_back(stations[static_cast<std::size_t>(i)].bone);
    }
  for (const int end : {0, n - 1}) {
    spec.anchors.push_back(static_cast<int>(spec.bones.size()));
    spec.bones.push_back(stations[static_cast<std::size_t>(end)].bone);
  }
  // Section 8: springs across the inside. Departure: in the pectorals too; a membrane this flat has
  // other shapes of the same volume to fall into.
  for (int i = 1; i + 1 < n; ++i)
    for (int k = 0; k < kSides / 2; ++k) {
      const int v = i * kSides + k;
      spec.supports.push_back({v, v + kSides / 2});
    }
  return spec;
}

std::vector<Station> resample(const std::vector<Station>& knots) {
  std::vector<Vec3> centers, outwards, sizes;
  for (const Station& s : knots) {
    centers.push_back(s.center);
    outwards.push_back(s.outward);
    sizes.emplace_back(s.breadth, s.thickness, 0);
  }
  std::vector<Station> out;
  for (int i = 0; i < kStations; ++i) {
    const double s = static_cast<double>(i) / (kStations - 1);
    const auto nearest =
        static_cast<std::size_t>(std::lround(s * static_cast<double>(knots.size() - 1)));
    const Vec3 size = smoothed(sizes, s);
    out.push_back({smoothed(centers, s), smoothed(outwards, s).normalized(),
                   std::max(size.x(), 0.004), std::max(size.y(), 0.003), knots[nearest].bone});
  }
  return out;
}

/// The right side as the mirror image of the left.
FleshSpec mirrored(FleshSpec spec) {
  spec.name.back() = 'r';
  for (Vec3& p : spec.mesh.positions) p = onSide(p, 1);
  flipOrientation(spec.mesh);
  for (std::string& bone : spec.bones)
    if (bone.ends_with("_l")) bone.back() = 'r';
  return spec;
}

/// Breadths and thicknesses below are those of a man of this height [m].
constexpr double kMeasuredHeight = 1.6574;

class Shapes {
 public:
  Shapes(const anatomy::Body& body, const TorsoAnatomy& a)
      : points_(body, findings_), a_(a), size_(a.height / kMeasuredHeight) {}

  /// From the border of the sternum over ribs 3 and 4 to the humerus.
  std::vector<Station> pectoral() const {
    const auto overRib = [&](int level, double s) {
      const RibAnatomy& rib = a_.ribs[static_cast<std::size_t>(level - 1)];
      const Vec3 p = alongLine(rib.centerline, s);
      return std::pair<Vec3, Vec3>(p, (p - innerPoint(a_, rib, s)).normalized());
    };
    const auto knot = [&](const Vec3& p, const Vec3& out, double breadth, double thickness,
                          const char* bone) {
      return Station{p + thickness * size_ * out, out, breadth * size_, thickness * size_, bone};
    };
    const auto [p4, out4] = overRib(4, 0.97);
    const auto [p3, out3] = overRib(3, 0.84);
    const Vec3 sternal = at("body_of_sternum:pectoralis_major_1_l");
    const Vec3 humeral = at("humerus_l:pectoralis_sternocostal");
    const Vec3 front(0.2, 0.1, 1);
    return {knot(sternal, Vec3(0.1, 0, 1).normalized(), 0.040, 0.006, "body_of_sternum"),
            knot(p4 + 0.004 * out4, out4, 0.055, 0.010, "rib_04_l"),
            knot(p3 + 0.005 * out3, out3, 0.050, 0.012, "rib_03_l"),
            knot(0.45 * p3 + 0.55 * humeral + 0.006 * Vec3::UnitZ(), front.normalized(), 0.028,
                 0.012, "clavicle_l"),
            knot(humeral, front.normalized(), 0.014, 0.007, "humerus_l")};
  }

  /// From the side of the neck over the acromion to the tuberosity of the deltoid.
  std::vector<Station> shoulder() const {
    const Vec3 neck = at("vertebra_c5:body_center") + size_ * Vec3(0.030, 0, -0.012);
    const Vec3 clavicle = at("clavicle_l:trapezius_2");
    const Vec3 acromion = at("scapula_l:deltoid_acromial_2");
    const Vec3 head = at("humerus_l:head_center");
    const Vec3 insertion = at("humerus_l:deltoid_acromial");
    const char *girdle = "clavicle_l", *arm = "humerus_l";
    const Vec3 up(0.25, 1, -0.15), side(1, 0.15, 0);
    return {{neck, Vec3(1, 0.2, -0.2).normalized(), 0.014 * size_, 0.008 * size_, "vertebra_c5"},
            {0.5 * (neck + clavicle) + size_ * Vec3(0, -0.004, -0.004), up.normalized(),
             0.026 * size_, 0.011 * size_, "vertebra_t01"},
            {clavicle + size_ * Vec3(0, 0.004, -0.008), up.normalized(), 0.030 * size_,
             0.010 * size_, girdle},
            {acromion + size_ * Vec3(0.004, 0.005, 0), Vec3(0.7, 0.7, 0).normalized(),
             0.034 * size_, 0.008 * size_, girdle},
            {head + size_ * Vec3(0.030, -0.012, 0), side.normalized(), 0.034 * size_, 0.011 * size_,
             arm},
            {0.5 * (head + insertion) + size_ * Vec3(0.018, 0, 0), side.normalized(), 0.024 * size_,
             0.010 * size_, arm},
            {insertion, side.normalized(), 0.010 * size_, 0.006 * size_, arm}};
  }

 private:
  Vec3 at(const char* reference) const { return points_.find(reference).valueOrThrow().position; }

  std::vector<Diagnostic> findings_;
  anatomy::PointTable points_;
  const TorsoAnatomy& a_;
  double size_;
};

}  // namespace

/// Springs of a body that its bones feel. From ring to ring it yields as relaxed muscle does,
/// E A / l of some 100 N/m for a pectoral of 15 cm^2 and 0.22 m (E 15 kPa at small strains:
/// recalled): with the stiffness that keeps its sections in shape it would tie the ribs to the arm
/// and take a fifth of a deep breath.
std::vector<flesh::SurfaceSpring> softAlongItself(const FleshSpec& spec) {
  constexpr double kAlong = 1.0 / 16;
  std::vector<flesh::SurfaceSpring> springs = flesh::SealedSurface::edgesOf(spec.mesh);
  for (flesh::SurfaceSpring& s : springs)
    if (s.a / kSides != s.b / kSides) s.share = kAlong;
  springs.insert(springs.end(), spec.supports.begin(), spec.supports.end());
  return springs;
}

std::vector<FleshSpec> makeShoulderFlesh(const anatomy::Body& body, const TorsoAnatomy& anatomy) {
  const Shapes shapes(body, anatomy);
  const FleshSpec pectoral = attach("pectoral_l", resample(shapes.pectoral()));
  const FleshSpec shoulder = attach("shoulder_l", resample(shapes.shoulder()));
  return {pectoral, mirrored(pectoral), shoulder, mirrored(shoulder)};
}

}  // namespace pneuma::breath::internal

namespace pneuma::breath {

std::vector<flesh::SealedBodyPlan> planShoulderBodies(
    const anatomy::Body& body, const TorsoAnatomy& anatomy,
    const std::function<int(const std::string&)>& linkOf, skeleton::Model& tree) {
  std::vector<flesh::SealedBodyPlan> plans;
  for (internal::FleshSpec& spec : internal::makeShoulderFlesh(body, anatomy)) {
    flesh::SealedBodyPlan plan{.name = spec.name, .config = spec.config};
    plan.springs = internal::softAlongItself(spec);
    for (const std::string& bone : spec.bones) {
      plan.carrier.push_back(linkOf(bone));
      if (plan.carrier.back() < 0)
        throw InputError(Diagnostic{.subject = "soft body '" + spec.name + "'",
                                    .message = "the articulation has no bone '" + bone + "'",
                                    .expected = "one with shoulders and arms"});
    }
    plan.anchored.assign(spec.bones.size(), 0);
    for (const int v : spec.anchors) plan.anchored[static_cast<std::size_t>(v)] = 1;
    plan.mesh = std::move(spec.mesh);
    flesh::takeSealedMass(plan, tree);
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace pneuma::breath
