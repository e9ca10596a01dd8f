#include "breath/cage/cage_forces.h"

#include <algorithm>
#include <bit>
#include <cmath>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "breath/cage/wide_registers.h"
#include "pneuma/skeleton/inverse_dynamics.h"

/// Inner loops of a step. Arrays per axis, indices once, nothing allocated.
namespace pneuma::breath::internal {
namespace {

void placeBonePoints(const skeleton::Kinematics& k, CageData& d) {
  const CageModel& m = d.model;
  const double* lx = m.local.x.data();
  const double* ly = m.local.y.data();
  const double* lz = m.local.z.data();
  const auto begin = static_cast<std::size_t>(m.layout.boneBegin());
  double* px = d.position.x.data() + begin;
  double* py = d.position.y.data() + begin;
  double* pz = d.position.z.data() + begin;
  double* vx = d.velocity.x.data() + begin;
  double* vy = d.velocity.y.data() + begin;
  double* vz = d.velocity.z.data() + begin;
  for (std::size_t l = 0; l + 1 < m.linkPointRange.size(); ++l) {
    const int end = m.linkPointRange[l + 1];
    if (m.linkPointRange[l] == end) continue;
    const Mat3 r = k.X_WL[l].rotation;
    const Vec3 o = k.X_WL[l].position, w = k.velocity[l].head<3>();
    const Vec3 v = k.velocity[l].tail<3>() + w.cross(o - k.origin);
    for (int i = m.linkPointRange[l]; i < end; ++i) {
      const double x = r(0, 0) * lx[i] + r(0, 1) * ly[i] + r(0, 2) * lz[i];
      const double y = r(1, 0) * lx[i] + r(1, 1) * ly[i] + r(1, 2) * lz[i];
      const double z = r(2, 0) * lx[i] + r(2, 1) * ly[i] + r(2, 2) * lz[i];
      px[i] = o.x() + x;
      py[i] = o.y() + y;
      pz[i] = o.z() + z;
      vx[i] = v.x() + w.y() * z - w.z() * y;
      vy[i] = v.y() + w.z() * x - w.x() * z;
      vz[i] = v.z() + w.x() * y - w.y() * x;
    }
  }
}

}  // namespace

void placePoints(const CageState& s, const skeleton::Kinematics& k, CageData& d) {
  const CageModel& m = d.model;
  const auto particles = static_cast<std::size_t>(m.layout.particles);
  std::copy_n(s.position.x.begin(), particles, d.position.x.begin());
  std::copy_n(s.position.y.begin(), particles, d.position.y.begin());
  std::copy_n(s.position.z.begin(), particles, d.position.z.begin());
  std::copy_n(s.velocity.x.begin(), particles, d.velocity.x.begin());
  std::copy_n(s.velocity.y.begin(), particles, d.velocity.y.begin());
  std::copy_n(s.velocity.z.begin(), particles, d.velocity.z.begin());
  placeBonePoints(k, d);
  auto target = static_cast<std::size_t>(m.layout.blendBegin());
  for (const BlendPoint& blend : m.blends) {
    Vec3 p = Vec3::Zero(), v = Vec3::Zero();
    for (std::size_t i = 0; i < BlendPoint::kParts; ++i) {
      p += blend.weights[i] * d.position[static_cast<std::size_t>(blend.points[i])];
      v += blend.weights[i] * d.velocity[static_cast<std::size_t>(blend.points[i])];
    }
    d.position.set(target, p);
    d.velocity.set(target++, v);
  }
  const std::array<int, 2> carriers{m.carriers.chest, m.carriers.pelvis};
  for (std::size_t c = 0; c < 2; ++c) {
    const auto l = static_cast<std::size_t>(carriers[c]);
    d.carrierTurn[c] = k.X_WL[l].rotation * d.tree.links[l].X_WL_rest.rotation.transpose();
    d.carrierVelocity[c] = k.velocity[l];
  }
  d.chestNow = k.X_WL[static_cast<std::size_t>(m.carriers.chest)].rotation;
}

void readVolumes(const CageState& state, CageData& d) {
  const CageModel& m = d.model;
  // The surfaces are closed together, so any origin will do: one that moves along keeps the digits.
  const Vec3 origin = d.position[static_cast<std::size_t>(m.landmarks.xiphoid)];
  for (PointArray* g : {&d.gutGradient, &d.lungGradient})
    for (const std::int32_t i : d.surfacePoints) {
      g->x[static_cast<std::size_t>(i)] = 0;
      g->y[static_cast<std::size_t>(i)] = 0;
      g->z[static_cast<std::size_t>(i)] = 0;
    }
  // The dome first: it is the gut's, and the lungs' with the other sign.
  const double dome = addVolumeGradient(m.dome, d.position, origin, 1, d.gutGradient);
  for (const std::int32_t k : d.domePoints) {
    const auto i = static_cast<std::size_t>(k);
    d.lungGradient.x[i] = -d.gutGradient.x[i];
    d.lungGradient.y[i] = -d.gutGradient.y[i];
    d.lungGradient.z[i] = -d.gutGradient.z[i];
  }
  const double wall = addVolumeGradient(m.wall, d.position, origin, 1, d.gutGradient);
  const double cage = addVolumeGradient(m.cage, d.position, origin, 1, d.lungGradient);
  d.reading.gutVolume = dome + wall;
  d.reading.lungVolume = cage - dome;
  d.reading.gutPressure = m.gut.pressure(d.reading.gutVolume);
  d.reading.lungPressure = 0;
  if (!m.lungs.present()) return;
  double rate = 0;
  for (const std::int32_t k : d.surfacePoints) {
    const auto i = static_cast<std::size_t>(k);
    rate += d.lungGradient.x[i] * d.velocity.x[i] + d.lungGradient.y[i] * d.velocity.y[i] +
            d.lungGradient.z[i] * d.velocity.z[i];
  }
  d.cavityRate = rate;
  const double gas = d.reading.lungVolume - m.lungs.tissue;
  d.reading.alveolarPressure = kDryAtmosphere * (state.gas / gas - 1);
  d.reading.lungPressure =
      d.reading.alveolarPressure - m.lungs.recoil(gas) + m.lungs.recoil(m.lungs.rest);
}

Lungs::Alveoli endOfStep(const CageData& d, double change) {
  const Lungs& lungs = d.model.lungs;
  return lungs.breathe(d.drive->airway, d.state->gas, d.reading.lungVolume - lungs.tissue, change,
                       d.h);
}

Vec3 gutPlace(const skeleton::Kinematics& k, const CageData& d) {
  const auto pelvis = static_cast<std::size_t>(d.model.carriers.pelvis);
  return k.X_WL[pelvis] * (d.tree.links[pelvis].X_WL_rest.inverse() * d.gutCentre);
}

/// Eq. 5 on both sides of the diaphragm; the gut weighs by p = rho g . (x - centre) besides.
void addPressures(const Vec3& gravity, const skeleton::Kinematics& k, CageData& d) {
  const Vec3 g = d.model.gutDensity * gravity;
  const double gut = d.reading.gutPressure - g.dot(gutPlace(k, d)), lung = d.reading.lungPressure;
  const double gx = g.x(), gy = g.y(), gz = g.z();
  for (const std::int32_t k3 : d.surfacePoints) {
    const auto i = static_cast<std::size_t>(k3);
    const double p = gut + gx * d.position.x[i] + gy * d.position.y[i] + gz * d.position.z[i];
    d.force.x[i] += p * d.gutGradient.x[i] + lung * d.lungGradient.x[i];
    d.force.y[i] += p * d.gutGradient.y[i] + lung * d.lungGradient.y[i];
    d.force.z[i] += p * d.gutGradient.z[i] + lung * d.lungGradient.z[i];
  }
}

namespace {

/// Springs are taken some at a time: what is gathered for them stays in the nearest cache.
constexpr std::size_t kBatch = SpringScratch::kBatch;

/// Vectors from end to end and the inputs of Eq. 2 of some springs, gathered.
void gatherSprings(const MuscleDrive& drive, std::size_t begin, std::size_t end, CageData& d) {
  const SpringSet& s = d.model.springs;
  const double* px = d.position.x.data();
  const double* py = d.position.y.data();
  const double* pz = d.position.z.data();
  const double* vx = d.velocity.x.data();
  const double* vy = d.velocity.y.data();
  const double* vz = d.velocity.z.data();
  SpringScratch& g = d.spring;
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t a = s.a[i], b = s.b[i];
    const std::size_t n = i - begin;
    g.x[n] = px[b] - px[a];
    g.y[n] = py[b] - py[a];
    g.z[n] = pz[b] - pz[a];
    g.vx[n] = vx[b] - vx[a];
    g.vy[n] = vy[b] - vy[a];
    g.vz[n] = vz[b] - vz[a];
    const auto c = static_cast<std::size_t>(s.channels[i]);
    g.alpha[n] = drive.alpha[c];
    g.ratio[n] = drive.ratio[c];
  }
}

/// In place. The library's function may set an error number, which keeps a loop out of vector
/// registers.
PNEUMA_INTO_BOTH void squareRoots(double* values, std::size_t count) {
  std::size_t i = 0;
#ifdef __SSE2__
  for (; i + 2 <= count; i += 2) _mm_storeu_pd(values + i, _mm_sqrt_pd(_mm_loadu_pd(values + i)));
#endif
  for (; i < count; ++i) values[i] = std::sqrt(values[i]);
}

/// Springs in a vector register, and one by one. Written out, because the compiler leaves a loop
/// with this many choices scalar.
struct FourSprings {
  using Value = double __attribute__((vector_size(32), aligned(8), may_alias));
  static constexpr std::size_t kCount = 4;
};
struct OneSpring {
  using Value = double;
  static constexpr std::size_t kCount = 1;
};

/// What is done to springs of a kind.
template <bool limited, bool oneSided, bool fixed>
struct SpringKind {
  static constexpr bool kLimited = limited;    // muscles have a strength
  static constexpr bool kOneSided = oneSided;  // viscosity ends with the pull
  static constexpr bool kFixed = fixed;        // it acts along the tangent's lines
};

/// Eq. 2 for the springs from number `at` on, which are `n` of a batch. Viscosity that acts both
/// ways does so along the tangent's lines, turned with the chest, as soon as there is one. Notes
/// which springs have left the tangent (TangentLimits).
template <class Springs, class Kind>
PNEUMA_INTO_BOTH void pullSome(std::size_t at, std::size_t n, const Mat3& r, double yields,
                               CageData& d) {
  using V = typename Springs::Value;
  const SpringSet& s = d.model.springs;
  const TangentLimits& limits = d.tangent.limits();
  SpringScratch& g = d.spring;
  const auto of = [](auto* place) -> auto& {
    return *reinterpret_cast<const V*>(place);
  };
  const V x = of(&g.x[n]), y = of(&g.y[n]), z = of(&g.z[n]), length = of(&d.lengths[at]);
  const V rest = of(&s.restLength[at]), zero = length - length;
  const V inverse = 1.0 / (length > 1e-9 ? length : zero + 1e-9);
  const V nx = x * inverse, ny = y * inverse, nz = z * inverse;
  const V ox = of(&limits.direction.x[at]), oy = of(&limits.direction.y[at]),
          oz = of(&limits.direction.z[at]);
  const V lx = r(0, 0) * ox + r(0, 1) * oy + r(0, 2) * oz;
  const V ly = r(1, 0) * ox + r(1, 1) * oy + r(1, 2) * oz;
  const V lz = r(2, 0) * ox + r(2, 1) * oy + r(2, 2) * oz;
  const V mx = Kind::kFixed ? lx : nx, my = Kind::kFixed ? ly : ny, mz = Kind::kFixed ? lz : nz;
  // A tension is a negative force of the paper.
  V active = of(&g.alpha[n]) * of(&s.active[at]) * (length - of(&g.ratio[n]) * rest);
  if constexpr (Kind::kLimited) {
    const V stretch = (length / rest - 1.0) * (1 / kForceLengthWidth);
    const V share = 1.0 - stretch * stretch;
    const V most = of(&s.strength[at]) * (share > 0.0 ? share : zero);
    active = active > 0.0 ? active : zero;
    active = most < active ? most : active;  // a muscle without a strength: not a number
  }
  V elastic = active + of(&s.passive[at]) * (length - of(&s.slackLength[at]));
  V viscous = of(&s.damping[at]) * (of(&g.vx[n]) * mx + of(&g.vy[n]) * my + of(&g.vz[n]) * mz);
  const V lowest = of(&s.lowest[at]);
  if constexpr (Kind::kOneSided) {
    const V free = elastic + viscous;
    elastic = free > lowest ? elastic : zero;
    viscous = free > lowest ? viscous : zero;
  } else {
    elastic = elastic > lowest ? elastic : lowest;
  }
  const V tension = elastic + viscous, along = nx * lx + ny * ly + nz * lz;
  const V turned = along * along < of(&limits.leastAlong[at]) ? zero + 1.0 : zero;
  const V pulled = tension - 2.0 * of(&limits.tension[at]) > yields * length ? zero + 1.0 : zero;
  const auto put = [](double* place, const V& value) __attribute__((always_inline)) {
    *reinterpret_cast<V*>(place) = value;
  };
  put(&g.leaves[n], turned + pulled);
  put(&d.tensions[at], tension);
  put(&g.x[n], elastic * nx + viscous * mx);
  put(&g.y[n], elastic * ny + viscous * my);
  put(&g.z[n], elastic * nz + viscous * mz);
}

/// Eq. 2 for a batch of springs.
template <class Kind>
PNEUMA_INTO_BOTH void pull(std::size_t begin, std::size_t end, CageData& d) {
  const SpringScratch& g = d.spring;
  const std::size_t count = end - begin;
  double* lengths = d.lengths.data() + begin;
  for (std::size_t i = 0; i < count; ++i)
    lengths[i] = g.x[i] * g.x[i] + g.y[i] * g.y[i] + g.z[i] * g.z[i];
  squareRoots(lengths, count);
  const Mat3 turn = d.turn;
  const double yields = d.tangent.limits().slack(d.h);
  std::size_t i = 0;
  for (; i + FourSprings::kCount <= count; i += FourSprings::kCount)
    pullSome<FourSprings, Kind>(begin + i, i, turn, yields, d);
  for (; i < count; ++i) pullSome<OneSpring, Kind>(begin + i, i, turn, yields, d);
}

PNEUMA_INTO_BOTH void pullAll(std::size_t begin, std::size_t end, CageData& d) {
  if (d.model.config.oneSidedDamping)
    d.limited ? pull<SpringKind<true, true, false>>(begin, end, d)
              : pull<SpringKind<false, true, false>>(begin, end, d);
  else if (d.state->tangent.stamp == 0)
    d.limited ? pull<SpringKind<true, false, false>>(begin, end, d)
              : pull<SpringKind<false, false, false>>(begin, end, d);
  else
    d.limited ? pull<SpringKind<true, false, true>>(begin, end, d)
              : pull<SpringKind<false, false, true>>(begin, end, d);
}
PNEUMA_WIDE void pullWide(std::size_t begin, std::size_t end, CageData& d) {
  pullAll(begin, end, d);
}
void pullNarrow(std::size_t begin, std::size_t end, CageData& d) {
  pullAll(begin, end, d);
}

/// Whether a number is not zero: by its bits, which run in vector registers.
bool anyOf(const SpringScratch::Column& column, std::size_t count) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) bits |= std::bit_cast<std::uint64_t>(column[i]);
  return bits != 0;
}

