#include "pneuma/skin/figure_skin.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "pneuma/core/parallel.h"
#include "pneuma/skeleton/from_body.h"
#include "skin/control_net.h"
#include "skin/extremity.h"
#include "skin/fold.h"
#include "skin/limb_roots.h"

namespace pneuma::skin {

using namespace internal;

namespace {

constexpr double kRayReach = 0.03;  // beyond the skin at which tissue is looked for [m]
constexpr double kMostSwelling = 0.025, kMostShrinking = 0.015;  // of a radius by the tissue [m]
constexpr double kNone = -1;                                     // no tissue below
constexpr double kFoldTightness = 0.7;
constexpr int kFairRounds = 8;  // of evening the changes out

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
  std::vector<Vec3> round, control, direction, surface;
  LimbRoots roots;
  Folds foldPlanes;
  std::vector<double> restSpan;  // between the points before and after [m]
  std::vector<bool> folds;       // of each contour
  std::vector<Triangle> triangles;
  // Vertices of head, hands and feet; those that move alike share a motion.
  std::vector<Vec3> extremityRest;
  std::vector<int> extremityMotion;
  PackedShares extremityShares_;
  std::map<Shares, int> carrying;
  std::vector<Pose> motions;
  // Poses from bones: the bone that tells a link's pose, and scratch.
  const skeleton::Model& model;
  std::vector<int> boneOfLink;
  skeleton::Kinematics ownPoses;
  VecX ownAngles;

  Impl(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
       const skeleton::Model& skeletonModel, const anatomy::SkinSurface& personSkin,
       const flesh::FigureBellies* bellies, const anatomy::GeometryCache& cache,
       const FigureSkinConfig& config)
      : layout(makeLayout(body, compiled, skeletonModel)),
        net(makeControlNet(layout, RestSkin(personSkin), body.person.height)),
        spline(net.net, config.levels),
        carriers(compiled, skeletonModel),
        tissue(body, compiled, skeletonModel, bellies, cache),
        roots(layout, net, skeletonModel, body.person.height),
        foldPlanes(body, BoneLinks(compiled, skeletonModel), skeletonModel, net),
        model(skeletonModel),
        boneOfLink(model.links.size(), -1),
        ownPoses(model),
        ownAngles(model.neutral) {
    const BoneLinks links(compiled, model);
    for (const Shares& s : net.shares) pointShares.add(s);
    for (const Contour& c : net.contours) contourShares.add(c.shares);
    triangles = spline.triangles();
    if (config.extremities) addExtremities(body, links, personSkin);
    const std::size_t n = net.rest.size();
    control.resize(n), direction.resize(n), fill.resize(n), change.resize(n), nextChange.resize(n);
    known.resize(n);
    centers.resize(net.contours.size());
    round.resize(n), restSpan.assign(n, 1);
    for (std::size_t i = 0; i < n; ++i)
      if (const auto [a, b] = net.along[i]; a >= 0 && b >= 0)
        restSpan[i] = std::max(
            1e-4,
            (net.rest[static_cast<std::size_t>(a)] - net.rest[static_cast<std::size_t>(b)]).norm());
    for (const Contour& c : net.contours) {
      bool fold = false;
      for (const anatomy::SkinFold& f : body.skinFolds) {
        const int link = links(f.link);
        const int parent = model.links[static_cast<std::size_t>(link)].parent;
        fold |= c.shares.contains(2 * link) && c.shares.contains(2 * parent);
      }
      folds.push_back(fold);
    }
    const std::vector<int> modelLink = skeleton::linkIndices(compiled, model);
    for (std::size_t b = compiled.boneLink.size(); b-- > 0;)
      if (const int l = compiled.boneLink[b]; l >= 0)
        boneOfLink[static_cast<std::size_t>(modelLink[static_cast<std::size_t>(l)])] =
            static_cast<int>(b);
    measureFill();
  }

  SkinPoseReport follow(std::span<const Pose> bones) {
    for (std::size_t l = 0; l < boneOfLink.size(); ++l) {
      const int bone = boneOfLink[l];
      const Pose& rest = model.links[l].X_WL_rest;
      ownPoses.X_WL[l] = bone < 0 ? rest : bones[static_cast<std::size_t>(bone)] * rest;
    }
    tissue.primitives().readAngles(ownPoses, ownAngles);
    return follow(ownAngles, ownPoses);
  }

