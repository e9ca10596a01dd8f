#include "pneuma/io/pack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "pneuma/core/error.h"

namespace pneuma::io {
namespace {

constexpr int kBitsOfByte = 7;
constexpr std::uint8_t kMore = 0x80;
constexpr int kLongest = 10;  // bytes of 64 bits

[[noreturn]] void refusePack(const char* message) {
  throw InputError(Diagnostic{.subject = "packed data", .message = message});
}

/// The grid along one axis.
struct Cells {
  double least = 0, size = 0;  // of a cell; 0: all values are the same

  static Cells over(double least, double most) {
    return {least, std::max(0.0, (most - least) / kPackCells)};
  }
  std::int64_t cellOf(double x) const { return size > 0 ? std::llround((x - least) / size) : 0; }
  double place(std::int64_t cell) const { return least + static_cast<double>(cell) * size; }
};

std::int64_t checkedCell(std::int64_t cell) {
  if (cell < 0 || cell > std::int64_t{kPackCells}) refusePack("a place lies outside its box");
  return cell;
}

}  // namespace

void PackWriter::count(std::uint64_t value) {
  while (value >= kMore) {
    bytes_.push_back(static_cast<char>(static_cast<std::uint8_t>(value) | kMore));
    value >>= kBitsOfByte;
  }
  bytes_.push_back(static_cast<char>(value));
}

void PackWriter::integer(std::int64_t value) {
  count((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void PackWriter::number(double value) {
  std::array<char, sizeof value> raw{};
  std::memcpy(raw.data(), &value, sizeof value);
  bytes_.append(raw.data(), raw.size());
}

void PackWriter::text(std::string_view value) {
  count(value.size());
  bytes_.append(value);
}

void PackWriter::points(std::span<const Vec3> places) {
  count(places.size());
  if (places.empty()) return;
  const Box box = boundingBox(places);
  for (int k = 0; k < 3; ++k) {
    const Cells cells = Cells::over(box.min[k], box.max[k]);
    number(cells.least);
    number(cells.size);
    std::int64_t before = 0;
    for (const Vec3& p : places) {
      const std::int64_t cell = cells.cellOf(p[k]);
      integer(cell - before);
      before = cell;
    }
  }
}

void PackWriter::values(std::span<const double> values) {
  count(values.size());
  if (values.empty()) return;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const Cells cells = Cells::over(*least, *most);
  number(cells.least);
  number(cells.size);
  std::int64_t before = 0;
  for (const double v : values) {
    const std::int64_t cell = cells.cellOf(v);
    integer(cell - before);
    before = cell;
  }
}

void PackWriter::triangles(std::span<const Triangle> triangles) {
  count(triangles.size());
  std::int64_t before = 0;
  for (const Triangle& t : triangles)
    for (const std::int32_t v : t) {
      integer(v - before);
      before = v;
    }
}

void PackWriter::mesh(const TriangleMesh& mesh) {
  points(mesh.positions);
  triangles(mesh.triangles);
}

std::uint64_t PackReader::count() {
  std::uint64_t value = 0;
  for (int i = 0; i < kLongest; ++i) {
    if (bytes_.empty()) refusePack("the data end too early");
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & (kMore - 1)) << (kBitsOfByte * i);
    if ((byte & kMore) == 0) return value;
  }
  refusePack("a number has too many digits");
}

std::size_t PackReader::countOf(std::size_t size) {
  const std::uint64_t n = count();
  if (n > bytes_.size() / size) refusePack("the data end too early");
  return static_cast<std::size_t>(n);
}

std::int64_t PackReader::integer() {
  const std::uint64_t value = count();
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

double PackReader::number() {
  double value = 0;
  if (bytes_.size() < sizeof value) refusePack("the data end too early");
  std::memcpy(&value, bytes_.data(), sizeof value);
  bytes_.remove_prefix(sizeof value);
  if (!std::isfinite(value)) refusePack("a number is not finite");
  return value;
}

std::string PackReader::text() {
  const std::size_t size = countOf();
  std::string value(bytes_.substr(0, size));
  bytes_.remove_prefix(size);
  return value;
}

std::vector<Vec3> PackReader::points() {
  std::vector<Vec3> places(countOf(3), Vec3::Zero());
  if (places.empty()) return places;
  for (int k = 0; k < 3; ++k) {
    Cells cells;
    cells.least = number();
    cells.size = number();
    std::int64_t cell = 0;
    for (Vec3& p : places) p[k] = cells.place(cell = checkedCell(cell + integer()));
  }
  return places;
}

std::vector<double> PackReader::values() {
  std::vector<double> values(countOf());
  if (values.empty()) return values;
  Cells cells;
  cells.least = number();
  cells.size = number();
  std::int64_t cell = 0;
  for (double& v : values) v = cells.place(cell = checkedCell(cell + integer()));
  return values;
}

std::vector<Triangle> PackReader::triangles(std::size_t vertices) {
  std::vector<Triangle> triangles(countOf(3));
  std::int64_t v = 0;
  for (Triangle& t : triangles)
    for (std::int32_t& corner : t) {
      v += integer();
      if (v < 0 || v >= static_cast<std::int64_t>(vertices))
        refusePack("a triangle has a corner that is not there");
      corner = static_cast<std::int32_t>(v);
    }
  return triangles;
}

TriangleMesh PackReader::mesh() {
  TriangleMesh mesh;
  mesh.positions = points();
  mesh.triangles = triangles(mesh.positions.size());
  return mesh;
}

}  // namespace pneuma::io
