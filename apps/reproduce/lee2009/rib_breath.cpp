#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/skeleton/configuration.h"
#include "reproduce/lee2009/reproduction.h"

// Fig. 16: ribs lifted by their muscles, and what that does to the room inside them.
namespace pneuma::reproduce::lee2009 {
namespace {

constexpr int kRibs = 10, kAround = 12;  // pairs; points of a rib from back to front

/// The room inside the ribs: the bones of each pair as a ring, rings joined by facets, the first
/// and the last closed. What is below the tenth rib, the diaphragm's share, does not count.
class CageVolume {
 public:
  CageVolume(const Reproduction& r, const muscle::DrivenBody& body) {
    for (int rib = 1; rib <= kRibs; ++rib) {
      addSide(r, body, fmt::format("rib_{:02}_l", rib), false);
      addSide(r, body, fmt::format("rib_{:02}_r", rib), true);
    }
  }

  /// [m^3], at the body's kinematics.
  double at(const muscle::DrivenBody& body) const {
    std::vector<Vec3> p;
    for (const auto& [link, local] : points_)
      p.push_back(body.kinematics().X_WL[static_cast<std::size_t>(link)] * local);
    constexpr int kRing = 2 * kAround;
    const auto ring = [&](int level, int k) {
      return p[static_cast<std::size_t>(kRing * level + k % kRing)];
    };
    double six = 0;
    const auto facet = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
      six += a.dot(b.cross(c));
    };
    Vec3 top = Vec3::Zero(), bottom = Vec3::Zero();
    for (int k = 0; k < kRing; ++k) top += ring(0, k) / kRing, bottom += ring(kRibs - 1, k) / kRing;
    for (int k = 0; k < kRing; ++k) {
      facet(top, ring(0, k), ring(0, k + 1));
      facet(bottom, ring(kRibs - 1, k + 1), ring(kRibs - 1, k));
      for (int level = 0; level + 1 < kRibs; ++level) {
        facet(ring(level, k), ring(level + 1, k), ring(level, k + 1));
        facet(ring(level, k + 1), ring(level + 1, k), ring(level + 1, k + 1));
      }
    }
    return std::abs(six) / 6;
  }

 private:
  /// Middles of slices of the bone from back to front; from front to back on the right, so that
  /// both sides run on into each other.
  void addSide(const Reproduction& r, const muscle::DrivenBody& body, const std::string& bone,
               bool reversed) {
    const anatomy::GeometryCache cache;
    const auto shape = std::ranges::find(r.described.shapes, bone, &anatomy::Shape::bone);
    const auto at = std::ranges::find(r.described.bones, bone, &anatomy::Bone::name);
    const int own = r.compiled.boneLink[static_cast<std::size_t>(at - r.described.bones.begin())];
    const Vec3 center = r.compiled.links[static_cast<std::size_t>(own)].center;
    const int link = body.linkIndices()[static_cast<std::size_t>(own)];
    std::vector<Vec3> vertices = cache.boneMesh(shape->shape, anatomy::kLightBone).positions;
    // The angle about the middle of the chest orders a rib from its head to its front end.
    const auto angle = [](const Vec3& p) { return std::atan2(p.z() - kMiddle, std::abs(p.x())); };
    std::ranges::sort(vertices, {}, angle);
    std::vector<Vec3> side(kAround, Vec3::Zero());
    for (int k = 0; k < kAround; ++k) {
      const std::size_t begin = vertices.size() * static_cast<std::size_t>(k) / kAround;
      const std::size_t end = vertices.size() * static_cast<std::size_t>(k + 1) / kAround;
      for (std::size_t i = begin; i < end; ++i)
        side[static_cast<std::size_t>(k)] += vertices[i] / static_cast<double>(end - begin);
    }
    if (reversed) std::ranges::reverse(side);
    for (const Vec3& p : side) points_.emplace_back(link, p - center);
  }

