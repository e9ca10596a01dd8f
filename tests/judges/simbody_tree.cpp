#include "tests/judges/simbody_tree.h"

#include <Simbody.h>

namespace pneuma::judges {

namespace {

SimTK::Vec3 vec(const double* v) {
  return {v[0], v[1], v[2]};
}

SimTK::Mat33 mat(const double* m) {
  return {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]};
}

/// A rotation whose x and y columns are the given unit vectors.
SimTK::Rotation frame(const SimTK::Vec3& x, const SimTK::Vec3& y) {
  const SimTK::Vec3 z = SimTK::cross(x, y);
  return SimTK::Rotation(SimTK::Mat33(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), true);
}

SimTK::Vec3 perpendicular(const SimTK::Vec3& a) {
  const SimTK::Vec3 other = std::abs(a[0]) < 0.8 ? SimTK::Vec3(1, 0, 0) : SimTK::Vec3(0, 1, 0);
  return SimTK::cross(a, other).normalize();
}

}  // namespace

struct SimbodyTree::Data {
  explicit Data(const double gravity[3])
      : matter(system),
        forces(system),
        weight(forces, matter, vec(gravity)),
        mobility(forces, matter) {}

  void add(const PlainLink& link) {
    using SimTK::MobilizedBody;
    MobilizedBody parent =
        link.parent < 0 ? matter.updGround() : matter.updMobilizedBody(bodies[link.parent]);
    const double* I = link.inertia;
    const SimTK::Vec3 c = vec(link.center);
    const SimTK::Inertia central(I[0], I[4], I[8], I[1], I[2], I[5]);
    const SimTK::Body::Rigid body(
        SimTK::MassProperties(link.mass, c, central.shiftFromMassCenter(-c, link.mass)));
    const SimTK::Rotation R(mat(link.rotation), true);
    const SimTK::Vec3 p = vec(link.position), a = vec(link.firstAxis), b = vec(link.secondAxis);
    MobilizedBody added;
    if (link.dofCount == 0) {
      added = MobilizedBody::Weld(parent, {R, p}, body, SimTK::Transform());
    } else if (link.dofCount == 1) {  // a pin turns about z
      const SimTK::Vec3 x = perpendicular(a);
      const SimTK::Rotation F = frame(x, SimTK::cross(a, x));
      added = MobilizedBody::Pin(parent, {R * F, p}, body, SimTK::Transform(F));
    } else if (link.dofCount == 2) {  // a universal turns about x, then y
      const SimTK::Rotation F = frame(a, b);
      added = MobilizedBody::Universal(parent, {R * F, p}, body, SimTK::Transform(F));
    } else if (link.dofCount == 3) {
      added = MobilizedBody::Gimbal(parent, {R, p}, body, SimTK::Transform());
    } else {
      added = MobilizedBody::Bushing(parent, {R, p}, body, SimTK::Transform());
    }
    bodies.push_back(added.getMobilizedBodyIndex());
  }

  void finish(const std::vector<PlainLink>& links) {
    state = system.realizeTopology();
    system.realizeModel(state);
    order.resize(state.getNU());
    tau.resize(state.getNU());
    udot.resize(state.getNU());
    for (std::size_t l = 0; l < links.size(); ++l) {
      if (links[l].dofCount == 0) continue;
      const int first = matter.getMobilizedBody(bodies[l]).getFirstUIndex(state);
      // A bushing has its rotations first, our chain has its slides first.
      for (int d = 0; d < links[l].dofCount; ++d)
        order[links[l].firstDof + d] = first + (links[l].dofCount == 6 ? (d + 3) % 6 : d);
    }
  }

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::UniformGravity weight;
  SimTK::Force::DiscreteForces mobility;
  SimTK::State state;
  SimTK::Vector tau, udot, residual;
  std::vector<SimTK::MobilizedBodyIndex> bodies;
  std::vector<int> order;
};

SimbodyTree::SimbodyTree(const std::vector<PlainLink>& links, const double gravity[3])
    : data_(new Data(gravity)) {
  for (const PlainLink& link : links) data_->add(link);
  data_->finish(links);
}

SimbodyTree::~SimbodyTree() = default;

void SimbodyTree::setState(const double* q, const double* v, int n) {
  SimTK::Vector& Q = data_->state.updQ();
  SimTK::Vector& U = data_->state.updU();
  for (int j = 0; j < n; ++j) Q[data_->order[j]] = q[j], U[data_->order[j]] = v[j];
}

void SimbodyTree::forward(const double* tau, double* vDot, int n) {
  Data& d = *data_;
  for (int j = 0; j < n; ++j) d.tau[d.order[j]] = tau[j];
  d.mobility.setAllMobilityForces(d.state, d.tau);
  d.system.realize(d.state, SimTK::Stage::Acceleration);
  const SimTK::Vector& a = d.state.getUDot();
  for (int j = 0; j < n; ++j) vDot[j] = a[d.order[j]];
}

void SimbodyTree::inverse(const double* vDot, double* tau, int n) {
  Data& d = *data_;
  d.system.realize(d.state, SimTK::Stage::Dynamics);
  for (int j = 0; j < n; ++j) d.udot[d.order[j]] = vDot[j];
  d.matter.calcResidualForceIgnoringConstraints(
      d.state, SimTK::Vector(), d.system.getRigidBodyForces(d.state, SimTK::Stage::Dynamics),
      d.udot, d.residual);
  for (int j = 0; j < n; ++j) tau[j] = d.residual[d.order[j]];
}

}  // namespace pneuma::judges
