#include "pneuma/breath/torso_measures.h"

#include <algorithm>
#include <cmath>

#include "breath/drive/rises.h"
#include "pneuma/core/tape.h"

namespace pneuma::breath {
namespace {

/// Tapes held level around chest and belly, as seen in a frame. Heights are found once for all of
/// them: few triangles are cut.
class LevelTapes {
 public:
  LevelTapes(const CageModel& m, const PointArray& points, const Pose& frame)
      : model_(m), points_(points), frame_(frame), heights_(points.size()) {
    const Vec3 up = frame.rotation.row(1);
    for (std::size_t i = 0; i < heights_.size(); ++i)
      heights_[i] =
          up.x() * points.x[i] + up.y() * points.y[i] + up.z() * points.z[i] + frame.position.y();
  }

  /// Where the middle of the loop is.
  double girth(const std::vector<std::int32_t>& loop) const {
    double height = 0;
    for (const std::int32_t i : loop)
      height += heights_[static_cast<std::size_t>(i)] / static_cast<double>(loop.size());
    return tapeLength(cut(height));
  }

 private:
  /// Where the plane y = height cuts the surfaces of chest and belly, seen from above.
  std::vector<Vec2> cut(double height) const {
    std::vector<Vec2> points;
    for (const auto* faces : {&model_.cage, &model_.wall})
      for (const Triangle& t : *faces) {
        const auto below = [&](std::size_t k) {
          return heights_[static_cast<std::size_t>(t[k])] < height;
        };
        if (below(0) == below(1) && below(1) == below(2)) continue;
        for (std::size_t k = 0; k < 3; ++k)
          if (below(k) != below((k + 1) % 3)) points.push_back(cross(t[k], t[(k + 1) % 3], height));
      }
    return points;
  }
  Vec2 cross(std::int32_t from, std::int32_t to, double height) const {
    const auto i = static_cast<std::size_t>(from), j = static_cast<std::size_t>(to);
    const Vec3 a = frame_ * points_[i], b = frame_ * points_[j];
    const Vec3 at = a + (height - heights_[i]) / (heights_[j] - heights_[i]) * (b - a);
    return {at.x(), at.z()};
  }

