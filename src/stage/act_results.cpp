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
constexpr std::size_t kShownMuscles = 10, kDrawnMuscles = 5, kMappedMuscles = 48, kShownJoints = 6;

}  // namespace

/// Mean activation over the lines of a muscle of one side.
struct ActRun::MuscleRow {
  control::BodyPart part;
  std::string name;
  std::vector<double> series;
  double largest = 0;
};

/// Muscles of a side in the order of body parts; those that work most of all.
std::vector<ActRun::MuscleRow> ActRun::muscleRows(std::size_t most) const {
  const std::vector<int> scalars = track_->layout().group("activations");
  const std::vector<control::BodyPart>& parts = controller().parts().ofMuscle;
  std::map<std::pair<control::BodyPart, std::string>, std::vector<int>> members;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const anatomy::CompiledMuscle& m = compiled_.muscles[i];
    const std::string side = m.name.ends_with("_l") ? " l" : m.name.ends_with("_r") ? " r" : "";
    members[{parts[i], m.muscle + side}].push_back(scalars[i]);
  }
  std::vector<MuscleRow> rows;
  for (const auto& [key, list] : members) {
    MuscleRow row{key.first, key.second, std::vector<double>(track_->size())};
    for (std::size_t f = 0; f < track_->size(); ++f)
      for (const int s : list)
        row.series[f] += track_->scalar(f, s) / static_cast<double>(list.size());
    if (key.first == control::BodyPart::HeadNeck || key.first == control::BodyPart::Torso)
      row.name = control::bodyPartNames()[static_cast<std::size_t>(key.first)] + ": " + row.name;
    std::ranges::replace(row.name, '_', ' ');
    row.largest = *std::ranges::max_element(row.series);
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater{}, &MuscleRow::largest);
  rows.resize(std::min(rows.size(), most));
  std::ranges::stable_sort(rows, {}, [](const MuscleRow& r) { return std::pair(r.part, r.name); });
  return rows;
}

/// Mean activation of each muscle over time, a row each.
render::Plot ActRun::activationPlot() const {
  constexpr int kRowHeight = 15, kFrame = 130;  // [pixels]
  std::vector<MuscleRow> rows = muscleRows(kMappedMuscles);
  std::ranges::reverse(rows);  // the first on top
  std::vector<double> places, values;
  render::Plot plot(fmt::format("{}: activations", performance_.exercise().name));
  plot.panelHeight = kFrame + kRowHeight * static_cast<int>(rows.size());
  render::Panel& map = plot.panel(
      fmt::format("the {} muscles that work most, by body part", rows.size()), "time [s]", "");
  for (const MuscleRow& row : rows) {
    map.y.names.push_back(row.name);
    places.push_back(static_cast<double>(places.size()));
    values.insert(values.end(), row.series.begin(), row.series.end());
  }
  map.heatMap(track_->times(), places, values,
              {render::ColorMap::Heat, 0, 1, "mean activation [-]"});
  return plot;
}

/// The hardest line of the muscles that pull hardest.
render::Plot ActRun::hardestPlot() const {
  render::Plot plot(fmt::format("{}: hardest at work", performance_.exercise().name));
  render::Panel& lines =
      plot.panel("hardest line of the muscles that work hardest", "time [s]", "activation [-]");
  lines.y.min = 0, lines.y.max = 1;
  std::set<std::string> drawn;
  for (const MuscleEffort& e : strongest(compiled_.muscles.size())) {
    if (drawn.size() == kDrawnMuscles) break;
    if (!drawn.insert(e.muscle).second) continue;
    lines.line(track_->times(), track_->series(track_->layout().scalarIndex("activations", e.line)),
               e.line);
  }
  return plot;
}

