#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pneuma/core/surface_query.h"
#include "pneuma/survey/measure_pack.h"

namespace pneuma::survey::internal {

enum class Side { Left, Right };

/// The meshes of a folder as two left sides: the left parts as they are, and the mirror images of
/// the right ones (of a part of the middle: its own). Loaded once. A bone of several meshes is
/// known by the name of the body (`skull`, `hand_l`, `vertebra_c1`), others as in the folder.
class SidedMeshes {
 public:
  explicit SidedMeshes(const AnatomyPack& pack);

  const AnatomyPack& pack() const { return pack_; }
  const TriangleMesh& mesh(const std::string& name, Side side);
  const SurfaceQuery& query(const std::string& name, Side side);
  /// Several parts in one.
  const SurfaceQuery& query(const std::vector<std::string>& names, Side side);

 private:
  using Key = std::pair<std::string, Side>;
  TriangleMesh load(const std::string& name, Side side) const;

  const AnatomyPack& pack_;
  std::map<std::string, std::vector<std::string>> parts_;
  std::map<Key, TriangleMesh> meshes_;
  std::map<Key, std::unique_ptr<SurfaceQuery>> queries_;
};

/// Mean of what `measure` finds on both sides.
template <typename Measure>
auto bothSides(const Measure& measure) {
  const auto left = measure(Side::Left), right = measure(Side::Right);
  return decltype(left)(0.5 * (left + right));
}

}  // namespace pneuma::survey::internal
