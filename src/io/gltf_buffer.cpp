#include "io/gltf_buffer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/check.h"

namespace pneuma::io::internal {
namespace {

constexpr int kByVertex = 34962, kByIndex = 34963, kPlain = 0;  // bufferView targets
constexpr int kUInt16 = 5123, kUInt32 = 5125, kFloat = 5126;    // component types

std::vector<float> toFloats(std::span<const Vec3> vectors) {
  std::vector<float> floats;
  floats.reserve(3 * vectors.size());
  for (const Vec3& v : vectors)
    for (int i = 0; i < 3; ++i) floats.push_back(static_cast<float>(v[i]));
  return floats;
}

/// Bounds of what is really stored, after rounding.
void addBounds(std::span<const float> values, std::size_t components, nlohmann::ordered_json& out) {
  std::vector<float> low(components, std::numeric_limits<float>::max());
  std::vector<float> high(components, std::numeric_limits<float>::lowest());
  for (std::size_t i = 0; i < values.size(); ++i) {
    PNEUMA_CHECK(std::isfinite(values[i]), "glTF value {} is not finite", i);
    low[i % components] = std::min(low[i % components], values[i]);
    high[i % components] = std::max(high[i % components], values[i]);
  }
  out["min"] = low;
  out["max"] = high;
}

}  // namespace

int GltfBuffer::addView(const void* data, std::size_t size, int target) {
  Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", size}};
  if (target != kPlain) view["target"] = target;
  bytes_.append(static_cast<const char*>(data), size);
  bytes_.resize((bytes_.size() + 3) / 4 * 4);  // every view starts at a multiple of 4
  views_.push_back(std::move(view));
  return static_cast<int>(views_.size()) - 1;
}

int GltfBuffer::addAccessor(Json accessor) {
  accessors_.push_back(std::move(accessor));
  return static_cast<int>(accessors_.size()) - 1;
}

int GltfBuffer::addVectors(std::span<const Vec3> vectors) {
  const std::vector<float> floats = toFloats(vectors);
  const int view = addView(floats.data(), floats.size() * sizeof(float), kByVertex);
  Json accessor = {
      {"bufferView", view}, {"componentType", kFloat}, {"count", vectors.size()}, {"type", "VEC3"}};
  addBounds(floats, 3, accessor);
  return addAccessor(std::move(accessor));
}

int GltfBuffer::addMostlyZero(std::span<const Vec3> vectors) {
  std::vector<std::uint32_t> where;
  std::vector<Vec3> values;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i].cast<float>().isZero(0)) continue;
    where.push_back(static_cast<std::uint32_t>(i));
    values.push_back(vectors[i]);
  }
  constexpr std::size_t kDenseSize = 12, kSparseSize = 16;  // bytes per stored vector
  const bool pays = 2 * kSparseSize * values.size() < kDenseSize * vectors.size();
  if (!pays || values.empty()) return addVectors(vectors);

  const std::vector<float> floats = toFloats(values);
  const int indexView = addView(where.data(), where.size() * sizeof(std::uint32_t), kPlain);
  const int valueView = addView(floats.data(), floats.size() * sizeof(float), kPlain);
  Json accessor = {{"componentType", kFloat}, {"count", vectors.size()}, {"type", "VEC3"}};
  addBounds(toFloats(vectors), 3, accessor);
  accessor["sparse"] = {{"count", where.size()},
                        {"indices", {{"bufferView", indexView}, {"componentType", kUInt32}}},
                        {"values", {{"bufferView", valueView}}}};
  return addAccessor(std::move(accessor));
}

int GltfBuffer::addUnitVectors(std::span<const Vec3> vectors) {
  std::vector<Vec3> unit(vectors.begin(), vectors.end());
  for (Vec3& n : unit) {
    // A vertex without area around it has no normal, but glTF demands a unit vector.
    const double length = n.norm();
    n = length > 1e-12 ? Vec3(n / length) : Vec3(0, 1, 0);
  }
  return addVectors(unit);
}

int GltfBuffer::addColors(std::span<const Vec4> colors) {
  // 16 bits: eight would show bands, because the values are linear.
  std::vector<std::uint16_t> values;
  values.reserve(4 * colors.size());
  for (const Vec4& c : colors)
    for (int i = 0; i < 4; ++i)
      values.push_back(static_cast<std::uint16_t>(std::lround(std::clamp(c[i], 0.0, 1.0) * 65535)));
  const int view = addView(values.data(), values.size() * sizeof(std::uint16_t), kByVertex);
  return addAccessor({{"bufferView", view},
                      {"componentType", kUInt16},
                      {"normalized", true},
                      {"count", colors.size()},
                      {"type", "VEC4"}});
}

int GltfBuffer::addIndices(std::span<const std::int32_t> indices, std::size_t vertexCount) {
  for (const std::int32_t i : indices)
    PNEUMA_CHECK(i >= 0 && static_cast<std::size_t>(i) < vertexCount, "index {} of {}", i,
                 vertexCount);
  int view = 0;
  const bool isShort = vertexCount <= 65535;  // 65535 itself is reserved
  if (isShort) {
    const std::vector<std::uint16_t> values(indices.begin(), indices.end());
    view = addView(values.data(), values.size() * sizeof(std::uint16_t), kByIndex);
  } else {
    view = addView(indices.data(), indices.size_bytes(), kByIndex);
  }
  return addAccessor({{"bufferView", view},
                      {"componentType", isShort ? kUInt16 : kUInt32},
                      {"count", indices.size()},
                      {"type", "SCALAR"}});
}

int GltfBuffer::addTimes(const std::vector<double>& times) {
  std::vector<float> floats(times.begin(), times.end());
  for (std::size_t i = 1; i < floats.size(); ++i)
    PNEUMA_CHECK(floats[i] > floats[i - 1], "key times must rise: {} then {}", times[i - 1],
                 times[i]);
  const auto known = times_.find(floats);
  if (known != times_.end()) return known->second;
  const int view = addView(floats.data(), floats.size() * sizeof(float), kPlain);
  Json accessor = {{"bufferView", view},
                   {"componentType", kFloat},
                   {"count", floats.size()},
                   {"type", "SCALAR"}};
  addBounds(floats, 1, accessor);
  const int index = addAccessor(std::move(accessor));
  times_.emplace(std::move(floats), index);
  return index;
}

int GltfBuffer::addKeys(std::span<const float> values, const char* type, std::size_t components) {
  for (const float v : values) PNEUMA_CHECK(std::isfinite(v), "an animation key is not finite");
  const int view = addView(values.data(), values.size_bytes(), kPlain);
  return addAccessor({{"bufferView", view},
                      {"componentType", kFloat},
                      {"count", values.size() / components},
                      {"type", type}});
}

}  // namespace pneuma::io::internal
