#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "pneuma/control/performance.h"
#include "tests/support/human.h"

namespace pneuma::control {

inline const anatomy::CompiledBody& upperBody() {
  static const anatomy::CompiledBody body =
      anatomy::compileBody(test::humanAsBuilt(), "upper-body").valueOrThrow();
  return body;
}

/// Largest error and speed of the joints that muscles drive, over a stretch of time.
struct Watched {
  double error = 0, speed = 0, residual = 0;
  double least = 1;   // share of a demand that was given
  std::string worst;  // joint of the largest error
  std::set<std::string>
      tired;  // joints 5 mrad behind that were given less than 95 % of their demand
};

inline Watched watch(Performance& p, double until) {
  Watched w;
  const MuscleController& c = p.controller();
  while (p.time() < until) {
    p.step();
    int dof = 0;
    if (const double error = p.largestError(&dof); error > w.error) {
      w.error = error;
      w.worst = p.body().dofNames()[static_cast<std::size_t>(dof)];
    }
    w.residual = std::max(w.residual, c.report().effort.residual);
    for (int r = 0; r < c.plan().rowCount(); ++r) {
      const double share = c.report().share(r);
      w.least = std::min(w.least, share);
      if (share < 0.95 && std::abs(p.error()[c.plan().driven()[r]]) > 0.005)
        w.tired.insert(c.rowName(r));
      w.speed = std::max(w.speed, std::abs(p.body().state().skeleton.v[c.plan().driven()[r]]));
    }
    EXPECT_GE(p.body().state().muscles.activation.minCoeff(), 0.0);
    EXPECT_LE(p.body().state().muscles.activation.maxCoeff(), 1.0);
  }
  return w;
}

}  // namespace pneuma::control
