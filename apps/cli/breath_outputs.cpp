#include "cli/breath_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/morph_compression.h"
#include "pneuma/render/renderer.h"
#include "pneuma/render/report.h"
#include "pneuma/render/video.h"

namespace pneuma::cli {
namespace {

using breath::BreathSimulation;
using breath::TorsoMeasures;
using File = std::function<std::filesystem::path(std::string_view)>;

template <class Get>
std::vector<double> series(const BreathSimulation& run, const Get& get) {
  std::vector<double> v;
  for (const TorsoMeasures& m : run.samples()) v.push_back(get(m));
  return v;
}

/// Frames of highest and lowest lung volume among the last ones.
std::pair<std::size_t, std::size_t> extremes(const BreathSimulation& run,
                                             const std::vector<BreathFrame>& frames) {
  const auto volume = [&](const BreathFrame& f) {
    return flesh::signedVolume(run.model().cage, f.points, run.model().volumeOrigin) -
           flesh::signedVolume(run.model().dome, f.points, run.model().volumeOrigin);
  };
  std::size_t full = frames.size() / 2, empty = full;
  for (std::size_t i = frames.size() / 2; i < frames.size(); ++i) {
    if (volume(frames[i]) > volume(frames[full])) full = i;
    if (volume(frames[i]) < volume(frames[empty])) empty = i;
  }
  return {full, empty};
}

/// A film plays the last breaths only.
std::span<const BreathFrame> filmed(const std::vector<BreathFrame>& frames, double seconds) {
  std::size_t first = 0;
  while (first + 2 < frames.size() && frames.back().time - frames[first].time > seconds) ++first;
  return std::span(frames).subspan(first);
}

io::NodeAnimation boneAnimation(const TorsoShapes& shapes, std::span<const BreathFrame> frames,
                                int body) {
  std::vector<double> times;
  std::vector<Pose> poses;
  for (const BreathFrame& f : frames) {
    times.push_back(f.time - frames.front().time);
    poses.push_back(shapes.motion(f, body));
  }
  return io::rigidAnimation(times, poses);
}

/// Muscle elements of the frame with most tension, coloured by it.
io::GltfMesh muscleLines(const breath::TorsoModel& m, const BreathFrame& frame) {
  io::GltfMesh mesh{.name = "muscle_elements"};
  double highest = 1e-9;
  for (const double t : frame.tensions) highest = std::max(highest, t);
  for (std::size_t i = 0; i < m.springs.size(); ++i) {
    const double t = std::sqrt(std::clamp(frame.tensions[i] / highest, 0.0, 1.0));
    const render::Color c = render::sample(render::ColorMap::Heat, 0.15 + 0.85 * t);
    for (const std::int32_t p : {m.springs.a[i], m.springs.b[i]}) {
      mesh.positions.push_back(frame.points[static_cast<std::size_t>(p)]);
      mesh.colors.emplace_back(c.r, c.g, c.b, 1);
    }
    const auto last = static_cast<std::int32_t>(mesh.positions.size());
    mesh.segments.push_back({last - 2, last - 1});
  }
  return mesh;
}

void writeGlb(const BreathSimulation& run, const TorsoShapes& shapes,
              std::span<const BreathFrame> frames, std::size_t full,
              const std::vector<BreathFrame>& all, const std::filesystem::path& path) {
  io::GltfScene scene;
  scene.animationName = "breath";
  const int skin =
      scene.addMaterial({.name = "skin", .color = io::linearColor(0xe3b59c), .opacity = 0.35});
  const int bone = scene.addMaterial({.name = "bone", .color = io::linearColor(0xeee3cb)});
  const int muscle = scene.addMaterial(
      {.name = "diaphragm", .color = io::linearColor(0xb5534a), .doubleSided = true});
  const int organ =
      scene.addMaterial({.name = "gut", .color = io::linearColor(0xc98078), .opacity = 0.4});
  const int line = scene.addMaterial({.name = "muscle", .color = Vec3::Ones()});
  for (const TorsoShapes::RigidShape& b : shapes.bones()) {
    const int mesh = scene.addMesh({.name = b.name,
                                    .positions = b.mesh.positions,
                                    .triangles = b.mesh.triangles,
                                    .material = bone});
    const int node = scene.addNodeFor(mesh);
    scene.nodes[static_cast<std::size_t>(node)].animation = boneAnimation(shapes, frames, b.body);
  }
  std::vector<double> times;
  std::vector<std::vector<Vec3>> skins, domes, guts;
  for (const BreathFrame& f : frames) {
    times.push_back(f.time - frames.front().time);
    skins.push_back(shapes.skin(f).positions);
    domes.push_back(shapes.dome(f).positions);
    guts.push_back(shapes.gut(f).positions);
  }
  const io::MorphCompressionConfig config{.tolerance = 2e-4, .mostTargets = 8};
  const auto add = [&](const char* name, const std::vector<std::vector<Vec3>>& sequence,
                       const std::vector<Triangle>& triangles, int material) {
    io::addSequence(scene, name, io::compressFrames(sequence, triangles, config), triangles, times,
                    material);
  };
  add("skin", skins, shapes.skin().rest().triangles, skin);
  add("diaphragm", domes, shapes.dome(frames.front()).triangles, muscle);
  add("gut", guts, shapes.gut(frames.front()).triangles, organ);
  io::GltfMesh lines = muscleLines(run.model(), all[full]);
  lines.material = line;
  scene.addNodeFor(scene.addMesh(std::move(lines)));
  io::writeGlb(path, scene);
}

struct Stills {
  render::Image skin, inside, cutaway;
};

render::Camera sideCamera(const TorsoShapes& shapes) {
  // From the hips up: what moves, with the head for scale.
  const Box whole = boundingBox(shapes.skin().rest().positions);
  Box box;
  for (const Vec3& p : shapes.skin().rest().positions)
    if (p.y() > 0.56 * whole.max.y()) box.add(p);
  return render::Camera::frame(box, Vec3(0.75, 0.12, 0.65), {.aspect = 1.0, .margin = 0.04});
}

render::Image picture(const TorsoShapes& shapes, const BreathFrame& frame, double opacity,
                      bool inside, bool cut, int size, int samples) {
  render::RenderOptions options;
  options.width = options.height = size;
  options.samples = samples;
  options.ground = false;
  if (cut) options.cut = render::CutPlane{Vec3::Zero(), Vec3(1, 0, 0)};
  return render::render(shapes.scene(frame, opacity, inside), sideCamera(shapes), options);
}

void writeFilm(const TorsoShapes& shapes, std::span<const BreathFrame> frames,
               const std::filesystem::path& path, const std::function<void(double)>& progress) {
  constexpr int kSize = 400;
  render::RenderOptions options;
  options.width = options.height = kSize;
  options.samples = 2;
  options.ground = false;
  const render::Camera camera = sideCamera(shapes);
  const double rate =
      static_cast<double>(frames.size() - 1) / (frames.back().time - frames.front().time);
  render::VideoWriter video(path, 2 * kSize, kSize, {.framesPerSecond = rate});
  render::Renderer outside(shapes.scene(frames.front(), 1, false));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    outside.setPositions(0, shapes.skin(frames[i]).positions);
    const render::Image left = outside.render(camera, options);
    const render::Image right =
        render::render(shapes.scene(frames[i], 0.15, true), camera, options);
    render::Image both(2 * kSize, kSize);
    for (int y = 0; y < kSize; ++y) {
      const auto row = static_cast<std::size_t>(3 * kSize);
      const auto from = static_cast<std::ptrdiff_t>(row) * y;
      std::copy_n(left.rgb.begin() + from, row, both.rgb.begin() + 2 * from);
      std::copy_n(right.rgb.begin() + from, row,
                  both.rgb.begin() + 2 * from + static_cast<std::ptrdiff_t>(row));
    }
    video.add(both);
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(frames.size()));
  }
  video.finish();
}

