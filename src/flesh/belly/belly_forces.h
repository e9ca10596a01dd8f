#pragma once

#include <vector>

#include "pneuma/flesh/belly.h"

namespace pneuma::flesh {

/// Forces of a belly, and the same as an OdeSystem.
///
/// Works on padded rows: row 0 and the last one repeat the extremities, and every row has a ghost
/// column at either end that repeats the ring's other side. All neighbours are then at constant
/// offsets. One loop per kind of spring computes its pulls into an array of its own; then what acts
/// on every particle is gathered. Nothing is scattered, so both loops run in vector registers.
class BellyForces final : public OdeSystem {
 public:
  /// `carried`: where the global constraint wants the particles. Both lists are read at every
  /// evaluation.
  BellyForces(const BellyModel& model, const std::vector<BellyGoal>& goals, const VecX& carried);

  Eigen::Index size() const override { return 6 * n_; }
  Eigen::Index positionCount() const override { return 3 * n_; }
  void derivative(double t, const VecX& x, VecX& dxdt) override;

  /// Forces on particles (three blocks) for positions (three blocks).
  void forces(const double* positions, double* forces);
  double energy(const double* positions);

  static int stride(int around) { return around + 2; }
  /// Rest lengths of a shape, into the model's padded rows.
  static void measureRest(BellyModel& model, const std::vector<Vec3>& points);

 private:
  struct Rows {
    std::vector<double> x, y, z;
  };
  void pad(const double* positions);
  void pull();
  void repeatColumns(int row);
  void gather(double* forces) const;
  void addGoals(const double* positions, double* forces) const;
  void addShape(const double* positions, double* forces) const;
  Vec3 missing(const BellyGoal& goal, const double* positions) const;

  const BellyModel& model_;
  const std::vector<BellyGoal>& goals_;
  const VecX& carried_;
  Eigen::Index n_;
  int rows_, stride_;
  Rows p_;
  // Pull of the spring to the next particle (ring, line), and of the angular spring on its middle.
  Rows ring_, line_, ringAngular_, lineAngular_;
};

}  // namespace pneuma::flesh
