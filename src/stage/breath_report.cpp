#include "pneuma/stage/breath_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "pneuma/io/table.h"
#include "pneuma/render/report.h"
#include "pneuma/skin/trunk_compartments.h"
#include "pneuma/stage/units.h"
#include "stage/breath_ranges.h"

namespace pneuma::stage {
namespace {

using breath::BreathSimulation;

constexpr double kGlbSeconds = 12;
constexpr double kSkinFileOpacity = 0.35;  // what lies under it is seen

/// Frames at the end of the last inspiration and of the last expiration before it.
std::pair<body::Frame, body::Frame> extremes(const FrameTrack& track) {
  const Clip clip = Clip::last(track, kGlbSeconds);
  std::size_t full = clip.size() / 2, empty = full;
  for (std::size_t k = full; k < clip.size(); ++k) {
    if (lungVolume(clip, k) > lungVolume(clip, full)) full = k;
    if (lungVolume(clip, k) < lungVolume(clip, empty)) empty = k;
  }
  return {clip[full], clip[empty]};
}

/// What the film shows: one breath, ready to be looped, when all breaths are alike; else the last
/// seconds.
Clip filmClip(const BreathSimulation& run, const FrameTrack& track) {
  constexpr double kLongest = 8;  // [s]
  const double rate = run.summary().breathsPerMinute;
  const breath::BreathStyle& style = run.settings().style;
  const bool alike = !run.settings().target && style.breaths.size() == 1 && rate > 0 &&
                     run.settings().knobs.variability.value_or(style.variability) == 0;
  const Clip all = Clip::last(track, alike ? std::min(60 / rate, kLongest) : kLongest);
  // A round ends where the next begins: its first frame is left out.
  const Clip round = all.every(1, 1);
  return round.size() < 2 ? all : round;
}

/// What was measured; of a quiet breath with the range of people like this person, and whether it
/// is met.
render::Table summaryTable(const BreathSimulation& run) {
  const std::vector<internal::JudgedFigure> judged = internal::judgeQuietBreath(run);
  render::Table table{.header = {"measure", "value", "unit", "people"}};
  if (!judged.empty()) {
    table.header.insert(table.header.end(), {"this person", "source"});
    table.caption =
        "Ranges are those of people of this size: volumes go with the predicted FRC, ways with the "
        "height.";
  }
  for (const SummaryRow& r : breathSummary(run)) {
    std::vector<std::string> row{r.quantity, r.value, r.unit, r.human};
    const auto found = std::ranges::find(judged, r.quantity, &internal::JudgedFigure::quantity);
    if (found != judged.end()) {
      // Beside a range a number stands in its unit.
      if (found->unit != r.unit) row[1] = fmt::format("{:.1f}", found->value), row[2] = found->unit;
      row[3] = fmt::format("{:.3g}-{:.3g}", found->low, found->high);
      row.insert(row.end(), {found->inside() ? "✓ inside" : "✗ outside", found->source});
    } else if (!judged.empty()) {
      row.insert(row.end(), {"", ""});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The stills of a run, drawn into its folder and its report.
class Stills {
 public:
  using FileOf = std::function<std::filesystem::path(std::string_view)>;
  Stills(const TorsoCast& torso, const FrameTrack& track, const FileOf& file,
         render::Report& report)
      : torso_(torso), file_(file), report_(report) {
    std::tie(full_, empty_) = extremes(track);
  }

  /// The same view at the end of exhale and of inhale.
  void pair(const char* name, const char* caption, const TorsoPicture& config) const {
    keep(name, caption,
         render::tile({{torso_.picture(empty_, config), "end of exhale"},
                       {torso_.picture(full_, config), "end of inhale"}},
                      2));
  }
  /// The outline at the end of exhale over the body at the end of inhale.
  void breath(const char* name, const char* caption, int width, int height) const {
    constexpr int kSamples = 16;
    keep(name, caption, torso_.breathPicture(empty_, full_, width, height, kSamples));
  }
  void travel(const char* name, const char* caption) const {
    keep(name, caption, torso_.travelPicture(empty_, full_));
  }

 private:
  void keep(const char* name, const char* caption, const render::Image& image) const {
    render::writePng(image, file_(fmt::format("{}.png", name)));
    report_.picture(image, caption, name);
  }

  const TorsoCast& torso_;
  const FileOf& file_;
  render::Report& report_;
  body::Frame full_, empty_;
};

/// breath.glb, and asset.glb where it is asked for; gives what they hold.
nlohmann::ordered_json writeLayers(const TorsoCast& torso, const Clip& clip,
                                   const Stills::FileOf& file, bool asset) {
  AssetInput layers = makeLayers(torso.recorded(), clip, std::max(1.0, clip.framesPerSecond()));
  AssetConfig open = openAsset();
  open.skinOpacity = kSkinFileOpacity;
  writeAsset(file("breath.glb"), layers, open);
  nlohmann::ordered_json j = layersJson(layers);
  if (asset)
    j.update(assetJson(writeAsset(file("asset.glb"),
                                  painted(withoutShapes(std::move(layers)), torso.recorded()),
                                  gameAsset())));
  return j;
}

/// compartments.csv: volumes of the trunk by its skin, against the first frame, as optoelectronic
/// plethysmography has them; gives the share of each by regression on their sum.
nlohmann::ordered_json writeCompartments(const BreathSimulation& run, const TorsoCast& torso,
                                         const Clip& clip, const std::filesystem::path& file) {
  using skin::TrunkCompartments;
  const TrunkCompartments compartments(torso.restSkin(), anatomy::trunkAnatomy(run.body()));
  std::vector<std::vector<double>> columns(TrunkCompartments::kCount);
  std::vector<double> time, total;
  for (std::size_t k = 0; k < clip.size(); ++k) {
    const TrunkCompartments::Volumes v = compartments.volumes(torso.skin(clip[k]));
    time.push_back(static_cast<double>(k) / clip.framesPerSecond());
    total.push_back(0);
    for (std::size_t c = 0; c < v.size(); ++c) {
      columns[c].push_back(v[c] / kMillilitre - (k == 0 ? 0 : columns[c].front()));
      if (k > 0) total.back() += columns[c].back();
    }
  }
  io::Table table;
  table.addColumn("time", "s", time);
  nlohmann::ordered_json j;
  const double n = static_cast<double>(time.size());
  const double mean = std::accumulate(total.begin(), total.end(), 0.0) / n;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    columns[c].front() = 0;
    double covariance = 0, variance = 0;
    for (std::size_t k = 0; k < total.size(); ++k) {
      covariance += (total[k] - mean) * columns[c][k];
      variance += (total[k] - mean) * (total[k] - mean);
    }
    const char* name = TrunkCompartments::kNames[c];
    j[fmt::format("skin_share_{}_pct", name)] = variance > 0 ? 100 * covariance / variance : 0;
    table.addColumn(name, "mL", columns[c]);
  }
  const auto [low, high] = std::ranges::minmax(total);
  j["skin_volume_range_ml"] = high - low;
  io::writeCsv(file, table);
  return j;
}

}  // namespace

nlohmann::ordered_json writeBreathOutputs(
    const BreathSimulation& run, const anatomy::Body& body, const FrameTrack& track,
    const std::function<std::filesystem::path(std::string_view)>& file, const DrawnParts& drawn,
    const std::function<void(double)>& progress) {
  const TorsoCast torso(run, body);
  const MeasuredBreath measured = measuredBreath(run);
  io::writeCsv(file("breath.csv"), measureTable(measured));
  volumePlot(measured).write(file("volume.svg"));
  ribPlot(measured).write(file("ribs.svg"));
  nlohmann::ordered_json layers =
      writeLayers(torso, Clip::last(track, kGlbSeconds), file, drawn.asset);
  layers.update(
      writeCompartments(run, torso, Clip::last(track, kGlbSeconds), file("compartments.csv")));

  render::Report report("A breathing torso", fmt::format("{}, {}", run.model().anatomy.name,
                                                         internal::occasionOf(run.settings())));
  report.view3d(file("breath.glb"), "Turn it; play it; hide parts.");
  if (drawn.film) {
    torso.film(file("breath.mp4"), filmClip(run, track), extremes(track).second,
               {.width = drawn.filmWidth, .height = drawn.filmHeight}, progress);
    report.media(file("breath.mp4"),
                 "The breath, with the outline at its beginning; under the skin; cut open.");
  }
  report.table(summaryTable(run));
  constexpr double kClearSkin = 0.12;  // seen through
  const Look open = torsoLook(1, true, true);
  const Stills stills(torso, track, file, report);
  if (drawn.stills) {
    stills.breath("breath", "The body full, and its outline before the breath.", drawn.width,
                  drawn.height);
    stills.pair("inside", "Ribs, sternum, spine, arms, diaphragm and gut under the skin.",
                {.look = torsoLook(kClearSkin, true, true)});
    stills.travel("travel", "How far the skin comes from the end of exhale to the end of inhale.");
  }
  report.plot(volumePlot(measured), "Volumes, travel and pressures over time.", "volume");
  report.plot(ribPlot(measured), "Rotation of the ribs over time.", "ribs");
  if (drawn.stills) {
    stills.pair("cutaway", "Cut through the middle.", {.look = open, .cut = true});
    stills.pair("skin", "The skin follows ribs, wall, shoulders and neck.", {.look = torsoLook(1)});
  }
  report.recipe(drawn.command);
  report.writeHtml(file("report.html"));
  return layers;
}

}  // namespace pneuma::stage
