#include <algorithm>

#include "pneuma/skeleton/retarget.h"
#include "skeleton/motion/clip_scaling.h"
#include "skeleton/motion/foot_lock.h"

/// Feet that stand, in a second fit of a clip.
namespace pneuma::skeleton {

/// Heels and balls of both feet: points of the sole, at rest on the floor below the foot's joints.
struct Retargeter::Soles {
  std::array<PointTarget, 2> heel, ball;  // of each foot
  std::array<internal::Path, 2> heelPath, ballPath;
  double length = 0;

  explicit Soles(const Model& model) {
    for (std::size_t f = 0; f < 2; ++f) {
      const std::string side = f == 0 ? "_l" : "_r";
      const auto link = [&](const char* name) { return model.linkIndex(name + side); };
      const auto rest = [&](int l) -> const Pose& {
        return model.links[static_cast<std::size_t>(l)].X_WL_rest;
      };
      constexpr double kHeelBehindAnkle = 0.3;  // of the way from ankle to ball
      const Vec3 ankle = rest(link("talus")).position, toes = rest(link("toes")).position;
      const Vec3 level(1, 0, 1);
      const Vec3 ballAt = level.cwiseProduct(toes);
      const Vec3 heelAt = level.cwiseProduct(ankle - kHeelBehindAnkle * (toes - ankle));
      heel[f] = {link("hindfoot"), rest(link("hindfoot")).inverse() * heelAt, Vec3::Zero(), kFirm};
      ball[f] = {link("midfoot"), rest(link("midfoot")).inverse() * ballAt, Vec3::Zero(), kFirm};
      length = (ballAt - heelAt).norm();
    }
  }
  void record(const Kinematics& k) {
    const auto place = [&](const PointTarget& t) -> Vec3 {
      return k.X_WL[static_cast<std::size_t>(t.link)] * t.local;
    };
    for (std::size_t f = 0; f < 2; ++f)
      heelPath[f].push_back(place(heel[f])), ballPath[f].push_back(place(ball[f]));
  }
  static constexpr double kFirm = 5;  // weight of a sole against a joint centre
};

/// A second fit: soles go where they stand, and what is above them follows.
void Retargeter::lockFeet(RetargetedMotion& motion) {
  const double dt = motion.times[1] - motion.times[0];
  const double way = (motion.q.back() - motion.q.front()).head<3>().norm();
  // Nothing in a recording stands quite still, the less the faster it goes.
  const double still = std::max(0.3, 0.15 * way / motion.times.back());
  Soles soles(model_);
  for (const VecX& q : motion.q) {
    Kinematics k(model_);
    computePoses(model_, q, k);
    soles.record(k);
  }
  // Before the floor's height is known, low is all that a sole can be; then a raised one is told.
  constexpr double kAnyLow = 1, kRaised = 0.015;  // [m]
  const auto lock = [&](double raised) {
    std::vector<internal::LockedFoot> feet;
    for (std::size_t f = 0; f < 2; ++f)
      feet.push_back(internal::lockFoot(soles.heelPath[f], soles.ballPath[f], soles.length, dt,
                                        still, raised));
    return feet;
  };
  const double height =
      internal::standingHeight(lock(kAnyLow), {soles.heelPath[0], soles.heelPath[1]},
                               {soles.ballPath[0], soles.ballPath[1]});
  floor_.position.y() -= height;
  for (auto* paths : {&soles.heelPath, &soles.ballPath})
    for (internal::Path& path : *paths)
      for (Vec3& p : path) p.y() -= height;
  const std::vector<internal::LockedFoot> feet = lock(kRaised);

  std::vector<PointTarget> points = points_;
  constexpr double kFollowing = 0.25;  // weight of ankles and toes, whose foot is told where to be
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::string& role = clipRoles()[pointRole_[i]].name;
    if (role.starts_with("ankle") || role.starts_with("toe")) points[i].weight = kFollowing;
  }
  for (std::size_t f = 0; f < 2; ++f) {
    points.push_back(soles.heel[f]), points.push_back(soles.ball[f]);
    for (const auto& [contacts, heel] :
         {std::pair(&feet[f].heel, true), std::pair(&feet[f].ball, false)})
      for (const internal::Contact& c : *contacts)
        motion.contacts.push_back(
            {static_cast<int>(f), heel, motion.times[c.begin], motion.times[c.end - 1], c.place});
  }
  for (std::size_t i = 0; i < motion.q.size(); ++i) {
    setTargets(clipPoses(frameOf_[i]));
    for (std::size_t k = 0; k < points_.size(); ++k) points[k].position = points_[k].position;
    for (std::size_t f = 0; f < 2; ++f) {
      points[points_.size() + 2 * f].position = feet[f].heelPath[i];
      points[points_.size() + 2 * f + 1].position = feet[f].ballPath[i];
    }
    motion.q[i][1] -= height;
    fit_.solve(points, orientations_, motion.q[i], internal::kNextSteps);
  }
}

}  // namespace pneuma::skeleton
