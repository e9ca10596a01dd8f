#include "survey/polygon_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::survey::internal {
namespace {

using PolygonEdge = std::pair<std::int32_t, std::int32_t>;

Vec3 middleOfFace(const PolygonMesh& mesh, const Polygon& face) {
  Vec3 sum = Vec3::Zero();
  for (const std::int32_t v : face) sum += mesh.positions[at(v)];
  return sum / static_cast<double>(face.size());
}

/// Twice the area, along the normal.
Vec3 areaOfFace(const PolygonMesh& mesh, const Polygon& face) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < face.size(); ++k)
    sum += mesh.positions[at(face[k])].cross(mesh.positions[at(face[(k + 1) % face.size()])]);
  return sum;
}

/// Directed edges that no face has in reverse, each to its end.
std::map<std::int32_t, std::vector<std::int32_t>> boundaryEdges(const PolygonMesh& mesh) {
  std::map<PolygonEdge, int> count;
  for (const Polygon& f : mesh.faces)
    for (std::size_t k = 0; k < f.size(); ++k) ++count[{f[k], f[(k + 1) % f.size()]}];
  std::map<std::int32_t, std::vector<std::int32_t>> next;
  for (const auto& [edge, n] : count)
    if (!count.contains({edge.second, edge.first})) next[edge.first].push_back(edge.second);
  return next;
}

void removeUnused(PolygonMesh& mesh) {
  std::vector<std::int32_t> number(mesh.positions.size(), -1);
  std::vector<Vec3> kept;
  for (Polygon& f : mesh.faces)
    for (std::int32_t& v : f) {
      if (number[at(v)] < 0) {
        number[at(v)] = static_cast<std::int32_t>(kept.size());
        kept.push_back(mesh.positions[at(v)]);
      }
      v = number[at(v)];
    }
  mesh.positions = std::move(kept);
}

/// Piece of each face, joined by edges; and the largest piece.
std::pair<std::vector<int>, int> piecesOf(const PolygonMesh& mesh) {
  std::map<PolygonEdge, std::vector<std::size_t>> sides;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f)
    for (std::size_t k = 0; k < mesh.faces[f].size(); ++k)
      sides[std::minmax(mesh.faces[f][k], mesh.faces[f][(k + 1) % mesh.faces[f].size()])].push_back(
          f);
  std::vector<int> piece(mesh.faces.size(), -1);
  int count = 0, largest = 0;
  std::size_t most = 0;
  for (std::size_t start = 0; start < mesh.faces.size(); ++start) {
    if (piece[start] >= 0) continue;
    std::vector<std::size_t> open{start};
    piece[start] = count;
    std::size_t size = 0;
    while (!open.empty()) {
      const Polygon& f = mesh.faces[open.back()];
      open.pop_back();
      ++size;
      for (std::size_t k = 0; k < f.size(); ++k)
        for (const std::size_t g : sides[std::minmax(f[k], f[(k + 1) % f.size()])])
          if (piece[g] < 0) piece[g] = count, open.push_back(g);
    }
    if (size > most) most = size, largest = count;
    ++count;
  }
  return {piece, largest};
}

/// Cuts off the corner whose ends lie nearest, again and again; ends that share an edge already
/// come last.
void zip(PolygonMesh& mesh, Polygon loop) {
  constexpr double kLast = 1e3;  // [m]
  std::set<PolygonEdge> edges;
  for (const Polygon& f : mesh.faces)
    for (std::size_t k = 0; k < f.size(); ++k)
      edges.insert(std::minmax(f[k], f[(k + 1) % f.size()]));
  const auto length = [&](std::size_t k) {
    const std::int32_t a = loop[k], b = loop[(k + 2) % loop.size()];
    return (mesh.positions[at(a)] - mesh.positions[at(b)]).norm() +
           (edges.contains(std::minmax(a, b)) ? kLast : 0);
  };
  while (loop.size() > 3) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < loop.size(); ++k)
      if (length(k) < length(best)) best = k;
    const std::size_t n = loop.size();
    mesh.faces.push_back({loop[best], loop[(best + 1) % n], loop[(best + 2) % n]});
    edges.insert(std::minmax(loop[best], loop[(best + 2) % n]));
    loop.erase(loop.begin() + static_cast<std::ptrdiff_t>((best + 1) % n));
  }
  mesh.faces.push_back({loop[0], loop[1], loop[2]});
}

