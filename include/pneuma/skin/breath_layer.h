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
///   u_i = P_i^-1 now_i     (traces: P_i the blended posture of the skin over the point)
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
/// neck and head move as their groups do, by the weights W of the skin:
///
///   d_v = m_v b_v + sum over groups g outside the trunk of W_vg (P_g^-1 X_g p_v - p_v)
///   m_v = sum over groups of the trunk of W_vg
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

  /// Where the skin gives way to breath, 0 .. 1: m_v times the share of moving points. Smooth; the
  /// place of the volume law's correction.
  const std::vector<double>& mobility() const { return mobility_; }
  /// Part of a vertex's motion that the cage decides, the rest is the belly's: splits the breath
  /// into the shapes `breath_chest` and `breath_belly`.
  const std::vector<double>& chestShare() const { return chestShare_; }

 private:
  struct Followed {
    Vec3 rest = Vec3::Zero();
    int bone = -1, carrier = -1;  // of a bone's sample
    SkinWeights::Vertex skin;     // of a trace's point
    bool cage = false, moving = false;
  };
  /// A vertex that breath can move, with its range of influences.
  struct Moved {
    std::size_t vertex = 0, begin = 0, end = 0;
    Vec3 rest, mean;  // p_v, pbar
    Mat3 spread;      // A at rest
    SkinWeights::Vertex skin;
    double share = 0;  // m_v
  };
  void addTraces(const TriangleMesh& rest, const SkinWeights& weights,
                 std::span<const PointTrace> traces);
  void addMoved(std::size_t vertex, const Vec3& rest, const SkinWeights::Vertex& skin, double share,
                const BreathLayerConfig& config);
  void bringBack(const SkinInputs& inputs);
  Vec3 displacement(std::size_t place) const;
  Vec3 trunkMotion(const Moved& moved) const;

  struct Set {
    std::string name;
    std::size_t first = 0, count = 0;  // in followed_
  };
  JointGroups groups_;
  std::vector<Followed> followed_;
  std::vector<Set> sets_;
  std::vector<Moved> moved_;
  std::vector<std::int32_t> influence_;
  std::vector<double> weight_;
  std::vector<double> mobility_, chestShare_;
  GroupMotions motions_;
  std::vector<Vec3> travel_;       // u_i - p_i
  std::vector<Pose> groupBreath_;  // P_g^-1 X_g
};

/// The layer of a body fitted to the person whose skin `surface` is.
BreathLayer makeBreathLayer(const anatomy::SkinSurface& surface, const SkinWeights& weights,
                            const JointGroups& groups, const anatomy::Body& body,
                            const anatomy::GeometryCache& cache, std::span<const PointTrace> traces,
                            const BreathLayerConfig& config = {});

}  // namespace pneuma::skin
