#pragma once

#include <span>
#include <vector>

#include "pneuma/skeleton/model.h"

/// Motion that is given: configurations as smooth functions of time.
namespace pneuma::skeleton {

/// How a track runs between its keys.
enum class TrackKind {
  /// A cubic spline through the keys, for recorded motion. Hinges, slides and the components of
  /// quaternions are splines with continuous second derivative; a quaternion is then normalised.
  Spline,
  /// From key to key along the shortest way with minimum jerk, 10 s^3 - 15 s^4 + 6 s^5, still at
  /// every key, for poses set by hand: it never leaves what lies between two keys.
  Ease,
};

/// Settings of a track.
struct TrackConfig {
  TrackKind kind = TrackKind::Spline;
  /// The last key is the first again, moved by `travel`: the track goes on for ever.
  bool cyclic = false;
};

/// A motion q(t) with its velocity and acceleration, twice continuously differentiable.
///
/// Quaternions: with p the spline of the components and n = |p|, the rotation is u = p / n,
/// u' = (p' - n' u) / n, u'' = (p'' - 2 n' u' - n'' u) / n, and in the link's own axes
///
///   omega = 2 vec(conj(u) u'),   omega' = 2 vec(conj(u) u'').
///
/// Before the first and after the last key the pose is held (v = 0), unless the track is cyclic:
/// then the root is carried on by the way it makes in a cycle, level over the floor, as a gait is.
/// Time begins at the first key.
class PoseTrack {
 public:
  PoseTrack() = default;
  /// `times` rise, one for each configuration; a single one is a pose that is held. A cyclic track
  /// has three keys or more and a free root.
  PoseTrack(const Model& model, std::span<const double> times, std::span<const VecX> q,
            const TrackConfig& config = {});

  bool empty() const { return positions_ == 0; }
  bool cyclic() const { return config_.cyclic; }
  double duration() const { return empty() ? 0 : times_.back(); }  ///< of one cycle [s]
  std::size_t keyCount() const { return times_.size(); }
  /// Way of the root in a cycle [m], level; zero when not cyclic.
  const Vec3& travel() const { return travel_; }

  /// Configuration, velocity and acceleration at a time [s]. The vectors have their sizes; nothing
  /// is allocated.
  void sample(double t, VecX& q, VecX& v, VecX& vDot) const;
  void sample(double t, VecX& q) const;

 private:
  struct Place {
    std::size_t key = 0;
    double h = 0, s = 0;  // length of the segment, place in it from 0 to 1
    double cycles = 0;
    bool held = false;
  };
  struct Derivatives {
    double value, first, second;
  };
  void fitSplines();
  void fitPeriodic();
  Place place(double t) const;
  Derivatives spline(const Place& at, int position) const;
  void sampleSpline(const Place& at, VecX& q, VecX* v, VecX* vDot) const;
  void sampleEase(const Place& at, VecX& q, VecX* v, VecX* vDot) const;
  void sampleInto(double t, VecX& q, VecX* v, VecX* vDot) const;

  TrackConfig config_;
  std::vector<CompiledMotion> motions_;
  int positions_ = 0, dofs_ = 0;
  std::vector<double> times_;  // from zero
  MatX keys_;                  // a column per key
  MatX curvature_;             // second derivatives of the splines, a column per key
  MatX steps_;                 // Ease: configurationDifference from key to key
  Vec3 travel_ = Vec3::Zero();
};

/// A cycle of a recorded gait.
struct LoopConfig {
  double shortest = 0.5;  ///< of the cycle [s], > 0
  double longest = 3;     ///< of the cycle [s]
  double blend = 0.25;  ///< part of the cycle over which its end passes into its beginning, 0 to 1
  double lookAhead = 0.1;  ///< how many seconds of velocity count as much as the pose [s]
};

/// Where a cycle was found, and how well it closes.
struct GaitCycle {
  std::size_t begin = 0, end = 0;  ///< keys; the pose at `end` is that at `begin` again
  double poseGap = 0;              ///< root mean square over the joints before closing [rad]
  double speedGap = 0;             ///< [rad/s]
};

/// Finds the two moments of a recorded motion between which it repeats best: least
/// |q_i - q_j|^2 + lookAhead^2 |v_i - v_j|^2 over the joints, the root's height and its lean (where
/// it is and where it faces do not matter). Throws InputError when the motion is too short.
GaitCycle findCycle(const Model& model, std::span<const double> times, std::span<const VecX> q,
                    const LoopConfig& config = {});

/// The gait as a cyclic track: the end of the cycle passes smoothly into what came before its
/// beginning; the root keeps its travel, straight ahead.
PoseTrack makeLoop(const Model& model, std::span<const double> times, std::span<const VecX> q,
                   const LoopConfig& config = {}, GaitCycle* found = nullptr);

}  // namespace pneuma::skeleton
