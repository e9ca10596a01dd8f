#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pneuma/anatomy/fitted_shapes.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/point_cache.h"
#include "pneuma/io/table.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/population.h"
#include "pneuma/stage/run_description.h"
#include "pneuma/stage/torso_cast.h"
#include "pneuma/stage/units.h"
#include "stage/torso_skin.h"

namespace pneuma::stage {
namespace {

constexpr int kPopulationTriangles = 20000;  // of a skin: the coarsest level, some 10,000 vertices
constexpr double kFrameInterval = 0.04;      // between frames to choose from [s]
constexpr double kSettleSeconds = 4;         // at least, before a trial is looked at
constexpr double kNever = 1e6;               // longer than any trial [s]

/// A moment of a trial before its skin is made.
struct TrialMoment {
  shape::BreathSample sample;
  body::Frame frame;
};

breath::BreathSettings settingsOf(const Subject& subject, const BreathTrial& trial,
                                  std::shared_ptr<const anatomy::Body> measured) {
  breath::BreathSettings s;
  s.body = std::move(measured);
  s.person = subject.person;
  s.torso = breath::makeTorsoConfig("default", trial.posture);
  apply(subject.mechanics, s.torso);
  s.style = dataStyle(trial.style);
  s.knobs = {.effort = trial.effort, .chestShare = trial.chestShare, .variability = 0};
  s.arms = true;
  s.sampleInterval = kNever;  // simulateTrial() measures what it keeps
  return s;
}

/// One round of the style's breaths [s].
double roundOf(const breath::BreathStyle& style) {
  double seconds = 0;
  for (const breath::Breath& b : style.breaths) seconds += b.period;
  return seconds;
}

double flowAt(const std::vector<TrialMoment>& all, std::size_t i) {
  const shape::BreathSample& before = all[i > 0 ? i - 1 : i].sample;
  const shape::BreathSample& after = all[std::min(i + 1, all.size() - 1)].sample;
  return (after.lungVolume - before.lungVolume) / (after.time - before.time);
}

/// A settled round of the style, every kFrameInterval.
std::vector<TrialMoment> simulateTrial(breath::BreathSimulation& run) {
  const double round = roundOf(run.settings().style);
  const double settled = std::max(kSettleSeconds, round);
  const body::FrameLayout layout = torsoLayout(run);
  const double restCage = run.samples().front().ribCageVolume;
  const double restAbdomen = run.samples().front().abdomenVolume;
  std::vector<TrialMoment> moments;
  const auto count = static_cast<std::size_t>(std::lround(round / kFrameInterval)) + 1;
  for (std::size_t k = 0; k < count; ++k) {
    run.run(settled + static_cast<double>(k) * kFrameInterval);
    const breath::TorsoMeasures m = breath::measure(run.model(), run.state(), run.workspace());
    TrialMoment now;
    now.frame = captureTorso(run, layout);
    now.sample = {.time = run.state().time - settled,
                  .lungVolume = run.workspace().reading().lungVolume - run.model().restLung,
                  .ribCage = m.ribCageVolume - restCage,
                  .abdomen = m.abdomenVolume - restAbdomen};
    moments.push_back(std::move(now));
  }
  for (std::size_t i = 0; i < moments.size(); ++i) moments[i].sample.flow = flowAt(moments, i);
  return moments;
}

/// At most `wanted` moments at equal steps of the way that the volume has gone up and down: evenly
/// over volume, both strokes alike, whatever the rhythm.
std::vector<std::size_t> evenlyOverVolume(const std::vector<TrialMoment>& all, int wanted) {
  std::vector<double> way{0};
  for (std::size_t i = 1; i < all.size(); ++i)
    way.push_back(way.back() + std::abs(all[i].sample.lungVolume - all[i - 1].sample.lungVolume));
  std::vector<std::size_t> chosen;
  for (int k = 0; k < wanted; ++k) {
    const double place = way.back() * k / (wanted - 1);
    const auto next = static_cast<std::size_t>(std::ranges::lower_bound(way, place) - way.begin());
    const std::size_t i = std::min(next, all.size() - 1);
    if (chosen.empty() || i > chosen.back()) chosen.push_back(i);
  }
  return chosen;
}

io::Table tableOf(const std::vector<TrialMoment>& all, const std::vector<std::size_t>& chosen) {
  io::Table table;
  table.addColumn("time", "s");
  table.addColumn("lung_volume", "mL");
  table.addColumn("flow", "L/s");
  table.addColumn("rib_cage", "mL");
  table.addColumn("abdomen", "mL");
  for (const std::size_t i : chosen) {
    const shape::BreathSample& s = all[i].sample;
    table.appendRow({s.time, s.lungVolume / kMillilitre, s.flow / kLitre, s.ribCage / kMillilitre,
                     s.abdomen / kMillilitre});
  }
  return table;
}

/// Places on the person's bones. Those of people are the subject's, carried; a character has bones
/// of its own.
skin::BoneSamples samplesOf(const anatomy::Body& fitted, const anatomy::Body& measured,
                            const anatomy::Person& person) {
  const anatomy::GeometryCache cache;
  if (anatomy::fittedShapes(measured)) return skin::sampleAllBones(fitted, cache);
  return skin::carriedSamples(skin::sampleAllBones(measured, cache), measured, fitted, person);
}

/// The skin of a person, and the simulation whose body it is bound to.
class SkinOfSubject {
 public:
  SkinOfSubject(const Subject& subject, const BreathTrial& trial,
                const std::shared_ptr<const anatomy::Body>& measured)
      : simulation_(settingsOf(subject, trial, measured)),
        layout_(torsoLayout(simulation_)),
        skin_(simulation_, *measured, kPopulationTriangles,
              samplesOf(simulation_.body(), *measured, subject.person)) {}

