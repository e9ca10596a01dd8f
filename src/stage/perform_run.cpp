#include "pneuma/stage/perform_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {
namespace {

/// How the body is held: a clip, joints, or the posture of the breath; empty for one that stands.
MotionSource motionOf(const PerformRequest& perform, const BreathRequest& breath) {
  MotionSource source{.clip = perform.motion, .joints = perform.joints, .loop = perform.loop};
  if (breath.posture != "upright" && breath.posture != "standing") source.posture = breath.posture;
  if (!perform.motion.empty() + !perform.joints.empty() + !source.posture.empty() > 1)
    throw InputError(Diagnostic{.message = "more than one of --motion, --joint and --posture",
                                .expected = "one of them"});
  if (perform.loop && perform.motion.empty())
    throw InputError(
        Diagnostic{.field = "loop", .message = "is for a clip", .expected = "--motion FILE"});
  if (breath.seconds) source.seconds = *breath.seconds;
  return source;
}

}  // namespace

std::vector<Vec3> restSkinOf(const shape::BreathModel& model, const anatomy::Body& measured,
                             const anatomy::Person& person) {
  const anatomy::SkinSurface made =
      anatomy::makeSkinSurface(anatomy::skinModelOf(measured), measured, person,
                               {.triangles = anatomy::skinTriangles(0)}, anatomy::GeometryCache());
  if (const std::string id = fmt::format("{:016x}", made.topology->id); id != model.topologyId)
    throw InputError(
        Diagnostic{.subject = "model",
                   .message = fmt::format("was learned on topology {}", model.topologyId),
                   .expected = fmt::format("{}, as this body has", id)});
  return made.mesh.positions;
}

PerformRun::PerformRun(const shape::BreathModel& model, const PerformRequest& perform,
                       const BreathRequest& breath, std::shared_ptr<const anatomy::Body> measured,
                       const anatomy::Person& person, std::optional<std::vector<Vec3>> skin,
                       bool beside, Progress& progress)
    : model_(&model) {
  const MotionSource motion = motionOf(perform, breath);
  if (beside && (motion.asked() || skin))
    throw InputError(Diagnostic{.subject = "option '--beside'",
                                .message = "the simulated torso stands and has its own skin",
                                .expected = "no pose, no motion, no --skin"});
  BreathRequest lungs = breath;
  if (motion.asked() && breath.posture != "supine") lungs.posture = "upright";
  track_ = makeBreathTrack(perform, lungs, measured, person);
  if (beside) {
    progress.begin("simulating", 1);
    simulated_ = simulateSkins(model.shape(), lungs, track_, measured, person,
                               [&](double done) { progress.update(done); });
    progress.end();
    if (!perform.type) track_.type.assign(track_.size(), simulated_->type);
  }
  std::vector<Vec3> rest = simulated_ ? simulated_->rest
                           : skin     ? std::move(*skin)
                                      : restSkinOf(model, *measured, person);
  performer_ = std::make_unique<shape::PersonBreath>(model, std::move(rest), perform.poseIntensity);
  weights_ = performWeights(*performer_, track_);
  if (simulated_) errors_ = compareSkins(model.shape(), *performer_, track_, weights_, *simulated_);
  if (motion.asked())
    posed_ = std::make_unique<PosedPerformance>(model, *performer_, *measured, person, motion,
                                                track_.framesPerSecond);
}

std::vector<Vec3> PerformRun::skin(std::size_t frame) const {
  if (posed_) return posed_->skin(frame, weights_[frame]);
  std::vector<Vec3> x(performer_->rest().size());
  performer_->apply(weights_[frame], x);
  return x;
}

io::Table PerformRun::table() const {
  io::Table table = performTable(*model_, *performer_, track_, weights_);
  if (!errors_) return table;
  io::Table more;
  for (const io::TableColumn& c : table.columns()) more.addColumn(c.name, c.unit);
  more.addColumn("simulated_volume", "mL");
  more.addColumn("difference", "mm");
  for (std::size_t k = 0; k < track_.size(); ++k) {
    std::vector<double> row;
    for (const io::TableColumn& c : table.columns()) row.push_back(c.values[k]);
    row.push_back(simulated_->volume[k] / kMillilitre);
    row.push_back(errors_->frames[k] / kMillimetre);
    more.appendRow(row);
  }
  return more;
}

void PerformRun::write(const std::filesystem::path& folder, bool film, Progress& progress) const {
  io::writeCsv(folder / "perform.csv", table());
  io::writeGlb(folder / "perform.glb", posed_
                                           ? posed_->scene(track_, weights_)
                                           : performScene(*model_, *performer_, track_, weights_));
  if (!film) return;
  PerformFilm shown{.skins = {{"learned", [this](std::size_t k) { return skin(k); }}},
                    .whole = posed_ != nullptr};
  if (simulated_) {
    shown.skins.insert(shown.skins.begin(),
                       {"simulated", [this](std::size_t k) { return simulated_->frames[k]; }});
    shown.caption = [this](std::size_t k) {
      return std::pair{
          fmt::format("lungs {:+.2f} L", track_.volume[k] / kLitre),
          fmt::format("left of each pair: simulated; right: learned; {:.1f} mm apart on the trunk",
                      errors_->frames[k] / kMillimetre)};
    };
  }
  progress.begin("drawing", 1);
  writePerformFilm(folder / "perform.mp4", *model_, track_, shown,
                   [&](double done) { progress.update(done); });
  progress.end();
}

nlohmann::ordered_json PerformRun::json() const {
  nlohmann::ordered_json j{
      {"frames", track_.size()},
      {"seconds", track_.time(track_.size() - 1)},
      {"volume_error_pct", 100 * volumeError(performTable(*model_, *performer_, track_, weights_))},
      {"components", performer_->componentCount()}};
  if (errors_) {
    j["type"] = track_.type.front();
    j["difference_rms_mm"] = errors_->all.rms / kMillimetre;
    j["difference_p99_mm"] = errors_->all.p99 / kMillimetre;
    j["breath_rms_mm"] = errors_->breath.rms / kMillimetre;
    j["simulated_volume_error_pct"] = 100 * errors_->volume;
  }
  return j;
}

std::string PerformRun::text() const {
  const nlohmann::ordered_json j = json();
  std::string text = fmt::format(
      "{} frames, {} components; the mesh's volume follows the lungs' within {:.2f} %\n",
      track_.size(), performer_->componentCount(), j["volume_error_pct"].get<double>());
  if (errors_)
    text += fmt::format(
        "beside the simulated torso: {:.2f} mm rms apart on the trunk, 99 % within {:.2f} mm; the "
        "breath itself moves it by {:.2f} mm rms;\nshare of the chest {:.2f}; the torso's lungs "
        "follow within {:.1f} %\n",
        errors_->all.rms / kMillimetre, errors_->all.p99 / kMillimetre,
        errors_->breath.rms / kMillimetre, track_.type.front(), 100 * errors_->volume);
  return text;
}

}  // namespace pneuma::stage
