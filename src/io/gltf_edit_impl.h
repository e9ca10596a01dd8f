#pragma once

#include <map>
#include <optional>

#include "io/gltf_buffer.h"
#include "io/gltf_document.h"
#include "io/gltf_scene.h"
#include "pneuma/io/gltf_edit.h"

namespace pneuma::io {

/// All of an edited file. `json` is what will be written, `document` what was read; indices of new
/// accessors count on from the old ones, so `json` may name them before they are written.
struct GltfEdit::Impl {
  using Json = nlohmann::ordered_json;

  Impl(std::string bytes, std::string name);

  std::string content, file;
  internal::GltfDocument document;  ///< refers to `content`
  Json json;
  std::vector<GltfObject> objects;
  internal::GltfBuffer added;
  std::size_t firstAccessor = 0;

  /// What a mesh had and got.
  struct Gain {
    std::size_t before = 0, targets = 0;
  };
  std::map<std::size_t, Gain> gains;  ///< by mesh

  /// Index in the file of an accessor of `added`.
  std::size_t fileIndex(int accessor) const {
    return firstAccessor + static_cast<std::size_t>(accessor);
  }
  /// The mesh a node shows, if it gained targets.
  const Gain* gainOf(std::size_t node) const;
  /// Weights that a node has while nothing is animated, of the targets it had.
  std::vector<double> restWeights(std::size_t node) const;
  std::string uniqueAnimationName(const std::string& name) const;
};

namespace internal {

/// The objects of a file, placed as GltfObject says.
std::vector<GltfObject> gltfObjects(const GltfDocument& document, const std::string& file);

/// The linear curve of a loop at any time, the loop repeated.
class LoopCurve {
 public:
  LoopCurve(std::span<const double> times, std::span<const double> weights);
  double duration() const { return times_.back(); }
  std::size_t targets() const { return weights_.size() / times_.size(); }
  void sample(double time, std::span<double> out) const;
  std::span<const double> times() const { return times_; }

 private:
  std::vector<double> times_, weights_;
};

}  // namespace internal
}  // namespace pneuma::io
