#include "pneuma/breath/torso_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "breath/cage/torso_mesh.h"
#include "breath/cage/torso_parts.h"
#include "breath/cage/torso_workspace.h"
#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

using internal::PointKind;
using internal::PointRef;
using internal::TorsoMesh;

/// Numbers of points: particles, body points by body, blends, fixed.
class Numbering {
 public:
  Numbering(const TorsoMesh& mesh, TorsoModel& m) : mesh_(mesh) {
    m.layout = {.particles = static_cast<int>(mesh.particles.size()),
                .bodyPoints = static_cast<int>(mesh.bodyPoints.size()),
                .blends = static_cast<int>(mesh.blends.size()),
                .fixed = static_cast<int>(mesh.fixed.size())};
    layout_ = m.layout;
    std::vector<int> order(mesh.bodyPoints.size());
    std::iota(order.begin(), order.end(), 0);
    const auto bodyOf = [&](int i) { return mesh.bodyPoints[static_cast<std::size_t>(i)].body; };
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return bodyOf(i) < bodyOf(j); });
    place_.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      place_[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
    for (const int i : order) ++m.bodyPointRange[static_cast<std::size_t>(bodyOf(i)) + 1];
    for (std::size_t b = 0; b < kBodyCount; ++b) m.bodyPointRange[b + 1] += m.bodyPointRange[b];
  }

  std::int32_t operator()(PointRef p) const {
    switch (p.kind) {
      case PointKind::Particle:
        return p.index;
      case PointKind::Body:
        return layout_.bodyBegin() + place_[static_cast<std::size_t>(p.index)];
      case PointKind::Blend:
        return layout_.blendBegin() + p.index;
      case PointKind::Fixed:
        break;
    }
    return layout_.fixedBegin() + p.index;
  }
  std::vector<std::int32_t> operator()(const std::vector<PointRef>& list) const {
    std::vector<std::int32_t> out;
    for (const PointRef p : list) out.push_back((*this)(p));
    return out;
  }
  std::vector<Triangle> operator()(const std::vector<internal::TrianglePoints>& faces) const {
    std::vector<Triangle> out;
    for (const auto& f : faces) out.push_back({(*this)(f[0]), (*this)(f[1]), (*this)(f[2])});
    return out;
  }

 private:
  const TorsoMesh& mesh_;
  PointLayout layout_;
  std::vector<int> place_;
};

void addPoints(const TorsoMesh& mesh, const Numbering& number, TorsoModel& m) {
  m.rest.resize(static_cast<std::size_t>(m.layout.total()));
  const auto put = [&](PointKind kind, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const PointRef ref{kind, static_cast<int>(i)};
      m.rest.set(static_cast<std::size_t>(number(ref)), mesh.position(ref));
    }
  };
  put(PointKind::Particle, mesh.particles.size());
  put(PointKind::Body, mesh.bodyPoints.size());
  put(PointKind::Blend, mesh.blends.size());
  put(PointKind::Fixed, mesh.fixed.size());
  for (const internal::BlendSpec& b : mesh.blends) {
    BlendPoint blend;
    for (std::size_t k = 0; k < BlendPoint::kParts; ++k) {
      const bool used = k < b.parts.size();
      blend.points[k] = number({PointKind::Body, b.parts[used ? k : 0].first});
      blend.weights[k] = used ? b.parts[k].second : 0;
    }
    m.blends.push_back(blend);
  }
}

const MuscleConfig& gainsOf(const TorsoConfig& c, const internal::SpringSpec& s) {
  static const MuscleConfig none{};
  switch (s.group) {
    case MuscleGroup::ExternalIntercostal:
    case MuscleGroup::InternalIntercostal:
      return c.intercostal;
    case MuscleGroup::Diaphragm:
      return s.tendon ? c.tendon : c.diaphragm;
    case MuscleGroup::Rectus:
      return c.rectus;
    case MuscleGroup::Transverse:
      return c.transverse;
    case MuscleGroup::Scalene:
      return c.scalene;
    case MuscleGroup::Levator:
      return c.levator;
    case MuscleGroup::Liner:
      return c.liner;
    case MuscleGroup::Cartilage:
      break;
  }
  return none;
}

