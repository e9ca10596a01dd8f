#include <Eigen/Cholesky>
#include <cmath>

#include "flesh/grid/grid_stencil.h"

namespace pneuma::flesh {
namespace {

/// Degree of the polynomials: affine for coarse sections, cubic and quintic for finer ones. Chosen
/// so that the iterations do not grow with the grid; even degrees gain little over the odd below.
int degree(const GridSize& size) {
  const int across = std::min(size.n, size.o);
  return across <= 2 ? 0 : across <= 6 ? 1 : across <= 13 ? 3 : 5;
}

/// One column of blocks of P^T A P for the plane that begins at `first`: with mode t on the right,
/// the 3x3 blocks to all modes s on the left, within the plane (nine lanes of sums per s) and to
/// the next plane (nine more). Of the block within the plane only the upper half of A takes part,
/// and half of its diagonal; adding the transpose makes up for the rest.
PNEUMA_CLONED void projectPlane(const GridSize& size, const GridStencil& matrix, int first,
                                const float* shapes, int shapeStride, int modes, const float* mode,
                                float* sums) {
  const std::size_t stride = matrix.stride();
  std::fill(sums, sums + 8 * 18 * modes, 0.0f);
  for (int local = 0; local < size.n * size.o; local += 8) {
    const float* const values = matrix.component(0) + first + local;
    Float8 product[18]{};
    const Float8 own = loadLane(mode + local) * 0.5f;
    constexpr int kFull[9]{0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int c = 0; c < 9; ++c)
      product[c] = own * loadLane(values + stride * static_cast<std::size_t>(kFull[c]));
    for (int u = 0; u < GridStencil::kNeighbours; ++u) {
      const GridStencil::Step step = GridStencil::kSteps[u];
      const Float8 there = loadLane(mode + local + step.j * size.o + step.k);
      const float* const block = values + stride * static_cast<std::size_t>(GridStencil::block(u));
      Float8* const to = product + 9 * step.i;
      for (int c = 0; c < 9; ++c)
        to[c] += there * loadLane(block + stride * static_cast<std::size_t>(c));
    }
    for (int s = 0; s < modes; ++s) {
      const Float8 weight = loadLane(shapes + s * shapeStride + local);
      for (int c = 0; c < 18; ++c) addLane(sums + 8 * (18 * s + c), weight * product[c]);
    }
  }
}

/// P^T r of one plane.
PNEUMA_CLONED void restrictPlane(int plane, const Components<const float>& r, int first,
                                 const float* shapes, int shapeStride, int modes, float* out) {
  for (int s = 0; s < modes; ++s) {
    Lane3<Float8> sum{Float8{}, Float8{}, Float8{}};
    for (int local = 0; local < plane; local += 8)
      sum += loadLanes(r, first + local) * loadLane(shapes + s * shapeStride + local);
    out[3 * s] = sumLanes(sum.x), out[3 * s + 1] = sumLanes(sum.y),
            out[3 * s + 2] = sumLanes(sum.z);
  }
}

/// z += P x of one plane.
PNEUMA_CLONED void prolongPlane(int plane, const Components<float>& z, int first,
                                const float* shapes, int shapeStride, int modes, const float* x) {
  for (int local = 0; local < plane; local += 8) {
    Lane3<Float8> sum{Float8{}, Float8{}, Float8{}};
    for (int s = 0; s < modes; ++s) {
      const Float8 shape = loadLane(shapes + s * shapeStride + local);
      sum += Lane3<Float8>{shape * x[3 * s], shape * x[3 * s + 1], shape * x[3 * s + 2]};
    }
    addLanes(z, first + local, sum);
  }
}

}  // namespace

SectionPreconditioner::SectionPreconditioner(const GridSize& size) : size_(size) {
  const int p = degree(size);
  modes_ = (p + 1) * (p + 2) / 2, unknowns_ = 3 * modes_;
  lead_ = size.o + 1, shapeStride_ = size.n * size.o + 2 * lead_ + 16;
  shape_.assign(static_cast<std::size_t>(modes_ * shapeStride_), 0.0f);
  for (int j = 0; j < size.n; ++j)
    for (int k = 0; k < size.o; ++k) {
      const double u = 2.0 * j / (size.n - 1) - 1;
      const double v = size.o > 1 ? 2.0 * k / (size.o - 1) - 1 : 0;
      int mode = 0;
      for (int a = 0; a <= p; ++a)
        for (int b = 0; a + b <= p; ++b)
          shape_[static_cast<std::size_t>(mode++ * shapeStride_ + lead_ + j * size.o + k)] =
              static_cast<float>(std::pow(u, a) * std::pow(v, b));
    }
  pivot_.assign(static_cast<std::size_t>(size.m), Eigen::MatrixXd::Zero(unknowns_, unknowns_));
  coupling_ = pivot_;
  inverse_.assign(static_cast<std::size_t>(size.m), Eigen::MatrixXf::Zero(unknowns_, unknowns_));
  lower_ = inverse_;
  reduced_.setZero(unknowns_, size.m);
  solved_.setZero(unknowns_, size.m);
  sums_.resize(static_cast<std::size_t>(8 * 18 * modes_));
  cholesky_.compute(Eigen::MatrixXd::Identity(unknowns_, unknowns_));  // takes its memory
  scratch_.setZero(unknowns_, unknowns_);
}

void SectionPreconditioner::factor(const GridStencil& matrix) {
  for (int i = 0; i < size_.m; ++i) {
    const auto plane = static_cast<std::size_t>(i);
    Eigen::MatrixXd& D = pivot_[plane];
    Eigen::MatrixXd& C = coupling_[plane];  // to the next plane
    for (int t = 0; t < modes_; ++t) {
      projectPlane(size_, matrix, i * size_.n * size_.o, shape(0), shapeStride_, modes_, shape(t),
                   sums_.data());
      for (int s = 0; s < modes_; ++s)
        for (int c = 0; c < 9; ++c) {
          const float* const sum = sums_.data() + 8 * (18 * s + c);
          D(3 * s + c / 3, 3 * t + c % 3) = static_cast<double>(sumLanes(loadLane(sum)));
          C(3 * s + c / 3, 3 * t + c % 3) = static_cast<double>(sumLanes(loadLane(sum + 72)));
        }
    }
    scratch_ = D.transpose();
    D += scratch_;
    // Block Cholesky: the pivot of this plane without what the plane before takes.
    if (i > 0) {
      const Eigen::MatrixXd& before = coupling_[plane - 1];
      scratch_.noalias() = before.transpose() * pivot_[plane - 1];  // by now the inverse
      lower_[plane] = scratch_.cast<float>();
      D.noalias() -= scratch_ * before;
    }
    cholesky_.compute(D);
    D.setIdentity();
    cholesky_.solveInPlace(D);
    inverse_[plane] = D.cast<float>();
  }
}

void SectionPreconditioner::applyAdd(const GridField<float>& r, GridField<float>& z) {
  const int plane = size_.n * size_.o;
  for (int i = 0; i < size_.m; ++i) {
    restrictPlane(plane, r.vectors(), i * plane, shape(0), shapeStride_, modes_,
                  reduced_.col(i).data());
    if (i > 0)
      reduced_.col(i).noalias() -= lower_[static_cast<std::size_t>(i)] * reduced_.col(i - 1);
  }
  for (int i = size_.m - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    solved_.col(i).noalias() = inverse_[at] * reduced_.col(i);
    if (i + 1 < size_.m)
      solved_.col(i).noalias() -= lower_[at + 1].transpose() * solved_.col(i + 1);
    prolongPlane(plane, z.vectors(), i * plane, shape(0), shapeStride_, modes_,
                 solved_.col(i).data());
  }
}

}  // namespace pneuma::flesh
