#include "cli/verb_move_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/figure_scene.h"
#include "cli/pose_input.h"
#include "cli/skin_film.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/scene.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/table.h"
#include "pneuma/render/report.h"
#include "pneuma/render/video.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/motion_dynamics.h"
#include "pneuma/skeleton/retarget.h"

namespace pneuma::cli {

namespace {

using nlohmann::ordered_json;

/// The figure and its motion, at the rate of the results.
struct Figure {
  anatomy::Body measured, body;  // before and after fitting to the person
  anatomy::CompiledBody compiled;
  skeleton::Model model;
  std::vector<double> times;
  std::vector<VecX> q;
  skeleton::RetargetedMotion clip;  // residuals, when a clip is played
};

Figure makeFigure(const MotionOptions& o, const PersonOptions& person,
                  const std::string& articulation, double framesPerSecond) {
  Figure f;
  f.measured = person.loadAsMeasured();
  f.body = anatomy::fitToPerson(f.measured, person.person(f.measured));
  f.compiled = anatomy::compileBody(f.body, articulation).valueOrThrow();
  f.model = skeleton::modelFromBody(f.compiled, {.freeRoot = true});
  if (o.clip.empty()) {
    PoseSequence poses = o.poses.empty() ? posesOfJoints(f.compiled, f.model, o.joints, o.rhythm)
                                         : readPoses(o.poses, f.compiled, f.model, o.rhythm);
    poses = resampled(poses, framesPerSecond);
    f.times = std::move(poses.times);
    f.q = std::move(poses.q);
    return f;
  }
  const io::Bvh clip = io::readBvh(o.clip).valueOrThrow();
  const skeleton::ClipJointMap map =
      o.jointTable.empty() ? skeleton::ClipJointMap{} : skeleton::ClipJointMap::read(o.jointTable);
  f.clip = skeleton::Retargeter(f.compiled, f.model, clip, map,
                                {.restFrame = o.restFrame,
                                 .firstFrame = o.firstFrame,
                                 .seconds = o.seconds,
                                 .framesPerSecond = framesPerSecond})
               .run();
  f.times = f.clip.times;
  f.q = f.clip.q;
  return f;
}

/// Names of all degrees of freedom as the body describes them; the root's own first.
std::vector<std::string> dofNames(const Figure& f) {
  std::vector<std::string> names(f.model.dofCount());
  const char* root[] = {"root_x",          "root_y",          "root_z",
                        "root_rotation_x", "root_rotation_y", "root_rotation_z"};
  for (int i = 0; i < 6; ++i) names[i] = root[i];
  for (const anatomy::CompiledLink& link : f.compiled.links) {
    const skeleton::Link& l = f.model.links[f.model.linkIndex(link.name)];
    if (l.joint == skeleton::JointKind::Free) continue;
    for (std::size_t d = 0; d < link.dofs.size(); ++d) names[l.firstDof + d] = link.dofs[d].alias;
  }
  return names;
}

io::Table jointTable(const Figure& f) {
  io::Table table;
  table.addColumn("time", "s");
  const std::vector<std::string> names = dofNames(f);
  for (std::size_t i = 0; i < names.size(); ++i) table.addColumn(names[i], i < 3 ? "m" : "deg");
  std::vector<double> row;
  for (std::size_t i = 0; i < f.q.size(); ++i) {
    const VecX values = skeleton::configurationDifference(f.model, f.model.neutral, f.q[i]);
    row.assign(1, f.times[i]);
    for (Eigen::Index j = 0; j < values.size(); ++j)
      row.push_back(j < 3 ? values[j] : radiansToDegrees(values[j]));
    table.appendRow(row);
  }
  return table;
}

io::Table residualTable(const skeleton::RetargetedMotion& clip) {
  io::Table table;
  std::vector<std::string> roles, joints, links;
  std::vector<double> mean, largest, uniform;
  for (const skeleton::RoleResidual& r : clip.roles) {
    roles.push_back(r.role), joints.push_back(r.clipJoint), links.push_back(r.link);
    mean.push_back(1e3 * r.mean), largest.push_back(1e3 * r.largest);
    uniform.push_back(1e3 * r.meanUniform);
  }
  table.addTextColumn("role", roles);
  table.addTextColumn("clip_joint", joints);
  table.addTextColumn("link", links);
  table.addColumn("mean", "mm", mean);
  table.addColumn("largest", "mm", largest);
  table.addColumn("mean_uniform_scale", "mm", uniform);
  return table;
}

/// What the bellies did.
struct BellyResults {
  io::Table lengths, volumes;
  struct Range {
    double low = 1e9, high = 0;
    void add(double x) { low = std::min(low, x), high = std::max(high, x); }
  };
  std::vector<Range> length, volume;  // of each belly: line [m], over rest [-]
  std::vector<double> restVolume;     // [m^3]
  std::vector<std::string> names;