void addSprings(const TorsoMesh& mesh, const Numbering& number, TorsoModel& m) {
  const TorsoConfig& c = m.config;
  constexpr double kTwoSided = -std::numeric_limits<double>::infinity();
  for (const internal::SpringSpec& s : mesh.springs) {
    const bool cartilage = s.group == MuscleGroup::Cartilage;
    const bool elevator = s.group == MuscleGroup::Scalene || s.group == MuscleGroup::Levator;
    const double length = (mesh.position(s.a) - mesh.position(s.b)).norm();
    const MuscleConfig g = gainsOf(c, s);
    const bool liner = s.group == MuscleGroup::Liner;
    if ((elevator || liner) && g.active == 0 && g.passive == 0) continue;
    const bool wall = s.group == MuscleGroup::Rectus || s.group == MuscleGroup::Transverse;
    double factor = 1, damping = g.damping;
    if (c.gainRule == GainRule::PerWidth && !elevator) {
      factor = s.width / length;
      damping = g.damping * (g.passive + g.active) * factor;
    }
    m.springs.a.push_back(number(s.a));
    m.springs.b.push_back(number(s.b));
    m.springs.active.push_back(factor * g.active);
    m.springs.passive.push_back(cartilage ? c.cartilageStiffness
                                          : factor * g.passive * (wall ? c.abdominalTone : 1));
    m.springs.damping.push_back(cartilage ? c.cartilageDamping : damping);
    m.springs.restLength.push_back(length);
    const bool dome = s.group == MuscleGroup::Diaphragm;
    const double prestrain = dome || liner ? c.domePrestrain : wall ? c.wallPrestrain : 0;
    m.springs.slackLength.push_back(length / (1 + (s.tendon ? 0.1 : 1) * prestrain));
    m.springs.lowest.push_back(cartilage || elevator ? kTwoSided : 0);
    m.springs.channels.push_back(s.channel);
    m.springs.groups.push_back(s.group);
  }
  for (const auto& [p, q] : mesh.rimPins)
    m.pins.push_back({number(p), number(q), c.rimStiffness, c.rimDamping});
  for (const auto& [p, q] : mesh.cartilagePins)
    m.pins.push_back({number(p), number(q), c.cartilageStiffness, c.cartilageDamping});
  for (const auto& [p, q] : mesh.groundPins)
    m.pins.push_back({number(p), number(q), c.groundStiffness, c.groundDamping});
}

/// Point masses by the area around them (or alike); both layers together weigh gutMass.
void addMasses(TorsoModel& m) {
  const auto n = static_cast<std::size_t>(m.layout.particles);
  std::vector<double> share(n, 0.0);
  for (const auto* faces : {&m.dome, &m.wall})
    for (const Triangle& t : *faces) {
      const double area = triangleArea(m.rest[static_cast<std::size_t>(t[0])],
                                       m.rest[static_cast<std::size_t>(t[1])],
                                       m.rest[static_cast<std::size_t>(t[2])]);
      for (const std::int32_t i : t)
        if (i < m.layout.particles) share[static_cast<std::size_t>(i)] += area / 3;
    }
  if (m.config.equalMasses) share.assign(n, 1.0);
  const double total = std::accumulate(share.begin(), share.end(), 0.0);
  m.particleMass.resize(n);
  for (std::size_t i = 0; i < n; ++i) m.particleMass[i] = m.config.gutMass * share[i] / total;
}

void addLandmarks(const TorsoMesh& mesh, const Numbering& number, TorsoModel& m) {
  m.landmarks.sternumMid = number(mesh.sternumMid);
  m.landmarks.xiphoid = number(mesh.xiphoid);
  m.landmarks.domeApex = number(mesh.apex);
  m.landmarks.rim = number(mesh.rim);
  m.landmarks.belly = number(mesh.wall[static_cast<std::size_t>(mesh.rows * 4 / 7 * mesh.columns)]);
  for (std::size_t k = 0; k < 3; ++k) m.landmarks.girths[k] = number(mesh.girths[k]);
  // The posterior third of both halves of the dome, where ultrasound measures its travel.
  for (int k = mesh.rings / 2; k <= mesh.rings * 3 / 4; ++k)
    for (int c = 0; c < mesh.columns; ++c) {
      const int half = std::min(c, mesh.columns - c);
      if (half * 16 < mesh.columns * 5 || half * 16 > mesh.columns * 7) continue;
      m.landmarks.dome.push_back(number(mesh.dome[static_cast<std::size_t>(k * mesh.columns + c)]));
    }
}

