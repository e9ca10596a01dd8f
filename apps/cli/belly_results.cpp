#include "cli/belly_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pneuma::cli {

BellyResults::BellyResults(const flesh::FigureBellies& bellies)
    : length_(bellies.count()), volume_(bellies.count()) {
  lengths_.addColumn("time", "s");
  volumes_.addColumn("time", "s");
  for (int i = 0; i < bellies.count(); ++i) {
    lengths_.addColumn(bellies.name(i), "m");
    volumes_.addColumn(bellies.name(i), "mL");
    names_.push_back(bellies.name(i));
    restVolume_.push_back(bellies.belly(i).model().restVolume());
  }
}

void BellyResults::record(double time, const flesh::FigureBellies& bellies) {
  std::vector<double> lengthRow{time}, volumeRow{time};
  for (int i = 0; i < bellies.count(); ++i) {
    lengthRow.push_back(bellies.lineLength(i));
    volumeRow.push_back(1e6 * bellies.belly(i).volume());
    length_[i].add(lengthRow.back());
    volume_[i].add(bellies.belly(i).volume() / restVolume_[i]);
  }
  lengths_.appendRow(lengthRow);
  volumes_.appendRow(volumeRow);
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
  io::writeCsv(run.file("muscle_lengths.csv"), lengths_);
  io::writeCsv(run.file("belly_volumes.csv"), volumes_);
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

}  // namespace pneuma::cli
