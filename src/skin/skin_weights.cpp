#include "pneuma/skin/skin_weights.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "skin/surface_laplacian.h"

namespace pneuma::skin {
namespace {

using Column = Eigen::VectorXd;

constexpr double kBoneSpacing = 0.008;  // of the samples on bones [m]

/// The group on the other side, itself for one in the middle.
std::vector<int> mirrorGroups(const JointGroups& groups) {
  std::vector<int> mirror(groups.names.size());
  for (std::size_t g = 0; g < mirror.size(); ++g) {
    std::string other = groups.names[g];
    if (other.ends_with("_l"))
      other.back() = 'r';
    else if (other.ends_with("_r"))
      other.back() = 'l';
    const auto it = std::ranges::find(groups.names, other);
    mirror[g] = it == groups.names.end() ? static_cast<int>(g)
                                         : static_cast<int>(it - groups.names.begin());
  }
  return mirror;
}

/// The largest weights of a vertex, without the groups marked in `without`, scaled to the share
/// that all others have together.
SkinWeights::Vertex strongest(const std::vector<Column>& weights, Eigen::Index v,
                              const std::vector<bool>& without) {
  std::vector<std::pair<double, std::int32_t>> all;
  double total = 0, wanted = 0;
  for (std::size_t g = 0; g < weights.size(); ++g) {
    if (weights[g].size() == 0) continue;
    total += weights[g][v];
    if (!without.empty() && without[g]) continue;
    wanted += weights[g][v];
    all.emplace_back(-weights[g][v], static_cast<std::int32_t>(g));
  }
  std::ranges::sort(all);
  // In the mid-plane both sides weigh the same: neither is left out alone.
  constexpr double kSame = 1e-12;
  std::size_t most = std::min(SkinWeights::kMost, all.size());
  while (most > 1 && most < all.size() && all[most].first - all[most - 1].first < kSame) --most;
  SkinWeights::Vertex vertex;
  double sum = 0;
  for (std::size_t k = 0; k < most; ++k) sum -= all[k].first;
  if (sum <= 0) return vertex;  // nothing but what is left out
  const double scale = without.empty() ? 1.0 : wanted / total;
  for (std::size_t k = 0; k < most; ++k) {
    vertex.group[k] = all[k].second;
    vertex.weight[k] = -all[k].first / sum * scale;
  }
  return vertex;
}

/// Each side becomes the mean of itself and the mirror image of the other: rounding in the solver
/// does not know the mid-plane.
void makeSymmetric(const std::vector<std::int32_t>& mirrorVertex,
                   const std::vector<int>& mirrorGroup, std::vector<Column>& weights) {
  const std::vector<Column> before = weights;
  for (std::size_t g = 0; g < weights.size(); ++g) {
    const Column& other = before[static_cast<std::size_t>(mirrorGroup[g])];
    if (weights[g].size() == 0 || other.size() == 0) continue;
    for (std::size_t v = 0; v < mirrorVertex.size(); ++v)
      if (mirrorVertex[v] >= 0) {
        const auto i = static_cast<Eigen::Index>(v);
        weights[g][i] = 0.5 * (before[g][i] + other[mirrorVertex[v]]);
      }
  }
}

}  // namespace

double SkinWeights::share(std::size_t vertex, const std::vector<bool>& chosen) const {
  double sum = 0;
  for (std::size_t k = 0; k < kMost; ++k)
    if (chosen[static_cast<std::size_t>(vertices[vertex].group[k])])
      sum += vertices[vertex].weight[k];
  return sum;
}

SkinWeights::Vertex SkinWeights::outside(std::size_t vertex, const std::vector<bool>& trunk) const {
  if (!limbs.empty()) return limbs[vertex];
  Vertex own = vertices[vertex];
  for (std::size_t k = 0; k < kMost; ++k)
    if (trunk[static_cast<std::size_t>(own.group[k])]) own.weight[k] = 0;
  return own;
}

std::vector<std::int32_t> mirrorVertices(const std::vector<Vec3>& positions) {
  constexpr double kSame = 1e-9;
  using Key = std::tuple<long long, long long, long long>;
  const auto key = [&](double x, const Vec3& p) {
    return Key(std::llround(x / kSame), std::llround(p.y() / kSame), std::llround(p.z() / kSame));
  };
  std::map<Key, std::int32_t> places;
  for (std::size_t i = 0; i < positions.size(); ++i)
    places.emplace(key(positions[i].x(), positions[i]), static_cast<std::int32_t>(i));
  std::vector<std::int32_t> mirror;
  for (const Vec3& p : positions) {
    const auto it = places.find(key(-p.x(), p));
    mirror.push_back(it == places.end() ? -1 : it->second);
  }
  return mirror;
}

SkinWeights diffuseWeights(const TriangleMesh& mesh, const WeightSources& sources,
                           const JointGroups& groups, const WeightConfig& config) {
  if (config.conductance <= 0 || config.softness <= 0)
    throw InputError("skin weights: conductance and softness must be above 0");
  PNEUMA_CHECK(sources.group.size() == mesh.vertexCount(), "{} sources for {} vertices",
               sources.group.size(), mesh.vertexCount());
  const auto n = static_cast<Eigen::Index>(mesh.vertexCount());
  const std::vector<double> areas = internal::vertexAreas(mesh);
  Column heat(n);
  for (Eigen::Index v = 0; v < n; ++v) {
    const auto i = static_cast<std::size_t>(v);
    const double d = sources.distance[i] + config.softness;
    heat[v] = areas[i] * config.conductance / (d * d);
  }
  Eigen::SparseMatrix<double> matrix = internal::surfaceLaplacian(mesh);
  matrix.diagonal() += heat;
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(matrix);
  PNEUMA_CHECK(factor.info() == Eigen::Success, "weights of {} vertices", n);
  std::vector<Column> weights(groups.names.size());
  for (std::size_t g = 0; g < weights.size(); ++g) {
    Column right = Column::Zero(n);
    for (Eigen::Index v = 0; v < n; ++v)
      if (sources.group[static_cast<std::size_t>(v)] == static_cast<std::int32_t>(g))
        right[v] = heat[v];
    if (right.isZero(0)) continue;  // carries nothing
    weights[g] = factor.solve(right).cwiseMax(0.0).cwiseMin(1.0);
  }
  makeSymmetric(mirrorVertices(mesh.positions), mirrorGroups(groups), weights);
  SkinWeights result;
  for (Eigen::Index v = 0; v < n; ++v) {
    result.vertices.push_back(strongest(weights, v, {}));
    result.limbs.push_back(strongest(weights, v, groups.trunk));
  }
  return result;
}

SkinWeights makeSkinWeights(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                            const JointGroups& groups, const anatomy::GeometryCache& cache,
                            const WeightConfig& config) {
  const std::vector<BoneSample> samples =
      sampleBones(body, cache, kBoneSpacing, [](const anatomy::Bone&) { return true; });
  return diffuseWeights(surface.mesh, findWeightSources(surface, body, groups, samples), groups,
                        config);
}

}  // namespace pneuma::skin
