#include "io/gltf_document.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "io/gltf_meshopt.h"
#include "pneuma/core/base64.h"
#include "pneuma/io/file.h"

namespace pneuma::io::internal {

/// How the numbers of an accessor lie in a buffer view.
struct GltfDocument::Layout {
  std::size_t count = 0, components = 0, componentSize = 0;
  int componentType = 0;
  bool normalized = false;

  std::size_t elementSize() const { return components * componentSize; }
  double component(const char* at) const;
};

namespace {

std::uint32_t word(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::size_t componentsOf(const std::string& type) {
  if (type == "SCALAR") return 1;
  if (type == "VEC2") return 2;
  if (type == "VEC3") return 3;
  if (type == "VEC4") return 4;
  if (type == "MAT4") return 16;
  throw GltfProblem{"accessor type " + quotedWord(type) + " cannot be used here"};
}

std::size_t componentSizeOf(int type) {
  switch (type) {
    case 5120:
    case 5121:
      return 1;
    case 5122:
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      throw GltfProblem{fmt::format("unknown component type {}", type)};
  }
}

template <class T>
double convert(const char* at, bool normalized) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::is_integral_v<T>) {
    if (normalized)
      return std::max(static_cast<double>(value) / std::numeric_limits<T>::max(), -1.0);
  }
  return static_cast<double>(value);
}

}  // namespace

double GltfDocument::Layout::component(const char* at) const {
  switch (componentType) {
    case 5120:
      return convert<std::int8_t>(at, normalized);
    case 5121:
      return convert<std::uint8_t>(at, normalized);
    case 5122:
      return convert<std::int16_t>(at, normalized);
    case 5123:
      return convert<std::uint16_t>(at, normalized);
    case 5125:
      return convert<std::uint32_t>(at, normalized);
    default:
      return convert<float>(at, false);
  }
}

GltfDocument::GltfDocument(std::string_view content, const std::string& file)
    : totalBytes_(content.size()) {
  parseContainer(content);
  if (!json_.is_object()) throw GltfProblem{"is not glTF: its JSON is no object"};
  const auto asset = json_.find("asset");
  if (asset == json_.end() || !asset->is_object() || !asset->contains("version") ||
      !(*asset)["version"].is_string())
    throw GltfProblem{"is not glTF: no asset version"};
  const std::string version = (*asset)["version"];
  if (!version.starts_with("2.")) throw GltfProblem{"is glTF " + quotedWord(version) + ", not 2.x"};
  loadBuffers(file);
  decodeViews();
}

/// A GLB or plain JSON. Every length is checked before it is used, for files come from anywhere;
/// chunks of unknown type are kept, since a document that is edited must not lose them.
void GltfDocument::parseContainer(std::string_view content) {
  if (!content.starts_with("glTF")) {
    const std::size_t start = content.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || (content[start] != '{' && content[start] != '['))
      throw GltfProblem{"is not glTF: neither a GLB header nor JSON"};
    return parseJson(content);
  }
  if (content.size() < 20) throw GltfProblem{"ends within its GLB header"};
  if (word(content, 4) != 2)
    throw GltfProblem{fmt::format("is GLB version {}, not 2", word(content, 4))};
  if (word(content, 8) > content.size())
    throw GltfProblem{
        fmt::format("is truncated: {} of {} bytes", content.size(), word(content, 8))};
  std::string_view rest = content.substr(12, word(content, 8) < 12 ? 0 : word(content, 8) - 12);
  bool haveJson = false;
  binary_ = true;
  while (rest.size() >= 8) {
    const std::uint32_t size = word(rest, 0), type = word(rest, 4);
    if (size > rest.size() - 8) throw GltfProblem{"has a chunk that is longer than the file"};
    const std::string_view chunk = rest.substr(8, size);
    rest.remove_prefix(8 + size);
    if (type == 0x4E4F534A && !haveJson) {
      parseJson(chunk);
      haveJson = true;
      otherChunks_ = rest;
    } else if (type == 0x004E4942 && binaryChunk_.empty()) {
      binaryChunk_ = chunk;
      otherChunks_ = rest;
    }
  }
  if (!haveJson) throw GltfProblem{"has no JSON chunk"};
}

void GltfDocument::parseJson(std::string_view text) {
  jsonText_ = text;
  try {
    json_ = Json::parse(text);
  } catch (const Json::parse_error& e) {
    throw GltfProblem{fmt::format("is not valid JSON at byte {}", e.byte)};
  }
}

const GltfDocument::Json& GltfDocument::at(const char* array, std::size_t i) const {
  if (i >= count(array))
    throw GltfProblem{fmt::format("refers to {}[{}], which does not exist", array, i)};
  const Json& entry = json_.at(array).at(i);
  if (!entry.is_object()) throw GltfProblem{fmt::format("{}[{}] is no object", array, i)};
  return entry;
}