render::Table summaryTable(const BreathSimulation& run) {
  render::Table table{.header = {"measure", "value", "unit", "people"}};
  for (const SummaryRow& r : summaryRows(run))
    table.rows.push_back({r.quantity, r.value, r.unit, r.human});
  return table;
}

}  // namespace

io::Table measureTable(const BreathSimulation& run) {
  io::Table t;
  const double rest = run.model().restLung;
  const auto add = [&](std::string name, std::string unit, auto get) {
    t.addColumn(std::move(name), std::move(unit), series(run, get));
  };
  add("time", "s", [](const auto& m) { return m.time; });
  add("lung_volume", "mL", [&](const auto& m) { return 1e6 * (m.lungVolume - rest); });
  const double rib = run.samples().front().ribCageVolume,
               abdomen = run.samples().front().abdomenVolume;
  add("rib_cage_volume", "mL", [&](const auto& m) { return 1e6 * (m.ribCageVolume - rib); });
  add("abdomen_volume", "mL", [&](const auto& m) { return 1e6 * (m.abdomenVolume - abdomen); });
  add("gut_error", "%",
      [&](const auto& m) { return 100 * (m.gutVolume / run.model().restGut - 1); });
  add("gut_pressure", "Pa", [](const auto& m) { return m.gutPressure; });
  add("pleural_pressure", "Pa", [](const auto& m) { return m.pleuralPressure; });
  add("sternum_forward", "mm", [](const auto& m) { return 1e3 * m.sternumForward; });
  add("sternum_up", "mm", [](const auto& m) { return 1e3 * m.sternumUp; });
  add("dome", "mm", [](const auto& m) { return 1e3 * m.dome; });
  add("belly", "mm", [](const auto& m) { return 1e3 * m.belly; });
  const std::array<const char*, 3> girths{"girth_rib_4", "girth_rib_8", "girth_abdomen"};
  for (std::size_t k = 0; k < 3; ++k)
    add(girths[k], "mm", [k](const auto& m) { return 1e3 * m.girth[k]; });
  for (std::size_t i = 0; i < breath::kRibCount; ++i) {
    add(fmt::format("pump_{:02}", i + 1), "deg",
        [i](const auto& m) { return radiansToDegrees(m.pump[i]); });
    add(fmt::format("bucket_{:02}", i + 1), "deg",
        [i](const auto& m) { return radiansToDegrees(m.bucket[i]); });
  }
  for (int g = 0; g < breath::kGroupCount; ++g) {
    const std::string name(breath::toString(static_cast<breath::MuscleGroup>(g)));
    const auto k = static_cast<std::size_t>(g);
    add("tension_" + name, "N", [k](const auto& m) { return m.tension[k]; });
    add("length_" + name, "", [k](const auto& m) { return m.length[k]; });
  }
  return t;
}

