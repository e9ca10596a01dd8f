#include <algorithm>

#include "breath/cage/cage_forces.h"

/// Points of a cage: where they are, the volumes between them, and from their forces to links.
namespace pneuma::breath::internal {
namespace {

/// Positions and velocities of the points of bones, link by link.
PNEUMA_INTO_BOTH void placeBones(const skeleton::Kinematics& k, CageData& d) {
  const CageModel& m = d.model;
  const double* lx = m.local.x.data();
  const double* ly = m.local.y.data();
  const double* lz = m.local.z.data();
  Quad* position = d.position.data() + m.layout.boneBegin();
  Quad* velocity = d.velocity.data() + m.layout.boneBegin();
  for (std::size_t l = 0; l + 1 < m.linkPointRange.size(); ++l) {
    const int begin = m.linkPointRange[l], end = m.linkPointRange[l + 1];
    if (begin == end) continue;
    const Pose& pose = k.X_WL[l];
    const Vec3 spin = k.velocity[l].head<3>();
    const Columns turn(pose.rotation), rate(skew(spin) * pose.rotation);
    Four origin, speed;
    load(pose.position, origin);
    load(k.velocity[l].tail<3>() + spin.cross(pose.position - k.origin), speed);
    for (int i = begin; i < end; ++i) {
      Four p = origin, v = speed;
      turn.addProduct(lx[i], ly[i], lz[i], p);
      rate.addProduct(lx[i], ly[i], lz[i], v);
      four(position[i]) = p;
      four(velocity[i]) = v;
    }
  }
}

/// An array for each axis becomes a register for each point.
PNEUMA_INTO_BOTH void pack(const PointArray& from, std::size_t count, Quad* to) {
  const double* x = from.x.data();
  const double* y = from.y.data();
  const double* z = from.z.data();
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Four px = fourAt(x + i), py = fourAt(y + i), pz = fourAt(z + i);
    Four points[4];
    transpose(px, py, pz, Four{}, points);
    for (std::size_t k = 0; k < 4; ++k) four(to[i + k]) = points[k];
  }
  for (; i < count; ++i) to[i] = Quad(from[i]);
}

PNEUMA_INTO_BOTH void placeBlends(CageData& d) {
  auto target = static_cast<std::size_t>(d.model.layout.blendBegin());
  for (const BlendPoint& blend : d.model.blends) {
    Four p = {}, v = {};
    for (std::size_t i = 0; i < BlendPoint::kParts; ++i) {
      p += blend.weights[i] * four(d.position[static_cast<std::size_t>(blend.points[i])]);
      v += blend.weights[i] * four(d.velocity[static_cast<std::size_t>(blend.points[i])]);
    }
    four(d.position[target]) = p;
    four(d.velocity[target++]) = v;
  }
}

/// Volume below triangles, seen from `origin`, and its gradient (flesh::addVolumeGradient).
PNEUMA_INTO_BOTH double addFaceGradients(std::span<const FaceBytes> faces, const Quad* points,
                                         const Quad& origin, Quad* gradient) {
  const Four o = four(origin);
  Four volume = {};
  for (const auto [a, b, c] : faces) {
    const Four p = fourBehind(points, a), u = fourBehind(points, b) - p,
               w = fourBehind(points, c) - p;
    Four uNext, wNext, normal;  // (y, z, x) of both; their product is turned alike
    rotateAxes(u, uNext);
    rotateAxes(w, wNext);
    rotateAxes(u * wNext - uNext * w, normal);
    normal *= 1.0 / 6;
    volume += (p - o) * normal;
    fourBehind(gradient, a) += normal;
    fourBehind(gradient, b) += normal;
    fourBehind(gradient, c) += normal;
  }
  return volume[0] + volume[1] + volume[2];
}

/// Volumes of partition, wall and cage, and the gradients of gut and lungs. The partition comes
/// first: it is the gut's, and the lungs' with the other sign.
PNEUMA_INTO_BOTH void addGradients(const Quad& origin, CageData& d,
                                   std::array<double, 3>& volumes) {
  const Quad* points = d.position.data();
  Quad* gut = d.gutGradient.data();
  Quad* lungs = d.lungGradient.data();
  for (const std::int32_t i : d.surfacePoints) four(gut[i]) = four(lungs[i]) = Four{};
  volumes[0] = addFaceGradients(d.partition, points, origin, gut);
  for (const std::int32_t i : d.partitionPoints) four(lungs[i]) = -four(gut[i]);
  volumes[1] = addFaceGradients(d.wall, points, origin, gut);
  volumes[2] = addFaceGradients(d.cage, points, origin, lungs);
}

PNEUMA_INTO_BOTH double surfaceRate(const CageData& d) {
  const Quad* gradient = d.lungGradient.data();
  const Quad* velocity = d.velocity.data();
  Four rate = {};
  for (const std::int32_t i : d.surfacePoints) rate += four(gradient[i]) * four(velocity[i]);
  return rate[0] + rate[1] + rate[2];
}

/// Wrenches of the forces at points of links, about the kinematics' origin.
PNEUMA_INTO_BOTH void sumWrenches(const skeleton::Kinematics& k, const BonePoints& used,
                                  const Quads& f, CageData& d) {
  Four origin;
  load(k.origin, origin);
  const Quad* position = d.position.data();
  for (std::size_t l = 0; l + 1 < used.start.size(); ++l) {
    const int begin = used.start[l], end = used.start[l + 1];
    if (begin == end) continue;
    WrenchSum sum;
    for (int n = begin; n < end; ++n) {
      const auto i = static_cast<std::size_t>(used.points[static_cast<std::size_t>(n)]);
      sum.add(four(position[i]) - origin, four(f[i]));
    }
    Vec6 wrench;
    sum.store(wrench);
    d.wrench[l] += wrench;
  }
}

}  // namespace

