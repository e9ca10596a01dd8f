#include "pneuma/skin/figure_skin.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "pneuma/core/parallel.h"
#include "skin/control_net.h"

namespace pneuma::skin {

using namespace internal;

namespace {

constexpr double kReach = 0.03;         // beyond the skin at which tissue is looked for [m]
constexpr double kMostSwelling = 0.025, kMostShrinking = 0.015;  // of a radius by the tissue [m]
constexpr double kNone = -1;             // no tissue below
constexpr int kRounds = 8;              // of evening the changes out

}  // namespace

struct FigureSkin::Impl {
  Layout layout;
  ControlNet net;
  SplineSurface spline;
  Carriers carriers;
  Tissue tissue;
  PackedShares pointShares, contourShares;
  std::vector<double> fill;  // skin radius less tissue radius at rest [m], or kNone
  std::vector<double> change, nextChange;
  std::vector<double> known;
  std::vector<Vec3> centers;
  std::vector<Vec3> control, direction, surface;
  std::vector<Triangle> triangles;

  Impl(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
       const skeleton::Model& model, const anatomy::SkinSurface& personSkin,
       const flesh::FigureBellies* bellies, const anatomy::GeometryCache& cache,
       const FigureSkinConfig& config)
      : layout(makeLayout(body, compiled, model)),
        net(makeControlNet(layout, RestSkin(personSkin), body.person.height)),
        spline(net.net, config.levels),
        carriers(compiled, model),
        tissue(body, compiled, model, bellies, cache) {
    for (const Shares& s : net.shares) pointShares.add(s);
    for (const Contour& c : net.contours) contourShares.add(c.shares);
    triangles = spline.triangles();
    const std::size_t n = net.rest.size();
    control.resize(n), direction.resize(n), fill.resize(n), change.resize(n), nextChange.resize(n);
    known.resize(n);
    centers.resize(net.contours.size());
    measureFill(model);
  }

  double cast(std::size_t i, const Vec3& origin, const Vec3& toSkin, double radius) const {
    const Contour& c = net.contours[static_cast<std::size_t>(net.contour[i])];
    return tissue.outermost(c.groups, origin, toSkin, radius + kReach);
  }

  void measureFill(const skeleton::Model& model) {
    skeleton::Kinematics k(model);
    skeleton::computePoses(model, model.neutral, k);
    tissue.follow(model.neutral, k);
    for (std::size_t i = 0; i < fill.size(); ++i) {
      const Vec3& c = net.contours[static_cast<std::size_t>(net.contour[i])].center;
      const Vec3 to = net.rest[i] - c;
      const double t = cast(i, c, to.normalized(), to.norm());
      fill[i] = t < 0 ? kNone : to.norm() - t;
    }
  }

  SkinPoseReport follow(const VecX& q, const skeleton::Kinematics& k) {
    SkinPoseReport report;
    const auto start = std::chrono::steady_clock::now();
    carriers.follow(k);
    tissue.follow(q, k);
    for (std::size_t c = 0; c < centers.size(); ++c)
      centers[c] = contourShares.motion(c, carriers) * net.contours[c].center;
    parallelFor(control.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) place(i);
    });
    evenChanges();
    for (std::size_t i = 0; i < control.size(); ++i) {
      control[i] += change[i] * direction[i];
      report.largestChange = std::max(report.largestChange, std::abs(change[i]));
    }
    spline.evaluate(control, surface);
    report.rays = static_cast<int>(control.size());
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  }

  void place(std::size_t i) {
    const auto contour = static_cast<std::size_t>(net.contour[i]);
    const double tight = net.contours[contour].tight;
    control[i] = (1 - tight) * (pointShares.motion(i, carriers) * net.rest[i]) +
                 tight * pointShares.tight(i, carriers, net.rest[i]);
    const Vec3 to = control[i] - centers[contour];
    const double radius = to.norm();
    direction[i] = to / radius;
    change[i] = known[i] = 0;
    const double follow = net.contours[contour].follow;
    if (follow == 0) {
      known[i] = 1;
      return;
    }
    const double t = cast(i, centers[contour], direction[i], radius);
    if (t < 0 || fill[i] == kNone) return;
    known[i] = 1;
    change[i] = follow * std::clamp(t + fill[i] - radius, -kMostShrinking, kMostSwelling);
  }

  /// Each change becomes the mean of its own and its neighbours', unknown ones not counted.
  void evenChanges() {
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < change.size(); ++i) {
        double sum = known[i] * change[i], count = known[i];
        double around = 0, seen = 0;
        for (const std::int32_t j : net.neighbours[i]) {
          const auto n = static_cast<std::size_t>(j);
          around += known[n] * change[n];
          seen += known[n];
        }
        if (seen > 0) sum += around / seen, count += 1;
        nextChange[i] = count > 0 ? sum / count : 0.0;
        if (net.contours[static_cast<std::size_t>(net.contour[i])].follow == 0) nextChange[i] = 0;
      }
      change.swap(nextChange);
    }
  }
};

FigureSkin::FigureSkin(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                       const skeleton::Model& model, const anatomy::SkinSurface& personSkin,
                       const flesh::FigureBellies* bellies, const anatomy::GeometryCache& cache,
                       const FigureSkinConfig& config)
    : impl_(std::make_unique<Impl>(body, compiled, model, personSkin, bellies, cache, config)) {}
FigureSkin::~FigureSkin() = default;
FigureSkin::FigureSkin(FigureSkin&&) noexcept = default;

SkinPoseReport FigureSkin::follow(const VecX& q, const skeleton::Kinematics& kinematics) {
  return impl_->follow(q, kinematics);
}
const std::vector<Vec3>& FigureSkin::positions() const {
  return impl_->surface;
}
const std::vector<Triangle>& FigureSkin::triangles() const {
  return impl_->triangles;
}

}  // namespace pneuma::skin
