#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

#include "shape/training.h"

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

/// Frames that follow one another and belong to one person.
std::vector<std::vector<Index>> byPerson(const std::vector<int>& person,
                                         const std::vector<Index>& rows) {
  std::vector<std::vector<Index>> groups;
  int last = -1;
  for (const Index i : rows) {
    if (const int p = person[static_cast<std::size_t>(i)]; p != last)
      groups.emplace_back(), last = p;
    groups.back().push_back(i);
  }
  return groups;
}

/// Squared errors on the people left out with 1, 2, ... components of each person; not a number
/// when the people inside do not tell the inputs apart (too few types).
VecX foldErrors(const Training& t, const Fold& fold, const MetricRoot& root, BreathInputs inputs,
                Index scores, int most) {
  const MatX& all = t.gradients.coordinates();
  const std::vector<BreathMoment> moments = chosen(t.moments, fold.inside);
  VecX errors = VecX::Constant(most, std::numeric_limits<double>::quiet_NaN());
  if (!tellsApart(inputs, moments)) return errors;
  errors.setZero();
  const MatX people = t.frameScores(scores);
  const BreathFunction f = BreathFunction::fit(inputs, moments, people(fold.inside, Eigen::all),
                                               all(fold.inside, Eigen::all));
  const MatX used = meanProducts(inputs, moments);
  for (const std::vector<Index>& rows : byPerson(t.person, fold.outside)) {
    // As PersonBreath does: principal components of what is predicted of this person.
    const MatX W = f.of(people.row(rows.front()).transpose()).weights() * root.to;
    const Eigen::SelfAdjointEigenSolver<MatX> solver(W.transpose() * used * W);
    MatX X(static_cast<Index>(rows.size()), W.rows());
    for (std::size_t i = 0; i < rows.size(); ++i)
      X.row(static_cast<Index>(i)) = features(inputs, t.moments[static_cast<std::size_t>(rows[i])]);
    MatX left = all(rows, Eigen::all);
    for (int k = 0; k < most; ++k) {
      if (k < std::min(W.rows(), W.cols())) {
        const VecX v = solver.eigenvectors().col(W.cols() - 1 - k);
        left -= (X * (W * v)) * (v.transpose() * root.from);
      }
      errors[k] += squaredError(left, t.trunkProducts);
    }
  }
  return errors;
}

/// Errors [m] with 1, 2, ... components.
VecX predictedErrors(const Training& t, BreathInputs inputs, Index scores, int most, int folds) {
  const MetricRoot root(t.metric);
  const int parts = std::min(folds, static_cast<int>(t.people));
  VecX sum = VecX::Zero(most);
  for (int fold = 0; fold < parts; ++fold)
    sum += foldErrors(t, makeFold(t.person, fold, parts), root, inputs, scores, most);
  return (sum / (static_cast<double>(t.moments.size()) * t.trunkVertices)).cwiseSqrt();
}

/// What is left of the people left out beside the first components of those inside [m].
double oracleError(const Training& t, int components, int folds) {
  const MetricRoot root(t.metric);
  const MatX all = t.gradients.coordinates() * root.to;
  const MatX onTrunk = root.from * t.trunkProducts * root.from.transpose();
  const int parts = std::min(folds, static_cast<int>(t.people));
  double sum = 0;
  for (int fold = 0; fold < parts; ++fold) {
    const Fold f = makeFold(t.person, fold, parts);
    const MatX d = principalComponents(MatX(all(f.inside, Eigen::all)), components).directions;
    const MatX left = all(f.outside, Eigen::all);
    sum += squaredError(left - left * d.transpose() * d, onTrunk);
  }
  return std::sqrt(sum / (static_cast<double>(all.rows()) * t.trunkVertices));
}

}  // namespace

std::vector<Validation> crossValidate(const Training& t, int most, int folds, Index scores) {
  const MetricRoot root(t.metric);
  const Components whole = principalComponents(t.gradients.coordinates() * root.to, most);
  const int count = std::min<int>(most, static_cast<int>(t.gradients.coordinates().cols()));
  const VecX konnoMead = predictedErrors(t, BreathInputs::KonnoMead, scores, most, folds);
  const VecX withFlow = predictedErrors(t, BreathInputs::KonnoMeadFlow, scores, most, folds);
  const VecX typeFlow = predictedErrors(t, BreathInputs::TypeFlow, scores, most, folds);
  std::vector<Validation> rows;
  for (int k = 1; k <= count; ++k)
    rows.push_back({.components = k,
                    .variance = whole.variances.head(k).sum() / std::max(1e-300, whole.total),
                    .oracle = oracleError(t, k, folds),
                    .konnoMead = konnoMead[k - 1],
                    .konnoMeadFlow = withFlow[k - 1],
                    .typeFlow = typeFlow[k - 1]});
  return rows;
}

std::vector<double> crossValidateScores(const Training& t, BreathInputs inputs, int components,
                                        int folds) {
  std::vector<double> errors;
  for (Index scores = 0; scores <= t.identity.count(); ++scores)
    errors.push_back(predictedErrors(t, inputs, scores, components, folds)[components - 1]);
  return errors;
}

}  // namespace pneuma::shape::internal
