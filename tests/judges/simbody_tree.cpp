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

bool isAxis(const PlainMotion& m, PlainMotion::Kind kind, int i) {
  return m.kind == kind && m.axis[i] == 1;
}

/// Motions i, i+1, i+2 of this kind along x, y, z.
bool isTriad(const std::vector<PlainMotion>& m, std::size_t i, PlainMotion::Kind kind) {
  return i + 3 <= m.size() && isAxis(m[i], kind, 0) && isAxis(m[i + 1], kind, 1) &&
         isAxis(m[i + 2], kind, 2);
}

bool isUniversal(const std::vector<PlainMotion>& m) {
  return m.size() == 2 && m[0].kind == PlainMotion::Hinge && m[1].kind == PlainMotion::Hinge &&
         std::abs(SimTK::dot(vec(m[0].axis), vec(m[1].axis))) < 1e-14;
}

SimTK::Body::Rigid rigid(const PlainLink& link) {
  const double* I = link.inertia;
  const SimTK::Vec3 c = vec(link.center);
  const SimTK::Inertia central(I[0], I[4], I[8], I[1], I[2], I[5]);
  return SimTK::Body::Rigid(
      SimTK::MassProperties(link.mass, c, central.shiftFromMassCenter(-c, link.mass)));
}

/// A body without a role, between two motions that Simbody has no common joint for.
SimTK::Body::Rigid tiny() {
  return SimTK::Body::Rigid(
      SimTK::MassProperties(1e-12, SimTK::Vec3(0), SimTK::Inertia(1e-15, 1e-15, 1e-15)));
}

}  // namespace

struct SimbodyTree::Data {
  using Parent = SimTK::MobilizedBody;

  explicit Data(const double gravity[3])
      : matter(system),
        forces(system),
        weight(forces, matter, vec(gravity)),
        mobility(forces, matter) {}

  void add(const PlainLink& link) {
    Parent parent =
        link.parent < 0 ? matter.updGround() : matter.updMobilizedBody(bodies[link.parent]);
    const SimTK::Transform X(SimTK::Rotation(mat(link.rotation), true), vec(link.position));
    bodies.push_back(addChain(parent, X, link.motions, rigid(link)).getMobilizedBodyIndex());
  }

  /// Simbody's own joint for the whole chain where it has one, else motion after motion.
  Parent addChain(Parent parent, SimTK::Transform X, const std::vector<PlainMotion>& motions,
                  const SimTK::Body::Rigid& body) {
    using SimTK::MobilizedBody;
    const std::size_t n = motions.size();
    if (n == 0) return MobilizedBody::Weld(parent, X, body, SimTK::Transform());
    if (isUniversal(motions)) {  // turns about x, then y
      const SimTK::Rotation F = frame(vec(motions[0].axis), vec(motions[1].axis));
      return note(
          MobilizedBody::Universal(parent, X * SimTK::Transform(F), body, SimTK::Transform(F)),
          motions, {0, 1});
    }
    if (n == 3 && isTriad(motions, 0, PlainMotion::Hinge))
      return note(MobilizedBody::Gimbal(parent, X, body, SimTK::Transform()), motions, {0, 1, 2});
    if (n == 6 && isTriad(motions, 0, PlainMotion::Slide) &&
        isTriad(motions, 3, PlainMotion::Hinge))  // its rotations come first
      return note(MobilizedBody::Bushing(parent, X, body, SimTK::Transform()), motions,
                  {3, 4, 5, 0, 1, 2});
    for (std::size_t m = 0; m < n; ++m) {
      parent = addMotion(parent, X, motions[m], m + 1 < n ? tiny() : body);
      X = SimTK::Transform();
    }
    return parent;
  }

  Parent addMotion(Parent parent, const SimTK::Transform& X, const PlainMotion& motion,
                   const SimTK::Body::Rigid& body) {
    using SimTK::MobilizedBody;
    if (motion.kind == PlainMotion::Ball)
      return note(MobilizedBody::Ball(parent, X, body, SimTK::Transform()), {motion}, {0});
    const SimTK::Vec3 a = vec(motion.axis), b = perpendicular(a);
    if (motion.kind == PlainMotion::Slide) {  // along x
      const SimTK::Rotation F = frame(a, b);
      return note(MobilizedBody::Slider(parent, X * SimTK::Transform(F), body, SimTK::Transform(F)),
                  {motion}, {0});
    }
    const SimTK::Rotation F = frame(b, SimTK::cross(a, b));  // a pin turns about z
    return note(MobilizedBody::Pin(parent, X * SimTK::Transform(F), body, SimTK::Transform(F)),
                {motion}, {0});
  }

