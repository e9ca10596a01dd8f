#pragma once

#include <span>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::flesh {

/// The line along which a muscle pulls: a polyline from origin to insertion through control points
/// that follow the skeleton, with a tendon of constant length at either end and the belly between.
/// [Nedel00, Sec. 4.1]
///
/// The points are the current ones; they are replaced when the skeleton moves. Tendon lengths stay.
/// When the line gets shorter than both tendons, the tendons share its length in proportion and the
/// belly keeps a thousandth of it, so that it never turns over (counted by `slack()`).
class ActionLine {
 public:
  ActionLine() = default;
  /// Throws InputError for fewer than two points, coincident ends, or negative tendons.
  ActionLine(std::vector<Vec3> points, double tendonStart, double tendonEnd);

  /// Moves the control points; their number must stay the same.
  void setPoints(std::span<const Vec3> points);

  std::span<const Vec3> points() const { return points_; }
  double length() const { return arc_.back(); }  ///< [m]
  double tendonStart() const { return tendonStart_; }
  double tendonEnd() const { return tendonEnd_; }
  double bellyStart() const { return bellyStart_; }  ///< arc length where the belly begins [m]
  double bellyEnd() const { return bellyEnd_; }
  double bellyLength() const { return bellyEnd_ - bellyStart_; }
  bool slack() const { return slack_; }  ///< line shorter than its tendons

  /// Point at an arc length [m], clamped to the line.
  Vec3 pointAt(double arcLength) const;
  /// The control points before and behind an arc length, and the share of the latter there.
  struct Between {
    std::size_t before = 0;  ///< the other one is before + 1
    double share = 0;        ///< 0 .. 1
  };
  Between between(double arcLength) const;

  /// The path of the belly at an arc length [m]: the line averaged over `kRounding` of its length
  /// to either side (less near its ends), so that a corner becomes an arc. Rings across a sharp
  /// corner would run through one another.
  Vec3 pathAt(double arcLength) const { return smooth(arcLength).point; }

  /// A frame at each of `count` places spread evenly over the belly, first on its start, last on
  /// its end: column 2 of the rotation is the direction of the path, columns 0 and 1 are carried
  /// along it without twist from a first direction nearest to `reference`.
  void bellyFrames(int count, const Vec3& reference, std::vector<Pose>& frames) const;

  static constexpr double kRounding = 0.18;

 private:
  struct Sample {
    Vec3 point, tangent;
  };
  void measure();
  std::size_t segmentAt(double arcLength) const;
  Sample smooth(double arcLength) const;

  std::vector<Vec3> points_;
  std::vector<double> arc_;   // arc length at each point
  std::vector<Vec3> moment_;  // integral of the position over the arc length up to each point
  double tendonStart_ = 0, tendonEnd_ = 0;
  double bellyStart_ = 0, bellyEnd_ = 0;
  bool slack_ = false;
};

/// A line stored independently of the size of the body: each point relative to the limb it belongs
/// to. Multiplying by limb lengths gives the line of any scaled skeleton.
struct NormalizedPoint {
  int limb = 0;                  ///< index of the limb
  Vec3 position = Vec3::Zero();  ///< in the limb's frame, divided by the limb's length [-]
};

/// The point in world coordinates for a limb of pose X_WL and length [m].
Vec3 denormalize(const NormalizedPoint& point, const Pose& X_WL, double limbLength);
NormalizedPoint normalize(int limb, const Vec3& world, const Pose& X_WL, double limbLength);

}  // namespace pneuma::flesh
