#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/error.h"
#include "pneuma/core/types.h"
#include "pneuma/io/atomic_file.h"

/// Point caches (PC2): every vertex of every frame, for exact playback in Blender (Mesh Cache
/// modifier), Maya and 3ds Max.
namespace pneuma::io {

/// Writes frames one by one, so that a long sequence never lies in memory. The file appears at
/// finish().
class PointCacheWriter {
 public:
  /// `sampleRate` is the distance of two samples in frames of the animation program.
  PointCacheWriter(const std::filesystem::path& path, std::size_t pointCount, float startFrame = 0,
                   float sampleRate = 1);
  /// [m], 32-bit in the file.
  void addFrame(std::span<const Vec3> points);
  void finish();

 private:
  AtomicFile file_;
  std::size_t pointCount_;
  std::uint32_t samples_ = 0;
  std::vector<float> buffer_;
};

/// Positions of all points in every frame, as a PC2 file holds them.
struct PointCache {
  std::size_t pointCount = 0;
  float startFrame = 0, sampleRate = 1;
  std::vector<std::vector<Vec3>> frames;
};

Result<PointCache> readPointCache(const std::filesystem::path& path);
/// The same from bytes in memory; `file` stands in messages.
Result<PointCache> parsePointCache(std::string_view content, const std::string& file);

}  // namespace pneuma::io
