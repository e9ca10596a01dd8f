#include <fmt/format.h>

#include <array>
#include <cstring>
#include <unordered_map>

#include "io/mesh_formats.h"
#include "io/text_scan.h"
#include "pneuma/core/hash.h"

namespace pneuma::io::internal {
namespace {

constexpr std::size_t kHeaderSize = 80, kTriangleSize = 50;

/// Joins corners with the same coordinates; STL repeats every vertex in every triangle.
class CornerJoiner {
 public:
  std::int32_t indexOf(const Vec3& p) {
    const auto [it, isNew] = known_.try_emplace(p, static_cast<std::int32_t>(positions.size()));
    if (isNew) positions.push_back(p);
    return it->second;
  }
  std::vector<Vec3> positions;

 private:
  struct PointHash {
    std::size_t operator()(const Vec3& p) const {
      const Vec3 q = p + Vec3::Zero();  // -0 and 0 are equal and must hash alike
      return Hash64().bytes(q.data(), 3 * sizeof(double)).digest();
    }
  };
  std::unordered_map<Vec3, std::int32_t, PointHash> known_;
};

Result<NamedMeshes> finish(CornerJoiner& joiner, std::vector<Triangle> triangles,
                           const std::string& file, std::string name) {
  const std::size_t all = triangles.size();
  std::erase_if(triangles,
                [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  if (triangles.empty()) return fileError(file, "has no triangles");
  std::vector<Diagnostic> warnings;
  if (triangles.size() < all) {
    warnings.push_back(fileError(
        file, fmt::format("{} triangles without area were dropped", all - triangles.size())));
    warnings.back().severity = Severity::Warning;
  }
  NamedMeshes meshes;
  meshes.push_back({name.empty() ? stemOf(file) : std::move(name),
                    {std::move(joiner.positions), std::move(triangles)}});
  return Result<NamedMeshes>(std::move(meshes), std::move(warnings));
}

Result<NamedMeshes> parseBinary(std::string_view content, const std::string& file,
                                std::size_t count) {
  CornerJoiner joiner;
  std::vector<Triangle> triangles(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<float, 9> c;  // three corners behind the normal
    std::memcpy(c.data(), content.data() + kHeaderSize + 4 + i * kTriangleSize + 12, sizeof c);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 p(c[3 * k], c[3 * k + 1], c[3 * k + 2]);
      if (!p.allFinite())
        return fileError(file, fmt::format("triangle {} has a non-finite corner", i + 1));
      triangles[i][k] = joiner.indexOf(p);
    }
  }
  return finish(joiner, std::move(triangles), file, "");
}

// Reads on after a bad line and reports up to the limit of FileErrors: a mesh from a foreign
// program usually has one fault many times, and its line numbers tell which.
Result<NamedMeshes> parseText(std::string_view content, const std::string& file) {
  LineReader lines(content);
  FileErrors errors(file);
  CornerJoiner joiner;
  std::vector<Triangle> triangles;
  Triangle current{};
  std::size_t corners = 0;
  std::string name;
  bool complete = false;
  std::string_view line;
  while (!errors.full() && lines.next(line)) {
    const std::string_view keyword = takeWord(line);
    if (keyword == "solid") {
      if (name.empty()) name = std::string(trimmed(line));
    } else if (keyword == "endsolid") {
      complete = true;
    } else if (keyword == "vertex") {
      Vec3 p;
      bool ok = true;
      for (int i = 0; i < 3; ++i) ok = ok && parseNumber(takeWord(line), p[i]);
      if (!ok || !p.allFinite()) {
        errors.add(lines.number(), "broken vertex", "three finite numbers");
      } else if (corners < 3) {
        current[corners] = joiner.indexOf(p);
      }
      ++corners;
    } else if (keyword == "endloop") {
      if (corners != 3) {
        errors.add(lines.number(), fmt::format("facet with {} vertices", corners), "3");
      } else if (!errors.any()) {
        triangles.push_back(current);
      }
      corners = 0;
    }
  }
  if (errors.any()) return errors.take();
  if (!complete) return lineError(file, lines.number(), "ends before 'endsolid'");
  return finish(joiner, std::move(triangles), file, std::move(name));
}

}  // namespace

Result<NamedMeshes> parseStl(std::string_view content, const std::string& file) {
  // Binary files may begin with "solid" too, so the size decides first.
  if (content.size() >= kHeaderSize + 4) {
    std::uint32_t count = 0;
    std::memcpy(&count, content.data() + kHeaderSize, sizeof count);
    const std::size_t room = (content.size() - kHeaderSize - 4) / kTriangleSize;
    if (count <= room && (content.size() - kHeaderSize - 4) == count * kTriangleSize)
      return parseBinary(content, file, count);
    if (!content.starts_with("solid") || looksBinary(content))
      return fileError(
          file, fmt::format("says {} triangles, but its size fits {}", count, room),
          fmt::format("{} bytes", kHeaderSize + 4 + kTriangleSize * std::size_t{count}));
  }
  if (!trimmed(content.substr(0, 256)).starts_with("solid"))
    return fileError(file, "is not an STL file: neither 'solid' nor a complete binary header");
  return parseText(content, file);
}

}  // namespace pneuma::io::internal
