#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "reproduce/lee2009/reproduction.h"

// The outlook of the paper: how many patterns the torso's activations are made of.
namespace pneuma::reproduce::lee2009 {
namespace {

constexpr double kSampleEvery = 0.035;  // [s], every fifth step

/// Activations of the torso's muscles over several exercises, a column for each moment.
MatX sampleActivations(Reproduction& r) {
  const std::vector<std::string> exercises =
      r.quick ? std::vector<std::string>{"trunk-bend", "curl"}
              : std::vector<std::string>{"trunk-bend", "curl",         "reach",
                                         "head-turn",  "breathe-ribs", "shrug"};
  std::vector<VecX> samples;
  r.progress.begin("torso activations", static_cast<double>(exercises.size()));
  for (std::size_t k = 0; k < exercises.size(); ++k) {
    control::Performance p(r.compiled);
    p.set(control::makeExercise(exercises[k], r.compiled, p.body().model()));
    for (const std::string& load : p.exercise().loads) p.hold(load);
    p.start();
    std::vector<int> torso;
    for (std::size_t i = 0; i < r.compiled.muscles.size(); ++i)
      if (p.controller().parts().ofMuscle[i] == control::BodyPart::Torso)
        torso.push_back(static_cast<int>(i));
    double next = 0;
    const double end = r.quick ? 0.5 : p.exercise().seconds;
    while (p.time() < end) {
      p.step();
      if (p.time() < next) continue;
      next += kSampleEvery;
      VecX& sample = samples.emplace_back(static_cast<Eigen::Index>(torso.size()));
      for (std::size_t i = 0; i < torso.size(); ++i)
        sample[static_cast<Eigen::Index>(i)] = p.body().state().muscles.activation[torso[i]];
    }
    r.progress.update(static_cast<double>(k + 1));
  }
  r.progress.end();
  MatX all(samples.front().size(), static_cast<Eigen::Index>(samples.size()));
  for (std::size_t s = 0; s < samples.size(); ++s)
    all.col(static_cast<Eigen::Index>(s)) = samples[s];
  return all;
}

/// Part of the variance that the first components carry together, for 1, 2, ...
std::vector<double> explained(MatX samples) {
  samples.colwise() -= samples.rowwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<MatX> solver(samples * samples.transpose(),
                                                   Eigen::EigenvaluesOnly);
  const VecX values = solver.eigenvalues().reverse().cwiseMax(0);
  std::vector<double> share;
  double sum = 0;
  for (const double v : values) share.push_back((sum += v) / values.sum());
  return share;
}

int componentsFor(const std::vector<double>& share, double part) {
  return static_cast<int>(std::ranges::lower_bound(share, part) - share.begin()) + 1;
}

}  // namespace

void reproduceComponents(Reproduction& r) {
  r.report.heading("Outlook: principal components of the torso's activations");
  const MatX samples = sampleActivations(r);
  const std::vector<double> share = explained(samples);
  constexpr std::size_t kShown = 120;
  std::vector<double> number, part;
  for (std::size_t k = 0; k < std::min(share.size(), kShown); ++k) {
    number.push_back(static_cast<double>(k + 1));
    part.push_back(100 * share[k]);
  }
  render::Plot plot(fmt::format("{} samples of {} muscles", samples.cols(), samples.rows()));
  render::Panel& panel = plot.panel("variance carried by the first components",
                                    "principal components", "variance [%]");
  panel.line(number, part);
  panel.horizontalRule(99, "99 %");
  r.plot(plot, "Activations of the torso over the exercises.", "components");
  r.numbers["components_95"] = componentsFor(share, 0.95);
  r.numbers["components_99"] = componentsFor(share, 0.99);
  r.compare("principal components for 95 % of the variance of the torso's activations", "-",
            "50 to 100, \"reasonably well\"", componentsFor(share, 0.95), {},
            "the paper names neither motions nor a measure");
  r.compare("for 99 %", "-", "\"", componentsFor(share, 0.99), componentsFor(share, 0.99) <= 100,
            "");
}

}  // namespace pneuma::reproduce::lee2009
