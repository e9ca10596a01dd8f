#include "pneuma/shape/breath_functions.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/shape/pca.h"

namespace pneuma::shape {
namespace {

std::vector<BreathMoment> someBreaths(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<BreathMoment> list;
  for (int i = 0; i < count; ++i)
    list.push_back(momentOf(random.uniform(-0.1, 1.1), random.uniform(-0.005, 0.015),
                            random.uniform(-0.01, 0.01), 0.1));
  return list;
}

MatX randomMatrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Random random(seed);
  MatX m(rows, columns);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = random.normal();
  return m;
}

TEST(BreathFunction, KnownWeightsAreFoundAgain) {
  for (const BreathInputs inputs : kAllBreathInputs) {
    const MatX weights = randomMatrix(featureCount(inputs), 4, 5);
    const BreathFunction truth(inputs, weights);
    const std::vector<BreathMoment> moments = someBreaths(200, 11);
    MatX b(200, 4);
    for (Eigen::Index i = 0; i < 200; ++i) b.row(i) = truth(moments[static_cast<std::size_t>(i)]);
    EXPECT_LT((BreathFunction::fit(inputs, moments, b).weights() - weights).norm(), 1e-6);
  }
}

TEST(BreathFunction, DependsOnThePersonAsMuchAsThePeopleDid) {
  constexpr Eigen::Index kPeople = 12, kFrames = 60;
  const BreathInputs inputs = BreathInputs::KonnoMead;
  const MatX weights = randomMatrix(3 * featureCount(inputs), 2, 6);
  const MatX scores = randomMatrix(kPeople, 2, 7);
  const BreathFunction truth(inputs, weights);
  std::vector<BreathMoment> moments;
  MatX people(kPeople * kFrames, 3), b(kPeople * kFrames, 2);
  for (Eigen::Index p = 0; p < kPeople; ++p)
    for (const BreathMoment& m : someBreaths(kFrames, 20 + static_cast<std::uint64_t>(p))) {
      const auto row = static_cast<Eigen::Index>(moments.size());
      people.row(row) << 1, scores.row(p);
      b.row(row) = truth.of(people.row(row).transpose())(m);
      moments.push_back(m);
    }
  const auto left = [&](const MatX& known) {
    const BreathFunction f = BreathFunction::fit(inputs, moments, known, b);
    double sum = 0;
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      sum += (f.of(known.row(row).transpose())(moments[i]) - b.row(row)).squaredNorm();
    }
    return std::sqrt(sum / b.squaredNorm());
  };
  EXPECT_LT(left(people), 0.05);  // held towards nothing by a hundredth
  EXPECT_GT(left(MatX(people.leftCols(1))), 0.3);
}

TEST(BreathFunction, WhoNeverBreathesOutBelowRestTeachesNothingOfIt) {
  std::vector<BreathMoment> moments;
  for (const BreathMoment& m : someBreaths(200, 13))
    moments.push_back({.chest = std::abs(m.chest), .belly = m.belly, .flow = m.flow});
  const BreathFunction f =
      BreathFunction::fit(BreathInputs::KonnoMeadFlow, moments, randomMatrix(200, 2, 3));
  EXPECT_EQ(f.weights().row(7).norm(), 0);
  EXPECT_GT(f.weights().row(0).norm(), 0);
  for (BreathMoment& m : moments) m.chest = 0;
  EXPECT_FALSE(tellsApart(BreathInputs::KonnoMeadFlow, moments));
}

TEST(BreathFunction, UnknownInputsAreRefusedByName) {
  for (const BreathInputs inputs : kAllBreathInputs)
    EXPECT_EQ(breathInputsOf(toString(inputs)), inputs);
  EXPECT_THROW(breathInputsOf("spirometer"), InputError);
}

TEST(BreathFunction, NoBreathIsNoShape) {
  const BreathFunction f(BreathInputs::TypeFlow, randomMatrix(12, 3, 2));
  EXPECT_EQ(f(momentOf(0.7, 0, 0, 0.1)).norm(), 0);
}

