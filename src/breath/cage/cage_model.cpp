#include "pneuma/breath/cage_model.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "breath/cage/cage_forces.h"
#include "breath/cage/torso_mesh.h"
#include "pneuma/anatomy/muscle_strength.h"
#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

using internal::PointKind;
using internal::PointRef;
using internal::TorsoMesh;

int carrierOf(const std::string& bone, const BoneLinks& links) {
  const int link = links(bone);
  if (link < 0)
    throw InputError(Diagnostic{.subject = bone,
                                .message = "no link of the articulation carries this bone, which "
                                           "the breathing cage needs"});
  return link;
}

/// Numbers of points: particles, bone points by link, blends, fixed.
class Numbering {
 public:
  Numbering(const TorsoMesh& mesh, const skeleton::Model& tree, const BoneLinks& links,
            CageModel& m) {
    m.layout = {.particles = static_cast<int>(mesh.particles.size()),
                .bonePoints = static_cast<int>(mesh.bonePoints.size()),
                .blends = static_cast<int>(mesh.blends.size()),
                .fixed = static_cast<int>(mesh.fixed.size())};
    layout_ = m.layout;
    std::vector<int> linkOf;
    for (const internal::BonePoint& p : mesh.bonePoints) linkOf.push_back(carrierOf(p.bone, links));
    std::vector<std::size_t> order(linkOf.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return linkOf[i] < linkOf[j]; });
    place_.resize(order.size());
    m.linkPointRange.assign(tree.links.size() + 1, 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      place_[order[k]] = static_cast<int>(k);
      ++m.linkPointRange[static_cast<std::size_t>(linkOf[order[k]]) + 1];
    }
    for (std::size_t l = 0; l < tree.links.size(); ++l)
      m.linkPointRange[l + 1] += m.linkPointRange[l];
  }

  std::int32_t operator()(PointRef p) const {
    switch (p.kind) {
      case PointKind::Particle:
        return p.index;
      case PointKind::Bone:
        return layout_.boneBegin() + place_[static_cast<std::size_t>(p.index)];
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
  PointLayout layout_;
  std::vector<int> place_;
};

void addPoints(const TorsoMesh& mesh, const Numbering& number, CageModel& m) {
  m.rest.resize(static_cast<std::size_t>(m.layout.total()));
  const auto put = [&](PointKind kind, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const PointRef ref{kind, static_cast<int>(i)};
      m.rest.set(static_cast<std::size_t>(number(ref)), mesh.position(ref));
    }
  };
  put(PointKind::Particle, mesh.particles.size());
  put(PointKind::Bone, mesh.bonePoints.size());
  put(PointKind::Blend, mesh.blends.size());
  put(PointKind::Fixed, mesh.fixed.size());
  for (const internal::BlendSpec& b : mesh.blends) {
    BlendPoint blend;
    for (std::size_t k = 0; k < BlendPoint::kParts; ++k) {
      const bool used = k < b.parts.size();
      blend.points[k] = number({PointKind::Bone, b.parts[used ? k : 0].first});
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
      return s.part == internal::SpringPart::Tendon ? c.tendon : c.diaphragm;
    case MuscleGroup::Rectus:
      return c.rectus;
    case MuscleGroup::Transverse:
      return s.part == internal::SpringPart::Oblique ? c.oblique : c.transverse;
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

/// How the end of a rib gives way against the bone in front [N/m]: three springs in a row.
///
///   1/k = L^3 / (3 E I) + 1 / k_rib + R^2 / k_off
///
///   L, E, I  the cartilage as a beam of elliptic section, clamped to the rib
///   k_rib    the bone between its ends, 2.5 kN/m (recalled, order of whole-rib bending tests)
///   R, k_off reach of the rib from its head; the joint's stiffness across the neck axis, which a
///            hinge would make infinite. Rib 1 and those of the arch do without (R = 0).
constexpr double kRibBending = 2500;  // k_rib [N/m]
double endStiffness(const TorsoConfig& c, const internal::CartilageSpec& s, double stiffening) {
  const double moment =  // mean of both directions [m^4]
      kPi / 64 * s.wide * s.thick * 0.5 * (s.wide * s.wide + s.thick * s.thick);
  const double beam = 3 * c.cartilageModulus * stiffening * moment / std::pow(s.length, 3);
  return 1 /
         (1 / beam + 1 / kRibBending + s.reach * s.reach / (c.jointStiffnessAcross * stiffening));
}
/// How the sternum gives way against the push of a rib's end from behind [N/m]: bone and joint
/// alone. `reach` is how far the end lies beside its head, the lever of that push about the joint.
double archStiffness(const TorsoConfig& c, const internal::CartilageSpec& s, double stiffening) {
  const double joint = c.jointStiffnessAcross * stiffening / (s.reach * s.reach);
  return 1 / (1 / kRibBending + 1 / joint);
}
constexpr double kBendingTime = 0.02;  // damping over stiffness of a rib's end [s]

void addSternumArch(const TorsoMesh& mesh, const Numbering& number, CageModel& m) {
  for (const internal::CartilageSpec& s : mesh.sternumArch) {
    const double k = archStiffness(m.config, s, internal::cageStiffening(m.anatomy.person.age));
    m.springs.a.push_back(number(s.rib));
    m.springs.b.push_back(number(s.front));
    m.springs.active.push_back(0);
    m.springs.passive.push_back(k);
    m.springs.damping.push_back(kBendingTime * k);
    const double length = (mesh.position(s.rib) - mesh.position(s.front)).norm();
    m.springs.restLength.push_back(length);
    m.springs.slackLength.push_back(length);
    m.springs.lowest.push_back(-std::numeric_limits<double>::infinity());
    m.springs.strength.push_back(std::numeric_limits<double>::infinity());
    m.springs.optimum.push_back(length);
    m.springs.reach.push_back(length);
    m.springs.channels.push_back(channel::kPassive);
    m.springs.groups.push_back(MuscleGroup::Cartilage);
  }
}

void addSprings(const TorsoMesh& mesh, const Numbering& number, CageModel& m) {
  const TorsoConfig& c = m.config;
  const double strength =
      anatomy::strengthRatio(m.anatomy.person, anatomy::Person{}, anatomy::MuscleRegion::Trunk);
  constexpr double kTwoSided = -std::numeric_limits<double>::infinity();
  for (const internal::SpringSpec& s : mesh.springs) {
    const bool cartilage = s.group == MuscleGroup::Cartilage;
    const bool elevator = s.group == MuscleGroup::Scalene || s.group == MuscleGroup::Levator;
    const double length = (mesh.position(s.a) - mesh.position(s.b)).norm();
    const MuscleConfig g = gainsOf(c, s);
    const bool liner = s.group == MuscleGroup::Liner;
    if ((elevator || liner) && g.active == 0 && g.passive == 0) continue;
    const bool wall = s.group == MuscleGroup::Rectus || s.group == MuscleGroup::Transverse;
    // A sheet's stiffness belongs to its width: springs of a finer mesh are more and weaker.
    double factor = 1, damping = g.damping;
    if (c.gainRule == GainRule::PerWidth && !elevator) {
      factor = s.width / length;
      damping = g.damping * (g.passive + g.active) * factor;
    }
    m.springs.a.push_back(number(s.a));
    m.springs.b.push_back(number(s.b));
    m.springs.active.push_back(factor * g.active);
    m.springs.passive.push_back(cartilage ? c.cartilageStiffness : factor * g.passive);
    const double breadth = c.gainRule == GainRule::PerWidth && !elevator ? s.width : 1;
    m.springs.strength.push_back(breadth * g.strength * strength);
    m.springs.damping.push_back(cartilage ? c.cartilageDamping : damping);
    m.springs.restLength.push_back(length);
    const bool dome = s.group == MuscleGroup::Diaphragm;
    const ForceLength curve = dome ? c.diaphragmForceLength : c.forceLength;
    m.springs.optimum.push_back(curve.optimum * length);
    m.springs.reach.push_back(curve.reach * length);
    const double prestrain = dome || liner ? c.domePrestrain : wall ? c.wallPrestrain : 0;
    m.springs.slackLength.push_back(
        length / (1 + (s.part == internal::SpringPart::Tendon ? 0.1 : 1) * prestrain));
    m.springs.lowest.push_back(cartilage || elevator ? kTwoSided : 0);
    m.springs.channels.push_back(s.channel);
    m.springs.groups.push_back(s.group);
  }
  addSternumArch(mesh, number, m);
  for (const auto& [p, q] : mesh.rimPins)
    m.pins.push_back({number(p), number(q), c.rimStiffness, c.rimDamping});
  for (const internal::CartilageSpec& s : mesh.cartilagePins) {
    const double k = endStiffness(c, s, internal::cageStiffening(m.anatomy.person.age));
    m.pins.push_back({number(s.rib), number(s.front), k, kBendingTime * k});
  }
  for (const auto& [p, q] : mesh.groundPins)
    m.pins.push_back({number(p), number(q), c.groundStiffness, c.groundDamping});
}

/// Point masses by the area around them (or alike); both layers together weigh gutMass.
void addMasses(CageModel& m) {
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

void addLandmarks(const TorsoMesh& mesh, const Numbering& number, CageModel& m) {
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

void addVolumes(CageModel& m) {
  const Vec3 origin = m.anatomy.dome.center;
  const double partition = flesh::signedVolume(m.partition, m.rest, origin);
  m.lining = partition - flesh::signedVolume(m.dome, m.rest, origin);
  const double wall = flesh::signedVolume(m.wall, m.rest, origin);
  const double cage = flesh::signedVolume(m.cage, m.rest, origin);
  m.gut = {.bulkModulus = m.config.bulkModulus,
           .restVolume =
               (partition + wall - m.lining) * (1 + m.config.restPressure / m.config.bulkModulus),
           .clamp = m.config.clampPressure};
  m.restGut = partition + wall - m.lining;
  m.restLung = cage - partition + m.lining;
  m.gutDensity = m.config.gutMass / m.restGut;
  if (m.config.lungs) m.lungs = makeLungs(m.anatomy.person, m.restLung, m.config.lung);
}

/// A weight on the front of the belly, spread over a hand's breadth around the navel. It comes on
/// top of the loads that balance the rest state, so the trunk sinks under it.
void addBellyWeight(CageModel& m) {
  constexpr double kReach = 0.09;  // [m]
  if (m.config.bellyWeight <= 0) return;
  const Vec3 navel = m.rest[static_cast<std::size_t>(m.landmarks.belly)];
  std::vector<std::pair<std::size_t, double>> under;
  double total = 0;
  for (std::size_t i = 0; i < m.particleMass.size(); ++i) {
    const Vec3 d = m.rest[i] - navel;
    const double across = std::hypot(d.x(), d.y());
    if (across > kReach || d.z() < -0.5 * kReach) continue;
    under.emplace_back(i, m.particleMass[i]);  // masses go by area
    total += m.particleMass[i];
  }
  for (const auto& [i, share] : under)
    m.restLoad.z[i] -= m.config.bellyWeight * kGravity * share / total;
}

/// Normal of the plane through the rib (least squares), pointing up.
Vec3 planeNormal(const std::vector<Vec3>& line) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : line) mean += p / static_cast<double>(line.size());
  Mat3 scatter = Mat3::Zero();
  for (const Vec3& p : line) scatter += (p - mean) * (p - mean).transpose();
  const Vec3 n = Eigen::SelfAdjointEigenSolver<Mat3>(scatter).eigenvectors().col(0);
  return n.y() < 0 ? Vec3(-n) : n;
}

/// Bone points as their links see them, and the links that particles follow: above the costal
/// margin the chest, on the pelvis the pelvis, linear between.
void addFrames(const skeleton::Model& tree, const BoneLinks& links, CageModel& m) {
  m.local.resize(static_cast<std::size_t>(m.layout.bonePoints));
  for (std::size_t l = 0; l < tree.links.size(); ++l) {
    const Pose toLink = tree.links[l].X_WL_rest.inverse();
    for (int i = m.linkPointRange[l]; i < m.linkPointRange[l + 1]; ++i)
      m.local.set(static_cast<std::size_t>(i),
                  toLink * m.rest[static_cast<std::size_t>(m.layout.boneBegin() + i)]);
  }
  // Floating ribs are part of their vertebrae in every articulation.
  const auto addLink = [&](const std::string& bone) {
    const int link = links(bone);
    if (link >= 0 && std::find(m.cageLinks.begin(), m.cageLinks.end(), link) == m.cageLinks.end())
      m.cageLinks.push_back(link);
  };
  for (const char* bone : {"manubrium", "body_of_sternum", "xiphoid_process"}) addLink(bone);
  for (int level = 1; level <= kRibCount; ++level)
    for (int side = 0; side < 2; ++side) {
      addLink(internal::ribBone(level, side));
      const auto r = static_cast<std::size_t>(2 * (level - 1) + side);
      std::vector<Vec3> line;
      for (const Vec3& p : m.anatomy.ribs[static_cast<std::size_t>(level - 1)].centerline)
        line.push_back(internal::onSide(p, side));
      m.ribLink[r] = carrierOf(internal::ribBone(level, side), links);
      m.ribNormal[r] = planeNormal(line);
      addLink("costal_cartilage_" + internal::ribBone(level, side).substr(4));
    }
  m.carriers.chest = carrierOf(internal::thoracicBone(10), links);
  // The ground of a trunk by itself holds its root too.
  if (m.config.ground) addLink(internal::thoracicBone(10));
  m.carriers.pelvis = carrierOf("sacrum", links);
  const double top = m.anatomy.thoracic(10).y(), bottom = m.anatomy.promontory.y();
  const bool one = m.carriers.chest == m.carriers.pelvis;  // a trunk of one piece
  for (std::size_t i = 0; i < m.particleMass.size(); ++i)
    m.carriers.chestWeight.push_back(
        one ? 1 : std::clamp((m.rest.y[i] - bottom) / (top - bottom), 0.0, 1.0));
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

double SpringSet::greatestTension(std::size_t i, double length) const {
  const double stretch =
      std::min((length - optimum[i]) / reach[i], internal::mostStretch(groups[i]));
  return strength[i] * std::max(0.0, 1 - stretch * stretch);
}

double SpringSet::activeTension(std::size_t i, double alpha, double ratio, double length) const {
  if (std::isfinite(strength[i])) return (1 - ratio) * greatestTension(i, length);
  return alpha * active[i] * (length - ratio * restLength[i]);
}

std::size_t CageModel::springCount(MuscleGroup group) const {
  return static_cast<std::size_t>(std::count(springs.groups.begin(), springs.groups.end(), group));
}

CageModel makeCage(const TorsoAnatomy& anatomy, const TorsoConfig& config,
                   const skeleton::Model& tree, const BoneLinks& links) {
  validate(config);
  const TorsoMesh mesh = internal::makeTorsoMesh(anatomy, config);
  CageModel m;
  m.config = config;
  m.anatomy = anatomy;
  const Numbering number(mesh, tree, links, m);
  addPoints(mesh, number, m);
  m.dome = number(mesh.domeFaces);
  m.wall = number(mesh.wallFaces);
  m.cage = number(mesh.cageFaces);
  m.partition = number(mesh.partitionFaces);
  addSprings(mesh, number, m);
  addMasses(m);
  addFrames(tree, links, m);
  addVolumes(m);
  addLandmarks(mesh, number, m);
  internal::balanceRest(tree, m);
  addBellyWeight(m);
  return m;
}

TriangleMesh lungSurface(const CageModel& m, const PointArray& points) {
  return collect(points, {{m.cage, false}, {m.dome, true}});
}

TriangleMesh gutSurface(const CageModel& m, const PointArray& points) {
  return collect(points, {{m.dome, false}, {m.wall, false}});
}

}  // namespace pneuma::breath