  static constexpr double kMiddle = 0.02;  // of the chest in depth [m]
  std::vector<std::pair<int, Vec3>> points_;
};

/// Mean activation of the lines whose muscle's name begins so.
double meanActivation(const Reproduction& r, const VecX& a, const std::string& muscle) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < r.compiled.muscles.size(); ++i)
    if (r.compiled.muscles[i].muscle.starts_with(muscle)) sum += a[static_cast<int>(i)], ++count;
  return count > 0 ? sum / count : 0;
}

}  // namespace

void reproduceRibBreath(Reproduction& r) {
  r.report.heading("Fig. 16: breathing by the ribs' own muscles");
  control::Performance p(r.compiled);
  control::Exercise e = control::makeExercise("breathe-ribs", r.compiled, p.body().model());
  if (r.quick) e.seconds = 2.2;
  // Sternum and cartilages come to rest in the first pose before it counts.
  constexpr double kSettling = 0.5;  // [s]
  p.set(holdPose(r, p.body(), {}, 1));
  p.start();
  while (p.time() < kSettling) p.step();
  p.body().state().skeleton.time = 0;
  p.set(std::move(e));
  const CageVolume cage(r, p.body());
  const int sternum = p.body().model().linkIndex("sternum");
  const int shown[] = {dofOf(p.body(), "rib_01_r.inspiration"),
                       dofOf(p.body(), "rib_05_r.inspiration")};
  std::vector<double> times, first, fifth, litres, rise, external, internal, scalene;
  double error = 0;
  r.progress.begin("rib breath", p.exercise().seconds);
  while (!p.done()) {
    p.step();
    p.body().refresh();
    r.progress.update(p.time());
    const skeleton::Model& model = p.body().model();
    const VecX turned =
        skeleton::configurationDifference(model, model.neutral, p.body().state().skeleton.q);
    const VecX& a = p.body().state().muscles.activation;
    times.push_back(p.time());
    first.push_back(radiansToDegrees(turned[shown[0]]));
    fifth.push_back(radiansToDegrees(turned[shown[1]]));
    litres.push_back(1e3 * cage.at(p.body()));
    rise.push_back(1e3 *
                   p.body().kinematics().X_WL[static_cast<std::size_t>(sternum)].position.y());
    external.push_back(meanActivation(r, a, "external_intercostal"));
    internal.push_back(meanActivation(r, a, "internal_intercostal"));
    scalene.push_back(meanActivation(r, a, "scalen"));
    error = std::max(error, p.largestError());
  }
  r.progress.end();
  for (std::vector<double>* series : {&litres, &rise}) {
    const double start = series->front();
    for (double& x : *series) x -= start;
  }
  render::Plot plot("Ribs lifted by 4 degrees, every four seconds");
  plot.columns = 2;
  plot.panel("ribs", "time [s]", "angle [degrees]")
      .line(times, first, "first")
      .line(times, fifth, "fifth");
  plot.panel("room inside the ribs", "time [s]", "change [l]").line(times, litres);
  plot.panel("sternum", "time [s]", "rise [mm]").line(times, rise);
  plot.panel("muscles", "time [s]", "mean activation [-]")
      .line(times, external, "external intercostals")
      .line(times, internal, "internal intercostals")
      .line(times, scalene, "scalenes");
  r.plot(plot, "Angles, room, sternum and muscles.", "fig16_rib_breath");
  const double volume = *std::ranges::max_element(litres), lift = *std::ranges::max_element(rise);
  r.numbers["rib_breath_error_rad"] = error;
  r.numbers["rib_breath_litres"] = volume;
  r.numbers["rib_breath_sternum_mm"] = lift;
  r.compare("breathing ribs: largest error of a joint", "rad", "pictures", error, error <= 0.01,
            "");
  r.compare("sternum rises", "mm", "visible (pictures)", lift, lift > 1,
            "at 4 degrees of the ribs");
  r.compare("room inside the ribs grows", "l", "not given", volume, volume > 0.1,
            "quiet breath of people: 0.5 l, of which the ribs take a third to a half (recalled)");
}

}  // namespace pneuma::reproduce::lee2009
