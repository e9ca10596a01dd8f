#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "pneuma/flesh/embedded/flesh_solver.h"

namespace pneuma::flesh::embedded {

/// Two rods, 4 mm apart, joined by a bridge: copies of cells, T-junctions and all sizes.
inline TriangleMesh fork() {
  TriangleMesh mesh = makeSphere(0.045, 3, {0, 0, 0});
  append(mesh, makeBox({0.018, 0.09, 0.03}, {-0.011, 0.055, 0}));
  append(mesh, makeBox({0.018, 0.09, 0.03}, {0.011, 0.055, 0}));
  return mesh;
}

inline std::shared_ptr<const Lattice> forkLattice() {
  static const auto lattice =
      std::make_shared<const Lattice>(makeLattice(fork(), {.spacing = 0.007, .coarsestNodes = 60}));
  return lattice;
}

/// In the ball and in both tips.
inline std::vector<Vec3> anchorPoints() {
  std::vector<Vec3> points;
  for (double a = 0; a < 6; a += 0.7)
    for (const double r : {0.01, 0.02})
      points.push_back({r * std::cos(a), -0.015, r * std::sin(a)});
  for (const double side : {-0.011, 0.011})
    for (const double y : {0.075, 0.085, 0.095})
      for (const double z : {-0.01, 0.0, 0.01}) points.push_back({side, y, z});
  return points;
}

inline FleshModel forkModel() {
  FleshModel model = makeUniformFlesh(forkLattice(), {});
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  model.lineCount = 3;
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(model.lattice->tetCount()); t += 2)
    for (std::int32_t line = 0; line < 1 + t % 3; ++line)
      model.fibres.push_back(
          {t, line, 0.3F, Vec3(any(random), any(random), any(random)).normalized()});
  for (const Vec3& p : anchorPoints()) model.anchors.push_back({model.lattice->locate(p), 400});
  return model;
}

/// The fork with fibres, held in the ball and drawn at both tips.
struct Case {
  FleshModel model = forkModel();
  std::vector<Vec3> targets = [] {
    // The tips spread and lean forwards.
    std::vector<Vec3> points = anchorPoints();
    for (Vec3& p : points)
      if (p.y() > 0.05) p += Vec3(p.x() > 0 ? 0.004 : -0.004, 0, 0.006);
    return points;
  }();
  std::vector<double> activations{0.2, 0.7, 1.0};
  std::vector<float> pressures;
  FleshInputs inputs() const {
    FleshInputs given{.targets = targets, .activations = activations};
    given.pressures = pressures;
    return given;
  }
  /// Pressures of up to a twentieth of the bulk modulus, inwards and outwards.
  void press() {
    std::mt19937 random(13);
    std::uniform_real_distribution<float> any(-5e5F, 5e5F);
    pressures.resize(model.lattice->tetCount());
    for (float& p : pressures) p = any(random);
  }
  std::vector<Vec3> shaken(double size) const {
    std::mt19937 random(9);
    std::uniform_real_distribution<double> any(-size, size);
    std::vector<Vec3> y(model.lattice->nodes.begin(),
                        model.lattice->nodes.begin() + model.lattice->freeCount);
    for (Vec3& p : y) p += Vec3(any(random), any(random), any(random));
    return y;
  }
};

}  // namespace pneuma::flesh::embedded
