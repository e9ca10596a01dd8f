#include "anatomy/person/fit_shape.h"

namespace pneuma::anatomy::internal {

void stretchEllipsoid(ShapePart& part, const Mat3& j) {
  const Vec3 x = j * part.rotation.col(0), y = j * part.rotation.col(1);
  const Vec3 z = j.inverse().transpose() * part.rotation.col(2);  // normals stretch inversely
  const Vec3 n = z.normalized(), u = (x - x.dot(n) * n).normalized(), v = n.cross(u);
  part.radii = part.radii.cwiseProduct(Vec3(x.norm(), std::abs(y.dot(v)), 1 / z.norm()));
  part.bend = part.bend.cwiseQuotient(Vec3(x.squaredNorm(), y.squaredNorm(), x.norm() * y.norm()) *
                                      z.norm());
  part.rotation << u, v, n;
}

}  // namespace pneuma::anatomy::internal
