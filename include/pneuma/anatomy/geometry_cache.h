#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "pneuma/anatomy/bone_shape.h"

namespace pneuma::anatomy {

/// Generated surfaces and sampled fields kept on disk, keyed by the content they are made from.
/// Safe to delete at any time, safe to share between processes (files appear complete or not at
/// all); an unreadable or damaged entry counts as absent. A folder that cannot be written only
/// costs time.
class GeometryCache {
 public:
  explicit GeometryCache(std::filesystem::path folder = defaultFolder());

  /// $PNEUMA_CACHE_DIR, else $XDG_CACHE_HOME/pneuma, else ~/.cache/pneuma, else a folder of this
  /// user's own in the temporary one, else "": nothing is kept.
  static std::filesystem::path defaultFolder();

  const std::filesystem::path& folder() const { return folder_; }

  std::optional<TriangleMesh> load(std::uint64_t key) const;
  void store(std::uint64_t key, const TriangleMesh& mesh) const;
  /// The stored surface, or what `make` gives, stored.
  TriangleMesh get(std::uint64_t key, const std::function<TriangleMesh()>& make) const;

  /// Numbers of a known count (samples of a field). False when there is no whole entry.
  bool loadValues(std::uint64_t key, std::span<float> values) const;
  void storeValues(std::uint64_t key, std::span<const float> values) const;

  /// Surface of a bone. A right bone is the mirror image of the left one's surface, so both sides
  /// are equal to the last bit and made once. It is made with cells of defaultResolution(shape);
  /// `tolerance` > 0 then takes away triangles that matter less than that [m].
  TriangleMesh boneMesh(const BoneShape& shape, double tolerance = 0) const;

 private:
  std::filesystem::path file(std::uint64_t key, const char* ending = "mesh") const;
  std::filesystem::path folder_;
};

/// Tolerance of bones in films and files [m]: less than a fifth of the triangles, no eye sees it.
constexpr double kLightBone = 2e-4;

/// Cell size that shows a shape well: a hundred and tenth of its size, at most about its thinnest
/// part, between 0.8 and 1.8 mm.
double defaultResolution(const BoneShape& shape);

/// Reflection in x = 0, triangles still facing outwards.
TriangleMesh mirroredMesh(TriangleMesh mesh);

}  // namespace pneuma::anatomy
