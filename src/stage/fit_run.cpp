#include "pneuma/stage/fit_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/growth.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/fit/armature.h"
#include "pneuma/fit/unlikely.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/table.h"
#include "pneuma/render/report.h"
#include "pneuma/stage/units.h"
#include "stage/fit_film.h"
#include "stage/fit_pictures.h"

namespace pneuma::stage {
namespace {

using nlohmann::ordered_json;

constexpr double kSimulatedBreaths = 4;            // simulated; the first settles
constexpr std::uintmax_t kLargestView = 12 << 20;  // of a file that the report carries [bytes]

fit::FitRequest requestOf(const FitOptions& o) {
  fit::FitRequest r;
  if (!o.sex.empty()) r.sex = o.sex == "female" ? anatomy::Sex::Female : anatomy::Sex::Male;
  r.height = o.height;
  r.mass = o.mass;
  r.age = o.age;
  if (!o.landmarks.empty()) r.landmarks = readLandmarks(o.landmarks);
  return r;
}

ordered_json distancesJson(const shape::SurfaceDistances& d) {
  return {{"mean_mm", d.mean / kMillimetre},
          {"p95_mm", d.p95 / kMillimetre},
          {"p99_mm", d.p99 / kMillimetre},
          {"max_mm", d.max / kMillimetre}};
}

const char* nameOf(anatomy::Sex sex) {
  return sex == anatomy::Sex::Female ? "female" : "male";
}

}  // namespace

FitRun::FitRun(const std::filesystem::path& file, const FitOptions& options,
               const anatomy::Body& measured)
    : options_(options), measured_(measured) {
  requireSettings(options);
  character_ = fit::readCharacter(file, {.bodyPiece = options.piece});
}

FitRun::~FitRun() = default;

/// What is wrong with a shape is said with the file it came from.
void FitRun::fit(Progress& progress) try {
  fit::FitRequest request = requestOf(options_);
  addArmature(request);
  request.registered = former_.skin;
  progress.begin("fitting", 1);
  request.progress = [&](double share, const char*) { progress.update(share); };
  const anatomy::GeometryCache cache;
  figure_ = fit::fitFigure(character_.body, measured_, request, cache);
  figure_.report.notes.insert(figure_.report.notes.begin(), character_.notes.begin(),
                              character_.notes.end());
  const std::string file = character_.file.filename().string();
  const TriangleMesh surface{figure_.frame.toBody(character_.body.positions),
                             character_.body.triangles};
  inside_ = fit::fitBones(*figure_.figure, figure_, surface, cache);
  for (std::string& warning : fit::unlikelyOf(figure_, inside_))
    figure_.report.warnings.push_back(std::move(warning));
  if (!inside_.hands[0] || !inside_.hands[1])
    figure_.report.notes.push_back(
        "a hand shows other than five fingers: its bones follow the palm in one piece");
  slimmed_ = fit::slimmedBones(*figure_.figure, inside_, cache);
  outside_ = fit::bonesOutside(*figure_.figure, inside_, surface, figure_.skin.mesh, cache);
  tissue_ = fit::softTissue(figure_, inside_, cache);
  body_ = anatomy::withFit(measured_, fit::fittedShapesOf(figure_, inside_, file));
  body_.person = figure_.person;
  body_.name = character_.file.stem().string();
  body_.description = fmt::format("Fitted to {}", file);
  judgeLungs();
  progress.end();
} catch (const InputError& e) {
  std::vector<Diagnostic> findings = e.diagnostics();
  for (Diagnostic& d : findings)
    if (d.where.file.empty()) d.where.file = character_.file.string();
  throw InputError(std::move(findings));
}

/// What the user says of a joint counts before what the armature shows.
void FitRun::addArmature(fit::FitRequest& request) const {
  for (fit::Landmark& joint : fit::armatureJoints(character_.joints))
    if (std::ranges::find(request.landmarks, joint.name, &fit::Landmark::name) ==
        request.landmarks.end())
      request.landmarks.push_back(std::move(joint));
}

void FitRun::judgeLungs() {
  lungs_ = fit::fittedLungs(anatomy::fitToPerson(body_, body_.person));
  if (std::abs(lungs_.score) <= fit::kUsualScore) return;
  figure_.report.warnings.push_back(fmt::format(
      "its chest holds {:.1f} l of air at rest, {} than 95 % of people of its sex, "
      "height, mass and age ({:.1f} l)",
      lungs_.residual / kLitre, lungs_.score > 0 ? "more" : "less", lungs_.predicted / kLitre));
}

/// The fitted body stands and breathes; what is recorded is the skin's shape at rest without
/// posture, which the registered skin takes over vertex by vertex.
void FitRun::breathe(Progress& progress) {
  LivingRequest living{.breath = options_.breath, .rate = options_.rate};
  living.effort = options_.depth;
  living.framesPerSecond = options_.framesPerSecond;
  living.skinTriangles = anatomy::skinTriangles(0);
  take_ = std::make_unique<internal::FitTake>(resolve(living, MotionSource{}, body_, body_.person),
                                              living.skinTriangles);
  LivingActor& actor = take_->actor;
  if (former_.frames.empty())
    simulate(progress);
  else
    takeFormer();
  // From the track on, so that a run taken up again sees the same points (floats) as a whole one.
  const RecordedBody recorded = actor.recorded();
  std::vector<std::vector<Vec3>> shapes;
  for (std::size_t k = 0; k < take_->frames.size(); ++k)
    shapes.push_back(recorded.restSkin(take_->frames.at(k)));
  std::vector<BreathRegion> regions;
  for (const anatomy::SkinPart part : figure_.skin.parts)
    regions.push_back(breathRegion(anatomy::name(part)));
  const std::span<const double> share = recorded.driver->breath()->chestShare();
  breath_ = FittedBreath{makeBreathLoop({.times = take_->frames.times(),
                                         .lungVolumes = take_->lungVolumes,
                                         .frames = shapes,
                                         .triangles = figure_.skin.mesh.triangles,
                                         .regions = regions,
                                         .chestShare = share.first(regions.size())},
                                        {.framesPerSecond = living.framesPerSecond}),
                         take_->tidalVolume, take_->ratePerMinute};
}

void FitRun::simulate(Progress& progress) {
  body::LivingSimulation simulation(*take_->resolved.model, take_->resolved.settings);
  const double seconds = kSimulatedBreaths * std::max(simulation.meanPeriod(), 1.0);
  const double rate = options_.framesPerSecond;
  const auto frames = static_cast<int>(std::floor(seconds * rate));
  progress.begin("breathing", seconds);
  for (int k = 0; k <= frames; ++k) {
    simulation.run(k / rate);
    take_->frames.add(take_->actor.capture(simulation.state(), simulation.now(),
                                           simulation.samples().back(),
                                           simulation.samples().front()));
    take_->lungVolumes.push_back(simulation.samples().back().lungVolume);
    progress.update(simulation.state().time());
  }
  progress.end();
  const breath::BreathSummary summary = simulation.summary();
  take_->tidalVolume = summary.tidalVolume;
  take_->ratePerMinute = summary.breathsPerMinute;
}

std::string FitRun::inputHash() const {
  Hash64 hash;
  const auto add = [&](const std::string& name, const Vec3& place) {
    hash.text(name).bytes(place.data(), 3 * sizeof(double));
  };
  for (const Vec3& p : character_.surface.positions) hash.bytes(p.data(), 3 * sizeof(double));
  for (const auto& t : character_.surface.triangles) hash.value(t);
  for (const io::GltfJoint& j : character_.joints) add(j.name, j.position);
  for (const fit::Landmark& l : requestOf(options_).landmarks) add(l.name, l.place);
  return hash.hex();
}

void FitRun::save(io::StateWriter& out) const {
  out.put(figure_.skin.mesh.positions);
  out.put(std::uint8_t{take_ != nullptr});
  if (!take_) return;
  io::StateWriter frames;
  take_->frames.save(frames);
  out.put(frames.bytes());
  out.put(take_->lungVolumes);
  out.put(take_->tidalVolume);
  out.put(take_->ratePerMinute);
}

void FitRun::load(io::StateReader& in) {
  in.get(former_.skin);
  if (in.get<std::uint8_t>() == 0) return;
  in.get(former_.frames);
  in.get(former_.lungVolumes);
  in.get(former_.tidalVolume);
  in.get(former_.ratePerMinute);
}

void FitRun::takeFormer() {
  io::StateReader frames(former_.frames);
  take_->frames.load(frames);
  take_->lungVolumes = former_.lungVolumes;
  take_->tidalVolume = former_.tidalVolume;
  take_->ratePerMinute = former_.ratePerMinute;
}

/// The character with its breath: files, and what of it is to be looked at.
void FitRun::giveBack(const std::filesystem::path& folder, const DrawnParts& drawn,
                      render::Report& report, Progress& progress) {
  const fit::BreathTransfer transfer(character_, figure_.frame, figure_.skin);
  transfer_ = transfer.report();
  const BreathLoop& loop = breath_->loop;
  files_ = fit::writeBreathingCharacter(folder, character_, figure_.frame, transfer,
                                        {loop.targets, loop.times, loop.weights},
                                        {.framesPerSecond = options_.framesPerSecond});
  for (const std::filesystem::path& f : files_->files)
    if (f.extension() == ".glb" && std::filesystem::file_size(f) < kLargestView) {
      report.view3d(f, "The character, breathing: turn it, play it, hide its parts.");
      break;
    }
  progress.update(0.2);
  if (!drawn.stills) return;
  std::vector<std::vector<Vec3>> offsets;
  for (const io::MorphTarget& t : loop.targets) {
    std::vector<Vec3>& moved = offsets.emplace_back(transfer.apply(t.offsets));
    for (Vec3& d : moved) d = figure_.frame.scale * (figure_.frame.rotation * d);
  }
  const internal::BreathingSurface surface(
      {figure_.frame.toBody(character_.surface.positions), character_.surface.triangles},
      std::move(offsets), loop);
  if (drawn.film) {
    internal::writeFitFilm(folder / "breath.mp4", surface, *take_, loop, figure_,
                           [&](double done) { progress.update(0.2 + 0.4 * done); });
    report.media(folder / "breath.mp4",
                 "One breath of the character, and of the bones and organs inside in our pose.");
  }
  internal::addBeforeAfter(report, folder, surface, figure_.pose.joints);
}

/// The lungs are the fitted body's at rest, which stands on the floor of our pose: its cage lies as
/// much higher and farther forward there as the body file says.
void FitRun::drawInside(const std::filesystem::path& folder, render::Report& report,
                        Progress& progress) {
  std::optional<body::LivingModel> own;  // a run that only fits has none yet
  if (!take_)
    own = body::makeLivingModel(
        std::make_shared<const anatomy::Body>(anatomy::fitToPerson(body_, body_.person)));
  const body::LivingModel& model = take_ ? *take_->resolved.model : *own;
  const anatomy::TrunkRow atRest = anatomy::fittedShapes(body_)->cage;
  const Vec3 shift(0, atRest.rise - inside_.cage.rise, atRest.forward - inside_.cage.forward);
  internal::addFitPictures(
      report, folder, {figure_.frame.toBody(character_.body.positions), character_.body.triangles},
      figure_, inside_, model.cage, shift, [&](double done) { progress.update(0.6 + 0.4 * done); });
}

void FitRun::write(const std::filesystem::path& folder, const DrawnParts& drawn,
                   Progress& progress) {
  const std::string name = character_.file.stem().string();
  render::Report report(name, "A character with our anatomy inside");
  progress.begin("writing", 1);
  io::writeFile(folder / (name + ".toml"), anatomy::fittedBodyText(body_));
  if (breath_) giveBack(folder, drawn, report, progress);
  progress.update(0.6);
  if (drawn.stills) drawInside(folder, report, progress);
  internal::addSoftTissue(report, folder, figure_, tissue_, drawn.stills);
  render::Table rows{.header = {"measure", "value"}};
  const ordered_json measured = json();
  for (const auto& [key, value] : measured.items())
    rows.rows.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  report.heading("Measures").table(std::move(rows));
  if (!figure_.report.warnings.empty()) report.heading("Warnings").list(figure_.report.warnings);
  if (!figure_.report.notes.empty()) report.heading("Notes").list(figure_.report.notes);
  report.heading("Bones").table(internal::boneTable(inside_, outside_, slimmed_));
  report.recipe(drawn.command);
  report.writeHtml(folder / "report.html");
  io::writeJson(folder / "summary.json", measured);
  progress.end();
}

// Guessed and given numbers stand side by side with what a person of that sex and size would have,
// so that a bad guess shows.
ordered_json FitRun::json() const {
  const fit::FitReport& r = figure_.report;
  const anatomy::LungVolumes lungs = anatomy::lungVolumes(figure_.person);
  ordered_json j;
  j["sex"] = nameOf(figure_.person.sex);
  j["sex_confidence"] = r.sexConfidence;
  j["height_m"] = figure_.person.height;
  j["mass_kg"] = figure_.person.mass;
  j["volume_l"] = r.volume / kLitre;
  j["unit"] = r.unit;
  j["asymmetry"] = r.asymmetry;
  j["trunk"] = distancesJson(r.trunk);
  j["skin"] = distancesJson(r.skin);
  j["character"] = distancesJson(r.character);
  j["cage_volume_ratio"] = inside_.cageVolume;
  const fit::BoneOutside outside = fit::summed(outside_);
  j["bone_vertices"] = outside.vertices;
  j["bone_vertices_outside"] = outside.outside;
  const fit::BoneOutside hands = fit::summed(outside_, fit::isOfHand);
  j["hand_bone_vertices"] = hands.vertices;
  j["hand_bone_vertices_outside"] = hands.outside;
  j["bone_outside_worst_mm"] = outside.worst / kMillimetre;
  j["bone_outside_worst"] = outside.bone;
  for (const fit::SlimmedBone& b : slimmed_)
    j["bones_slimmed"][b.bone] = {{"thinnest", b.thinnest}, {"moved_mm", b.moved / kMillimetre}};
  for (const fit::SoftTissueRow& row : tissue_.parts)
    j["soft_tissue_mm"][std::string(anatomy::name(row.part))] = row.median / kMillimetre;
  j["frc_l"] = lungs_.residual / kLitre;
  j["frc_predicted_l"] = lungs_.predicted / kLitre;
  j["frc_z"] = lungs_.score;
  j["tlc_predicted_l"] = lungs.total / kLitre;
  if (breath_) {
    j["tidal_ml"] = breath_->tidalVolume / kMillilitre;
    j["rate_per_min"] = breath_->ratePerMinute;
    j["targets"] = breath_->loop.targetCount();
    j["loop_s"] = breath_->loop.times.back();
  }
  if (files_) {
    j["largest_offset_mm"] = files_->largestOffset / kMillimetre;
    j["seam_mm"] = files_->seam / kMillimetre;
    for (const std::filesystem::path& f : files_->files)
      j["files"].push_back(f.filename().string());
  }
  j["warnings"] = r.warnings;
  return j;
}

std::string FitRun::text() const {
  const fit::FitReport& r = figure_.report;
  std::string text = fmt::format(
      "{} of {:.2f} m and {:.1f} kg{} ({:.1f} l, file in {})\n"
      "our skin on the character: mean {:.2f} mm, 99 % within {:.1f} mm outside hands and head\n",
      anatomy::wordFor(figure_.person.sex, figure_.person.age), figure_.person.height,
      figure_.person.mass,
      r.sexGiven ? "" : fmt::format(", sex guessed ({:.0f} % sure)", 100 * r.sexConfidence),
      r.volume / kLitre, r.unit, r.skin.mean / kMillimetre, r.skin.p99 / kMillimetre);
  text += fmt::format("lungs {:.1f} l at rest, predicted {:.1f} (z {:+.1f})\n",
                      lungs_.residual / kLitre, lungs_.predicted / kLitre, lungs_.score);
  if (breath_)
    text += fmt::format("breath {:.0f} mL, {:.1f} per minute, {} targets\n",
                        breath_->tidalVolume / kMillilitre, breath_->ratePerMinute,
                        breath_->loop.targetCount());
  for (const std::string& w : r.warnings) text += "warning: " + w + "\n";
  return text;
}

}  // namespace pneuma::stage
