#include "pneuma/io/pack.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "pneuma/core/error.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma::io {
namespace {

TEST(Pack, NumbersComeBackExactly) {
  PackWriter out;
  const std::vector<std::uint64_t> counts{0,   1,        127,
                                          128, 1u << 20, std::numeric_limits<std::uint64_t>::max()};
  const std::vector<std::int64_t> integers{
      0, -1, 1, 63, -64, 64, -1000000, std::numeric_limits<std::int64_t>::min()};
  for (const std::uint64_t c : counts) out.count(c);
  for (const std::int64_t i : integers) out.integer(i);
  out.number(-0.1);
  out.text("costal cartilage");
  PackReader in(out.bytes());
  for (const std::uint64_t c : counts) EXPECT_EQ(in.count(), c);
  for (const std::int64_t i : integers) EXPECT_EQ(in.integer(), i);
  EXPECT_EQ(in.number(), -0.1);
  EXPECT_EQ(in.text(), "costal cartilage");
  EXPECT_TRUE(in.atEnd());
}

TEST(Pack, SmallNumbersTakeOneByte) {
  PackWriter out;
  out.count(127);
  out.integer(-64);
  EXPECT_EQ(out.bytes().size(), 2u);
}

TEST(Pack, PlacesStayWithinHalfACellOfTheirBox) {
  const std::vector<Vec3> places{{-0.4, 0, 0.1}, {0.4, 1.75, 0.1}, {0.1234567, 0.7654321, 0.1}};
  PackWriter out;
  out.points(places);
  PackReader in(out.bytes());
  const std::vector<Vec3> back = in.points();
  ASSERT_EQ(back.size(), places.size());
  const Vec3 cell = Vec3(0.8, 1.75, 0) / kPackCells;
  for (std::size_t i = 0; i < places.size(); ++i)
    for (int k = 0; k < 3; ++k)
      EXPECT_LE(std::abs(back[i][k] - places[i][k]), 0.5 * cell[k] + 1e-15) << i << " " << k;
}

TEST(Pack, ASurfaceKeepsItsTriangles) {
  const TriangleMesh mesh = makeSphere(0.1, 2);
  PackWriter out;
  out.mesh(mesh);
  // Half of what floats and 32-bit indices take.
  EXPECT_LT(out.bytes().size(), (12 * mesh.vertexCount() + 12 * mesh.triangleCount()) / 2);
  PackReader in(out.bytes());
  EXPECT_EQ(in.mesh().triangles, mesh.triangles);
}

TEST(Pack, EveryShorterTextIsRefused) {
  PackWriter out;
  out.mesh(makeSphere(0.1, 0));
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    PackReader in(std::string_view(out.bytes()).substr(0, size));
    EXPECT_THROW(in.mesh(), InputError) << size;
  }
}

TEST(Pack, ATriangleWithoutItsCornerIsRefused) {
  PackWriter out;
  out.points(std::vector<Vec3>{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()});
  out.count(1);
  for (const int corner : {0, 1, 2}) out.integer(corner);  // differences: 0, 1, 3
  PackReader in(out.bytes());
  EXPECT_THROW(in.mesh(), InputError);
}

TEST(Pack, ACountBeyondTheBytesDoesNotAllocate) {
  PackWriter out;
  out.count(std::uint64_t{1} << 60);
  PackReader in(out.bytes());
  EXPECT_THROW(in.points(), InputError);
}

}  // namespace
}  // namespace pneuma::io
