#include "pneuma/stage/living_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "pneuma/io/point_cache.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/complexion.h"
#include "pneuma/stage/glb.h"
#include "pneuma/stage/tables.h"
#include "pneuma/stage/units.h"
#include "stage/picture_sizes.h"

namespace pneuma::stage {
namespace {

using nlohmann::ordered_json;

constexpr double kTrackSeconds = 20;  // kept for GLB, stills and film
constexpr double kKilopascal = 1e3;

/// Flesh fills the hands as they were measured; they hang relaxed where they are shown.
PersonShapes shownShapes(const LivingRequest& request, const ResolvedLiving& resolved) {
  const body::LivingModel& model = *resolved.model;
  PersonShapes shapes = makePersonShapes(model, resolved.measured, request.skinTriangles,
                                         request.flesh.on ? Hands::Measured : Hands::Relaxed);
  if (request.flesh.on) shapes.bones = makeBoneMeshes(*model.body, true);
  return shapes;
}

}  // namespace

LivingRun::LivingRun(const LivingRequest& request, const ResolvedLiving& resolved)
    : request_(request),
      resolved_(resolved),
      simulation_(*resolved.model, resolved.settings),
      actor_(*resolved.model, shownShapes(request, resolved)) {
  actor_.showOrgans();
  if (request.flesh.on && actor_.skinMesh()) addFlesh();
  track_.emplace(actor_.layout(), kTrackSeconds);
}

void LivingRun::addFlesh() {
  const FleshRequest& request = request_.flesh;
  const body::LivingModel& model = *resolved_.model;
  const anatomy::GeometryCache cache;
  flesh_.emplace(
      model, body::makeFlesh(model, resolved_.measured, model.compiled, request.options(), cache),
      *actor_.skinMesh(), request.effects,
      skin::makeWeightsSkin(*actor_.surface(), *model.body, model.compiled, cache, {}));
  const flesh::embedded::BodyFlesh& flesh = flesh_->driver().flesh();
  if (request.muscles) {
    fleshMuscles_.emplace(
        flesh, *actor_.skinMesh(),
        body::fleshAnatomy(model, resolved_.measured, model.compiled, false, cache).muscles,
        model.compiled, actor_.figure());
    actor_.figure().setFileOpacity("skin", FleshMuscles::kSkinOver);
  }
  fleshRecord_.emplace(flesh, *model.body, *actor_.skinMesh(), cache);
  for (const body::FrameScalar& s : FleshRecord::scalars()) actor_.addScalar(s);
}

body::Frame LivingRun::capture() {
  const body::LivingWorkspace& now = simulation_.now();
  body::Frame frame = actor_.capture(simulation_.state(), now, simulation_.samples().back(),
                                     simulation_.samples().front());
  if (!flesh_) return frame;
  const int skin = actor_.layout().pointSetIndex("skin");
  const std::span<Vec3> points = frame.pointsOf(actor_.layout(), skin);
  flesh_->pose(simulation_.state(), now, points);
  fleshRecord_->add(flesh_->driver().report(), points, flesh_->bones(), frame);
  if (fleshMuscles_) {  // relaxed: what lifts the ribs is no line of these
    const std::vector<double> relaxed(resolved_.model->compiled.muscles.size(), 0);
    fleshMuscles_->capture(flesh_->driver(), points, relaxed, frame);
  }
  relaxHands(frame, points);
  return frame;
}

/// A hand is one bone, so it relaxes in that bone's frame, whatever the pose.
void LivingRun::relaxHands(const body::Frame& frame, std::span<Vec3> skin) const {
  const anatomy::RelaxedHands relaxed(*resolved_.model->body);
  const body::FrameLayout& layout = actor_.layout();
  for (const char* name : {"hand_l", "hand_r"}) {
    const auto link = std::ranges::find(layout.links, name, &body::FrameLink::name);
    if (link == layout.links.end()) continue;
    const Pose motion = frame.X_WL[static_cast<std::size_t>(link - layout.links.begin())] *
                        link->X_WL_rest.inverse();
    const Pose back = motion.inverse();
    const bool left = link->X_WL_rest.position.x() > 0;
    parallelFor(skin.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        if (actor_.skinTopology()->parts[v] == anatomy::SkinPart::Hand &&
            (actor_.skinMesh()->positions[v].x() > 0) == left)
          skin[v] = motion * relaxed(back * skin[v]);
    });
  }
}

