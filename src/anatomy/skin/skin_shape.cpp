#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/anatomy/skin_surface.h"

namespace pneuma::anatomy {

double triangleAspect(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double ab = (b - a).norm(), bc = (c - b).norm(), ca = (a - c).norm();
  const double area = triangleArea(a, b, c);
  if (!(area > 0)) return std::numeric_limits<double>::infinity();
  const double inradius = 2 * area / (ab + bc + ca);
  return std::max({ab, bc, ca}) / (2 * std::sqrt(3.0) * inradius);
}

}  // namespace pneuma::anatomy
