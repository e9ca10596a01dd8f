#include "cli/grid_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/flesh/grid_presets.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/morph_compression.h"
#include "pneuma/render/video.h"

namespace pneuma::cli {
namespace {

using flesh::GridEnd;

constexpr double kCompanionTendon = 2.5e-3;  // radius [m]

Vec3 planeMiddle(const flesh::GridModel& model, const VecX& q, GridEnd end) {
  Vec3 sum = Vec3::Zero();
  for (const auto& [id, share] : flesh::endNodes(model.solid, end))
    sum += share * Vec3(q.segment<3>(3 * id));
  return sum;
}

render::Material tissue(const flesh::GridModel& model, double activation) {
  if (model.fibres.empty()) return render::materials::organ(render::Color::hex(0xc9a28e));
  // A working muscle is darker and redder than one at rest.
  return render::materials::muscle(
      render::mix(render::Color::hex(0xc98a7c), render::Color::hex(0x9c2f2a), activation));
}

}  // namespace

GridFilm::GridFilm(const flesh::GridModel& model, double framesPerSecond,
                   std::vector<FilmPart> parts)
    : model_(model),
      skin_(model.solid.size, 3),
      framesPerSecond_(framesPerSecond),
      parts_(std::move(parts)) {
  const VecX rest = flesh::toVector(model.solid.rest);
  restVolume_ = flesh::totalVolume(model.solid, rest);
  restSum_ = flesh::sumOfForwardVolumes(model.solid.size, rest);
  for (const auto& [name, unit] :
       std::initializer_list<std::pair<const char*, const char*>>{{"time", "s"},
                                                                  {"length", "m"},
                                                                  {"fibre_length", "optimal"},
                                                                  {"force_first", "N"},
                                                                  {"force_last", "N"},
                                                                  {"excitation", ""},
                                                                  {"activation", ""},
                                                                  {"volume", "m^3"},
                                                                  {"volume_deviation", "%"},
                                                                  {"sum_dv", "m^3"},
                                                                  {"sum_dv_deviation", "%"},
                                                                  {"kinetic_energy", "J"},
                                                                  {"elastic_energy", "J"},
                                                                  {"volume_energy", "J"},
                                                                  {"gravity_energy", "J"},
                                                                  {"fibre_energy", "J"},
                                                                  {"tendon_energy", "J"},
                                                                  {"total_energy", "J"},
                                                                  {"iterations", ""}})
    table_.addColumn(name, unit);
}

void GridFilm::record(const flesh::GridState& s, int iterations) {
  const double volume = flesh::totalVolume(model_.solid, s.q);
  const double sum = flesh::sumOfForwardVolumes(model_.solid.size, s.q);
  const flesh::GridModelEnergy energy = flesh::computeModelEnergy(model_, s.time, s.q, s.v);
  const double activation = model_.activation.at(s.time);
  const Vec3 first = planeMiddle(model_, s.q, GridEnd::First),
             last = planeMiddle(model_, s.q, GridEnd::Last);
  table_.appendRow({s.time, (last - first).norm(), flesh::normalisedFibreLength(model_, s.q),
                    flesh::endForce(model_, GridEnd::First, s.time, s.q, s.v).norm(),
                    flesh::endForce(model_, GridEnd::Last, s.time, s.q, s.v).norm(),
                    model_.activation.excitationAt(s.time), activation, volume,
                    restVolume_ > 0 ? 100 * (volume / restVolume_ - 1) : 0, sum,
                    restSum_ > 0 ? 100 * (sum / restSum_ - 1) : 0, energy.kinetic,
                    energy.solid.metric + energy.solid.bending, energy.solid.volume, energy.gravity,
                    energy.passiveFibre, energy.tendon, energy.total(),
                    static_cast<double>(iterations)});
  times_.push_back(s.time);
  activation_.push_back(activation);
  frames_.push_back(skin_.positions(s.q));
  std::vector<Vec3> ends;
  for (const flesh::GridTendon& t : model_.tendons) {
    ends.push_back(s.q.segment<3>(3 * t.node));
    ends.push_back(model_.anchors[static_cast<std::size_t>(t.anchor)](s.time) * t.point);
  }
  tendons_.push_back(std::move(ends));
}

double GridFilm::worstVolumePercent() const {
  double worst = 0;
  for (double x : table_.column("volume_deviation").values) worst = std::max(worst, std::abs(x));
  return worst;
}

double GridFilm::worstSumPercent() const {
  double worst = 0;
  for (double x : table_.column("sum_dv_deviation").values) worst = std::max(worst, std::abs(x));
  return worst;
}

void GridFilm::save(io::StateWriter& out) const {
  table_.save(out);
  out.put(times_);
  out.put(activation_);
  for (std::size_t i = 0; i < times_.size(); ++i) out.put(frames_[i]), out.put(tendons_[i]);
}

void GridFilm::load(io::StateReader& in) {
  table_.load(in);
  in.get(times_);
  in.get(activation_);
  frames_.resize(times_.size());
  tendons_.resize(times_.size());
  for (std::size_t i = 0; i < times_.size(); ++i) in.get(frames_[i]), in.get(tendons_[i]);
}

void GridFilm::writeGlb(const std::filesystem::path& path) const {
  io::GltfScene scene;
  const int muscle = scene.addMaterial({.name = "muscle", .color = io::linearColor(0xb5534a)});
  const int bone = scene.addMaterial({.name = "bone", .color = io::linearColor(0xeee3cb)});
  const io::MorphSequence sequence = io::compressFrames(frames_, skin_.triangles());
  io::addSequence(scene, "muscle", sequence, skin_.triangles(), times_, muscle);
  for (const FilmCompanion& c : companions)
    io::addSequence(scene, c.name, io::compressFrames(c.frames, c.triangles), c.triangles, times_,
                    muscle);
  for (const FilmPart& part : parts_) {
    std::vector<Vec3> positions = part.mesh.positions;
    if (part.anchor < 0)
      for (Vec3& p : positions) p += part.shift;
    const int mesh = scene.addMesh({.name = part.name,
                                    .positions = std::move(positions),
                                    .triangles = part.mesh.triangles,
                                    .material = bone});
    const int id = scene.addNodeFor(mesh);
    if (part.anchor < 0) continue;
    std::vector<Pose> poses;
    for (double t : times_) poses.push_back(partPose(part, t));
    scene.nodes[static_cast<std::size_t>(id)].animation = io::rigidAnimation(times_, poses);
  }
  io::writeGlb(path, scene);
}

render::Scene GridFilm::makeScene() const {
  render::Scene scene;
  scene.add({frames_.front(), skin_.triangles()}, tissue(model_, 0), "muscle");
  for (const FilmPart& part : parts_) scene.add(part.mesh, render::materials::bone(), part.name);
  for (const FilmCompanion& c : companions)
    scene.add({c.frames.front(), c.triangles}, tissue(model_, 0), c.name);
  for (std::size_t t = 0; t < model_.tendons.size(); ++t)
    scene.addLine({tendons_.front()[2 * t], tendons_.front()[2 * t + 1]}, 0.0007,
                  render::materials::tendon());
  for (const FilmCompanion& c : companions)
    for (const auto& line : c.lines.front())
      scene.addLine(line, kCompanionTendon, render::materials::tendon());
  return scene;
}

void GridFilm::pose(render::Renderer& renderer, std::size_t frame) const {
  renderer.setPositions(0, frames_[frame]);
  renderer.setMaterial(0, tissue(model_, activation_[frame]));
  for (std::size_t p = 0; p < parts_.size(); ++p)
    renderer.setPose(p + 1, partPose(parts_[p], times_[frame]));
  for (std::size_t t = 0; t < model_.tendons.size(); ++t)
    renderer.setLine(t, std::vector<Vec3>{tendons_[frame][2 * t], tendons_[frame][2 * t + 1]});
  std::size_t surface = 1 + parts_.size(), line = model_.tendons.size();
  for (const FilmCompanion& c : companions) {
    renderer.setPositions(surface, c.frames[frame]);
    renderer.setMaterial(surface++, tissue(model_, activation_[frame]));
    for (const auto& points : c.lines[frame]) renderer.setLine(line++, points);
  }
}

Pose GridFilm::partPose(const FilmPart& part, double time) const {
  Pose pose;
  if (part.anchor >= 0) pose = model_.anchors[static_cast<std::size_t>(part.anchor)](time);
  pose.position += part.shift;
  return pose;
}

render::Camera GridFilm::camera(double aspect) const {
  Box box;
  for (const auto& frame : frames_)
    for (const Vec3& p : frame) box.add(p);
  for (const auto& ends : tendons_)
    for (const Vec3& p : ends) box.add(p);
  for (const FilmCompanion& c : companions)
    for (const auto& frame : c.frames)
      for (const Vec3& p : frame) box.add(p);
  for (const FilmPart& part : parts_) {
    if (!part.framed) continue;
    for (std::size_t f = 0; f < times_.size(); f += std::max<std::size_t>(1, times_.size() / 16)) {
      const Pose pose = partPose(part, times_[f]);
      for (const Vec3& p : part.mesh.positions) box.add(pose * p);
    }
  }
  render::FramingOptions framing;
  framing.aspect = aspect;
  framing.margin = margin;
  return render::Camera::frame(box, viewDirection.value_or(Vec3(0.25, 0.35, 1).normalized()),
                               framing);
}

render::Image GridFilm::picture(std::size_t frame, int width, int height) const {
  render::Renderer renderer(makeScene());
  pose(renderer, frame);
  render::RenderOptions options;
  options.width = width, options.height = height;
  options.ground = false;
  render::Image image = renderer.render(camera(static_cast<double>(width) / height), options);
  if (!caption.empty()) render::drawCaption(image, caption);
  return image;
}

void GridFilm::writeVideo(const std::filesystem::path& path, Progress& progress) const {
  // Films run at 30 pictures per second at most.
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::round(framesPerSecond_ / 30)));
  render::VideoWriter video(path, filmWidth, filmHeight,
                            {.framesPerSecond = framesPerSecond_ / static_cast<double>(stride)});
  render::Renderer renderer(makeScene());
  render::RenderOptions options;
  options.width = filmWidth, options.height = filmHeight,
  options.samples = 4;  // the denoiser does the rest
  options.ground = false;
  const render::Camera view = camera(static_cast<double>(filmWidth) / filmHeight);
  const auto& force = table_.column("force_first").values;
  progress.begin("film", static_cast<double>(frames_.size()));
  for (std::size_t f = 0; f < frames_.size(); f += stride) {
    pose(renderer, f);
    render::Image image = renderer.render(view, options);
    render::drawCaption(image,
                        fmt::format("{:.2f} s   activation {:.2f}   force {:.0f} N", times_[f],
                                    activation_[f], force[f]),
                        caption);
    video.add(image);
    progress.update(static_cast<double>(f));
  }
  progress.end();
  video.finish();
}

render::Plot GridFilm::plot(const std::string& title) const {
  const auto& t = table_.column("time").values;
  const auto values = [&](const char* name) { return table_.column(name).values; };
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

}  // namespace pneuma::cli