  explicit BellyResults(const flesh::FigureBellies& bellies)
      : length(bellies.count()), volume(bellies.count()) {
    lengths.addColumn("time", "s");
    volumes.addColumn("time", "s");
    for (int i = 0; i < bellies.count(); ++i) {
      lengths.addColumn(bellies.name(i), "m");
      volumes.addColumn(bellies.name(i), "mL");
      names.push_back(bellies.name(i));
      restVolume.push_back(bellies.belly(i).model().restVolume());
    }
  }

  void record(double time, const flesh::FigureBellies& bellies) {
    std::vector<double> lengthRow{time}, volumeRow{time};
    for (int i = 0; i < bellies.count(); ++i) {
      lengthRow.push_back(bellies.lineLength(i));
      volumeRow.push_back(1e6 * bellies.belly(i).volume());
      length[i].add(lengthRow.back());
      volume[i].add(bellies.belly(i).volume() / restVolume[i]);
    }
    lengths.appendRow(lengthRow);
    volumes.appendRow(volumeRow);
  }

  std::size_t smallest() const {
    return std::ranges::min_element(volume, {}, &Range::low) - volume.begin();
  }
  std::size_t largest() const {
    return std::ranges::max_element(volume, {}, &Range::high) - volume.begin();
  }
  int within(double part) const {
    return static_cast<int>(std::ranges::count_if(
        volume, [&](const Range& r) { return r.low >= 1 - part && r.high <= 1 + part; }));
  }
  std::string text() const {
    return fmt::format("{} bellies, volume {:.3f} ({}) to {:.3f} ({}) of rest, {} within 5 %",
                       names.size(), volume[smallest()].low, names[smallest()],
                       volume[largest()].high, names[largest()], within(0.05));
  }

