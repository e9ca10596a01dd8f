#include "flesh/embedded/flesh_system.h"

#include <Eigen/CholmodSupport>
#include <algorithm>
#include <cmath>
#include <optional>

#include "flesh/embedded/conjugate_gradients.h"
#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

/// Elements, bindings and attachments as one matrix and one gradient over the free nodes.
template <class Real>
class SystemBase : public FleshSystem {
 public:
  using Scalar = typename LaneTraits<Real>::Scalar;

  explicit SystemBase(const FleshModel& model)
      : model_(model),
        assembly_(model),
        attachments_(model),
        folding_(assembly_.blocks(), model.lattice->bindings, model.lattice->freeCount, matrix_),
        gather_(transposed(model.lattice->bindings, model.lattice->freeCount)),
        rows_(RowMask::all(model.lattice->freeCount)),
        outside_(VecX::Zero(3 * model.lattice->freeCount)) {
    for (const Attachments::Coupling& c : attachments_.couplings())
      springs_.push_back(
          {c.row, c.column, blockAt(c.row, c.column), static_cast<Scalar>(c.stiffness)});
    assembly_.forgetBlocks();
    nodeGradient_.resize(3 * model.lattice->nodeCount());
  }

  void setInputs(const FleshInputs& inputs) override {
    assembly_.setActivations(inputs.activations);
    assembly_.setPressures(inputs.pressures);
    attachments_.setInputs(model_, inputs);
  }

  double energy(const VecX& y, const KernelSettings& settings, VecX& gradient) override {
    spread(model_.lattice->bindings, y, x_);
    const double elastic = outsideEnergy_ + elements(Part::Active, settings, gradient);
    flat_ = assembly_.flat();
    gradient += outside_;
    const double total = elastic + attachments_.energy(y, &gradient);
    holdFixed(gradient);
    return total;
  }

  void outerGradient(const VecX& y, const KernelSettings& settings, VecX& gradient) override {
    spread(model_.lattice->bindings, y, x_);
    elements(Part::Border, settings, gradient);
    gradient += outside_;
    attachments_.energy(y, &gradient);
    holdFixed(gradient);
  }

  void restrictTo(const RowMask& rows, const VecX& y, const KernelSettings& settings) override {
    rows_ = rows;
    assembly_.activate(rows);
    outside_.setZero();
    outsideEnergy_ = 0, flatOutside_ = 0;
    if (rows == RowMask::all(rows.rows)) return;
    spread(model_.lattice->bindings, y, x_);
    outsideEnergy_ = elements(Part::Inactive, settings, outside_);
    flatOutside_ = assembly_.flat();
  }

  std::size_t flat() const override { return flatOutside_ + flat_; }

  RowMask around(std::span<const std::int32_t> rows, int rings) const override {
    RowMask found = RowMask::none(matrix_.rows());
    std::vector<std::uint8_t> seen(std::size_t(matrix_.rows()), 0);
    std::vector<std::int32_t> front(rows.begin(), rows.end()), next;
    for (const std::int32_t r : front) seen[r] = 1, found.add(r);
    for (; rings > 0; --rings) {
      next.clear();
      for (const std::int32_t r : front)
        for (std::int32_t k = matrix_.start[r]; k < matrix_.start[r + 1]; ++k) {
          const std::int32_t c = matrix_.column[k];
          if (seen[c]) continue;
          seen[c] = 1;
          found.add(c);
          next.push_back(c);
        }
      std::swap(front, next);
    }
    return found;
  }

  void assemble(const VecX& y, const KernelSettings& settings) override {
    spread(model_.lattice->bindings, y, x_);
    assembly_.stiffness(x_.data(), settings);
    folding_.apply(assembly_.values().data(), rows_, matrix_);
    for (const Spring& s : springs_)
      if (rows_.has(s.row) && rows_.has(s.column))
        for (int i = 0; i < 3; ++i) matrix_.value[9 * std::size_t(s.block) + 4 * i] += s.stiffness;
    addContactsAndInertia(y);
    if (!attachments_.fixed().empty()) holdFixed();
    update();
  }

