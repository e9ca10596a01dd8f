#include "cli/breath_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "pneuma/render/report.h"

namespace pneuma::cli {
namespace {

using breath::BreathSimulation;

constexpr double kGlbSeconds = 12;

/// End of the last inspiration and of the last expiration before it.
std::pair<const BreathFrame*, const BreathFrame*> extremes(const FrameTrack& track) {
  const auto frames = track.last(kGlbSeconds);
  const auto byVolume = [](const BreathFrame* a, const BreathFrame* b) {
    return a->lungVolume < b->lungVolume;
  };
  const auto middle = frames.begin() + static_cast<std::ptrdiff_t>(frames.size() / 2);
  return {*std::max_element(middle, frames.end(), byVolume),
          *std::min_element(middle, frames.end(), byVolume)};
}

/// What the film shows: one breath, played three times, when all breaths are alike; else the last
/// seconds. At half the rate that is kept.
struct FilmPlan {
  std::vector<const BreathFrame*> frames;
  int rounds = 1;
};

FilmPlan planFilm(const BreathSimulation& run, const FrameTrack& track) {
  constexpr double kLongest = 8;  // [s]
  const double rate = run.summary().breathsPerMinute;
  const breath::BreathStyle& style = run.settings().style;
  const bool alike = !run.settings().target && style.breaths.size() == 1 && rate > 0 &&
                     run.settings().knobs.variability.value_or(style.variability) == 0;
  FilmPlan plan;
  plan.rounds = alike ? 3 : 1;
  const double seconds = alike ? std::min(60 / rate, kLongest) : kLongest;
  const auto all = track.last(seconds);
  // A round ends where the next begins: its first frame is left out.
  for (std::size_t i = 2; i < all.size(); i += 2) plan.frames.push_back(all[i]);
  if (plan.frames.size() < 2) plan.frames = all;
  return plan;
}

render::Table summaryTable(const BreathSimulation& run) {
  render::Table table{.header = {"measure", "value", "unit", "people"}};
  for (const SummaryRow& r : summaryRows(run))
    table.rows.push_back({r.quantity, r.value, r.unit, r.human});
  return table;
}

/// The stills of a run, drawn into its folder and its report.
class Stills {
 public:
  using FileOf = std::function<std::filesystem::path(std::string_view)>;
  Stills(const TorsoShapes& shapes, const FrameTrack& track, const FileOf& file,
         render::Report& report)
      : shapes_(shapes), file_(file), report_(report) {
    std::tie(full_, empty_) = extremes(track);
  }

  /// The same view at the end of exhale and of inhale.
  void pair(const char* name, const char* caption, const PictureConfig& config) const {
    keep(name, caption,
         render::tile({{breathPicture(shapes_, *empty_, config), "end of exhale"},
                       {breathPicture(shapes_, *full_, config), "end of inhale"}},
                      2));
  }
  void travel(const char* name, const char* caption) const {
    keep(name, caption, travelPicture(shapes_, *empty_, *full_));
  }

 private:
  void keep(const char* name, const char* caption, const render::Image& image) const {
    render::writePng(image, file_(fmt::format("{}.png", name)));
    report_.picture(image, caption, name);
  }

  const TorsoShapes& shapes_;
  const FileOf& file_;
  render::Report& report_;
  const BreathFrame *full_ = nullptr, *empty_ = nullptr;
};

}  // namespace

void writeBreathOutputs(const BreathSimulation& run, const anatomy::Body& body,
                        const FrameTrack& track,
                        const std::function<std::filesystem::path(std::string_view)>& file,
                        const DrawnParts& drawn, const std::function<void(double)>& progress) {
  const TorsoShapes shapes(run, body);
  io::writeCsv(file("breath.csv"), measureTable(run));
  volumePlot(run).write(file("volume.svg"));
  ribPlot(run).write(file("ribs.svg"));
  writeBreathGlb(shapes, track.last(kGlbSeconds), file("breath.glb"));

  render::Report report(
      "A breathing torso",
      fmt::format("{}, {}", run.model().anatomy.name,
                  run.settings().target ? "recorded breath" : run.settings().style.name));
  report.table(summaryTable(run));
  if (drawn.film) {
    const FilmPlan plan = planFilm(run, track);
    writeBreathFilm(shapes, plan.frames, plan.rounds, file("breath.mp4"), progress);
    report.media(file("breath.mp4"), "One breath: skin, cut open, skeleton and diaphragm.");
  }
  const TorsoLook open{.skinOpacity = 1, .bones = true, .diaphragm = true, .gut = true};
  TorsoLook clear = open;
  clear.skinOpacity = 0.12;
  const Stills stills(shapes, track, file, report);
  if (drawn.stills) {
    stills.pair("inside", "Ribs, sternum, spine, arms, diaphragm and gut under the skin.",
                {.look = clear});
    stills.travel("travel", "How far the skin comes from the end of exhale to the end of inhale.");
  }
  report.plot(volumePlot(run), "Volumes and travel over time.", "volume");
  report.plot(ribPlot(run), "Rotation of the ribs over time.", "ribs");
  if (drawn.stills) {
    stills.pair("cutaway", "Cut through the middle.", {.look = open, .cut = true});
    stills.pair("skin", "The skin follows ribs, wall, shoulders and neck.",
                {.look = {.skinOpacity = 1}});
  }
  report.view3d(file("breath.glb"), "Turn it; play it; hide parts.");
  report.writeHtml(file("report.html"));
}

}  // namespace pneuma::cli
