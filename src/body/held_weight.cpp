#include "body/held_weight.h"

#include <algorithm>

namespace pneuma::body::internal {

HeldWeight::HeldWeight(const LivingModel& model)
    : model_(model), links_(model.cage.cageLinks), wrench_(model.tree.links.size(), Vec6::Zero()) {
  std::sort(links_.begin(), links_.end());
}

void HeldWeight::add(const Vec3& gravity, const skeleton::Kinematics& k, VecX& force) {
  const auto index = [](int l) { return static_cast<std::size_t>(l); };
  const Vec6 velocity = k.velocity[index(model_.cage.carriers.chest)];
  // Of the point that moves with the chest.
  const auto carried = [&](const Vec3& arm) -> Vec3 {
    if (!acceleration_) return Vec3::Zero();
    const Vec3 turn = velocity.head<3>();
    return acceleration_->tail<3>() + acceleration_->head<3>().cross(arm) +
           turn.cross(velocity.tail<3>() + turn.cross(arm));
  };
  for (const int l : links_) {
    const RigidInertia& body = model_.tree.links[index(l)].inertia;
    const Vec3 centre = k.X_WL[index(l)] * body.center;
    wrench_[index(l)] =
        skeleton::wrenchAt(k, centre, body.mass * (carried(centre - k.origin) - gravity));
  }
  for (auto l = links_.rbegin(); l != links_.rend(); ++l) {
    const skeleton::Link& link = model_.tree.links[index(*l)];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      force[j] += k.axis[index(j)].dot(wrench_[index(*l)]);
    // Links of the cage carry those on them; what reaches the spine ends there.
    wrench_[index(link.parent)] += wrench_[index(*l)];
  }
}

void HeldWeight::addLoads(const skeleton::Model& tree, const skeleton::State&,
                          const skeleton::Kinematics& k, skeleton::Loads& loads) {
  add(tree.gravity, k, loads.force);
}

VecX heldAtRest(const LivingModel& model) {
  skeleton::Kinematics neutral(model.tree);
  skeleton::computeKinematics(model.tree, model.tree.neutral, VecX::Zero(model.tree.dofCount()),
                              neutral);
  VecX force = VecX::Zero(model.tree.dofCount());
  HeldWeight(model).add(model.tree.gravity, neutral, force);
  return force;
}

}  // namespace pneuma::body::internal
