#include "cli/verb_move_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/belly_results.h"
#include "cli/figure_scene.h"
#include "cli/motion_sections.h"
#include "cli/skin_film.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/scene.h"
#include "pneuma/core/hash.h"
#include "pneuma/render/tools.h"
#include "pneuma/render/video.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::cli {

namespace {

using nlohmann::ordered_json;

/// The figure's bellies on their way through the motion: shapes for the scene, numbers for the
/// results.
struct MovingBellies {
  flesh::FigureBellies bellies;
  BellyFilm film;
  BellyResults results;

  explicit MovingBellies(const PlayedMotion& m)
      : bellies(m.body, m.compiled, m.model),
        film(bellies, m.compiled, m.model),
        results(bellies) {}

  /// Steps to a frame, at the bellies' own rate [1/s]; the pose is interpolated between the frames.
  void follow(const PlayedMotion& m, double rate, std::size_t frame, skeleton::Kinematics& k) {
    const double from = frame > 0 ? m.times[frame - 1] : m.times[frame], to = m.times[frame];
    const int updates = std::max(1, static_cast<int>(std::lround((to - from) * rate)));
    VecX q, step(m.model.dofCount());
    for (int u = 1; u <= updates; ++u) {
      q = m.q[frame > 0 ? frame - 1 : 0];
      skeleton::configurationDifference(m.model, q, m.q[frame], step);
      step *= static_cast<double>(u) / updates;
      skeleton::integrateConfiguration(m.model, step, q);
      skeleton::computePoses(m.model, q, k);
      bellies.follow(k, frame > 0 ? (to - from) / updates : 1 / rate);
    }
    film.record(bellies, k);
    results.record(to, bellies);
  }
};

/// Bellies, skin, pictures and film of a motion, frame after frame.
class MotionRun {
 public:
  MotionRun(const PlayedMotion& motion, const MotionOptions& options, double framesPerSecond,
            const io::RunFolder& run);

  void play(Progress& progress);
  void addPictures(render::Report& report) const;
  void addSkin(render::Report& report, ordered_json& json) const;
  void addBellies(render::Report& report, ordered_json& json) const;
  void writeScene() const;
  /// What there is to say of bellies and skin, a line each.
  std::string text() const;

 private:
  const flesh::FigureBellies* bellies() const { return bellies_ ? &bellies_->bellies : nullptr; }
  void takeStills();

  static constexpr int kFilmWidth = 640, kFilmHeight = 720;
  static constexpr int kStillWidth = 640, kStillHeight = 800;

