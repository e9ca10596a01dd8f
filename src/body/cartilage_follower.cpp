#include "body/cartilage_follower.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <algorithm>

namespace pneuma::body::internal {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

int linkOf(const LivingModel& m, const std::string& bone) {
  const auto found = std::ranges::find(m.compiled.boneNames, bone);
  return found == m.compiled.boneNames.end()
             ? -1
             : m.boneLink[at(static_cast<int>(found - m.compiled.boneNames.begin()))];
}

}  // namespace

std::vector<CartilageFollower> findFollowers(const LivingModel& m) {
  std::vector<CartilageFollower> found;
  const int sternum = linkOf(m, "body_of_sternum");
  for (int level = 1; level <= breath::kRibCount; ++level)
    for (int side = 0; side < 2; ++side) {
      const std::string suffix = fmt::format("{:02}_{}", level, side == 0 ? 'l' : 'r');
      const int link = linkOf(m, "costal_cartilage_" + suffix), rib = linkOf(m, "rib_" + suffix);
      if (link < 0 || link == sternum || link == rib || m.tree.links[at(link)].dofCount > 3)
        continue;
      Vec3 end = m.cage.anatomy.ribs[at(level - 1)].cartilageOnRib;
      if (side == 1) end.x() = -end.x();
      auto follower = std::ranges::find(found, link, &CartilageFollower::link);
      if (follower == found.end()) follower = found.insert(found.end(), {link, {}});
      follower->ends.push_back({rib, m.tree.links[at(rib)].X_WL_rest.inverse() * end,
                                m.tree.links[at(link)].X_WL_rest.inverse() * end});
    }
  return found;
}

void follow(const CartilageFollower& f, LivingModel& m) {
  skeleton::Link& link = m.tree.links[at(f.link)];
  for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j) {
    m.given[at(j)] = 1;
    m.tree.dofResistance[at(j)] = {};
  }
  const RigidInertia whole = link.inertia;
  const auto parts = static_cast<double>(f.ends.size());
  for (const CartilageEnd& end : f.ends) {
    skeleton::Link& rib = m.tree.links[at(end.rib)];
    const RigidInertia part{whole.mass / parts, whole.center, whole.inertia / parts};
    rib.inertia = rib.inertia + part.transformed(rib.X_WL_rest.inverse() * link.X_WL_rest);
  }
  link.inertia = {};
}

/// A step of Gauss and Newton on the gaps g between ends and ribs, which without a turn of its own
/// would be g + h (v_rib - v_link + J v):
///
///   (J^T J + mu) dq = J^T (g + h (v_rib - v_link + J v)) - mu q
///
/// mu, far below J^T J, keeps a single cartilage from turning about itself.
void lead(const LivingModel& m, const CartilageFollower& f, const skeleton::Kinematics& k,
          const skeleton::State& s, double h, VecX& target) {
  constexpr double kTwist = 1e-3;  // mu over the mean of J^T J's diagonal
  const skeleton::Link& link = m.tree.links[at(f.link)];
  const int n = link.dofCount;
  Mat3 normal = Mat3::Zero(), jacobian = Mat3::Zero();
  Vec3 side = Vec3::Zero(), q = Vec3::Zero(), v = Vec3::Zero();
  for (int j = 0; j < n; ++j) {
    q[j] = s.q[link.firstPosition + j] - m.tree.neutral[link.firstPosition + j];
    v[j] = s.v[link.firstDof + j];
  }
  for (const CartilageEnd& end : f.ends) {
    const Vec3 here = k.X_WL[at(f.link)] * end.onLink, there = k.X_WL[at(end.rib)] * end.onRib;
    for (int j = 0; j < n; ++j) {
      const Vec6& axis = k.axis[at(link.firstDof + j)];
      jacobian.col(j) = axis.tail<3>() + axis.head<3>().cross(here - k.origin);
    }
    const Vec3 apart = skeleton::pointVelocity(k, end.rib, there) -
                       skeleton::pointVelocity(k, f.link, here) + jacobian * v;
    normal += jacobian.transpose() * jacobian;
    side += jacobian.transpose() * (there - here + h * apart);
  }
  const double mu = kTwist * normal.trace() / n;
  // Columns beyond n are zero, and so are their solutions.
  normal += mu * Mat3::Identity();
  const Vec3 turn = normal.llt().solve(side - mu * q);
  for (int j = 0; j < n; ++j) target[link.firstDof + j] = (turn[j] / h - v[j]) / h;
}

}  // namespace pneuma::body::internal
