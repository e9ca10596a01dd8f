#include "pneuma/flesh/grid_system.h"

#include <fmt/format.h>

#include <array>

#include "flesh/grid/grid_jacobian.h"
#include "flesh/grid/grid_lattice.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh {
namespace {

/// Velocity of a point that moves with an anchor, by a central difference.
Vec3 anchorVelocity(const AnchorMotion& motion, const Vec3& rest, double t) {
  constexpr double kDifference = 1e-5;
  return (motion(t + kDifference) * rest - motion(t - kDifference) * rest) / (2 * kDifference);
}

}  // namespace

GridState makeRestState(const GridModel& model) {
  GridState state;
  state.q = toVector(model.solid.rest);
  state.v = VecX::Zero(state.q.size());
  return state;
}

GridSystem::GridSystem(const GridModel& model)
    : model_(model),
      nodes_(model.solid.nodeCount()),
      held_(static_cast<std::size_t>(nodes_), 0),
      forces_(std::make_unique<GridForces>(model)) {
  for (const GridFixedNode& fixed : model.fixed) held_[static_cast<std::size_t>(fixed.node)] = 1;
  q_.resize(3 * nodes_), v_.resize(3 * nodes_), f_.resize(3 * nodes_);
}

GridSystem::~GridSystem() = default;

VecX GridSystem::pack(const GridState& state) const {
  VecX x(size());
  x << state.q, state.v;
  return x;
}

void GridSystem::unpack(const VecX& x, double time, GridState& state) const {
  state.time = time;
  state.q = x.head(3 * nodes_);
  state.v = x.tail(3 * nodes_);
}

void GridSystem::derivative(double t, const VecX& x, VecX& dxdt) {
  q_ = x.head(3 * nodes_);
  v_ = x.tail(3 * nodes_);
  forces_->compute(t, q_, v_, f_);
  dxdt.head(3 * nodes_) = v_;
  for (Eigen::Index i = 0; i < nodes_; ++i)
    dxdt.segment<3>(3 * (nodes_ + i)) =
        f_.segment<3>(3 * i) / model_.solid.mass[static_cast<std::size_t>(i)];
  for (const GridFixedNode& fixed : model_.fixed) {
    const Vec3& rest = model_.solid.rest[static_cast<std::size_t>(fixed.node)];
    dxdt.segment<3>(3 * fixed.node) =
        anchorVelocity(model_.anchors[static_cast<std::size_t>(fixed.anchor)], rest, t);
    dxdt.segment<3>(3 * (nodes_ + fixed.node)).setZero();
  }
}

void GridSystem::buildPattern(SparseMat& dfdx) const {
  std::vector<Eigen::Triplet<double>> entries;
  const Eigen::Index half = 3 * nodes_;
  for (Eigen::Index i = 0; i < half; ++i) entries.emplace_back(i, half + i, 0.0);
  const VecX q = toVector(model_.solid.rest), v = VecX::Zero(half);
  forEachJacobianBlock(model_, 0, q, v, [&](int row, int column, const Mat3&, const Mat3&) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        entries.emplace_back(half + 3 * row + r, 3 * column + c, 0.0);
        entries.emplace_back(half + 3 * row + r, half + 3 * column + c, 0.0);
      }
  });
  dfdx.resize(size(), size());
  dfdx.setFromTriplets(entries.begin(), entries.end());
}

bool GridSystem::jacobian(double t, const VecX& x, SparseMat& dfdx) {
  if (model_.form != GridForm::Energy) return false;
  if (dfdx.rows() != size() || dfdx.nonZeros() == 0) buildPattern(dfdx);
  for (Eigen::Index i = 0; i < dfdx.nonZeros(); ++i) dfdx.valuePtr()[i] = 0;
  const Eigen::Index half = 3 * nodes_;
  q_ = x.head(half);
  v_ = x.tail(half);
  for (Eigen::Index i = 0; i < nodes_; ++i)
    for (int r = 0; r < 3; ++r)
      if (!held_[static_cast<std::size_t>(i)]) dfdx.coeffRef(3 * i + r, half + 3 * i + r) = 1;

  // Blocks land in columns whose rows of one node are neighbours in memory.
  const auto add = [&](Eigen::Index row, Eigen::Index column, const Mat3& block) {
    for (int c = 0; c < 3; ++c) {
      double* value = &dfdx.coeffRef(row, column + c);
      for (int r = 0; r < 3; ++r) value[r] += block(r, c);
    }
  };
  forEachJacobianBlock(model_, t, q_, v_, [&](int row, int column, const Mat3& dq, const Mat3& dv) {
    if (held_[static_cast<std::size_t>(row)]) return;
    const double inverseMass = 1 / model_.solid.mass[static_cast<std::size_t>(row)];
    add(half + 3 * row, 3 * column, inverseMass * dq);
    add(half + 3 * row, half + 3 * column, inverseMass * dv);
  });
  return true;
}

std::string nodeName(const GridSize& s, int node) {
  return fmt::format("node ({}, {}, {})", node / (s.n * s.o), node / s.o % s.n, node % s.o);
}

void requireFinite(const GridModel& model, const GridState& state) {
  if (state.q.allFinite() && state.v.allFinite()) return;
  for (int i = 0; i < model.solid.nodeCount(); ++i)
    if (!node(state.q, i).allFinite() || !node(state.v, i).allFinite())
      throw SimulationError(state.time, nodeName(model.solid.size, i),
                            "position or velocity is not finite");
}

}  // namespace pneuma::flesh