void placePoints(const CageState& s, const skeleton::Kinematics& k, CageData& d) {
  const CageModel& m = d.model;
  const auto particles = static_cast<std::size_t>(m.layout.particles);
  inRegisters([&]() PNEUMA_INLINED {
    pack(s.position, particles, d.position.data());
    pack(s.velocity, particles, d.velocity.data());
    placeBones(k, d);
    placeBlends(d);
  });
  d.listed = false;
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
  const Quad origin = d.position[static_cast<std::size_t>(m.landmarks.xiphoid)];
  std::array<double, 3> volumes{};
  inRegisters([&]() PNEUMA_INLINED {
    addGradients(origin, d, volumes);
    d.cavityRate = surfaceRate(d);
  });
  const auto [partition, wall, cage] = volumes;
  d.reading.gutVolume = partition + wall - m.lining;
  d.reading.lungVolume = cage - partition + m.lining;
  d.reading.gutPressure = m.gut.pressure(d.reading.gutVolume);
  d.reading.lungPressure = 0;
  if (!m.lungs.present()) return;
  const double gas = d.reading.lungVolume - m.lungs.tissue;
  d.reading.alveolarPressure = kDryAtmosphere * (state.gas / gas - 1);
  d.reading.lungPressure = d.reading.alveolarPressure - m.lungs.recoil(gas) -
                           m.lungs.relaxingPressure(gas, state.relaxed) +
                           m.lungs.recoil(m.lungs.rest);
}

Lungs::Alveoli endOfStep(const CageData& d, double change) {
  const Lungs& lungs = d.model.lungs;
  return lungs.breathe(d.bound->airway, d.state->gas, d.reading.lungVolume - lungs.tissue, change,
                       d.h);
}

Vec3 gutPlace(const skeleton::Kinematics& k, const CageData& d) {
  const auto pelvis = static_cast<std::size_t>(d.model.carriers.pelvis);
  return k.X_WL[pelvis] * (d.tree.links[pelvis].X_WL_rest.inverse() * d.gutCentre);
}

/// Eq. 5 on both sides of the diaphragm; the gut weighs by p = rho g . (x - centre) besides.
void addPressures(const Vec3& gravity, const skeleton::Kinematics& k, CageData& d) {
  const Vec3 weight = d.model.gutDensity * gravity;
  const double gut = d.reading.gutPressure - weight.dot(gutPlace(k, d));
  const double lung = d.reading.lungPressure;
  const Quad* position = d.position.data();
  const Quad* gutGradient = d.gutGradient.data();
  const Quad* lungGradient = d.lungGradient.data();
  Quad* force = d.force.data();
  const std::span<const std::int32_t> points = d.surfacePoints;
  if (weight == Vec3::Zero())
    inRegisters([=]() PNEUMA_INLINED {
      for (const std::int32_t i : points)
        four(force[i]) += gut * four(gutGradient[i]) + lung * four(lungGradient[i]);
    });
  else
    inRegisters([=]() PNEUMA_INLINED {
      Four g;
      load(weight, g);
      for (const std::int32_t i : points) {
        Four p;
        spreadSum(g * four(position[i]), p);
        four(force[i]) += (p + gut) * four(gutGradient[i]) + lung * four(lungGradient[i]);
      }
    });
}

void addPinCouples(CageData& d) {
  const CageModel& m = d.model;
  const auto isBone = [&](std::int32_t i) {
    return i >= m.layout.boneBegin() && i < m.layout.blendBegin();
  };
  for (const Pin& p : m.pins) {
    if (!isBone(p.a) || !isBone(p.b)) continue;
    const auto a = static_cast<std::size_t>(p.a), b = static_cast<std::size_t>(p.b);
    const Vec3 gap = d.position[b].vector() - d.position[a].vector();
    const Vec3 viscous = p.damping * (d.velocity[b].vector() - d.velocity[a].vector());
    const auto link = std::ranges::upper_bound(m.linkPointRange, p.a - m.layout.boneBegin()) -
                      m.linkPointRange.begin() - 1;
    d.wrench[static_cast<std::size_t>(link)].head<3>() += gap.cross(viscous);
  }
}

void collectLinks(const skeleton::Kinematics& k, const BonePoints& used, Quads& f, CageData& d,
                  VecX& out) {
  inRegisters([&]() PNEUMA_INLINED {
    auto source = static_cast<std::size_t>(d.model.layout.blendBegin());
    for (const BlendPoint& blend : d.model.blends) {
      const Four force = four(f[source++]);
      for (std::size_t i = 0; i < BlendPoint::kParts; ++i)
        four(f[static_cast<std::size_t>(blend.points[i])]) += blend.weights[i] * force;
    }
    sumWrenches(k, used, f, d);
  });
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

}  // namespace pneuma::breath::internal
