#include <algorithm>
#include <cmath>

#include "breath/cage/torso_workspace.h"

/// Inner loops of a step. Arrays per axis, indices once, nothing allocated.
namespace pneuma::breath::internal {

void placePoints(const TorsoModel& m, const TorsoState& s, TorsoWorkspace::Data& d) {
  d.placement.update(m, s);
  const auto particles = static_cast<std::size_t>(m.layout.particles);
  std::copy_n(s.position.x.begin(), particles, d.position.x.begin());
  std::copy_n(s.position.y.begin(), particles, d.position.y.begin());
  std::copy_n(s.position.z.begin(), particles, d.position.z.begin());
  std::copy_n(s.velocity.x.begin(), particles, d.velocity.x.begin());
  std::copy_n(s.velocity.y.begin(), particles, d.velocity.y.begin());
  std::copy_n(s.velocity.z.begin(), particles, d.velocity.z.begin());

  const double* lx = d.local.x.data();
  const double* ly = d.local.y.data();
  const double* lz = d.local.z.data();
  const auto begin = static_cast<std::size_t>(m.layout.bodyBegin());
  double* px = d.position.x.data() + begin;
  double* py = d.position.y.data() + begin;
  double* pz = d.position.z.data() + begin;
  double* vx = d.velocity.x.data() + begin;
  double* vy = d.velocity.y.data() + begin;
  double* vz = d.velocity.z.data() + begin;
  for (std::size_t b = 0; b < kBodyCount; ++b) {
    const Mat3 r = d.placement.rotation[b];
    const Vec3 o = d.placement.origin[b], v = d.placement.velocity[b], w = d.placement.spin[b];
    const int end = m.bodyPointRange[b + 1];
    for (int i = m.bodyPointRange[b]; i < end; ++i) {
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
  auto target = static_cast<std::size_t>(m.layout.blendBegin());
  for (const BlendPoint& blend : m.blends) {
    Vec3 p = Vec3::Zero(), v = Vec3::Zero();
    for (std::size_t k = 0; k < BlendPoint::kParts; ++k) {
      p += blend.weights[k] * d.position[static_cast<std::size_t>(blend.points[k])];
      v += blend.weights[k] * d.velocity[static_cast<std::size_t>(blend.points[k])];
    }
    d.position.set(target, p);
    d.velocity.set(target++, v);
  }
}

void readVolumes(const TorsoModel& m, TorsoWorkspace::Data& d) {
  for (PointArray* g : {&d.domeGradient, &d.wallGradient, &d.cageGradient})
    for (const std::int32_t i : d.surfacePoints) {
      g->x[static_cast<std::size_t>(i)] = 0;
      g->y[static_cast<std::size_t>(i)] = 0;
      g->z[static_cast<std::size_t>(i)] = 0;
    }
  const double dome = addVolumeGradient(m.dome, d.position, m.volumeOrigin, 1, d.domeGradient);
  const double wall = addVolumeGradient(m.wall, d.position, m.volumeOrigin, 1, d.wallGradient);
  const double cage = addVolumeGradient(m.cage, d.position, m.volumeOrigin, 1, d.cageGradient);
  d.reading.gutVolume = dome + wall;
  d.reading.lungVolume = cage - dome;
  d.reading.gutPressure = m.gut.pressure(d.reading.gutVolume);
  d.reading.lungPressure = 0;
  if (m.lungCompliance <= 0) return;
  double flow = 0;
  for (const std::int32_t k : d.surfacePoints) {
    const auto i = static_cast<std::size_t>(k);
    flow += (d.cageGradient.x[i] - d.domeGradient.x[i]) * d.velocity.x[i] +
            (d.cageGradient.y[i] - d.domeGradient.y[i]) * d.velocity.y[i] +
            (d.cageGradient.z[i] - d.domeGradient.z[i]) * d.velocity.z[i];
  }
  d.reading.lungPressure =
      -(d.reading.lungVolume - m.restLung) / m.lungCompliance - m.airwayResistance * flow;
}

void addPressures(const TorsoModel&, TorsoWorkspace::Data& d) {
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
    // From here on the gradient of the gut's volume, for the rank-one term.
    d.domeGradient.x[i] += d.wallGradient.x[i];
    d.domeGradient.y[i] += d.wallGradient.y[i];
    d.domeGradient.z[i] += d.wallGradient.z[i];
  }
}

void addSprings(const TorsoModel& m, const MuscleDrive& drive, TorsoWorkspace::Data& d) {
  const SpringSet& s = m.springs;
  const double* px = d.position.x.data();
  const double* py = d.position.y.data();
  const double* pz = d.position.z.data();
  const double* vx = d.velocity.x.data();
  const double* vy = d.velocity.y.data();
  const double* vz = d.velocity.z.data();
  double* fx = d.force.x.data();
  double* fy = d.force.y.data();
  double* fz = d.force.z.data();
  const std::size_t count = s.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t a = s.a[i], b = s.b[i];
    const double x = px[b] - px[a], y = py[b] - py[a], z = pz[b] - pz[a];
    const double length = std::sqrt(x * x + y * y + z * z);
    const double inverse = 1 / std::max(length, 1e-9);
    const double rate = ((vx[b] - vx[a]) * x + (vy[b] - vy[a]) * y + (vz[b] - vz[a]) * z) * inverse;
    const auto c = static_cast<std::size_t>(s.channels[i]);
    const double rest = s.restLength[i];
    // Eq. 2; a tension is a negative force of the paper.
    const double tension =
        std::max(drive.alpha[c] * s.active[i] * (length - drive.ratio[c] * rest) +
                     s.passive[i] * (length - s.slackLength[i]) + s.damping[i] * rate,
                 s.lowest[i]);
    d.tensions[i] = tension;
    d.lengths[i] = length;
    const double pull = tension * inverse;
    fx[a] += pull * x;
    fy[a] += pull * y;
    fz[a] += pull * z;
    fx[b] -= pull * x;
    fy[b] -= pull * y;
    fz[b] -= pull * z;
  }
}

void addPins(const TorsoModel& m, TorsoWorkspace::Data& d) {
  for (const Pin& p : m.pins) {
    const auto a = static_cast<std::size_t>(p.a), b = static_cast<std::size_t>(p.b);
    const Vec3 f =
        p.stiffness * (d.position[b] - d.position[a]) + p.damping * (d.velocity[b] - d.velocity[a]);
    d.force.add(a, f);
    d.force.add(b, -f);
  }
}

void collectRigid(const TorsoModel& m, const TorsoWorkspace::Data& d, PointArray& f, VecX& out) {
  auto source = static_cast<std::size_t>(m.layout.blendBegin());
  for (const BlendPoint& blend : m.blends) {
    const Vec3 force = f[source++];
    for (std::size_t k = 0; k < BlendPoint::kParts; ++k)
      f.add(static_cast<std::size_t>(blend.points[k]), blend.weights[k] * force);
  }
  const auto begin = static_cast<std::size_t>(m.layout.bodyBegin());
  const RigidIndex index(m);
  for (int body = 0; body < kBodyCount; ++body) {
    const auto b = static_cast<std::size_t>(body);
    const Vec3 o = d.placement.origin[b];
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    const auto end = begin + static_cast<std::size_t>(m.bodyPointRange[b + 1]);
    for (auto i = begin + static_cast<std::size_t>(m.bodyPointRange[b]); i < end; ++i) {
      const double x = d.position.x[i] - o.x(), y = d.position.y[i] - o.y(),
                   z = d.position.z[i] - o.z();
      force.x() += f.x[i];
      force.y() += f.y[i];
      force.z() += f.z[i];
      torque.x() += y * f.z[i] - z * f.y[i];
      torque.y() += z * f.x[i] - x * f.z[i];
      torque.z() += x * f.y[i] - y * f.x[i];
    }
    addWrench(index, d.placement, body, force, torque, out);
  }
}

}  // namespace pneuma::breath::internal
