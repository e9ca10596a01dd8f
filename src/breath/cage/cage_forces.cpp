#include "breath/cage/cage_forces.h"

#include <cmath>
#include <utility>

#include "pneuma/skeleton/inverse_dynamics.h"

/// What acts on the particles of a cage besides springs and pressures, and their own block.
namespace pneuma::breath::internal {
namespace {

constexpr double kFastestParticle = 1e3;  // [m/s]; nothing in a torso gets near the speed of sound

/// Acceleration of all points that move with a link as a function of their arm, a + B arm.
struct CarrierAcceleration {
  CarrierAcceleration(const Vec6& acceleration, const Vec6& velocity) {
    const Vec3 w = velocity.head<3>();
    turn = skew(acceleration.head<3>()) + skew(w) * skew(w);
    along = acceleration.tail<3>() + w.cross(velocity.tail<3>());
  }
  Mat3 turn;
  Vec3 along;
};

/// Accelerations of particles by their arms from `origin`, times h. `kOne`: chest and pelvis are
/// one link.
template <bool kOne>
PNEUMA_INTO_BOTH void accelerate(const CarrierAcceleration& upper, const CarrierAcceleration& lower,
                                 const Quad& origin, double h, CageData& d) {
  const Columns upperTurn(upper.turn), lowerTurn(lower.turn);
  Four upperAlong, lowerAlong;
  load(upper.along, upperAlong);
  load(lower.along, lowerAlong);
  const double* share = d.model.carriers.chestWeight.data();
  const Quad* position = d.position.data();
  Quad* carried = d.carried.data();
  const std::size_t size = d.carried.size();
  const Four from = four(origin);
  for (std::size_t i = 0; i < size; ++i) {
    const Four arm = four(position[i]) - from;
    Four a = upperAlong, b = lowerAlong;
    upperTurn.addProduct(arm[0], arm[1], arm[2], a);
    if constexpr (kOne) {
      four(carried[i]) = h * a;
    } else {
      lowerTurn.addProduct(arm[0], arm[1], arm[2], b);
      four(carried[i]) = h * (share[i] * a + (1 - share[i]) * b);
    }
  }
}

/// Those particles that have a share of carrier `c`: turn (load) - drag (velocity - carrier's), and
/// what the carrier feels of all.
PNEUMA_INTO_BOTH void addCarrier(std::size_t c, CageData& d, WrenchSum& sum) {
  const CageModel& m = d.model;
  const Vec6& v = d.carrierVelocity[c];
  const Columns turn(d.carrierTurn[c]), spin(skew(v.head<3>()));
  Four origin, speed;
  load(d.carrierOrigin[c], origin);
  load(v.tail<3>(), speed);
  const double* lx = d.restLoad->x.data();
  const double* ly = d.restLoad->y.data();
  const double* lz = d.restLoad->z.data();
  const double* mass = m.particleMass.data();
  const double* chest = m.carriers.chestWeight.data();
  const double drag = m.config.gutDrag;
  const Quad* position = d.position.data();
  const Quad* velocity = d.velocity.data();
  Quad* out = d.force.data();
  const std::size_t size = d.carried.size();
  for (std::size_t i = 0; i < size; ++i) {
    const double share = c == 0 ? chest[i] : 1 - chest[i];
    const Four arm = four(position[i]) - origin;
    Four force = {}, carrier = speed;
    turn.addProduct(lx[i], ly[i], lz[i], force);
    spin.addProduct(arm[0], arm[1], arm[2], carrier);
    const Four f = share * (force - drag * mass[i] * (four(velocity[i]) - carrier));
    four(out[i]) += f;
    sum.add(arm, f);
  }
}

/// Sides of the block.
template <bool kTurned>
PNEUMA_INTO_BOTH void gatherRows(CageData& d) {
  const Columns back(d.turn.transpose());
  const double h = d.h;
  // Carried by a given motion the gut's inertia is a pressure (see evaluate), else its own.
  const double own = d.carriersKnown ? 0 : 1;
  const double* mass = d.model.particleMass.data();
  const int* place = d.tangent.places().data();
  const Quad* force = d.force.data();
  const Quad* carried = d.carried.data();
  const Quad* gutGradient = d.gutGradient.data();
  const Quad* lungGradient = d.lungGradient.data();
  BlockCholesky::Row* rows = d.rows.data();
  const std::size_t size = d.rows.size();
  for (std::size_t i = 0; i < size; ++i) {
    Four motion = h * four(force[i]) - own * mass[i] * four(carried[i]);
    Four gut = four(gutGradient[i]), lungs = four(lungGradient[i]);
    if constexpr (kTurned)
      for (Four* side : {&motion, &gut, &lungs}) {
        Four turned = {};
        back.addProduct((*side)[0], (*side)[1], (*side)[2], turned);
        *side = turned;
      }
    Quad* row = rows[place[i]].data();
    four(row[0]) = motion;
    four(row[1]) = gut;
    four(row[2]) = lungs;
  }
}

/// Solutions turned with the chest, and carried along. Counts what is too fast.
template <bool kTurned>
PNEUMA_INTO_BOTH void addChanges(const Quads& solution, CageData& d, Four& tooFast) {
  const Columns turn(d.turn);
  const int* place = d.tangent.places().data();
  const Four zero = {};
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    const Quad& w = solution[static_cast<std::size_t>(place[i])];
    Four change = four(d.carried[i]);
    if constexpr (kTurned)
      turn.addProduct(w.x, w.y, w.z, change);
    else
      change += four(w);
    const Four size = change < 0.0 ? -change : change;
    tooFast += size < kFastestParticle ? zero : zero + 1.0;
    d.change.x[i] = change[0];
    d.change.y[i] = change[1];
    d.change.z[i] = change[2];
  }
}

}  // namespace

