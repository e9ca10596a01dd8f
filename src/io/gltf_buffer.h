#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::io::internal {

/// The binary half of a GLB under construction: one buffer, its views and accessors. Every function
/// returns the index of the accessor it made.
class GltfBuffer {
 public:
  using Json = nlohmann::ordered_json;

  /// Positions or offsets with their bounds; `vertexData` says that the GPU reads them per vertex.
  int addVectors(std::span<const Vec3> vectors);
  /// The same when most are zero: only the others are stored, where that is smaller.
  int addMostlyZero(std::span<const Vec3> vectors);
  int addUnitVectors(std::span<const Vec3> vectors);
  int addColors(std::span<const Vec4> colors);
  int addIndices(std::span<const std::int32_t> indices, std::size_t vertexCount);
  /// Key times; equal lists share one accessor.
  int addTimes(const std::vector<double>& times);
  /// Values of an animation: `components` numbers per element ("SCALAR", "VEC3", "VEC4").
  int addKeys(std::span<const float> values, const char* type, std::size_t components);

  const std::string& bytes() const { return bytes_; }
  const Json& views() const { return views_; }
  const Json& accessors() const { return accessors_; }

 private:
  int addView(const void* data, std::size_t size, int target);
  int addAccessor(Json accessor);

  std::string bytes_;
  Json views_ = Json::array();
  Json accessors_ = Json::array();
  std::map<std::vector<float>, int> times_;
};

}  // namespace pneuma::io::internal
