#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pneuma/core/error.h"
#include "pneuma/core/types.h"

/// Binary states: exact bits of numbers, with a checked envelope. Little-endian machines only.
namespace pneuma::io {

/// Packs a State for a checkpoint. What is put in is taken out in the same order.
class StateWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    append(&value, sizeof value);
  }
  template <class T>
  void putAll(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(static_cast<std::uint64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  void put(std::string_view text) { putAll(std::span<const char>(text)); }
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(const std::vector<double>& values) { putAll(std::span<const double>(values)); }
  void put(const VecX& values) {
    putAll(std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
  }
  void put(const Vec3& v) { append(v.data(), 3 * sizeof(double)); }
  void put(const std::vector<Vec3>& points) {
    put(static_cast<std::uint64_t>(points.size()));
    append(points.data(), points.size() * sizeof(Vec3));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

/// Unpacks what StateWriter packed. Throws InputError when the bytes end too early, so that a
/// checkpoint of another layout is refused instead of read as nonsense.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    std::memcpy(&value, take(sizeof value), sizeof value);
  }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  void get(std::string& text) {
    const std::size_t n = count(1);
    text.assign(take(n), n);
  }
  void get(std::vector<double>& values) {
    values.resize(count(sizeof(double)));
    copy(values.data(), values.size() * sizeof(double));
  }
  void get(VecX& values) {
    values.resize(static_cast<Eigen::Index>(count(sizeof(double))));
    copy(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }
  void get(Vec3& v) { copy(v.data(), 3 * sizeof(double)); }
  void get(std::vector<Vec3>& points) {
    points.resize(count(sizeof(Vec3)));
    for (Vec3& p : points) get(p);
  }
  template <class T>
  std::vector<T> getAll() {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(count(sizeof(T)));
    copy(values.data(), values.size() * sizeof(T));
    return values;
  }

  bool atEnd() const { return bytes_.empty(); }

 private:
  const char* take(std::size_t size);
  /// Reads an element count and checks that so many elements are really there.
  std::size_t count(std::size_t elementSize);
  void copy(void* target, std::size_t size) {
    const char* source = take(size);
    if (size > 0) std::memcpy(target, source, size);
  }
  std::string_view bytes_;
};

/// Writes `payload` atomically behind a header: magic, format version, `kind`, a caller's `tag`,
/// size and content hash.
void writeBlob(const std::filesystem::path& path, std::string_view kind, std::uint64_t tag,
               std::string_view payload);

/// Reads such a file and checks all of it: an error says what does not fit (wrong kind, other tag,
/// truncated, damaged content).
Result<std::string> readBlob(const std::filesystem::path& path, std::string_view kind,
                             std::uint64_t tag);

}  // namespace pneuma::io
