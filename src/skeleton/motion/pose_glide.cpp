#include <algorithm>

#include "pneuma/core/index.h"
#include "pneuma/skeleton/pose_fit.h"
#include "pneuma/skeleton/pose_maker.h"

namespace pneuma::skeleton {
namespace {

constexpr double kGirdleResting = 0.03;  // of a follower to its rhythm [m/rad]
constexpr double kLimbResting = 1e-3;    // of the limb's hinges to the angles asked for [m/rad]
constexpr double kLimbTurn = 1;          // of the limb's orientation [m/rad]
constexpr int kMostSteps = 60;

/// What a fit may move: followers that are free, and the limb's own joint.
std::vector<PoseCoordinate> openCoordinates(const Model& model, const Glide& glide,
                                            const std::vector<int>& open) {
  std::vector<PoseCoordinate> all;
  for (const int dof : open) all.push_back({{{dof, 1.0}}});
  const Link& limb = model.links[at(glide.limb())];
  for (int d = 0; d < limb.dofCount; ++d) all.push_back({{{limb.firstDof + d, 1.0}}});
  return all;
}

}  // namespace

// Sides are solved one after the other, each by itself: mirrored settings give mirrored poses, and
// an arm's pose does not depend on what the other does.
void PoseMaker::glide(const Glide& glide, const Angles& asked, VecX& q,
                      std::vector<double>& ownPart) const {
  const Link& limb = model_.links[at(glide.limb())];
  std::vector<int> open, ownFreedoms;
  bool stated = false;
  for (const Glide::Follower& f : glide.followers()) open.push_back(f.dof);
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    const bool own = f.dof >= limb.firstDof && f.dof < limb.firstDof + limb.dofCount;
    if (own) ownFreedoms.push_back(static_cast<int>(i));
    if (!asked.stated[i]) continue;
    stated = stated || own || std::ranges::find(open, f.dof) != open.end();
    std::erase(open, f.dof);
  }
  if (!stated || open.empty()) return;
  // The limb shall point where it does with its followers as stated, the others at rest.
  PoseFit fit(model_, kLimbResting, openCoordinates(model_, glide, open));
  Kinematics before(model_);
  computePoses(model_, q, before);
  const Mat3 wanted = before.X_WL[at(glide.limb())].rotation;
  const double whole = glide.elevation(before);
  for (const int dof : open) fit.resting[dof] = kGirdleResting;
  fit.preferred = q;
  fit.glides = {&glide};
  const OrientationTarget turn{.link = glide.limb(), .rotation = wanted, .weight = kLimbTurn};
  fit.solve({}, std::span(&turn, 1), q, kMostSteps);
  // A ball can meet any orientation, so the last digits of the fit need not count.
  if (limb.joint == JointKind::Ball) {
    const Mat3 joint = fit.kinematics().X_WL[at(limb.parent)].rotation * limb.X_PJ.rotation;
    const Quat ball(Mat3(joint.transpose() * wanted));
    q.segment<4>(limb.firstPosition) << ball.w(), ball.x(), ball.y(), ball.z();
  }
  if (whole <= 0) return;
  const double part = std::min(1.0, glide.elevationInSocket(fit.kinematics()) / whole);
  for (const int i : ownFreedoms) {
    const bool alongLimb = std::abs(freedoms_[at(i)].axis.dot(glide.direction())) > 0.7;
    if (!alongLimb) ownPart[at(i)] = part;
  }
}

}  // namespace pneuma::skeleton