/// A hole that the mid-plane cuts in two is closed on either side by itself, so that no face
/// reaches across.
void zipHalves(PolygonMesh& mesh, Polygon loop) {
  const auto inPlane = [&](std::int32_t v) { return mesh.positions[at(v)].x() == 0; };
  const auto first = std::ranges::find_if(loop, inPlane);
  std::rotate(loop.begin(), first == loop.end() ? loop.begin() : first, loop.end());
  const auto second = std::find_if(loop.begin() + 1, loop.end(), inPlane);
  if (first == loop.end() || second == loop.end()) return zip(mesh, std::move(loop));
  Polygon other(second, loop.end());
  other.push_back(loop.front());
  loop.erase(second + 1, loop.end());
  for (Polygon* side : {&loop, &other})
    if (side->size() > 2) zip(mesh, std::move(*side));
}

}  // namespace

TriangleMesh triangulated(const PolygonMesh& mesh) {
  TriangleMesh out{mesh.positions, {}};
  for (const Polygon& f : mesh.faces)
    for (std::size_t k = 2; k < f.size(); ++k) out.triangles.push_back({f[0], f[k - 1], f[k]});
  return out;
}

PolygonMesh madeSymmetric(const PolygonMesh& mesh, double tolerance) {
  PolygonMesh whole{mesh.positions, {}};
  for (Vec3& p : whole.positions)
    if (std::abs(p.x()) < tolerance) p.x() = 0;
  for (const Polygon& f : mesh.faces)
    if (std::ranges::all_of(f, [&](std::int32_t v) { return whole.positions[at(v)].x() >= 0; }))
      whole.faces.push_back(f);
  removeUnused(whole);
  std::vector<std::int32_t> image(whole.positions.size());
  for (std::size_t v = 0; v < image.size(); ++v) {
    const Vec3 p = whole.positions[v];
    image[v] = static_cast<std::int32_t>(p.x() == 0 ? v : whole.positions.size());
    if (p.x() != 0) whole.positions.emplace_back(-p.x(), p.y(), p.z());
  }
  const std::size_t half = whole.faces.size();
  for (std::size_t f = 0; f < half; ++f) {
    Polygon mirrored;
    for (const std::int32_t v : whole.faces[f]) mirrored.insert(mirrored.begin(), image[at(v)]);
    whole.faces.push_back(std::move(mirrored));
  }
  return whole;
}

std::vector<char> seenFromOutside(const PolygonMesh& mesh, double share) {
  constexpr int kDirections = 400;
  constexpr double kFar = 1, kLift = 5e-5;  // [m]
  const SurfaceQuery query(triangulated(mesh));
  std::vector<char> seen(mesh.faces.size(), 0);
  parallelFor(mesh.faces.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      const Vec3 n = areaOfFace(mesh, mesh.faces[f]).normalized();
      // The middle of the edge that its triangles share: a bent quad's own middle may lie inside.
      const Polygon& corners = mesh.faces[f];
      const Vec3 from =
          0.5 * (mesh.positions[at(corners[0])] + mesh.positions[at(corners[2])]) + kLift * n;
      int away = 0, asked = 0;
      // A spiral over the sphere; the hemisphere above the face is asked.
      for (int k = 0; k < kDirections; ++k) {
        const double z = 1 - (2 * k + 1.0) / kDirections, turn = 2.399963229728653 * k;
        const double r = std::sqrt(1 - z * z);
        const Vec3 d(r * std::cos(turn), r * std::sin(turn), z);
        if (d.dot(n) < 0.05) continue;
        ++asked;
        away += query.firstHit(from, d, kFar) ? 0 : 1;
      }
      seen[f] = away > share * asked;
    }
  });
  return seen;
}

void keepFaces(PolygonMesh& mesh, const std::vector<char>& wanted) {
  const auto keep = [&](const auto& isKept) {
    std::vector<Polygon> kept;
    for (std::size_t f = 0; f < mesh.faces.size(); ++f)
      if (isKept(f)) kept.push_back(std::move(mesh.faces[f]));
    mesh.faces = std::move(kept);
  };
  keep([&](std::size_t f) { return wanted[f] != 0; });
  for (bool clean = false; !clean;) {
    const auto [pieces, largest] = piecesOf(mesh);
    keep([&, &piece = pieces, most = largest](std::size_t f) { return piece[f] == most; });
    // Where two boundaries meet in a vertex, all faces around it go.
    std::vector<char> touching(mesh.positions.size(), 0);
    clean = true;
    for (const auto& [v, ends] : boundaryEdges(mesh))
      if (ends.size() > 1) touching[at(v)] = 1, clean = false;
    std::erase_if(mesh.faces, [&](const Polygon& f) {
      return std::ranges::any_of(f, [&](std::int32_t v) { return touching[at(v)] != 0; });
    });
  }
  removeUnused(mesh);
}