void LivingRun::save(io::StateWriter& out) const {
  actor_.save(out);
  simulation_.save(out);
  if (!flesh_) return;
  flesh_->driver().save(out);
  fleshRecord_->save(out);
}

void LivingRun::load(io::StateReader& in) {
  actor_.load(in);
  simulation_.load(in);
  if (!flesh_) return;
  flesh_->driver().load(in);
  fleshRecord_->load(in);
}

void LivingRun::simulate(io::RunFolder& folder, Progress& progress) {
  RecordPlan plan{
      .title = "living", .seconds = resolved_.seconds, .interval = 1 / request_.framesPerSecond};
  if (flesh_) {  // a frame of flesh costs seconds
    plan.checkpointEvery = 0;
    plan.countFrames = true;
  }
  record(*this, plan, *track_, folder, progress);
  compareWithStanding();
}

void LivingRun::perform(io::RunFolder& folder, const DrawnParts& drawn, Progress& simulating,
                        Progress& drawing) {
  try {
    simulate(folder, simulating);
  } catch (const SimulationError&) {
    if (flesh_ && frames() > 0) write(folder, drawn, drawing);
    throw;
  }
  write(folder, drawn, drawing);
  folder.finish();
}

void LivingRun::simulate(Progress& progress) {
  progress.begin("living", resolved_.seconds);
  simulation_.run(resolved_.seconds, [&](double t) { progress.update(t); });
  progress.end();
  compareWithStanding();
}

/// A gait must not change how much is breathed: the same person breathes the same way standing, and
/// both are looked at through the same filter.
void LivingRun::compareWithStanding() {
  gait_ = simulation_.gait();
  if (!gait_ || !resolved_.settings.style) return;
  const body::LivingModel& m = *resolved_.model;
  body::LivingSettings standing = resolved_.settings;
  standing.motion = skeleton::makePoseTrack(
      m.tree, skeleton::makePosture(*m.body, m.compiled, m.tree, "standing"));
  body::LivingSimulation still(m, std::move(standing));
  still.run(resolved_.seconds);
  const auto breath = body::measureGait(still.samples(), 2 / gait_->stepRate, still.settledTime(),
                                        still.meanPeriod());
  if (breath) standingTidal_ = breath->tidalVolume;
}

ordered_json LivingRun::json() const {
  const breath::BreathSummary b = simulation_.summary();
  const body::Settled& s = simulation_.settled();
  ordered_json j = summaryJson(b);
  if (resolved_.settings.target) j["following_error_pct"] = 100 * simulation_.followingError();
  j["rest_volume_change_ml"] =
      (s.lungVolume - resolved_.model->cage.restLung) / kMillilitre;  // against standing
  j["settled_s"] = s.seconds;
  if (const auto error = actor_.skinVolumeError()) j["skin_volume_error_pct"] = 100 * *error;
  if (const auto swing = actor_.bellySwing(); swing && frames() > 0)
    j["muscle_swing_mm"] = *swing / kMillimetre;
  if (resolved_.cycle > 0) j["gait_cycle_s"] = resolved_.cycle;
  if (gait_) {
    j["standing_tidal_ml"] = standingTidal_ / kMillilitre;
    j["step_rate_per_s"] = gait_->stepRate;
    j["step_volume_ml"] = gait_->stepVolume / kMillilitre;
    j["step_flow_l_per_s"] = gait_->stepFlow / kLitre;
    j["step_gut_pressure_pa"] = gait_->stepGutPressure;
    j["step_belly_mm"] = gait_->stepBelly / kMillimetre;
  }
  if (flesh_) j.update(fleshRecord_->json());
  j["dofs"] = resolved_.model->tree.dofCount();
  j["simulated_s"] = simulation_.state().time();
  j["state_hash"] = simulation_.state().hash();
  j.update(layers_);
  return j;
}

