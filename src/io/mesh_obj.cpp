#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/mesh_formats.h"
#include "io/text_scan.h"

namespace pneuma::io::internal {
namespace {

/// Reads one Wavefront OBJ. Only surfaces matter: texture coordinates, normals and materials are
/// passed over.
class ObjReader {
 public:
  ObjReader(std::string_view content, const std::string& file)
      : lines_(content), file_(file), errors_(file) {}

  Result<NamedMeshes> read() {
    std::string_view line;
    while (!errors_.full() && lines_.next(line)) readStatement(line);
    checkIndices();
    if (errors_.any()) return errors_.take();
    if (triangles_.empty()) return fileError(file_, whyEmpty());
    return split();
  }

 private:
  void readStatement(std::string_view line) {
    line = line.substr(0, line.find('#'));
    const std::string_view keyword = takeWord(line);
    if (keyword == "v") {
      readVertex(line);
    } else if (keyword == "f") {
      readFace(line);
    } else if (keyword == "o") {
      object_ = idOf(objects_, trimmed(line));
    } else if (keyword == "g") {
      group_ = idOf(groups_, trimmed(line));
    } else if (keyword == "l" || keyword == "p") {
      ++linesAndPoints_;
    }
  }

  void readVertex(std::string_view rest) {
    Vec3 p;
    for (int i = 0; i < 3; ++i) {
      const std::string_view word = takeWord(rest);
      if (!parseNumber(word, p[i]) || !std::isfinite(p[i])) {
        errors_.add(lines_.number(), fmt::format("vertex coordinate {}", quotedWord(word)),
                    "three finite numbers");
        return;
      }
    }
    positions_.push_back(p);
  }

  /// Corners are `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative indices count from the last vertex.
  void readFace(std::string_view rest) {
    corners_.clear();
    for (std::string_view word = takeWord(rest); !word.empty(); word = takeWord(rest)) {
      if (word == "\\") continue;
      std::int64_t index = 0;
      if (!parseInteger(word.substr(0, word.find('/')), index) || index == 0) {
        errors_.add(lines_.number(), fmt::format("face corner {}", quotedWord(word)),
                    "the number of a vertex, counted from 1");
        return;
      }
      corners_.push_back(index > 0 ? index - 1
                                   : static_cast<std::int64_t>(positions_.size()) + index);
    }
    if (corners_.size() < 3) {
      errors_.add(lines_.number(), fmt::format("face with {} corners", corners_.size()),
                  "at least 3");
      return;
    }
    for (std::size_t i = 1; i + 1 < corners_.size(); ++i)
      triangles_.push_back(
          {{corners_[0], corners_[i], corners_[i + 1]}, object_, group_, lines_.number(), i == 1});
  }

  /// At the end of the file, because a face may come before its vertices. A broken vertex shifts
  /// the numbers of all that follow, so then indices say nothing.
  void checkIndices() {
    if (errors_.any()) return;
    const auto count = static_cast<std::int64_t>(positions_.size());
    for (const ObjTriangle& t : triangles_) {
      for (const std::int64_t i : t.corners) {
        if (i >= 0 && i < count) continue;
        if (errors_.full()) return;
        errors_.add(t.line, fmt::format("face uses vertex {}", i + 1),
                    fmt::format("1 to {} (the file has {} vertices)", count, count));
        break;
      }
    }
  }

  std::string whyEmpty() const {
    if (linesAndPoints_ > 0)
      return fmt::format("has no triangles: {} lines or points and no faces", linesAndPoints_);
    if (!positions_.empty())
      return fmt::format("has no triangles: {} vertices and no faces", positions_.size());
    return "has no triangles: no vertices and no faces; is it an OBJ file?";
  }

  // Programs disagree about what `o` and `g` mean. Objects win where there is more than one; else
  // groups; else the file is one mesh, whatever its single name is.
  Result<NamedMeshes> split() {
    const bool byObject = std::any_of(triangles_.begin(), triangles_.end(), [&](const auto& t) {
      return t.object != triangles_.front().object;
    });
    const bool byGroup =
        !byObject && std::any_of(triangles_.begin(), triangles_.end(), [&](const auto& t) {
          return t.group != triangles_.front().group;
        });
    struct Part {
      std::vector<Triangle> triangles;
      std::vector<std::int32_t> fans;
    };
    std::map<int, Part> parts;
    for (const ObjTriangle& t : triangles_) {
      Triangle triangle;
      for (int i = 0; i < 3; ++i) triangle[i] = static_cast<std::int32_t>(t.corners[i]);
      Part& part = parts[byObject ? t.object : byGroup ? t.group : 0];
      part.triangles.push_back(triangle);
      if (t.first) part.fans.push_back(0);
      ++part.fans.back();
    }
    NamedMeshes meshes;
    if (parts.size() == 1) {
      const ObjTriangle& t = triangles_.front();
      const std::string name = nameOf(objects_, t.object).empty() ? nameOf(groups_, t.group)
                                                                  : nameOf(objects_, t.object);
      meshes.push_back({.name = name.empty() ? stemOf(file_) : name,
                        .mesh = {std::move(positions_), std::move(parts.begin()->second.triangles)},
                        .fans = std::move(parts.begin()->second.fans)});
      return meshes;
    }
    for (auto& [id, part] : parts) {
      const std::string name = nameOf(byObject ? objects_ : groups_, id);
      meshes.push_back(
          keepUsed(name.empty() ? stemOf(file_) : name, positions_, std::move(part.triangles)));
      meshes.back().fans = std::move(part.fans);
    }
    return meshes;
  }

  static int idOf(std::vector<std::string>& names, std::string_view name) {
    // The same name again continues the same part. Files have few parts, or a new one each time.
    const auto from = names.size() > 64 ? names.end() - 64 : names.begin();
    const auto it = std::find(from, names.end(), name);
    if (it != names.end()) return static_cast<int>(it - names.begin());
    names.emplace_back(name);
    return static_cast<int>(names.size()) - 1;
  }
  static std::string nameOf(const std::vector<std::string>& names, int id) {
    return id < 0 ? std::string() : names[static_cast<std::size_t>(id)];
  }

  struct ObjTriangle {
    std::array<std::int64_t, 3> corners;
    int object, group, line;
    bool first;  ///< of its polygon
  };

  LineReader lines_;
  const std::string& file_;
  FileErrors errors_;
  std::vector<Vec3> positions_;
  std::vector<ObjTriangle> triangles_;
  std::vector<std::int64_t> corners_;
  std::vector<std::string> objects_, groups_;
  int object_ = -1, group_ = -1;
  std::size_t linesAndPoints_ = 0;
};

}  // namespace

Result<NamedMeshes> parseObj(std::string_view content, const std::string& file) {
  if (looksBinary(content)) return fileError(file, "is not an OBJ file: it holds binary data");
  return ObjReader(content, file).read();
}

}  // namespace pneuma::io::internal