void closeHoles(PolygonMesh& mesh) {
  auto next = boundaryEdges(mesh);
  std::vector<Polygon> loops;
  while (!next.empty()) {
    Polygon loop;
    for (std::int32_t v = next.begin()->first; next.contains(v);) {
      loop.push_back(v);
      const std::int32_t to = next[v].front();
      next.erase(v);
      v = to;
    }
    std::reverse(loop.begin(), loop.end());  // the hole lies on the other side of the edges
    loops.push_back(std::move(loop));
  }
  const auto lengthOf = [&](const Polygon& loop) {
    double sum = 0;
    for (std::size_t k = 0; k < loop.size(); ++k)
      sum += (mesh.positions[at(loop[k])] - mesh.positions[at(loop[(k + 1) % loop.size()])]).norm();
    return sum;
  };
  const auto longest = std::ranges::max_element(loops, {}, lengthOf);
  for (auto it = loops.begin(); it != loops.end(); ++it)
    if (it != longest) zipHalves(mesh, *it);
}

// Three kinds of new vertices: one per face (its middle), one per edge (mean of its ends and the
// middles beside it; on a boundary its own middle), and the old ones, drawn in:
//   inside  v' = (F + 2 E + (n - 3) v) / n     F mean of face middles, E mean of edge middles
//   on a boundary  v' = (a + 6 v + b) / 8      a, b the neighbours along it
PolygonMesh catmullClark(const PolygonMesh& mesh) {
  struct Side {
    std::int32_t middle = -1;
    int faces = 0;
    Vec3 sum = Vec3::Zero();
  };
  PolygonMesh fine;
  fine.positions.assign(mesh.positions.size(), Vec3::Zero());
  std::map<PolygonEdge, Side> sides;
  std::vector<Vec3> faceSum(mesh.positions.size(), Vec3::Zero()), edgeSum = faceSum,
                                                                  rimSum = faceSum;
  std::vector<int> faceCount(mesh.positions.size(), 0), edgeCount = faceCount, rimCount = faceCount;
  std::vector<std::int32_t> faceMiddle;
  for (const Polygon& f : mesh.faces) {
    const Vec3 middle = middleOfFace(mesh, f);
    faceMiddle.push_back(static_cast<std::int32_t>(fine.positions.size()));
    fine.positions.push_back(middle);
    for (std::size_t k = 0; k < f.size(); ++k) {
      Side& side = sides[std::minmax(f[k], f[(k + 1) % f.size()])];
      ++side.faces, side.sum += middle;
      faceSum[at(f[k])] += middle, ++faceCount[at(f[k])];
    }
  }
  for (auto& [edge, side] : sides) {
    const Vec3 &a = mesh.positions[at(edge.first)], &b = mesh.positions[at(edge.second)];
    PNEUMA_CHECK(side.faces <= 2, "an edge of a head belongs to more than two faces");
    side.middle = static_cast<std::int32_t>(fine.positions.size());
    fine.positions.push_back(side.faces == 2 ? Vec3(0.25 * (a + b + side.sum))
                                             : Vec3(0.5 * (a + b)));
    for (const auto& [v, other] : {std::pair(edge.first, b), std::pair(edge.second, a)}) {
      edgeSum[at(v)] += 0.5 * (a + b), ++edgeCount[at(v)];
      if (side.faces == 1) rimSum[at(v)] += other, ++rimCount[at(v)];
    }
  }
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Vec3& p = mesh.positions[v];
    const double n = faceCount[v];
    if (rimCount[v] == 2)
      fine.positions[v] = 0.75 * p + 0.125 * rimSum[v];
    else
      fine.positions[v] = (faceSum[v] / n + 2 * edgeSum[v] / edgeCount[v] + (n - 3) * p) / n;
  }
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const Polygon& face = mesh.faces[f];
    const std::size_t n = face.size();
    for (std::size_t k = 0; k < n; ++k)
      fine.faces.push_back({face[k], sides[std::minmax(face[k], face[(k + 1) % n])].middle,
                            faceMiddle[f],
                            sides[std::minmax(face[(k + n - 1) % n], face[k])].middle});
  }
  return fine;
}

}  // namespace pneuma::survey::internal