  /// Head, hands and feet: cut from the person's skin, joined to the envelope's rims.
  void addExtremities(const anatomy::Body& body, const BoneLinks& links,
                      const anatomy::SkinSurface& personSkin) {
    std::vector<Diagnostic> findings;
    const anatomy::PointTable points(body, findings);
    std::vector<Vec3> all;
    spline.evaluate(net.rest, all);
    const auto first = static_cast<std::int32_t>(all.size());
    for (const anatomy::SkinExtremity& e : body.skinExtremities) {
      const auto end = std::ranges::find(net.ends, e.piece, &NetEnd::piece);
      if (end == net.ends.end())
        throw InputError(Diagnostic{.where = e.where.position(),
                                    .subject = "skin_extremity '" + e.name + "'",
                                    .field = "piece",
                                    .message = "'" + e.piece + "' has no open end"});
      const Vec3 center = points.resolve(e.center).valueOrThrow().position;
      const Vec3 normal = points.resolve(e.normal).valueOrThrow();
      CutPiece piece =
          cutBeyond(personSkin.mesh, center, normal, center + 0.02 * body.person.height * normal);
      const auto offset = static_cast<std::int32_t>(all.size());
      const Shares& rim = net.contours[static_cast<std::size_t>(end->contour)].shares;
      for (const Vec3& p : piece.mesh.positions) {
        all.push_back(p);
        const auto [it, fresh] = carrying.emplace(extremityShares(rim, e, points, links, p),
                                                  static_cast<int>(carrying.size()));
        if (fresh) extremityShares_.add(it->first);
        extremityMotion.push_back(it->second);
      }
      for (Triangle t : piece.mesh.triangles) {
        for (std::int32_t& v : t) v += offset;
        triangles.push_back(t);
      }
      for (std::int32_t& v : piece.rim) v += offset;
      for (const Triangle& t : stitchRims(spline.boundaryFrom(end->ring.front()), piece.rim, all))
        triangles.push_back(t);
    }
    extremityRest.assign(all.begin() + first, all.end());
    carrying.clear();
  }

  void moveExtremities() {
    motions.resize(extremityShares_.size());
    for (std::size_t i = 0; i < motions.size(); ++i)
      motions[i] = extremityShares_.motion(i, carriers);
    for (std::size_t i = 0; i < extremityRest.size(); ++i)
      surface.push_back(motions[static_cast<std::size_t>(extremityMotion[i])] * extremityRest[i]);
  }

  double cast(std::size_t i, const Vec3& origin, const Vec3& toSkin, double radius) const {
    const Contour& c = net.contours[static_cast<std::size_t>(net.contour[i])];
    return tissue.outermost(c.groups, origin, toSkin, radius + kRayReach);
  }

  void measureFill() {
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

  // Centres and rest offsets are carried before any ray is cast: each point's ray needs its
  // neighbours' places too.
  SkinPoseReport follow(const VecX& q, const skeleton::Kinematics& k) {
    SkinPoseReport report;
    const auto start = std::chrono::steady_clock::now();
    carriers.follow(k);
    tissue.follow(q, k);
    for (std::size_t c = 0; c < centers.size(); ++c)
      centers[c] = contourShares.motion(c, carriers) * net.contours[c].center;
    parallelFor(control.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        round[i] = pointShares.motion(i, carriers) * net.rest[i];
    });
    parallelFor(control.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) place(i);
    });
    roots.span(pointShares, carriers, control);
    parallelFor(control.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) measure(i);
    });
    evenChanges();
    for (std::size_t i = 0; i < control.size(); ++i) {
      control[i] += change[i] * direction[i];
      report.largestChange = std::max(report.largestChange, std::abs(change[i]));
    }
    roots.evenFolds(k, control);
    foldPlanes.apply(k, control);
    spline.evaluate(control, surface);
    moveExtremities();
    report.rays = static_cast<int>(control.size());
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  }

  /// How straight the skin runs between its links: where it is stretched as the contour says, where
  /// it is compressed only in a fold.
  double tightness(std::size_t i) const {
    const auto [before, after] = net.along[i];
    if (before < 0 || after < 0) return 0;
    const auto a = static_cast<std::size_t>(before), b = static_cast<std::size_t>(after);
    const double stretch = (round[b] - round[a]).norm() / restSpan[i];
    const auto contour = static_cast<std::size_t>(net.contour[i]);
    const auto step = [](double x) {
      x = std::clamp(x, 0.0, 1.0);
      return x * x * (3 - 2 * x);
    };
    if (stretch > 1) return net.contours[contour].tight * step((stretch - 1) / 0.5);
    return folds[contour] ? kFoldTightness * step((1 - stretch) / 0.5) : 0.0;
  }

  /// Where the links alone carry a point.
  void place(std::size_t i) {
    const double tight = tightness(i);
    control[i] = round[i];
    if (tight > 0) control[i] += tight * (pointShares.tight(i, carriers, net.rest[i]) - round[i]);
  }

  /// How far the tissue below a point has come out or gone in.
  void measure(std::size_t i) {
    const auto contour = static_cast<std::size_t>(net.contour[i]);
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
    for (int pass = 0; pass < kFairRounds; ++pass) {
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
SkinPoseReport FigureSkin::follow(std::span<const Pose> bones) {
  return impl_->follow(bones);
}
const std::vector<Vec3>& FigureSkin::positions() const {
  return impl_->surface;
}
const std::vector<Triangle>& FigureSkin::triangles() const {
  return impl_->triangles;
}

}  // namespace pneuma::skin