std::size_t GltfDocument::count(const char* array) const {
  const auto it = json_.find(array);
  if (it == json_.end()) return 0;
  if (!it->is_array()) throw GltfProblem{fmt::format("'{}' is no array", array)};
  return it->size();
}

const GltfDocument::Json& GltfDocument::primitives(std::size_t mesh) const {
  const Json& object = at("meshes", mesh);
  const auto it = object.find("primitives");
  if (it == object.end() || !it->is_array())
    throw GltfProblem{fmt::format("meshes[{}] has no primitives", mesh)};
  return *it;
}

void GltfDocument::requireKnownExtensions() const {
  const auto required = json_.find("extensionsRequired");
  if (required == json_.end()) return;
  for (const Json& name : *required) {
    const std::string text = name.is_string() ? name.get<std::string>() : "";
    const bool harmless = text.starts_with("KHR_materials_") || text.starts_with("KHR_texture_") ||
                          text.starts_with("EXT_texture_") || text == "KHR_mesh_quantization" ||
                          text == "KHR_lights_punctual" || isMeshoptName(text);
    if (!harmless)
      throw GltfProblem{"needs the extension " + quotedWord(text) + ", which is not supported"};
  }
}

std::optional<std::size_t> GltfDocument::index(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return std::nullopt;
  if (!it->is_number_unsigned())
    throw GltfProblem{fmt::format("'{}' is not a whole number >= 0", key)};
  return it->get<std::size_t>();
}

void GltfDocument::loadBuffers(const std::string& file) {
  ownedBuffers_.reserve(count("buffers"));
  for (std::size_t i = 0; i < count("buffers"); ++i) {
    const Json& buffer = at("buffers", i);
    const std::size_t length = index(buffer, "byteLength").value_or(0);
    const auto uri = buffer.find("uri");
    std::string_view bytes = binaryChunk_;
    if (uri == buffer.end() && isMeshoptFallback(buffer)) {
      buffers_.emplace_back();  // what decoders fill: it has no bytes of its own
      continue;
    }
    if (uri != buffer.end()) {
      if (!uri->is_string()) throw GltfProblem{"a buffer's uri is no text"};
      ownedBuffers_.push_back(loadUri(uri->get<std::string>(), file));
      bytes = ownedBuffers_.back();
      totalBytes_ += bytes.size();
    }
    if (length > bytes.size())
      throw GltfProblem{fmt::format("buffer {} says {} bytes but has {}", i, length, bytes.size())};
    buffers_.push_back(bytes.substr(0, length));
  }
}

std::string GltfDocument::loadUri(const std::string& uri, const std::string& file) const {
  if (uri.starts_with("data:")) {
    const std::size_t comma = uri.find(";base64,");
    if (comma == std::string::npos) throw GltfProblem{"a data URI is not base64"};
    std::optional<std::string> bytes = decodeBase64(std::string_view(uri).substr(comma + 8));
    if (!bytes) throw GltfProblem{"a data URI is not base64"};
    return std::move(*bytes);
  }
  Result<std::string> bytes =
      readFile(std::filesystem::path(file).parent_path() / gltfFilePath(uri));
  if (!bytes) throw GltfProblem{"buffer " + bytes.diagnostics().front().toString()};
  return std::move(*bytes);
}

std::string gltfFilePath(const std::string& uri) {
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned code = 0;
    const char* digits = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      path += static_cast<char>(code);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  if (std::filesystem::path(path).is_absolute() || path.find("..") != std::string::npos ||
      path.find("://") != std::string::npos || path.find('\0') != std::string::npos)
    throw GltfProblem{"buffer " + quotedWord(uri) + " lies outside the file's folder"};
  return path;
}

void GltfDocument::decodeViews() {
  // Compressed data unfold up to some hundredfold; a count beyond that is no honest one.
  constexpr std::size_t kMostGrowth = 512;
  std::size_t room = largestCount() + kMostGrowth * totalBytes_;
  for (std::size_t i = 0; i < count("bufferViews"); ++i) {
    const std::optional<MeshoptView> packed = meshoptView(at("bufferViews", i), i);
    if (!packed) continue;
    if (packed->buffer >= buffers_.size())
      throw GltfProblem{fmt::format("bufferViews[{}] has no buffer", i)};
    const std::string_view bytes = buffers_[packed->buffer];
    if (packed->offset > bytes.size() || packed->length > bytes.size() - packed->offset)
      throw GltfProblem{fmt::format("bufferViews[{}] reaches beyond its buffer", i)};
    if (packed->count > room / packed->stride)
      throw GltfProblem{fmt::format("bufferViews[{}] says {} elements, more than the file can hold",
                                    i, packed->count)};
    room -= packed->count * packed->stride;
    decodedViews_[i] = decodedMeshopt(*packed, bytes.substr(packed->offset, packed->length), i);
  }
}

