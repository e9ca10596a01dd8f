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
/// Sites of the trunk have a front besides a girth.
bool onTrunk(std::size_t tape) {
  return tape >= static_cast<std::size_t>(TapeSite::Chest);
}

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
        {"worst_gap", "mm", "the largest of these"},
        {"bone_depth", "mm", "of the bone nearest to the skin; negative: outside"},
        {"crease", "deg", "by which edges of the skin are sharper than at rest, root mean square"},
        {"contacts", "", "vertices of the skin held back from going through it"},
        {"overlap", "mm", "how far skin that they did not hold back lies in skin"},
        {"contact_given_up", "", "0 no, 1 of an earlier round, 2 left out of a part of the way"},
        {"volume_rounds", "", "equilibria with other pressures, to keep volumes"},
        {"newton", "", "steps"},
        {"matrices", "", "assembled"},
        {"iterations", "", "of conjugate gradients"},
        {"cpu", "s", "of the frame"}})
    list.push_back({"flesh", name, unit, meaning});
  for (std::size_t i = 0; i < kTapes; ++i) {
    const std::string site(name(static_cast<TapeSite>(i)));
    list.push_back({"girths", site, "mm", "by a tape around the skin"});
    if (onTrunk(i))
      list.push_back({"girths", site + "_front", "mm", "from the vertebra to the skin in front"});
  }
  return list;
}

FleshRecord::FleshRecord(const BodyFlesh& flesh, const anatomy::Body& body,
                         const TriangleMesh& skin, const anatomy::GeometryCache& cache)
    : meter_(body, skin, cache), creases_(skin.positions, skin.triangles) {
  for (std::size_t m = 0; m < flesh.muscles.size(); ++m) {
    muscleNames_.push_back(flesh.muscles[m].name);
    if (flesh.muscles[m].volume >= flesh::embedded::kLargeMuscle)
      large_.push_back(static_cast<std::int32_t>(m));
  }
  muscleChange_.assign(large_.size(), 0);
}

void FleshRecord::add(const skin::FleshPoseReport& r, std::span<const Vec3> skin,
                      std::span<const Pose> bones, body::Frame& frame) {
  const double volume = r.volumes.flesh - 1, muscle = r.volumes.worst - 1;
  const SkinReading reading = meter_.read(skin, bones);
  const double crease = creases_.measure(skin);
  std::vector<double> values{100 * volume,
                             100 * muscle,
                             r.measures.leastJ,
                             static_cast<double>(r.measures.inverted),
                             r.measures.meanGap / kMillimetre,
                             r.measures.worstGap / kMillimetre,
                             reading.depth.least / kMillimetre,
                             radiansToDegrees(crease),
                             static_cast<double>(r.contacts),
                             r.deepest / kMillimetre,
                             static_cast<double>(r.contact),
                             static_cast<double>(r.volumeRounds),
                             static_cast<double>(r.steps),
                             static_cast<double>(r.matrices),
                             static_cast<double>(r.iterations),
                             r.cpuSeconds};
  for (std::size_t i = 0; i < kTapes; ++i) {
    values.push_back(reading.girths[i] / kMillimetre);
    if (onTrunk(i)) values.push_back(reading.fronts[i] / kMillimetre);
  }
  PNEUMA_CHECK(frame.scalars.size() >= values.size());
  std::ranges::copy(values, frame.scalars.end() - static_cast<std::ptrdiff_t>(values.size()));
  addReading(reading);
  ++worst_.frames;
  if (std::abs(volume) > std::abs(worst_.volume)) worst_.volume = volume;
  if (std::abs(muscle) > std::abs(worst_.muscle))
    worst_.muscle = muscle, worst_.muscleIndex = r.volumes.worstMuscle;
  for (std::size_t i = 0; i < large_.size(); ++i) {
    const double change = r.volumes.muscles[at(large_[i])] - 1;
    if (std::abs(change) > std::abs(muscleChange_[i])) muscleChange_[i] = change;
  }
  worst_.leastJ = std::min(worst_.leastJ, r.measures.leastJ);
  worst_.inverted = std::max<std::int64_t>(worst_.inverted, r.measures.inverted);
  worst_.gap = std::max(worst_.gap, r.measures.meanGap);
  worst_.crease = std::max(worst_.crease, crease);
  worst_.widestGap = std::max(worst_.widestGap, r.measures.worstGap);
  worst_.steps += r.steps;
  worst_.iterations += r.iterations;
  worst_.cpuSeconds += r.cpuSeconds;
}

void FleshRecord::addReading(const SkinReading& reading) {
  if (reading.depth.least < worst_.depth)
    worst_.depth = reading.depth.least, worst_.bone = reading.depth.bone;
  const bool first = worst_.frames == 0;
  for (std::size_t i = 0; i < kTapes; ++i) {
    const auto widen = [&](double now, double& least, double& most) {
      least = first ? now : std::min(least, now);
      most = first ? now : std::max(most, now);
    };
    widen(reading.girths[i], worst_.leastGirth[i], worst_.mostGirth[i]);
    widen(reading.fronts[i], worst_.leastFront[i], worst_.mostFront[i]);
  }
}

