#include "reproduce/tsoli2014/acting.h"

#include <fmt/format.h>

#include "pneuma/stage/perform_run.h"

namespace pneuma::reproduce::tsoli2014 {
namespace {

constexpr double kActedSeconds = 16;
constexpr double kFullExhale = 1.7;  // effort of a forced exhale that ends at residual volume

struct Act {
  std::string name;
  stage::BreathRequest breath;
  bool filmed = false;
};

std::vector<Act> actsOf(const std::vector<std::filesystem::path>& recordings) {
  std::vector<Act> acts;
  for (const std::filesystem::path& file : recordings) {
    Act a{.name = file.filename().string(), .filmed = acts.empty()};
    a.breath.volume = file.string();
    a.breath.seconds = kActedSeconds;
    a.breath.robust = true;  // real recordings have spikes and steps
    acts.push_back(std::move(a));
  }
  acts.push_back({.name = "quiet breath"});
  Act forced{.name = "forced exhale", .filmed = recordings.empty()};
  forced.breath.style = "forced-exhale";
  forced.breath.effort = kFullExhale;
  acts.push_back(std::move(forced));
  return acts;
}

}  // namespace

std::vector<ActingLine> actBreaths(const shape::BreathModel& model,
                                   const std::shared_ptr<const anatomy::Body>& measured,
                                   const std::vector<std::filesystem::path>& recordings,
                                   const std::filesystem::path& folder, bool film,
                                   render::Report& report, Progress& progress) {
  std::vector<ActingLine> lines;
  report.heading("Breath acting (Figs 14 and 15)");
  for (const Act& act : actsOf(recordings)) {
    const stage::PerformRun run(model, {}, act.breath, measured, measured->subject, std::nullopt,
                                true, progress);
    const stage::BesideErrors& e = *run.errors();
    lines.push_back({act.name, run.track().type.front(),
                     run.json().at("volume_error_pct").get<double>() / 100, e.volume, e.all.rms,
                     e.all.p99, e.breath.rms});
    if (!act.filmed || !film) continue;
    run.write(folder / "acting", true, progress);
    report.media(
        folder / "acting" / "perform.mp4",
        fmt::format("{}: the simulated torso (left of each pair) and the learned model, the "
                    "same lungs.",
                    act.name));
  }
  return lines;
}

}  // namespace pneuma::reproduce::tsoli2014
