#include "pneuma/skin/breath_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "skin/rotation_fit.h"

namespace pneuma::skin {
namespace {

constexpr double kLeastShare = 1e-3;      // of trunk groups at a vertex that breath moves
constexpr double kLeastWeight = 2e-3;     // of a point, against the nearest one
constexpr double kSampleSpacing = 0.014;  // on bones [m]

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::size_t nearestVertex(const TriangleMesh& mesh, const Vec3& p) {
  std::size_t best = 0;
  double least = 1e300;
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
    if (const double d = (mesh.positions[v] - p).squaredNorm(); d < least) least = d, best = v;
  return best;
}

}  // namespace

BreathLayer::BreathLayer(const TriangleMesh& rest, const SkinWeights& weights,
                         const JointGroups& groups, const std::vector<bool>& cage,
                         const std::vector<BoneSample>& samples, std::span<const PointTrace> traces,
                         const BreathLayerConfig& config)
    : groups_(groups), mobility_(rest.vertexCount(), 0), chestShare_(rest.vertexCount(), 0) {
  if (config.reach <= 0 || config.stiffness < 0)
    throw InputError("breath layer: reach must be above 0 and stiffness not below");
  PNEUMA_CHECK(weights.vertices.size() == rest.vertexCount(), "{} weights for {} vertices",
               weights.vertices.size(), rest.vertexCount());
  for (const BoneSample& s : samples) {
    const std::size_t group = at(groups_.ofBone[at(s.bone)]);
    if (!groups_.trunk[group]) continue;
    Followed f;
    f.rest = s.place;
    f.bone = s.bone;
    f.carrier = groups_.carrier[group];
    f.cage = f.moving = cage[at(s.bone)];
    followed_.push_back(f);
  }
  addTraces(rest, weights, traces);
  if (followed_.empty()) throw InputError("breath layer: no bone of the trunk and no trace");
  for (std::size_t v = 0; v < rest.vertexCount(); ++v)
    addMoved(v, rest.positions[v], weights.vertices[v], weights.share(v, groups_.trunk), config);
  travel_.resize(followed_.size());
  groupBreath_.resize(groups_.names.size());
}

void BreathLayer::addTraces(const TriangleMesh& rest, const SkinWeights& weights,
                            std::span<const PointTrace> traces) {
  for (const PointTrace& trace : traces) {
    sets_.push_back({std::string(trace.name), followed_.size(), trace.rest.size()});
    for (const Vec3& p : trace.rest) {
      Followed f;
      f.rest = p;
      f.skin = weights.vertices[nearestVertex(rest, p)];
      f.moving = true;
      followed_.push_back(f);
    }
  }
}

void BreathLayer::addMoved(std::size_t v, const Vec3& rest, const SkinWeights::Vertex& skin,
                           double share, const BreathLayerConfig& config) {
  Moved m;
  m.vertex = v;
  m.skin = skin;
  m.rest = rest;
  m.share = share > kLeastShare ? share : 0.0;
  m.mean.setZero(), m.spread.setIdentity();
  if (m.share == 0) {
    moved_.push_back(m);
    return;
  }
  m.begin = influence_.size();
  double nearest = 1e300, total = 0, moving = 0, chest = 0;
  for (const Followed& f : followed_) nearest = std::min(nearest, (f.rest - m.rest).squaredNorm());
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    // Relative to the nearest point, so that thick flesh does not leave the weights empty.
    const double d = (followed_[i].rest - m.rest).squaredNorm() - nearest;
    // Lowered by the least one, so that points enter and leave smoothly over the surface.
    const double w = std::exp(-d / (2 * config.reach * config.reach)) - kLeastWeight;
    if (w <= 0) continue;
    influence_.push_back(static_cast<std::int32_t>(i));
    weight_.push_back(w);
    total += w;
    m.mean += w * followed_[i].rest;
    if (followed_[i].moving) moving += w;
    if (followed_[i].cage) chest += w;
  }
  m.end = influence_.size();
  m.mean /= total;
  m.spread = config.stiffness * config.stiffness * Mat3::Identity();
  for (std::size_t k = m.begin; k < m.end; ++k) {
    weight_[k] /= total;
    const Vec3 r = followed_[at(influence_[k])].rest - m.mean;
    m.spread.selfadjointView<Eigen::Lower>().rankUpdate(r, weight_[k]);
  }
  m.spread = Mat3(m.spread.selfadjointView<Eigen::Lower>());
  mobility_[v] = share * moving / total;
  chestShare_[v] = moving > 0 ? chest / moving : 0.0;
  moved_.push_back(m);
}

