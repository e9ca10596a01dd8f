#include "pneuma/stage/flesh_poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/render/image.h"
#include "pneuma/stage/glb.h"
#include "pneuma/stage/palette.h"
#include "pneuma/stage/tables.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {
namespace {

using nlohmann::ordered_json;

constexpr int kSamples = 16;
constexpr double kShownStrain = 50, kShownDisplacement = 40;  // at the end of the scale [%, mm]
constexpr const char* kActivationOption = "option '--activation'";

/// What a pose has moved, and some room around it: what a picture of it shows.
Box movedBox(std::span<const Vec3> rest, std::span<const Vec3> now) {
  constexpr double kMoved = 0.02, kRoom = 0.06;  // [m]
  Box box;
  for (std::size_t v = 0; v < rest.size(); ++v)
    if ((now[v] - rest[v]).norm() > kMoved) box.add(now[v]);
  if (box.empty()) box = boundingBox(now);
  box.min -= Vec3::Constant(kRoom), box.max += Vec3::Constant(kRoom);
  return box;
}

/// The larger principal stretch of a triangle against its rest, less 1.
double largestStrain(std::span<const Vec3> rest, std::span<const Vec3> now, const Triangle& t) {
  const auto edges = [&](std::span<const Vec3> x) {
    Eigen::Matrix<double, 3, 2> e;
    e.col(0) = x[at(t[1])] - x[at(t[0])];
    e.col(1) = x[at(t[2])] - x[at(t[0])];
    return e;
  };
  const auto before = edges(rest), after = edges(now);
  // lambda^2 are the eigenvalues of (E^T E)^-1 e^T e.
  const Eigen::Matrix2d c = (before.transpose() * before).inverse() * (after.transpose() * after);
  const double half = 0.5 * c.trace();
  return std::sqrt(half + std::sqrt(std::max(0.0, half * half - c.determinant()))) - 1;
}

/// A cut through the middle of what a picture shows.
std::optional<render::CutPlane> cutThrough(const std::string& side, const Box& box) {
  if (side.empty()) return {};
  Vec3 normal = Vec3::Unit(side.back() - 'x');
  if (side.front() == '-') normal = -normal;
  return render::CutPlane{box.center(), normal};
}

}  // namespace

std::vector<double> activationsOf(const std::vector<std::string>& texts,
                                  const anatomy::CompiledBody& lines) {
  std::vector<MuscleLevel> levels;
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const char* end = text.data() + text.size();
    double level = -1;
    if (equals < text.size())
      if (const auto read = std::from_chars(text.data() + equals + 1, end, level); read.ptr != end)
        level = -1;
    if (!(level >= 0 && level <= 1))
      throw InputError(Diagnostic{.subject = kActivationOption,
                                  .message = fmt::format("'{}' is not understood", text),
                                  .expected = "NAME=LEVEL, a level from 0 to 1"});
    levels.push_back({text.substr(0, equals), level});
  }
  return activationsOf(levels, lines, kActivationOption);
}

namespace {

/// What may be wrong with a request is found before its flesh is made, which takes minutes.
std::vector<double> checkedActivations(const FleshPosesRequest& request,
                                       const anatomy::Body& body) {
  for (const std::string& view : request.views) render::viewFromName(view);
  return activationsOf(request.activations, PosedFlesh::linesOf(body));
}

}  // namespace

FleshPoses::FleshPoses(const anatomy::Body& measured, const anatomy::Person& person,
                       const MotionSource& motion, const FleshPosesRequest& request)
    : request_(request),
      measured_(measured),
      motion_(makePlayedMotion(motion, measured, person, SkinRig::kArticulation,
                               request.framesPerSecond)),
      activations_(checkedActivations(request, motion_.body)),
      flesh_(measured, motion_.body, motion_.compiled, motion_.model, request.flesh,
             request.skinTriangles) {
  track_.emplace(flesh_.actor().layout());
}

void FleshPoses::advance(double time) {
  while (frame_ + 1 < motion_.times.size() && motion_.times[frame_] < time - 1e-9) ++frame_;
}

body::Frame FleshPoses::capture() {
  return flesh_.capture(motion_.times[frame_], motion_.q[frame_], activations_);
}

void FleshPoses::solve(io::RunFolder& folder, Progress& progress) {
  record(*this,
         {.title = "flesh",
          .seconds = motion_.times.back(),
          .interval = 1 / motion_.framesPerSecond,
          .checkpointEvery = 0,
          .countFrames = true},
         *track_, folder, progress);
}

void FleshPoses::solve(Progress& progress) {
  progress.begin("flesh", static_cast<double>(motion_.times.size()));
  for (const double t : motion_.times) {
    advance(t);
    track_->add(capture());
    progress.update(static_cast<double>(track_->size()));
  }
  progress.end();
}

std::string FleshPoses::hash() const {
  return motionHash(motion_);
}

ordered_json FleshPoses::json() const {
  ordered_json j = flesh_.record().json();
  for (std::size_t k = 0; k < track_->size(); ++k) {
    ordered_json row{{"time_s", track_->time(k)}};
    row.update(flesh_.numbers(track_->at(k)));
    j["poses"].push_back(std::move(row));
  }
  return j;
}

/// Behind a row whose contact was not settled (skin::FleshContact).
constexpr std::array<const char*, 3> kContactNotes{"", "  contact of an earlier round",
                                                   "  contact left out of a part of the way"};

