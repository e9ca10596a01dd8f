#pragma once

#include <memory>
#include <vector>

#include "flesh/embedded/assembly.h"
#include "flesh/embedded/multigrid.h"
#include "pneuma/flesh/embedded/flesh_solver.h"

namespace pneuma::flesh::embedded {

/// What Newton's method needs of a body of flesh, for one precision and one linear method.
class FleshSystem {
 public:
  virtual ~FleshSystem() = default;
  virtual void setInputs(const FleshInputs& inputs) = 0;
  /// Solves for these rows alone from now on: all else stays where y has it, and counts in energies
  /// and gradients.
  virtual void restrictTo(const RowMask& rows, const VecX& y, const KernelSettings& settings) = 0;
  /// E(y) and dE/dy; zero where a component is held.
  virtual double energy(const VecX& y, const KernelSettings& settings, VecX& gradient) = 0;
  /// dE/dy of the rows that are not solved for; those that are have a part of theirs.
  virtual void outerGradient(const VecX& y, const KernelSettings& settings, VecX& gradient) = 0;
  /// Elements that have less than Assembly::kFlat of their volume, of all that were looked at by
  /// `restrictTo` and the `energy` after it.
  virtual std::size_t flat() const = 0;
  /// Groups of the given rows and of those around them, so many rings of neighbours.
  virtual RowMask around(std::span<const std::int32_t> rows, int rings) const = 0;
  virtual void assemble(const VecX& y, const KernelSettings& settings) = 0;
  /// Towards -A^-1 gradient: `advance` improves it until the residual is `tolerance` times that of
  /// the start, and returns the iterations; `step` is what it has so far.
  virtual void begin(const VecX& gradient) = 0;
  virtual int advance(double tolerance, int most) = 0;
  virtual void step(VecX& step) const = 0;
  /// Size of the step that was begun, by the preconditioner, sqrt(g^T M^-1 g) [sqrt(J)]; and what
  /// its first iteration gives, for no more work than `begin`. False: nothing is known yet.
  virtual bool foretell(double& size, VecX& step) const = 0;
};
std::unique_ptr<FleshSystem> makeFleshSystem(const FleshModel& model, LinearMethod method);

/// Points of the flesh: free nodes and weights of each.
struct FreePoints {
  std::vector<std::int32_t> start{0}, node;
  std::vector<double> weight;

  std::size_t size() const { return start.size() - 1; }
  void clear() { start.assign(1, 0), node.clear(), weight.clear(); }
  void add(const Lattice& lattice, const LatticePlace& place);
  Vec3 at(std::size_t point, const VecX& y) const;
};

/// Anchors, contacts, inertia, loads and what is held: the part of the system that does not depend
/// on the precision.
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
  /// Calls add(row, column, block) for the stiffness of contacts that are closed at y.
  template <class Add>
  void eachContact(const VecX& y, Add&& add) const;
  const std::vector<double>& nodeStiffness() const { return nodeStiffness_; }
  const std::vector<std::uint8_t>& fixed() const { return fixed_; }

 private:
  double contactEnergy(const VecX& y, VecX* gradient) const;
  double nodeEnergy(const VecX& y, VecX* gradient) const;

  FreePoints anchors_, contactPoints_;
  std::vector<double> stiffness_;
  std::vector<Vec3> targets_;
  std::vector<ContactPlane> contacts_;
  std::vector<double> nodeStiffness_;
  std::vector<Vec3> nodeTargets_;
  std::vector<Coupling> couplings_;
  std::vector<std::uint8_t> fixed_;
  VecX loads_;
};

template <class Add>
void Attachments::eachContact(const VecX& y, Add&& add) const {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ContactPlane& plane = contacts_[c];
    if (plane.normal.dot(contactPoints_.at(c, y)) >= plane.offset) continue;
    const Mat3 block = plane.stiffness * plane.normal * plane.normal.transpose();
    for (std::int32_t i = contactPoints_.start[c]; i < contactPoints_.start[c + 1]; ++i)
      for (std::int32_t j = contactPoints_.start[c]; j < contactPoints_.start[c + 1]; ++j)
        add(contactPoints_.node[i], contactPoints_.node[j],
            Mat3(contactPoints_.weight[i] * contactPoints_.weight[j] * block));
  }
}

/// Positions of all nodes from the free ones, three numbers each.
void spread(const SparseRows& bindings, const VecX& y, std::vector<double>& x);

}  // namespace pneuma::flesh::embedded