std::string_view GltfDocument::bufferView(std::size_t i) const {
  if (const auto decoded = decodedViews_.find(i); decoded != decodedViews_.end())
    return decoded->second;
  const Json& view = at("bufferViews", i);
  const std::optional<std::size_t> buffer = index(view, "buffer");
  if (!buffer || *buffer >= buffers_.size())
    throw GltfProblem{fmt::format("bufferViews[{}] has no buffer", i)};
  const std::size_t offset = index(view, "byteOffset").value_or(0);
  const std::size_t length = index(view, "byteLength").value_or(0);
  const std::string_view bytes = buffers_[*buffer];
  if (offset > bytes.size() || length > bytes.size() - offset)
    throw GltfProblem{fmt::format("bufferViews[{}] reaches beyond its buffer", i)};
  return bytes.substr(offset, length);
}

std::size_t GltfDocument::accessorCount(std::size_t accessor) const {
  const std::size_t n = index(at("accessors", accessor), "count").value_or(0);
  if (n > largestCount())
    throw GltfProblem{
        fmt::format("accessors[{}] says {} elements, more than the file can hold", accessor, n)};
  return n;
}

// Every count, offset and stride comes from the file: nothing is read before the last byte they
// lead to has been checked against the buffer, with products that cannot overflow.
std::vector<double> GltfDocument::numbers(std::size_t i, std::size_t components) const {
  const Json& accessor = at("accessors", i);
  Layout layout;
  layout.count = accessorCount(i);
  layout.components = componentsOf(accessor.value("type", ""));
  if (layout.components != components)
    throw GltfProblem{
        fmt::format("accessors[{}] has {} components, not {}", i, layout.components, components)};
  layout.componentType = accessor.value("componentType", 0);
  layout.componentSize = componentSizeOf(layout.componentType);
  layout.normalized = accessor.value("normalized", false);

  std::vector<double> values(layout.count * components, 0.0);
  if (const auto view = index(accessor, "bufferView"); view && layout.count > 0) {
    const std::string_view bytes = bufferView(*view);
    const std::size_t offset = index(accessor, "byteOffset").value_or(0);
    const std::size_t size = layout.elementSize();
    const std::size_t stride = index(at("bufferViews", *view), "byteStride").value_or(size);
    const bool fits = stride >= size && stride <= 4096 && offset <= bytes.size() &&
                      size <= bytes.size() - offset &&
                      (layout.count - 1) <= (bytes.size() - offset - size) / stride;
    if (!fits) throw GltfProblem{fmt::format("accessors[{}] reaches beyond its buffer view", i)};
    for (std::size_t e = 0; e < layout.count; ++e)
      for (std::size_t c = 0; c < components; ++c)
        values[e * components + c] =
            layout.component(bytes.data() + offset + e * stride + c * layout.componentSize);
  }
  if (accessor.contains("sparse")) addSparse(accessor, layout, values);
  return values;
}

void GltfDocument::addSparse(const Json& accessor, const Layout& layout,
                             std::vector<double>& values) const {
  const Json& sparse = accessor.at("sparse");
  const Json& indices = sparse.at("indices");
  const Json& replacements = sparse.at("values");
  Layout indexLayout{.components = 1, .componentType = indices.value("componentType", 0)};
  indexLayout.componentSize = componentSizeOf(indexLayout.componentType);
  const std::size_t n = index(sparse, "count").value_or(0);
  const auto bytesOf = [&](const Json& part, std::size_t elementSize) {
    const std::string_view bytes = bufferView(index(part, "bufferView").value_or(~std::size_t{0}));
    const std::size_t offset = index(part, "byteOffset").value_or(0);
    if (offset > bytes.size() || n > (bytes.size() - offset) / elementSize)
      throw GltfProblem{"a sparse accessor reaches beyond its buffer view"};
    return bytes.data() + offset;
  };
  const char* indexBytes = bytesOf(indices, indexLayout.componentSize);
  const char* valueBytes = bytesOf(replacements, layout.elementSize());
  for (std::size_t k = 0; k < n; ++k) {
    const double target = indexLayout.component(indexBytes + k * indexLayout.componentSize);
    if (!(target >= 0 && target < static_cast<double>(layout.count)))
      throw GltfProblem{"a sparse accessor has an index out of range"};
    for (std::size_t c = 0; c < layout.components; ++c)
      values[static_cast<std::size_t>(target) * layout.components + c] =
          layout.component(valueBytes + k * layout.elementSize() + c * layout.componentSize);
  }
}

}  // namespace pneuma::io::internal