std::string FleshPoses::text() const {
  const body::FrameLayout& layout = track_->layout();
  std::string text =
      fmt::format("{:>6}{:>9}{:>9}{:>10}{:>10}{:>9}{:>10}{:>9}{:>8}{:>9}{:>9}{:>8}{:>8}\n",
                  "time s", "inverted", "least J", "flesh %", "muscle %", "gap mm", "worst mm",
                  "bone mm", "crease", "contacts", "overlap", "Newton", "CPU s");
  for (std::size_t k = 0; k < track_->size(); ++k) {
    const auto value = [&](const char* name) {
      return track_->scalar(k, layout.scalarIndex("flesh", name));
    };
    text += fmt::format(
        "{:>6.2f}{:>9.0f}{:>9.2f}{:>+10.3f}{:>+10.2f}{:>9.2f}{:>10.1f}{:>9.1f}{:>8.2f}{:>9.0f}"
        "{:>9.1f}{:>8.0f}{:>8.1f}{}\n",
        track_->time(k), value("inverted"), value("least_j"), value("volume"),
        value("worst_muscle"), value("mean_gap"), value("worst_gap"), value("bone_depth"),
        value("crease"), value("contacts"), value("overlap"), value("newton"), value("cpu"),
        kContactNotes.at(std::size_t(value("contact_given_up"))));
  }
  return text + flesh_.record().text();
}

std::vector<double> FleshPoses::skinScalars(std::span<const Vec3> shown, std::span<const Vec3> rest,
                                            std::span<const Triangle> triangles,
                                            const SkinRig& rig) const {
  std::vector<double> values(shown.size(), 0);
  if (request_.color == "displacement") {
    const std::vector<Vec3> plain = rig.plain(motion_.q[track_->size() - 1], rest);
    for (std::size_t v = 0; v < values.size(); ++v)
      values[v] = (shown[v] - plain[v]).norm() / kMillimetre;
    return values;
  }
  std::vector<double> around(shown.size(), 0);
  for (const Triangle& t : triangles) {
    const double strain = 100 * largestStrain(rest, shown, t);
    for (const std::int32_t v : t) values[at(v)] += strain, around[at(v)] += 1;
  }
  for (std::size_t v = 0; v < values.size(); ++v) values[v] /= std::max(1.0, around[v]);
  return values;
}

/// The last pose from all sides, what it has moved in the middle. With `beside` the first side
/// shows contours and linear blend skinning too; with muscles a second row shows them through the
/// skin.
render::Image FleshPoses::picture() const {
  const body::FrameLayout& layout = flesh_.actor().layout();
  const int set = layout.pointSetIndex("skin");
  const std::size_t last = track_->size() - 1;
  const body::Frame frame = track_->at(last);
  const std::span<const Vec3> shown = frame.pointsOf(layout, set);
  const std::vector<Triangle>& triangles =
      layout.pointSets[static_cast<std::size_t>(set)].triangles;
  SkinRig rig(measured_, motion_.body.person, request_.skinTriangles);
  std::vector<Vec3> rest = rig.rest();
  for (std::size_t v = 0; v < rest.size(); ++v)
    if (rig.surface().parts[v] == anatomy::SkinPart::Hand) rest[v] = flesh_.hands()(rest[v]);
  const Box box = movedBox(rest, shown);
  render::RenderOptions options;
  options.width = request_.tileWidth, options.height = request_.tileHeight;
  options.samples = kSamples;
  options.ground = false;
  const double aspect = static_cast<double>(options.width) / options.height;
  options.cut = cutThrough(request_.cut, box);
  render::ColorScale scale;
  std::vector<double> scalars;
  if (!request_.color.empty()) {
    const bool strain = request_.color == "strain";
    scalars = skinScalars(shown, rest, triangles, rig);
    scale = {strain ? render::ColorMap::Diverging : render::ColorMap::Sequential,
             strain ? -kShownStrain : 0, strain ? kShownStrain : kShownDisplacement,
             strain ? "largest strain [%]" : "from linear blend [mm]"};
  }
  std::vector<render::Tile> tiles;
  const auto draw = [&](std::span<const Vec3> skin, const std::string& view,
                        const std::string& by) {
    render::Scene scene;
    const std::size_t k =
        scene.add({{skin.begin(), skin.end()}, triangles}, render::materials::plain(), "skin");
    if (skin.data() == shown.data() && !scalars.empty())
      scene.surfaces[k].scalars = scalars, scene.surfaces[k].scale = scale;
    const render::Camera camera =
        render::Camera::frame(box, render::viewFromName(view), {.aspect = aspect});
    tiles.push_back(
        {render::render(scene, camera, options.inStudio()), fmt::format("{}, {}", by, view)});
  };
  for (const std::string& view : request_.views) {
    draw(shown, view, "flesh");
    if (!request_.beside || &view != &request_.views.front()) continue;
    draw(rig.contoured(motion_.q[last]), view, "contours");
    draw(rig.plain(motion_.q[last], rest), view, "linear blend");
  }
  const int columns = static_cast<int>(tiles.size());
  if (request_.flesh.muscles)
    for (const std::string& view : request_.views) {
      const render::Camera camera =
          render::Camera::frame(box, render::viewFromName(view), {.aspect = aspect});
      View inside(
          flesh_.actor().cast(), frame, musclesLook(),
          [camera](const body::Frame&) { return camera; }, options.inStudio());
      tiles.push_back({inside.draw(frame), fmt::format("muscles, {}", view)});
    }
  return render::tile(tiles, columns);
}

void FleshPoses::write(const io::RunFolder& folder, bool pictures, Progress& progress) const {
  writeTables(*track_, [&](std::string_view name) { return folder.file(name); });
  writeGlb(folder.file("pose.glb"), flesh_.actor().cast(), Clip(*track_), {.root = "body"});
  io::writeJson(folder.file("summary.json"), json());
  if (!pictures) return;
  progress.begin("drawing", 1);
  render::writePng(picture(), folder.file("pose.png"));
  progress.end();
}

}  // namespace pneuma::stage