void addVolumes(const TorsoAnatomy& a, TorsoModel& m) {
  m.volumeOrigin = a.dome.center;
  const double dome = flesh::signedVolume(m.dome, m.rest, m.volumeOrigin);
  const double wall = flesh::signedVolume(m.wall, m.rest, m.volumeOrigin);
  const double cage = flesh::signedVolume(m.cage, m.rest, m.volumeOrigin);
  m.gut = {.bulkModulus = m.config.bulkModulus,
           .restVolume = (dome + wall) * (1 + m.config.restPressure / m.config.bulkModulus),
           .clamp = m.config.clampPressure};
  m.restGut = dome + wall;
  m.restLung = cage - dome;
  // Compliance grows with the lung, resistance falls with it.
  const anatomy::Person reference;
  const double size = m.restLung / (anatomy::lungVolumes(reference).functionalResidual +
                                    anatomy::predictThoracicTissue(reference));
  m.lungCompliance = m.config.lungCompliance * size;
  m.airwayResistance = m.config.airwayResistance / size;
}

TriangleMesh collect(const PointArray& points,
                     std::initializer_list<std::pair<std::span<const Triangle>, bool>> sets) {
  TriangleMesh mesh;
  for (std::size_t i = 0; i < points.size(); ++i) mesh.positions.push_back(points[i]);
  for (const auto& [faces, reversed] : sets)
    for (Triangle t : faces) {
      if (reversed) std::swap(t[1], t[2]);
      mesh.triangles.push_back(t);
    }
  removeUnusedVertices(mesh);
  return mesh;
}

}  // namespace

std::string bodyName(int body) {
  if (body == kSpine) return "spine";
  if (body == kSternum) return "sternum";
  return fmt::format("rib_{:02}_{}", (body + 1) / 2, body % 2 == 1 ? 'l' : 'r');
}

std::string_view toString(MuscleGroup group) {
  switch (group) {
    case MuscleGroup::ExternalIntercostal:
      return "external_intercostal";
    case MuscleGroup::InternalIntercostal:
      return "internal_intercostal";
    case MuscleGroup::Diaphragm:
      return "diaphragm";
    case MuscleGroup::Rectus:
      return "rectus";
    case MuscleGroup::Transverse:
      return "transverse";
    case MuscleGroup::Scalene:
      return "scalene";
    case MuscleGroup::Levator:
      return "levator";
    case MuscleGroup::Liner:
      return "liner";
    case MuscleGroup::Cartilage:
      break;
  }
  return "cartilage";
}

std::size_t TorsoModel::springCount(MuscleGroup group) const {
  return static_cast<std::size_t>(std::count(springs.groups.begin(), springs.groups.end(), group));
}

TorsoModel makeTorsoModel(const TorsoAnatomy& anatomy, const TorsoConfig& config) {
  validate(config);
  const TorsoMesh mesh = internal::makeTorsoMesh(anatomy, config);
  TorsoModel m;
  m.config = config;
  m.anatomy = anatomy;
  const Numbering number(mesh, m);
  internal::addParts(anatomy, config, m);
  addPoints(mesh, number, m);
  m.dome = number(mesh.domeFaces);
  m.wall = number(mesh.wallFaces);
  m.cage = number(mesh.cageFaces);
  addSprings(mesh, number, m);
  addMasses(m);
  addVolumes(anatomy, m);
  addLandmarks(mesh, number, m);
  internal::balanceRest(m);
  return m;
}

TriangleMesh lungSurface(const TorsoModel& m, const PointArray& points) {
  return collect(points, {{m.cage, false}, {m.dome, true}});
}

TriangleMesh gutSurface(const TorsoModel& m, const PointArray& points) {
  return collect(points, {{m.dome, false}, {m.wall, false}});
}

}  // namespace pneuma::breath
