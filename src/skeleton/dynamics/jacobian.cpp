#include "pneuma/skeleton/jacobian.h"

namespace pneuma::skeleton {

namespace {

/// Adds weight * (velocity of p per unit velocity of j) for every j that moves the link.
void addPointColumns(const Model& model, const Kinematics& k, int link, const Vec3& p,
                     double weight, Matrix3X& J) {
  const Vec3 r = p - k.origin;
  for (const DofRange range : model.ancestorRanges(link))
    for (int j = range.begin; j < range.end; ++j)
      J.col(j) += weight * (k.axis[j].tail<3>() + k.axis[j].head<3>().cross(r));
}

}  // namespace

void computePointJacobian(const Model& model, const Kinematics& k, int link, const Vec3& p,
                          Matrix3X& J) {
  J.setZero(3, model.dofCount());
  addPointColumns(model, k, link, p, 1, J);
}

void computeLinkJacobian(const Model& model, const Kinematics& k, int link, Matrix6X& J) {
  J.setZero(6, model.dofCount());
  const Vec3 r = k.X_WL[link].position - k.origin;
  for (const DofRange range : model.ancestorRanges(link)) {
    for (int j = range.begin; j < range.end; ++j) {
      J.col(j).head<3>() = k.axis[j].head<3>();
      J.col(j).tail<3>() = k.axis[j].tail<3>() + k.axis[j].head<3>().cross(r);
    }
  }
}

void computeCenterOfMassJacobian(const Model& model, const Kinematics& k, Matrix3X& J) {
  J.setZero(3, model.dofCount());
  const double total = model.totalMass();
  for (int l = 0; l < model.linkCount(); ++l)
    addPointColumns(model, k, l, k.X_WL[l] * model.links[l].inertia.center,
                    model.links[l].inertia.mass / total, J);
}

}  // namespace pneuma::skeleton
