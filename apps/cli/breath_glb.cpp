#include <algorithm>
#include <cmath>

#include "cli/breath_outputs.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/morph_compression.h"

namespace pneuma::cli {
namespace {

using Frames = std::vector<const BreathFrame*>;

constexpr double kTolerance = 2e-4;  // of the morphs [m]

/// Colour of each spring: its greatest tension in the frames over the greatest of its group, so
/// that fine groups (dome) show beside strong ones (levators).
std::vector<Vec4> springColors(const TorsoShapes& shapes, const Frames& frames) {
  const breath::SpringSet& springs = shapes.model().springs;
  const std::size_t count = frames.front()->tensions.size();
  std::vector<double> peak(count, 0.0);
  for (const BreathFrame* f : frames)
    for (std::size_t i = 0; i < count; ++i) peak[i] = std::max(peak[i], f->tensions[i]);
  const auto groupOf = [&](std::size_t i) {
    return i < springs.size() ? static_cast<std::size_t>(springs.groups[i])
                              : static_cast<std::size_t>(breath::kGroupCount);
  };
  std::vector<double> highest(breath::kGroupCount + 1, 1e-9);
  for (std::size_t i = 0; i < count; ++i)
    highest[groupOf(i)] = std::max(highest[groupOf(i)], peak[i]);
  std::vector<Vec4> colors;
  for (std::size_t i = 0; i < count; ++i) {
    const render::Color c = render::sample(render::ColorMap::Heat,
                                           0.15 + 0.85 * std::sqrt(peak[i] / highest[groupOf(i)]));
    colors.emplace_back(c.r, c.g, c.b, 1);
  }
  return colors;
}

/// Lines move as one mesh with few morph targets; glTF cannot animate colours.
void addMuscleLines(io::GltfScene& scene, const TorsoShapes& shapes, const Frames& frames,
                    const std::vector<double>& times) {
  std::vector<std::vector<Vec3>> ends;
  for (const BreathFrame* f : frames) ends.push_back(shapes.springEnds(*f));
  const io::MorphSequence sequence =
      io::compressFrames(ends, {}, {.tolerance = kTolerance, .mostTargets = 8, .normals = false});
  io::GltfMesh mesh{.name = "muscle_elements", .positions = sequence.base};
  const std::vector<Vec4> colors = springColors(shapes, frames);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const auto a = static_cast<std::int32_t>(2 * i);
    mesh.segments.push_back({a, a + 1});
    mesh.colors.insert(mesh.colors.end(), 2, colors[i]);
  }
  mesh.targets = sequence.targets;
  mesh.material = scene.addMaterial({.name = "muscle_force", .color = Vec3::Ones()});
  const auto node = static_cast<std::size_t>(scene.addNodeFor(scene.addMesh(std::move(mesh))));
  if (sequence.targets.empty()) return;
  scene.nodes[node].animation.times = times;
  scene.nodes[node].animation.weights = sequence.weights;
}

/// A node per body, its bones below it.
void addBones(io::GltfScene& scene, const TorsoShapes& shapes, const Frames& frames,
              const std::vector<double>& times) {
  const int bone = scene.addMaterial({.name = "bone", .color = io::linearColor(0xeee3cb)});
  const int cartilage =
      scene.addMaterial({.name = "cartilage", .color = io::linearColor(0xc3d6dc)});
  for (int b = 0; b < breath::kAllBodyCount; ++b) {
    std::vector<Pose> poses;
    for (const BreathFrame* f : frames) poses.push_back(f->motions[static_cast<std::size_t>(b)]);
    const int body = scene.addNode(
        {.name = "body_" + breath::anyBodyName(b), .animation = io::rigidAnimation(times, poses)});
    for (const TorsoShapes::RigidShape& shape : shapes.bones()) {
      if (shape.body != b) continue;
      const bool soft = shape.name.starts_with("costal_cartilage");
      scene.addNodeFor(scene.addMesh({.name = shape.name,
                                      .positions = shape.mesh.positions,
                                      .triangles = shape.mesh.triangles,
                                      .material = soft ? cartilage : bone}),
                       body);
    }
  }
}

}  // namespace

void writeBreathGlb(const TorsoShapes& shapes, const Frames& frames,
                    const std::filesystem::path& path) {
  io::GltfScene scene;
  scene.animationName = "breath";
  std::vector<double> times;
  for (const BreathFrame* f : frames) times.push_back(f->time - frames.front()->time);
  addBones(scene, shapes, frames, times);

  const auto add = [&](const std::string& name, int material, const auto& surfaceOf) {
    std::vector<std::vector<Vec3>> sequence;
    std::vector<Triangle> triangles;
    for (const BreathFrame* f : frames) {
      TriangleMesh mesh = surfaceOf(*f);
      sequence.push_back(std::move(mesh.positions));
      triangles = std::move(mesh.triangles);
    }
    io::addSequence(
        scene, name,
        io::compressFrames(sequence, triangles, {.tolerance = kTolerance, .mostTargets = 8}),
        triangles, times, material);
  };
  const int muscle = scene.addMaterial(
      {.name = "muscle", .color = io::linearColor(0xb5534a), .doubleSided = true});
  const int organ =
      scene.addMaterial({.name = "gut", .color = io::linearColor(0xc98078), .opacity = 0.4});
  const int skin =
      scene.addMaterial({.name = "skin", .color = io::linearColor(0xe3b59c), .opacity = 0.35});
  add("diaphragm", muscle, [&](const BreathFrame& f) { return shapes.dome(f); });
  for (const TorsoShapes::SoftShape& shape : shapes.flesh())
    add(shape.name, muscle, [&](const BreathFrame& f) { return shapes.softBody(f, shape); });
  add("gut", organ, [&](const BreathFrame& f) { return shapes.gut(f); });
  addMuscleLines(scene, shapes, frames, times);
  add("skin", skin, [&](const BreathFrame& f) {
    return TriangleMesh{shapes.skin(f), shapes.skin().rest().triangles};
  });
  io::writeGlb(path, scene);
}

}  // namespace pneuma::cli
