#include "pneuma/io/point_cache.h"

#include <gtest/gtest.h>

#include "tests/support/scratch_folder.h"

namespace pneuma::io {
namespace {

using test::contentOf;
using test::ScratchFolder;

TEST(PointCache, ReadsBackWhatWasWritten) {
  const ScratchFolder folder;
  const std::vector<std::vector<Vec3>> frames{{{0, 1, 2}, {3, 4, 5}}, {{0, 1, 2.5}, {-3, 4, 5}}};
  PointCacheWriter writer(folder / "a.pc2", 2);
  for (const auto& frame : frames) writer.addFrame(frame);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.pc2"));
  writer.finish();
  const PointCache cache = readPointCache(folder / "a.pc2").valueOrThrow();
  EXPECT_EQ(cache.frames, frames);
  EXPECT_EQ(std::filesystem::file_size(folder / "a.pc2"), 32u + 2 * 2 * 12);
}

TEST(PointCache, RefusesCountsThatTheFileCannotHold) {
  const ScratchFolder folder;
  PointCacheWriter writer(folder / "a.pc2", 2);
  writer.addFrame(std::vector<Vec3>(2, Vec3::Zero()));
  writer.finish();
  std::string bytes = contentOf(folder / "a.pc2");
  bytes[19] = '\x7f';  // two billion points
  EXPECT_FALSE(parsePointCache(bytes, "a.pc2").ok());
}

}  // namespace
}  // namespace pneuma::io
