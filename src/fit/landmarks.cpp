#include "pneuma/fit/landmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::fit {
namespace {

// All lengths as shares of the body's height H or of a limb's way to the head.
constexpr double kBand = 0.012;                         // width of a band, of H
constexpr double kWristFrom = 0.14, kWristTo = 0.28;    // of the way from fingers to head
constexpr double kAnkleFrom = 0.14, kAnkleTo = 0.24;    // of the way from toes to head
constexpr double kArmTo = 0.42;                         // bands that give the arm's radius
constexpr double kAboutAsThin = 1.15;                   // times the thinnest band's radius
constexpr double kArmpit = 1.7;                         // times that radius
constexpr double kNeckFrom = 0.08, kNeckTo = 0.36;      // below the top, of H
constexpr double kNeckStep = 0.003;                     // of H, from cut to cut
constexpr double kAsThinAsTheNeck = 1.06;               // times the thinnest cut's radius
constexpr double kThickestNeck = 0.075;                 // of H; 0.05 on very heavy people
constexpr double kMiddleFrom = 0.35, kMiddleTo = 0.75;  // of the trunk
constexpr int kTrunkSections = 21;
constexpr int kProfileCuts = 200;
constexpr double kBorder = 0.03;  // around a limb's root, of H: neither trunk nor limb

[[noreturn]] void askAbout(const std::string& what) {
  throw InputError(Diagnostic{.subject = "character",
                              .message = what,
                              .expected = "a human body with limbs apart from the trunk; or "
                                          "--landmarks points.csv that says where they are"});
}

LimbBands bandsOf(const TriangleMesh& mesh, const std::vector<double>& ways, double width,
                  double longest) {
  LimbBands bands{.width = width};
  const auto count = static_cast<std::size_t>(longest / width);
  std::vector<double> members(count, 0), radii(count, 0);
  std::vector<Vec3> sums(count, Vec3::Zero());
  const auto bandOf = [&](std::size_t v) {
    return std::isfinite(ways[v]) ? static_cast<std::size_t>(ways[v] / width) : count;
  };
  for (std::size_t v = 0; v < ways.size(); ++v)
    if (const std::size_t k = bandOf(v); k < count) sums[k] += mesh.positions[v], members[k] += 1;
  for (std::size_t k = 0; k < count; ++k)
    bands.centres.push_back(members[k] > 0 ? Vec3(sums[k] / members[k])
                                           : (k > 0 ? bands.centres[k - 1] : Vec3::Zero()));
  for (std::size_t v = 0; v < ways.size(); ++v)
    if (const std::size_t k = bandOf(v); k < count)
      radii[k] += (mesh.positions[v] - bands.centres[k]).norm() / members[k];
  bands.radii = std::move(radii);
  return bands;
}

std::size_t bandAt(const LimbBands& bands, double way) {
  return std::min(static_cast<std::size_t>(std::max(0.0, way / bands.width)),
                  bands.radii.size() - 1);
}

/// Way to where a limb is about as thin as at its thinnest between two ways, coming from its end;
/// between bands, for they are broad.
double thinnest(const LimbBands& bands, double from, double to) {
  std::size_t best = bandAt(bands, from);
  for (std::size_t k = best; k <= bandAt(bands, to); ++k)
    if (bands.radii[k] > 0 && bands.radii[k] < bands.radii[best]) best = k;
  const double thin = kAboutAsThin * bands.radii[best];
  while (best > bandAt(bands, from) && bands.radii[best - 1] < thin) --best;
  const double r = bands.radii[best], before = best > 0 ? bands.radii[best - 1] : r;
  const double share = before > thin ? (thin - r) / (before - r) : 0;
  return (static_cast<double>(best) + 0.5 - share) * bands.width;
}

/// Measures one body: each step stores what the next ones need.
class Measurer {
 public:
  Measurer(const TriangleMesh& mesh, const SurfaceGraph& graph, const FiveEnds& ends)
      : mesh_(mesh), ends_(ends), toHead_(graph.distances(ends.head)) {
    for (std::size_t side = 0; side < 2; ++side) {
      toHand_[side] = graph.distances(ends.hands[side]);
      toFoot_[side] = graph.distances(ends.feet[side]);
      m_.hands[side] = mesh.positions[at(ends.hands[side])];
      m_.feet[side] = mesh.positions[at(ends.feet[side])];
    }
  }

  BodyMeasures run() {
    measureHeight();
    for (std::size_t side = 0; side < 2; ++side) measureArm(side), measureLeg(side);
    measureCrotch();
    label();
    measureNeck();
    measureTrunk();
    measureProfile();
    m_.kneeHollows = kneeHollows(mesh_, m_);
    m_.volume = enclosedVolume(mesh_);
    return std::move(m_);
  }

 private:
  const Vec3& x(std::size_t v) const { return mesh_.positions[v]; }

  void measureHeight() {
    const double low = boundingBox(mesh_.positions).min.y();
    const double rough = x(at(ends_.head)).y() - low;
    m_.top = x(at(ends_.head));
    for (std::size_t v = 0; v < toHead_.size(); ++v)
      if (toHead_[v] < 0.25 * rough && x(v).y() > m_.top.y()) m_.top = x(v);
    m_.height = m_.top.y() - low;
  }

