#include "pneuma/fit/clean_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/mesh_simplify.h"

namespace pneuma::fit {
namespace {

constexpr std::size_t kFewest = 400;            // triangles of a body
constexpr std::size_t kMost = 4000000;          // triangles that are read
constexpr std::size_t kManyTriangles = 400000;  // above, a lighter copy is measured
constexpr double kWeldShare = 1e-6;             // of the size: corners that close are one
constexpr double kOtherBody = 0.5;     // share of the area from which a piece is another body
constexpr double kFacingWrong = 0.02;  // share of edges whose triangles face both ways
constexpr double kOpen = 0.03;         // share of edges on a border

[[noreturn]] void refuse(std::string message, std::string expected) {
  throw InputError(Diagnostic{
      .subject = "character", .message = std::move(message), .expected = std::move(expected)});
}

/// Number of the piece that each triangle belongs to, by shared vertices.
std::vector<std::int32_t> piecesOf(const TriangleMesh& mesh) {
  std::vector<std::int32_t> root(mesh.vertexCount());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t v) {
    while (root[at(v)] != v) v = root[at(v)] = root[at(root[at(v)])];
    return v;
  };
  for (const Triangle& t : mesh.triangles)
    for (const std::int32_t v : t) root[at(find(v))] = find(t[0]);
  std::vector<std::int32_t> piece;
  piece.reserve(mesh.triangleCount());
  for (const Triangle& t : mesh.triangles) piece.push_back(find(t[0]));
  return piece;
}

double areaOf(const TriangleMesh& mesh, const Triangle& t) {
  return triangleArea(mesh.positions[at(t[0])], mesh.positions[at(t[1])], mesh.positions[at(t[2])]);
}

/// The piece with the largest area; refuses a second one of about that size.
void keepLargest(TriangleMesh& mesh, std::vector<std::string>& notes) {
  const std::vector<std::int32_t> piece = piecesOf(mesh);
  std::map<std::int32_t, double> area;
  for (std::size_t t = 0; t < piece.size(); ++t) area[piece[t]] += areaOf(mesh, mesh.triangles[t]);
  if (area.size() < 2) return;
  std::vector<std::pair<double, std::int32_t>> sorted;
  for (const auto& [root, a] : area) sorted.emplace_back(a, root);
  std::ranges::sort(sorted, std::greater<>());
  if (sorted[1].first > kOtherBody * sorted[0].first)
    refuse(fmt::format("has two separate pieces of about the same size ({:.3g} and {:.3g} of area)",
                       sorted[0].first, sorted[1].first),
           "one body: name the piece that is it");
  std::vector<Triangle> kept;
  for (std::size_t t = 0; t < piece.size(); ++t)
    if (piece[t] == sorted[0].second) kept.push_back(mesh.triangles[t]);
  mesh.triangles = std::move(kept);
  removeUnusedVertices(mesh);
  notes.push_back(fmt::format("{} smaller pieces do not count as body", sorted.size() - 1));
}

void checkInput(const TriangleMesh& mesh) {
  for (const Vec3& p : mesh.positions)
    if (!p.allFinite()) refuse("has a vertex whose place is not a number", "finite coordinates");
  if (mesh.triangleCount() < kFewest)
    refuse(fmt::format("has {} triangles", mesh.triangleCount()),
           fmt::format("at least {} for a body", kFewest));
  if (mesh.triangleCount() > kMost)
    refuse(fmt::format("has {} triangles", mesh.triangleCount()),
           fmt::format("at most {}; a lighter copy of the body is enough", kMost));
}

void checkClosed(const TriangleMesh& mesh, std::vector<std::string>& notes) {
  const MeshTopology topology = analyzeTopology(mesh);
  const auto edges = 1.5 * static_cast<double>(mesh.triangleCount());
  const auto wrong = static_cast<double>(topology.nonManifoldEdges);
  const auto open = static_cast<double>(topology.boundaryEdges) - wrong;
  if (wrong > kFacingWrong * edges)
    refuse(fmt::format("has {} edges whose triangles face both ways or meet in threes",
                       topology.nonManifoldEdges),
           "a surface with one outside");
  if (open > kOpen * edges)
    refuse(
        fmt::format("is open: {} of {:.0f} edges lie on a border", topology.boundaryEdges, edges),
        "a body with small holes at most (eyes, mouth, wrists)");
  if (topology.boundaryEdges > 0)
    notes.push_back(fmt::format("{} edges lie on borders of holes", topology.boundaryEdges));
}

}  // namespace

CleanSurface cleanSurface(const TriangleMesh& mesh) {
  checkInput(mesh);
  CleanSurface clean;
  const double size = boundingBox(mesh.positions).size().norm();
  clean.mesh = weld(mesh, kWeldShare * size);
  std::erase_if(clean.mesh.triangles,
                [&](const Triangle& t) { return !(areaOf(clean.mesh, t) > 0); });
  removeUnusedVertices(clean.mesh);
  if (clean.mesh.triangleCount() > kManyTriangles) {
    clean.mesh = lightened(clean.mesh, 1e-4 * size);
    clean.notes.push_back(
        fmt::format("measured on a lighter copy of {} triangles", clean.mesh.triangleCount()));
  }
  keepLargest(clean.mesh, clean.notes);
  if (clean.mesh.triangleCount() < kFewest)
    refuse(fmt::format("has {} triangles in its largest piece", clean.mesh.triangleCount()),
           "a body in one piece: are its corners joined?");
  checkClosed(clean.mesh, clean.notes);
  if (enclosedVolume(clean.mesh) < 0) {
    flipOrientation(clean.mesh);
    clean.notes.push_back("was inside out: turned");
  }
  return clean;
}

TriangleMesh splitLongEdges(TriangleMesh mesh, double longest) {
  constexpr int kMostTurns = 12;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middle;
    const auto middleOf = [&](std::int32_t i, std::int32_t j) -> std::int32_t {
      const Vec3 a = mesh.positions[at(i)], b = mesh.positions[at(j)];
      if ((a - b).norm() <= longest) return -1;
      const auto [found, fresh] =
          middle.try_emplace(std::minmax(i, j), static_cast<std::int32_t>(mesh.vertexCount()));
      if (fresh) mesh.positions.push_back(0.5 * (a + b));
      return found->second;
    };
    std::vector<Triangle> cut;
    for (const Triangle& t : mesh.triangles) {
      const std::array<std::int32_t, 3> m{middleOf(t[1], t[2]), middleOf(t[2], t[0]),
                                          middleOf(t[0], t[1])};
      const auto count = std::ranges::count_if(m, [](std::int32_t v) { return v >= 0; });
      if (count == 0) {
        cut.push_back(t);
      } else if (count == 3) {
        cut.insert(
            cut.end(),
            {{t[0], m[2], m[1]}, {m[2], t[1], m[0]}, {m[1], m[0], t[2]}, {m[0], m[1], m[2]}});
      } else {
        // Turned so that the first edge (opposite to corner 0) is cut, and corner 1's is not last.
        std::size_t k = 0;
        while (m[k] < 0 || (count == 2 && m[(k + 1) % 3] < 0)) ++k;
        const std::int32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
        const std::int32_t ca = m[(k + 1) % 3], bc = m[k];
        if (count == 1)
          cut.insert(cut.end(), {{a, b, bc}, {a, bc, c}});
        else  // bc and ca are cut, ab is not
          cut.insert(cut.end(), {{c, ca, bc}, {a, bc, ca}, {a, b, bc}});
      }
    }
    if (middle.empty()) break;
    mesh.triangles = std::move(cut);
  }
  return mesh;
}

}  // namespace pneuma::fit
