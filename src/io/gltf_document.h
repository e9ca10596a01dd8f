#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/error.h"

namespace pneuma::io::internal {

/// What is wrong with a glTF file, in a sentence for the user.
struct GltfProblem {
  std::string message;
};

/// The path of a URI with its %20 and the like resolved. Throws GltfProblem for one that leads
/// outside the file's folder: a model from elsewhere must not read the user's disk.
std::string gltfFilePath(const std::string& uri);

/// A glTF 2.0 file taken apart: its JSON and its buffers, with checked access to numbers. Every
/// access throws GltfProblem; nothing is read outside a buffer.
class GltfDocument {
 public:
  using Json = nlohmann::json;

  /// `content` must outlive the document. Buffers in other files are read from beside `file`.
  GltfDocument(std::string_view content, const std::string& file);

  const Json& json() const { return json_; }
  /// The container: whether it is a GLB, the text of its JSON, its binary chunk, and what follows.
  bool binary() const { return binary_; }
  std::string_view jsonText() const { return jsonText_; }
  std::string_view binaryChunk() const { return binaryChunk_; }
  std::string_view otherChunks() const { return otherChunks_; }
  /// Entry `index` of the top-level array `array`.
  const Json& at(const char* array, std::size_t index) const;
  /// Number of entries of a top-level array (0 when absent).
  std::size_t count(const char* array) const;
  /// An optional index or count: absent gives nullopt, anything but a whole number >= 0 throws.
  static std::optional<std::size_t> index(const Json& object, const char* key);

  /// The list of primitives of a mesh.
  const Json& primitives(std::size_t mesh) const;
  /// Throws for an extension that the file requires and that changes what its geometry means, by
  /// its name. Meshopt compression is known: its views are decoded when the file is opened.
  void requireKnownExtensions() const;

  /// All components of an accessor as numbers, element by element.
  std::vector<double> numbers(std::size_t accessor, std::size_t components) const;
  std::size_t accessorCount(std::size_t accessor) const;

  /// Bytes in the file and its buffers: a measure of how much geometry can be honest.
  std::size_t totalBytes() const { return totalBytes_; }
  std::size_t largestCount() const { return 1'000'000 + 4 * totalBytes_; }

 private:
  struct Layout;
  void parseContainer(std::string_view content);
  void parseJson(std::string_view text);
  void loadBuffers(const std::string& file);
  std::string loadUri(const std::string& uri, const std::string& file) const;
  void decodeViews();
  std::string_view bufferView(std::size_t view) const;
  void addSparse(const Json& accessor, const Layout& layout, std::vector<double>& values) const;

  Json json_;
  bool binary_ = false;
  std::string_view jsonText_, binaryChunk_, otherChunks_;
  std::vector<std::string> ownedBuffers_;
  std::vector<std::string_view> buffers_;
  std::map<std::size_t, std::string> decodedViews_;  ///< of views that were compressed
  std::size_t totalBytes_ = 0;
};

}  // namespace pneuma::io::internal
