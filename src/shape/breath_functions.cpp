#include "pneuma/shape/breath_functions.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

constexpr double kCentimetre = 0.01;  // features are of order one
constexpr double kSingular = 1e-9;    // share of the mean diagonal below which inputs do not differ
constexpr int kBins = 10;
constexpr double kHardlyUsed = 0.01;   // share of the chest's own size
constexpr double kPersonRidge = 0.02;  // share of the diagonal, by cross-validation

/// min(c, 0) of KonnoMeadFlow, which people who never breathe out below rest never use; -1: none.
Index featureBelowRest(BreathInputs inputs) {
  return inputs == BreathInputs::KonnoMeadFlow ? 7 : -1;
}

/// Rows f(moment) times each number of [1, z], block by block.
MatX featureRows(BreathInputs inputs, std::span<const BreathMoment> moments, const MatX& people) {
  const Index count = featureCount(inputs);
  MatX X(static_cast<Index>(moments.size()), count * people.cols());
  for (Index i = 0; i < X.rows(); ++i) {
    const Eigen::RowVectorXd f = features(inputs, moments[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < people.cols(); ++j) X.row(i).segment(j * count, count) = people(i, j) * f;
  }
  // What is hardly seen below rest is no reason to go far there.
  if (const Index below = featureBelowRest(inputs);
      below >= 0 && X.col(below).norm() < kHardlyUsed * X.col(0).norm())
    for (Index j = 0; j < people.cols(); ++j) X.col(j * count + below).setZero();
  return X;
}

/// Normal equations of features, scaled to a unit diagonal: an input that never moves or follows
/// another shows as a pivot of zero. What depends on the person (all behind the first block) is
/// held towards nothing by kPersonRidge: people are few, and each is 200 rows that say nearly the
/// same.
class ScaledNormal {
 public:
  ScaledNormal(BreathInputs inputs, MatX X) : X_(std::move(X)) {
    const Index count = featureCount(inputs), below = featureBelowRest(inputs);
    const MatX A = X_.transpose() * X_;
    scale_ = A.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    MatX scaled = scale_.asDiagonal() * A * scale_.asDiagonal();
    scaled.diagonal().tail(scaled.rows() - count).array() += kPersonRidge;
    for (Index k = 0; k < A.rows(); ++k)
      if (k % count == below && A(k, k) == 0) scaled(k, k) = 1;  // never used: its weight is zero
    solver_.compute(scaled);
  }
  bool wellPosed() const {
    return X_.rows() >= X_.cols() && solver_.vectorD().minCoeff() > kSingular;
  }
  MatX solve(const MatX& values) const {
    return scale_.asDiagonal() * solver_.solve(scale_.asDiagonal() * (X_.transpose() * values));
  }

 private:
  MatX X_;
  VecX scale_;
  Eigen::LDLT<MatX> solver_;
};

}  // namespace

std::string_view toString(BreathInputs inputs) {
  constexpr std::array names{"konno-mead", "type-flow", "konno-mead-flow"};
  return names[static_cast<std::size_t>(inputs)];
}

BreathInputs breathInputsOf(std::string_view name) {
  const auto* found = std::ranges::find(kAllBreathInputs, name, toString);
  if (found == kAllBreathInputs.end())
    throw InputError(Diagnostic{.field = "inputs",
                                .message = fmt::format("unknown word '{}'", name),
                                .expected = "konno-mead, konno-mead-flow or type-flow"});
  return *found;
}

Index featureCount(BreathInputs inputs) {
  constexpr std::array counts{5, 12, 8};
  return counts[static_cast<std::size_t>(inputs)];
}

Eigen::RowVectorXd features(BreathInputs inputs, const BreathMoment& m) {
  Eigen::RowVectorXd f(featureCount(inputs));
  const double c = m.chest / kCentimetre, b = m.belly / kCentimetre;
  const double v = m.volume / kCentimetre, q = m.flow / kCentimetre;
  if (inputs == BreathInputs::KonnoMead) {
    f << c, b, c * c, c * b, b * b;
    return f;
  }
  if (inputs == BreathInputs::KonnoMeadFlow) {
    f << c, b, q, c * c, c * b, b * b, c * q, std::min(c, 0.0);
    return f;
  }
  double power = 1;
  for (Index k = 0; k < 4; ++k, power *= m.type)
    f.segment<3>(3 * k) << power * v, power * v * v, power * q;
  return f;
}

bool tellsApart(BreathInputs inputs, std::span<const BreathMoment> moments) {
  const MatX anybody = MatX::Ones(static_cast<Index>(moments.size()), 1);
  return ScaledNormal(inputs, featureRows(inputs, moments, anybody)).wellPosed();
}

BreathFunction BreathFunction::fit(BreathInputs inputs, std::span<const BreathMoment> moments,
                                   const MatX& coefficients) {
  return fit(inputs, moments, MatX::Ones(coefficients.rows(), 1), coefficients);
}

BreathFunction BreathFunction::fit(BreathInputs inputs, std::span<const BreathMoment> moments,
                                   const MatX& people, const MatX& coefficients) {
  PNEUMA_CHECK(static_cast<Index>(moments.size()) == coefficients.rows() &&
                   people.rows() == coefficients.rows(),
               "{} moments and {} rows of scores for {} rows of coefficients", moments.size(),
               people.rows(), coefficients.rows());
  const ScaledNormal normal(inputs, featureRows(inputs, moments, people));
  if (!normal.wellPosed())
    throw InputError(fmt::format(
        "breath: {} moments do not tell the {} inputs apart (constant volume, one type, too few)",
        moments.size(), toString(inputs)));
  return {inputs, normal.solve(coefficients)};
}

