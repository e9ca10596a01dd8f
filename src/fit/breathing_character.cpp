#include "pneuma/fit/breathing_character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/gltf_edit.h"
#include "pneuma/io/point_cache.h"

namespace pneuma::fit {
namespace fs = std::filesystem;
namespace {

/// Offsets of all vertices of a character for each target, in its file's frame.
using TargetOffsets = std::vector<std::vector<Vec3>>;

std::vector<Vec3> normalsInWorld(const io::GltfObject& object) {
  const Mat3 turn = object.toWorld.linear().inverse().transpose();
  std::vector<Vec3> normals;
  for (const Vec3& n : object.normals) normals.push_back((turn * n).normalized());
  return normals;
}

/// Targets of one mesh of a glTF file, in the frame of the mesh.
std::vector<io::MorphTarget> targetsOf(const Character& c, const CharacterObject& object,
                                       const io::GltfObject& shown, const CharacterBreath& breath,
                                       const TargetOffsets& offsets) {
  const Mat3 A = shown.toWorld.linear(), inverse = A.inverse();
  std::vector<Vec3> normals(c.surface.vertexCount(), Vec3::Zero());
  const std::vector<Vec3> given = normalsInWorld(shown);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].allFinite()) normals[at(object.vertices[i])] = given[i];
  std::vector<io::MorphTarget> targets;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    io::MorphTarget target{.name = breath.targets[k].name};
    const std::vector<Vec3> changes = normalChanges(c, normals, offsets[k]);
    for (std::size_t i = 0; i < object.vertices.size(); ++i) {
      const std::size_t v = at(object.vertices[i]);
      target.offsets.push_back(inverse * offsets[k][v]);
      // Normals go by the transpose the other way, and keep their length of one.
      const Vec3 turned = A.transpose() * (normals[v] + changes[v]);
      const bool moves = changes[v] != Vec3::Zero();
      target.normalOffsets.push_back(
          moves ? Vec3(turned.normalized() - shown.normals[i].normalized()) : Vec3(Vec3::Zero()));
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

bool moves(const CharacterObject& object, const TargetOffsets& offsets) {
  for (const std::vector<Vec3>& list : offsets)
    for (const std::int32_t v : object.vertices)
      if (list[at(v)] != Vec3::Zero()) return true;
  return false;
}

void writeGltf(const fs::path& path, const Character& c, const CharacterBreath& breath,
               const TargetOffsets& offsets, const CharacterOutput& output) {
  // Read again: one character may be given back many times, and a file breathes only once.
  io::GltfEdit edit = io::GltfEdit::read(c.file).valueOrThrow();
  std::vector<int> done;
  for (const CharacterObject& object : c.objects) {
    const io::GltfObject& shown = edit.objects()[static_cast<std::size_t>(object.gltfObject)];
    PNEUMA_CHECK(shown.surface.vertexCount() == object.vertices.size(), "'{}' has changed",
                 object.name);
    if (!moves(object, offsets) || std::find(done.begin(), done.end(), shown.mesh) != done.end())
      continue;
    edit.addTargets(shown.mesh, targetsOf(c, object, shown, breath, offsets));
    done.push_back(shown.mesh);
  }
  if (done.empty()) throw InputError(io::fileError(c.file.string(), "has no mesh that breathes"));
  edit.addLoop({.times = breath.times, .weights = breath.weights, .merged = output.mergedClips});
  edit.write(path);
}

std::vector<Vec3> shapeAt(const Character& c, const CharacterBreath& breath,
                          const TargetOffsets& offsets, double time) {
  const auto after = std::upper_bound(breath.times.begin() + 1, breath.times.end() - 1, time);
  const auto next = static_cast<std::size_t>(after - breath.times.begin());
  const double span = breath.times[next] - breath.times[next - 1];
  const double share = std::clamp((time - breath.times[next - 1]) / span, 0.0, 1.0);
  std::vector<Vec3> shape = c.surface.positions;
  const std::size_t count = offsets.size();
  for (std::size_t k = 0; k < count; ++k) {
    const double w = (1 - share) * breath.weights[(next - 1) * count + k] +
                     share * breath.weights[next * count + k];
    if (w == 0) continue;  // at rest every vertex is the file's, bit for bit
    for (std::size_t v = 0; v < shape.size(); ++v) shape[v] += w * offsets[k][v];
  }
  return shape;
}

/// Polygons as the file had them: a fan of triangles around their first corner.
std::string objText(const Character& c) {
  fmt::memory_buffer text;
  const auto to = std::back_inserter(text);
  for (const Vec3& p : c.surface.positions) fmt::format_to(to, "v {} {} {}\n", p.x(), p.y(), p.z());
  std::size_t t = 0;
  std::int32_t object = -1;
  for (const std::int32_t fan : c.fans) {
    if (c.triangleObject[t] != object) {
      object = c.triangleObject[t];
      fmt::format_to(to, "o {}\n", c.objects[at(object)].name);
    }
    fmt::format_to(to, "f {} {}", c.surface.triangles[t][0] + 1, c.surface.triangles[t][1] + 1);
    for (std::int32_t i = 0; i < fan; ++i, ++t)
      fmt::format_to(to, " {}", c.surface.triangles[t][2] + 1);
    fmt::format_to(to, "\n");
  }
  return fmt::to_string(text);
}

std::string fileName(std::string name) {
  for (char& ch : name)
    if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '-' && ch != '_' && ch != '.')
      ch = '_';
  return name;
}

/// One cache per object, because programs open each as an object of its own.
void writeCaches(const fs::path& folder, const Character& c, const CharacterBreath& breath,
                 const TargetOffsets& offsets, double framesPerSecond,
                 std::vector<fs::path>& files) {
  const std::string stem = c.file.stem().string();
  std::vector<io::PointCacheWriter> caches;
  for (const CharacterObject& object : c.objects) {
    files.push_back(folder / (c.objects.size() == 1 ? stem + ".pc2"
                                                    : fileName(stem + "_" + object.name) + ".pc2"));
    caches.emplace_back(files.back(), object.vertices.size());
  }
  const double duration = breath.times.back();
  const auto frames = static_cast<std::size_t>(std::lround(duration * framesPerSecond));
  std::vector<Vec3> points;
  for (std::size_t f = 0; f <= frames; ++f) {
    const std::vector<Vec3> shape = shapeAt(
        c, breath, offsets, duration * static_cast<double>(f) / static_cast<double>(frames));
    for (std::size_t o = 0; o < caches.size(); ++o) {
      points.clear();
      for (const std::int32_t v : c.objects[o].vertices) points.push_back(shape[at(v)]);
      caches[o].addFrame(points);
    }
  }
  for (io::PointCacheWriter& cache : caches) cache.finish();
}

/// The same character as a GLB: metres, upright, with targets and animation.
void writePreview(const fs::path& path, const Character& c, const BodyFrame& frame,
                  const CharacterBreath& breath, const TargetOffsets& offsets) {
  // Objects stay apart, each with the vertices of the file in their order, so that what is found
  // here can be told apart in the file.
  io::GltfScene scene{.animationName = "breath"};
  const std::vector<Vec3> normals = vertexNormals(c.surface);
  for (std::size_t o = 0; o < c.objects.size(); ++o) {
    const std::vector<std::int32_t>& vertices = c.objects[o].vertices;
    std::map<std::int32_t, std::int32_t> place;
    io::GltfMesh mesh{.name = c.objects[o].name};
    for (const std::int32_t v : vertices) {
      place[v] = static_cast<std::int32_t>(mesh.positions.size());
      mesh.positions.push_back(frame.toBody(c.surface.positions[at(v)]));
    }
    for (std::size_t t = 0; t < c.surface.triangleCount(); ++t)
      if (at(c.triangleObject[t]) == o) {
        const Triangle& f = c.surface.triangles[t];
        mesh.triangles.push_back({place[f[0]], place[f[1]], place[f[2]]});
      }
    if (mesh.triangles.empty()) continue;
    io::GltfNode node{.name = c.objects[o].name};
    if (moves(c.objects[o], offsets)) {
      for (std::size_t k = 0; k < offsets.size(); ++k) {
        io::MorphTarget target{.name = breath.targets[k].name};
        const std::vector<Vec3> changes = normalChanges(c, normals, offsets[k]);
        for (const std::int32_t v : vertices) {
          target.offsets.push_back(frame.scale * (frame.rotation * offsets[k][at(v)]));
          target.normalOffsets.push_back(frame.rotation * changes[at(v)]);
        }
        mesh.targets.push_back(std::move(target));
      }
      node.animation = {.times = breath.times, .weights = breath.weights};
    }
    node.mesh = scene.addMesh(std::move(mesh));
    scene.addNode(std::move(node));
  }
  io::writeGlb(path, scene);
}

fs::path notTheInput(const fs::path& path, const Character& c) {
  std::error_code ignored;
  if (fs::equivalent(path, c.file, ignored))
    throw InputError(io::fileError(path.string(), "would overwrite the character itself",
                                   "another folder by --out"));
  return path;
}

void checkBreath(const CharacterBreath& breath) {
  PNEUMA_CHECK(breath.times.size() >= 2 && !breath.targets.empty(), "a breath without keys");
  PNEUMA_CHECK(breath.weights.size() == breath.times.size() * breath.targets.size(),
               "{} weights for {} keys of {} targets", breath.weights.size(), breath.times.size(),
               breath.targets.size());
}

double furthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
  return most;
}

}  // namespace