void FleshRecord::save(io::StateWriter& out) const {
  out.put(worst_);
  out.put(muscleChange_);
}

void FleshRecord::load(io::StateReader& in) {
  in.get(worst_);
  in.get(muscleChange_);
  if (muscleChange_.size() != large_.size())
    throw InputError("flesh: the checkpoint has other muscles");
}

// The worst moment of the run, not its mean: what went wrong for one frame is what a viewer sees.
ordered_json FleshRecord::json() const {
  const double frames = std::max(1.0, static_cast<double>(worst_.frames));
  const auto nameOf = [](const std::vector<std::string>& names, std::int32_t i) {
    return i < 0 ? std::string() : names[at(i)];
  };
  ordered_json j{{"flesh_volume_pct", 100 * worst_.volume},
                 {"flesh_muscle_volume_pct", 100 * worst_.muscle},
                 {"flesh_worst_muscle", nameOf(muscleNames_, worst_.muscleIndex)},
                 {"flesh_least_j", worst_.leastJ},
                 {"flesh_inverted", worst_.inverted},
                 {"flesh_bone_gap_mm", worst_.gap / kMillimetre},
                 {"flesh_widest_gap_mm", worst_.widestGap / kMillimetre},
                 {"flesh_bone_depth_mm", worst_.depth / kMillimetre},
                 {"flesh_shallowest_bone", nameOf(meter_.boneNames(), worst_.bone)},
                 {"flesh_bone_depth_at_rest_mm", meter_.rest().depth.least / kMillimetre},
                 {"flesh_bone_places", meter_.places()},
                 {"flesh_bone_places_outside_at_rest", meter_.outsideAtRest()},
                 {"flesh_crease_deg", radiansToDegrees(worst_.crease)},
                 {"flesh_newton_per_frame", static_cast<double>(worst_.steps) / frames},
                 {"flesh_cg_per_newton", static_cast<double>(worst_.iterations) /
                                             std::max(1.0, static_cast<double>(worst_.steps))},
                 {"flesh_cpu_s_per_frame", worst_.cpuSeconds / frames}};
  for (std::size_t i = 0; i < kTapes; ++i) {
    const std::string site(name(static_cast<TapeSite>(i)));
    const auto row = [&](double rest, double least, double most) {
      return ordered_json{{"rest", rest / kMillimetre},
                          {"least", least / kMillimetre},
                          {"greatest", most / kMillimetre}};
    };
    j["girths_mm"][site] = row(meter_.rest().girths[i], worst_.leastGirth[i], worst_.mostGirth[i]);
    if (onTrunk(i))
      j["fronts_mm"][site] =
          row(meter_.rest().fronts[i], worst_.leastFront[i], worst_.mostFront[i]);
  }
  for (std::size_t i = 0; i < large_.size(); ++i)
    j["flesh_muscles_pct"][muscleNames_[at(large_[i])]] = 100 * muscleChange_[i];
  return j;
}

std::string FleshRecord::text() const {
  const double frames = std::max(1.0, static_cast<double>(worst_.frames));
  const auto spoken = [](std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name;
  };
  std::string text = fmt::format(
      "flesh: {:.1f} CPU s a frame, {:.1f} Newton steps; volume {:+.3f} %, worst muscle {:+.2f} % "
      "({}), least J {:.2f}, {} elements inverted, bones {:.2f} mm from their flesh\n",
      worst_.cpuSeconds / frames, static_cast<double>(worst_.steps) / frames, 100 * worst_.volume,
      100 * worst_.muscle,
      worst_.muscleIndex < 0 ? "none" : spoken(muscleNames_[at(worst_.muscleIndex)]), worst_.leastJ,
      worst_.inverted, worst_.gap / kMillimetre);
  if (worst_.bone >= 0)
    text += fmt::format(
        "bones lie at least {:.1f} mm under the skin ({}; at rest {:.1f}), by {} places; {} that "
        "are "
        "outside at rest are left out\n",
        worst_.depth / kMillimetre, spoken(meter_.boneNames()[at(worst_.bone)]),
        meter_.rest().depth.least / kMillimetre, meter_.places(), meter_.outsideAtRest());
  text += "girths [mm], at rest, least and greatest:";
  for (std::size_t i = 0; i < kTapes; ++i)
    text += fmt::format(" {} {:.0f}, {:.0f}, {:.0f};",
                        spoken(std::string(name(static_cast<TapeSite>(i)))),
                        meter_.rest().girths[i] / kMillimetre, worst_.leastGirth[i] / kMillimetre,
                        worst_.mostGirth[i] / kMillimetre);
  text.back() = '\n';
  return text;
}

// Everything that can be known of flesh before a pose is solved.
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