  const CageModel& model_;
  const PointArray& points_;
  Pose frame_;
  std::vector<double> heights_;
};

/// Volume of a fan over the rim, facing up, seen from an origin.
double rimFan(const CageModel& m, const PointArray& points, const Vec3& origin) {
  const auto& rim = m.landmarks.rim;
  Vec3 middle = Vec3::Zero();
  for (const std::int32_t i : rim) middle += points[static_cast<std::size_t>(i)];
  middle /= static_cast<double>(rim.size());
  double sum = 0;
  for (std::size_t k = 0; k < rim.size(); ++k) {
    const Vec3 a = points[static_cast<std::size_t>(rim[k])] - origin;
    const Vec3 b = points[static_cast<std::size_t>(rim[(k + 1) % rim.size()])] - origin;
    sum += a.dot(b.cross(middle - origin));
  }
  return sum / 6;
}

/// Slopes of the plane with normal n: in the sagittal plane (front up) and in the frontal plane
/// (side up, `outward` +1 left, -1 right).
std::array<double, 2> slopes(const Vec3& n, double outward) {
  return {std::atan2(-n.z(), n.y()), std::atan2(-outward * n.x(), n.y())};
}

/// Slopes of the ribs, as the chest sees them, against rest.
void addRibAngles(const CageModel& m, const skeleton::Model& tree, const skeleton::Kinematics& k,
                  TorsoMeasures& out) {
  const auto turnOf = [&](int link) -> Mat3 {
    const auto l = static_cast<std::size_t>(link);
    return k.X_WL[l].rotation * tree.links[l].X_WL_rest.rotation.transpose();
  };
  const Mat3 toChest = turnOf(m.carriers.chest).transpose();
  for (std::size_t i = 0; i < kRibCount; ++i)
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t r = 2 * i + side;
      const double outward = side == 0 ? 1 : -1;
      const auto now = slopes(toChest * turnOf(m.ribLink[r]) * m.ribNormal[r], outward);
      const auto rest = slopes(m.ribNormal[r], outward);
      out.pump[i] += 0.5 * (now[0] - rest[0]);
      out.bucket[i] += 0.5 * (now[1] - rest[1]);
      if (side == 1) out.rightPump[i] = now[0] - rest[0];
    }
}

/// Mean tension and relative length of each muscle group.
void addTensions(const CageModel& m, const CageSystem& cage, TorsoMeasures& out) {
  std::array<double, kGroupCount> count{};
  const PointArray& p = cage.points();
  for (std::size_t i = 0; i < m.springs.size(); ++i) {
    const auto g = static_cast<std::size_t>(m.springs.groups[i]);
    const auto a = static_cast<std::size_t>(m.springs.a[i]);
    const auto b = static_cast<std::size_t>(m.springs.b[i]);
    out.tension[g] += cage.tensions()[i];
    out.length[g] += (p[b] - p[a]).norm() / m.springs.restLength[i];
    ++count[g];
  }
  for (std::size_t g = 0; g < kGroupCount; ++g)
    if (count[g] > 0) {
      out.tension[g] /= count[g];
      out.length[g] /= count[g];
    }
}

/// Highest minus lowest of one measure.
template <class Get>
double range(std::span<const TorsoMeasures> samples, const Get& get) {
  double low = 1e300, high = -1e300;
  for (const TorsoMeasures& s : samples) {
    low = std::min(low, get(s));
    high = std::max(high, get(s));
  }
  return high - low;
}

/// Standard deviation of the lung volume.
double deviation(std::span<const TorsoMeasures> samples) {
  const auto n = static_cast<double>(samples.size());
  double mean = 0, variance = 0;
  for (const TorsoMeasures& s : samples) mean += s.lungVolume / n;
  for (const TorsoMeasures& s : samples)
    variance += (s.lungVolume - mean) * (s.lungVolume - mean) / n;
  return std::sqrt(variance);
}

/// Peaks and troughs of volume, then the mean rise. The hysteresis is a fifth of the range of an
/// even breath, by the deviation of the volume: one sigh or a drift in a recording does not widen
/// it.
struct Cycles {
  double tidal = 0, perMinute = 0;
};

/// Breaths whose peak lies at sample `first` or later; they may have begun before it.
Cycles findCycles(std::span<const TorsoMeasures> whole, std::size_t first) {
  const std::span<const TorsoMeasures> samples = whole.subspan(first);
  const double all = range(samples, [](const auto& s) { return s.lungVolume; });
  constexpr double kSineDeviation = 0.3536;  // of its range
  const double band = 0.2 * std::min(all, deviation(samples) / kSineDeviation);
  std::vector<double> volume;
  for (const TorsoMeasures& s : whole) volume.push_back(s.lungVolume);
  std::vector<internal::Rise> rises = internal::findRises(volume, band);
  std::erase_if(rises, [&](const internal::Rise& r) { return r.peak < first; });
  if (rises.empty()) return {all, 0};
  double sum = 0;
  for (const internal::Rise& r : rises) sum += r.height;
  const auto count = static_cast<double>(rises.size());
  const double between = whole[rises.back().peak].time - whole[rises.front().peak].time;
  return {sum / count, rises.size() > 1 ? 60 * (count - 1) / between : 0};
}

}  // namespace

TorsoMeasures measureCage(const CageModel& m, const skeleton::Model& tree,
                          const skeleton::Kinematics& k, const CageSystem& cage,
                          const CageReference& reference) {
  const PointArray& p = cage.points();
  const PointArray& rest = *reference.rest;
  const auto at = [&](std::int32_t i) { return p[static_cast<std::size_t>(i)]; };
  const auto travel = [&](std::int32_t i) -> Vec3 {
    return reference.frame * at(i) - rest[static_cast<std::size_t>(i)];
  };
  TorsoMeasures out;
  out.time = 0;
  const TorsoReading& reading = cage.reading();
  out.lungVolume = reading.lungVolume;
  out.gutVolume = reading.gutVolume;
  out.gutPressure = reading.gutPressure;
  out.pleuralPressure = reading.lungPressure;
  out.alveolarPressure = reading.alveolarPressure;
  out.flow = reading.flow;
  const Vec3 origin = at(m.landmarks.xiphoid);
  out.ribCageVolume = flesh::signedVolume(m.cage, p, origin) - rimFan(m, p, origin);
  out.abdomenVolume = out.lungVolume + out.gutVolume - out.ribCageVolume;
  const Vec3 sternum = travel(m.landmarks.sternumMid);
  out.sternumUp = sternum.y();
  out.sternumForward = sternum.z();
  for (const std::int32_t i : m.landmarks.dome)
    out.dome -= travel(i).y() / static_cast<double>(m.landmarks.dome.size());
  out.belly = travel(m.landmarks.belly).z();
  const LevelTapes now(m, p, reference.frame), before(m, rest, Pose{});
  for (std::size_t i = 0; i < 3; ++i)
    out.girth[i] = now.girth(m.landmarks.girths[i]) - before.girth(m.landmarks.girths[i]);
  addRibAngles(m, tree, k, out);
  addTensions(m, cage, out);
  return out;
}

