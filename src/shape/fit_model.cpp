#include "shape/fit_model.h"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace pneuma::shape::internal {
namespace {

using Eigen::Index;

constexpr Index kMostModes = 32;
constexpr double kLostByModes = 1e-4;  // of the squares of what is predicted

/// The mean of a displacement and its mirror image, equal to the last bit on both sides.
void makeSymmetric(const ShapeTemplate& shape, std::vector<Vec3>& u) {
  const std::vector<Vec3> before = u;
  const auto mirrored = [](const Vec3& d) { return Vec3(-d.x(), d.y(), d.z()); };
  for (std::size_t v = 0; v < u.size(); ++v) {
    const auto other = static_cast<std::size_t>(shape.mirror[v]);
    if (other < v) continue;
    u[v] = 0.5 * (before[v] + mirrored(before[other]));
    u[other] = mirrored(u[v]);
  }
}

/// Second moments of all predicted coefficients in the coordinates of the metric.
MatX predictedProducts(const Training& t, const BreathFunction& function, const MatX& scores,
                       const MatX& to) {
  MatX sum = MatX::Zero(to.cols(), to.cols());
  for (std::size_t first = 0, end = 0; first < t.person.size(); first = end) {
    while (end < t.person.size() && t.person[end] == t.person[first]) ++end;
    const MatX W = function.of(scores.row(static_cast<Index>(first)).transpose()).weights() * to;
    const MatX used =
        meanProducts(function.inputs(), std::span(t.moments).subspan(first, end - first));
    sum += static_cast<double>(end - first) * (W.transpose() * used * W);
  }
  return sum;
}

/// The strongest eigenvectors (columns) that together hold all but kLostByModes.
MatX strongModes(const MatX& products) {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(products);
  const Index n = products.rows();
  const double all = solver.eigenvalues().cwiseMax(0).sum();
  double held = 0;
  Index kept = 0;
  while (kept < std::min(n, kMostModes) && (kept == 0 || held < (1 - kLostByModes) * all))
    held += std::max(0.0, solver.eigenvalues()[n - 1 - kept++]);
  return solver.eigenvectors().rightCols(kept).rowwise().reverse();
}

}  // namespace

BreathModel fitModel(const PeopleFolder& people, const ShapeTemplate& shape,
                     const Training& training, const ModelChoice& choice) {
  BreathModel model;
  model.topologyId = people.topologyId();
  model.dataHash = people.dataHash();
  model.mesh = people.templateMesh();
  model.vertexParts = people.vertexParts();
  model.mirror = people.vertexMirror();
  model.bellyLead = fitBellyLead(training.moments);
  model.identity = training.identity.first(choice.scores);
  model.featureMoments = meanProducts(choice.inputs, training.moments);
  model.components = choice.components;
  const MatX scores = training.frameScores(model.identity.count());
  const BreathFunction function = BreathFunction::fit(choice.inputs, training.moments, scores,
                                                      training.gradients.coordinates());
  const MetricRoot root(training.metric);
  const MatX V = strongModes(predictedProducts(training, function, scores, root.to));
  model.function = function.times(root.to * V);
  const FeatureRows fields =
      (V.transpose() * root.from).cast<float>() * training.basisDisplacements;
  for (Index m = 0; m < fields.rows(); ++m) {
    std::vector<Vec3> u(shape.vertexCount());
    for (std::size_t v = 0; v < u.size(); ++v)
      u[v] = fields.block<1, 3>(m, static_cast<Index>(3 * v)).transpose().cast<double>();
    makeSymmetric(shape, u);
    model.modes.push_back(std::move(u));
  }
  return model;
}

}  // namespace pneuma::shape::internal
