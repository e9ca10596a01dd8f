#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "io/mesh_formats.h"
#include "io/text_scan.h"

namespace pneuma::io::internal {
namespace {

enum class Type { Int8, UInt8, Int16, UInt16, Int32, UInt32, Float32, Float64 };

constexpr std::size_t sizeOf(Type t) {
  constexpr std::array<std::size_t, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(t)];
}

std::optional<Type> typeNamed(std::string_view name) {
  constexpr std::array<std::string_view, 16> names{
      "char", "int8",  "uchar", "uint8",  "short", "int16",   "ushort", "uint16",
      "int",  "int32", "uint",  "uint32", "float", "float32", "double", "float64"};
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<Type>((it - names.begin()) / 2);
}

struct Property {
  std::string name;
  Type type = Type::Float32;
  std::optional<Type> countType;  ///< set for a list
};

struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;

  int find(std::string_view property) const {
    for (std::size_t i = 0; i < properties.size(); ++i)
      if (properties[i].name == property) return static_cast<int>(i);
    return -1;
  }
  /// Bytes that one record takes at least (empty lists), in a binary or a text file.
  std::size_t smallestRecord(bool binary) const {
    std::size_t size = 0;
    for (const Property& p : properties) size += binary ? sizeOf(p.countType.value_or(p.type)) : 2;
    return std::max<std::size_t>(size, 1);
  }
};

enum class Encoding { Text, Little, Big };

struct Header {
  Encoding encoding = Encoding::Text;
  std::vector<Element> elements;
  std::string_view body;
  int lines = 0;
};

/// Values of the body one after the other, the same way for text and binary.
class Source {
 public:
  Source(const Header& header)
      : encoding_(header.encoding), rest_(header.body), line_(header.lines) {}

  bool get(Type type, double& value) {
    return encoding_ == Encoding::Text ? getText(value) : getBinary(type, value);
  }
  const char* raw(std::size_t size) {
    if (size > rest_.size()) return nullptr;
    const char* at = rest_.data();
    rest_.remove_prefix(size);
    return at;
  }
  bool skip(std::size_t size) { return raw(size) != nullptr; }
  std::size_t left() const { return rest_.size(); }
  Encoding encoding() const { return encoding_; }
  int line() const { return encoding_ == Encoding::Text ? line_ : 0; }

 private:
  bool getText(double& value) {
    const auto isSpace = [](char c) { return isBlank(c) || c == '\r' || c == '\n'; };
    std::size_t i = 0;
    for (; i < rest_.size() && isSpace(rest_[i]); ++i) line_ += rest_[i] == '\n';
    std::size_t end = i;
    while (end < rest_.size() && !isSpace(rest_[end])) ++end;
    const std::string_view word = rest_.substr(i, end - i);
    rest_.remove_prefix(end);
    return parseNumber(word, value);
  }

  template <class T>
  static double convert(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  }

  // Bytes are copied before they are read: properties lie packed, and reading them in place would
  // be unaligned.
  bool getBinary(Type type, double& value) {
    const std::size_t size = sizeOf(type);
    const char* at = raw(size);
    if (!at) return false;
    std::array<char, 8> bytes;
    std::memcpy(bytes.data(), at, size);
    if (encoding_ == Encoding::Big)
      std::reverse(bytes.begin(), bytes.begin() + static_cast<long>(size));
    switch (type) {
      case Type::Int8:
        value = convert<std::int8_t>(bytes.data());
        break;
      case Type::UInt8:
        value = convert<std::uint8_t>(bytes.data());
        break;
      case Type::Int16:
        value = convert<std::int16_t>(bytes.data());
        break;
      case Type::UInt16:
        value = convert<std::uint16_t>(bytes.data());
        break;
      case Type::Int32:
        value = convert<std::int32_t>(bytes.data());
        break;
      case Type::UInt32:
        value = convert<std::uint32_t>(bytes.data());
        break;
      case Type::Float32:
        value = convert<float>(bytes.data());
        break;
      case Type::Float64:
        value = convert<double>(bytes.data());
        break;
    }
    return true;
  }

  Encoding encoding_;
  std::string_view rest_;
  int line_;
};

class PlyReader {
 public:
  PlyReader(std::string_view content, const std::string& file) : content_(content), file_(file) {}

  Result<NamedMeshes> read() {
    if (!readHeader() || !checkCounts()) return error_;
    Source source(header_);
    bool hasFaces = false;
    for (const Element& element : header_.elements) {
      bool ok = true;
      if (element.name == "vertex") {
        ok = readVertices(element, source);
      } else if (element.name == "face") {
        hasFaces = true;
        ok = readFaces(element, source);
      } else {
        ok = skipElement(element, source);
      }
      if (!ok) return error_;
    }
    if (triangles_.empty())
      return fileError(file_, hasFaces ? "has no triangles: 0 faces"
                                       : "has no triangles: a cloud of points without faces");
    if (!checkIndices()) return error_;
    NamedMeshes meshes;
    meshes.push_back({.name = stemOf(file_),
                      .mesh = {std::move(positions_), std::move(triangles_)},
                      .fans = std::move(fans_)});
    return meshes;
  }

