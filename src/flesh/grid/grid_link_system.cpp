#include "pneuma/flesh/grid_link_system.h"

#include "flesh/grid/grid_terms.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::flesh {
namespace {

constexpr double kRelaxed = 0.05;  // force left on a node at the beginning [N]

/// Motion of a link from where a step begins, at a constant spatial velocity.
struct LinkMotion {
  Pose rest;              // X_WL_rest^-1: from the body frame to the link
  Pose begin;             // X_WL
  Vec3 turning, running;  // angular velocity, velocity of the link's origin
  double time = 0;

  Pose at(double t) const {
    const double s = t - time, angle = s * turning.norm();
    Pose now = begin;
    if (angle != 0) now.rotation = Eigen::AngleAxisd(angle, turning.normalized()) * begin.rotation;
    now.position += s * running;
    return now * rest;
  }
};

}  // namespace

struct GridLinkSystem::Data {
  Data(const GridMusclePlan& p, const skeleton::Model& model)
      : plan(p), tree(model), wrench(model.links.size()) {
    for (std::size_t k = 0; k < 2; ++k) {
      motion[k].rest = tree.links[at(plan.links[k])].X_WL_rest.inverse();
      plan.model.anchors[k] = [this, k](double time) { return motion[k].at(time); };
    }
    // Each step by itself: what a stepper learns from earlier ones no checkpoint keeps.
    stepper = std::make_unique<GridStepper>(plan.model, preciseStepper());
  }

  void setMotion(const skeleton::Kinematics& k, std::span<const Vec6> acceleration, double h,
                 double time) {
    for (std::size_t e = 0; e < 2; ++e) {
      const std::size_t l = at(plan.links[e]);
      Vec6 V = k.velocity[l];
      if (!acceleration.empty()) V += h * acceleration[l];
      motion[e].begin = k.X_WL[l];
      motion[e].turning = V.head<3>();
      motion[e].running = V.tail<3>() + V.head<3>().cross(k.X_WL[l].position - k.origin);
      motion[e].time = time;
    }
  }

  GridMusclePlan plan;
  const skeleton::Model& tree;
  std::array<LinkMotion, 2> motion;
  std::unique_ptr<GridStepper> stepper;
  GridState* state = nullptr;
  GridState next;
  std::array<Vec3, 2> pull{Vec3::Zero(), Vec3::Zero()};
  std::vector<Vec6> wrench;
  VecX none;
};

GridLinkSystem::GridLinkSystem(const GridMusclePlan& plan, const skeleton::Model& tree)
    : data_(std::make_unique<Data>(plan, tree)) {}
GridLinkSystem::~GridLinkSystem() = default;

const GridModel& GridLinkSystem::model() const {
  return data_->plan.model;
}

GridState GridLinkSystem::makeState(const skeleton::Kinematics& k) {
  Data& d = *data_;
  d.plan.model.gravity = d.tree.gravity;
  GridState s = makeRestState(d.plan.model);
  const std::size_t carrier = at(d.plan.carrier);
  const Pose carried = k.X_WL[carrier] * d.tree.links[carrier].X_WL_rest.inverse();
  for (int i = 0; i < d.plan.model.solid.nodeCount(); ++i)
    node(s.q, i) = carried * Vec3(node(s.q, i));
  d.setMotion(k, {}, 0, s.time);
  // Relaxed between links that stand still; then it goes with the one that carries it.
  d.stepper->reset();
  d.stepper->relax(s, kRelaxed);
  for (int i = 0; i < d.plan.model.solid.nodeCount(); ++i)
    node(s.v, i) = skeleton::pointVelocity(k, d.plan.carrier, node(s.q, i));
  return s;
}

void GridLinkSystem::bind(GridState& state) {
  data_->state = &state;
}

double GridLinkSystem::mass() const {
  return data_->plan.model.solid.totalMass();
}

Vec3 GridLinkSystem::momentum(const GridState& s) const {
  Vec3 sum = Vec3::Zero();
  const std::vector<double>& mass = data_->plan.model.solid.mass;
  for (std::size_t i = 0; i < mass.size(); ++i) sum += mass[i] * node(s.v, static_cast<int>(i));
  return sum;
}

const std::array<Vec3, 2>& GridLinkSystem::pull() const {
  return data_->pull;
}

void GridLinkSystem::carry(const skeleton::Kinematics& k, std::span<const Vec6> acceleration,
                           std::span<const std::uint8_t>, double h) {
  Data& d = *data_;
  PNEUMA_CHECK(d.state != nullptr, "a grid muscle steps without a state");
  d.setMotion(k, acceleration, h, d.state->time);
}

// The muscle takes its whole step here: its links' motion is known, and they get what it did to
// them as a force of this step.
void GridLinkSystem::evaluate(const skeleton::Model& model, const skeleton::State&,
                              const skeleton::Kinematics& k, double h, VecX& force) {
  Data& d = *data_;
  d.plan.model.gravity = model.gravity;
  d.next = *d.state;
  d.stepper->reset();
  d.stepper->step(d.next, h);
  for (Vec6& w : d.wrench) w.setZero();
  d.pull = {Vec3::Zero(), Vec3::Zero()};
  const GridModel& grid = d.plan.model;
  for (const GridTendon& tendon : grid.tendons) {
    const auto end = static_cast<std::size_t>(tendon.anchor);
    const Vec3 p = d.motion[end].at(d.next.time) * tendon.point;
    const Vec3 way = Vec3(node(d.next.q, tendon.node)) - p;
    const double length = way.norm();
    const Vec3 f =
        tendon.force * grid.curves.tendonForce(length / tendon.slack - 1).value / length * way;
    d.pull[end] += f;
    d.wrench[at(d.plan.links[end])] += skeleton::wrenchAt(k, p, f);
  }
  // What the solution left over of the muscle's own balance goes to its first link.
  const Vec3 gained = (momentum(d.next) - momentum(*d.state)) / h;
  const Vec3 left = mass() * grid.gravity - d.pull[0] - d.pull[1] - gained;
  d.wrench[at(d.plan.links[0])] += skeleton::wrenchAt(k, d.motion[0].begin.position, left);
  for (int l = d.tree.linkCount() - 1; l >= 0; --l) {
    const skeleton::Link& link = d.tree.links[at(l)];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      force[j] += k.axis[at(j)].dot(d.wrench[at(l)]);
    if (link.parent >= 0) d.wrench[at(link.parent)] += d.wrench[at(l)];
  }
}

const VecX& GridLinkSystem::pressureGradient(int) const {
  return data_->none;
}
const VecX& GridLinkSystem::condensedGradient(int) const {
  return data_->none;
}

void GridLinkSystem::check(std::span<const double>, const VecX&, double time) {
  if (!data_->next.q.allFinite() || !data_->next.v.allFinite())
    throw SimulationError(time, "grid muscle '" + data_->plan.name + "'",
                          "its nodes are not at finite places");
}

void GridLinkSystem::advance(std::span<const double>, double) {
  *data_->state = data_->next;
}

double GridLinkSystem::elasticEnergy() const {
  const GridState& s = *data_->state;
  const GridModelEnergy e = computeModelEnergy(data_->plan.model, s.time, s.q, s.v);
  return e.solid.total() + e.passiveFibre + e.tendon;
}

double GridLinkSystem::kineticEnergy() const {
  const GridState& s = *data_->state;
  return computeModelEnergy(data_->plan.model, s.time, s.q, s.v).kinetic;
}

}  // namespace pneuma::flesh
