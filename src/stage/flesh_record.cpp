#include "pneuma/stage/flesh_record.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/stage/flesh_request.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {
namespace {

using flesh::embedded::BodyFlesh;
using flesh::embedded::FleshMuscle;
using flesh::embedded::kTissues;
using nlohmann::ordered_json;

constexpr double kMegabyte = 1024 * 1024;

double peakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// Counts over a flesh that several lines of the report need.
struct Counts {
  std::size_t copies = 0, tubes = 0, reached = 0, sizes[4] = {};
  double leastShare = 1;
  std::int32_t smallest = 0;  ///< tetrahedron with the least material
};
Counts countsOf(const BodyFlesh& f) {
  Counts c;
  const flesh::embedded::Lattice& l = *f.model.lattice;
  for (const auto& cell : l.tree) c.copies += cell.tetCount > 1 ? at(cell.tetCount) : 0;
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    ++c.sizes[std::min<std::size_t>(l.size[t], 3)];
    if (double(l.share[t]) >= c.leastShare) continue;
    c.leastShare = double(l.share[t]);
    c.smallest = static_cast<std::int32_t>(t);
  }
  for (std::size_t i = 0; i < f.lineVolume.size(); ++i) {
    c.tubes += f.tube[i];
    c.reached += f.lineVolume[i] > 0;
  }
  return c;
}

}  // namespace

body::FleshOptions FleshRequest::options() const {
  using namespace flesh::embedded;
  const auto unknown = [](const char* option, const std::string& value,
                          std::vector<std::string> names) {
    return InputError(Diagnostic{.subject = fmt::format("option '{}'", option),
                                 .message = fmt::format("unknown value '{}'", value),
                                 .expected = fmt::format("{}", fmt::join(names, ", ")),
                                 .nearest = nearestName(value, names)});
  };
  body::FleshOptions options;
  const auto chosen = fleshLevelOf(level);
  if (!chosen) throw unknown("--flesh-level", level, {"preview", "default", "fine"});
  const auto preset = fleshPresetOf(tissue);
  if (!preset) throw unknown("--flesh-tissue", tissue, {"human", "lee2009"});
  options.level = *chosen;
  options.preset = *preset;
  options.effects = effects;
  return options;
}

std::vector<body::FrameScalar> FleshRecord::scalars() {
  std::vector<body::FrameScalar> list;
  for (const auto& [name, unit, meaning] :
       {std::tuple{"volume", "%", "of all but the lungs, against rest"},
        {"worst_muscle", "%", "of the large muscle farthest from its volume"},
        {"least_j", "", "of the most compressed element, 1 at rest"},
        {"inverted", "", "elements turned inside out"},
        {"mean_gap", "mm", "between bones and the flesh tied to them"},
        {"contacts", "", "vertices of the skin held back from going through it"},
        {"newton", "", "steps"},
        {"matrices", "", "assembled"},
        {"iterations", "", "of conjugate gradients"},
        {"cpu", "s", "of the frame"}})
    list.push_back({"flesh", name, unit, meaning});
  return list;
}

void FleshRecord::add(const skin::FleshPoseReport& r, body::Frame& frame) {
  const double volume = r.volumes.flesh - 1, muscle = r.volumes.worst - 1;
  const std::array values{100 * volume,
                          100 * muscle,
                          r.measures.leastJ,
                          static_cast<double>(r.measures.inverted),
                          r.measures.meanGap / kMillimetre,
                          static_cast<double>(r.contacts),
                          static_cast<double>(r.steps),
                          static_cast<double>(r.matrices),
                          static_cast<double>(r.iterations),
                          r.cpuSeconds};
  PNEUMA_CHECK(frame.scalars.size() >= values.size());
  std::ranges::copy(values, frame.scalars.end() - static_cast<std::ptrdiff_t>(values.size()));
  ++worst_.frames;
  if (std::abs(volume) > std::abs(worst_.volume)) worst_.volume = volume;
  if (std::abs(muscle) > std::abs(worst_.muscle)) worst_.muscle = muscle;
  worst_.leastJ = std::min(worst_.leastJ, r.measures.leastJ);
  worst_.gap = std::max(worst_.gap, r.measures.meanGap);
  worst_.inverted = std::max<std::int64_t>(worst_.inverted, r.measures.inverted);
  worst_.steps += r.steps;
  worst_.iterations += r.iterations;
  worst_.cpuSeconds += r.cpuSeconds;
}

