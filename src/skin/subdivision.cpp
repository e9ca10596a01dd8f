#include "pneuma/skin/subdivision.h"

#include <algorithm>
#include <map>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::skin {
namespace {

using Index = std::int32_t;
using Row = std::map<Index, double>;
using Edge = std::pair<Index, Index>;

/// Edges and faces around the vertices of a net.
struct Neighbourhood {
  struct EdgeInfo {
    Index index = 0;
    Index faces[2] = {-1, -1};
    bool boundary() const { return faces[1] < 0; }
  };
  std::map<Edge, EdgeInfo> edges;
  std::vector<std::vector<Index>> vertexFaces, vertexEdgesTo;

  explicit Neighbourhood(const QuadNet& net)
      : vertexFaces(at(net.vertexCount)), vertexEdgesTo(at(net.vertexCount)) {
    for (Index f = 0; f < static_cast<Index>(net.quads.size()); ++f)
      for (std::size_t k = 0; k < 4; ++k) {
        const Index a = net.quads[at(f)][k], b = net.quads[at(f)][(k + 1) % 4];
        if (a < 0 || a >= net.vertexCount || a == b)
          throw InputError("spline surface: a quad with a vertex out of range or twice");
        vertexFaces[at(a)].push_back(f);
        EdgeInfo& e = edges[std::minmax(a, b)];
        if (e.faces[0] < 0)
          e.faces[0] = f;
        else if (e.faces[1] < 0)
          e.faces[1] = f;
        else
          throw InputError("spline surface: more than two quads at an edge");
      }
    Index next = 0;
    for (auto& [edge, info] : edges) {
      info.index = next++;
      vertexEdgesTo[at(edge.first)].push_back(edge.second);
      vertexEdgesTo[at(edge.second)].push_back(edge.first);
    }
  }
};

void add(Row& row, Index column, double weight) {
  row[column] += weight;
}
void add(Row& row, const Row& other, double weight) {
  for (const auto& [c, w] : other) row[c] += weight * w;
}

/// One halving of the knots: rows of the finer points over the coarser ones, and the finer net.
/// Order of the finer points: vertices, edges, faces.
struct Halved {
  QuadNet net;
  std::vector<Row> rows;

  explicit Halved(const QuadNet& coarse) {
    const Neighbourhood around(coarse);
    const Index v = coarse.vertexCount, e = static_cast<Index>(around.edges.size()),
                f = static_cast<Index>(coarse.quads.size());
    net.vertexCount = v + e + f;
    rows.resize(at(net.vertexCount));
    for (Index i = 0; i < f; ++i)
      for (const Index c : coarse.quads[at(i)]) add(rows[at(v + e + i)], c, 0.25);
    for (const auto& [edge, info] : around.edges) {
      Row& row = rows[at(v + info.index)];
      const double own = info.boundary() ? 0.5 : 0.25;
      add(row, edge.first, own);
      add(row, edge.second, own);
      if (info.boundary()) continue;
      for (const Index face : info.faces) add(row, rows[at(v + e + face)], 0.25);
    }
    for (Index i = 0; i < v; ++i) rows[at(i)] = vertexRow(around, i, v + e);
    for (Index i = 0; i < f; ++i) {
      const Quad& q = coarse.quads[at(i)];
      for (std::size_t k = 0; k < 4; ++k) {
        const auto edgePoint = [&](Index a, Index b) {
          return v + around.edges.at(std::minmax(a, b)).index;
        };
        net.quads.push_back(
            {q[k], edgePoint(q[k], q[(k + 1) % 4]), v + e + i, edgePoint(q[(k + 3) % 4], q[k])});
      }
    }
  }

  Row vertexRow(const Neighbourhood& around, Index i, Index firstFace) const {
    Row row;
    const auto& to = around.vertexEdgesTo[at(i)];
    std::vector<Index> rim;
    for (const Index j : to)
      if (around.edges.at(std::minmax(i, j)).boundary()) rim.push_back(j);
    if (rim.size() == 2) {  // cubic curve
      add(row, i, 0.75);
      for (const Index j : rim) add(row, j, 0.125);
      return row;
    }
    const double n = static_cast<double>(to.size());
    if (to.empty()) return row;
    add(row, i, (n - 2) / n);
    for (const Index j : to) add(row, j, 1 / (n * n));
    for (const Index face : around.vertexFaces[at(i)])
      add(row, rows[at(firstFace + face)], 1 / (n * n));
    return row;
  }
};

}  // namespace

SplineSurface::SplineSurface(const QuadNet& control, int levels)
    : net_(control), levels_(levels), controlCount_(control.vertexCount) {
  if (levels < 0 || levels > 4) throw InputError("spline surface: levels must be 0 to 4");
  std::vector<Row> rows(at(control.vertexCount));
  for (Index i = 0; i < control.vertexCount; ++i) rows[at(i)] = {{i, 1.0}};
  for (int level = 0; level < levels; ++level) {
    Halved halved(net_);
    std::vector<Row> composed(halved.rows.size());
    for (std::size_t i = 0; i < composed.size(); ++i)
      for (const auto& [c, w] : halved.rows[i]) add(composed[i], rows[at(c)], w);
    rows = std::move(composed);
    net_ = std::move(halved.net);
  }
  rowBegin_.push_back(0);
  for (const Row& row : rows) {
    for (const auto& [c, w] : row) column_.push_back(c), weight_.push_back(w);
    rowBegin_.push_back(static_cast<Index>(column_.size()));
  }
}

std::vector<Triangle> SplineSurface::triangles() const {
  std::vector<Triangle> all;
  all.reserve(2 * net_.quads.size());
  for (const Quad& q : net_.quads) {
    all.push_back({q[0], q[1], q[2]});
    all.push_back({q[0], q[2], q[3]});
  }
  return all;
}

std::vector<std::int32_t> SplineSurface::boundaryFrom(std::int32_t vertex) const {
  std::map<Index, Index> next;
  std::map<Edge, int> count;
  for (const Quad& q : net_.quads)
    for (std::size_t k = 0; k < 4; ++k) ++count[std::minmax(q[k], q[(k + 1) % 4])];
  for (const Quad& q : net_.quads)
    for (std::size_t k = 0; k < 4; ++k)
      if (count[std::minmax(q[k], q[(k + 1) % 4])] == 1) next[q[k]] = q[(k + 1) % 4];
  if (!next.contains(vertex)) throw InputError("spline surface: not a vertex of a boundary");
  std::vector<Index> loop{vertex};
  while (next.at(loop.back()) != vertex) loop.push_back(next.at(loop.back()));
  return loop;
}

void SplineSurface::evaluate(std::span<const Vec3> control, std::vector<Vec3>& surface) const {
  surface.resize(rowBegin_.size() - 1);
  parallelFor(surface.size(), 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (Index k = rowBegin_[i]; k < rowBegin_[i + 1]; ++k)
        sum += weight_[at(k)] * control[at(column_[at(k)])];
      surface[i] = sum;
    }
  });
}

}  // namespace pneuma::skin