TEST(BreathFunction, ConstantVolumeOneTypeOrTooFewAreRefused) {
  const std::vector<BreathMoment> constant(50, momentOf(0.4, 0.01, 0, 0));
  EXPECT_THROW(BreathFunction::fit(BreathInputs::KonnoMead, constant, MatX::Ones(50, 2)),
               InputError);
  std::vector<BreathMoment> oneType;
  for (int i = 0; i < 50; ++i) oneType.push_back(momentOf(0.5, 1e-4 * i, 0, 0));
  EXPECT_THROW(BreathFunction::fit(BreathInputs::TypeFlow, oneType, MatX::Ones(50, 2)), InputError);
  EXPECT_THROW(BreathFunction::fit(BreathInputs::KonnoMead, someBreaths(3, 1), MatX::Ones(3, 2)),
               InputError);
}

TEST(BreathFunction, LeadOfTheBellyIsFoundAgain) {
  EXPECT_NEAR(fitBellyLead(someBreaths(300, 4)), 0.1, 1e-9);
}

TEST(TrialLine, SlopeAndInterceptAreFoundAgain) {
  const std::vector<double> volumes{-0.2e-3, 0.1e-3, 0.4e-3, 1.3e-3};
  MatX line = randomMatrix(2, 3, 8), b(4, 3);
  for (Eigen::Index i = 0; i < 4; ++i)
    b.row(i) = line.row(0) + volumes[static_cast<std::size_t>(i)] * line.row(1);
  EXPECT_LT((fitTrialLine(volumes, b) - line).norm(), 1e-6);
  EXPECT_THROW(fitTrialLine(std::vector<double>(4, 0.3e-3), b), InputError);
  EXPECT_THROW(fitTrialLine(std::vector<double>{1}, b.topRows(1)), InputError);
}

TEST(TypeVolume, MeetsItsBinsAndHoldsBeyondThem) {
  std::vector<TypeVolumeFunction::Trial> trials;
  for (const double s : {-0.04, 0.05, 0.33, 0.36, 0.6, 0.92, 1.1}) {
    MatX line(2, 1);
    line << s * s, 1 + s;
    trials.push_back({s, line});
  }
  const TypeVolumeFunction f = TypeVolumeFunction::fit(trials);
  ASSERT_EQ(f.knots().size(), 4u);  // 0, 3, 6 and 9 of ten bins
  EXPECT_NEAR(f(0.6, 0)[0], 0.36, 1e-12);
  EXPECT_NEAR(f.fromRest(0.6, 2)[0], 3.2, 1e-12);
  EXPECT_NEAR(f.fromRest(0.5, 1)[0], 1.5, 0.01);  // a line stays one
  EXPECT_EQ(f(-5, 1)[0], f(-1, 1)[0]);
  EXPECT_EQ(f(5, 1)[0], f(1.3, 1)[0]);
  EXPECT_THROW(TypeVolumeFunction::fit({}), InputError);
}

TEST(RowCompressor, KeepsRowsOfLowRankBatchByBatch) {
  const MatX left = randomMatrix(90, 6, 1), right = randomMatrix(6, 500, 2);
  const FeatureRows rows = (left * right).cast<float>();
  RowCompressor compressor(500, 10);
  for (int batch = 0; batch < 3; ++batch) compressor.add(rows.middleRows(30 * batch, 30));
  const MatX back = compressor.coordinates() * compressor.basis().cast<double>();
  EXPECT_LT((back - rows.cast<double>()).norm() / rows.cast<double>().norm(), 1e-5);
  EXPECT_LT(compressor.lost(), 1e-5);
  const FeatureRows unit = compressor.basis() * compressor.basis().transpose();
  EXPECT_LT((unit - FeatureRows::Identity(unit.rows(), unit.rows())).norm(), 1e-4);
}

TEST(PrincipalComponents, FindTheSubspaceWhateverTheOrder) {
  MatX strength = MatX::Zero(3, 3);
  strength.diagonal() << 5, 2, 0.01;
  const MatX rows = randomMatrix(400, 3, 9) * strength * randomMatrix(3, 20, 10);
  const Components a = principalComponents(rows, 2);
  const Components b = principalComponents(MatX(rows.colwise().reverse()), 2);
  const MatX cosines = a.directions * b.directions.transpose();
  EXPECT_NEAR(std::abs(cosines.determinant()), 1, 1e-9);  // both angles are zero
  EXPECT_GT(a.variances.sum() / a.total, 0.999);
}

}  // namespace
}  // namespace pneuma::shape
