#pragma once

#include <string>
#include <vector>

#include "pneuma/skin/weights_driver.h"

namespace pneuma::skin {

/// Settings of the breath's shape on the skin.
struct BreathLayerConfig {
  double reach = 0.025;  ///< h, standard deviation of the weights [m], > 0
  double stiffness =
      0.003;  ///< rho, radius that holds back turns which few points decide [m], >= 0
};

/// The breath as a displacement of the skin in the rest pose, which any pose driver then carries.
///
/// Followed points i: samples of the trunk's bones (ribs, cartilages, sternum; spine and pelvis)
/// and the points of traces (abdominal wall, soft bodies). Each is first brought back to the rest
/// pose,
///
///   u_i = P_g^-1 X_b p_i   (bones: X_b motion of bone b, P_g posture of its joint group's carrier)
///   u_i = P_i^-1 now_i     (traces: P_i the blended posture of the trunk's skin over the point)
///
/// so that u_i = p_i without breath, in any pose: ribs that a rigid cage or their vertebrae carry
/// along do not count. Around vertex v the points then define a rigid motion, the weighted
/// least-squares fit (moving least squares [Schaefer06], in space):
///
///   w_vi ~ exp(-(|p_i - p_v|^2 - r_v^2) / 2 h^2)      r_v distance to the nearest point; sum 1
///   pbar = sum w p,  ubar = sum w u,   A = sum w u (p - pbar)^T + rho^2 I
///   b_v  = R (p_v - pbar) + ubar - p_v                R the rotation nearest to A
///
/// Fat above a rib that turns thus turns with it, where a mean of translations would shear. Arms,
/// neck and head move as their groups do, by all their weights W (SkinWeights::limbs), for those
/// that an armature keeps take steps:
///
///   d_v = m_v b_v + sum over groups g outside the trunk of W_vg (P_g^-1 X_g p_v - p_v)
///   m_v = 1 - sum over groups outside the trunk of W_vg
///
/// The shoulders' lift is part of the breath and passes into the chest's motion without a step.
class BreathLayer {
 public:
  /// `cage` marks bones (of Body::bones) that breath moves; `samples` may lie on any bone, those
  /// outside the trunk are left out. Throws InputError when nothing is left to follow.
  BreathLayer(const TriangleMesh& rest, const SkinWeights& weights, const JointGroups& groups,
              const std::vector<bool>& cage, const std::vector<BoneSample>& samples,
              std::span<const PointTrace> traces, const BreathLayerConfig& config = {});

  /// Writes d_v [m] of every vertex. Throws InputError for traces that differ from the bound ones.
  void displace(const SkinInputs& inputs, std::span<Vec3> displacements);

  /// What breath does to each bone, seen in the rest pose, of the last inputs: P_g^-1 X_b.
  std::span<const Pose> bonesAtRest() const { return boneBreath_; }
  /// Where the skin gives way to breath, 0 .. 1: m_v times the share of moving points. Smooth; the
  /// place of the volume law's correction.
  const std::vector<double>& mobility() const { return mobility_; }
  /// Part of a vertex's motion that the cage decides, the rest is the belly's: splits the breath
  /// into the shapes `breath_chest` and `breath_belly`.
  const std::vector<double>& chestShare() const { return chestShare_; }

 private:
  /// A point to follow, while the layer is bound.
  struct Followed {
    Vec3 rest = Vec3::Zero();
    int bone = -1;  // a bone's sample, or -1: a trace's point
    bool moving = false;
  };
  struct TracePoint {
    Vec3 rest;
    SkinWeights::Vertex skin;
  };
  /// All samples of one bone as a vertex sees them: with their rigid motion (Q, t) in the rest pose
  /// sum w (u - p) = (Q - I) first + weight t, and alike for A with the second moments about pbar.
  struct BoneMoments {
    std::int32_t bone = 0;
    double weight = 0;
    Vec3 first = Vec3::Zero();   // sum w p
    Mat3 second = Mat3::Zero();  // sum w p (p - pbar)^T
  };
  /// A vertex that breath can move, with its range of influences.
  struct Moved {
    std::size_t boneBegin = 0, boneEnd = 0, traceBegin = 0, traceEnd = 0;
    Vec3 rest, mean;  // p_v, pbar
    Mat3 spread;      // A at rest
    SkinWeights::Vertex limbs;
    double share = 0;  // m_v
  };
  void addTraces(const TriangleMesh& rest, const SkinWeights& weights,
                 std::span<const PointTrace> traces, std::vector<Followed>& followed);
  void bind(std::size_t vertex, const std::vector<Followed>& followed,
            const BreathLayerConfig& config);
  void store(Moved& moved, const std::vector<Followed>& followed,
             const std::vector<std::pair<std::size_t, double>>& weights);
  void bringBack(const SkinInputs& inputs);
  Vec3 displacement(const Moved& moved) const;
  Vec3 trunkMotion(const Moved& moved) const;

  struct Set {
    std::string name;
    std::size_t first = 0, count = 0;  // in tracePoints_
  };
  JointGroups groups_;
  std::vector<TracePoint> tracePoints_;
  std::vector<Set> sets_;
  std::vector<Moved> moved_;  // of each vertex
  std::vector<BoneMoments> moments_;
  std::vector<std::int32_t> tracePlace_;
  std::vector<double> traceWeight_;
  std::vector<double> mobility_, chestShare_;
  GroupMotions motions_;
  std::vector<Vec3> travel_;      // u - p of the traces' points
  std::vector<Pose> boneBreath_;  // P_g^-1 X_b of each bone
};

/// Samples of the trunk's bones that a layer follows.
std::vector<BoneSample> sampleTrunk(const anatomy::Body& body, const anatomy::GeometryCache& cache);

/// The layer of a body fitted to the person whose skin `surface` is; `trunk` as sampleTrunk has
/// them.
BreathLayer makeBreathLayer(const anatomy::SkinSurface& surface, const SkinWeights& weights,
                            const JointGroups& groups, const anatomy::Body& body,
                            const std::vector<BoneSample>& trunk,
                            std::span<const PointTrace> traces,
                            const BreathLayerConfig& config = {});

}  // namespace pneuma::skin
