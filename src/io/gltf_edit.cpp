#include "pneuma/io/gltf_edit.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "io/gltf_edit_impl.h"
#include "pneuma/core/base64.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"

namespace pneuma::io {
namespace fs = std::filesystem;
namespace {

using EditJson = nlohmann::ordered_json;

constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

void appendChunk(std::string& glb, std::uint32_t type, std::string_view bytes, char filler) {
  const std::size_t padding = (4 - bytes.size() % 4) % 4;
  const auto size = static_cast<std::uint32_t>(bytes.size() + padding);
  glb.append(reinterpret_cast<const char*>(&size), 4);
  glb.append(reinterpret_cast<const char*>(&type), 4);
  glb.append(bytes);
  glb.append(padding, filler);
}

bool hasUri(const EditJson& object) {
  return object.contains("uri") && object["uri"].is_string();
}

bool namesFile(const EditJson& object) {
  return hasUri(object) && !object["uri"].get_ref<const std::string&>().starts_with("data:");
}

/// Views and accessors that were added follow the old ones; their data lie in `buffer` from
/// `offset` on.
void appendAdded(EditJson& json, const internal::GltfBuffer& added, std::size_t buffer,
                 std::size_t offset) {
  const std::size_t firstView = json.contains("bufferViews") ? json["bufferViews"].size() : 0;
  for (EditJson view : added.views()) {
    view["buffer"] = buffer;
    view["byteOffset"] = view["byteOffset"].get<std::size_t>() + offset;
    json["bufferViews"].push_back(std::move(view));
  }
  const auto shift = [&](EditJson& object) {
    if (object.contains("bufferView"))
      object["bufferView"] = object["bufferView"].get<std::size_t>() + firstView;
  };
  for (EditJson accessor : added.accessors()) {
    shift(accessor);
    if (accessor.contains("sparse")) {
      shift(accessor["sparse"]["indices"]);
      shift(accessor["sparse"]["values"]);
    }
    json["accessors"].push_back(std::move(accessor));
  }
}

std::string dataUri(const std::string& bytes) {
  return "data:application/octet-stream;base64," + encodeBase64(bytes);
}

/// Whether buffer 0 is the binary chunk of a GLB, or can become it.
bool binaryChunkIsFree(const EditJson& json) {
  if (!json.contains("buffers") || json["buffers"].empty()) return true;
  return !hasUri(json["buffers"][0]) && !json["buffers"][0].contains("extensions");
}

/// Files that a .gltf names, as paths beside it.
std::set<std::string> namedFiles(const EditJson& json, const std::string& except) {
  std::set<std::string> files;
  for (const char* list : {"buffers", "images"}) {
    if (!json.contains(list)) continue;
    for (const EditJson& entry : json[list])
      if (namesFile(entry) && entry["uri"] != except)
        files.insert(internal::gltfFilePath(entry["uri"].get<std::string>()));
  }
  return files;
}

std::string lowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

GltfEdit::Impl::Impl(std::string bytes, std::string name)
    : content(std::move(bytes)), file(std::move(name)), document(content, file) {
  json = Json::parse(document.jsonText());
  firstAccessor = document.count("accessors");
  objects = internal::gltfObjects(document, file);
}

GltfEdit::GltfEdit(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GltfEdit::~GltfEdit() = default;
GltfEdit::GltfEdit(GltfEdit&&) noexcept = default;
GltfEdit& GltfEdit::operator=(GltfEdit&&) noexcept = default;

Result<GltfEdit> GltfEdit::read(const fs::path& path) {
  Result<std::string> content = readFile(path);
  if (!content) return content.diagnostics();
  return parse(std::move(*content), path.string());
}

Result<GltfEdit> GltfEdit::parse(std::string content, const std::string& file) {
  try {
    return GltfEdit(std::make_unique<Impl>(std::move(content), file));
  } catch (const internal::GltfProblem& problem) {
    return fileError(file, problem.message);
  } catch (const nlohmann::json::exception& e) {
    return fileError(file, fmt::format("has a field of the wrong type ({})", e.what()));
  }
}

const std::vector<GltfObject>& GltfEdit::objects() const {
  return impl_->objects;
}

std::vector<std::string> GltfEdit::animations() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < impl_->document.count("animations"); ++i)
    names.push_back(internal::gltfText(impl_->document.at("animations", i), "name"));
  return names;
}

std::string GltfEdit::toGlb() const {
  const Impl& in = *impl_;
  if (!in.document.binary()) throw InputError(fileError(in.file, "is no GLB"));
  if (in.gains.empty()) return in.content;
  EditJson json = in.json;
  std::string bin(in.document.binaryChunk());
  bin.resize((bin.size() + 3) / 4 * 4, '\0');
  if (binaryChunkIsFree(json)) {
    appendAdded(json, in.added, 0, bin.size());
    bin += in.added.bytes();
    json["buffers"][0]["byteLength"] = bin.size();
  } else {
    appendAdded(json, in.added, json["buffers"].size(), 0);
    json["buffers"].push_back(
        {{"byteLength", in.added.bytes().size()}, {"uri", dataUri(in.added.bytes())}});
  }
  std::string glb = "glTF";
  const std::uint32_t version = 2;
  glb.append(reinterpret_cast<const char*>(&version), 4);
  glb.append(4, '\0');
  appendChunk(glb, kJsonChunk, json.dump(), ' ');
  if (!bin.empty()) appendChunk(glb, kBinaryChunk, bin, '\0');
  glb += in.document.otherChunks();
  if (glb.size() > 0xFFFFFFFFu)
    throw InputError(fileError(in.file, "would grow beyond 4 GiB, the most a GLB holds"));
  const auto size = static_cast<std::uint32_t>(glb.size());
  glb.replace(8, 4, reinterpret_cast<const char*>(&size), 4);
  return glb;
}

void GltfEdit::write(const fs::path& path) const {
  const Impl& in = *impl_;
  const std::string expected = in.document.binary() ? ".glb" : ".gltf";
  if (lowerCase(path.extension().string()) != expected)
    throw InputError(fileError(path.string(), "cannot hold what was read from " + in.file,
                               "the ending " + expected));
  if (in.document.binary()) return writeFile(path, toGlb());

  // A .gltf stays one file if it was one; else the new data lie in a file of their own.
  EditJson json = in.json;
  std::string newFile;
  if (!in.gains.empty()) {
    const bool alone =
        namedFiles({{"buffers", json.value("buffers", EditJson::array())}}, "").empty();
    newFile = alone ? std::string() : path.stem().string() + "_breath.bin";
    appendAdded(json, in.added, json.contains("buffers") ? json["buffers"].size() : 0, 0);
    json["buffers"].push_back({{"byteLength", in.added.bytes().size()},
                               {"uri", alone ? dataUri(in.added.bytes()) : newFile}});
  }
  const fs::path from = fs::path(in.file).parent_path(), to = path.parent_path();
  std::error_code ignored;
  if (!fs::equivalent(from.empty() ? "." : from, to.empty() ? "." : to, ignored))
    for (const std::string& name : namedFiles(json, newFile))
      writeFile(to / name, readFile(from / name).valueOrThrow());
  if (!newFile.empty()) writeFile(to / newFile, in.added.bytes());
  const bool indented = in.content.find('\n') != std::string::npos;
  writeFile(path, in.gains.empty() ? in.content : json.dump(indented ? 2 : -1));
}

}  // namespace pneuma::io