render::Plot volumePlot(const BreathSimulation& run) {
  const io::Table t = measureTable(run);
  const auto& time = t.column("time").values;
  render::Plot plot;
  auto& volume = plot.panel("Volume against rest", "time [s]", "volume [mL]");
  volume.line(time, t.column("lung_volume").values, "lungs");
  volume.line(time, t.column("rib_cage_volume").values, "rib cage");
  volume.line(time, t.column("abdomen_volume").values, "abdomen");
  if (run.settings().target) {
    std::vector<double> target;
    for (const double s : time) target.push_back(1e6 * run.settings().target->at(s));
    volume.line(time, target, "recording", {.dash = render::Dash::Dashed});
  }
  auto& travel = plot.panel("Travel", "time [s]", "travel [mm]");
  travel.line(time, t.column("sternum_forward").values, "sternum forward");
  travel.line(time, t.column("sternum_up").values, "sternum up");
  travel.line(time, t.column("dome").values, "dome down");
  travel.line(time, t.column("belly").values, "belly forward");
  return plot;
}

render::Plot ribPlot(const BreathSimulation& run) {
  const io::Table t = measureTable(run);
  const auto& time = t.column("time").values;
  render::Plot plot;
  auto& pump = plot.panel("Pump-handle angle of the ribs", "time [s]", "angle [deg]");
  auto& bucket = plot.panel("Bucket-handle angle of the ribs", "time [s]", "angle [deg]");
  for (int i = 1; i <= breath::kRibCount; ++i) {
    const render::SeriesStyle style{
        .color = render::sample(render::ColorMap::Sequential, 0.9 * (i - 1) / 9.0)};
    pump.line(time, t.column(fmt::format("pump_{:02}", i)).values, std::to_string(i), style);
    bucket.line(time, t.column(fmt::format("bucket_{:02}", i)).values, "", style);
  }
  return plot;
}

void writeBreathOutputs(const BreathSimulation& run, const std::vector<BreathFrame>& frames,
                        const File& file, bool film, const std::function<void(double)>& progress) {
  const TorsoShapes shapes(run.model(), run.settings().subject);
  const auto [full, empty] = extremes(run, frames);
  io::writeCsv(file("breath.csv"), measureTable(run));
  volumePlot(run).write(file("volume.svg"));
  ribPlot(run).write(file("ribs.svg"));
  writeGlb(run, shapes, filmed(frames, 12), full, frames, file("breath.glb"));
  constexpr int kSize = 720, kSamples = 8;
  const render::Image outside = render::tile(
      {{picture(shapes, frames[empty], 1, false, false, kSize, kSamples), "end of exhale"},
       {picture(shapes, frames[full], 1, false, false, kSize, kSamples), "end of inhale"}},
      2);
  const render::Image inside = render::tile(
      {{picture(shapes, frames[empty], 0.12, true, false, kSize, kSamples), "end of exhale"},
       {picture(shapes, frames[full], 0.12, true, false, kSize, kSamples), "end of inhale"}},
      2);
  const render::Image cutaway = render::tile(
      {{picture(shapes, frames[empty], 1, true, true, kSize, kSamples), "end of exhale, cut"},
       {picture(shapes, frames[full], 1, true, true, kSize, kSamples), "end of inhale, cut"}},
      2);
  render::writePng(outside, file("skin.png"));
  render::writePng(inside, file("inside.png"));
  render::writePng(cutaway, file("cutaway.png"));
  if (film) writeFilm(shapes, filmed(frames, 4), file("breath.mp4"), progress);

  render::Report report(
      "A breathing torso",
      fmt::format("{}, {}", run.model().anatomy.name,
                  run.settings().target ? "recorded breath" : run.settings().style));
  report.table(summaryTable(run));
  report.picture(inside, "Ribs, sternum, spine, diaphragm and gut under the skin.", "inside");
  report.plot(volumePlot(run), "Volumes and travel over time.", "volume");
  report.plot(ribPlot(run), "Rotation of the ribs over time.", "ribs");
  report.picture(cutaway, "Cut through the middle.", "cutaway");
  report.picture(outside, "The skin follows ribs, wall and spine.", "skin");
  if (film) report.media(file("breath.mp4"), "The last breaths.");
  report.view3d(file("breath.glb"), "Turn it; play it; hide parts.");
  report.writeHtml(file("report.html"));
}

}  // namespace pneuma::cli