std::string LivingRun::text() const {
  const breath::BreathSummary b = simulation_.summary();
  const body::Settled& s = simulation_.settled();
  std::string text = fmt::format(
      "{:.1f} s simulated, {} degrees of freedom\n"
      "lungs at rest {:+.0f} mL against standing\n",
      simulation_.state().time(), resolved_.model->tree.dofCount(),
      (s.lungVolume - resolved_.model->cage.restLung) / kMillilitre);
  if (resolved_.settings.style)
    text += fmt::format(
        "breath {:.0f} mL, {:.1f} per minute, {:.0f} % by the rib cage; dome {:.1f} mm, sternum "
        "{:.1f} mm forward and {:.1f} mm up\n",
        b.tidalVolume / kMillilitre, b.breathsPerMinute, 100 * b.ribCageShare, b.dome / kMillimetre,
        b.sternumForward / kMillimetre, b.sternumUp / kMillimetre);
  if (gait_ && standingTidal_ > 0)
    text +=
        fmt::format("the same breath standing: {:.0f} mL ({:+.1f} % by the gait)\n",
                    standingTidal_ / kMillilitre, 100 * (gait_->tidalVolume / standingTidal_ - 1));
  if (gait_)
    text += fmt::format(
        "steps, {:.2f} per second, add {:.0f} mL of lungs ({:.2f} L/s; runners 0.97 +- 0.45), "
        "{:.2f} kPa in the gut and {:.1f} mm of belly\n",
        gait_->stepRate, gait_->stepVolume / kMillilitre, gait_->stepFlow / kLitre,
        gait_->stepGutPressure / kKilopascal, gait_->stepBelly / kMillimetre);
  if (const auto swing = actor_.bellySwing(); swing && frames() > 0)
    text += fmt::format("muscles swing by up to {:.1f} mm off their lines\n", *swing / kMillimetre);
  if (flesh_) text += fleshRecord_->text();
  return text;
}

MeasuredBreath LivingRun::measured() const {
  const auto& target = resolved_.settings.target;
  return {.samples = simulation_.samples(),
          .restLung = simulation_.settled().lungVolume,
          .restGut = simulation_.settled().gutVolume,
          .target = target ? &*target : nullptr};
}

std::size_t LivingRun::fullest() const {
  const Clip clip(*track_);
  const int volume = clip.layout().scalarIndex("breath", "lung_volume");
  std::size_t best = clip.size() / 2;
  for (std::size_t k = best; k < clip.size(); ++k)
    if (clip.scalar(k, volume) > clip.scalar(best, volume)) best = k;
  return best;
}

View LivingRun::view(const Look& look, render::View from, int width, int height,
                     int samples) const {
  Look painted = look;
  if (actor_.skinTopology())
    painted.skinTexture =
        skinTexture(*actor_.skinTopology(), {.sex = resolved_.model->body->person.sex});
  return View(
      actor_.cast(), track_->at(0), std::move(painted),
      actor_.figure().standingCamera(from, static_cast<double>(width) / height, look.skin > 0),
      standingOptions(width, height, samples));
}

/// The whole body under a camera that sways slowly, and what moves in its trunk.
std::vector<FilmPanel> LivingRun::filmPanels(int width, int height) const {
  constexpr double kLargeShare = 0.645;  // of the width
  constexpr double kTrunk = 0.46;        // height of what is seen of it, of the body's
  const double sway = degreesToRadians(25);
  const bool skinned = actor_.hasSkin();
  const int large = static_cast<int>(kLargeShare * width) / 2 * 2, half = height / 2;
  const double seconds = std::max(1e-9, track_->time(track_->size() - 1) - track_->time(0));
  const auto panel = [&](const Look& look, int w, int h, CameraOf camera, int x, int y) {
    Look painted = look;
    if (actor_.skinTopology())
      painted.skinTexture =
          skinTexture(*actor_.skinTopology(), {.sex = resolved_.model->body->person.sex}, false);
    return FilmPanel{
        .view = View(actor_.cast(), track_->at(0), std::move(painted), std::move(camera),
                     standingOptions(w, h, kFilmSamples).inStudio()),
        .x = x,
        .y = y};
  };
  const breath::CarrierPair& carriers = resolved_.model->cage.carriers;
  const auto trunk = [&](render::View from, int w, int h) -> CameraOf {
    const auto& links = resolved_.model->linkIndices;
    const auto at = [&](int link) {
      return static_cast<std::size_t>(std::ranges::find(links, link) - links.begin());
    };
    return [=, chest = at(carriers.chest), pelvis = at(carriers.pelvis),
            size = kTrunk * resolved_.model->body->person.height](const body::Frame& f) {
      const Vec3 middle = 0.5 * (f.X_WL[chest].position + f.X_WL[pelvis].position);
      return render::Camera::closeUp(middle, size, from, {.aspect = static_cast<double>(w) / h});
    };
  };
  Look inside = figureLook();
  inside.organ = 0.6;
  std::vector<FilmPanel> panels;
  panels.push_back(panel(
      skinned ? skinLook() : figureLook(), large, height,
      swayingCamera(actor_.figure().standingCamera(render::View::ThreeQuarter,
                                                   static_cast<double>(large) / height, skinned),
                    sway, track_->time(0), seconds),
      0, 0));
  panels.push_back(panel(inside, width - large, half,
                         trunk(render::View::ThreeQuarter, width - large, half), large, 0));
  panels.push_back(panel(skinned ? skinLook() : inside, width - large, height - half,
                         trunk(render::View::Left, width - large, height - half), large, half));
  return panels;
}

