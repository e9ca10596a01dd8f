#include "pneuma/skin/breath_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "skin/rotation_fit.h"

namespace pneuma::skin {
namespace {

constexpr double kLeastShare = 1e-3;      // of trunk groups at a vertex that breath moves
constexpr double kLeastWeight = 2e-3;     // of a point, against the nearest one
constexpr double kSampleSpacing = 0.014;  // on bones [m]

/// Of equally near vertices on both sides of the mid-plane neither is better: there a point looks
/// for a vertex of the plane first.
std::size_t nearestVertex(const TriangleMesh& mesh, const Vec3& p) {
  constexpr double kInPlane = 1e-9;  // [m]
  std::size_t best = 0;
  for (const bool middle : {true, false}) {
    if (middle && std::abs(p.x()) > kInPlane) continue;
    double least = 1e300;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      if (middle && std::abs(mesh.positions[v].x()) > kInPlane) continue;
      if (const double d = (mesh.positions[v] - p).squaredNorm(); d < least) least = d, best = v;
    }
    if (least < 1e300) return best;
  }
  return best;
}

/// A wall belongs to the trunk, whatever limb begins in the skin above it: a thigh that is raised
/// must not count as breath of the belly.
SkinWeights::Vertex trunkPart(const SkinWeights::Vertex& vertex, const std::vector<bool>& trunk) {
  SkinWeights::Vertex own = vertex;
  double sum = 0;
  for (std::size_t k = 0; k < SkinWeights::kMost; ++k) {
    if (!trunk[at(own.group[k])]) own.weight[k] = 0;
    sum += own.weight[k];
  }
  if (sum <= 0) return vertex;
  for (double& w : own.weight) w /= sum;
  // The strongest comes first: rotations are blended on its side.
  const auto strongest = std::ranges::max_element(own.weight) - own.weight.begin();
  std::swap(own.weight[0], own.weight[static_cast<std::size_t>(strongest)]);
  std::swap(own.group[0], own.group[static_cast<std::size_t>(strongest)]);
  return own;
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
  std::vector<Followed> followed;
  for (const BoneSample& s : samples)
    if (groups_.trunk[at(groups_.ofBone[at(s.bone)])])
      followed.push_back({s.place, s.bone, cage[at(s.bone)]});
  addTraces(rest, weights, traces, followed);
  if (followed.empty()) throw InputError("breath layer: no bone of the trunk and no trace");
  for (std::size_t v = 0; v < rest.vertexCount(); ++v) {
    Moved m;
    m.rest = rest.positions[v];
    m.limbs = weights.outside(v, groups_.trunk);
    double share = 1;
    for (const double w : m.limbs.weight) share -= w;
    m.share = share > kLeastShare ? share : 0.0;
    m.mean.setZero(), m.spread.setIdentity();
    moved_.push_back(m);
    if (m.share > 0) bind(v, followed, config);
  }
  travel_.resize(tracePoints_.size());
  boneBreath_.resize(groups_.ofBone.size());
}

void BreathLayer::addTraces(const TriangleMesh& rest, const SkinWeights& weights,
                            std::span<const PointTrace> traces, std::vector<Followed>& followed) {
  for (const PointTrace& trace : traces) {
    sets_.push_back({std::string(trace.name), tracePoints_.size(), trace.rest.size()});
    for (const Vec3& p : trace.rest) {
      tracePoints_.push_back(
          {p, trunkPart(weights.vertices[nearestVertex(rest, p)], groups_.trunk)});
      followed.push_back({p, -1, true});
    }
  }
}

/// The weights of the points around a vertex.
void BreathLayer::bind(std::size_t v, const std::vector<Followed>& followed,
                       const BreathLayerConfig& config) {
  Moved& m = moved_[v];
  double nearest = 1e300, total = 0, moving = 0, chest = 0;
  for (const Followed& f : followed) nearest = std::min(nearest, (f.rest - m.rest).squaredNorm());
  std::vector<std::pair<std::size_t, double>> weights;
  // Beyond it no weight is above the least one, with some room for rounding.
  const double farthest = -2.01 * config.reach * config.reach * std::log(kLeastWeight);
  for (std::size_t i = 0; i < followed.size(); ++i) {
    // Relative to the nearest point, so that thick flesh does not leave the weights empty.
    const double d = (followed[i].rest - m.rest).squaredNorm() - nearest;
    if (d > farthest) continue;
    // Lowered by the least one, so that points enter and leave smoothly over the surface.
    const double w = std::exp(-d / (2 * config.reach * config.reach)) - kLeastWeight;
    if (w <= 0) continue;
    weights.emplace_back(i, w);
    total += w;
    m.mean += w * followed[i].rest;
    if (followed[i].moving) moving += w;
    if (followed[i].moving && followed[i].bone >= 0) chest += w;
  }
  m.mean /= total;
  for (auto& entry : weights) entry.second /= total;
  m.spread *= config.stiffness * config.stiffness;
  mobility_[v] = m.share * moving / total;
  chestShare_[v] = moving > 0 ? chest / moving : 0.0;
  store(m, followed, weights);
}

/// Bones as moments, traces point by point.
void BreathLayer::store(Moved& m, const std::vector<Followed>& followed,
                        const std::vector<std::pair<std::size_t, double>>& weights) {
  m.boneBegin = moments_.size();
  m.traceBegin = tracePlace_.size();
  const std::size_t firstTrace = followed.size() - tracePoints_.size();
  for (const auto& [i, w] : weights) {
    const Vec3 &p = followed[i].rest, r = p - m.mean;
    m.spread += w * r * r.transpose();
    if (i >= firstTrace) {
      tracePlace_.push_back(static_cast<std::int32_t>(i - firstTrace));
      traceWeight_.push_back(w);
      continue;
    }
    // Samples come bone by bone.
    if (moments_.size() == m.boneBegin || moments_.back().bone != followed[i].bone)
      moments_.push_back({followed[i].bone, 0, Vec3::Zero(), Mat3::Zero()});
    moments_.back().weight += w;
    moments_.back().first += w * p;
    moments_.back().second += w * p * r.transpose();
  }
  m.spread = Mat3(m.spread.selfadjointView<Eigen::Lower>());
  m.boneEnd = moments_.size();
  m.traceEnd = tracePlace_.size();
}

/// Every bone and every point of a trace back in the rest pose, as what breath adds there.
void BreathLayer::bringBack(const SkinInputs& inputs) {
  const std::span<const Pose> posture = inputs.posture.empty() ? inputs.bones : inputs.posture;
  if (inputs.bones.size() < groups_.ofBone.size())
    throw InputError(fmt::format("skin: motions of {} bones; the driver is bound to {}",
                                 inputs.bones.size(), groups_.ofBone.size()));
  motions_.follow(groups_, posture);
  for (std::size_t b = 0; b < boneBreath_.size(); ++b) {
    const std::size_t carrier = at(groups_.carrier[at(groups_.ofBone[b])]);
    boneBreath_[b] = posture[carrier].inverse() * inputs.bones[b];
  }
  for (const Set& set : sets_) {
    const auto trace = std::ranges::find(inputs.traces, set.name, &PointTrace::name);
    if (trace == inputs.traces.end() || trace->now.size() != set.count)
      throw InputError(fmt::format(
          "skin: trace '{}' has {} points; the driver is bound to {}", set.name,
          trace == inputs.traces.end() ? std::size_t{0} : trace->now.size(), set.count));
    for (std::size_t k = 0; k < set.count; ++k) {
      const TracePoint& p = tracePoints_[set.first + k];
      travel_[set.first + k] = motions_.blend(p.skin).inverse() * trace->now[k] - p.rest;
    }
  }
}

Vec3 BreathLayer::trunkMotion(const Moved& m) const {
  Vec3 travel = Vec3::Zero();
  Mat3 A = m.spread;
  for (std::size_t k = m.boneBegin; k < m.boneEnd; ++k) {
    const BoneMoments& bone = moments_[k];
    const Pose& motion = boneBreath_[at(bone.bone)];
    const Mat3 turn = motion.rotation - Mat3::Identity();
    travel += turn * bone.first + bone.weight * motion.position;
    A.noalias() += turn * bone.second;
    A.noalias() += motion.position * (bone.first - bone.weight * m.mean).transpose();
  }
  for (std::size_t k = m.traceBegin; k < m.traceEnd; ++k) {
    const std::size_t i = at(tracePlace_[k]);
    const Vec3 d = traceWeight_[k] * travel_[i];
    travel += d;
    A.noalias() += d * (tracePoints_[i].rest - m.mean).transpose();
  }
  const Vec3 arm = m.rest - m.mean;
  return internal::nearestRotation(A, Mat3::Identity()) * arm - arm + travel;
}

Vec3 BreathLayer::displacement(const Moved& m) const {
  Vec3 d = m.share > 0 ? Vec3(m.share * trunkMotion(m)) : Vec3(Vec3::Zero());
  for (std::size_t k = 0; k < SkinWeights::kMost; ++k)
    if (const double w = m.limbs.weight[k]; w > 0)
      d += w * (boneBreath_[at(groups_.carrier[at(m.limbs.group[k])])] * m.rest - m.rest);
  return d;
}

void BreathLayer::displace(const SkinInputs& inputs, std::span<Vec3> displacements) {
  PNEUMA_CHECK(displacements.size() == mobility_.size(), "{} displacements for {} vertices",
               displacements.size(), mobility_.size());
  bringBack(inputs);
  parallelFor(moved_.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) displacements[k] = displacement(moved_[k]);
  });
}

std::vector<BoneSample> sampleTrunk(const anatomy::Body& body,
                                    const anatomy::GeometryCache& cache) {
  return sampleBones(body, cache, kSampleSpacing, [](const anatomy::Bone& b) {
    using anatomy::BodyRegion;
    return b.region == BodyRegion::Thorax || b.region == BodyRegion::Abdomen ||
           b.region == BodyRegion::Pelvis;
  });
}

BreathLayer makeBreathLayer(const anatomy::SkinSurface& surface, const SkinWeights& weights,
                            const JointGroups& groups, const anatomy::Body& body,
                            const std::vector<BoneSample>& trunk,
                            std::span<const PointTrace> traces, const BreathLayerConfig& config) {
  std::vector<bool> cage;
  for (const anatomy::Bone& b : body.bones) cage.push_back(isCageBone(b.name));
  return {surface.mesh, weights, groups, cage, trunk, traces, config};
}

}  // namespace pneuma::skin
