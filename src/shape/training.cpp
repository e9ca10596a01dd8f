#include "shape/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/error.h"

namespace pneuma::shape::internal {
namespace {

using Eigen::Index;

/// Rows of a fold: those of people to learn from, and those of people left out.
struct Fold {
  std::vector<Index> inside, outside;
};

Fold makeFold(const std::vector<int>& person, int fold, int folds) {
  Fold f;
  for (std::size_t i = 0; i < person.size(); ++i)
    (person[i] % folds == fold ? f.outside : f.inside).push_back(static_cast<Index>(i));
  return f;
}

std::vector<BreathMoment> chosen(const std::vector<BreathMoment>& all,
                                 const std::vector<Index>& rows) {
  std::vector<BreathMoment> list;
  for (const Index i : rows) list.push_back(all[static_cast<std::size_t>(i)]);
  return list;
}

/// Sum over rows of e^T G e.
double squaredError(const MatX& e, const MatX& products) {
  return (e * products).cwiseProduct(e).sum();
}

/// Not a number when the people inside do not tell the inputs apart (too few types).
double predictedError(BreathInputs inputs, const Training& t, const Fold& fold,
                      const MatX& coordinates, const MatX& directions) {
  const MatX known = coordinates(fold.inside, Eigen::all) * directions.transpose();
  const std::vector<BreathMoment> moments = chosen(t.moments, fold.inside);
  if (!tellsApart(inputs, moments)) return std::numeric_limits<double>::quiet_NaN();
  const BreathFunction f = BreathFunction::fit(inputs, moments, known);
  MatX e = coordinates(fold.outside, Eigen::all);
  for (Index i = 0; i < e.rows(); ++i)
    e.row(i) -= f(t.moments[static_cast<std::size_t>(fold.outside[static_cast<std::size_t>(i)])]) *
                directions;
  return squaredError(e, t.trunkProducts);
}

}  // namespace

Training gatherTraining(const PeopleFolder& people, const ShapeTemplate& shape,
                        const GradientMap& map, Index rank, Progress& progress) {
  const auto columns = static_cast<Index>(3 * shape.vertexCount());
  const FeatureRows nothing = FeatureRows::Zero(1, columns);
  Training t{.gradients = RowCompressor(gradientRows(map, nothing).cols(), rank),
             .vertices = RowCompressor(columns, rank)};
  progress.begin("learning", static_cast<double>(people.people().size()));
  for (std::size_t i = 0; i < people.people().size(); ++i) {
    progress.update(static_cast<double>(i));
    if (people.people()[i].heldOut) continue;
    const PersonFrames p = select(framesOf(shape, people.read(i)), TrialUse::Learn);
    t.gradients.add(gradientRows(map, p.displacements));
    t.vertices.add(p.displacements);
    t.moments.insert(t.moments.end(), p.moments.begin(), p.moments.end());
    t.trial.insert(t.trial.end(), p.trial.begin(), p.trial.end());
    t.person.insert(t.person.end(), p.moments.size(), static_cast<int>(t.people));
    ++t.people;
  }
  progress.end();
  if (t.people < 2)
    throw InputError(fmt::format("learn: {} people to learn from; at least 2", t.people));
  // What each direction of the basis means for vertices, once for all.
  t.basisDisplacements.resize(t.gradients.basis().rows(), columns);
  for (Index k = 0; k < t.gradients.basis().rows(); ++k) {
    const std::vector<Vec3> d = displacementOf(map, t.gradients.basis().row(k));
    for (std::size_t v = 0; v < d.size(); ++v)
      t.basisDisplacements.block<1, 3>(k, static_cast<Index>(3 * v)) =
          d[v].transpose().cast<float>();
  }
  std::vector<Index> trunk;
  for (std::size_t v = 0; v < shape.vertexCount(); ++v)
    if (shape.trunkVertex[v])
      for (Index k = 0; k < 3; ++k) trunk.push_back(static_cast<Index>(3 * v) + k);
  const MatX onTrunk = t.basisDisplacements(Eigen::all, trunk).cast<double>();
  t.trunkProducts = onTrunk * onTrunk.transpose();
  t.trunkVertices = static_cast<double>(trunk.size()) / 3;
  return t;
}

std::vector<Validation> crossValidate(const Training& t, int most, int folds) {
  const MatX& all = t.gradients.coordinates();
  const int parts = std::min(folds, static_cast<int>(t.people));
  const double count = static_cast<double>(all.rows()) * t.trunkVertices;
  const Components whole = principalComponents(all, most);
  std::vector<Validation> rows;
  for (int k = 1; k <= std::min<int>(most, static_cast<int>(all.cols())); ++k) {
    Validation v{.components = k,
                 .variance = whole.variances.head(k).sum() / std::max(1e-300, whole.total)};
    for (int fold = 0; fold < parts; ++fold) {
      const Fold f = makeFold(t.person, fold, parts);
      const MatX directions = principalComponents(MatX(all(f.inside, Eigen::all)), k).directions;
      const MatX left = all(f.outside, Eigen::all);
      v.oracle += squaredError(left - left * directions.transpose() * directions, t.trunkProducts);
      v.konnoMead += predictedError(BreathInputs::KonnoMead, t, f, all, directions);
      v.typeFlow += predictedError(BreathInputs::TypeFlow, t, f, all, directions);
    }
    for (double* e : {&v.oracle, &v.konnoMead, &v.typeFlow}) *e = std::sqrt(*e / count);
    rows.push_back(v);
  }
  return rows;
}

}  // namespace pneuma::shape::internal