  /// Where the motions of a new body are: its k-th coordinate is that of motions[order[k]].
  Parent note(const Parent& added, const std::vector<PlainMotion>& motions,
              const std::vector<int>& order) {
    for (std::size_t k = 0; k < order.size(); ++k)
      coordinates.push_back(
          {motions[order[k]], added.getMobilizedBodyIndex(), static_cast<int>(k), 0, 0});
    return added;
  }

  void finish() {
    state = system.realizeTopology();
    system.realizeModel(state);
    tau.resize(state.getNU());
    udot.resize(state.getNU());
    for (Coordinate& c : coordinates) {
      const SimTK::MobilizedBody& body = matter.getMobilizedBody(c.body);
      c.q = body.getFirstQIndex(state) + c.place;
      c.u = body.getFirstUIndex(state) + c.place;
    }
  }

  /// Velocities, accelerations and forces of ours into theirs. A ball of theirs takes them in the
  /// axes before the rotation, ours in those after it; being about the same instant's axes, they
  /// differ by the rotation alone.
  void toTheirs(const double* ours, SimTK::Vector& theirs) const {
    for (const Coordinate& c : coordinates) {
      if (c.motion.kind != PlainMotion::Ball) {
        theirs[c.u] = ours[c.motion.dof];
        continue;
      }
      const SimTK::Vec3 turned = rotationOf(c) * vec(ours + c.motion.dof);
      for (int i = 0; i < 3; ++i) theirs[c.u + i] = turned[i];
    }
  }

  void toOurs(const SimTK::Vector& theirs, double* ours) const {
    for (const Coordinate& c : coordinates) {
      if (c.motion.kind != PlainMotion::Ball) {
        ours[c.motion.dof] = theirs[c.u];
        continue;
      }
      const SimTK::Vec3 turned =
          ~rotationOf(c) * SimTK::Vec3(theirs[c.u], theirs[c.u + 1], theirs[c.u + 2]);
      for (int i = 0; i < 3; ++i) ours[c.motion.dof + i] = turned[i];
    }
  }

  struct Coordinate {
    PlainMotion motion;
    SimTK::MobilizedBodyIndex body;
    int place;  // among the body's coordinates
    int q, u;
  };

  SimTK::Rotation rotationOf(const Coordinate& c) const {
    const SimTK::Vector& Q = state.getQ();
    return SimTK::Rotation(SimTK::Quaternion(Q[c.q], Q[c.q + 1], Q[c.q + 2], Q[c.q + 3]));
  }

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::UniformGravity weight;
  SimTK::Force::DiscreteForces mobility;
  SimTK::State state;
  SimTK::Vector tau, udot, residual;
  std::vector<SimTK::MobilizedBodyIndex> bodies;
  std::vector<Coordinate> coordinates;
};

SimbodyTree::SimbodyTree(const std::vector<PlainLink>& links, const double gravity[3])
    : data_(new Data(gravity)) {
  for (const PlainLink& link : links) data_->add(link);
  data_->finish();
}

SimbodyTree::~SimbodyTree() = default;

void SimbodyTree::setState(const double* q, const double* v) {
  Data& d = *data_;
  SimTK::Vector& Q = d.state.updQ();
  for (const Data::Coordinate& c : d.coordinates)
    for (int i = 0; i < (c.motion.kind == PlainMotion::Ball ? 4 : 1); ++i)
      Q[c.q + i] = q[c.motion.position + i];
  d.toTheirs(v, d.state.updU());
}

void SimbodyTree::forward(const double* tau, double* vDot) {
  Data& d = *data_;
  d.toTheirs(tau, d.tau);
  d.mobility.setAllMobilityForces(d.state, d.tau);
  d.system.realize(d.state, SimTK::Stage::Acceleration);
  d.toOurs(d.state.getUDot(), vDot);
}

void SimbodyTree::inverse(const double* vDot, double* tau) {
  Data& d = *data_;
  d.system.realize(d.state, SimTK::Stage::Dynamics);
  d.toTheirs(vDot, d.udot);
  d.matter.calcResidualForceIgnoringConstraints(
      d.state, SimTK::Vector(), d.system.getRigidBodyForces(d.state, SimTK::Stage::Dynamics),
      d.udot, d.residual);
  d.toOurs(d.residual, tau);
}

}  // namespace pneuma::judges
