#include "pneuma/stage/motion_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/io/mesh_file.h"
#include "pneuma/io/point_cache.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/stage/belly_results.h"
#include "pneuma/stage/glb.h"
#include "pneuma/stage/motion_report.h"
#include "pneuma/stage/recorder.h"
#include "pneuma/stage/tables.h"
#include "stage/picture_sizes.h"

namespace pneuma::stage {
namespace {

using nlohmann::ordered_json;

constexpr const char* kJoints = "joints";

/// The figure of a motion with everything that follows it, and its frames.
class MotionRun final : private Performer {
 public:
  MotionRun(const PlayedMotion& motion, const MotionShow& show, bool clip);

  void play(io::RunFolder& run, Progress& progress);
  void film(const std::filesystem::path& path, Progress& progress) const;
  /// Returns what the forces behind the motion are, as text.
  std::string writeResults(const io::RunFolder& run, render::Report& report,
                           ordered_json& json) const;
  void writeScene(const io::RunFolder& run) const;
  const FrameTrack& track() const { return *track_; }
  /// What there is to say of bellies and skin, a line each.
  std::string text() const;

  void addPictures(const io::RunFolder& run, render::Report& report) const;
  void addSkin(const io::RunFolder& run, render::Report& report, ordered_json& json) const;
  void addBellies(const io::RunFolder& run, render::Report& report, ordered_json& json) const;

 private:
  void advance(double time) override;
  double time() const override { return shown_ > 0 ? motion_.times[shown_ - 1] : 0; }
  std::uint64_t steps() const override { return shown_; }
  body::Frame capture() override;
  void save(io::StateWriter&) const override {}
  void load(io::StateReader&) override {}
  void followBellies(std::size_t frame);
  void addJointScalars();
  void recordJoints(const VecX& q, body::Frame& frame) const;
  View view(const Look& look, render::View from, int width, int height, int samples) const;
  double skinMilliseconds() const {
    return 1e3 * skinSeconds_ / std::max<double>(1, double(motion_.q.size()));
  }