 private:
  bool fail(int line, std::string message, std::string expected = {}) {
    error_ = lineError(file_, line, std::move(message), std::move(expected));
    return false;
  }

  bool readHeader() {
    LineReader lines(content_);
    std::string_view line;
    if (!lines.next(line) || trimmed(line) != "ply")
      return fail(0, "is not a PLY file: it does not begin with 'ply'");
    while (lines.next(line)) {
      const std::string_view keyword = takeWord(line);
      if (keyword == "end_header") {
        header_.body = lines.rest();
        header_.lines = lines.number();
        return true;
      }
      if (keyword == "format" && !readFormat(line, lines.number())) return false;
      if (keyword == "element" && !readElement(line, lines.number())) return false;
      if (keyword == "property" && !readProperty(line, lines.number())) return false;
    }
    return fail(lines.number(), "ends inside its header", "a line 'end_header'");
  }

  bool readFormat(std::string_view rest, int line) {
    const std::string_view name = takeWord(rest);
    if (name == "ascii")
      header_.encoding = Encoding::Text;
    else if (name == "binary_little_endian")
      header_.encoding = Encoding::Little;
    else if (name == "binary_big_endian")
      header_.encoding = Encoding::Big;
    else
      return fail(line, "unknown PLY format " + quotedWord(name),
                  "ascii, binary_little_endian or binary_big_endian");
    return true;
  }

  bool readElement(std::string_view rest, int line) {
    Element element{.name = std::string(takeWord(rest))};
    const std::string_view word = takeWord(rest);
    std::int64_t count = 0;
    if (!parseInteger(word, count) || count < 0)
      return fail(line, fmt::format("element '{}' has count {}", element.name, quotedWord(word)),
                  "a whole number >= 0");
    element.count = static_cast<std::size_t>(count);
    header_.elements.push_back(std::move(element));
    return true;
  }

  bool readProperty(std::string_view rest, int line) {
    if (header_.elements.empty()) return fail(line, "property before any element");
    Property property;
    std::string_view type = takeWord(rest);
    if (type == "list") {
      const std::string_view countName = takeWord(rest);
      property.countType = typeNamed(countName);
      if (!property.countType)
        return fail(line, "unknown type " + quotedWord(countName),
                    "a PLY type such as uchar or int");
      type = takeWord(rest);
    }
    const std::optional<Type> valueType = typeNamed(type);
    if (!valueType)
      return fail(line, "unknown type " + quotedWord(type), "a PLY type such as float or int");
    property.type = *valueType;
    property.name = std::string(takeWord(rest));
    header_.elements.back().properties.push_back(std::move(property));
    return true;
  }

  /// A count is believed only as far as the bytes that follow can hold it.
  bool checkCounts() {
    const bool binary = header_.encoding != Encoding::Text;
    std::size_t room = header_.body.size();
    for (const Element& e : header_.elements) {
      // In text the last record may lack its line end.
      const std::size_t fits = (room + (binary ? 0 : 1)) / e.smallestRecord(binary);
      if (e.count > fits)
        return fail(0, fmt::format("says {} '{}' records, but is too short for more than {}",
                                   e.count, e.name, fits));
      room -= std::min(room, e.count * e.smallestRecord(binary));
    }
    return true;
  }

  bool truncated(const Element& element, std::size_t record, const Source& source) {
    if (source.line() > 0 && source.left() > 0)
      return fail(source.line(),
                  fmt::format("'{}' record {} holds no number, or a list longer than the file",
                              element.name, record + 1));
    return fail(0, fmt::format("ends within '{}' record {} of {}", element.name, record + 1,
                               element.count));
  }

  bool readVertices(const Element& element, Source& source) {
    const std::array<int, 3> axes{element.find("x"), element.find("y"), element.find("z")};
    if (*std::min_element(axes.begin(), axes.end()) < 0)
      return fail(0, "vertices lack a coordinate", "properties x, y and z");
    positions_.resize(element.count);
    for (std::size_t i = 0; i < element.count; ++i) {
      Vec3& p = positions_[i];
      for (std::size_t k = 0; k < element.properties.size(); ++k) {
        double value = 0;
        if (!readProperty(element.properties[k], source, value))
          return truncated(element, i, source);
        for (int a = 0; a < 3; ++a)
          if (axes[static_cast<std::size_t>(a)] == static_cast<int>(k)) p[a] = value;
      }
      if (!p.allFinite()) return fail(source.line(), fmt::format("vertex {} is not finite", i));
    }
    return true;
  }

