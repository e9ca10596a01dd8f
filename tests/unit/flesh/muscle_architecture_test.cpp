// The strengths, lengths and tendons of lines in embedded flesh.
#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/index.h"
#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/flesh/embedded/flesh_solver.h"

namespace pneuma::flesh::embedded {
namespace {

TriangleMesh rod(const Vec3& a, const Vec3& b, double radius) {
  return makeTube(std::vector<Vec3>{a, b}, std::vector<double>{radius, radius}, 32);
}

/// A limb along y: two bones with a joint between them, a belly of 120 mm in the middle of a path
/// of 260 mm, so 70 mm of tendon at either end.
FleshAnatomy limb() {
  FleshAnatomy a;
  a.bones.push_back({"lower", rod({0, 0.01, 0}, {0, 0.149, 0}, 0.01)});
  a.bones.push_back({"upper", rod({0, 0.151, 0}, {0, 0.29, 0}, 0.01)});
  a.muscles.push_back({"flexor_l", rod({0.025, 0.09, 0}, {0.025, 0.21, 0}, 0.012)});
  a.lines.push_back({.name = "flexor_l",
                     .muscle = "flexor",
                     .points = {{0.025, 0.02, 0}, {0.025, 0.28, 0}},
                     .volume = 54e-6,
                     .force = 250,
                     .section = 5e-4,
                     .restFibre = 1.2,
                     .originBone = 0,
                     .insertionBone = 1});
  return a;
}

/// Tendons stand at 0.44 of the best length, bellies at 0.71 (the paper) or 1.
constexpr double kTendonStands = 0.8;

struct Stretches {
  double belly = 1, tendon = 1;
  double thick = 1;     ///< of the belly, across
  double farthest = 0;  ///< that a node has gone [m]
};

/// The upper bone is `nearer` [m] to the lower one than at rest.
Stretches solved(double activation, double nearer, double tendonStrain) {
  const TriangleMesh skin = rod({0, 0, 0}, {0, 0.3, 0}, 0.045);
  TissueConstants constants = TissueConstants::of(FleshPreset::Human);
  constants.tendonStrain = tendonStrain;
  const BodyFlesh flesh =
      makeBodyFlesh(std::make_shared<const Lattice>(makeLattice(skin, {.spacing = 0.012})), skin,
                    limb(), constants);
  FleshSolver solver(std::make_shared<FleshModel>(flesh.model));
  std::vector<Pose> bones(2);
  bones[1].position.y() = -nearer;
  std::vector<Vec3> targets, y = solver.rest();
  flesh.targets(bones, {}, targets);
  const std::vector<double> activations{activation};
  EXPECT_TRUE(solver.solve({.targets = targets, .activations = activations}, y).converged);
  const std::vector<Vec3> x = solver.nodes(y);
  const Lattice& l = *flesh.model.lattice;
  Stretches s;
  double belly = 0, tendon = 0, thick = 0, bellies = 0, tendons = 0;
  for (const Fibre& f : flesh.model.fibres) {
    if (f.share <= 0) continue;
    const Tet& t = l.tets[at(f.tet)];
    Mat3 before, after;
    for (int k = 0; k < 3; ++k) {
      before.col(k) = l.nodes[at(t[std::size_t(k) + 1])] - l.nodes[at(t[0])];
      after.col(k) = x[at(t[std::size_t(k) + 1])] - x[at(t[0])];
    }
    const Mat3 F = after * before.inverse();
    const double stretch = (F * f.direction.normalized()).norm();
    const double weight = double(f.share) * flesh.material(at(f.tet));
    if (f.direction.norm() > kTendonStands)
      belly += weight * stretch, thick += weight * std::sqrt(F.determinant() / stretch),
          bellies += weight;
    else
      tendon += weight * stretch, tendons += weight;
  }
  s.belly = belly / bellies, s.thick = thick / bellies;
  if (tendons > 0) s.tendon = tendon / tendons;
  for (std::size_t n = 0; n < x.size(); ++n)
    s.farthest = std::max(s.farthest, (x[n] - l.nodes[n]).norm());
  return s;
}

TEST(MuscleArchitecture, NothingPullsAtRest) {
  EXPECT_LT(solved(0, 0, 0.12).farthest, 1e-6);
}

TEST(MuscleArchitecture, AnActiveBellyThickensBetweenTendonsThatKeepTheirLength) {
  const Stretches straight = solved(1, 0, 0.12);
  EXPECT_LT(straight.belly, 0.97);
  EXPECT_GT(straight.thick, 1.015);
  EXPECT_NEAR(straight.tendon, 1, 0.12);
  // The bones come 15 mm nearer to each other: the belly takes that up, by more than its part of
  // the path.
  const Stretches bent = solved(1, 0.015, 0.12);
  EXPECT_LT(bent.belly, straight.belly - 0.015 / 0.26);
  EXPECT_GT(bent.thick, straight.thick + 0.02);
}

TEST(MuscleArchitecture, SoftTendonsLetTheBellyShortenMore) {
  EXPECT_LT(solved(1, 0, 0.4).belly, solved(1, 0, 0.12).belly - 0.02);
}

TEST(MuscleArchitecture, LinesHaveTheirOwnStrength) {
  // Without architecture the paper's fibres, of 300 kPa at 0.71 of their best length, are weaker
  // than those of 500 kPa at their best.
  EXPECT_LT(solved(0.2, 0, 0.4).belly, solved(0.2, 0, 0).belly);
}

}  // namespace
}  // namespace pneuma::flesh::embedded
