#include "skin/fold.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/index.h"

namespace pneuma::skin::internal {

namespace {

constexpr int kRelaxations = 6;

/// Normal of the fold's plane, towards the parent's side.
Vec3 normalOf(const Vec3& center, const Vec3& root, const Vec3& tip) {
  return ((root - center).normalized() - (tip - center).normalized()).normalized();
}

bool hangsOn(const skeleton::Model& model, int link, int ancestor) {
  while (link >= 0 && link != ancestor) link = model.links[at(link)].parent;
  return link == ancestor;
}

}  // namespace

Folds::Folds(const anatomy::Body& body, const BoneLinks& links, const skeleton::Model& model,
             const ControlNet& net)
    : net_(net) {
  std::vector<Diagnostic> findings;
  const anatomy::PointTable points(body, findings);
  for (const anatomy::SkinFold& f : body.skinFolds) {
    Fold fold;
    fold.link = at(links(f.link));
    fold.parent = at(model.links[fold.link].parent);
    fold.center = model.links[fold.link].X_WL_rest.position;
    fold.parentCenter = model.links[fold.parent].X_WL_rest.position;
    fold.root = points.resolve(f.root).valueOrThrow().position;
    fold.tip = points.resolve(f.tip).valueOrThrow().position;
    addPoints(fold, f.gap, model);
    folds_.push_back(std::move(fold));
  }
}

void Folds::addPoints(Fold& fold, double gap, const skeleton::Model& model) const {
  constexpr double kUndecided = 0.02;  // shares this near to a half belong to neither side
  const int link = static_cast<int>(fold.link), parent = static_cast<int>(fold.parent);
  const Vec3 n = normalOf(fold.center, fold.root, fold.tip);
  for (const NetTube& tube : net_.tubes) {
    const bool holdsJoint = std::ranges::any_of(tube.rings, [&](const auto& ring) {
      const Shares& s = net_.shares[at(ring.front())];
      return s.contains(2 * link) && s.contains(2 * parent);
    });
    if (!holdsJoint) continue;
    for (std::size_t k = 1; k < tube.rings.size(); ++k)
      for (const std::int32_t i : tube.rings[k]) {
        double below = 0;
        for (const auto& [carrier, share] : net_.shares[at(i)])
          if (hangsOn(model, carrier / 2, link)) below += share;
        if (std::abs(below - 0.5) <= kUndecided) continue;
        const double side = below < 0.5 ? 1 : -1;
        const double d = side * (net_.rest[at(i)] - fold.center).dot(n);
        fold.points.push_back({i, side, std::min(gap, d)});
      }
  }
}

void Folds::apply(const skeleton::Kinematics& kinematics, std::vector<Vec3>& control) const {
  for (const Fold& fold : folds_) {
    const Pose &X_WL = kinematics.X_WL[fold.link], &X_WP = kinematics.X_WL[fold.parent];
    const Vec3& c = X_WL.position;
    const Vec3 n =
        normalOf(c, X_WP * (fold.root - fold.parentCenter), X_WL * (fold.tip - fold.center));
    for (int pass = 0; pass <= kRelaxations; ++pass) {
      held_.clear();
      for (const Point& p : fold.points) {
        Vec3& x = control[at(p.index)];
        const double lacking = p.limit - p.side * (x - c).dot(n);
        if (lacking <= 0) continue;
        x += p.side * lacking * n;
        held_.push_back(p.index);
      }
      if (pass < kRelaxations) relax(held_, control);
    }
  }
}

void Folds::relax(const std::vector<std::int32_t>& held, std::vector<Vec3>& control) const {
  for (const std::int32_t i : held) {
    Vec3 mean = Vec3::Zero();
    for (const std::int32_t j : net_.neighbours[at(i)]) mean += control[at(j)];
    mean /= static_cast<double>(net_.neighbours[at(i)].size());
    control[at(i)] = 0.5 * (control[at(i)] + mean);
  }
}

}  // namespace pneuma::skin::internal