ordered_json FleshRecord::json() const {
  const double frames = std::max(1.0, static_cast<double>(worst_.frames));
  return {{"flesh_volume_pct", 100 * worst_.volume},
          {"flesh_muscle_volume_pct", 100 * worst_.muscle},
          {"flesh_least_j", worst_.leastJ},
          {"flesh_inverted", worst_.inverted},
          {"flesh_bone_gap_mm", worst_.gap / kMillimetre},
          {"flesh_newton_per_frame", static_cast<double>(worst_.steps) / frames},
          {"flesh_cg_per_newton", static_cast<double>(worst_.iterations) /
                                      std::max(1.0, static_cast<double>(worst_.steps))},
          {"flesh_cpu_s_per_frame", worst_.cpuSeconds / frames}};
}

std::string FleshRecord::text() const {
  const double frames = std::max(1.0, static_cast<double>(worst_.frames));
  return fmt::format(
      "flesh: {:.1f} CPU s a frame, {:.1f} Newton steps; volume {:+.3f} %, worst muscle {:+.2f} %, "
      "least J {:.2f}, {} elements inverted, bones {:.2f} mm from their flesh\n",
      worst_.cpuSeconds / frames, static_cast<double>(worst_.steps) / frames, 100 * worst_.volume,
      100 * worst_.muscle, worst_.leastJ, worst_.inverted, worst_.gap / kMillimetre);
}

ordered_json fleshInfoJson(const BodyFlesh& f, bool muscles) {
  const flesh::embedded::Lattice& l = *f.model.lattice;
  const Counts c = countsOf(f);
  ordered_json j{{"tetrahedra", l.tetCount()},
                 {"by_size", {c.sizes[0], c.sizes[1], c.sizes[2]}},
                 {"spacing_mm", l.config.spacing / kMillimetre},
                 {"nodes", l.nodeCount()},
                 {"free_nodes", l.freeCount},
                 {"copies", c.copies},
                 {"volume_l", l.materialVolume() / kLitre},
                 {"bone_springs", f.boneAnchors.size()},
                 {"wall_springs", f.wallAnchors.size()},
                 {"lines", f.lineVolume.size()},
                 {"lines_with_volume", c.reached},
                 {"tubes", c.tubes},
                 {"fibres", f.model.fibres.size()},
                 {"least_share", c.leastShare},
                 {"peak_memory_mb", peakMemory() / kMegabyte}};
  const auto volumes = f.tissueVolumes();
  for (std::size_t t = 0; t < kTissues; ++t)
    j["tissues_l"][std::string(name(static_cast<flesh::embedded::Tissue>(t)))] =
        volumes[t] / kLitre;
  if (!muscles) return j;
  for (const FleshMuscle& m : f.muscles)
    j["muscles"].push_back({{"name", m.name},
                            {"volume_ml", m.volume / kMillilitre},
                            {"described_ml", m.described / kMillilitre},
                            {"lines", m.lines}});
  return j;
}

std::string fleshInfoText(const BodyFlesh& f, bool muscles) {
  const flesh::embedded::Lattice& l = *f.model.lattice;
  const Counts c = countsOf(f);
  std::string text = fmt::format(
      "{} tetrahedra ({} of {:.1f} mm, {} twice and {} four times as large), {} of them copies\n"
      "{} free nodes, {} T-junctions; {:.2f} l of material\n"
      "{} springs to bones, {} to diaphragm and abdominal wall\n"
      "{} of {} muscle lines have volume, {} as tubes; {} fibres in elements\n"
      "least filled element {:.3f}, peak memory {:.0f} MB\n",
      l.tetCount(), c.sizes[0], l.config.spacing / kMillimetre, c.sizes[1], c.sizes[2], c.copies,
      l.freeCount, l.nodeCount() - at(l.freeCount), l.materialVolume() / kLitre,
      f.boneAnchors.size(), f.wallAnchors.size(), c.reached, f.lineVolume.size(), c.tubes,
      f.model.fibres.size(), c.leastShare, peakMemory() / kMegabyte);
  const auto volumes = f.tissueVolumes();
  for (std::size_t t = 0; t < kTissues; ++t)
    text += fmt::format("  {:<8} {:7.2f} l\n", name(static_cast<flesh::embedded::Tissue>(t)),
                        volumes[t] / kLitre);
  if (!muscles) return text;
  for (const FleshMuscle& m : f.muscles)
    text += fmt::format("  {:<52} {:8.1f} ml of {:8.1f}, {} lines\n", m.name,
                        m.volume / kMillilitre, m.described / kMillilitre, m.lines);
  return text;
}

}  // namespace pneuma::stage
