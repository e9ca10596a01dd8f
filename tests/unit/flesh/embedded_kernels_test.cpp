// Float kernels at every width of registers, folded matrices, the multigrid's symmetry.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "flesh/embedded/assembly.h"
#include "flesh/embedded/multigrid.h"

namespace pneuma::flesh::embedded {
namespace {

struct Fixture {
  std::shared_ptr<const Lattice> lattice = std::make_shared<const Lattice>(
      makeLattice(makeSphere(0.06, 3), {.spacing = 0.008, .coarsestNodes = 60}));
  FleshModel model = makeUniformFlesh(lattice, {});
  std::vector<double> x;
  std::vector<float> pressures;  ///< up to a tenth of the bulk modulus
  KernelSettings settings{.curve = FibreConstants({}, muscle::ZajacCurves())};

  Fixture() {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> any(-1, 1);
    model.lineCount = 2;
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(lattice->tetCount()); t += 3)
      model.fibres.push_back(
          {t, t % 2, 0.5F, Vec3(any(random), any(random), any(random)).normalized()});
    for (const Vec3& p : lattice->nodes)
      for (int d = 0; d < 3; ++d) x.push_back(p[d] + 0.002 * any(random));
    for (std::size_t t = 0; t < lattice->tetCount(); ++t)
      pressures.push_back(static_cast<float>(1e6 * any(random)));
  }
};

TEST(EmbeddedKernels, EveryVectorWidthGivesTheSameBits) {
  const Fixture f;
  std::vector<std::vector<double>> gradients;
  std::vector<std::vector<float>> matrices;
  for (const VectorWidth width : {VectorWidth::Baseline, VectorWidth::Avx2, VectorWidth::Avx512}) {
    if (width > widestVector()) break;
    useVectorWidth(width);
    Assembly<Float16> assembly(f.model);
    assembly.setActivations(std::vector<double>{0.4, 0.9});
    assembly.setPressures(f.pressures);
    std::vector<double> gradient(f.x.size(), 0);
    gradient.push_back(assembly.energy(f.x.data(), f.settings, gradient.data()));
    assembly.stiffness(f.x.data(), f.settings);
    gradients.push_back(gradient);
    matrices.push_back(assembly.values());
  }
  useVectorWidth(widestVector());
  for (std::size_t i = 1; i < gradients.size(); ++i) {
    EXPECT_EQ(std::memcmp(gradients[i].data(), gradients[0].data(), 8 * gradients[0].size()), 0);
    EXPECT_EQ(std::memcmp(matrices[i].data(), matrices[0].data(), 4 * matrices[0].size()), 0);
  }
}

TEST(EmbeddedKernels, StiffnessOfLanesIsThatOfScalarDouble) {
  const Fixture f;
  Assembly<Float16> fast(f.model);
  Assembly<double> slow(f.model);
  fast.setActivations(std::vector<double>{0.4, 0.9});
  slow.setActivations(std::vector<double>{0.4, 0.9});
  fast.setPressures(f.pressures);
  slow.setPressures(f.pressures);
  fast.stiffness(f.x.data(), f.settings);
  slow.stiffness(f.x.data(), f.settings);
  double scale = 0, worst = 0;
  for (std::size_t i = 0; i < slow.values().size(); ++i) {
    scale = std::max(scale, std::abs(slow.values()[i]));
    worst = std::max(worst, std::abs(double(fast.values()[i]) - slow.values()[i]));
  }
  EXPECT_LT(worst, 2e-4 * scale);  // float singular values of folded elements
}

/// S^T K S by the folding equals the product of dense matrices.
TEST(EmbeddedKernels, FoldingIsTheTripleProduct) {
  const Fixture f;
  Assembly<double> assembly(f.model);
  assembly.stiffness(f.x.data(), f.settings);
  BlockMatrix<double> folded;
  const BlockFolding folding(assembly.blocks(), f.lattice->bindings, f.lattice->freeCount, folded);
  folding.apply(assembly.values().data(), RowMask::all(f.lattice->freeCount), folded);
  // y -> S y -> K S y -> S^T K S y for a random vector.
  std::mt19937 random(8);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> y(3 * f.lattice->freeCount), got(y.size());
  for (double& v : y) v = any(random);
  folded.multiply(y.data(), got.data());
  const SparseRows& s = f.lattice->bindings;
  std::vector<double> sy(3 * s.rows(), 0), ksy(sy.size(), 0), expected(y.size(), 0);
  for (std::size_t n = 0; n < s.rows(); ++n)
    for (std::int32_t k = s.start[n]; k < s.start[n + 1]; ++k)
      for (int d = 0; d < 3; ++d) sy[3 * n + d] += double(s.weight[k]) * y[3 * s.column[k] + d];
  for (const BlockPlace& b : assembly.blocks())
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double v = assembly.values()[9 * b.source + i + 3 * j];
        ksy[3 * b.row + i] += v * sy[3 * b.column + j];
        if (b.row != b.column) ksy[3 * b.column + j] += v * sy[3 * b.row + i];
      }
  for (std::size_t n = 0; n < s.rows(); ++n)
    for (std::int32_t k = s.start[n]; k < s.start[n + 1]; ++k)
      for (int d = 0; d < 3; ++d)
        expected[3 * s.column[k] + d] += double(s.weight[k]) * ksy[3 * n + d];
  double scale = 0;
  for (const double e : expected) scale = std::max(scale, std::abs(e));
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-11 * scale);
}

