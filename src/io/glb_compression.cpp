#include "pneuma/io/glb_compression.h"

#include <meshoptimizer.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "pneuma/core/check.h"

namespace pneuma::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126, kUnsigned16 = 5123, kUnsigned32 = 5125;
constexpr int kTriangles = 4;
constexpr const char* kExtension = "EXT_meshopt_compression";

std::uint32_t glbWord(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void appendWord(std::string& bytes, std::size_t value) {
  const auto word = static_cast<std::uint32_t>(value);
  bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
}

std::size_t elementSize(const Json& accessor) {
  const std::string type = accessor["type"];
  const std::size_t components = type == "SCALAR" ? 1 : type == "MAT4" ? 16 : type.back() - '0';
  const int number = accessor["componentType"];
  return components * (number == kFloat || number == kUnsigned32 ? 4 : number >= 5122 ? 2 : 1);
}

/// What one buffer view holds: the numbers of one accessor.
struct ViewContent {
  enum class Kind { Other, Vertices, Triangles } kind = Kind::Other;
  std::size_t count = 0, stride = 0;
  int number = 0;
  double rounding = 0;  ///< of floats; 0: as they are
};

/// A GLB taken apart, its views compressed one by one, and put together again.
class GlbCompressor {
 public:
  GlbCompressor(std::string_view glb, const GlbRounding& rounding) : rounding_(rounding) {
    PNEUMA_CHECK(glb.size() > 28 && glb.starts_with("glTF"), "not a GLB");
    const std::size_t textSize = glbWord(glb, 12);
    document_ = Json::parse(glb.substr(20, textSize));
    bytes_ = glb.substr(28 + textSize);
    // The versions that the extension names.
    meshopt_encodeVertexVersion(0);
    meshopt_encodeIndexVersion(1);
  }

  std::string run() {
    contents_.resize(document_["bufferViews"].size());
    for (Json& mesh : document_["meshes"])
      for (Json& primitive : mesh["primitives"]) readPrimitive(primitive);
    if (document_.contains("animations"))
      for (Json& animation : document_["animations"]) readAnimation(animation);
    for (std::size_t i = 0; i < contents_.size(); ++i)
      addView(document_["bufferViews"][i], contents_[i]);
    document_["buffers"] = Json::array({{{"byteLength", compressed_.size()}},
                                        {{"byteLength", (fallbackSize_ + 3) / 4 * 4},
                                         {"extensions", {{kExtension, {{"fallback", true}}}}}}});
    for (const char* list : {"extensionsUsed", "extensionsRequired"})
      document_[list].push_back(kExtension);
    return packed();
  }

 private:
  void readPrimitive(Json& primitive) {
    for (auto& [name, index] : primitive["attributes"].items()) vertices(index, roundingOf(name));
    if (primitive.contains("indices") && primitive.value("mode", kTriangles) == kTriangles)
      triangles(primitive["indices"]);
    if (!primitive.contains("targets")) return;
    for (Json& target : primitive["targets"])
      for (auto& [name, index] : target.items()) vertices(index, roundingOf(name));
  }

  void readAnimation(Json& animation) {
    for (const Json& channel : animation["channels"]) {
      const std::string path = channel["target"]["path"];
      const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
      vertices(sampler["output"], path == "translation" ? rounding_.position
                                  : path == "rotation"  ? rounding_.rotation
                                                        : 0);
      vertices(sampler["input"], 0);
    }
  }

  double roundingOf(const std::string& attribute) const {
    if (attribute == "POSITION") return rounding_.position;
    if (attribute == "NORMAL" || attribute == "TANGENT") return rounding_.direction;
    return 0;
  }

  /// The codec takes elements of 4, 8, 12... bytes.
  void vertices(const Json& index, double rounding) {
    Json& accessor = document_["accessors"][index.get<std::size_t>()];
    if (!accessor.contains("bufferView")) return;
    const Json& view = document_["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const std::size_t stride = view.value("byteStride", elementSize(accessor));
    if (stride % 4 != 0 || stride > 256 || accessor.value("byteOffset", 0) != 0) return;
    const bool rounded = rounding > 0 && accessor["componentType"] == kFloat;
    for (const char* bound : {"min", "max"})
      if (rounded && accessor.contains(bound))
        for (Json& value : accessor[bound]) value = nearest(value.get<double>(), rounding);
    contents_[accessor["bufferView"].get<std::size_t>()] = {
        .kind = ViewContent::Kind::Vertices,
        .count = accessor["count"].get<std::size_t>(),
        .stride = stride,
        .number = accessor["componentType"],
        .rounding = rounded ? rounding : 0};
  }

  void triangles(const Json& index) {
    const Json& accessor = document_["accessors"][index.get<std::size_t>()];
    const int number = accessor["componentType"];
    const std::size_t count = accessor["count"];
    if (count % 3 != 0 || (number != kUnsigned16 && number != kUnsigned32)) return;
    contents_[accessor["bufferView"].get<std::size_t>()] = {.kind = ViewContent::Kind::Triangles,
                                                            .count = count,
                                                            .stride = elementSize(accessor),
                                                            .number = number};
  }

  static double nearest(double value, double step) { return std::round(value / step) * step; }

  std::vector<unsigned char> encodedVertices(std::string_view data, const ViewContent& c) const {
    std::string values(data);
    for (std::size_t at = 0; c.rounding > 0 && at + sizeof(float) <= values.size();
         at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, values.data() + at, sizeof value);
      value = static_cast<float>(nearest(static_cast<double>(value), c.rounding));
      std::memcpy(values.data() + at, &value, sizeof value);
    }
    std::vector<unsigned char> out(meshopt_encodeVertexBufferBound(c.count, c.stride));
    out.resize(
        meshopt_encodeVertexBuffer(out.data(), out.size(), values.data(), c.count, c.stride));
    return out;
  }

  static std::vector<unsigned char> encodedTriangles(std::string_view data, const ViewContent& c) {
    std::vector<unsigned> corners(c.count);
    unsigned largest = 0;
    for (std::size_t i = 0; i < c.count; ++i) {
      std::memcpy(&corners[i], data.data() + i * c.stride, c.stride);
      largest = std::max(largest, corners[i]);
    }
    std::vector<unsigned char> out(meshopt_encodeIndexBufferBound(c.count, largest + 1));
    out.resize(meshopt_encodeIndexBuffer(out.data(), out.size(), corners.data(), c.count));
    return out;
  }

  void addView(Json& view, const ViewContent& content) {
    const std::size_t offset = view.value("byteOffset", std::size_t{0}), size = view["byteLength"];
    const std::string_view data = bytes_.substr(offset, size);
    std::vector<unsigned char> encoded;
    if (content.kind != ViewContent::Kind::Other && content.count * content.stride == size)
      encoded = content.kind == ViewContent::Kind::Vertices ? encodedVertices(data, content)
                                                            : encodedTriangles(data, content);
    compressed_.resize((compressed_.size() + 3) / 4 * 4, '\0');
    if (encoded.empty()) {
      view["byteOffset"] = compressed_.size();
      compressed_.append(data);
      return;
    }
    fallbackSize_ = (fallbackSize_ + 3) / 4 * 4;
    view["buffer"] = 1;
    view["byteOffset"] = fallbackSize_;
    fallbackSize_ += size;
    view["extensions"][kExtension] = {
        {"buffer", 0},
        {"byteOffset", compressed_.size()},
        {"byteLength", encoded.size()},
        {"byteStride", content.stride},
        {"mode", content.kind == ViewContent::Kind::Vertices ? "ATTRIBUTES" : "TRIANGLES"},
        {"count", content.count}};
    compressed_.append(reinterpret_cast<const char*>(encoded.data()), encoded.size());
  }

  std::string packed() const {
    std::string text = document_.dump(), bin = compressed_;
    text.resize((text.size() + 3) / 4 * 4, ' ');
    bin.resize((bin.size() + 3) / 4 * 4, '\0');
    std::string glb = "glTF";
    appendWord(glb, 2);
    appendWord(glb, 12 + 8 + text.size() + 8 + bin.size());
    appendWord(glb, text.size());
    glb += "JSON" + text;
    appendWord(glb, bin.size());
    return glb + std::string("BIN\0", 4) + bin;
  }

  GlbRounding rounding_;
  Json document_;
  std::string_view bytes_;
  std::vector<ViewContent> contents_;  ///< of each buffer view
  std::string compressed_;             ///< the new buffer
  std::size_t fallbackSize_ = 0;       ///< of the buffer that decoders fill
};

}  // namespace

std::string compressedGlb(std::string_view glb, const GlbRounding& rounding) {
  return GlbCompressor(glb, rounding).run();
}

}  // namespace pneuma::io
