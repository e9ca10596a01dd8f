#include "reproduce/zordan2005/runs.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/parallel.h"
#include "pneuma/stage/breath_request.h"

namespace pneuma::reproduce::zordan2005 {
namespace {

using namespace pneuma::breath;

constexpr double kShown = 12;  // of a run, at its end [s]

bool isPaper(std::string_view preset) {
  return preset == "zordan2005";
}

StyleRun runStyle(const char* preset, const char* style) {
  BreathSimulation run(settingsOf(preset, style));
  run.run(isPaper(preset) ? 60 : 24);
  StyleRun out{
      .preset = preset, .style = style, .summary = run.summary(), .realTime = run.realTimeFactor()};
  out.ribs.resize(kRibCount);
  for (const TorsoMeasures& m : run.samples()) {
    if (m.time < run.state().time - kShown) continue;
    out.time.push_back(m.time - run.state().time + kShown);
    out.volume.push_back(1e6 * (m.lungVolume - run.model().restLung));
    for (std::size_t i = 0; i < kRibCount; ++i)
      out.ribs[i].push_back(radiansToDegrees(m.rightPump[i]));
  }
  return out;
}

double tidalOf(double effort, double period) {
  BreathSettings s = settingsOf("default", "casual");
  s.knobs.effort = effort;
  s.knobs.rate = 60 / period;
  BreathSimulation run(s);
  run.run(3 * period + 1);
  return 1e6 * run.summary().tidalVolume;
}

}  // namespace

BreathSettings settingsOf(std::string_view preset, std::string_view style) {
  BreathSettings s;
  s.body = defaultBody();
  s.person = s.body->person;
  s.torso = makeTorsoConfig(preset);
  s.style = stage::dataStyle(style);
  return s;
}

std::shared_ptr<const anatomy::Body> defaultBody() {
  static const auto body = std::make_shared<const anatomy::Body>(
      anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow());
  return body;
}

TorsoModel defaultTorso(const TorsoConfig& config) {
  const anatomy::Body& body = *defaultBody();
  return makeTorsoModel(readTorsoAnatomy(anatomy::fitToPerson(body, body.person)), config);
}

std::vector<StyleRun> runStyles() {
  constexpr std::size_t kCount = std::size(kStyles);
  std::vector<StyleRun> runs(2 * kCount);
  parallelFor(runs.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      runs[i] = runStyle(kPresets[i / kCount], kStyles[i % kCount]);
  });
  for (const std::size_t i : {std::size_t{0}, kCount}) {
    BreathSimulation alone(settingsOf(kPresets[i / kCount], "casual"));
    alone.run(8);
    runs[i].realTime = alone.realTimeFactor();
  }
  return runs;
}

const StyleRun& find(const std::vector<StyleRun>& runs, std::string_view preset,
                     std::string_view style) {
  return *std::find_if(runs.begin(), runs.end(),
                       [&](const StyleRun& r) { return r.preset == preset && r.style == style; });
}

std::vector<RibPhase> ribPhases(const StyleRun& run) {
  const double period = 60 / stage::dataStyle("casual").paper->rate;
  std::vector<RibPhase> list;
  double first = 0;
  for (const std::vector<double>& angle : run.ribs) {
    double cosine = 0, sine = 0;
    for (std::size_t i = 0; i < angle.size(); ++i) {
      cosine += angle[i] * std::cos(2 * kPi * run.time[i] / period);
      sine += angle[i] * std::sin(2 * kPi * run.time[i] / period);
    }
    const double phase = std::atan2(sine, cosine);
    if (list.empty()) first = phase;
    const auto [low, high] = std::minmax_element(angle.begin(), angle.end());
    list.push_back(
        {*high - *low, 1e3 * period * std::remainder(phase - first, 2 * kPi) / (2 * kPi)});
  }
  return list;
}

BreathSpace breathSpace(io::RunFolder& folder, Progress& progress) {
  BreathSpace space;
  for (int i = 0; i < 18; ++i) space.efforts.push_back(0.25 + 0.25 * i);
  for (int j = 0; j < 17; ++j) space.periods.push_back(0.5 + 0.25 * j);
  std::size_t row = 0;
  if (const auto saved = folder.lastCheckpoint()) {
    io::StateReader in(saved->state);
    in.get(space.tidal);
    row = saved->step;
  }
  const std::size_t columns = space.efforts.size();
  space.tidal.resize(columns * space.periods.size());
  for (; row < space.periods.size(); ++row) {
    parallelFor(columns, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        space.tidal[row * columns + i] = tidalOf(space.efforts[i], space.periods[row]);
    });
    io::StateWriter out;
    out.put(space.tidal);
    folder.saveCheckpoint(row + 1, out);
    progress.update(static_cast<double>((row + 1) * columns));
  }
  return space;
}

BallRun dropBall(std::string_view preset) {
  BreathSettings s = settingsOf(preset, "casual");
  s.knobs.rate = 0;
  // The paper's springs are a hundredth of tissue's or less; its ball makes a dent of like depth.
  const double mass = isPaper(preset) ? 0.01 : 3;
  {
    const TorsoModel model = defaultTorso(s.torso);
    s.ball = makeLeadBall(model, mass);
    s.ball->radius = 0.04;
    s.ball->position.z() += 0.02;
    if (isPaper(preset)) s.ball->contactStiffness = 50;
  }
  BreathSimulation run(s);
  BallRun out{.mass = mass};
  for (double t = 0.02; t < 1.5; t += 0.02) {
    run.run(t);
    const TorsoMeasures& m = run.samples().back();
    out.error = std::max(out.error, 100 * std::abs(m.gutVolume / run.model().restGut - 1));
    if (-1e3 * m.belly <= out.depth) continue;
    out.depth = -1e3 * m.belly;
    updatePoints(run.model(), run.state(), run.workspace());
    out.deepest = run.workspace().points();
    out.ball = run.state().cage.ball;
  }
  return out;
}

}  // namespace pneuma::reproduce::zordan2005
