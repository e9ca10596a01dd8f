#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::io::internal {

/// How a file holds numbers. The normalised whole numbers stand for [-1, 1] or [0, 1].
enum class Number { Float, Signed8, Signed16, Unsigned8, Unsigned16, Index8, Index16 };

/// The binary half of a GLB under construction: one buffer, its views and accessors. Every function
/// returns the index of the accessor it made.
class GltfBuffer {
 public:
  using Json = nlohmann::ordered_json;

  /// Values that the GPU reads per vertex: `components` numbers for each.
  int addVertexValues(std::span<const double> values, std::size_t components, Number number);
  /// Positions or offsets, with the bounds that glTF wants of them.
  int addVectors(std::span<const Vec3> vectors, Number number = Number::Float);
  /// The same when most are zero: only the others are stored, where that is smaller.
  int addMostlyZero(std::span<const Vec3> vectors, Number number = Number::Float);
  /// Vectors that are all zero take no bytes.
  int addZeroVectors(std::size_t count);
  int addUnitVectors(std::span<const Vec3> vectors, Number number = Number::Float);
  int addColors(std::span<const Vec4> colors);
  int addIndices(std::span<const std::int32_t> indices, std::size_t vertexCount);
  /// Key times; equal lists share one accessor.
  int addTimes(const std::vector<double>& times);
  /// Values of an animation: `components` numbers per element ("SCALAR", "VEC3", "VEC4").
  int addKeys(std::span<const double> values, std::size_t components,
              Number number = Number::Float);
  /// Inverse of each pose as a 4 x 4 matrix.
  int addInverses(std::span<const Pose> poses);
  /// Bytes of another format, such as a picture; gives the index of their view.
  int addBytes(std::string_view bytes);

  const std::string& bytes() const { return bytes_; }
  const Json& views() const { return views_; }
  const Json& accessors() const { return accessors_; }

 private:
  int addView(std::string_view data, int target, std::size_t stride = 0);
  int addAccessor(Json accessor);
  int addArray(std::span<const double> values, std::size_t components, Number number, int target,
               bool withBounds);

  std::string bytes_;
  Json views_ = Json::array();
  Json accessors_ = Json::array();
  std::map<std::vector<double>, int> times_;
};

}  // namespace pneuma::io::internal