  /// Reads a scalar, or passes over a list.
  static bool readProperty(const Property& property, Source& source, double& value) {
    if (!property.countType) return source.get(property.type, value);
    std::size_t count = 0;
    return readListCount(property, source, count) && skipList(property, source, count);
  }

  static bool readListCount(const Property& property, Source& source, std::size_t& count) {
    double value = 0;
    if (!source.get(*property.countType, value) || !(value >= 0) || value > 1e9) return false;
    count = static_cast<std::size_t>(value);
    return count <= source.left();
  }

  static bool skipList(const Property& property, Source& source, std::size_t count) {
    if (source.encoding() != Encoding::Text) return source.skip(count * sizeOf(property.type));
    double ignored = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (!source.get(property.type, ignored)) return false;
    return true;
  }

  bool readFaces(const Element& element, Source& source) {
    int list = element.find("vertex_indices");
    if (list < 0) list = element.find("vertex_index");
    if (list < 0 || !element.properties[static_cast<std::size_t>(list)].countType)
      return fail(0, "faces lack their corners", "a list property vertex_indices");
    if (readTriangleBlock(element, source)) return true;
    triangles_.reserve(element.count);
    std::vector<std::int32_t> corners;
    for (std::size_t i = 0; i < element.count; ++i) {
      for (std::size_t k = 0; k < element.properties.size(); ++k) {
        const Property& property = element.properties[k];
        double ignored = 0;
        const bool ok = static_cast<int>(k) == list ? readCorners(property, source, corners)
                                                    : readProperty(property, source, ignored);
        if (!ok) return truncated(element, i, source);
      }
      if (corners.size() < 3)
        return fail(source.line(), fmt::format("face {} has {} corners", i, corners.size()),
                    "at least 3");
      for (std::size_t c = 1; c + 1 < corners.size(); ++c)
        triangles_.push_back({corners[0], corners[c], corners[c + 1]});
      fans_.push_back(static_cast<std::int32_t>(corners.size()) - 2);
    }
    return true;
  }

  static bool readCorners(const Property& property, Source& source,
                          std::vector<std::int32_t>& corners) {
    std::size_t count = 0;
    if (!readListCount(property, source, count)) return false;
    corners.resize(count);
    for (std::int32_t& corner : corners) {
      double value = 0;
      if (!source.get(property.type, value)) return false;
      // What does not fit an index is out of range in any mesh; checkIndices says so.
      corner = value >= 0 && value < 2147483647.0 ? static_cast<std::int32_t>(value) : -1;
    }
    return true;
  }

  /// The common case in one sweep: nothing but triangles of 32-bit indices, little-endian.
  bool readTriangleBlock(const Element& element, Source& source) {
    constexpr std::size_t kRecord = 13;
    if (element.properties.size() != 1 || source.encoding() != Encoding::Little) return false;
    const Property& p = element.properties[0];
    const bool common =
        sizeOf(*p.countType) == 1 && (p.type == Type::Int32 || p.type == Type::UInt32);
    if (!common || source.left() < element.count * kRecord) return false;
    Source probe = source;
    const char* at = probe.raw(element.count * kRecord);
    triangles_.resize(element.count);
    for (std::size_t i = 0; i < element.count; ++i, at += kRecord) {
      if (*at != 3) {
        triangles_.clear();
        return false;
      }
      std::memcpy(triangles_[i].data(), at + 1, 12);
    }
    source = probe;
    return true;
  }

  bool skipElement(const Element& element, Source& source) {
    for (std::size_t i = 0; i < element.count; ++i) {
      for (const Property& property : element.properties) {
        double ignored = 0;
        if (!readProperty(property, source, ignored)) return truncated(element, i, source);
      }
    }
    return true;
  }

  bool checkIndices() {
    const auto count = static_cast<std::int32_t>(positions_.size());
    for (std::size_t i = 0; i < triangles_.size(); ++i)
      for (const std::int32_t v : triangles_[i])
        if (v < 0 || v >= count)
          return fail(0, fmt::format("triangle {} uses a vertex that does not exist", i),
                      fmt::format("0 to {}", count - 1));
    return true;
  }

  std::string_view content_;
  const std::string& file_;
  Header header_;
  Diagnostic error_;
  std::vector<Vec3> positions_;
  std::vector<Triangle> triangles_;
  std::vector<std::int32_t> fans_;  ///< triangles of each polygon; none when all are triangles
};

}  // namespace

Result<NamedMeshes> parsePly(std::string_view content, const std::string& file) {
  return PlyReader(content, file).read();
}

}  // namespace pneuma::io::internal