  /// Each belly's ranges, the largest departure from its rest volume first.
  io::Table summary() const {
    std::vector<std::size_t> order(names.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto departure = [&](std::size_t i) {
      return -std::max(1 - volume[i].low, volume[i].high - 1);
    };
    std::ranges::stable_sort(order, {}, departure);
    std::vector<std::string> belly;
    std::vector<double> columns[5];
    for (const std::size_t i : order) {
      belly.push_back(names[i]);
      const double row[]{1e6 * restVolume[i], volume[i].low, volume[i].high, length[i].low,
                         length[i].high};
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
};

/// Bellies at their own rate between the frames; the figure's pose is interpolated.
void followBellies(const Figure& f, double rate, std::size_t frame, skeleton::Kinematics& k,
                   flesh::FigureBellies& bellies) {
  const double from = frame > 0 ? f.times[frame - 1] : f.times[frame], to = f.times[frame];
  const int updates = std::max(1, static_cast<int>(std::lround((to - from) * rate)));
  VecX q, step(f.model.dofCount());
  for (int u = 1; u <= updates; ++u) {
    q = f.q[frame > 0 ? frame - 1 : 0];
    skeleton::configurationDifference(f.model, q, f.q[frame], step);
    step *= static_cast<double>(u) / updates;
    skeleton::integrateConfiguration(f.model, step, q);
    skeleton::computePoses(f.model, q, k);
    bellies.follow(k, frame > 0 ? (to - from) / updates : 1 / rate);
  }
}

void writeScene(const Figure& f, const BellyFilm* film, const flesh::FigureBellies* bellies,
                const SkinFilm* skin, const std::filesystem::path& path) {
  io::GltfScene scene =
      anatomy::bodyScene(f.body, f.compiled, anatomy::GeometryCache(), {.muscles = false});
  scene.animationName = "motion";
  const std::vector<int> links = skeleton::linkIndices(f.compiled, f.model);
  skeleton::Kinematics k(f.model);
  std::vector<std::vector<Pose>> poses(f.compiled.links.size());
  for (const VecX& q : f.q) {
    skeleton::computePoses(f.model, q, k);
    for (std::size_t l = 0; l < links.size(); ++l) {
      const int parent = f.compiled.links[l].parent;
      poses[l].push_back(parent < 0 ? k.X_WL[links[l]]
                                    : k.X_WL[links[parent]].inverse() * k.X_WL[links[l]]);
    }
  }
  for (std::size_t l = 0; l < links.size(); ++l) {
    const auto node = std::ranges::find(scene.nodes, f.compiled.links[l].name, &io::GltfNode::name);
    if (node != scene.nodes.end()) node->animation = io::rigidAnimation(f.times, poses[l]);
  }
  if (film != nullptr) film->addTo(scene, *bellies, f.times);
  if (skin != nullptr) skin->addTo(scene, f.times);
  io::writeGlb(path, scene);
}

constexpr double kSoleAheadOfAnkle = 0.05;  // middle of the sole [m]

/// Joint torques of the motion: table, plot, section of the report.
void addInverseDynamics(const Figure& f, const io::RunFolder& run, render::Report& report,
                        ordered_json& json) {
  if (f.q.size() < 5) throw InputError("option '--inverse-dynamics': needs at least 5 frames");
  const double dt = f.times[1] - f.times[0];
  skeleton::MotionDynamicsConfig config;
  for (const char* foot : {"talus_l", "talus_r"}) {
    config.feet.push_back(f.model.linkIndex(foot));
    const double height = f.model.links[config.feet.back()].X_WL_rest.position.y();
    config.soles.push_back(Vec3(0, -height, kSoleAheadOfAnkle));
  }
  const skeleton::MotionDynamics d = skeleton::computeMotionDynamics(f.model, f.q, dt, config);
  const std::vector<std::string> names = dofNames(f);
  io::Table torques;
  torques.addColumn("time", "s", f.times);
  const double weight = f.model.totalMass() * kGravity;
  std::vector<double> ground, unsupported;
  double peak = 0, flight = 0;
  for (std::size_t i = 0; i < f.q.size(); ++i) {
    ground.push_back(d.groundForce[i].y() / weight);
    unsupported.push_back(d.unsupported[i] / weight);
    peak = std::max(peak, ground.back());
    flight += d.unsupported[i] > 0;
  }
  for (int j = 6; j < f.model.dofCount(); ++j) {
    std::vector<double> values;
    for (const VecX& tau : d.torque) values.push_back(tau[j]);
    torques.addColumn(names[j], "N m", values);
  }
  torques.addColumn("ground_force_vertical", "body weights", ground);
  io::writeCsv(run.file("torques.csv"), torques);

  render::Plot plot("Inverse dynamics");
  const auto curve = [&](render::Panel& panel, const std::string& dof) {
    panel.line(f.times, torques.column(dof).values, dof);
  };
  render::Panel& legs = plot.panel("Joint torques, legs", "time [s]", "torque [N m]");
  for (const char* dof : {"l_hip_flexion", "l_knee_flexion", "l_ankle_flexion", "r_hip_flexion",
                          "r_knee_flexion", "r_ankle_flexion"})
    curve(legs, dof);
  render::Panel& arms = plot.panel("Joint torques, arms", "time [s]", "torque [N m]");
  for (const char* dof :
       {"l_shoulder_flexion", "l_elbow_flexion", "r_shoulder_flexion", "r_elbow_flexion"})
    curve(arms, dof);
  render::Panel& floor = plot.panel("Force from the floor", "time [s]", "body weights");
  floor.line(f.times, ground, "vertical");
  floor.line(f.times, unsupported, "unsupported (flight)");
  floor.horizontalRule(1);
  plot.write(run.file("torques.png"));
  report.heading("Inverse dynamics")
      .paragraph(fmt::format(
          "Mass {:.1f} kg. Configurations are smoothed by a Gaussian of {:.0f} ms. The wrench that "
          "the root would need comes from the floor through the soles of the standing feet, with "
          "the least couples on them; whatever else carries the body, such as a seat, is counted "
          "as "
          "floor. In {:.0f} % of the frames no foot stands.",
          f.model.totalMass(), 1e3 * config.smoothing,
          100 * flight / static_cast<double>(f.q.size())))
      .plot(plot, "Torques of the main joints, and the force from the floor.", "torques");
  json["peak_ground_force_body_weights"] = peak;
}

void addResiduals(const Figure& f, render::Report& report, ordered_json& json) {
  render::Table table{
      {"role", "joint of the clip", "link", "mean [mm]", "largest [mm]", "mean, one scale [mm]"},
      {},
      "Distance of joint centres from the clip's own skeleton, scaled limb by limb "
      "to the figure; last column: scaled by one number and shifted to fit."};
  for (const skeleton::RoleResidual& r : f.clip.roles)
    table.rows.push_back({r.role, r.clipJoint, r.link, fmt::format("{:.1f}", 1e3 * r.mean),
                          fmt::format("{:.1f}", 1e3 * r.largest),
                          fmt::format("{:.1f}", 1e3 * r.meanUniform)});
  report.heading("Residuals").table(table);
  render::Table limits{{"freedom", "frames at its limit [%]"}, {}, ""};
  for (const skeleton::LimitUse& l : f.clip.limits)
    limits.rows.push_back({l.dof, fmt::format("{:.1f}", 100 * l.part)});
  if (!limits.rows.empty()) report.heading("Joints at their limits").table(limits);
  json["metres_per_clip_unit"] = f.clip.scale;
  json["mean_joint_error_mm"] = 1e3 * f.clip.meanResidual;
  json["largest_joint_error_mm"] = 1e3 * f.clip.largestResidual;
  json["mean_joint_error_one_scale_mm"] = 1e3 * f.clip.meanResidualUniform;
  for (const skeleton::RoleResidual& r : f.clip.roles)
    json["mapped"].push_back(r.clipJoint + " > " + r.link);
  for (const skeleton::LimitUse& l : f.clip.limits) json["at_limit"][l.dof] = l.part;
}

io::RunDescription describe(const Program& program, const MotionOptions& o, const Figure& f,
                            double framesPerSecond) {
  io::RunDescription d;
  d.command = program.commandLine();
  d.bodyHash = Hash64().text(anatomy::bodyText(f.body)).hex();
  d.settings = {{"articulation", f.compiled.articulation},
                {"motion", o.clip},
                {"joints", o.joints},
                {"poses", o.poses},
                {"rhythm", o.rhythm},
                {"first_frame", o.firstFrame},
                {"rest_frame", o.restFrame},
                {"frames_per_s", framesPerSecond},
                {"belly_updates_per_s", o.bellyRate}};
  return d;
}

}  // namespace

void MotionOptions::addTo(CLI::App* verb) {
  const char* group = "Motion instead of simulation (--articulation figure)";
  verb->add_option("--motion", clip, "Play a BVH clip")->type_name("FILE")->group(group);
  verb->add_option("--joint-table", jointTable,
                   "Lines 'role = joint' for a clip with names of its own")
      ->type_name("FILE")
      ->group(group);
  verb->add_option("--rest-frame", restFrame,
                   "Frame of the clip with its rest pose, arms out; -1: all angles zero")
      ->capture_default_str()
      ->group(group);
  verb->add_option("--first-frame", firstFrame, "Of the clip")->capture_default_str()->group(group);
  verb->add_option("--joint", joints, "Set one joint, in degrees; may be repeated")
      ->type_name("NAME=DEG")
      ->group(group);
  verb->add_option("--poses", poses, "CSV of key poses: time and joint angles in degrees")
      ->type_name("FILE")
      ->group(group);
  verb->add_flag_callback(
          "--no-rhythm", [this] { rhythm = false; },
          "Raised arms leave collar bone and shoulder blade where they are")
      ->group(group);
  verb->add_flag("--bellies", bellies, "Muscle bellies that follow the motion")->group(group);
  verb->add_flag("--skin", skin,
                 "Skin over bones and bellies: in GLB, pictures and film, skin.obj and skin.pc2")
      ->group(group);
  verb->add_option("--belly-rate", bellyRate, "Updates of the bellies per second")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str()
      ->group(group);
  verb->add_flag("--inverse-dynamics", inverseDynamics, "Joint torques of the motion, with plots")
      ->group(group);
  verb->add_flag("--film", film, "Also write motion.mp4")->group(group);
  verb->add_option("--still", still,
                   "Time of the stills [s]; default: a clip's middle, a pose's end")
      ->check(CLI::NonNegativeNumber)
      ->type_name("S")
      ->group(group);
}

void playMotion(const Program& program, const MotionOptions& o, const PersonOptions& person,
                const std::string& articulation, double framesPerSecond, bool scene,
                const std::string& out) {
  Figure f = makeFigure(o, person, articulation, framesPerSecond);
  io::RunFolder run = io::RunFolder::open(out, describe(program, o, f, framesPerSecond), false);
  io::writeCsv(run.file("joints.csv"), jointTable(f));
  render::Report report(
      "The figure in motion",
      o.clip.empty() ? "joints set by hand" : std::filesystem::path(o.clip).filename().string());
  ordered_json json;
  json["articulation"] = articulation;
  json["frames"] = f.q.size();
  json["seconds"] = f.times.back();

  // Follow the motion: bellies, film.
  std::optional<flesh::FigureBellies> bellies;
  std::optional<BellyFilm> bellyFilm;
  std::optional<BellyResults> results;
  skeleton::Kinematics kinematics(f.model);
  skeleton::computePoses(f.model, f.q.front(), kinematics);
  if (o.bellies) {
    bellies.emplace(f.body, f.compiled, f.model);
    bellyFilm.emplace(*bellies, f.compiled, f.model);
    results.emplace(*bellies);
  }
  std::optional<SkinFilm> skin;
  if (o.skin) skin.emplace(f.measured, f.body, f.compiled, f.model, bellies ? &*bellies : nullptr);
  if (bellies) bellies->settle(kinematics);  // after the skin, which takes its measure at rest
  FigureScene pictures(f.body, f.compiled, f.model, bellies ? &*bellies : nullptr);
  std::optional<render::VideoWriter> video;
  constexpr int kFilmWidth = 640, kFilmHeight = 720;
  if (o.film)
    video.emplace(run.file("motion.mp4"), kFilmWidth, kFilmHeight,
                  render::VideoOptions{.framesPerSecond = framesPerSecond});
  const auto progress = program.makeProgress("frames");
  progress->begin(o.film ? "filming" : "following", double(f.q.size()));
  std::size_t still = o.clip.empty() ? f.q.size() - 1 : f.q.size() / 2;
  if (o.still >= 0)
    still =
        std::min(f.q.size() - 1, static_cast<std::size_t>(std::lround(o.still * framesPerSecond)));
  std::vector<render::Image> stills;
  for (std::size_t i = 0; i < f.q.size(); ++i) {
    if (bellies) {
      followBellies(f, o.bellyRate, i, kinematics, *bellies);
      bellyFilm->record(*bellies, kinematics);
      results->record(f.times[i], *bellies);
    }
    skeleton::computePoses(f.model, f.q[i], kinematics);
    if (skin) skin->record(f.q[i], kinematics);
    if ((video && !skin) || i == still) pictures.show(kinematics);
    if (video)
      video->add(skin ? skin->picture(render::View::ThreeQuarter, kFilmWidth, kFilmHeight, 4)
                      : pictures.picture(render::View::ThreeQuarter, kFilmWidth, kFilmHeight, 4));
    if (i == still) {
      for (const render::View view : {render::View::ThreeQuarter, render::View::Left})
        stills.push_back(pictures.picture(view, 640, 800, 16));
      for (const render::View view : {render::View::Front, render::View::Left})
        if (skin) stills.push_back(skin->picture(view, 640, 800, 16));
    }
    progress->update(double(i + 1));
  }
  progress->end();
  if (video) video->finish();
  render::writePng(stills[0], run.file("still.png"));
  render::writePng(stills[1], run.file("still_left.png"));
  report.picture(stills[0], fmt::format("At {:.2f} s.", f.times[still]), "still")
      .picture(stills[1], "The same from the left.", "still_left");

  if (skin) {
    render::writePng(stills[2], run.file("skin_front.png"));
    render::writePng(stills[3], run.file("skin_left.png"));
    skin->writeCache(run.file("skin.obj"), run.file("skin.pc2"));
    json["skin_triangles"] = skin->skin().triangles().size();
    json["skin_ms_per_pose"] = 1e3 * skin->meanSeconds();
    report.heading("Skin")
        .paragraph(fmt::format("One closed surface of {} triangles, {:.1f} ms per pose.",
                               skin->skin().triangles().size(), 1e3 * skin->meanSeconds()))
        .picture(stills[2], "From the front.", "skin_front")
        .picture(stills[3], "From the left.", "skin_left");
  }
  if (!o.clip.empty()) {
    io::writeCsv(run.file("residuals.csv"), residualTable(f.clip));
    addResiduals(f, report, json);
  }
  if (results) {
    io::writeCsv(run.file("muscle_lengths.csv"), results->lengths);
    io::writeCsv(run.file("belly_volumes.csv"), results->volumes);
    json["bellies"] = bellies->count();
    io::writeCsv(run.file("belly_summary.csv"), results->summary());
    json["smallest_volume_of_rest"] = results->volume[results->smallest()].low;
    json["smallest_volume_belly"] = results->names[results->smallest()];
    json["largest_volume_of_rest"] = results->volume[results->largest()].high;
    json["largest_volume_belly"] = results->names[results->largest()];
    json["bellies_within_5_percent"] = results->within(0.05);
    report.heading("Bellies").paragraph(
        fmt::format("{}, at {:g} updates per second.", results->text(), o.bellyRate));
  }
  if (o.inverseDynamics) addInverseDynamics(f, run, report, json);
  if (scene)
    writeScene(f, bellyFilm ? &*bellyFilm : nullptr, bellies ? &*bellies : nullptr,
               skin ? &*skin : nullptr, run.file("motion.glb"));
  report.writeHtml(run.file("report.html"));
  report.writeMarkdown(run.file("report.md"));
  run.finish();

  json["folder"] = run.path().string();
  std::string text = fmt::format("{} frames, {:.2f} s", f.q.size(), f.times.back());
  if (!o.clip.empty())
    text += fmt::format(
        ", {} joints mapped, mean distance of joint centres {:.1f} mm (largest "
        "{:.1f} mm)",
        f.clip.roles.size(), 1e3 * f.clip.meanResidual, 1e3 * f.clip.largestResidual);
  if (results) text += "\n" + results->text();
  if (skin)
    text += fmt::format("\nskin of {} triangles, {:.1f} ms per pose",
                        skin->skin().triangles().size(), 1e3 * skin->meanSeconds());
  program.print(json, text + fmt::format("\nwrote {}\n", run.path().string()));
}

}  // namespace pneuma::cli
