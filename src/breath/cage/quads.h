#pragma once

#include "pneuma/core/quads.h"

/// What the loops of a cage do with vectors in registers.
namespace pneuma::breath::internal {

using namespace pneuma::internal;

/// A matrix by its columns.
struct Columns {
  PNEUMA_INLINED explicit Columns(const Mat3& m) {
    for (int c = 0; c < 3; ++c) load(m.col(c), column[c]);
  }
  /// out += matrix (x, y, z)
  PNEUMA_INLINED void addProduct(double x, double y, double z, Four& out) const {
    out += column[0] * x + column[1] * y + column[2] * z;
  }
  Four column[3];
};

/// Sums force and torque of many forces: torque is the skew part of sum r f^T.
struct WrenchSum {
  PNEUMA_INLINED void add(const Four& arm, const Four& f) {
    force += f;
    for (int i = 0; i < 3; ++i) moment[i] += arm[i] * f;
  }
  PNEUMA_INLINED void store(Vec6& out) const {
    out << moment[1][2] - moment[2][1], moment[2][0] - moment[0][2], moment[0][1] - moment[1][0],
        force[0], force[1], force[2];
  }
  Four force = {}, moment[3] = {};
};

}  // namespace pneuma::breath::internal