  const TriangleMesh& rest() const { return skin_.rest(); }
  /// Throws SimulationError when the skin of this person cannot follow.
  std::vector<Vec3> pose(const body::Frame& frame) {
    std::vector<Vec3> skin = skin_.pose(frame, layout_);
    for (std::size_t v = 0; v < skin.size(); ++v)
      if (!skin[v].allFinite())
        throw SimulationError(frame.time, "skin", fmt::format("vertex {} is not finite", v));
    return skin;
  }

 private:
  breath::BreathSimulation simulation_;
  body::FrameLayout layout_;
  internal::TorsoSkin skin_;
};

void writeSkins(const std::filesystem::path& path, std::size_t vertices,
                const std::function<void(io::PointCacheWriter&)>& add) {
  io::PointCacheWriter writer(path, vertices);
  add(writer);
  writer.finish();
}

nlohmann::ordered_json subjectJson(const Subject& s) {
  nlohmann::ordered_json j{{"name", s.name}};
  j.update(personJson(s.person));
  j["elevator_gain"] = s.mechanics.elevatorGain;
  j["diaphragm_gain"] = s.mechanics.diaphragmGain;
  j["gradient"] = s.mechanics.gradient;
  j["wall_stiffness"] = s.mechanics.wallStiffness;
  j["rib_stiffness"] = s.mechanics.ribStiffness;
  j["held_out"] = s.heldOut;
  return j;
}

}  // namespace

void runPersonUnit(const PopulationRequest& request, const Subject& subject,
                   std::shared_ptr<const anatomy::Body> measured, io::RunFolder& folder) {
  const std::vector<BreathTrial>& trials = trialSet(request.trials);
  std::optional<SkinOfSubject> skin;  // made when the first trial is missing
  Hash64 hash;
  const auto add = [&](const std::string& file) {
    hash.text(io::readFile(folder.file(file)).valueOrThrow());
  };
  for (const BreathTrial& trial : trials) {
    const std::filesystem::path table = folder.file(trial.name + ".csv");
    if (!std::filesystem::exists(table)) {
      if (!skin) skin.emplace(subject, trials.front(), measured);
      breath::BreathSimulation run(settingsOf(subject, trial, measured));
      const std::vector<TrialMoment> all = simulateTrial(run);
      const std::vector<std::size_t> chosen = evenlyOverVolume(all, request.frames);
      writeSkins(folder.file(trial.name + ".pc2"), skin->rest().vertexCount(),
                 [&](io::PointCacheWriter& w) {
                   for (const std::size_t i : chosen) w.addFrame(skin->pose(all[i].frame));
                 });
      if (!std::filesystem::exists(folder.file("rest.pc2")))
        writeSkins(folder.file("rest.pc2"), skin->rest().vertexCount(),
                   [&](io::PointCacheWriter& w) { w.addFrame(skin->rest().positions); });
      io::writeCsv(table, tableOf(all, chosen));  // last: its presence says that the trial is done
    }
    add(trial.name + ".pc2"), add(trial.name + ".csv");
  }
  add("rest.pc2");
  nlohmann::ordered_json j = subjectJson(subject);
  j["hash"] = hash.hex();
  io::writeJson(folder.file("person.json"), j);
}

}  // namespace pneuma::stage
