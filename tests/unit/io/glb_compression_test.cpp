#include "pneuma/io/glb_compression.h"

#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "pneuma/io/gltf_writer.h"

namespace pneuma::io {
namespace {

using Json = nlohmann::json;

struct Parts {
  Json document;
  std::string bytes;
};

Parts partsOf(const std::string& glb) {
  std::uint32_t textSize = 0;
  std::memcpy(&textSize, glb.data() + 12, sizeof textSize);
  return {Json::parse(glb.substr(20, textSize)), glb.substr(28 + textSize)};
}

/// A bumpy sheet, fine enough that compression has something to find.
std::string sheetGlb() {
  constexpr int kSide = 60;
  GltfMesh mesh{.name = "sheet"};
  for (int i = 0; i < kSide; ++i)
    for (int k = 0; k < kSide; ++k)
      mesh.positions.emplace_back(0.01 * i, 0.01 * k, 0.02 * std::sin(0.2 * i) * std::cos(0.3 * k));
  for (int i = 0; i + 1 < kSide; ++i)
    for (int k = 0; k + 1 < kSide; ++k) {
      const int a = i * kSide + k;
      mesh.triangles.push_back({a, a + kSide, a + 1});
      mesh.triangles.push_back({a + 1, a + kSide, a + kSide + 1});
    }
  GltfScene scene;
  scene.addNodeFor(scene.addMesh(mesh));
  return toGlb(scene);
}

/// What a reader of the extension would see of an accessor's view.
std::string decoded(const Parts& p, const Json& accessor) {
  const Json& e = p.document["bufferViews"][accessor["bufferView"].get<std::size_t>()]["extensions"]
                            ["EXT_meshopt_compression"];
  const std::size_t count = e["count"], stride = e["byteStride"];
  const auto* data =
      reinterpret_cast<const unsigned char*>(p.bytes.data()) + e["byteOffset"].get<std::size_t>();
  std::string out(count * stride, '\0');
  const int failed =
      e["mode"] == "TRIANGLES"
          ? meshopt_decodeIndexBuffer(out.data(), count, stride, data, e["byteLength"])
          : meshopt_decodeVertexBuffer(out.data(), count, stride, data, e["byteLength"]);
  EXPECT_EQ(failed, 0);
  return out;
}

TEST(GlbCompression, GivesTheSameSurfaceWithinItsRoundingInLessSpace) {
  const std::string plain = sheetGlb(), small = compressedGlb(plain);
  EXPECT_LT(small.size(), 0.45 * static_cast<double>(plain.size()));
  const Parts before = partsOf(plain), after = partsOf(small);
  const Json& primitive = before.document["meshes"][0]["primitives"][0];
  const Json& accessors = after.document["accessors"];
  const Json& positions = accessors[primitive["attributes"]["POSITION"].get<std::size_t>()];
  const Json& plainView =
      before.document["bufferViews"][positions["bufferView"].get<std::size_t>()];
  const std::string is = decoded(after, positions);
  const char* was = before.bytes.data() + plainView.value("byteOffset", 0);
  double worst = 0;
  for (std::size_t at = 0; at < is.size(); at += sizeof(float)) {
    float a = 0, b = 0;
    std::memcpy(&a, is.data() + at, sizeof a);
    std::memcpy(&b, was + at, sizeof b);
    worst = std::max(worst, std::abs(static_cast<double>(a) - static_cast<double>(b)));
  }
  EXPECT_GT(worst, 0);
  EXPECT_LE(worst, 0.51 * GlbRounding{}.position);
  const std::string corners = decoded(after, accessors[primitive["indices"].get<std::size_t>()]);
  EXPECT_EQ(corners.size(), 59u * 59 * 2 * 3 * 2);
}

TEST(GlbCompression, NamesTheExtensionItNeeds) {
  const Parts p = partsOf(compressedGlb(sheetGlb()));
  EXPECT_EQ(p.document["extensionsRequired"].back(), "EXT_meshopt_compression");
  EXPECT_EQ(p.document["buffers"].size(), 2u);
  EXPECT_TRUE(p.document["buffers"][1]["extensions"]["EXT_meshopt_compression"]["fallback"]);
}

}  // namespace
}  // namespace pneuma::io
