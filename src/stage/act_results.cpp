#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "pneuma/stage/act_run.h"
#include "pneuma/stage/glb.h"
#include "pneuma/stage/tables.h"

// What an acting body leaves behind: tables, plots, pictures, film, GLB and report.
namespace pneuma::stage {
namespace {

constexpr int kFilmWidth = 640, kFilmHeight = 720, kFilmSamples = 4;
constexpr int kStillWidth = 640, kStillHeight = 760, kStillSamples = 16;
constexpr std::size_t kShownMuscles = 10, kDrawnMuscles = 5, kShownJoints = 6;

}  // namespace

/// Mean activation of each muscle over time, a row each, and the hardest at work as lines.
render::Plot ActRun::activationPlot() const {
  const std::vector<int> scalars = track_->layout().group("activations");
  std::map<std::string, std::vector<int>> groups;
  for (std::size_t i = 0; i < scalars.size(); ++i)
    groups[compiled_.muscles[i].muscle].push_back(scalars[i]);
  const std::vector<double> times = track_->times();
  std::vector<double> rows, values;
  for (const auto& [name, members] : groups) {
    rows.push_back(static_cast<double>(rows.size()));
    for (std::size_t f = 0; f < times.size(); ++f) {
      double sum = 0;
      for (const int s : members) sum += track_->scalar(f, s);
      values.push_back(sum / static_cast<double>(members.size()));
    }
  }
  render::Plot plot(fmt::format("{}: activations", exercise_.name));
  render::Panel& map = plot.panel(fmt::format("{} muscles in alphabetical order", groups.size()),
                                  "time [s]", "muscle");
  map.heatMap(times, rows, values, {render::ColorMap::Heat, 0, 1, "mean activation [-]"});
  render::Panel& lines =
      plot.panel("hardest line of the muscles that work hardest", "time [s]", "activation [-]");
  lines.y.min = 0, lines.y.max = 1;
  std::set<std::string> drawn;
  for (const MuscleEffort& e : strongest(scalars.size())) {
    if (drawn.size() == kDrawnMuscles) break;
    if (!drawn.insert(e.muscle).second) continue;
    lines.line(times, track_->series(track_->layout().scalarIndex("activations", e.line)), e.line);
  }
  return plot;
}

render::Plot ActRun::trackingPlot() const {
  const std::vector<double> times = track_->times();
  render::Plot plot(fmt::format("{}: tracking", exercise_.name));
  render::Panel& errors = plot.panel("joints with the largest error", "time [s]", "error [rad]");
  render::Panel& torques =
      plot.panel("torque asked (line) and given (dashed)", "time [s]", "active torque [N m]");
  std::vector<JointTracking> joints = tracking();
  joints.resize(std::min(joints.size(), kShownJoints));
  for (const JointTracking& t : joints) {
    const auto series = [&](const char* group) {
      return track_->series(track_->layout().scalarIndex(group, t.joint));
    };
    errors.line(times, series("errors"), t.joint);
    torques.line(times, series("torque_asked"), t.joint);
    torques.line(times, series("torque_given"), "", {.width = 1, .dash = render::Dash::Dashed});
  }
  return plot;
}

/// From one place, with room for every frame.
View ActRun::view(int width, int height, int samples) const {
  Box box;
  for (std::size_t f = 0; f < track_->size(); ++f) {
    const body::Frame frame = track_->at(f);
    for (const RigidPart& part : cast_.rigid)
      for (std::size_t v = 0; v < part.mesh.positions.size(); v += 25)
        box.add(poseOf(part, frame) * part.mesh.positions[v]);
  }
  const render::Camera camera = render::Camera::frame(
      box, render::View::ThreeQuarter, {.aspect = static_cast<double>(width) / height});
  render::RenderOptions options;
  options.width = width, options.height = height, options.samples = samples;
  options.ground = false;
  return View(
      cast_, track_->at(0), figureLook(), [camera](const body::Frame&) { return camera; }, options);
}

void ActRun::film(const io::RunFolder& run, Progress& progress) const {
  std::vector<View> views;
  views.push_back(view(kFilmWidth, kFilmHeight, kFilmSamples));
  progress.begin("filming", 1);
  writeFilm(run.file("act.mp4"), Clip(*track_), views,
            {.framesPerSecond = request_.framesPerSecond,
             .caption =
                 [&](std::size_t k) {
                   return std::pair{exercise_.name, fmt::format("{:.2f} s", track_->time(k))};
                 }},
            [&](double done) { progress.update(done); });
  progress.end();
}

void ActRun::writeResults(const io::RunFolder& run, bool withFilm, Progress& progress) const {
  writeTables(*track_, [&](std::string_view name) { return run.file(name); });
  writeGlb(run.file("act.glb"), cast_, Clip(*track_),
           {.root = described_.name.empty() ? "body" : described_.name});
  const render::Plot activations = activationPlot(), errors = trackingPlot();
  activations.write(run.file("activations.svg"));
  errors.write(run.file("tracking.svg"));

  // Four moments, evenly spaced.
  View stage = view(kStillWidth, kStillHeight, kStillSamples);
  std::vector<render::Tile> moments;
  const std::size_t last = track_->size() - 1;
  for (std::size_t k = 0; k < 4; ++k) {
    const body::Frame frame = track_->at(k * last / 3);
    moments.push_back({stage.draw(frame), fmt::format("{:.2f} s", frame.time)});
  }
  const render::Image still = render::tile(moments, 4);
  render::writePng(still, run.file("still.png"));
  if (withFilm) film(run, progress);

  render::Report report("A body that acts by its own muscles", exercise_.name);
  report.picture(still, "Muscle lines coloured by activation, pale at rest, red at full.", "still");
  report.plot(activations, "Activations by muscle.", "activations");
  report.plot(errors, "Error and torque of the joints with the largest error.", "tracking");
  render::Table strong{{"muscle line", "largest activation", "times peak force [N]"},
                       {},
                       "The ten that work hardest."};
  for (const MuscleEffort& e : strongest(kShownMuscles))
    strong.rows.push_back(
        {e.line, fmt::format("{:.3f}", e.activation), fmt::format("{:.0f}", e.force)});
  report.table(strong);
  render::Table joints{{"joint", "largest error [rad]", "asked [N m]", "missing [N m]"}, {}, ""};
  joints.caption =
      "Tracking, the worst first; all joints in errors.csv, torque_asked.csv and torque_given.csv.";
  std::vector<JointTracking> all = tracking();
  all.resize(std::min<std::size_t>(all.size(), 12));
  for (const JointTracking& t : all)
    joints.rows.push_back({t.joint, fmt::format("{:.5f}", t.largest),
                           fmt::format("{:.2f}", t.asked), fmt::format("{:.2g}", t.missing)});
  report.table(joints);
  std::vector<std::string> hanging;
  for (const control::UncontrolledDof& u : controller_.uncontrolled()) hanging.push_back(u.name);
  report.paragraph(fmt::format("Left to hang in their muscles: {}.", fmt::join(hanging, ", ")));
  report.paragraph(
      "Colours stand still in glTF: act.glb shows each line in the colour of its "
      "greatest activation; the film and the tables hold them over time.");
  report.writeHtml(run.file("report.html"));
  report.writeMarkdown(run.file("report.md"));
}

}  // namespace pneuma::stage