void scatterSprings(std::size_t begin, std::size_t end, CageData& d) {
  const SpringSet& s = d.model.springs;
  double* fx = d.force.x.data();
  double* fy = d.force.y.data();
  double* fz = d.force.z.data();
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t a = s.a[i], b = s.b[i];
    const double x = d.spring.x[i - begin], y = d.spring.y[i - begin], z = d.spring.z[i - begin];
    fx[a] += x;
    fy[a] += y;
    fz[a] += z;
    fx[b] -= x;
    fy[b] -= y;
    fz[b] -= z;
  }
}

}  // namespace

void addSprings(const MuscleDrive& drive, CageData& d) {
  if (d.state->tangent.stamp != 0) {
    d.tangent.take(d.state->tangent);
    d.follow();
  }
  d.left = false;
  const std::size_t count = d.model.springs.size();
  for (std::size_t begin = 0; begin < count; begin += kBatch) {
    const std::size_t end = std::min(count, begin + kBatch);
    gatherSprings(drive, begin, end, d);
    hasWideRegisters() ? pullWide(begin, end, d) : pullNarrow(begin, end, d);
    d.left = d.left || anyOf(d.spring.leaves, end - begin);
    scatterSprings(begin, end, d);
  }
}

void addPins(CageData& d) {
  for (const Pin& p : d.model.pins) {
    const auto a = static_cast<std::size_t>(p.a), b = static_cast<std::size_t>(p.b);
    const Vec3 f =
        p.stiffness * (d.position[b] - d.position[a]) + p.damping * (d.velocity[b] - d.velocity[a]);
    d.force.add(a, f);
    d.force.add(b, -f);
  }
}