render::Plot ActRun::trackingPlot() const {
  const std::vector<double> times = track_->times();
  render::Plot plot(fmt::format("{}: tracking", performance_.exercise().name));
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

/// The muscles, and beside them the person, from one place with room for every frame.
std::vector<View> ActRun::views(int width, int height, int samples) const {
  Box box;
  for (std::size_t f = 0; f < track_->size(); ++f) {
    const body::Frame frame = track_->at(f);
    for (const RigidPart& part : cast_.rigid)
      for (std::size_t v = 0; v < part.mesh.positions.size(); v += 25)
        box.add(poseOf(part, frame) * part.mesh.positions[v]);
    for (const SoftPart& part : cast_.soft)
      for (const Vec3& p : part.positions(frame)) box.add(p);
  }
  const render::Camera camera = render::Camera::frame(
      box, render::View::ThreeQuarter, {.aspect = static_cast<double>(width) / height});
  render::RenderOptions options;
  options.width = width, options.height = height, options.samples = samples;
  options.ground = false;
  std::vector<View> all;
  const auto add = [&](const Cast& cast, Look look) {
    all.emplace_back(
        cast, track_->at(0), std::move(look), [camera](const body::Frame&) { return camera; },
        options);
  };
  add(cast_, flesh_ ? skinLook() : figureLook());
  if (flesh_ && flesh_->hasMuscles()) add(cast_, musclesLook());
  if (person_) add(personCast_, person_->look());
  return all;
}

void ActRun::film(const io::RunFolder& run, Progress& progress) const {
  std::vector<View> shown = views(kFilmWidth, kFilmHeight, kFilmSamples);
  progress.begin("filming", 1);
  writeFilm(run.file("act.mp4"), Clip(*track_), sideBySide(std::move(shown)),
            {.framesPerSecond = request_.framesPerSecond,
             .caption =
                 [&](std::size_t k) {
                   return std::pair{performance_.exercise().name,
                                    fmt::format("{:.2f} s", track_->time(k))};
                 }},
            [&](double done) { progress.update(done); });
  progress.end();
}

void ActRun::addStills(const io::RunFolder& run, render::Report& report) const {
  // Four moments, evenly spaced.
  std::vector<render::Tile> moments;
  const std::size_t last = track_->size() - 1;
  for (View& stage : views(kStillWidth, kStillHeight, kStillSamples))
    for (std::size_t k = 0; k < 4; ++k) {
      const body::Frame frame = track_->at(k * last / 3);
      moments.push_back({stage.draw(frame), fmt::format("{:.2f} s", frame.time)});
    }
  const render::Image still = render::tile(moments, 4);
  render::writePng(still, run.file("still.png"));
  report.picture(still, "Muscle lines coloured by activation, pale at rest, red at full.", "still");
}

void ActRun::writeResults(const io::RunFolder& run, const DrawnParts& drawn,
                          Progress& progress) const {
  writeTables(*track_, [&](std::string_view name) { return run.file(name); });
  writeGlb(run.file("act.glb"), cast_, Clip(*track_),
           {.root = described_.name.empty() ? "body" : described_.name});
  const render::Plot activations = activationPlot(), hardest = hardestPlot(),
                     errors = trackingPlot();
  activations.write(run.file("activations.svg"));
  hardest.write(run.file("hardest.svg"));
  errors.write(run.file("tracking.svg"));

  if (drawn.film) film(run, progress);

  render::Report report("A body that acts by its own muscles", performance_.exercise().name);
  report.view3d(run.file("act.glb"), "The act: turn it, play it, hide its parts.");
  if (drawn.film) report.media(run.file("act.mp4"), "The film.");
  if (drawn.stills) addStills(run, report);
  report.plot(activations, "Activations by muscle.", "activations");
  report.plot(hardest, "Lines of the muscles that work hardest.", "hardest");
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
  for (const control::UncontrolledDof& u : controller().uncontrolled()) hanging.push_back(u.name);
  report.paragraph(fmt::format("Left to hang in their muscles: {}.", fmt::join(hanging, ", ")));
  report.paragraph(
      "Colours stand still in glTF: act.glb shows each line in the colour of its "
      "greatest activation; the film and the tables hold them over time.");
  report.recipe(run.description().command);
  report.writeHtml(run.file("report.html"));
  report.writeMarkdown(run.file("report.md"));
}

}  // namespace pneuma::stage
