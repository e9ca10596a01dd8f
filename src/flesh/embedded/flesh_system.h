#pragma once

#include <memory>
#include <vector>

#include "flesh/embedded/assembly.h"
#include "flesh/embedded/multigrid.h"
#include "pneuma/flesh/embedded/flesh_solver.h"

namespace pneuma::flesh::embedded {

/// Free nodes and weights of a point of the flesh.
using FreeWeights = std::vector<std::pair<std::int32_t, double>>;
FreeWeights freeWeights(const Lattice& lattice, const LatticePlace& place);

/// What Newton's method needs of a body of flesh, for one precision and one linear method.
class FleshSystem {
 public:
  virtual ~FleshSystem() = default;
  virtual void setInputs(const FleshInputs& inputs) = 0;
  /// E(y) and, unless null, dE/dy; zero where a component is held.
  virtual double energy(const VecX& y, const KernelSettings& settings, VecX* gradient) = 0;
  virtual void assemble(const VecX& y, const KernelSettings& settings) = 0;
  /// step ~ -A^-1 gradient. Returns the iterations.
  virtual int solve(const VecX& gradient, double tolerance, int most, VecX& step) = 0;
};
std::unique_ptr<FleshSystem> makeFleshSystem(const FleshModel& model, LinearMethod method);

/// Anchors, loads and what is held: the part of the system that does not depend on the precision.
class Attachments {
 public:
  explicit Attachments(const FleshModel& model);
  void setInputs(const FleshModel& model, const FleshInputs& inputs);
  double energy(const VecX& y, VecX* gradient) const;

  struct Coupling {
    std::int32_t row, column;
    double stiffness;
  };
  const std::vector<Coupling>& couplings() const { return couplings_; }
  const std::vector<std::uint8_t>& fixed() const { return fixed_; }
  /// Place of each anchor's point of the flesh.
  Vec3 anchorPoint(std::size_t anchor, const VecX& y) const;

 private:
  std::vector<std::int32_t> start_{0}, node_;
  std::vector<double> weight_, stiffness_;
  std::vector<Vec3> targets_;
  std::vector<Coupling> couplings_;
  std::vector<std::uint8_t> fixed_;
  VecX loads_;
};

/// Positions of all nodes from the free ones, three numbers each.
void spread(const SparseRows& bindings, const VecX& y, std::vector<double>& x);

}  // namespace pneuma::flesh::embedded
