#include "pneuma/io/point_cache.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "pneuma/core/check.h"
#include "pneuma/io/file.h"

namespace pneuma::io {
namespace {

struct CacheHeader {
  std::array<char, 12> magic{'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
  std::int32_t version = 1;
  std::int32_t pointCount = 0;
  float startFrame = 0;
  float sampleRate = 1;
  std::int32_t sampleCount = 0;
};
static_assert(sizeof(CacheHeader) == 32);

}  // namespace

PointCacheWriter::PointCacheWriter(const std::filesystem::path& path, std::size_t pointCount,
                                   float startFrame, float sampleRate)
    : file_(path), pointCount_(pointCount), buffer_(3 * pointCount) {
  const CacheHeader header{.pointCount = static_cast<std::int32_t>(pointCount),
                           .startFrame = startFrame,
                           .sampleRate = sampleRate};
  file_.write(&header, sizeof header);
}

void PointCacheWriter::addFrame(std::span<const Vec3> points) {
  PNEUMA_CHECK(points.size() == pointCount_, "{} points for a cache of {}", points.size(),
               pointCount_);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      buffer_[3 * i + k] = static_cast<float>(points[i][static_cast<Eigen::Index>(k)]);
  file_.write(buffer_.data(), buffer_.size() * sizeof(float));
  ++samples_;
}

void PointCacheWriter::finish() {
  file_.writeAt(offsetof(CacheHeader, sampleCount), &samples_, sizeof samples_);
  file_.commit();
}

Result<PointCache> readPointCache(const std::filesystem::path& path) {
  const Result<std::string> content = readFile(path);
  if (!content) return content.diagnostics();
  return parsePointCache(*content, path.string());
}

/// The counts of a header are believed only after the bytes behind it are seen to suffice: nothing
/// is allocated for a number that a broken file states.
Result<PointCache> parsePointCache(std::string_view content, const std::string& file) {
  CacheHeader header;
  if (content.size() < sizeof header) return fileError(file, "ends within its header");
  std::memcpy(&header, content.data(), sizeof header);
  if (header.magic != CacheHeader().magic) return fileError(file, "is not a PC2 point cache");
  if (header.version != 1)
    return fileError(file, fmt::format("has PC2 version {}", header.version), "1");
  if (header.pointCount <= 0 || header.sampleCount <= 0)
    return fileError(
        file, fmt::format("has {} points and {} samples", header.pointCount, header.sampleCount),
        "at least one of each");
  const std::size_t points = static_cast<std::size_t>(header.pointCount);
  const std::size_t samples = static_cast<std::size_t>(header.sampleCount);
  const std::size_t room = (content.size() - sizeof header) / (3 * sizeof(float));
  if (points > room || samples > room / points)
    return fileError(
        file, fmt::format("says {} samples of {} points, but holds only {} points in all", samples,
                          points, room));

  PointCache cache{
      .pointCount = points, .startFrame = header.startFrame, .sampleRate = header.sampleRate};
  const char* at = content.data() + sizeof header;
  for (std::size_t s = 0; s < samples; ++s) {
    std::vector<Vec3>& frame = cache.frames.emplace_back(points);
    for (std::size_t i = 0; i < points; ++i, at += 3 * sizeof(float)) {
      std::array<float, 3> xyz;
      std::memcpy(xyz.data(), at, sizeof xyz);
      frame[i] = Vec3(xyz[0], xyz[1], xyz[2]);
      if (!frame[i].allFinite())
        return fileError(file, fmt::format("point {} of sample {} is not finite", i, s));
    }
  }
  return cache;
}

}  // namespace pneuma::io