  void measureArm(std::size_t side) {
    const double whole = toHead_[at(ends_.hands[side])], H = m_.height;
    LimbBands& arm = m_.arms[side] = bandsOf(mesh_, toHand_[side], kBand * H, whole);
    arm.tip = thinnest(arm, kWristFrom * whole, kWristTo * whole);
    std::vector<double> radii;
    for (std::size_t k = bandAt(arm, arm.tip); k <= bandAt(arm, kArmTo * whole); ++k)
      radii.push_back(arm.radii[k]);
    const double limit = kArmpit * pneuma::internal::quantile(radii, 0.5);
    std::size_t k = bandAt(arm, kArmTo * whole);
    while (k < arm.radii.size() && arm.radii[k] < limit) ++k;
    if (k == arm.radii.size()) askAbout("has an arm whose armpit is not found");
    const double r = arm.radii[k], before = k > 0 ? arm.radii[k - 1] : r;
    const double share = before < limit ? (limit - before) / (r - before) : 1;
    arm.root = (static_cast<double>(k) - 0.5 + share) * arm.width;
  }

  void measureLeg(std::size_t side) {
    const double whole = toHead_[at(ends_.feet[side])];
    LimbBands& leg = m_.legs[side] = bandsOf(mesh_, toFoot_[side], kBand * m_.height, whole);
    leg.tip = thinnest(leg, kAnkleFrom * whole, kAnkleTo * whole);
  }

  /// The place of the skin that is nearest to both feet.
  void measureCrotch() {
    std::size_t best = 0;
    const auto farther = [&](std::size_t v) { return std::max(toFoot_[0][v], toFoot_[1][v]); };
    for (std::size_t v = 1; v < mesh_.vertexCount(); ++v)
      if (farther(v) < farther(best)) best = v;
    m_.crotch = x(best);
    for (std::size_t side = 0; side < 2; ++side) m_.legs[side].root = toFoot_[side][best];
    const double share = (m_.crotch.y() - (m_.top.y() - m_.height)) / m_.height;
    if (share < 0.12 || share > 0.7)
      askAbout(fmt::format("has its legs part at {:.0f} % of its height", 100 * share));
  }

  void label() {
    const double border = kBorder * m_.height;
    m_.labels.assign(mesh_.vertexCount(), 0);
    m_.beyondWrist.assign(mesh_.vertexCount(), false);
    for (std::size_t v = 0; v < m_.labels.size(); ++v)
      for (std::size_t side = 0; side < 2; ++side) {
        const double arm = toHand_[side][v] - m_.arms[side].root;
        const double leg = toFoot_[side][v] - m_.legs[side].root;
        const bool nearer = toFoot_[side][v] < toFoot_[1 - side][v];
        const int number = static_cast<int>(side);
        if (toHand_[side][v] < m_.arms[side].tip) m_.beyondWrist[v] = true;
        if (arm < border) m_.labels[v] = arm < -border ? 1 + number : -1;
        if (leg < border && nearer) m_.labels[v] = leg < -border ? 3 + number : -1;
      }
  }

  bool isArm(std::size_t v) const {
    return toHand_[0][v] < m_.arms[0].root || toHand_[1][v] < m_.arms[1].root;
  }

  /// The middle of the thinnest level cuts below the head. One cut alone would be found anywhere
  /// on a neck, which is about as thin all along.
  void measureNeck() {
    const double H = m_.height, step = kNeckStep * H;
    const auto first = static_cast<int>(kNeckFrom / kNeckStep),
               last = static_cast<int>(kNeckTo / kNeckStep);
    std::vector<Vec3> middles;
    std::vector<double> radii;
    for (int k = first; k <= last; ++k) {
      // By its outer size: pockets of mouth and eyes lie within.
      std::vector<double> xs, zs;
      const double y = m_.top.y() - (k + 0.5) * step;
      for (std::size_t v = 0; v < mesh_.vertexCount(); ++v)
        if (std::abs(x(v).y() - y) < 0.5 * kBand * H && !isArm(v))
          xs.push_back(x(v).x()), zs.push_back(x(v).z());
      if (xs.size() < 6) continue;
      const auto [right, left] = std::ranges::minmax(xs);
      const auto [back, front] = std::ranges::minmax(zs);
      radii.push_back(0.5 * std::sqrt((left - right) * (front - back)));
      middles.emplace_back(0.5 * (left + right), y, 0.5 * (front + back));
    }
    const auto thinnest = std::ranges::min_element(radii);
    if (thinnest == radii.end() || *thinnest > kThickestNeck * H) askAbout("has no neck");
    auto above = static_cast<std::size_t>(thinnest - radii.begin()), below = above;
    const double thin = kAsThinAsTheNeck * radii[above];
    while (above > 0 && radii[above - 1] < thin) --above;
    while (below + 1 < radii.size() && radii[below + 1] < thin) ++below;
    m_.neck = Vec3::Zero();
    for (std::size_t k = above; k <= below; ++k)
      m_.neck += middles[k] / static_cast<double>(below - above + 1);
  }