TEST(EmbeddedKernels, TheMultigridCycleIsSymmetricAndContracts) {
  const Fixture f;
  Assembly<Float16> assembly(f.model);
  std::vector<double> rest;
  for (const Vec3& p : f.lattice->nodes) rest.insert(rest.end(), {p.x(), p.y(), p.z()});
  assembly.stiffness(rest.data(), f.settings);
  BlockMatrix<float> matrix;
  const BlockFolding folding(assembly.blocks(), f.lattice->bindings, f.lattice->freeCount, matrix);
  folding.apply(assembly.values().data(), RowMask::all(f.lattice->freeCount), matrix);
  for (std::int32_t r = 0; r < matrix.rows(); ++r)  // held a little everywhere
    for (int i = 0; i < 3; ++i) matrix.value[9 * matrix.diagonal[r] + 4 * i] += 20.0F;
  Multigrid multigrid(matrix, f.lattice->prolongations);
  ASSERT_GE(multigrid.levels(), 2u);
  multigrid.update();
  std::mt19937 random(6);
  std::uniform_real_distribution<float> any(-1, 1);
  const std::size_t n = 3 * matrix.rows();
  std::vector<float> a(n), b(n), ma(n), mb(n), product(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = any(random), b[i] = any(random);
  multigrid.apply(a.data(), ma.data(), product.data());
  multigrid.apply(b.data(), mb.data(), product.data());
  double aMb = 0, bMa = 0, aMa = 0;
  for (std::size_t i = 0; i < n; ++i)
    aMb += double(a[i]) * double(mb[i]), bMa += double(b[i]) * double(ma[i]),
        aMa += double(a[i]) * double(ma[i]);
  EXPECT_GT(aMa, 0);
  EXPECT_NEAR(aMb, bMa, 1e-4 * aMa);
  // The product that comes with the solution is that of the matrix.
  std::vector<float> ax(n), x = a, max(n);
  matrix.multiply(mb.data(), ax.data());
  float largest = 0;
  for (const float v : ax) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_NEAR(product[i], ax[i], 1e-4F * largest);  // float sums
  // Errors shrink: x - M^-1 A x in the energy norm.
  const auto energy = [&](const std::vector<float>& v) {
    matrix.multiply(v.data(), ax.data());
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += double(v[i]) * double(ax[i]);
    return std::sqrt(sum);
  };
  double before = energy(x);
  for (int k = 0; k < 6; ++k) {
    matrix.multiply(x.data(), ax.data());
    multigrid.apply(ax.data(), max.data(), product.data());
    for (std::size_t i = 0; i < n; ++i) x[i] -= max[i];
  }
  EXPECT_LT(energy(x), std::pow(0.75, 6) * before);
}

}  // namespace
}  // namespace pneuma::flesh::embedded
