#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "pneuma/core/random.h"
#include "reproduce/lee2009/reproduction.h"

// Fig. 17: how much activations depend on what is known of muscles.
namespace pneuma::reproduce::lee2009 {
namespace {

using Pose = std::vector<std::pair<std::string, double>>;

constexpr double kAreaChange = 0.05, kPointChange = 0.03;  // [Lee09, Sec. 5.1]
constexpr double kSmallChange = 0.03;                      // "
constexpr double kNotActivated = 1e-3;  // reading: the paper does not say below what
// A pose is held so long before its activations count [s]: sternum and cartilages first come to
// rest in it. At its first moment they pull the ribs by hundreds of rad/s^2, the body strains
// against that, and only 87 % of its muscles change by less than 0.03.
constexpr double kSettling = 0.3;

/// Six poses, ours: the paper does not name its own.
const std::vector<Pose>& poses() {
  static const std::vector<Pose> all{{},
                                     {{"elbow.flexion", 90}},
                                     {{"shoulder_r.flexion", 60}},
                                     {{"spine.flexion", 20}},
                                     {{"spine.bending", 10}},
                                     {{"neck.torsion", 10}}};
  return all;
}

/// Activations that hold each pose, one after the other.
std::vector<VecX> holdPoses(const Reproduction& r, const anatomy::CompiledBody& compiled) {
  control::Performance p(compiled);
  std::vector<VecX> all;
  for (const Pose& pose : poses()) {
    p.set(holdPose(r, p.body(), pose, 1));
    p.start();
    for (const double end = p.time() + kSettling; p.time() < end;) p.step();
    all.push_back(p.body().state().muscles.activation);
  }
  return all;
}

void changeAreas(anatomy::CompiledBody& body, Random& random) {
  for (anatomy::CompiledMuscle& m : body.muscles) {
    const double factor = 1 + random.uniform(-kAreaChange, kAreaChange);
    m.pcsa *= factor;
    m.peakForce *= factor;
  }
}

double pathLength(const anatomy::CompiledMuscle& m) {
  double length = 0;
  for (std::size_t k = 1; k < m.points.size(); ++k)
    length += (m.points[k].position - m.points[k - 1].position).norm();
  return length;
}

/// Rest and slack length go with the path, as in a body that is described with other via points: a
/// muscle with the old ones would be strained or slack in the rest pose.
void changePoints(anatomy::CompiledBody& body, Random& random) {
  for (anatomy::CompiledMuscle& m : body.muscles) {
    for (std::size_t k = 1; k + 1 < m.points.size(); ++k) {
      Vec3 way;
      do {
        way = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      } while (way.norm() > 1);
      m.points[k].position += kPointChange * m.restLength * way;
    }
    const double longer = pathLength(m) / m.restLength;
    m.restLength *= longer;
    m.slackLength *= longer;
  }
}

/// Changes of each activated muscle over all trials and poses.
struct Changes {
  std::vector<std::string> names;
  std::vector<double> mean, most;
  double activation = 0;  // the largest of each muscle, mean over those activated

  double small() const {
    const auto n = std::ranges::count_if(mean, [](double x) { return x < kSmallChange; });
    return static_cast<double>(n) / static_cast<double>(mean.size());
  }
};

Changes measure(Reproduction& r, const char* what, int trials,
                const std::function<void(anatomy::CompiledBody&, Random&)>& change) {
  const std::vector<VecX> before = holdPoses(r, r.compiled);
  const auto count = static_cast<std::size_t>(before.front().size());
  std::vector<double> sum(count), most(count), activation(count);
  r.progress.begin(what, trials);
  for (int trial = 0; trial < trials; ++trial) {
    Random random(static_cast<std::uint64_t>(trial) + 1);
    anatomy::CompiledBody changed = r.compiled;
    change(changed, random);
    const std::vector<VecX> after = holdPoses(r, changed);
    for (std::size_t k = 0; k < before.size(); ++k)
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        const double d = std::abs(after[k][at] - before[k][at]);
        sum[i] += d;
        most[i] = std::max(most[i], d);
        activation[i] = std::max({activation[i], after[k][at], before[k][at]});
      }
    r.progress.update(trial + 1);
  }
  r.progress.end();
  Changes out;
  for (std::size_t i = 0; i < count; ++i) {
    if (activation[i] < kNotActivated) continue;
    out.names.push_back(r.compiled.muscles[i].name);
    out.mean.push_back(sum[i] / (trials * static_cast<double>(before.size())));
    out.most.push_back(most[i]);
    out.activation += activation[i];
  }
  out.activation /= static_cast<double>(out.mean.size());
  return out;
}

/// The muscles that change most on average, with `count` rows.
render::Table mostChanged(const Changes& changes, std::size_t count) {
  std::vector<std::size_t> order(changes.mean.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return changes.mean[i]; });
  order.resize(std::min(count, order.size()));
  render::Table table{{"muscle", "mean change", "largest"}, {}, ""};
  for (const std::size_t i : order)
    table.rows.push_back({changes.names[i], fmt::format("{:.3f}", changes.mean[i]),
                          fmt::format("{:.2f}", changes.most[i])});
  return table;
}

}  // namespace

// Histograms of means and of largest changes stand apart: most muscles hardly change, and the
// paper's point are the few that do.
void reproduceSensitivity(Reproduction& r) {
  r.report.heading("Fig. 17: sensitivity to muscle parameters");
  const int trials = r.quick ? 1 : 10;
  const Changes area = measure(r, "other cross sections", trials, changeAreas);
  const Changes points = measure(r, "other via points", trials, changePoints);
  render::Plot plot(fmt::format("Change of activations, {} trials, six poses", trials));
  plot.columns = 2;
  plot.panelHeight = 300;
  constexpr int kBins = 30;
  plot.panel("(a) cross sections, mean", "change of activation", "muscles")
      .histogram(area.mean, kBins);
  plot.panel("(b) cross sections, largest", "change of activation", "muscles")
      .histogram(area.most, kBins);
  plot.panel("(c) via points, mean", "change of activation", "muscles")
      .histogram(points.mean, kBins);
  plot.panel("(d) via points, largest", "change of activation", "muscles")
      .histogram(points.most, kBins);
  r.plot(plot, "Cross sections by up to 5 %, via points by up to 3 % of the rest length.",
         "fig17_sensitivity");
  render::Table changed = mostChanged(points, 12);
  changed.caption = "Muscles that change most when via points are moved.";
  r.report.table(changed);
  r.numbers["sensitivity_pcsa_small_share"] = area.small();
  r.numbers["sensitivity_points_small_share"] = points.small();
  r.numbers["sensitivity_activated"] = area.mean.size();
  r.compare(
      "cross sections: activated muscles that change by less than 0.03 on average", "%",
      "more than 90", 100 * area.small(), area.small() > 0.9,
      fmt::format("{} of {} muscles activated, at most by {:.2f} on average; poses held for a "
                  "third of a second, until sternum and cartilages are at rest",
                  area.mean.size(), r.compiled.muscles.size(), area.activation));
  r.compare("cross sections: largest change", "-", "considerable", std::ranges::max(area.most), {},
            "");
  r.compare("via points: activated muscles that change by less than 0.03 on average", "%",
            "a histogram", 100 * points.small(), {}, "");
  r.compare("via points: largest change", "-", "considerable", std::ranges::max(points.most), {},
            "");
}

}  // namespace pneuma::reproduce::lee2009
