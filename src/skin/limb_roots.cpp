#include "skin/limb_roots.h"

#include <algorithm>

#include "pneuma/core/index.h"

namespace pneuma::skin::internal {

namespace {

constexpr int kFoldRounds = 60;  // of evening what fills a fold
constexpr double kShut = 0.1;    // sine of the arm's angle to the trunk at which the armpit is shut
constexpr double kOpen = 0.97;   // of that sine at rest, at which it has its shape at rest

std::vector<bool> maskOf(const std::vector<std::int32_t>& points, std::size_t count) {
  std::vector<bool> mask(count, false);
  for (const std::int32_t i : points) mask[at(i)] = true;
  return mask;
}

}  // namespace

LimbRoots::LimbRoots(const Layout& layout, const ControlNet& net, const skeleton::Model& model,
                     double height)
    : net_(net),
      loose_(maskOf(net.loose, net.rest.size())),
      plate_(net.neighbours, loose_),
      turns_(net.rest.size(), Mat3::Identity()),
      offsets_(plate_.rows().size()),
      row_(net.rest.size(), -1) {
  std::vector<bool> near(net.rest.size(), false);
  for (std::size_t k = 0; k < plate_.rows().size(); ++k) {
    const std::size_t i = at(plate_.rows()[k]);
    row_[i] = static_cast<int>(k);
    near[i] = true;
    for (const std::int32_t j : net.neighbours[i]) near[at(j)] = true;
  }
  for (std::size_t i = 0; i < near.size(); ++i)
    if (near[i]) turning_.push_back(i);
  findFolds(layout, model, height);
}

void LimbRoots::findFolds(const Layout& layout, const skeleton::Model& model, double height) {
  constexpr double kBetweenArmsAndLegs = 0.6;  // of the height
  for (const LimbLayout& limb : layout.limbs) {
    Fold fold;
    fold.side = limb.side;
    for (std::size_t i = 0; i < net_.rest.size(); ++i) {
      const bool upper = net_.rest[i].y() > kBetweenArmsAndLegs * height;
      if (loose_[i] && !net_.seen[i] && upper == limb.arm && limb.side * net_.rest[i].x() >= 0)
        fold.points.push_back(static_cast<std::int32_t>(i));
    }
    fold.arm = limb.arm && !limb.turns.empty();
    if (fold.arm) {
      const int link = limb.turns.front().link;
      fold.armLink = at(link);
      const Shares& trunk = layout.trunk[at(limb.openingLow)].shares;
      const auto most = std::ranges::max_element(trunk, {}, &Shares::value_type::second);
      fold.trunkLink = at(most->first / 2);
      const auto below = std::ranges::find(model.links, link, &skeleton::Link::parent);
      fold.along =
          (below->X_WL_rest.position - model.links[at(link)].X_WL_rest.position).normalized();
    }
    folds_.push_back(std::move(fold));
  }
}

void LimbRoots::span(const PackedShares& shares, const Carriers& carriers,
                     std::vector<Vec3>& control) {
  for (const std::size_t i : turning_) turns_[i] = shares.motion(i, carriers).rotation;
  for (std::size_t k = 0; k < offsets_.size(); ++k) {
    const std::size_t i = at(plate_.rows()[k]);
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t j : net_.neighbours[i])
      sum += (turns_[i] + turns_[at(j)]) * (net_.rest[at(j)] - net_.rest[i]);
    offsets_[k] = 0.5 / static_cast<double>(net_.neighbours[i].size()) * sum;
  }
  plate_.solve(offsets_, control);
}

void LimbRoots::evenFolds(const skeleton::Kinematics& kinematics,
                          std::vector<Vec3>& control) const {
  for (const Fold& fold : folds_) {
    double shape = 1;
    if (fold.arm) {
      const Vec3 now = kinematics.X_WL[fold.trunkLink].rotation.transpose() *
                       (kinematics.X_WL[fold.armLink].rotation * fold.along);
      const double open = kOpen * fold.side * fold.along.x();
      const double x = std::clamp((fold.side * now.x() - kShut) / (open - kShut), 0.0, 1.0);
      shape = x * x * (3 - 2 * x);
    }
    for (int pass = 0; pass < kFoldRounds; ++pass)
      for (const std::int32_t i : fold.points)
        control[at(i)] = meanAround(i, control) - shape * offsets_[at(row_[at(i)])];
  }
}

Vec3 LimbRoots::meanAround(std::int32_t i, const std::vector<Vec3>& points) const {
  Vec3 sum = Vec3::Zero();
  for (const std::int32_t j : net_.neighbours[at(i)]) sum += points[at(j)];
  return sum / static_cast<double>(net_.neighbours[at(i)].size());
}

}  // namespace pneuma::skin::internal
