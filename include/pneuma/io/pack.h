#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

/// Small bytes for numbers that a screen shows: counts as variable-length integers, places in a
/// grid of their box, neighbours as differences. What is left over a general compressor takes.
namespace pneuma::io {

/// Grid cells of a box along each axis: 1.8 m in steps of 0.03 mm.
inline constexpr std::uint32_t kPackCells = 65535;

class PackWriter {
 public:
  void count(std::uint64_t value);    ///< 7 bits a byte, lowest first
  void integer(std::int64_t value);   ///< zigzag: small of either sign is short
  void number(double value);          ///< exact
  void text(std::string_view value);  ///< behind its length
  /// Places within half a cell of their box's grid, each as the difference from the one before.
  void points(std::span<const Vec3> places);
  /// Values within half of 1/65535 of their range, as differences.
  void values(std::span<const double> values);
  void triangles(std::span<const Triangle> triangles);
  void mesh(const TriangleMesh& mesh);  ///< points, triangles

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes out what was put in, in the same order. Throws InputError when the bytes end early or
/// numbers are beyond what can be.
class PackReader {
 public:
  explicit PackReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t count();
  /// A count of things of which each takes at least `size` bytes.
  std::size_t countOf(std::size_t size = 1);
  std::int64_t integer();
  double number();
  std::string text();
  std::vector<Vec3> points();
  std::vector<double> values();
  /// Each with corners among so many vertices.
  std::vector<Triangle> triangles(std::size_t vertices);
  TriangleMesh mesh();

  bool atEnd() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace pneuma::io
