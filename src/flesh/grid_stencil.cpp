#include "flesh/grid_stencil.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace pneuma::flesh {
namespace {

double dot(const NodalVectors& a, const NodalVectors& b) {
  // Four running sums in double, combined in a fixed order.
  Eigen::Array4d sum = Eigen::Array4d::Zero();
  for (Eigen::Index i = 0; i < a.cols(); ++i)
    sum += (a.col(i).array() * b.col(i).array()).cast<double>();
  return (sum[0] + sum[1]) + sum[2];
}

}  // namespace

GridStencil::GridStencil(const GridSize& size) : size_(size) {
  code_.reserve(static_cast<std::size_t>(size.nodeCount()));
  for (int i = 0; i < size.m; ++i)
    for (int j = 0; j < size.n; ++j)
      for (int k = 0; k < size.o; ++k) code_.push_back(9 * i + 3 * j + k);
  columns_.setZero(4, static_cast<Eigen::Index>(size.nodeCount()) * 81);
}

bool GridStencil::neighbours(int a, int b) const {
  const auto near = [](int x, int y) { return std::abs(x - y) <= 1; };
  const int plane = size_.n * size_.o;
  return near(a / plane, b / plane) && near(a / size_.o % size_.n, b / size_.o % size_.n) &&
         near(a % size_.o, b % size_.o);
}

void GridStencil::isolate(int node) {
  const int plane = size_.n * size_.o;
  const int i = node / plane, j = node / size_.o % size_.n, k = node % size_.o;
  for (int a = std::max(0, i - 1); a <= std::min(size_.m - 1, i + 1); ++a)
    for (int b = std::max(0, j - 1); b <= std::min(size_.n - 1, j + 1); ++b)
      for (int c = std::max(0, k - 1); c <= std::min(size_.o - 1, k + 1); ++c) {
        const int other = size_.index(a, b, c);
        columns_.middleCols<3>(block(node, other)).setZero();
        columns_.middleCols<3>(block(other, node)).setZero();
      }
  addDiagonal(node, node, 1);
}

void GridStencil::multiply(const NodalVectors& x, NodalVectors& y) const {
  int node = 0;
  for (int i = 0; i < size_.m; ++i) {
    const int iLow = i > 0 ? -1 : 0, iHigh = i + 1 < size_.m ? 1 : 0;
    for (int j = 0; j < size_.n; ++j) {
      const int jLow = j > 0 ? -1 : 0, jHigh = j + 1 < size_.n ? 1 : 0;
      for (int k = 0; k < size_.o; ++k, ++node) {
        const int kLow = k > 0 ? -1 : 0, kHigh = k + 1 < size_.o ? 1 : 0;
        Lane s0 = Lane::Zero(), s1 = Lane::Zero(), s2 = Lane::Zero();
        for (int di = iLow; di <= iHigh; ++di)
          for (int dj = jLow; dj <= jHigh; ++dj) {
            const int row = node + (di * size_.n + dj) * size_.o;
            const Eigen::Index base =
                (static_cast<Eigen::Index>(node) * 27 + 13 + 9 * di + 3 * dj) * 3;
            for (int dk = kLow; dk <= kHigh; ++dk) {
              const float* v = x.data() + 4 * static_cast<Eigen::Index>(row + dk);
              const Eigen::Index c = base + 3 * dk;
              s0 += columns_.col(c).array() * v[0];
              s1 += columns_.col(c + 1).array() * v[1];
              s2 += columns_.col(c + 2).array() * v[2];
            }
          }
        y.col(node) = (s0 + s1 + s2).matrix();
      }
    }
  }
}

LinePreconditioner::LinePreconditioner(const GridSize& size) : size_(size) {
  const Eigen::Index columns = 3 * static_cast<Eigen::Index>(size.nodeCount());
  inverse_.setZero(4, columns);
  lower_.setZero(4, columns);
  upper_.setZero(4, columns);
}

