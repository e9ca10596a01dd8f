#include "pneuma/anatomy/geometry_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/scratch_folder.h"

namespace pneuma::anatomy {
namespace {

class GeometryCacheTest : public testing::Test {
 protected:
  static BoneShape shape(double x) {
    ShapePart p;
    p.kind = ShapeKind::Ellipsoid;
    p.center = Vec3(x, 0, 0);
    p.radii = Vec3(0.01, 0.008, 0.006);
    return {false, {p}};
  }
  std::filesystem::path onlyFile() const {
    return std::filesystem::directory_iterator(folder_ / "geometry")->path();
  }
  const test::ScratchFolder folder_;
};

TEST_F(GeometryCacheTest, SecondCallReadsTheSameBits) {
  const GeometryCache cache(folder_.path());
  const TriangleMesh made = cache.boneMesh(shape(0.05));
  const TriangleMesh read = cache.boneMesh(shape(0.05));
  EXPECT_EQ(made.positions, read.positions);
  EXPECT_EQ(made.triangles, read.triangles);
}

TEST_F(GeometryCacheTest, KeyFollowsTheContent) {
  EXPECT_NE(contentHash(shape(0.05)), contentHash(shape(0.050001)));
}

TEST_F(GeometryCacheTest, DamagedEntryIsMadeAgain) {
  const GeometryCache cache(folder_.path());
  const TriangleMesh made = cache.boneMesh(shape(0.05));
  {
    std::fstream file(onlyFile(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200);
    file.put('\x55');
  }
  EXPECT_EQ(cache.boneMesh(shape(0.05)).positions, made.positions);
  std::filesystem::resize_file(onlyFile(), 100);
  EXPECT_EQ(cache.boneMesh(shape(0.05)).positions, made.positions);
}

TEST_F(GeometryCacheTest, RightBoneMirrorsTheLeftExactly) {
  const GeometryCache cache(folder_.path());
  const TriangleMesh left = cache.boneMesh(shape(0.05)), right = cache.boneMesh(shape(-0.05));
  ASSERT_EQ(left.vertexCount(), right.vertexCount());
  for (std::size_t i = 0; i < left.vertexCount(); ++i) {
    EXPECT_EQ(left.positions[i].x(), -right.positions[i].x());
    EXPECT_EQ(left.positions[i].y(), right.positions[i].y());
  }
  EXPECT_GT(enclosedVolume(right), 0);
}

TEST_F(GeometryCacheTest, UnwritableFolderOnlyCostsTime) {
  const GeometryCache cache("/proc/no_such_place");
  EXPECT_FALSE(cache.boneMesh(shape(0.05)).empty());
}

TEST_F(GeometryCacheTest, WithoutAFolderNothingIsKept) {
  const GeometryCache cache{std::filesystem::path()};
  EXPECT_FALSE(cache.boneMesh(shape(0.05)).empty());
  EXPECT_FALSE(std::filesystem::exists("geometry"));
}

/// Without a home, entries lie in the temporary folder, where others could have put a folder of the
/// same name: only one that nobody else can write to is used.
TEST_F(GeometryCacheTest, TheLastResortIsAFolderOfOnesOwn) {
  const auto inChild = [&](auto check) {
    EXPECT_EXIT(
        {
          for (const char* name : {"PNEUMA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) ::unsetenv(name);
          ::setenv("TMPDIR", folder_.path().c_str(), 1);
          std::_Exit(check() ? 0
                             : 1);  // no destructors: they would wait for threads that a fork lacks
        },
        ::testing::ExitedWithCode(0), "");
  };
  using std::filesystem::perms;
  inChild([] {
    const auto folder = GeometryCache::defaultFolder();
    return (status(folder).permissions() & (perms::group_all | perms::others_all)) == perms::none;
  });
  inChild([] {
    permissions(GeometryCache::defaultFolder(), perms::all);
    return GeometryCache::defaultFolder().empty();
  });
}

}  // namespace
}  // namespace pneuma::anatomy