void carryParticles(const skeleton::Kinematics& k, std::span<const Vec6> acceleration, double h,
                    CageData& d) {
  const auto chest = static_cast<std::size_t>(d.model.carriers.chest);
  const auto pelvis = static_cast<std::size_t>(d.model.carriers.pelvis);
  const CarrierAcceleration upper(acceleration[chest], k.velocity[chest]);
  const CarrierAcceleration lower(acceleration[pelvis], k.velocity[pelvis]);
  const Quad origin(k.origin);
  if (chest == pelvis)
    inRegisters([&]() PNEUMA_INLINED { accelerate<true>(upper, lower, origin, h, d); });
  else
    inRegisters([&]() PNEUMA_INLINED { accelerate<false>(upper, lower, origin, h, d); });
}

double carriedProduct(const CageData& d, int k) {
  const Quads& g = k == 0 ? d.gutGradient : d.lungGradient;
  double sum = 0;
  inRegisters([&]() PNEUMA_INLINED {
    Four all = {};
    for (std::size_t i = 0; i < d.carried.size(); ++i) all += four(g[i]) * four(d.carried[i]);
    sum = all[0] + all[1] + all[2];
  });
  return sum;
}

void addPins(CageData& d) {
  inRegisters([&]() PNEUMA_INLINED {
    for (const Pin& p : d.model.pins) {
      const auto a = static_cast<std::size_t>(p.a), b = static_cast<std::size_t>(p.b);
      const Four f = p.stiffness * (four(d.position[b]) - four(d.position[a])) +
                     p.damping * (four(d.velocity[b]) - four(d.velocity[a]));
      four(d.force[a]) += f;
      four(d.force[b]) -= f;
    }
  });
}

void addCarriedLoads(CageData& d) {
  const std::array<int, 2> links{d.model.carriers.chest, d.model.carriers.pelvis};
  const bool one = links[0] == links[1];  // every share is the chest's
  for (std::size_t c = 0; c < (one ? 1u : 2u); ++c) {
    Vec6 wrench;
    inRegisters([&]() PNEUMA_INLINED {
      WrenchSum sum;
      addCarrier(c, d, sum);
      sum.store(wrench);
    });
    d.wrench[static_cast<std::size_t>(links[c])] -= wrench;
  }
}

void gatherSides(CageData& d) {
  if (d.turned())
    inRegisters([&]() PNEUMA_INLINED { gatherRows<true>(d); });
  else
    inRegisters([&]() PNEUMA_INLINED { gatherRows<false>(d); });
}

int findChange(std::span<const double> factors, const VecX& dv, CageData& d) {
  const double lungs = d.model.lungs.present() ? factors[1] : 0;
  const Quads& solution = d.tangent.answer(d.rows, dv, {1, -factors[0], -lungs});
  double tooFast = 0;
  const auto find = [&]<bool kTurned>() {
    inRegisters([&]() PNEUMA_INLINED {
      Four count = {};
      addChanges<kTurned>(solution, d, count);
      tooFast = count[0] + count[1] + count[2];
    });
  };
  d.turned() ? find.template operator()<true>() : find.template operator()<false>();
  if (tooFast == 0) return -1;
  for (std::size_t i = 0; i < d.change.size(); ++i)
    if (!(d.change[i].cwiseAbs().array() < kFastestParticle).all()) return static_cast<int>(i);
  return -1;
}

namespace {

/// Loads that hold the rest state of a cage as its springs are.
void findRestLoads(const skeleton::Model& tree, CageModel& m) {
  const auto n = static_cast<std::size_t>(m.layout.particles);
  for (PointArray* load : {&m.restLoad, &m.toneLoad}) load->resize(n), load->setZero();
  m.restLinkLoad = m.toneLinkLoad = VecX::Zero(tree.dofCount());
  const skeleton::State neutral = skeleton::makeState(tree);
  skeleton::Workspace workspace(tree);
  skeleton::updateDynamics(tree, neutral, workspace);
  CageState state = makeCageState(m, tree, workspace.kinematics);
  const MuscleDrive none;
  CageSystem system(m, tree);
  system.bind(state, none);
  VecX force = VecX::Zero(tree.dofCount()), weight = force;
  system.evaluate(tree, neutral, workspace.kinematics, m.config.step, force);
  for (std::size_t i = 0; i < n; ++i) m.restLoad.set(i, -system.forces()[i]);
  // Again with these loads, whose reactions the links feel too.
  force.setZero();
  system.evaluate(tree, neutral, workspace.kinematics, m.config.step, force);
  skeleton::computeBiasForce(tree, workspace, weight);
  for (const int l : m.cageLinks) {
    const skeleton::Link& link = tree.links[static_cast<std::size_t>(l)];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      m.restLinkLoad[j] = weight[j] - force[j];
  }
}

}  // namespace

/// Loads at a tone of 1, and what of them the tone needs: twice what is less at half of it.
void balanceRest(const skeleton::Model& tree, CageModel& m) {
  const std::vector<double> whole = m.springs.passive;
  const double lying = std::exchange(m.config.lyingActivity, 1);
  for (std::size_t i = 0; i < m.springs.size(); ++i)
    m.springs.passive[i] = m.springs.passiveAt(i, 0.5);
  findRestLoads(tree, m);
  const PointArray half = m.restLoad;
  const VecX halfLink = m.restLinkLoad;
  m.springs.passive = whole;
  findRestLoads(tree, m);
  for (std::size_t i = 0; i < half.size(); ++i) m.toneLoad.set(i, 2 * (m.restLoad[i] - half[i]));
  m.toneLinkLoad = 2 * (m.restLinkLoad - halfLink);
  m.config.lyingActivity = lying;
}

}  // namespace pneuma::breath::internal