 protected:
  virtual void update() = 0;

  BlockMatrix<Scalar> matrix_;

 private:
  struct Spring {
    std::int32_t row, column, block;
    Scalar stiffness;
  };

  std::int32_t blockAt(std::int32_t row, std::int32_t column) const {
    const auto begin = matrix_.column.begin() + matrix_.start[row],
               end = matrix_.column.begin() + matrix_.start[row + 1];
    const auto found = std::find(begin, end, column);
    PNEUMA_CHECK(found != end, "no block ({}, {})", row, column);
    return static_cast<std::int32_t>(found - matrix_.column.begin());
  }

  /// Nodes of one tetrahedron are coupled already: contact does not change the pattern.
  void addContactsAndInertia(const VecX& y) {
    attachments_.eachContact(y, [&](std::int32_t row, std::int32_t column, const Mat3& block) {
      if (!rows_.has(row) || !rows_.has(column)) return;
      Scalar* to = matrix_.value.data() + 9 * std::size_t(blockAt(row, column));
      for (int i = 0; i < 9; ++i) to[i] += static_cast<Scalar>(block.data()[i]);
    });
    const std::vector<double>& stiffness = attachments_.nodeStiffness();
    for (std::size_t n = 0; n < stiffness.size(); ++n)
      for (int i = 0; i < 3 && rows_.has(static_cast<std::int32_t>(n)); ++i)
        matrix_.value[9 * std::size_t(matrix_.diagonal[n]) + 4 * i] +=
            static_cast<Scalar>(stiffness[n]);
  }

  using Part = typename Assembly<Real>::Part;

  /// Energy and gradient of a part of the elements, at x_.
  double elements(Part part, const KernelSettings& settings, VecX& gradient) {
    std::fill(nodeGradient_.begin(), nodeGradient_.end(), 0.0);
    const double sum = assembly_.energy(x_.data(), settings, nodeGradient_.data(), part);
    gatherGradient(gradient);
    return sum;
  }

  void gatherGradient(VecX& gradient) const {
    gradient.resize(3 * gather_.rows());
    parallelFor(gather_.rows(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Vec3 sum = Vec3::Zero();
        for (std::int32_t k = gather_.start[i]; k < gather_.start[i + 1]; ++k)
          for (int c = 0; c < 3; ++c)
            sum[c] += double(gather_.weight[k]) * nodeGradient_[3 * gather_.column[k] + c];
        gradient.segment<3>(3 * i) = sum;
      }
    });
  }

  bool held(std::size_t node, int component) const {
    return attachments_.fixed()[node] >> component & 1;
  }
  void holdFixed(VecX& gradient) const {
    for (std::size_t n = 0; n < attachments_.fixed().size(); ++n)
      for (int c = 0; c < 3; ++c)
        if (held(n, c)) gradient[3 * n + c] = 0;
  }
  /// Rows and columns of held components keep only their diagonal.
  void holdFixed() {
    for (std::int32_t r = 0; r < matrix_.rows(); ++r)
      for (std::int32_t k = matrix_.start[r]; k < matrix_.start[r + 1]; ++k)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            const std::int32_t c = matrix_.column[k];
            if (r == c && i == j) continue;
            if (held(r, i) || held(c, j)) matrix_.value[9 * std::size_t(k) + i + 3 * j] = 0;
          }
  }

  const FleshModel& model_;
  Assembly<Real> assembly_;
  Attachments attachments_;
  BlockFolding folding_;
  SparseRows gather_;
  std::vector<Spring> springs_;
  std::vector<double> x_, nodeGradient_;
  RowMask rows_;
  VecX outside_;  ///< gradient of the elements that move no row
  double outsideEnergy_ = 0;
  std::size_t flat_ = 0, flatOutside_ = 0;
};

