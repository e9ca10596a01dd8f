#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "pneuma/core/types.h"

/// From what a breath is (volume, type, flow) to coefficients of its components.
namespace pneuma::shape {

/// One moment of a breath. Volumes are changes from rest over the area of the person's torso: the
/// mean way of the skin [m], which makes small and large people alike.
struct BreathMoment {
  double chest = 0, belly = 0;  ///< gained by the torso's halves [m]
  double volume = 0;            ///< of the lungs [m]
  double flow = 0;              ///< its rate [m/s]
  double type = 0.5;            ///< s of the trial: the chest's share
};

/// Which inputs predict the coefficients.
enum class BreathInputs {
  KonnoMead,  ///< c, b, c^2, c b, b^2: volumes of chest and belly, the two ways a wall moves
  TypeFlow,   ///< {1, s, s^2, s^3} x {v, v^2, q}: type, volume, flow
  /// c, b, q, c^2, c b, b^2, c q, min(c, 0): the same volumes and where they are going; below rest
  /// the chest is pulled by the muscles of expiration, which is another shape than less of the same
  KonnoMeadFlow
};
inline constexpr std::array kAllBreathInputs{BreathInputs::KonnoMead, BreathInputs::TypeFlow,
                                             BreathInputs::KonnoMeadFlow};
std::string_view toString(BreathInputs inputs);
/// The inverse. Throws InputError for another word.
BreathInputs breathInputsOf(std::string_view name);
Eigen::Index featureCount(BreathInputs inputs);
/// The row of features of a moment; zero at rest.
Eigen::RowVectorXd features(BreathInputs inputs, const BreathMoment& moment);

/// Whether the moments differ enough for that many inputs: neither constant volume, nor too few
/// types or moments.
bool tellsApart(BreathInputs inputs, std::span<const BreathMoment> moments);

/// Coefficients linear in the features, by least squares, with weights that may depend on who
/// breathes:
///
///   b = f(moment) (W_0 + z_1 W_1 + ... + z_J W_J)       z scores of the person, IdentitySpace
///
/// No breath gives no coefficient: the shape at rest (FRC) is the zero, unlike the paper's mean
/// shape.
class BreathFunction {
 public:
  BreathFunction() = default;
  /// `weights`: the blocks W_0 ... W_J below one another.
  BreathFunction(BreathInputs inputs, MatX weights)
      : inputs_(inputs), weights_(std::move(weights)) {}
  /// Rows of `coefficients` belong to the moments. Throws InputError when the moments do not tell
  /// the inputs apart (constant volume, too few).
  static BreathFunction fit(BreathInputs inputs, std::span<const BreathMoment> moments,
                            const MatX& coefficients);
  /// The same with a row [1, z] of `people` for each moment.
  static BreathFunction fit(BreathInputs inputs, std::span<const BreathMoment> moments,
                            const MatX& people, const MatX& coefficients);

  BreathInputs inputs() const { return inputs_; }
  const MatX& weights() const { return weights_; }  ///< features (1 + J) x K
  Eigen::Index scoreCount() const { return weights_.rows() / featureCount(inputs_) - 1; }  ///< J
  /// The function of one person, [1, z]; it has no scores left.
  BreathFunction of(const VecX& person) const;
  /// The function in other coordinates: b M.
  BreathFunction times(const MatX& M) const { return {inputs_, weights_ * M}; }
  /// Of a function without scores.
  Eigen::RowVectorXd operator()(const BreathMoment& moment) const {
    return features(inputs_, moment) * weights_;
  }

 private:
  BreathInputs inputs_ = BreathInputs::KonnoMead;
  MatX weights_;
};

/// How much earlier the belly moves than the chest: of all frames the least-squares tau of
///
///   chest = s v - tau q,   belly = (1 - s) v + tau q
///
/// so that type, volume and flow of an animator become the volumes of Konno and Mead.
double fitBellyLead(std::span<const BreathMoment> moments);  ///< tau [s]
/// The moment of given type, volume and flow.
BreathMoment momentOf(double type, double volume, double flow, double bellyLead);

/// W_j of one trial [Tsoli14, Eq. 7]: rows [intercept; slope], one column per coefficient. Throws
/// InputError when all volumes are equal.
MatX fitTrialLine(std::span<const double> volumes, const MatX& coefficients);

/// F(s, v) of the paper [Tsoli14, Sec. 6.3, Eq. 8].
///
/// Trials sorted into ten bins of s; in each the lines are averaged; cubic splines over the bins'
/// mean s give slope and intercept for any s.
///
/// Reading: bins are open-ended and s is held at the outermost means beyond them, because
/// paradoxical breath has s < 0 or s > 1. The intercept makes F(s, 0) no mean shape; `fromRest`
/// gives F(s, v) - F(s, 0).
class TypeVolumeFunction {
 public:
  struct Trial {
    double type = 0.5;  ///< s
    MatX line;          ///< fitTrialLine
  };
  static TypeVolumeFunction fit(std::span<const Trial> trials);

  Eigen::RowVectorXd operator()(double type, double volume) const;
  Eigen::RowVectorXd fromRest(double type, double volume) const;
  const std::vector<double>& knots() const { return knots_; }

 private:
  MatX lineAt(double type) const;

  std::vector<double> knots_;  // mean s of the bins that hold trials
  std::vector<MatX> lines_;    // at the knots
  std::vector<MatX> bends_;    // second derivatives over s there
};

}  // namespace pneuma::shape
