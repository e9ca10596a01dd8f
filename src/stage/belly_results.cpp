#include "pneuma/stage/belly_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pneuma/stage/units.h"

namespace pneuma::stage {

namespace {

constexpr const char *kLengths = "muscle_lengths", *kVolumes = "belly_volumes";

}  // namespace

void BellyResults::addScalars(const flesh::FigureBellies& bellies, FigureActor& actor) {
  for (int i = 0; i < bellies.count(); ++i)
    actor.addScalar({kLengths, bellies.name(i), "m", "length of the line of action"});
  for (int i = 0; i < bellies.count(); ++i)
    actor.addScalar({kVolumes, bellies.name(i), "mL", "volume of the belly"});
}

void BellyResults::record(const flesh::FigureBellies& bellies, const body::FrameLayout& layout,
                          body::Frame& frame) {
  const auto lengths = static_cast<std::size_t>(layout.group(kLengths).front());
  const auto volumes = static_cast<std::size_t>(layout.group(kVolumes).front());
  for (int i = 0; i < bellies.count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    frame.scalars[lengths + k] = bellies.lineLength(i);
    frame.scalars[volumes + k] = bellies.belly(i).volume() / kMillilitre;
  }
}

BellyResults::BellyResults(const flesh::FigureBellies& bellies, const FrameTrack& track)
    : length_(static_cast<std::size_t>(bellies.count())),
      volume_(static_cast<std::size_t>(bellies.count())) {
  const int lengths = track.layout().group(kLengths).front();
  const int volumes = track.layout().group(kVolumes).front();
  for (int i = 0; i < bellies.count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    names_.push_back(bellies.name(i));
    restVolume_.push_back(bellies.belly(i).model().restVolume());
    for (std::size_t f = 0; f < track.size(); ++f) {
      length_[k].add(track.scalar(f, lengths + i));
      volume_[k].add(kMillilitre * track.scalar(f, volumes + i) / restVolume_[k]);
    }
  }
}

std::size_t BellyResults::smallest() const {
  return std::ranges::min_element(volume_, {}, &Range::low) - volume_.begin();
}

std::size_t BellyResults::largest() const {
  return std::ranges::max_element(volume_, {}, &Range::high) - volume_.begin();
}

int BellyResults::within(double part) const {
  return static_cast<int>(std::ranges::count_if(
      volume_, [&](const Range& r) { return r.low >= 1 - part && r.high <= 1 + part; }));
}

std::string BellyResults::text() const {
  return fmt::format("{} bellies, volume {:.3f} ({}) to {:.3f} ({}) of rest, {} within 5 %",
                     names_.size(), volume_[smallest()].low, names_[smallest()],
                     volume_[largest()].high, names_[largest()], within(0.05));
}

void BellyResults::add(double rate, const io::RunFolder& run, render::Report& report,
                       nlohmann::ordered_json& json) const {
  io::writeCsv(run.file("belly_summary.csv"), summary());
  json["bellies"] = names_.size();
  json["smallest_volume_of_rest"] = volume_[smallest()].low;
  json["smallest_volume_belly"] = names_[smallest()];
  json["largest_volume_of_rest"] = volume_[largest()].high;
  json["largest_volume_belly"] = names_[largest()];
  json["bellies_within_5_percent"] = within(0.05);
  report.heading("Bellies").paragraph(fmt::format("{}, at {:g} updates per second.", text(), rate));
}

io::Table BellyResults::summary() const {
  std::vector<std::size_t> order(names_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) {
    return std::max(1 - volume_[i].low, volume_[i].high - 1);
  });
  std::vector<std::string> belly;
  std::vector<double> columns[5];
  for (const std::size_t i : order) {
    belly.push_back(names_[i]);
    const double row[]{1e6 * restVolume_[i], volume_[i].low, volume_[i].high, length_[i].low,
                       length_[i].high};
    for (std::size_t c = 0; c < 5; ++c) columns[c].push_back(row[c]);
  }
  io::Table table;
  table.addTextColumn("belly", belly);
  table.addColumn("rest_volume", "mL", columns[0]);
  table.addColumn("smallest_volume_over_rest", "1", columns[1]);
  table.addColumn("largest_volume_over_rest", "1", columns[2]);
  table.addColumn("shortest_line", "m", columns[3]);
  table.addColumn("longest_line", "m", columns[4]);
  return table;
}

}  // namespace pneuma::stage