  const PlayedMotion& motion_;
  const MotionOptions& options_;
  const io::RunFolder& run_;
  skeleton::Kinematics kinematics_;
  std::optional<MovingBellies> bellies_;
  std::optional<SkinFilm> skin_;
  std::optional<FigureScene> pictures_;
  std::optional<render::VideoWriter> video_;
  std::size_t still_ = 0;  // frame of the stills
  std::vector<render::Image> stills_, skinStills_;
};

MotionRun::MotionRun(const PlayedMotion& motion, const MotionOptions& o, double framesPerSecond,
                     const io::RunFolder& run)
    : motion_(motion), options_(o), run_(run), kinematics_(motion.model) {
  const PlayedMotion& m = motion;
  skeleton::computePoses(m.model, m.q.front(), kinematics_);
  if (o.bellies) bellies_.emplace(m);
  if (o.skin) skin_.emplace(m.measured, m.body, m.compiled, m.model, bellies());
  if (bellies_)  // after the skin, which takes its measure at rest
    bellies_->bellies.settle(kinematics_);
  pictures_.emplace(m.body, m.compiled, m.model, bellies());
  if (o.film)
    video_.emplace(run.file("motion.mp4"), kFilmWidth, kFilmHeight,
                   render::VideoOptions{.framesPerSecond = framesPerSecond});
  still_ = o.clip.empty() ? m.q.size() - 1 : m.q.size() / 2;
  if (o.still >= 0)
    still_ =
        std::min(m.q.size() - 1, static_cast<std::size_t>(std::lround(o.still * framesPerSecond)));
}

void MotionRun::play(Progress& progress) {
  progress.begin(video_ ? "filming" : "following", double(motion_.q.size()));
  for (std::size_t i = 0; i < motion_.q.size(); ++i) {
    if (bellies_) bellies_->follow(motion_, options_.bellyRate, i, kinematics_);
    skeleton::computePoses(motion_.model, motion_.q[i], kinematics_);
    if (skin_) skin_->record(motion_.q[i], kinematics_);
    if ((video_ && !skin_) || i == still_) pictures_->show(kinematics_);
    if (video_)
      video_->add(skin_
                      ? skin_->picture(render::View::ThreeQuarter, kFilmWidth, kFilmHeight, 4)
                      : pictures_->picture(render::View::ThreeQuarter, kFilmWidth, kFilmHeight, 4));
    if (i == still_) takeStills();
    progress.update(double(i + 1));
  }
  progress.end();
  if (video_) video_->finish();
}

void MotionRun::takeStills() {
  for (const render::View view : {render::View::ThreeQuarter, render::View::Left})
    stills_.push_back(pictures_->picture(view, kStillWidth, kStillHeight, 16));
  for (const render::View view : {render::View::Front, render::View::Left})
    if (skin_) skinStills_.push_back(skin_->picture(view, kStillWidth, kStillHeight, 16));
}

void MotionRun::addPictures(render::Report& report) const {
  render::writePng(stills_[0], run_.file("still.png"));
  render::writePng(stills_[1], run_.file("still_left.png"));
  report.picture(stills_[0], fmt::format("At {:.2f} s.", motion_.times[still_]), "still")
      .picture(stills_[1], "The same from the left.", "still_left");
}

void MotionRun::addSkin(render::Report& report, ordered_json& json) const {
  if (!skin_) return;
  render::writePng(skinStills_[0], run_.file("skin_front.png"));
  render::writePng(skinStills_[1], run_.file("skin_left.png"));
  skin_->writeCache(run_.file("skin.obj"), run_.file("skin.pc2"));
  json["skin_triangles"] = skin_->skin().triangles().size();
  json["skin_ms_per_pose"] = 1e3 * skin_->meanSeconds();
  report.heading("Skin")
      .paragraph(fmt::format("One closed surface of {} triangles, {:.1f} ms per pose.",
                             skin_->skin().triangles().size(), 1e3 * skin_->meanSeconds()))
      .picture(skinStills_[0], "From the front.", "skin_front")
      .picture(skinStills_[1], "From the left.", "skin_left");
}

void MotionRun::addBellies(render::Report& report, ordered_json& json) const {
  if (bellies_) bellies_->results.add(options_.bellyRate, run_, report, json);
}

void MotionRun::writeScene() const {
  io::GltfScene scene = anatomy::bodyScene(motion_.body, motion_.compiled, anatomy::GeometryCache(),
                                           {.muscles = false});
  scene.animationName = "motion";
  const std::vector<int> links = skeleton::linkIndices(motion_.compiled, motion_.model);
  skeleton::Kinematics k(motion_.model);
  std::vector<std::vector<Pose>> poses(motion_.compiled.links.size());
  for (const VecX& q : motion_.q) {
    skeleton::computePoses(motion_.model, q, k);
    for (std::size_t l = 0; l < links.size(); ++l) {
      const int parent = motion_.compiled.links[l].parent;
      poses[l].push_back(parent < 0 ? k.X_WL[links[l]]
                                    : k.X_WL[links[parent]].inverse() * k.X_WL[links[l]]);
    }
  }
  for (std::size_t l = 0; l < links.size(); ++l) {
    const auto node =
        std::ranges::find(scene.nodes, motion_.compiled.links[l].name, &io::GltfNode::name);
    if (node != scene.nodes.end()) node->animation = io::rigidAnimation(motion_.times, poses[l]);
  }
  if (bellies_) bellies_->film.addTo(scene, bellies_->bellies, motion_.times);
  if (skin_) skin_->addTo(scene, motion_.times);
  io::writeGlb(run_.file("motion.glb"), scene);
}

std::string MotionRun::text() const {
  std::string text;
  if (bellies_) text += "\n" + bellies_->results.text();
  if (skin_)
    text += fmt::format("\nskin of {} triangles, {:.1f} ms per pose",
                        skin_->skin().triangles().size(), 1e3 * skin_->meanSeconds());
  return text;
}

io::RunDescription describe(const Program& program, const MotionOptions& o, const PlayedMotion& f,
                            double framesPerSecond) {
  io::RunDescription d;
  d.command = program.commandLine();
  d.verb = "move";
  d.bodyHash = Hash64().text(anatomy::bodyText(f.body)).hex();
  d.settings = {{"articulation", f.compiled.articulation},
                {"motion", o.clip},
                {"joints", o.joints},
                {"poses", o.poses},
                {"posture", o.posture},
                {"loop", o.loop},
                {"rhythm", o.rhythm},
                {"first_frame", o.firstFrame},
                {"rest_frame", o.restFrame},
                {"frames_per_s", framesPerSecond},
                {"belly_updates_per_s", o.bellyRate}};
  return d;
}

}  // namespace