void LivingRun::addStills(const io::RunFolder& folder, render::Report& report) const {
  const body::Frame frame = track_->at(fullest());
  const auto draw = [&](const Look& look, render::View from, const char* name,
                        const char* caption) {
    const render::Image image =
        view(look, from, kStillWidth, kStillHeight, kStillSamples).draw(frame);
    render::writePng(image, folder.file(fmt::format("{}.png", name)));
    report.picture(image, caption, name);
  };
  Look inside = figureLook();
  inside.organ = 0.6;
  if (actor_.hasSkin()) {
    draw(skinLook(), render::View::ThreeQuarter, "skin", "At the end of a breath in.");
    draw(skinLook(), render::View::Left, "skin_left", "The same from the left.");
  }
  if (fleshMuscles_) {
    draw(musclesLook(), render::View::ThreeQuarter, "muscles", "Muscles in the flesh, skin over.");
    inside.muscle = 0;
  }
  draw(inside, render::View::ThreeQuarter, "inside", "Bones, diaphragm and gut.");
  draw(inside, render::View::Left, "inside_left", "The same from the left.");
}

/// Flesh moves the skin in ways that joints and breath's targets do not: the frames themselves are
/// written, as a few morph targets and as a point cache with every vertex.
void LivingRun::writeFlesh(const io::RunFolder& folder) {
  const int skin = actor_.layout().pointSetIndex("skin");
  writeGlb(folder.file("living.glb"), actor_.cast(), Clip(*track_), {.root = "body"});
  for (const char* group : {"flesh", "girths"})
    io::writeCsv(folder.file(fmt::format("{}.csv", group)), groupTable(*track_, group));
  io::PointCacheWriter cache(folder.file("skin.pc2"), actor_.skinMesh()->vertexCount());
  for (std::size_t k = 0; k < track_->size(); ++k)
    cache.addFrame(track_->at(k).pointsOf(actor_.layout(), skin));
  cache.finish();
}

void LivingRun::writeLayers(const io::RunFolder& folder, bool asset) {
  if (flesh_) return writeFlesh(folder);
  AssetInput layers =
      makeLayers(actor_.recorded(resolved_.cycle), Clip(*track_), request_.framesPerSecond);
  writeAsset(folder.file("living.glb"), layers, openAsset());
  layers_ = layersJson(layers);
  if (!asset) return;
  const AssetReport report = writeAsset(
      folder.file("asset.glb"),
      painted(withoutShapes(std::move(layers)), actor_.recorded(resolved_.cycle)), gameAsset());
  layers_.update(assetJson(report));
}

void LivingRun::write(const io::RunFolder& folder, const DrawnParts& drawn, Progress& progress) {
  io::writeCsv(folder.file("living.csv"), measures());
  writeLayers(folder, drawn.asset);
  render::Report report("A living body", fmt::format("{:.1f} s", simulation_.state().time()));
  report.view3d(folder.file("living.glb"), "The run: turn it, play it, hide its parts.");
  if (drawn.film) {
    progress.begin("filming", 1);
    writeFilm(
        folder.file("living.mp4"), Clip(*track_), filmPanels(drawn.filmWidth, drawn.filmHeight),
        {.framesPerSecond = request_.framesPerSecond}, [&](double done) { progress.update(done); });
    progress.end();
    report.media(folder.file("living.mp4"), "The run.");
  }
  if (drawn.stills) addStills(folder, report);
  report.plot(volumePlot(measured()), "Volumes, travel and pressures, seen from the moving chest.",
              "volume");
  report.plot(ribPlot(measured()), "Rotation of the ribs over time.", "ribs");
  render::Table rows{.header = {"measure", "value"}};
  const ordered_json told = json();
  for (const auto& [key, value] : told.items())
    rows.rows.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  report.heading("Measures").table(std::move(rows));
  report.recipe(folder.description().command);
  report.writeHtml(folder.file("report.html"));
  io::writeJson(folder.file("summary.json"), told);
}

}  // namespace pneuma::stage