BreathFunction BreathFunction::of(const VecX& person) const {
  const Index count = featureCount(inputs_);
  PNEUMA_CHECK(person.size() == scoreCount() + 1, "{} scores of a person for a function of {}",
               person.size() - 1, scoreCount());
  MatX weights = MatX::Zero(count, weights_.cols());
  for (Index j = 0; j < person.size(); ++j)
    weights += person[j] * weights_.middleRows(j * count, count);
  return {inputs_, std::move(weights)};
}

double fitBellyLead(std::span<const BreathMoment> moments) {
  double above = 0, below = 0;
  for (const BreathMoment& m : moments) {
    // Half the difference of the two equations; what both have too much or too little drops out.
    const double open = 0.5 * (m.belly - m.chest) - 0.5 * (1 - 2 * m.type) * (m.belly + m.chest);
    above += open * m.flow;
    below += m.flow * m.flow;
  }
  return below > 0 ? above / below : 0;
}

BreathMoment momentOf(double type, double volume, double flow, double bellyLead) {
  return {.chest = type * volume - bellyLead * flow,
          .belly = (1 - type) * volume + bellyLead * flow,
          .volume = volume,
          .flow = flow,
          .type = type};
}

MatX fitTrialLine(std::span<const double> volumes, const MatX& coefficients) {
  PNEUMA_CHECK(static_cast<Index>(volumes.size()) == coefficients.rows(),
               "{} volumes for {} rows of coefficients", volumes.size(), coefficients.rows());
  const Eigen::Map<const VecX> v(volumes.data(), static_cast<Index>(volumes.size()));
  const double mean = volumes.empty() ? 0 : v.mean();
  const double spread = (v.array() - mean).square().sum();
  if (!(spread > 1e-18 * std::max(1.0, v.squaredNorm())) || volumes.size() < 2)
    throw InputError("breath: a trial of constant volume says nothing of how shape follows volume");
  MatX line(2, coefficients.cols());
  line.row(1) = (v.array() - mean).matrix().transpose() * coefficients / spread;
  line.row(0) = coefficients.colwise().mean() - mean * line.row(1);
  return line;
}

TypeVolumeFunction TypeVolumeFunction::fit(std::span<const Trial> trials) {
  if (trials.empty()) throw InputError("breath: no trials to learn F(s, v) from");
  std::array<std::vector<const Trial*>, kBins> bins;
  for (const Trial& t : trials) {
    const int bin = std::clamp(static_cast<int>(std::floor(t.type * kBins)), 0, kBins - 1);
    bins[static_cast<std::size_t>(bin)].push_back(&t);
  }
  TypeVolumeFunction f;
  for (const auto& bin : bins) {
    if (bin.empty()) continue;
    MatX line = MatX::Zero(2, trials.front().line.cols());
    double type = 0;
    for (const Trial* t : bin) line += t->line, type += t->type;
    f.knots_.push_back(type / static_cast<double>(bin.size()));
    f.lines_.push_back(line / static_cast<double>(bin.size()));
  }
  // Natural cubic spline: second derivatives from the tridiagonal system, dense as it is ten rows.
  const auto n = static_cast<Index>(f.knots_.size());
  MatX A = MatX::Identity(n, n);
  f.bends_.assign(f.lines_.size(), MatX::Zero(2, f.lines_.front().cols()));
  MatX right = MatX::Zero(n, 2 * f.lines_.front().cols());
  const auto flat = [&](std::size_t i) { return f.lines_[i].reshaped().transpose(); };
  for (Index i = 1; i + 1 < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double before = f.knots_[k] - f.knots_[k - 1], after = f.knots_[k + 1] - f.knots_[k];
    A(i, i - 1) = before / 6, A(i, i) = (before + after) / 3, A(i, i + 1) = after / 6;
    right.row(i) = (flat(k + 1) - flat(k)) / after - (flat(k) - flat(k - 1)) / before;
  }
  const MatX solved = A.partialPivLu().solve(right);
  for (Index i = 0; i < n; ++i)
    f.bends_[static_cast<std::size_t>(i)] = solved.row(i).reshaped(2, f.lines_.front().cols());
  return f;
}

MatX TypeVolumeFunction::lineAt(double type) const {
  if (type <= knots_.front()) return lines_.front();
  if (type >= knots_.back()) return lines_.back();
  const auto above =
      static_cast<std::size_t>(std::ranges::upper_bound(knots_, type) - knots_.begin());
  const std::size_t i = above - 1;
  const double h = knots_[above] - knots_[i], b = (type - knots_[i]) / h, a = 1 - b;
  return a * lines_[i] + b * lines_[above] +
         h * h / 6 * ((a * a * a - a) * bends_[i] + (b * b * b - b) * bends_[above]);
}

Eigen::RowVectorXd TypeVolumeFunction::operator()(double type, double volume) const {
  const MatX line = lineAt(type);
  return line.row(0) + volume * line.row(1);
}

Eigen::RowVectorXd TypeVolumeFunction::fromRest(double type, double volume) const {
  return volume * lineAt(type).row(1);
}

}  // namespace pneuma::shape