void MotionOptions::addTo(CLI::App* verb) {
  const char* group = "Motion instead of simulation (--articulation figure or whole)";
  verb->add_option("--motion", clip, "Play a BVH clip")->type_name("FILE")->group(group);
  verb->add_option("--joint-table", jointTable,
                   "Lines 'role = joint' for a clip with names of its own")
      ->type_name("FILE")
      ->group(group);
  verb->add_option("--rest-frame", restFrame,
                   "Frame of the clip with its rest pose, arms out; -1: all angles zero")
      ->check(between(-1, 1e7))
      ->capture_default_str()
      ->group(group);
  verb->add_option("--first-frame", firstFrame, "Of the clip")
      ->check(between(0, 1e7))
      ->capture_default_str()
      ->group(group);
  verb->add_flag("--loop", loop, "The clip as a gait that goes on for --seconds, its travel kept")
      ->group(group);
  verb->add_option("--posture", posture,
                   "Hold a posture of the body: standing, sitting, supine, prone, side-left, "
                   "bent-forward")
      ->type_name("NAME")
      ->group(group);
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
      ->check(between(1, 1000))
      ->capture_default_str()
      ->group(group);
  verb->add_flag("--inverse-dynamics", inverseDynamics, "Joint torques of the motion, with plots")
      ->group(group);
  verb->add_flag("--film", film, "Also write motion.mp4")->group(group);
  verb->add_option("--still", still,
                   "Time of the stills [s]; default: a clip's middle, a pose's end")
      ->check(between(0, 36000))
      ->type_name("S")
      ->group(group);
}

void MotionOptions::check(const CLI::App& verb) const {
  const auto given = [&](const char* option) { return verb.get_option(option)->count() > 0; };
  const auto fail = [](const std::string& option, const char* message, const char* expected) {
    throw InputError(
        Diagnostic{.subject = "option '" + option + "'", .message = message, .expected = expected});
  };
  const char* oneOf = "one of --motion, --joint, --poses and --posture";
  if (given("--motion") + given("--joint") + given("--poses") + given("--posture") > 1)
    fail(given("--motion")    ? "--motion"
         : given("--posture") ? "--posture"
                              : "--poses",
         "does not go with another motion", oneOf);
  for (const char* option : {"--joint-table", "--rest-frame", "--first-frame", "--loop"})
    if (given(option) && !given("--motion")) fail(option, "is for a clip", "--motion FILE");
  for (const char* option : {"--no-rhythm", "--bellies", "--skin", "--belly-rate",
                             "--inverse-dynamics", "--film", "--still"})
    if (given(option) && !asked()) fail(option, "is for a motion", oneOf);
  for (const char* option : {"--activations", "--step", "--seed", "--checkpoint-every"})
    if (given(option) && asked()) fail(option, "is for a simulation, not for a motion", "");
}

void playMotion(const Program& program, const MotionOptions& o, const PersonOptions& person,
                const std::string& articulation, double framesPerSecond, bool scene,
                const std::string& out, bool resume) {
  render::requirePlotting();
  if (o.film) render::requireFilming();
  const PlayedMotion m = makePlayedMotion(o, person, articulation, framesPerSecond);
  io::RunFolder run = io::RunFolder::open(out, describe(program, o, m, framesPerSecond), resume);
  io::writeCsv(run.file("joints.csv"), jointTable(m));
  MotionRun played(m, o, framesPerSecond, run);
  played.play(*program.makeProgress("frames"));

  render::Report report(
      "The figure in motion",
      o.clip.empty() ? "joints set by hand" : std::filesystem::path(o.clip).filename().string());
  ordered_json json;
  json["articulation"] = articulation;
  json["frames"] = m.q.size();
  json["seconds"] = m.times.back();
  played.addPictures(report);
  played.addSkin(report, json);
  if (!o.clip.empty()) addResiduals(m, run, report, json);
  played.addBellies(report, json);
  if (o.inverseDynamics) addInverseDynamics(m, run, report, json);
  if (scene) played.writeScene();
  report.writeHtml(run.file("report.html"));
  report.writeMarkdown(run.file("report.md"));
  run.finish();

  json["folder"] = run.path().string();
  std::string text = fmt::format("{} frames, {:.2f} s", m.q.size(), m.times.back());
  if (!o.clip.empty())
    text += fmt::format(
        ", {} joints mapped, mean distance of joint centres {:.1f} mm (largest {:.1f} mm)",
        m.clip.roles.size(), 1e3 * m.clip.meanResidual, 1e3 * m.clip.largestResidual);
  program.print(json, text + played.text() + fmt::format("\nwrote {}\n", run.path().string()));
}

}  // namespace pneuma::cli