void LinePreconditioner::factor(const GridStencil& matrix) {
  const int plane = size_.n * size_.o;
  for (int node = 0; node < size_.nodeCount(); ++node) {
    const Eigen::Index at = 3 * static_cast<Eigen::Index>(node);
    Eigen::Matrix3f pivot = matrix.matrix(node, node);
    if (node >= plane) {
      const Eigen::Matrix3f below = matrix.matrix(node, node - plane);
      const Eigen::Matrix3f l = below * inverse_.block<3, 3>(0, at - 3 * plane);
      pivot -= l * matrix.matrix(node - plane, node);
      lower_.block<3, 3>(0, at) = l;
    }
    const Eigen::Matrix3f inverse = pivot.inverse();
    inverse_.block<3, 3>(0, at) = inverse;
    if (node + plane < size_.nodeCount())
      upper_.block<3, 3>(0, at) = inverse * matrix.matrix(node, node + plane);
  }
}

void LinePreconditioner::multiplyAdd(Eigen::Index block, const NodalVectors& blocks, const Lane& x,
                                     Lane& y) const {
  y += blocks.col(block).array() * x[0] + blocks.col(block + 1).array() * x[1] +
       blocks.col(block + 2).array() * x[2];
}

void LinePreconditioner::apply(const NodalVectors& r, NodalVectors& z) const {
  const int plane = size_.n * size_.o, count = size_.nodeCount();
  // Down the lines, all lines of a plane before the next plane.
  for (int node = 0; node < count; ++node) {
    Lane y = r.col(node).array();
    if (node >= plane) {
      Lane known = Lane::Zero();
      multiplyAdd(3 * static_cast<Eigen::Index>(node), lower_, z.col(node - plane).array(), known);
      y -= known;
    }
    z.col(node) = y.matrix();
  }
  // And up again.
  for (int node = count - 1; node >= 0; --node) {
    const Lane y = z.col(node).array();
    Lane x = Lane::Zero();
    multiplyAdd(3 * static_cast<Eigen::Index>(node), inverse_, y, x);
    if (node + plane < count) {
      Lane known = Lane::Zero();
      multiplyAdd(3 * static_cast<Eigen::Index>(node), upper_, z.col(node + plane).array(), known);
      x -= known;
    }
    z.col(node) = x.matrix();
  }
}

GridSolver::GridSolver(const GridSize& size) : lines_(size), sections_(size) {
  for (NodalVectors* v : {&r_, &z_, &p_, &ap_}) v->setZero(4, size.nodeCount());
}

void GridSolver::factor(const GridStencil& matrix) {
  lines_.factor(matrix);
  sections_.factor(matrix);
}

GridSolver::Outcome GridSolver::solve(const GridStencil& matrix, const NodalVectors& b,
                                      NodalVectors& x, double tolerance, double floor,
                                      int maxIterations) {
  Outcome outcome;
  const double scale = std::sqrt(dot(b, b));
  const double target = std::max(tolerance * scale, floor);
  matrix.multiply(x, ap_);
  r_ = b - ap_;
  double residual = std::sqrt(dot(r_, r_));
  double rz = 0;
  while (residual > target && outcome.iterations < maxIterations) {
    lines_.apply(r_, z_);
    sections_.applyAdd(r_, z_);
    const double next = dot(r_, z_);
    if (outcome.iterations == 0)
      p_ = z_;
    else
      p_ = z_ + static_cast<float>(next / rz) * p_;
    rz = next;
    matrix.multiply(p_, ap_);
    const double curvature = dot(p_, ap_);
    if (!(curvature > 0)) {
      outcome.indefinite = true;
      break;
    }
    const auto step = static_cast<float>(rz / curvature);
    x += step * p_;
    r_ -= step * ap_;
    residual = std::sqrt(dot(r_, r_));
    ++outcome.iterations;
  }
  outcome.relativeResidual = scale > 0 ? residual / scale : 0;
  return outcome;
}

}  // namespace pneuma::flesh