/// A system solved by conjugate gradients with the preconditioner of the derived class.
template <class Real, class Derived>
class IterativeSystem : public SystemBase<Real> {
 public:
  explicit IterativeSystem(const FleshModel& model)
      : SystemBase<Real>(model), solver_(3 * std::size_t(this->matrix_.rows())) {}

  void begin(const VecX& gradient) override {
    solver_.begin(gradient, this->matrix_.filled, preconditioner());
  }
  int advance(double tolerance, int most) override {
    return solver_.advance(tolerance, most, preconditioner());
  }
  void step(VecX& step) const override { solver_.solution(step); }
  bool foretell(double& size, VecX& step) const override { return solver_.foretell(size, step); }

 private:
  using Scalar = typename SystemBase<Real>::Scalar;
  auto preconditioner() {
    return [this](const Scalar* r, Scalar* z, Scalar* az) {
      static_cast<Derived*>(this)->precondition(r, z, az);
    };
  }
  ConjugateGradients<Scalar> solver_;
};

class MultigridSystem final : public IterativeSystem<Float16, MultigridSystem> {
 public:
  explicit MultigridSystem(const FleshModel& model)
      : IterativeSystem(model), multigrid_(matrix_, model.lattice->prolongations) {}
  void precondition(const float* r, float* z, float* az) { multigrid_.apply(r, z, az); }

 private:
  void update() override { multigrid_.update(); }
  Multigrid multigrid_;
};

class JacobiSystem final : public IterativeSystem<double, JacobiSystem> {
 public:
  explicit JacobiSystem(const FleshModel& model) : IterativeSystem(model) {}
  void precondition(const double* r, double* z, double* az) {
    parallelFor(matrix_.rows(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (int c = 0; c < 3; ++c) {
          const double* m = inverse_.data() + 9 * i + 3 * c;
          z[3 * i + c] = m[0] * r[3 * i] + m[1] * r[3 * i + 1] + m[2] * r[3 * i + 2];
        }
    });
    matrix_.multiply(z, az);
  }

 private:
  void update() override { invertDiagonal(matrix_, inverse_); }
  std::vector<double> inverse_;
};

class CholeskySystem final : public SystemBase<double> {
 public:
  explicit CholeskySystem(const FleshModel& model) : SystemBase(model) {}

  void begin(const VecX& gradient) override { step_ = -factor_.solve(gradient); }
  int advance(double, int) override { return 1; }
  void step(VecX& step) const override { step = step_; }
  bool foretell(double&, VecX&) const override { return false; }

 private:
  void update() override {
    const std::int32_t n = 3 * matrix_.rows();
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(5 * matrix_.column.size());
    for (std::int32_t r = 0; r < matrix_.rows(); ++r)
      for (std::int32_t k = matrix_.start[r]; k < matrix_.start[r + 1]; ++k)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            if (3 * r + i >= 3 * matrix_.column[k] + j)
              entries.emplace_back(3 * r + i, 3 * matrix_.column[k] + j,
                                   matrix_.value[9 * std::size_t(k) + i + 3 * j]);
    sparse_.resize(n, n);
    sparse_.setFromTriplets(entries.begin(), entries.end());
    if (!analyzed_) factor_.analyzePattern(sparse_);
    analyzed_ = true;
    factor_.factorize(sparse_);
    PNEUMA_CHECK(factor_.info() == Eigen::Success, "CHOLMOD on {} rows", n);
  }
  VecX step_;
  Eigen::SparseMatrix<double> sparse_;
  Eigen::CholmodSupernodalLLT<Eigen::SparseMatrix<double>> factor_;
  bool analyzed_ = false;
};

}  // namespace

std::unique_ptr<FleshSystem> makeFleshSystem(const FleshModel& model, LinearMethod method) {
  switch (method) {
    case LinearMethod::BlockJacobi:
      return std::make_unique<JacobiSystem>(model);
    case LinearMethod::Cholesky:
      return std::make_unique<CholeskySystem>(model);
    case LinearMethod::Multigrid:
      break;
  }
  return std::make_unique<MultigridSystem>(model);
}

}  // namespace pneuma::flesh::embedded
