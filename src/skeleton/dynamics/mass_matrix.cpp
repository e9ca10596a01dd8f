#include "pneuma/skeleton/mass_matrix.h"

namespace pneuma::skeleton {

namespace {

/// Calls visit(begin, size) for the degrees of freedom above i, i itself excluded.
template <class Visit>
void forEachRangeAbove(const Model& model, int i, Visit&& visit) {
  for (const DofRange range : model.ancestorRanges(model.dofLink[i])) {
    if (range.begin >= i) break;
    visit(range.begin, std::min(range.end, i) - range.begin);
  }
}

}  // namespace

void computeCompositeInertias(const Model& model, Workspace& w) {
  w.composite = w.inertia;
  for (int l = model.linkCount() - 1; l > 0; --l)
    if (model.links[l].parent >= 0) w.composite[model.links[l].parent] += w.composite[l];
}

void computeMassMatrix(const Model& model, Workspace& w, RowMatX& M) {
  computeCompositeInertias(model, w);
  const Kinematics& k = w.kinematics;
  for (int i = 0; i < model.dofCount(); ++i) {
    const Vec6 F = w.composite[model.dofLink[i]] * k.axis[i];
    forEachRangeAbove(model, i, [&](int begin, int size) {
      M.row(i).segment(begin, size).noalias() =
          F.transpose() * k.axisComponents.middleCols(begin, size);
    });
    M(i, i) = k.axis[i].dot(F) + model.dofResistance[i].armature;
  }
}

MatX massMatrix(const Model& model, const State& state) {
  Workspace w(model);
  updateDynamics(model, state, w);
  RowMatX M = RowMatX::Zero(model.dofCount(), model.dofCount());
  computeMassMatrix(model, w, M);
  return M.selfadjointView<Eigen::Lower>();
}

void factorMassMatrix(const Model& model, RowMatX& M) {
  // Rows from the leaves: row k holds the couplings of k to the degrees of freedom above it, and
  // eliminating k changes only couplings among those.
  for (int k = model.dofCount() - 1; k >= 0; --k) {
    const double inverse = 1 / M(k, k);
    for (int i = model.dofParent[k]; i >= 0; i = model.dofParent[i]) {
      const double a = M(k, i) * inverse;
      forEachRangeAbove(model, i, [&](int begin, int size) {
        M.row(i).segment(begin, size) -= a * M.row(k).segment(begin, size);
      });
      M(i, i) -= a * M(k, i);
    }
    forEachRangeAbove(model, k,
                      [&](int begin, int size) { M.row(k).segment(begin, size) *= inverse; });
  }
}

void solveMassMatrix(const Model& model, const RowMatX& factor, VecX& x) {
  for (int i = model.dofCount() - 1; i >= 0; --i)
    forEachRangeAbove(model, i, [&](int begin, int size) {
      x.segment(begin, size) -= x[i] * factor.row(i).segment(begin, size).transpose();
    });
  for (int i = 0; i < model.dofCount(); ++i) {
    x[i] /= factor(i, i);
    forEachRangeAbove(model, i, [&](int begin, int size) {
      x[i] -= factor.row(i).segment(begin, size).dot(x.segment(begin, size));
    });
  }
}

}  // namespace pneuma::skeleton