  const PlayedMotion& motion_;
  MotionShow show_;
  skeleton::Kinematics kinematics_;
  std::optional<flesh::FigureBellies> bellies_;
  std::optional<skin::FigureSkin> skin_;
  FigureActor actor_;
  std::optional<FrameTrack> track_;
  std::size_t shown_ = 0;  // frames so far
  std::size_t still_ = 0;  // frame of the stills
  double skinSeconds_ = 0;
};

MotionRun::MotionRun(const PlayedMotion& m, const MotionShow& show, bool clip)
    : motion_(m),
      show_(show),
      kinematics_(m.model),
      actor_(m.body, m.compiled, m.model, makeBoneMeshes(m.body)) {
  skeleton::computePoses(m.model, m.q.front(), kinematics_);
  if (show.bellies) bellies_.emplace(m.body, m.compiled, m.model);
  if (show.skin)
    skin_.emplace(
        makeFigureSkin(m.measured, m.body, m.compiled, m.model, bellies_ ? &*bellies_ : nullptr));
  if (bellies_)  // after the skin, which takes its measure at rest
    bellies_->settle(kinematics_);
  if (bellies_) actor_.addBellies(*bellies_);
  if (skin_) actor_.addSkin(*skin_);
  addJointScalars();
  if (bellies_) BellyResults::addScalars(*bellies_, actor_);
  track_.emplace(actor_.layout());
  still_ = clip ? m.q.size() / 2 : m.q.size() - 1;
  if (show.still)
    still_ = std::min(m.q.size() - 1,
                      static_cast<std::size_t>(std::lround(*show.still * m.framesPerSecond)));
}

/// Displacement of the root [m] and all angles [deg] from the neutral pose.
void MotionRun::addJointScalars() {
  const std::vector<std::string> names = dofNames(motion_);
  for (std::size_t i = 0; i < names.size(); ++i)
    actor_.addScalar({kJoints, names[i], i < 3 ? "m" : "deg", "from the neutral pose"});
}

void MotionRun::recordJoints(const VecX& q, body::Frame& frame) const {
  const VecX values =
      namedValues(motion_.compiled, motion_.model,
                  skeleton::configurationDifference(motion_.model, motion_.model.neutral, q));
  for (Eigen::Index j = 0; j < values.size(); ++j)
    frame.scalars[static_cast<std::size_t>(j)] = j < 3 ? values[j] : radiansToDegrees(values[j]);
}

/// Steps to a frame, at the bellies' own rate; the pose is interpolated between the frames.
void MotionRun::followBellies(std::size_t frame) {
  const PlayedMotion& m = motion_;
  const double from = frame > 0 ? m.times[frame - 1] : m.times[frame], to = m.times[frame];
  const int updates = std::max(1, static_cast<int>(std::lround((to - from) * show_.bellyRate)));
  VecX q, step(m.model.dofCount());
  for (int u = 1; u <= updates; ++u) {
    q = m.q[frame > 0 ? frame - 1 : 0];
    skeleton::configurationDifference(m.model, q, m.q[frame], step);
    step *= static_cast<double>(u) / updates;
    skeleton::integrateConfiguration(m.model, step, q);
    skeleton::computePoses(m.model, q, kinematics_);
    bellies_->follow(kinematics_, frame > 0 ? (to - from) / updates : 1 / show_.bellyRate);
  }
}

void MotionRun::advance(double time) {
  const auto last = static_cast<std::size_t>(std::lround(time * motion_.framesPerSecond));
  for (; shown_ < std::min(last + 1, motion_.q.size()); ++shown_) {
    if (bellies_) followBellies(shown_);
    skeleton::computePoses(motion_.model, motion_.q[shown_], kinematics_);
    if (skin_) skinSeconds_ += skin_->follow(motion_.q[shown_], kinematics_).seconds;
  }
}

body::Frame MotionRun::capture() {
  body::Frame frame = actor_.capture(time(), kinematics_);
  recordJoints(motion_.q[shown_ - 1], frame);
  if (bellies_) BellyResults::record(*bellies_, actor_.layout(), frame);
  return frame;
}

/// A motion that is only played is played anew: it has no checkpoints.
void MotionRun::play(io::RunFolder& run, Progress& progress) {
  record(*this,
         {.title = "following",
          .seconds = static_cast<double>(motion_.q.size() - 1) / motion_.framesPerSecond,
          .interval = 1 / motion_.framesPerSecond,
          .checkpointEvery = std::numeric_limits<double>::infinity(),
          .countFrames = true},
         *track_, run, progress);
}

View MotionRun::view(const Look& look, render::View from, int width, int height,
                     int samples) const {
  return View(actor_.cast(), track_->at(still_), look,
              actor_.standingCamera(from, static_cast<double>(width) / height, look.skin > 0),
              standingOptions(width, height, samples));
}

void MotionRun::film(const std::filesystem::path& path, Progress& progress) const {
  std::vector<View> views;
  views.push_back(view(skin_ ? skinLook() : figureLook(), render::View::ThreeQuarter, kFilmWidth,
                       kFilmHeight, kFilmSamples));
  progress.begin("filming", 1);
  writeFilm(path, Clip(*track_), sideBySide(std::move(views)),
            {.framesPerSecond = motion_.framesPerSecond},
            [&](double done) { progress.update(done); });
  progress.end();
}

void MotionRun::addPictures(const io::RunFolder& run, render::Report& report) const {
  const body::Frame frame = track_->at(still_);
  const auto draw = [&](render::View from, const char* name, const std::string& caption) {
    const render::Image image =
        view(figureLook(), from, kStillWidth, kStillHeight, kStillSamples).draw(frame);
    render::writePng(image, run.file(fmt::format("{}.png", name)));
    report.picture(image, caption, name);
  };
  draw(render::View::ThreeQuarter, "still", fmt::format("At {:.2f} s.", motion_.times[still_]));
  draw(render::View::Left, "still_left", "The same from the left.");
}

void MotionRun::addSkin(const io::RunFolder& run, render::Report& report,
                        ordered_json& json) const {
  if (!skin_) return;
  const int set = track_->layout().pointSetIndex("skin");
  io::PointCacheWriter cache(run.file("skin.pc2"), skin_->positions().size());
  for (std::size_t i = 0; i < track_->size(); ++i) {
    const body::Frame frame = track_->at(i);
    const std::span<const Vec3> points = frame.pointsOf(track_->layout(), set);
    const std::vector<Vec3> world(points.begin(), points.end());
    if (i == 0) io::writeMesh(run.file("skin.obj"), {world, skin_->triangles()});
    cache.addFrame(world);
  }
  cache.finish();
  json["skin_triangles"] = skin_->triangles().size();
  json["skin_ms_per_pose"] = skinMilliseconds();
  report.heading("Skin").paragraph(
      fmt::format("One closed surface of {} triangles, {:.1f} ms per pose.",
                  skin_->triangles().size(), skinMilliseconds()));
  if (!show_.stills) return;
  const auto draw = [&](render::View from, const char* name, const char* caption) {
    const render::Image image =
        view(skinLook(), from, kStillWidth, kStillHeight, kStillSamples).draw(track_->at(still_));
    render::writePng(image, run.file(fmt::format("{}.png", name)));
    report.picture(image, caption, name);
  };
  draw(render::View::Front, "skin_front", "From the front.");
  draw(render::View::Left, "skin_left", "From the left.");
}

void MotionRun::addBellies(const io::RunFolder& run, render::Report& report,
                           ordered_json& json) const {
  if (bellies_) BellyResults(*bellies_, *track_).add(show_.bellyRate, run, report, json);
}

std::string MotionRun::writeResults(const io::RunFolder& run, render::Report& report,
                                    ordered_json& json) const {
  writeTables(*track_, [&](std::string_view name) { return run.file(name); });
  if (show_.stills) addPictures(run, report);
  addSkin(run, report, json);
  if (!motion_.clip.roles.empty()) addResiduals(motion_, run, report, json);
  addBellies(run, report, json);
  return show_.inverseDynamics ? "\n" + addInverseDynamics(motion_, run, report, json) : "";
}

void MotionRun::writeScene(const io::RunFolder& run) const {
  writeGlb(run.file("motion.glb"), actor_.cast(), Clip(*track_),
           {.root = motion_.body.name.empty() ? "body" : motion_.body.name});
}

std::string MotionRun::text() const {
  std::string text;
  if (bellies_) text += "\n" + BellyResults(*bellies_, *track_).text();
  if (skin_)
    text += fmt::format("\nskin of {} triangles, {:.1f} ms per pose", skin_->triangles().size(),
                        skinMilliseconds());
  return text;
}

}  // namespace

MotionOutcome playMotion(const PlayedMotion& m, const MotionShow& show, bool scene,
                         const std::string& clip, io::RunFolder& run, Progress& progress) {
  MotionRun played(m, show, !clip.empty());
  played.play(run, progress);
  if (show.film) played.film(run.file("motion.mp4"), progress);

  render::Report report(
      "The figure in motion",
      clip.empty() ? "joints set by hand" : std::filesystem::path(clip).filename().string());
  if (scene) {
    played.writeScene(run);
    report.view3d(run.file("motion.glb"), "The motion: turn it, play it, hide its parts.");
  }
  if (show.film) report.media(run.file("motion.mp4"), "The film.");
  MotionOutcome outcome;
  outcome.json["articulation"] = m.compiled.articulation;
  outcome.json["frames"] = m.q.size();
  outcome.json["seconds"] = m.times.back();
  const std::string forces = played.writeResults(run, report, outcome.json);
  report.recipe(run.description().command);
  report.writeHtml(run.file("report.html"));
  report.writeMarkdown(run.file("report.md"));

  outcome.text = fmt::format("{} frames, {:.2f} s", m.q.size(), m.times.back());
  if (!clip.empty())
    outcome.text += fmt::format(
        ", {} joints mapped, mean distance of joint centres {:.1f} mm (largest {:.1f} mm)",
        m.clip.roles.size(), 1e3 * m.clip.meanResidual, 1e3 * m.clip.largestResidual);
  outcome.text += played.text() + forces;
  return outcome;
}

}  // namespace pneuma::stage
