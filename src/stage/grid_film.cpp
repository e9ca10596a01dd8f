#include "pneuma/stage/grid_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/flesh/grid_presets.h"
#include "pneuma/stage/glb.h"
#include "pneuma/stage/palette.h"
#include "pneuma/stage/tables.h"
#include "stage/picture_sizes.h"

namespace pneuma::stage {
namespace {

using flesh::GridEnd;

constexpr double kTendon = 0.7e-3, kCompanionTendon = 2.5e-3;  // radii [m]
constexpr const char* kGroup = "muscle";

Vec3 planeMiddle(const flesh::GridModel& model, const VecX& q, GridEnd end) {
  Vec3 sum = Vec3::Zero();
  for (const auto& [id, share] : flesh::endNodes(model.solid, end))
    sum += share * Vec3(q.segment<3>(3 * id));
  return sum;
}

/// What is recorded of a frame, in the order of GridFilm::record.
void addScalars(body::FrameLayout& layout) {
  const auto add = [&](const char* name, const char* unit, const char* meaning = "") {
    layout.addScalar({kGroup, name, unit, meaning});
  };
  add("length", "m", "between the middles of the end planes");
  add("fibre_length", "optimal");
  add("force_first", "N", "at the first end");
  add("force_last", "N", "at the last end");
  add("excitation", "");
  add("activation", "");
  add("volume", "m^3");
  add("volume_deviation", "%", "from rest");
  add("sum_dv", "m^3", "sum of the cells' volumes by forward differences");
  add("sum_dv_deviation", "%", "from rest");
  for (const char* name : {"kinetic_energy", "elastic_energy", "volume_energy", "gravity_energy",
                           "fibre_energy", "tendon_energy", "total_energy"})
    add(name, "J");
  add("iterations", "", "of Newton's method");
}

/// Lines of two points each.
LinePart pairs(const body::FrameLayout& layout, int set, double radius) {
  const SoftPart points = softPart(layout, set);
  LinePart part{.name = points.name,
                .tissue = body::Tissue::Tendon,
                .radius = radius,
                .inFiles = false,
                .positions = points.positions};
  const std::size_t count = layout.pointSets[static_cast<std::size_t>(set)].count;
  for (std::size_t i = 0; i <= count; i += 2) part.begin.push_back(static_cast<std::int32_t>(i));
  return part;
}

}  // namespace

GridFilm::GridFilm(const flesh::GridModel& model, double framesPerSecond,
                   std::vector<FilmPart> parts)
    : model_(model), skin_(model.solid.size, kRefine), framesPerSecond_(framesPerSecond) {
  const VecX rest = flesh::toVector(model.solid.rest);
  restVolume_ = flesh::totalVolume(model.solid, rest);
  restSum_ = flesh::sumOfForwardVolumes(model.solid.size, rest);
  body::FrameLayout layout;
  addParts(std::move(parts), layout);
  const bool active = !model.fibres.empty();
  const int muscle =
      layout.addPointSet({.name = "muscle",
                          .count = skin_.positions(rest).size(),
                          .tissue = active ? body::Tissue::Muscle : body::Tissue::Organ,
                          .triangles = skin_.triangles()});
  const int tendons = layout.addPointSet(
      {.name = "tendons", .count = 2 * model.tendons.size(), .tissue = body::Tissue::Tendon});
  addScalars(layout);
  cast_.soft.push_back(softPart(layout, muscle));
  if (active)
    cast_.soft.back().activation =
        [i = layout.scalarIndex(kGroup, "activation")](const body::Frame& f) {
          return f.scalars[static_cast<std::size_t>(i)];
        };
  cast_.lines.push_back(pairs(layout, tendons, kTendon));
  track_.emplace(std::move(layout));
}

/// A link for each anchor and place beside it.
void GridFilm::addParts(std::vector<FilmPart> parts, body::FrameLayout& layout) {
  for (FilmPart& part : parts) {
    RigidPart rigid{.name = part.name, .mesh = std::move(part.mesh), .framed = part.framed};
    if (part.anchor < 0) {
      for (Vec3& p : rigid.mesh.positions) p += part.shift;
    } else {
      const auto same = [&](const AnchorLink& l) {
        return l.anchor == part.anchor && l.shift == part.shift;
      };
      const auto at = std::ranges::find_if(links_, same);
      rigid.link = static_cast<int>(at - links_.begin());
      if (at == links_.end()) {
        links_.push_back({part.anchor, part.shift});
        layout.addLink({.name = fmt::format("anchor_{}{}", part.anchor,
                                            part.shift.isZero() ? "" : "_beside")});
      }
    }
    cast_.rigid.push_back(std::move(rigid));
  }
}

// Forces are read at both ends: that they differ by inertia and weight alone is a check that costs
// nothing.
void GridFilm::record(const flesh::GridState& s, int iterations) {
  const double volume = flesh::totalVolume(model_.solid, s.q);
  const double sum = flesh::sumOfForwardVolumes(model_.solid.size, s.q);
  const flesh::GridModelEnergy energy = flesh::computeModelEnergy(model_, s.time, s.q, s.v);
  const Vec3 first = planeMiddle(model_, s.q, GridEnd::First),
             last = planeMiddle(model_, s.q, GridEnd::Last);
  body::Frame frame;
  frame.time = s.time;
  frame.scalars = {(last - first).norm(),
                   flesh::normalisedFibreLength(model_, s.q),
                   flesh::endForce(model_, GridEnd::First, s.time, s.q, s.v).norm(),
                   flesh::endForce(model_, GridEnd::Last, s.time, s.q, s.v).norm(),
                   model_.activation.excitationAt(s.time),
                   model_.activation.at(s.time),
                   volume,
                   restVolume_ > 0 ? 100 * (volume / restVolume_ - 1) : 0,
                   sum,
                   restSum_ > 0 ? 100 * (sum / restSum_ - 1) : 0,
                   energy.kinetic,
                   energy.solid.metric + energy.solid.bending,
                   energy.solid.volume,
                   energy.gravity,
                   energy.passiveFibre,
                   energy.tendon,
                   energy.total(),
                   static_cast<double>(iterations)};
  for (const AnchorLink& link : links_) {
    Pose pose = model_.anchors[static_cast<std::size_t>(link.anchor)](s.time);
    pose.position += link.shift;
    frame.X_WL.push_back(pose);
  }
  frame.points = skin_.positions(s.q);
  for (const flesh::GridTendon& t : model_.tendons) {
    frame.points.push_back(s.q.segment<3>(3 * t.node));
    frame.points.push_back(model_.anchors[static_cast<std::size_t>(t.anchor)](s.time) * t.point);
  }
  track_->add(frame);
}

void GridFilm::accompany(const std::vector<FilmCompanion>& companions) {
  body::FrameLayout layout = track_->layout();
  const std::function<double(const body::Frame&)> activation = cast_.soft.front().activation;
  for (const FilmCompanion& c : companions) {
    const int set = layout.addPointSet(
        {.name = c.name, .count = c.frames.front().size(), .triangles = c.triangles});
    cast_.soft.push_back(softPart(layout, set));
    cast_.soft.back().activation = activation;
    const int tendons = layout.addPointSet({.name = c.name + "_tendons",
                                            .count = 2 * c.lines.front().size(),
                                            .tissue = body::Tissue::Tendon});
    cast_.lines.push_back(pairs(layout, tendons, kCompanionTendon));
  }
  FrameTrack together(std::move(layout));
  for (std::size_t i = 0; i < track_->size(); ++i) {
    body::Frame frame = track_->at(i);
    for (const FilmCompanion& c : companions) {
      frame.points.insert(frame.points.end(), c.frames[i].begin(), c.frames[i].end());
      for (const std::vector<Vec3>& line : c.lines[i])
        for (const Vec3& p : {line.front(), line.back()}) frame.points.push_back(p);
    }
    together.add(frame);
  }
  track_.emplace(std::move(together));
}

io::Table GridFilm::table() const {
  return groupTable(*track_, kGroup);
}

double GridFilm::worst(const char* scalar) const {
  double worst = 0;
  for (const double x : track_->series(track_->layout().scalarIndex(kGroup, scalar)))
    worst = std::max(worst, std::abs(x));
  return worst;
}

void GridFilm::writeGlb(const std::filesystem::path& path, const std::string& copyright) const {
  stage::writeGlb(path, cast_, Clip(*track_), {.copyright = copyright});
}

render::Camera GridFilm::camera(double aspect) const {
  constexpr std::size_t kMoments = 16;  // of the rigid parts' way
  Box box;
  const std::size_t stride = std::max<std::size_t>(1, track_->size() / kMoments);
  for (std::size_t i = 0; i < track_->size(); ++i) {
    const body::Frame frame = track_->at(i);
    for (const Vec3& p : frame.points) box.add(p);
    if (i % stride != 0) continue;
    for (const RigidPart& part : cast_.rigid)
      if (part.framed)
        for (const Vec3& p : part.mesh.positions) box.add(poseOf(part, frame) * p);
  }
  return render::Camera::frame(box, viewDirection.value_or(Vec3(0.25, 0.35, 1).normalized()),
                               {.aspect = aspect, .margin = margin});
}

View GridFilm::view(int width, int height, int samples) const {
  render::RenderOptions options;
  options.width = width, options.height = height, options.samples = samples;
  options.ground = false;
  return View(
      cast_, track_->at(0), {.bone = 1, .muscle = 1, .organ = 1, .lines = true},
      [c = camera(static_cast<double>(width) / height)](const body::Frame&) { return c; }, options);
}

render::Image GridFilm::picture(std::size_t frame, int width, int height) const {
  render::Image image =
      view(width, height, render::RenderOptions{}.samples).draw(track_->at(frame));
  if (!caption.empty()) render::drawCaption(image, caption);
  return image;
}

void GridFilm::writeVideo(const std::filesystem::path& path, Progress& progress) const {
  constexpr double kFastest = 30;  // pictures per second
  constexpr int kSamples = 4;      // the denoiser does the rest
  const double stride = std::max(1.0, std::round(framesPerSecond_ / kFastest));
  const Clip clip = Clip(*track_).every(static_cast<std::size_t>(stride));
  const int activation = track_->layout().scalarIndex(kGroup, "activation"),
            force = track_->layout().scalarIndex(kGroup, "force_first");
  std::vector<View> views;
  views.push_back(view(filmWidth, filmHeight, kSamples));
  progress.begin("film", 1);
  writeFilm(path, clip, sideBySide(std::move(views)),
            {.framesPerSecond = framesPerSecond_ / stride,
             .caption =
                 [&](std::size_t k) {
                   return std::pair(
                       fmt::format("{:.2f} s   activation {:.2f}   force {:.0f} N", clip.time(k),
                                   clip.scalar(k, activation), clip.scalar(k, force)),
                       caption);
                 }},
            [&](double done) { progress.update(done); });
  progress.end();
}

render::Plot GridFilm::plot(const std::string& title) const {
  const io::Table recorded = table();
  const auto& t = recorded.column("time").values;
  const auto values = [&](const char* name) { return recorded.column(name).values; };
  render::Plot plot(title);
  plot.columns = 2;
  plot.panelHeight = 320;
  if (!model_.fibres.empty()) {
    plot.panel("Force at the ends", "time [s]", "force [N]")
        .line(t, values("force_first"), "first")
        .line(t, values("force_last"), "last", {.dash = render::Dash::Dashed});
    plot.panel("Fibre length and activation", "time [s]", "length [optimal], activation")
        .line(t, values("fibre_length"), "fibre length")
        .line(t, values("activation"), "activation")
        .line(t, values("excitation"), "excitation", {.dash = render::Dash::Dotted});
  } else {
    plot.panel("Length", "time [s]", "length [m]").line(t, values("length"));
  }
  plot.panel("Volume, deviation from rest", "time [s]", "deviation [%]")
      .line(t, values("volume_deviation"), "total volume")
      .line(t, values("sum_dv_deviation"), "sum of |dV|", {.dash = render::Dash::Dashed});
  plot.panel("Energy", "time [s]", "energy [J]")
      .line(t, values("kinetic_energy"), "kinetic")
      .line(t, values("elastic_energy"), "elastic")
      .line(t, values("volume_energy"), "volume")
      .line(t, values("tendon_energy"), "tendon");
  return plot;
}

std::vector<FilmPart> planeParts(const flesh::GridModel& model) {
  std::vector<FilmPart> parts;
  for (const int anchor : {0, 1}) {
    Box box;
    Vec3 inside = Vec3::Zero();
    int count = 0;
    for (const flesh::GridTendon& t : model.tendons)
      if (t.anchor == anchor)
        box.add(t.point), inside += model.solid.rest[static_cast<std::size_t>(t.node)], ++count;
    if (count == 0) continue;
    const Vec3 outward = (box.center() - inside / count).normalized();
    const double wide = 1.5 * box.size().norm();
    // A square plate across the muscle, its face at the attachments.
    TriangleMesh plate = makeBox(Vec3(0.004, wide, wide));
    const Mat3 R = Quat::FromTwoVectors(Vec3::UnitX(), outward).toRotationMatrix();
    for (Vec3& p : plate.positions) p = R * p + box.center() + 0.002 * outward;
    parts.push_back({anchor == 0 ? "plane_first" : "plane_last", plate, anchor});
  }
  return parts;
}

}  // namespace pneuma::stage
