#include "shape/training.h"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::shape::internal {
namespace {

using Eigen::Index;

constexpr Index kTrunkRank = 24;  // directions kept of people's trunks at rest
/// Squares outside of the trunk count so much: arms that swing with the shoulders are to be
/// carried, not to choose the components.
constexpr double kElsewhere = 0.01;
constexpr std::size_t kPeopleForAScore = 4;
constexpr double kFlattest = 1e-12;  // share of the largest square of the metric

/// Products of displacement fields on the vertices that `chosen` names.
MatX productsOn(const FeatureRows& fields, const std::vector<bool>& chosen, bool value) {
  std::vector<Index> columns;
  for (std::size_t v = 0; v < chosen.size(); ++v)
    if (chosen[v] == value)
      for (Index k = 0; k < 3; ++k) columns.push_back(static_cast<Index>(3 * v) + k);
  const MatX part = fields(Eigen::all, columns).cast<double>();
  return part * part.transpose();
}

/// What each direction of the basis means for vertices, once for all.
void solveBasis(const ShapeTemplate& shape, const GradientMap& map, Training& t) {
  const FeatureRows& basis = t.gradients.basis();
  t.basisDisplacements.resize(basis.rows(), static_cast<Index>(3 * shape.vertexCount()));
  for (Index k = 0; k < basis.rows(); ++k) {
    const std::vector<Vec3> d = displacementOf(map, basis.row(k));
    for (std::size_t v = 0; v < d.size(); ++v)
      t.basisDisplacements.block<1, 3>(k, static_cast<Index>(3 * v)) =
          d[v].transpose().cast<float>();
  }
  t.trunkProducts = productsOn(t.basisDisplacements, shape.trunkVertex, true);
  t.metric =
      t.trunkProducts + kElsewhere * productsOn(t.basisDisplacements, shape.trunkVertex, false);
  t.trunkVertices = static_cast<double>(std::ranges::count(shape.trunkVertex, true));
}

}  // namespace

MetricRoot::MetricRoot(const MatX& metric) {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(metric);
  const double least = kFlattest * std::max(1e-300, solver.eigenvalues().maxCoeff());
  const VecX root = solver.eigenvalues().cwiseMax(least).cwiseSqrt();
  to = solver.eigenvectors() * root.asDiagonal();
  from = root.cwiseInverse().asDiagonal() * solver.eigenvectors().transpose();
}

MatX meanProducts(BreathInputs inputs, std::span<const BreathMoment> moments) {
  MatX sum = MatX::Zero(featureCount(inputs), featureCount(inputs));
  for (const BreathMoment& m : moments) {
    const Eigen::RowVectorXd f = features(inputs, m);
    sum += f.transpose() * f;
  }
  return sum / std::max(1.0, static_cast<double>(moments.size()));
}

MatX Training::frameScores(Index count) const {
  MatX rows(static_cast<Index>(person.size()), count + 1);
  for (std::size_t i = 0; i < person.size(); ++i)
    rows.row(static_cast<Index>(i)) = scores.row(person[i]).head(count + 1);
  return rows;
}

Training gatherTraining(const PeopleFolder& people, const ShapeTemplate& shape,
                        const GradientMap& map, Index rank, Index mostScores, Progress& progress) {
  const auto columns = static_cast<Index>(3 * shape.vertexCount());
  const auto trunk = static_cast<Index>(3 * std::ranges::count(shape.trunkVertex, true));
  const FeatureRows nothing = FeatureRows::Zero(1, columns);
  Training t{.gradients = RowCompressor(gradientRows(map, nothing).cols(), rank),
             .vertices = RowCompressor(columns, rank),
             .trunks = RowCompressor(trunk, kTrunkRank)};
  std::vector<std::vector<Vec3>> rests;
  progress.begin("learning", static_cast<double>(people.people().size()));
  for (std::size_t i = 0; i < people.people().size(); ++i) {
    progress.update(static_cast<double>(i));
    if (people.people()[i].heldOut) continue;
    const PersonFrames p = select(framesOf(shape, people.read(i)), TrialUse::Learn);
    t.gradients.add(gradientRows(map, p.displacements));
    t.vertices.add(p.displacements);
    t.trunks.add(FeatureRows(IdentitySpace::trunkRow(shape, p.rest)));
    rests.push_back(p.rest);
    t.moments.insert(t.moments.end(), p.moments.begin(), p.moments.end());
    t.trial.insert(t.trial.end(), p.trial.begin(), p.trial.end());
    t.person.insert(t.person.end(), p.moments.size(), static_cast<int>(t.people));
    ++t.people;
  }
  progress.end();
  if (t.people < 2)
    throw InputError(fmt::format("learn: {} people to learn from; at least 2", t.people));
  // A score more than people can tell apart says who somebody is, not how they differ.
  t.identity = IdentitySpace::fit(
      t.trunks, std::min<Index>(mostScores, static_cast<Index>(t.people / kPeopleForAScore)));
  t.scores.resize(static_cast<Index>(t.people), t.identity.count() + 1);
  for (std::size_t i = 0; i < rests.size(); ++i)
    t.scores.row(static_cast<Index>(i)) = t.identity.scores(shape, rests[i]).transpose();
  solveBasis(shape, map, t);
  return t;
}

}  // namespace pneuma::shape::internal
