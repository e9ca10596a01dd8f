#include "pneuma/anatomy/geometry_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "anatomy/shape/shape_field.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/mesh_simplify.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"

namespace pneuma::anatomy {
namespace {

/// Changes whenever the same shape gives another surface.
constexpr std::uint32_t kGeneratorVersion = 4;

struct Header {
  char magic[8] = {'P', 'N', 'E', 'U', 'G', 'E', 'O', '1'};
  std::uint64_t key = 0, vertices = 0, triangles = 0, digest = 0;
};

std::uint64_t digestOf(const TriangleMesh& mesh) {
  Hash64 hash;
  hash.bytes(mesh.positions.data(), mesh.positions.size() * sizeof(Vec3));
  hash.bytes(mesh.triangles.data(), mesh.triangles.size() * sizeof(Triangle));
  return hash.digest();
}

std::filesystem::path fromEnvironment(const char* name, const char* below) {
  const char* value = std::getenv(name);
  if (!value || !*value) return {};
  return std::filesystem::path(value) / below;
}

/// The last resort. Others can write to the temporary folder: only a folder that is ours alone will
/// do, and without one nothing is kept ("").
std::filesystem::path privateTemporaryFolder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error) /
                      fmt::format("pneuma-cache-{}", static_cast<unsigned>(::getuid()));
  if (error) return {};
  ::mkdir(folder.c_str(), S_IRWXU);
  struct stat found {};
  const bool ours = ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                    found.st_uid == ::getuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return ours ? folder : std::filesystem::path();
}

/// Where the shape lies: its parts' centres.
double meanX(const BoneShape& shape) {
  double sum = 0;
  for (const ShapePart& p : shape.parts) {
    if (p.kind == ShapeKind::Ellipsoid) sum += p.center.x();
    for (const SweepSection& s : p.sections) sum += s.center.x();
    for (const Vec3& q : p.grid) sum += q.x();
    for (const ProfileSection& c : p.contours) sum += c.center.x();
  }
  return sum;
}

}  // namespace

GeometryCache::GeometryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

std::filesystem::path GeometryCache::defaultFolder() {
  if (auto p = fromEnvironment("PNEUMA_CACHE_DIR", ""); !p.empty()) return p;
  if (auto p = fromEnvironment("XDG_CACHE_HOME", "pneuma"); !p.empty()) return p;
  if (auto p = fromEnvironment("HOME", ".cache/pneuma"); !p.empty()) return p;
  return privateTemporaryFolder();
}

std::filesystem::path GeometryCache::file(std::uint64_t key, const char* ending) const {
  return folder_ / "geometry" / fmt::format("{:016x}.{}", key, ending);
}

std::optional<TriangleMesh> GeometryCache::load(std::uint64_t key) const {
  std::error_code ignored;
  if (folder_.empty() || !std::filesystem::exists(file(key), ignored)) return std::nullopt;
  const Result<std::string> content = io::readFile(file(key));
  Header header;
  if (!content.ok() || content->size() < sizeof header) return std::nullopt;
  std::memcpy(&header, content->data(), sizeof header);
  const std::size_t perVertex = sizeof(Vec3), perTriangle = sizeof(Triangle);
  const std::size_t body = content->size() - sizeof header;
  if (std::memcmp(header.magic, Header{}.magic, 8) != 0 || header.key != key ||
      header.vertices > body / perVertex || header.triangles > body / perTriangle ||
      header.vertices * perVertex + header.triangles * perTriangle != body)
    return std::nullopt;
  TriangleMesh mesh;
  mesh.positions.resize(header.vertices);
  mesh.triangles.resize(header.triangles);
  const char* data = content->data() + sizeof header;
  std::memcpy(static_cast<void*>(mesh.positions.data()), data, header.vertices * perVertex);
  std::memcpy(mesh.triangles.data(), data + header.vertices * perVertex,
              header.triangles * perTriangle);
  if (digestOf(mesh) != header.digest) return std::nullopt;
  return mesh;
}

void GeometryCache::store(std::uint64_t key, const TriangleMesh& mesh) const {
  if (folder_.empty()) return;
  Header header;
  header.key = key;
  header.vertices = mesh.vertexCount();
  header.triangles = mesh.triangleCount();
  header.digest = digestOf(mesh);
  try {
    io::AtomicFile out(file(key));
    out.write(&header, sizeof header);
    out.write(mesh.positions.data(), mesh.positions.size() * sizeof(Vec3));
    out.write(mesh.triangles.data(), mesh.triangles.size() * sizeof(Triangle));
    out.commit();
  } catch (const InputError&) {
    // A full or read-only disk: the surface is made again next time.
  }
}

TriangleMesh GeometryCache::get(std::uint64_t key,
                                const std::function<TriangleMesh()>& make) const {
  if (std::optional<TriangleMesh> stored = load(key)) return std::move(*stored);
  TriangleMesh mesh = make();
  store(key, mesh);
  return mesh;
}

bool GeometryCache::loadValues(std::uint64_t key, std::span<float> values) const {
  std::error_code ignored;
  if (folder_.empty() || !std::filesystem::exists(file(key, "field"), ignored)) return false;
  const Result<std::string> content = io::readFile(file(key, "field"));
  std::uint64_t digest = 0;
  if (!content.ok() || content->size() != sizeof digest + values.size_bytes()) return false;
  std::memcpy(&digest, content->data(), sizeof digest);
  const char* data = content->data() + sizeof digest;
  if (Hash64().value(key).bytes(data, values.size_bytes()).digest() != digest) return false;
  std::memcpy(values.data(), data, values.size_bytes());
  return true;
}

void GeometryCache::storeValues(std::uint64_t key, std::span<const float> values) const {
  if (folder_.empty()) return;
  const std::uint64_t digest =
      Hash64().value(key).bytes(values.data(), values.size_bytes()).digest();
  try {
    io::AtomicFile out(file(key, "field"));
    out.write(&digest, sizeof digest);
    out.write(values.data(), values.size_bytes());
    out.commit();
  } catch (const InputError&) {
    // A full or read-only disk: the field is sampled again next time.
  }
}

TriangleMesh GeometryCache::boneMesh(const BoneShape& shape, double tolerance) const {
  if (!shape.symmetric && meanX(shape) < 0)
    return mirroredMesh(boneMesh(mirrored(shape), tolerance));
  const double cell = defaultResolution(shape);
  Hash64 key;
  key.value(kGeneratorVersion).value(contentHash(shape)).value(cell);
  const auto make = [&] { return makeBoneMesh(shape, cell); };
  const std::uint64_t fine = key.digest();
  if (!(tolerance > 0)) return get(fine, make);
  key.value(tolerance);
  return get(key.digest(), [&] { return simplified(get(fine, make), tolerance); });
}

double defaultResolution(const BoneShape& shape) {
  const Box box = internal::ShapeField(shape).bounds();
  if (box.empty()) return 0.001;
  double thinnest = 0.01;
  for (const ShapePart& p : shape.parts)
    if (p.kind == ShapeKind::Ellipsoid && p.operation == ShapeOperation::Add)
      thinnest = std::min(thinnest, p.radii.minCoeff());
  return std::clamp(std::min(box.size().norm() / 110, 1.1 * thinnest), 0.0008, 0.0018);
}

TriangleMesh mirroredMesh(TriangleMesh mesh) {
  for (Vec3& p : mesh.positions) p.x() = -p.x();
  flipOrientation(mesh);
  return mesh;
}

}  // namespace pneuma::anatomy
