#include "anatomy/skin/skin_atlas.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "anatomy/skin/chart_flatten.h"
#include "anatomy/skin/chart_pack.h"
#include "pneuma/core/check.h"

namespace pneuma::anatomy::internal {
namespace {

/// Places in the texture are multiples of this, so that 1 - u is exact.
constexpr double kGrid = 1.0 / 4294967296.0;

/// Texels per metre, against the trunk's.
double densityOf(SkinChart chart) {
  switch (chart) {
    case SkinChart::Head:
      return 1.6;
    case SkinChart::Palm:
    case SkinChart::HandBack:
      return 1.5;
    case SkinChart::Foot:
    case SkinChart::Sole:
      return 1.1;
    default:
      return 1;
  }
}

/// Turns a chart so that up on the body (forward for feet) is up in the texture.
void turnUpright(std::vector<Vec2>& uv, const TriangleMesh& disc, SkinChart chart) {
  const int axis = chart == SkinChart::Foot || chart == SkinChart::Sole ? 2 : 1;
  Vec2 mean = Vec2::Zero(), up = Vec2::Zero();
  double height = 0;
  const auto n = static_cast<double>(uv.size());
  for (std::size_t v = 0; v < uv.size(); ++v)
    mean += uv[v] / n, height += disc.positions[v][axis] / n;
  for (std::size_t v = 0; v < uv.size(); ++v)
    up += (disc.positions[v][axis] - height) * (uv[v] - mean);
  up.normalize();
  for (Vec2& p : uv) p = Vec2(p.x() * up.y() - p.y() * up.x(), p.x() * up.x() + p.y() * up.y());
}

/// One chart of the left half on its own.
struct LooseChart {
  TriangleMesh disc;
  std::vector<char> onMirror;
  std::vector<std::int32_t> from;  ///< chart vertex of each vertex
};

LooseChart loosen(const ChartSet& set, const SymmetricMesh& subject, SkinChart chart) {
  LooseChart loose;
  std::map<std::int32_t, std::int32_t> number;
  for (std::size_t t = 0; t < set.triangles.size(); ++t) {
    if (set.chart[t] != chart) continue;
    Triangle triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t c = set.triangles[t][k];
      const auto [it, added] = number.try_emplace(c, static_cast<std::int32_t>(loose.from.size()));
      triangle[k] = it->second;
      if (!added) continue;
      loose.from.push_back(c);
      loose.onMirror.push_back(set.onMirror[at(c)]);
      loose.disc.positions.push_back(subject.mesh.positions[at(set.vertex[at(c)])]);
    }
    loose.disc.triangles.push_back(triangle);
  }
  return loose;
}

double onGrid(double x) {
  return std::round(x / kGrid) * kGrid;
}

/// Places in the texture of all chart vertices of the left half.
std::vector<Vec2> placeCharts(const ChartSet& set, const SymmetricMesh& subject) {
  std::vector<LooseChart> loose;
  std::vector<FlatChart> flat;
  std::vector<double> side;  // which half of the texture the left half of the body lies in
  for (int c = 0; c < kSkinCharts; ++c) {
    const auto chart = static_cast<SkinChart>(c);
    loose.push_back(loosen(set, subject, chart));
    std::vector<Vec2> uv = flattened(loose.back().disc, loose.back().onMirror);
    if (c >= kMiddleCharts) turnUpright(uv, loose.back().disc, chart);
    // Seen from behind, the left half lies on the left.
    side.push_back(chart == SkinChart::TrunkBack ? -1 : 1);
    for (Vec2& p : uv) p = densityOf(chart) * Vec2(side.back() * p.x(), p.y());
    flat.push_back({std::move(uv), loose.back().disc.triangles, c < kMiddleCharts});
  }
  const ChartLayout layout = packed(flat);
  std::vector<Vec2> places(set.vertex.size());
  for (std::size_t c = 0; c < loose.size(); ++c)
    for (std::size_t v = 0; v < loose[c].from.size(); ++v) {
      const Vec2 p = layout.scale * flat[c].points[v] + layout.offset[c];
      const double u = loose[c].onMirror[v] ? 0.5 : onGrid(0.5 + p.x());
      places[at(loose[c].from[v])] = {side[c] > 0 ? u : 1 - u, onGrid(p.y())};
    }
  return places;
}

/// Numbers render vertices: the first place of a vertex gets the vertex's own number.
class RenderVertices {
 public:
  RenderVertices(SkinAtlas& atlas, std::size_t vertices) : atlas_(atlas) {
    atlas.uv.assign(vertices, Vec2::Zero());
    atlas.vertexOf.assign(vertices, -1);
  }
  std::int32_t add(std::int32_t vertex, const Vec2& uv) {
    std::int32_t index = vertex;
    if (atlas_.vertexOf[at(vertex)] >= 0) {
      index = static_cast<std::int32_t>(atlas_.uv.size());
      atlas_.uv.emplace_back();
      atlas_.vertexOf.push_back(-1);
    }
    atlas_.uv[at(index)] = uv;
    atlas_.vertexOf[at(index)] = vertex;
    return index;
  }