std::vector<Vec3> normalChanges(const Character& c, std::span<const Vec3> normals,
                                std::span<const Vec3> offsets) {
  TriangleMesh joined{c.surface.positions, c.surface.triangles};
  for (Triangle& t : joined.triangles)
    for (std::int32_t& v : t) v = c.joined[at(v)];
  const std::vector<Vec3> rest = vertexNormals(joined);
  for (std::size_t v = 0; v < offsets.size(); ++v) joined.positions[v] += offsets[v];
  const std::vector<Vec3> moved = vertexNormals(joined);
  std::vector<Vec3> changes(normals.size(), Vec3::Zero());
  for (std::size_t v = 0; v < normals.size(); ++v) {
    const Vec3 &n0 = rest[at(c.joined[v])], &n1 = moved[at(c.joined[v])];
    if (n0 == n1 || n0.isZero(0) || n1.isZero(0) || normals[v].isZero(0)) continue;
    changes[v] = Quat::FromTwoVectors(n0, n1) * normals[v] - normals[v];
  }
  return changes;
}

CharacterFiles writeBreathingCharacter(const fs::path& folder, const Character& c,
                                       const BodyFrame& frame, const BreathTransfer& transfer,
                                       const CharacterBreath& breath,
                                       const CharacterOutput& output) {
  checkBreath(breath);
  TargetOffsets offsets;
  for (const io::MorphTarget& target : breath.targets)
    offsets.push_back(transfer.apply(target.offsets));

  CharacterFiles result;
  for (const double t : breath.times)
    result.largestOffset =
        std::max(result.largestOffset,
                 frame.scale * furthest(shapeAt(c, breath, offsets, t), c.surface.positions));
  result.seam = frame.scale * furthest(shapeAt(c, breath, offsets, breath.times.back()),
                                       shapeAt(c, breath, offsets, 0));
  const std::string stem = c.file.stem().string();
  if (c.gltf) {
    result.files = {notTheInput(folder / c.file.filename(), c)};
    writeGltf(result.files[0], c, breath, offsets, output);
    return result;
  }
  std::string ending = c.file.extension().string();
  for (char& ch : ending) ch = static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
  result.files = {notTheInput(folder / (stem + ".obj"), c)};
  io::writeFile(result.files[0],
                ending == ".obj" ? io::readFile(c.file).valueOrThrow() : objText(c));
  writeCaches(folder, c, breath, offsets, output.framesPerSecond, result.files);
  result.files.push_back(folder / (stem + "_preview.glb"));
  writePreview(result.files.back(), c, frame, breath, offsets);
  return result;
}

}  // namespace pneuma::fit
