#include "pneuma/skeleton/loads.h"

namespace pneuma::skeleton {

namespace {

/// The coordinate of a hinge or slide, by degree of freedom; balls are skipped.
template <class Visit>
void forEachScalarDof(const Model& model, Visit&& visit) {
  for (const CompiledMotion& m : model.motions)
    if (m.code != MotionCode::Ball) visit(m.dof, m.position);
}

/// How far a coordinate is beyond its limits (signed), 0 inside.
double limitExcess(const DofResistance& r, double q) {
  return q > r.upperLimit ? q - r.upperLimit : q < r.lowerLimit ? q - r.lowerLimit : 0;
}

}  // namespace

Loads::Loads(const Model& model)
    : force(VecX::Zero(model.dofCount())),
      dampingForce(VecX::Zero(model.dofCount())),
      matrix(RowMatX::Zero(model.dofCount(), model.dofCount())),
      symmetric(RowMatX::Zero(model.dofCount(), model.dofCount())) {}

void Loads::clear(const LoadWeights& w) {
  weights = w;
  force.setZero();
  dampingForce.setZero();
  if (!w.derivatives()) return;
  matrix.setZero();
  for (Eigen::Index i = 0; i < symmetric.rows(); ++i) symmetric.row(i).head(i + 1).setZero();
}

MatX Loads::denseMatrix() const {
  return MatX(matrix) + MatX(symmetric.selfadjointView<Eigen::Lower>());
}

void addWrench(const Model& model, const Kinematics& k, int link, const Vec6& wrench, VecX& force) {
  for (const DofRange range : model.ancestorRanges(link))
    force.segment(range.begin, range.size()).noalias() +=
        k.axisComponents.middleCols(range.begin, range.size()).transpose() * wrench;
}

void addJointResistance(const Model& model, const State& state, Loads& loads) {
  for (int j = 0; j < model.dofCount(); ++j) {
    const double d = model.dofResistance[j].damping;
    loads.force[j] -= d * state.v[j];
    loads.dampingForce[j] -= d * state.v[j];
    loads.symmetric(j, j) += loads.weights.velocity * d;
  }
  forEachScalarDof(model, [&](int j, int position) {
    const DofResistance& r = model.dofResistance[j];
    const double q = state.q[position], excess = limitExcess(r, q);
    const double k = r.stiffness + (excess != 0 ? r.limitStiffness : 0);
    const double d = excess != 0 ? r.limitDamping : 0;
    loads.force[j] -= r.stiffness * (q - r.rest) + r.limitStiffness * excess + d * state.v[j];
    loads.dampingForce[j] -= d * state.v[j];
    loads.symmetric(j, j) += loads.weights.velocity * d + loads.weights.position * k;
  });
}

double jointResistanceEnergy(const Model& model, const VecX& q) {
  double energy = 0;
  forEachScalarDof(model, [&](int j, int position) {
    const DofResistance& r = model.dofResistance[j];
    const double bent = q[position] - r.rest, excess = limitExcess(r, q[position]);
    energy += 0.5 * (r.stiffness * bent * bent + r.limitStiffness * excess * excess);
  });
  return energy;
}

}  // namespace pneuma::skeleton