/// Every followed point and every group back in the rest pose, as what breath adds there.
void BreathLayer::bringBack(const SkinInputs& inputs) {
  const std::span<const Pose> posture = inputs.posture.empty() ? inputs.bones : inputs.posture;
  if (inputs.bones.size() < groups_.ofBone.size())
    throw InputError(fmt::format("skin: motions of {} bones; the driver is bound to {}",
                                 inputs.bones.size(), groups_.ofBone.size()));
  motions_.follow(groups_, posture);
  for (std::size_t g = 0; g < groupBreath_.size(); ++g) {
    const std::size_t carrier = at(groups_.carrier[g]);
    groupBreath_[g] = posture[carrier].inverse() * inputs.bones[carrier];
  }
  std::size_t firstTrace = followed_.size();
  for (const Set& set : sets_) firstTrace = std::min(firstTrace, set.first);
  for (std::size_t i = 0; i < firstTrace; ++i) {
    const Followed& f = followed_[i];
    travel_[i] = posture[at(f.carrier)].inverse() * (inputs.bones[at(f.bone)] * f.rest) - f.rest;
  }
  for (const Set& set : sets_) {
    const auto trace = std::ranges::find(inputs.traces, set.name, &PointTrace::name);
    if (trace == inputs.traces.end() || trace->now.size() != set.count)
      throw InputError(fmt::format(
          "skin: trace '{}' has {} points; the driver is bound to {}", set.name,
          trace == inputs.traces.end() ? std::size_t{0} : trace->now.size(), set.count));
    for (std::size_t k = 0; k < set.count; ++k) {
      const Followed& f = followed_[set.first + k];
      travel_[set.first + k] = motions_.blend(f.skin).inverse() * trace->now[k] - f.rest;
    }
  }
}

Vec3 BreathLayer::trunkMotion(const Moved& m) const {
  Vec3 travel = Vec3::Zero();
  Mat3 A = m.spread;
  for (std::size_t k = m.begin; k < m.end; ++k) {
    const std::size_t i = at(influence_[k]);
    const Vec3 d = weight_[k] * travel_[i];
    travel += d;
    A.noalias() += d * (followed_[i].rest - m.mean).transpose();
  }
  const Vec3 arm = m.rest - m.mean;
  return internal::nearestRotation(A, Mat3::Identity()) * arm - arm + travel;
}

Vec3 BreathLayer::displacement(std::size_t place) const {
  const Moved& m = moved_[place];
  Vec3 d = m.share > 0 ? Vec3(m.share * trunkMotion(m)) : Vec3(Vec3::Zero());
  for (std::size_t k = 0; k < SkinWeights::kMost; ++k)
    if (const std::size_t g = at(m.skin.group[k]); m.skin.weight[k] > 0 && !groups_.trunk[g])
      d += m.skin.weight[k] * (groupBreath_[g] * m.rest - m.rest);
  return d;
}

void BreathLayer::displace(const SkinInputs& inputs, std::span<Vec3> displacements) {
  PNEUMA_CHECK(displacements.size() == mobility_.size(), "{} displacements for {} vertices",
               displacements.size(), mobility_.size());
  bringBack(inputs);
  parallelFor(moved_.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) displacements[moved_[k].vertex] = displacement(k);
  });
}

BreathLayer makeBreathLayer(const anatomy::SkinSurface& surface, const SkinWeights& weights,
                            const JointGroups& groups, const anatomy::Body& body,
                            const anatomy::GeometryCache& cache, std::span<const PointTrace> traces,
                            const BreathLayerConfig& config) {
  std::vector<bool> cage;
  for (const anatomy::Bone& b : body.bones) cage.push_back(isCageBone(b.name));
  const auto ofTrunk = [](const anatomy::Bone& b) {
    using anatomy::BodyRegion;
    return b.region == BodyRegion::Thorax || b.region == BodyRegion::Abdomen ||
           b.region == BodyRegion::Pelvis;
  };
  return {surface.mesh, weights, groups, cage, sampleBones(body, cache, kSampleSpacing, ofTrunk),
          traces,       config};
}

}  // namespace pneuma::skin