 private:
  SkinAtlas& atlas_;
};

}  // namespace

std::vector<std::string> atlasChartNames() {
  std::vector<std::string> names;
  for (int c = 0; c < kSkinCharts; ++c)
    names.push_back(std::string(name(static_cast<SkinChart>(c))) + (c < kMiddleCharts ? "" : "_l"));
  for (int c = kMiddleCharts; c < kSkinCharts; ++c)
    names.push_back(std::string(name(static_cast<SkinChart>(c))) + "_r");
  return names;
}

SkinAtlas makeAtlas(const SymmetricMesh& subject, const std::vector<SkinPart>& parts) {
  const ChartSet set = cutIntoCharts(subject, parts);
  const std::vector<Vec2> places = placeCharts(set, subject);
  SkinAtlas atlas;
  atlas.chartNames = atlasChartNames();
  RenderVertices render(atlas, subject.mesh.vertexCount());
  std::vector<std::int32_t> left(places.size(), -1), right(places.size(), -1);
  for (std::size_t t = 0; t < set.triangles.size(); ++t) {
    Triangle triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t c = at(set.triangles[t][k]);
      if (left[c] < 0) left[c] = render.add(set.vertex[c], places[c]);
      if (set.onMirror[c]) right[c] = left[c];
      triangle[k] = left[c];
    }
    atlas.triangles.push_back(triangle);
    atlas.charts.push_back(static_cast<std::uint8_t>(set.chart[t]));
  }
  // The right half: images of the triangles as in the mesh, with their corners in its order.
  for (std::size_t t = 0; t < set.triangles.size(); ++t) {
    Triangle triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t c = at(set.triangles[t][(3 - k) % 3]);
      if (right[c] < 0)
        right[c] =
            render.add(subject.mirror[at(set.vertex[c])], {1 - places[c].x(), places[c].y()});
      triangle[k] = right[c];
    }
    atlas.triangles.push_back(triangle);
    const int chart = static_cast<int>(set.chart[t]);
    atlas.charts.push_back(static_cast<std::uint8_t>(
        chart < kMiddleCharts ? chart : chart + kSkinCharts - kMiddleCharts));
  }
  return atlas;
}

SkinAtlas subdivided(const SkinAtlas& coarse, std::size_t coarseVertices,
                     std::span<const Triangle> coarseTriangles) {
  // Vertices of the finer surface, numbered as the surface's own subdivision does.
  const std::vector<std::pair<std::int32_t, std::int32_t>> edges = cutEdges(coarseTriangles);
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middle;
  for (std::size_t e = 0; e < edges.size(); ++e)
    middle[edges[e]] = static_cast<std::int32_t>(coarseVertices + e);
  SkinAtlas fine;
  fine.chartNames = coarse.chartNames;
  RenderVertices render(fine, coarseVertices + edges.size());
  std::vector<std::int32_t> kept(coarse.uv.size());
  for (std::size_t r = 0; r < coarse.uv.size(); ++r)
    kept[r] = render.add(coarse.vertexOf[r], coarse.uv[r]);
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> cut;
  for (std::size_t t = 0; t < coarse.triangles.size(); ++t) {
    const Triangle& c = coarse.triangles[t];
    std::array<std::int32_t, 3> m{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = c[k], b = c[(k + 1) % 3];
      const auto [it, added] = cut.try_emplace(std::minmax(a, b), -1);
      if (added)
        it->second =
            render.add(middle.at(std::minmax(coarse.vertexOf[at(a)], coarse.vertexOf[at(b)])),
                       0.5 * (coarse.uv[at(a)] + coarse.uv[at(b)]));
      m[k] = it->second;
    }
    const std::array<std::int32_t, 3> k{kept[at(c[0])], kept[at(c[1])], kept[at(c[2])]};
    fine.triangles.insert(
        fine.triangles.end(),
        {{k[0], m[0], m[2]}, {m[0], k[1], m[1]}, {m[2], m[1], k[2]}, {m[0], m[1], m[2]}});
    fine.charts.insert(fine.charts.end(), 4, coarse.charts[t]);
  }
  return fine;
}

}  // namespace pneuma::anatomy::internal
