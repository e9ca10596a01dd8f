#include "io/gltf_meshopt.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include "pneuma/io/file.h"

namespace pneuma::io::internal {
namespace {

using ViewJson = GltfDocument::Json;

const ViewJson* meshoptExtension(const ViewJson& object) {
  const auto extensions = object.find("extensions");
  if (extensions == object.end() || !extensions->is_object()) return nullptr;
  for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    const auto it = extensions->find(name);
    if (it != extensions->end() && it->is_object()) return &*it;
  }
  return nullptr;
}

/// Strides each mode allows, as the extension's text lists them.
bool strideFits(const MeshoptView& v) {
  if (v.mode == "ATTRIBUTES") return v.stride >= 4 && v.stride <= 256 && v.stride % 4 == 0;
  return v.stride == 2 || v.stride == 4;
}

bool filterFits(const MeshoptView& v) {
  if (v.filter == "NONE") return true;
  if (v.mode != "ATTRIBUTES") return false;
  if (v.filter == "OCTAHEDRAL") return v.stride == 4 || v.stride == 8;
  if (v.filter == "QUATERNION") return v.stride == 8;
  return v.filter == "EXPONENTIAL";
}

void applyFilter(const MeshoptView& v, std::string& out) {
  if (v.filter == "OCTAHEDRAL") meshopt_decodeFilterOct(out.data(), v.count, v.stride);
  if (v.filter == "QUATERNION") meshopt_decodeFilterQuat(out.data(), v.count, v.stride);
  if (v.filter == "EXPONENTIAL") meshopt_decodeFilterExp(out.data(), v.count, v.stride);
}

}  // namespace

bool isMeshoptName(std::string_view extension) {
  return extension == "EXT_meshopt_compression" || extension == "KHR_meshopt_compression";
}

bool isMeshoptFallback(const ViewJson& buffer) {
  const ViewJson* extension = meshoptExtension(buffer);
  return extension && extension->contains("fallback") && (*extension)["fallback"] == true;
}

std::optional<MeshoptView> meshoptView(const ViewJson& view, std::size_t index) {
  const ViewJson* e = meshoptExtension(view);
  if (!e) return std::nullopt;
  const auto number = [&](const char* key) { return GltfDocument::index(*e, key).value_or(0); };
  const MeshoptView v{.buffer = GltfDocument::index(*e, "buffer").value_or(~std::size_t{0}),
                      .offset = number("byteOffset"),
                      .length = number("byteLength"),
                      .stride = number("byteStride"),
                      .count = number("count"),
                      .mode = e->value("mode", ""),
                      .filter = e->value("filter", "NONE")};
  if (v.mode != "ATTRIBUTES" && v.mode != "TRIANGLES" && v.mode != "INDICES")
    throw GltfProblem{fmt::format("bufferViews[{}] has the unknown compression mode {}", index,
                                  quotedWord(v.mode))};
  if (!strideFits(v) || (v.mode == "TRIANGLES" && v.count % 3 != 0))
    throw GltfProblem{fmt::format("bufferViews[{}] holds {} elements of {} bytes, which {} cannot",
                                  index, v.count, v.stride, v.mode)};
  if (!filterFits(v))
    throw GltfProblem{fmt::format("bufferViews[{}] has a filter {} that does not fit", index,
                                  quotedWord(v.filter))};
  return v;
}

std::string decodedMeshopt(const MeshoptView& v, std::string_view bytes, std::size_t index) {
  std::string out(v.count * v.stride, '\0');
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int failure = 0;
  if (v.mode == "ATTRIBUTES")
    failure = meshopt_decodeVertexBuffer(out.data(), v.count, v.stride, data, bytes.size());
  else if (v.mode == "TRIANGLES")
    failure = meshopt_decodeIndexBuffer(out.data(), v.count, v.stride, data, bytes.size());
  else
    failure = meshopt_decodeIndexSequence(out.data(), v.count, v.stride, data, bytes.size());
  if (failure != 0)
    throw GltfProblem{fmt::format("bufferViews[{}] holds damaged compressed data", index)};
  applyFilter(v, out);
  return out;
}

}  // namespace pneuma::io::internal
