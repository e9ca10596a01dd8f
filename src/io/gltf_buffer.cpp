#include "io/gltf_buffer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "pneuma/core/check.h"

namespace pneuma::io::internal {
namespace {

using Json = GltfBuffer::Json;

constexpr int kByVertex = 34962, kByIndex = 34963, kPlain = 0;  // bufferView targets
constexpr int kUInt16 = 5123, kUInt32 = 5125;                   // component types
constexpr std::size_t kAlign = 4;  // of views and vertex values [bytes]

struct NumberForm {
  int componentType;
  std::size_t size;  // [bytes]
  double one;        // whole number that stands for 1; 0: not normalised
};

NumberForm formOf(Number number) {
  switch (number) {
    case Number::Signed8:
      return {5120, 1, 127};
    case Number::Signed16:
      return {5122, 2, 32767};
    case Number::Unsigned8:
      return {5121, 1, 255};
    case Number::Unsigned16:
      return {5123, 2, 65535};
    case Number::Index8:
      return {5121, 1, 0};
    case Number::Index16:
      return {5123, 2, 0};
    default:
      return {5126, 4, 0};
  }
}

/// The value as the file holds it: rounded to a float or to a whole number.
double stored(double value, Number number) {
  PNEUMA_CHECK(std::isfinite(value), "a glTF value is not finite");
  const double one = formOf(number).one;
  if (one > 0) return std::round(std::clamp(value, -1.0, 1.0) * one);
  return number == Number::Float ? static_cast<double>(static_cast<float>(value)) : value;
}

template <class T>
void append(std::string& bytes, double value) {
  const T typed = static_cast<T>(value);
  bytes.append(reinterpret_cast<const char*>(&typed), sizeof typed);
}

void append(std::string& bytes, double value, Number number) {
  switch (number) {
    case Number::Signed8:
      return append<std::int8_t>(bytes, value);
    case Number::Signed16:
      return append<std::int16_t>(bytes, value);
    case Number::Unsigned8:
    case Number::Index8:
      return append<std::uint8_t>(bytes, value);
    case Number::Unsigned16:
    case Number::Index16:
      return append<std::uint16_t>(bytes, value);
    default:
      return append<float>(bytes, value);
  }
}

/// Elements one after another, each padded to `stride` bytes.
std::string packed(std::span<const double> values, std::size_t components, Number number,
                   std::size_t stride) {
  std::string bytes;
  bytes.reserve(values.size() / components * stride);
  for (std::size_t i = 0; i < values.size(); ++i) {
    append(bytes, stored(values[i], number), number);
    if ((i + 1) % components == 0) bytes.resize((i + 1) / components * stride);
  }
  return bytes;
}

const char* typeOf(std::size_t components) {
  constexpr std::array<const char*, 5> kTypes = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  return components == 16 ? "MAT4" : kTypes.at(components);
}

Json accessorOf(std::size_t count, std::size_t components, Number number) {
  const NumberForm form = formOf(number);
  Json accessor = {{"componentType", form.componentType}};
  if (form.one > 0) accessor["normalized"] = true;
  accessor["count"] = count;
  accessor["type"] = typeOf(components);
  return accessor;
}

/// Bounds of what is really stored, after rounding.
void addBounds(std::span<const double> values, std::size_t components, Number number, Json& out) {
  std::vector<double> low(components, std::numeric_limits<double>::max());
  std::vector<double> high(components, std::numeric_limits<double>::lowest());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = stored(values[i], number);
    low[i % components] = std::min(low[i % components], value);
    high[i % components] = std::max(high[i % components], value);
  }
  for (std::size_t k = 0; k < components; ++k) {
    out["min"].push_back(static_cast<float>(low[k]));
    out["max"].push_back(static_cast<float>(high[k]));
  }
}

std::vector<double> flat(std::span<const Vec3> vectors) {
  std::vector<double> values;
  values.reserve(3 * vectors.size());
  for (const Vec3& v : vectors) values.insert(values.end(), v.begin(), v.end());
  return values;
}

std::size_t padded(std::size_t size) {
  return (size + kAlign - 1) / kAlign * kAlign;
}

}  // namespace

int GltfBuffer::addView(std::string_view data, int target, std::size_t stride) {
  Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", data.size()}};
  if (stride > 0) view["byteStride"] = stride;
  if (target != kPlain) view["target"] = target;
  bytes_.append(data);
  bytes_.resize(padded(bytes_.size()));  // every view starts at a multiple of 4
  views_.push_back(std::move(view));
  return static_cast<int>(views_.size()) - 1;
}

int GltfBuffer::addBytes(std::string_view bytes) {
  return addView(bytes, kPlain);
}

int GltfBuffer::addAccessor(Json accessor) {
  accessors_.push_back(std::move(accessor));
  return static_cast<int>(accessors_.size()) - 1;
}

