#include "breath/cage/cage_forces.h"

#include <algorithm>
#include <cmath>

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
  for (PointArray* g : {&d.domeGradient, &d.wallGradient, &d.cageGradient})
    for (const std::int32_t i : d.surfacePoints) {
      g->x[static_cast<std::size_t>(i)] = 0;
      g->y[static_cast<std::size_t>(i)] = 0;
      g->z[static_cast<std::size_t>(i)] = 0;
    }
  const double dome = addVolumeGradient(m.dome, d.position, origin, 1, d.domeGradient);
  const double wall = addVolumeGradient(m.wall, d.position, origin, 1, d.wallGradient);
  const double cage = addVolumeGradient(m.cage, d.position, origin, 1, d.cageGradient);
  d.reading.gutVolume = dome + wall;
  d.reading.lungVolume = cage - dome;
  d.reading.gutPressure = m.gut.pressure(d.reading.gutVolume);
  d.reading.lungPressure = 0;
  if (!m.lungs.present()) return;
  double rate = 0;
  for (const std::int32_t k : d.surfacePoints) {
    const auto i = static_cast<std::size_t>(k);
    rate += (d.cageGradient.x[i] - d.domeGradient.x[i]) * d.velocity.x[i] +
            (d.cageGradient.y[i] - d.domeGradient.y[i]) * d.velocity.y[i] +
            (d.cageGradient.z[i] - d.domeGradient.z[i]) * d.velocity.z[i];
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

void addPressures(CageData& d) {
  const double gut = d.reading.gutPressure, lung = d.reading.lungPressure;
  const double dome = gut - lung;  // Eq. 5, pressure on both sides of the diaphragm
  for (const std::int32_t k : d.surfacePoints) {
    const auto i = static_cast<std::size_t>(k);
    d.force.x[i] +=
        dome * d.domeGradient.x[i] + gut * d.wallGradient.x[i] + lung * d.cageGradient.x[i];
    d.force.y[i] +=
        dome * d.domeGradient.y[i] + gut * d.wallGradient.y[i] + lung * d.cageGradient.y[i];
    d.force.z[i] +=
        dome * d.domeGradient.z[i] + gut * d.wallGradient.z[i] + lung * d.cageGradient.z[i];
    // From here on the gradients of the two volumes, for the rank-one terms.
    d.cageGradient.x[i] -= d.domeGradient.x[i];
    d.cageGradient.y[i] -= d.domeGradient.y[i];
    d.cageGradient.z[i] -= d.domeGradient.z[i];
    d.domeGradient.x[i] += d.wallGradient.x[i];
    d.domeGradient.y[i] += d.wallGradient.y[i];
    d.domeGradient.z[i] += d.wallGradient.z[i];
  }
}

Vec3 gutPlace(const skeleton::Kinematics& k, const CageData& d) {
  const auto pelvis = static_cast<std::size_t>(d.model.carriers.pelvis);
  return k.X_WL[pelvis] * (d.tree.links[pelvis].X_WL_rest.inverse() * d.gutCentre);
}

void addGutWeight(const Vec3& gravity, const skeleton::Kinematics& k, CageData& d) {
  if (gravity.isZero()) return;
  const CageModel& m = d.model;
  const Vec3 centre = gutPlace(k, d);
  const Vec3 g = m.gutDensity * gravity;
  // p = rho g . (x - centre), outwards on the gut's closed surface, whose gradient addPressures
  // left.
  for (const std::int32_t i : d.surfacePoints) {
    const auto k3 = static_cast<std::size_t>(i);
    const double p = g.x() * (d.position.x[k3] - centre.x()) +
                     g.y() * (d.position.y[k3] - centre.y()) +
                     g.z() * (d.position.z[k3] - centre.z());
    d.force.x[k3] += p * d.domeGradient.x[k3];
    d.force.y[k3] += p * d.domeGradient.y[k3];
    d.force.z[k3] += p * d.domeGradient.z[k3];
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

/// How many springs have left the tangent (CageTangent::limits).
struct Leavers {
  int turned = 0, pulled = 0;
};

/// Eq. 2 for some springs; with or without the strength of muscles, and with a viscosity that acts
/// both ways or ends with the pull. Viscosity acts along the tangent's lines, turned with the
/// chest, where there is a tangent. Runs in vector registers: it neither gathers nor scatters.
template <bool kLimited, bool kOneSided>
PNEUMA_INTO_BOTH Leavers pull(std::size_t begin, std::size_t end, CageData& d) {
  const SpringSet& s = d.model.springs;
  const TangentLimits& limits = d.tangent.limits();
  SpringScratch& g = d.spring;
  double* x = g.x.data();
  double* y = g.y.data();
  double* z = g.z.data();
  const double* vx = g.vx.data();
  const double* vy = g.vy.data();
  const double* vz = g.vz.data();
  const double* alpha = g.alpha.data();
  const double* ratio = g.ratio.data();
  const double* k = s.active.data() + begin;
  const double* passive = s.passive.data() + begin;
  const double* damping = s.damping.data() + begin;
  const double* rest = s.restLength.data() + begin;
  const double* slack = s.slackLength.data() + begin;
  const double* lowest = s.lowest.data() + begin;
  const double* strength = s.strength.data() + begin;
  const double* ox = limits.direction.x.data() + begin;
  const double* oy = limits.direction.y.data() + begin;
  const double* oz = limits.direction.z.data() + begin;
  const double* least = limits.leastAlong.data() + begin;
  const double* held = limits.tension.data() + begin;
  double* tensions = d.tensions.data() + begin;
  double* lengths = d.lengths.data() + begin;
  const Mat3 r = d.turn;
  const double r00 = r(0, 0), r01 = r(0, 1), r02 = r(0, 2), r10 = r(1, 0), r11 = r(1, 1),
               r12 = r(1, 2), r20 = r(2, 0), r21 = r(2, 1), r22 = r(2, 2);
  const double yields = limits.slack(d.h);
  const bool taken = d.state->tangent.stamp != 0;
  const std::size_t count = end - begin;
  double turned = 0, pulled = 0;
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const double length = std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    const double inverse = 1 / (length > 1e-9 ? length : 1e-9);
    const double nx = x[i] * inverse, ny = y[i] * inverse, nz = z[i] * inverse;
    const double lx = r00 * ox[i] + r01 * oy[i] + r02 * oz[i];
    const double ly = r10 * ox[i] + r11 * oy[i] + r12 * oz[i];
    const double lz = r20 * ox[i] + r21 * oy[i] + r22 * oz[i];
    const double mx = taken ? lx : nx, my = taken ? ly : ny, mz = taken ? lz : nz;
    // A tension is a negative force of the paper.
    double active = alpha[i] * k[i] * (length - ratio[i] * rest[i]);
    if constexpr (kLimited) {
      const double stretch = (length / rest[i] - 1) / kForceLengthWidth;
      const double share = 1 - stretch * stretch;
      const double most = strength[i] * (share > 0 ? share : 0);
      active = active > 0 ? active : 0;
      active = most < active ? most : active;  // a muscle without a strength: not a number
    }
    double elastic = active + passive[i] * (length - slack[i]);
    double viscous = damping[i] * (vx[i] * mx + vy[i] * my + vz[i] * mz);
    if constexpr (kOneSided) {
      const double pulls = elastic + viscous > lowest[i] ? 1 : 0;
      elastic *= pulls;
      viscous *= pulls;
    } else {
      elastic = elastic > lowest[i] ? elastic : lowest[i];
    }
    const double tension = elastic + viscous, along = nx * mx + ny * my + nz * mz;
    turned += along * along < least[i] ? 1.0 : 0.0;
    pulled += tension - 2 * held[i] > yields * length ? 1.0 : 0.0;
    tensions[i] = tension;
    lengths[i] = length;
    x[i] = elastic * nx + viscous * mx;
    y[i] = elastic * ny + viscous * my;
    z[i] = elastic * nz + viscous * mz;
  }
  return {static_cast<int>(turned), static_cast<int>(pulled)};
}

PNEUMA_INTO_BOTH Leavers pullAll(std::size_t begin, std::size_t end, CageData& d) {
  if (d.model.config.oneSidedDamping)
    return d.limited ? pull<true, true>(begin, end, d) : pull<false, true>(begin, end, d);
  return d.limited ? pull<true, false>(begin, end, d) : pull<false, false>(begin, end, d);
}
PNEUMA_WIDE Leavers pullWide(std::size_t begin, std::size_t end, CageData& d) {
  return pullAll(begin, end, d);
}
Leavers pullNarrow(std::size_t begin, std::size_t end, CageData& d) {
  return pullAll(begin, end, d);
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
  d.leavers = 0;
  const std::size_t count = d.model.springs.size();
  for (std::size_t begin = 0; begin < count; begin += kBatch) {
    const std::size_t end = std::min(count, begin + kBatch);
    gatherSprings(drive, begin, end, d);
    const Leavers some = hasWideRegisters() ? pullWide(begin, end, d) : pullNarrow(begin, end, d);
    d.leavers += some.turned + some.pulled;
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

void addCarriedLoads(CageData& d) {
  const CageModel& m = d.model;
  const auto particles = static_cast<std::size_t>(m.layout.particles);
  std::array<Vec6, 2> reaction{Vec6::Zero(), Vec6::Zero()};
  const Vec3 origin = d.carrierOrigin[0];
  for (std::size_t i = 0; i < particles; ++i) {
    const Vec3 load = m.restLoad[i], arm = d.position[i] - origin, v = d.velocity[i];
    const double drag = m.config.gutDrag * m.particleMass[i];
    Vec3 total = Vec3::Zero();
    for (std::size_t c = 0; c < 2; ++c) {
      const double share = c == 0 ? m.carriers.chestWeight[i] : 1 - m.carriers.chestWeight[i];
      if (share == 0) continue;
      const Vec3 along = d.carrierVelocity[c].tail<3>() + d.carrierVelocity[c].head<3>().cross(arm);
      const Vec3 f = share * (d.carrierTurn[c] * load - drag * (v - along));
      total += f;
      reaction[c] -= spatial(arm.cross(f), f);
    }
    d.force.add(i, total);
  }
  d.wrench[static_cast<std::size_t>(m.carriers.chest)] += reaction[0];
  d.wrench[static_cast<std::size_t>(m.carriers.pelvis)] += reaction[1];
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