/// Carrier after carrier, for those particles that have a share of it.
void addCarriedLoads(CageData& d) {
  const CageModel& m = d.model;
  const auto particles = static_cast<std::size_t>(m.layout.particles);
  const std::array<int, 2> links{m.carriers.chest, m.carriers.pelvis};
  const bool one = links[0] == links[1];  // every share is the chest's
  for (std::size_t c = 0; c < (one ? 1u : 2u); ++c) {
    const Mat3 turn = d.carrierTurn[c];
    const Vec3 o = d.carrierOrigin[c];
    const Vec3 w = d.carrierVelocity[c].head<3>(), v = d.carrierVelocity[c].tail<3>();
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (std::size_t i = 0; i < particles; ++i) {
      const double share = c == 0 ? m.carriers.chestWeight[i] : 1 - m.carriers.chestWeight[i];
      const double drag = m.config.gutDrag * m.particleMass[i];
      const double x = d.position.x[i] - o.x(), y = d.position.y[i] - o.y(),
                   z = d.position.z[i] - o.z();
      const double lx = m.restLoad.x[i], ly = m.restLoad.y[i], lz = m.restLoad.z[i];
      const double fx = share * (turn(0, 0) * lx + turn(0, 1) * ly + turn(0, 2) * lz -
                                 drag * (d.velocity.x[i] - v.x() - (w.y() * z - w.z() * y)));
      const double fy = share * (turn(1, 0) * lx + turn(1, 1) * ly + turn(1, 2) * lz -
                                 drag * (d.velocity.y[i] - v.y() - (w.z() * x - w.x() * z)));
      const double fz = share * (turn(2, 0) * lx + turn(2, 1) * ly + turn(2, 2) * lz -
                                 drag * (d.velocity.z[i] - v.z() - (w.x() * y - w.y() * x)));
      d.force.x[i] += fx;
      d.force.y[i] += fy;
      d.force.z[i] += fz;
      force += Vec3(fx, fy, fz);
      torque += Vec3(y * fz - z * fy, z * fx - x * fz, x * fy - y * fx);
    }
    d.wrench[static_cast<std::size_t>(links[c])] -= spatial(torque, force);
  }
}