int GltfBuffer::addArray(std::span<const double> values, std::size_t components, Number number,
                         int target, bool withBounds) {
  const std::size_t size = components * formOf(number).size;
  // What the GPU reads per vertex must lie at multiples of 4 bytes; the rest lies close.
  const std::size_t stride = target == kByVertex ? padded(size) : size;
  const int view =
      addView(packed(values, components, number, stride), target, stride > size ? stride : 0);
  Json accessor = {{"bufferView", view}};
  accessor.update(accessorOf(values.size() / components, components, number));
  if (withBounds) addBounds(values, components, number, accessor);
  return addAccessor(std::move(accessor));
}

int GltfBuffer::addVertexValues(std::span<const double> values, std::size_t components,
                                Number number) {
  return addArray(values, components, number, kByVertex, false);
}

int GltfBuffer::addVectors(std::span<const Vec3> vectors, Number number) {
  return addArray(flat(vectors), 3, number, kByVertex, true);
}

int GltfBuffer::addMostlyZero(std::span<const Vec3> vectors, Number number) {
  std::vector<std::uint32_t> where;
  std::vector<Vec3> values;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const Vec3& v = vectors[i];
    if (stored(v.x(), number) == 0 && stored(v.y(), number) == 0 && stored(v.z(), number) == 0)
      continue;
    where.push_back(static_cast<std::uint32_t>(i));
    values.push_back(v);
  }
  const bool isShort = vectors.size() <= 65535;
  const std::size_t size = 3 * formOf(number).size;
  const std::size_t dense = vectors.size() * padded(size);
  const std::size_t sparse = values.size() * (size + (isShort ? 2 : 4));
  // Some readers unpack sparse values one by one, so they must save a quarter at least.
  if (4 * sparse >= 3 * dense || values.empty()) return addVectors(vectors, number);

  std::string indices;
  for (const std::uint32_t i : where)
    isShort ? append<std::uint16_t>(indices, i) : append<std::uint32_t>(indices, i);
  const int indexView = addView(indices, kPlain);
  const int valueView = addView(packed(flat(values), 3, number, size), kPlain);
  Json accessor = accessorOf(vectors.size(), 3, number);
  addBounds(flat(vectors), 3, number, accessor);
  accessor["sparse"] = {
      {"count", where.size()},
      {"indices", {{"bufferView", indexView}, {"componentType", isShort ? kUInt16 : kUInt32}}},
      {"values", {{"bufferView", valueView}}}};
  return addAccessor(std::move(accessor));
}

int GltfBuffer::addZeroVectors(std::size_t count) {
  Json accessor = accessorOf(count, 3, Number::Float);
  addBounds(std::array{0.0, 0.0, 0.0}, 3, Number::Float, accessor);
  return addAccessor(std::move(accessor));
}

int GltfBuffer::addUnitVectors(std::span<const Vec3> vectors, Number number) {
  std::vector<Vec3> unit(vectors.begin(), vectors.end());
  for (Vec3& n : unit) {
    // A vertex without area around it has no normal, but glTF demands a unit vector.
    const double length = n.norm();
    n = length > 1e-12 ? Vec3(n / length) : Vec3(0, 1, 0);
  }
  return addVectors(unit, number);
}

int GltfBuffer::addColors(std::span<const Vec4> colors) {
  std::vector<double> values;
  values.reserve(4 * colors.size());
  for (const Vec4& c : colors)
    for (int i = 0; i < 4; ++i) values.push_back(std::clamp(c[i], 0.0, 1.0));
  // 16 bits: eight would show bands, because the values are linear.
  return addVertexValues(values, 4, Number::Unsigned16);
}

int GltfBuffer::addIndices(std::span<const std::int32_t> indices, std::size_t vertexCount) {
  const bool isShort = vertexCount <= 65535;  // 65535 itself is reserved
  std::string bytes;
  bytes.reserve(indices.size() * (isShort ? 2 : 4));
  for (const std::int32_t i : indices) {
    PNEUMA_CHECK(i >= 0 && static_cast<std::size_t>(i) < vertexCount, "index {} of {}", i,
                 vertexCount);
    isShort ? append<std::uint16_t>(bytes, i) : append<std::uint32_t>(bytes, i);
  }
  const int view = addView(bytes, kByIndex);
  return addAccessor({{"bufferView", view},
                      {"componentType", isShort ? kUInt16 : kUInt32},
                      {"count", indices.size()},
                      {"type", "SCALAR"}});
}

int GltfBuffer::addTimes(const std::vector<double>& times) {
  const auto known = times_.find(times);
  if (known != times_.end()) return known->second;
  const int index = addArray(times, 1, Number::Float, kPlain, true);
  times_.emplace(times, index);
  return index;
}

int GltfBuffer::addKeys(std::span<const double> values, std::size_t components, Number number) {
  return addArray(values, components, number, kPlain, false);
}

int GltfBuffer::addInverses(std::span<const Pose> poses) {
  std::vector<double> values;
  for (const Pose& X : poses) {
    const Pose inverse = X.inverse();
    Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
    matrix.topLeftCorner<3, 3>() = inverse.rotation;
    matrix.topRightCorner<3, 1>() = inverse.position;
    values.insert(values.end(), matrix.data(), matrix.data() + 16);  // column by column
  }
  return addArray(values, 16, Number::Float, kPlain, false);
}

}  // namespace pneuma::io::internal