TorsoMeasures measure(const TorsoModel& m, const TorsoState& s, TorsoWorkspace& w) {
  updatePoints(m, s, w);
  const skeleton::Kinematics k = torsoKinematics(m, s);
  TorsoMeasures out = measureCage(m, m.tree, k, w.cage(), {Pose{}, &m.rest});
  out.time = s.time;
  out.gas = s.cage.gas;
  const Pose& spine = k.X_WL[static_cast<std::size_t>(m.link[kSpine])];
  const Vec3& neck = m.anatomy.vertebrae[6];
  out.spineSway = (spine * (neck - m.parts[kSpine].origin) - neck).norm();
  return out;
}

void addSample(std::vector<TorsoMeasures>& samples, std::uint64_t index,
               const TorsoMeasures& measured) {
  std::uint64_t every = 1;
  while (index / every >= kMostSamples) every *= 2;
  if (samples.size() == kMostSamples) {
    for (std::size_t i = 0; i < kMostSamples / 2; ++i) samples[i] = samples[2 * i];
    samples.resize(kMostSamples / 2);
  }
  if (index % every == 0) samples.push_back(measured);
}

BreathSummary summarize(double restLung, double restGut, std::span<const TorsoMeasures> all,
                        double settled) {
  BreathSummary out;
  const auto first = std::find_if(all.begin(), all.end(),
                                  [&](const TorsoMeasures& s) { return s.time >= settled; });
  const std::span<const TorsoMeasures> samples(first, all.end());
  if (samples.empty()) return out;
  const Cycles cycles = findCycles(all, static_cast<std::size_t>(first - all.begin()));
  out.tidalVolume = cycles.tidal;
  out.breathsPerMinute = cycles.perMinute;
  out.gutPressure = range(samples, [](const auto& s) { return s.gutPressure; });
  out.pleuralPressure = range(samples, [](const auto& s) { return s.pleuralPressure; });
  out.sternumForward = range(samples, [](const auto& s) { return s.sternumForward; });
  out.sternumUp = range(samples, [](const auto& s) { return s.sternumUp; });
  out.spineSway = range(samples, [](const auto& s) { return s.spineSway; });
  out.dome = range(samples, [](const auto& s) { return s.dome; });
  out.belly = range(samples, [](const auto& s) { return s.belly; });
  out.shoulderUp = range(samples, [](const auto& s) { return s.shoulderUp; });
  for (std::size_t k = 0; k < 3; ++k)
    out.girth[k] = range(samples, [&](const auto& s) { return s.girth[k]; });
  for (std::size_t i = 0; i < kRibCount; ++i) {
    out.pump[i] = range(samples, [&](const auto& s) { return s.pump[i]; });
    out.bucket[i] = range(samples, [&](const auto& s) { return s.bucket[i]; });
  }
  // Share by regression of rib-cage on trunk volume, as plethysmography does: phase lags do not
  // count twice.
  double meanRib = 0, meanTrunk = 0, covariance = 0, variance = 0;
  const auto n = static_cast<double>(samples.size());
  for (const TorsoMeasures& s : samples) {
    meanRib += s.ribCageVolume / n;
    meanTrunk += (s.lungVolume + s.gutVolume) / n;
    out.gutError = std::max(out.gutError, std::abs(s.gutVolume / restGut - 1));
    out.belowRest = std::max(out.belowRest, restLung - s.lungVolume);
    out.aboveRest = std::max(out.aboveRest, s.lungVolume - restLung);
  }
  for (const TorsoMeasures& s : samples) {
    const double trunk = s.lungVolume + s.gutVolume - meanTrunk;
    covariance += (s.ribCageVolume - meanRib) * trunk;
    variance += trunk * trunk;
  }
  if (variance > 0) out.ribCageShare = covariance / variance;
  return out;
}

}  // namespace pneuma::breath