  void measureTrunk() {
    const double low = m_.crotch.y(), high = m_.neck.y();
    const double half = 0.6 * kBand * m_.height;
    double count = 0;
    for (int i = 0; i < kTrunkSections; ++i) {
      const double share = static_cast<double>(i) / (kTrunkSections - 1);
      TrunkSection s{.y = low + share * (high - low)};
      std::vector<double> xs, zs;
      for (std::size_t v = 0; v < mesh_.vertexCount(); ++v)
        if (std::abs(x(v).y() - s.y) < half && !isArm(v))
          xs.push_back(x(v).x()), zs.push_back(x(v).z());
      if (xs.empty()) askAbout("has a gap in its trunk");
      constexpr double kTrim = 0.01;  // share of points beyond an end that do not count
      s.right = pneuma::internal::quantile(xs, kTrim),
      s.left = pneuma::internal::quantile(xs, 1 - kTrim);
      s.back = pneuma::internal::quantile(zs, kTrim),
      s.front = pneuma::internal::quantile(zs, 1 - kTrim);
      m_.trunk.push_back(s);
      if (share < kMiddleFrom || share > kMiddleTo) continue;
      m_.width += s.width(), m_.depth += s.depth(), count += 1;
      m_.middle += Vec3(0.5 * (s.left + s.right), s.y, 0.5 * (s.front + s.back));
    }
    m_.width /= count, m_.depth /= count, m_.middle /= count;
  }

  /// Area of a level cut: its oriented segments against the origin. Depth by the segments' ends.
  void measureProfile() {
    const double low = m_.top.y() - m_.height, step = (m_.neck.y() - low) / kProfileCuts;
    m_.profile.assign(kProfileCuts, {});
    std::vector<double> front(kProfileCuts, -1e300), back(kProfileCuts, 1e300);
    for (const Triangle& t : mesh_.triangles) {
      if (isArm(at(t[0])) || isArm(at(t[1])) || isArm(at(t[2]))) continue;
      const double a = x(at(t[0])).y(), b = x(at(t[1])).y(), c = x(at(t[2])).y();
      const auto cut = [&](double y) { return (y - low) / step - 0.5; };
      const int first = static_cast<int>(std::ceil(std::max(0.0, cut(std::min({a, b, c})))));
      const int last =
          std::min(kProfileCuts - 1, static_cast<int>(std::floor(cut(std::max({a, b, c})))));
      for (int k = first; k <= last; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const auto ends = crossing(t, low + (k + 0.5) * step);
        m_.profile[i].area += 0.5 * (ends[0].z() * ends[1].x() - ends[0].x() * ends[1].z());
        for (const Vec3& p : ends)
          front[i] = std::max(front[i], p.z()), back[i] = std::min(back[i], p.z());
      }
    }
    for (std::size_t i = 0; i < m_.profile.size(); ++i) m_.profile[i].depth = front[i] - back[i];
  }

  /// Where a level crosses a triangle: from the edge that goes down through it to the one that goes
  /// up.
  std::array<Vec3, 2> crossing(const Triangle& t, double y) const {
    std::array<Vec3, 2> ends{Vec3::Zero(), Vec3::Zero()};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 &p = x(at(t[k])), &q = x(at(t[(k + 1) % 3]));
      if ((p.y() < y) == (q.y() < y)) continue;
      ends[p.y() < y ? 1 : 0] = p + (y - p.y()) / (q.y() - p.y()) * (q - p);
    }
    return ends;
  }

  const TriangleMesh& mesh_;
  const FiveEnds& ends_;
  std::vector<double> toHead_;
  std::array<std::vector<double>, 2> toHand_, toFoot_;
  BodyMeasures m_;
};

}  // namespace

Vec3 LimbBands::centre(double way) const {
  const double k = std::clamp(way / width - 0.5, 0.0, static_cast<double>(centres.size() - 1));
  const auto low = std::min(static_cast<std::size_t>(k), centres.size() - 2);
  const double share = k - static_cast<double>(low);
  return (1 - share) * centres[low] + share * centres[low + 1];
}

double LimbBands::radius(double way) const {
  const double k = std::clamp(way / width - 0.5, 0.0, static_cast<double>(radii.size() - 1));
  const auto low = std::min(static_cast<std::size_t>(k), radii.size() - 2);
  return std::lerp(radii[low], radii[low + 1], k - static_cast<double>(low));
}

double LimbBands::meanRadius(double from, double to) const {
  double sum = 0, count = 0;
  for (std::size_t k = bandAt(*this, from); k <= bandAt(*this, to); ++k)
    if (radii[k] > 0) sum += radii[k], count += 1;
  return count > 0 ? sum / count : 0;
}

BodyMeasures measureBody(const TriangleMesh& mesh, const SurfaceGraph& graph,
                         const FiveEnds& ends) {
  return Measurer(mesh, graph, ends).run();
}

}  // namespace pneuma::fit