void collectLinks(const skeleton::Kinematics& k, const BonePoints& used, PointArray& f, CageData& d,
                  VecX& out) {
  const CageModel& m = d.model;
  auto source = static_cast<std::size_t>(m.layout.blendBegin());
  for (const BlendPoint& blend : m.blends) {
    const Vec3 force = f[source++];
    for (std::size_t i = 0; i < BlendPoint::kParts; ++i)
      f.add(static_cast<std::size_t>(blend.points[i]), blend.weights[i] * force);
  }
  const Vec3 o = k.origin;
  for (std::size_t l = 0; l + 1 < used.start.size(); ++l) {
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (int n = used.start[l]; n < used.start[l + 1]; ++n) {
      const auto i = static_cast<std::size_t>(used.points[static_cast<std::size_t>(n)]);
      const double x = d.position.x[i] - o.x(), y = d.position.y[i] - o.y(),
                   z = d.position.z[i] - o.z();
      force.x() += f.x[i];
      force.y() += f.y[i];
      force.z() += f.z[i];
      torque.x() += y * f.z[i] - z * f.y[i];
      torque.y() += z * f.x[i] - x * f.z[i];
      torque.z() += x * f.y[i] - y * f.x[i];
    }
    d.wrench[l] += spatial(torque, force);
  }
  addLinkWrenches(d.tree, k, d.wrench, out);
}

void addLinkWrenches(const skeleton::Model& tree, const skeleton::Kinematics& k,
                     std::vector<Vec6>& wrench, VecX& out) {
  for (std::size_t l = tree.links.size(); l-- > 0;) {
    const skeleton::Link& link = tree.links[l];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      out[j] += k.axis[static_cast<std::size_t>(j)].dot(wrench[l]);
    if (link.parent >= 0) wrench[static_cast<std::size_t>(link.parent)] += wrench[l];
    wrench[l].setZero();
  }
}

void balanceRest(const skeleton::Model& tree, CageModel& m) {
  const auto n = static_cast<std::size_t>(m.layout.particles);
  m.restLoad.resize(n);
  m.restLoad.setZero();
  m.restLinkLoad = VecX::Zero(tree.dofCount());
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

}  // namespace pneuma::breath::internal
