// Paths on random trees with every kind of joint, straight and wrapped.
#include "pneuma/muscle/path_kinematics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/muscle/muscle_forces.h"
#include "pneuma/skeleton/configuration.h"
#include "scenes/skeleton_trees.h"
#include "tests/support/count_allocations.h"

namespace pneuma::muscle {
namespace {

using skeleton::Kinematics;
using skeleton::Loads;
using skeleton::Model;
using skeleton::State;

Vec3 randomVector(Random& r, double size) {
  const double x = r.uniform(-size, size), y = r.uniform(-size, size);
  return {x, y, r.uniform(-size, size)};
}

/// Muscles over random links of a tree; every third one wraps over a surface.
std::vector<MuscleDescription> drawMuscles(const Model& model, int count, std::uint64_t seed) {
  Random r(seed);
  std::vector<MuscleDescription> out;
  while (static_cast<int>(out.size()) < count) {
    MuscleDescription m;
    m.name = fmt::format("m{}", out.size());
    const int points = 2 + static_cast<int>(3 * r.uniform());
    for (int i = 0; i < points; ++i) {
      const int link = static_cast<int>(r.uniform() * (model.linkCount() + 1)) - 1;
      const Vec3 base = link < 0 ? Vec3(0, 0.5, 0) : model.links[link].X_WL_rest.position;
      m.points.push_back({link < 0 ? "" : model.links[link].name, base + randomVector(r, 0.2)});
    }
    if (out.size() % 3 == 2) {
      const Vec3 a = m.points[0].position, b = m.points[1].position;
      const double size = (b - a).norm();
      MuscleDescription::Wrap w;
      w.link = model.links[static_cast<int>(r.uniform() * model.linkCount())].name;
      const Quat turn(r.normal(), r.normal(), r.normal(), r.normal());
      w.pose = {turn.normalized().toRotationMatrix(), 0.5 * (a + b) + randomVector(r, 0.1 * size)};
      if (out.size() % 2 == 0)
        w.shape = WrapCylinder{
            0.2 * size, r.uniform() < 0.5 ? WrapSense::Clockwise : WrapSense::CounterClockwise};
      else
        w.shape = WrapEllipsoid{size * Vec3(0.15, 0.2, 0.25)};
      m.wraps.push_back(w);
    }
    const double length = restLength(m);
    if (!(length > 0.05)) continue;
    switch (out.size() % 4) {
      case 0:
        m.force = SpringElement{200, 100, 5, 0.9 * length, 0.7};
        break;
      case 1:
        m.force = makeLinearHill(0.95 * length, 1e-4);
        break;
      case 2:
        m.force = RigidTendonUnit{{300, 0.6 * length, 0.4 * length, 0.2, 10, 0.02}};
        break;
      default:
        m.force = ElasticTendonUnit{{300, 0.6 * length, 0.4 * length, 0.2, 10, 0.02}};
    }
    try {
      compileMuscles(model, std::span(&m, 1));
    } catch (const InputError&) {
      continue;  // an end inside its surface
    }
    out.push_back(std::move(m));
  }
  return out;
}

/// A tree, its muscles and one state.
struct Scene {
  explicit Scene(std::uint64_t seed, double angle = 0.3)
      : model(scenes::makeRandomTree(9, seed)),
        muscles(compileMuscles(model, drawMuscles(model, 18, seed))),
        state(scenes::randomState(model, seed + 1, angle)),
        muscleState(makeState(muscles)),
        kinematics(model),
        workspace(muscles, model.dofCount()),
        loads(model) {
    Random r(seed);
    for (double& a : muscleState.activation) a = r.uniform(0.2, 0.9);
  }

  void evaluate(const VecX& q, const VecX& v, const skeleton::LoadWeights& weights) {
    skeleton::computeKinematics(model, q, v, kinematics);
    loads.clear(weights);
    computeMuscleForces(model, muscles, kinematics, v, muscleState, 0.007, workspace, loads);
  }
  VecX moved(int dof, double h) const {
    VecX q = state.q, step = VecX::Zero(model.dofCount());
    step[dof] = h;
    skeleton::integrateConfiguration(model, step, q);
    return q;
  }

  Model model;
  MuscleModel muscles;
  State state;
  MuscleState muscleState;
  Kinematics kinematics;
  MuscleWorkspace workspace;
  Loads loads;
};

TEST(PathKinematics, MomentArmsAreTheDerivativesOfTheLengths) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Scene s(seed);
    s.evaluate(s.state.q, s.state.v, {});
    if (s.workspace.paths.insideCount > 0) continue;  // reported, and only approximate
    ++checked;
    const PathKinematics reference = s.workspace.paths;
    const double h = 1e-6;
    for (int j = 0; j < s.model.dofCount(); ++j) {
      s.evaluate(s.moved(j, h), s.state.v, {});
      const VecX plus = s.workspace.paths.length;
      s.evaluate(s.moved(j, -h), s.state.v, {});
      const VecX difference = (plus - s.workspace.paths.length) / (2 * h);
      for (int m = 0; m < s.muscles.count(); ++m)
        EXPECT_NEAR(momentArms(s.muscles.paths, reference, m, s.model.dofCount())[j], difference[m],
                    1e-7)
            << "muscle " << m << " dof " << j << " seed " << seed;
    }
  }
  EXPECT_GE(checked, 5);
}

TEST(PathKinematics, RatesAreTheTimeDerivativesOfTheLengths) {
  Scene s(11);
  s.evaluate(s.state.q, s.state.v, {});
  const VecX rate = s.workspace.paths.lengthRate;
  const double h = 1e-6;
  VecX q = s.state.q;
  skeleton::integrateConfiguration(s.model, VecX(h * s.state.v), q);
  s.evaluate(q, s.state.v, {});
  const VecX after = s.workspace.paths.length;
  q = s.state.q;
  skeleton::integrateConfiguration(s.model, VecX(-h * s.state.v), q);
  s.evaluate(q, s.state.v, {});
  EXPECT_LT(((after - s.workspace.paths.length) / (2 * h) - rate).norm(), 1e-7);
}

/// Relative difference of Loads::matrix and differences of the force, for the position or the
/// velocity part. Muscles near a corner of their force law would spoil a difference: the test takes
/// smooth states.
double worstStiffnessError(Scene& s, bool position) {
  const double h = 1e-6;
  s.evaluate(s.state.q, s.state.v,
             position ? skeleton::LoadWeights{0, 1} : skeleton::LoadWeights{1, 0});
  const MatX analytic = s.loads.denseMatrix();
  const VecX damping = s.loads.dampingForce;
  MatX difference(s.model.dofCount(), s.model.dofCount());
  for (int j = 0; j < s.model.dofCount(); ++j) {
    VecX forces[2];
    for (int k : {0, 1}) {
      const double step = k == 0 ? h : -h;
      VecX v = s.state.v;
      if (!position) v[j] += step;
      s.evaluate(position ? s.moved(j, step) : s.state.q, v, {});
      forces[k] = s.loads.force;
    }
    difference.col(j) = -(forces[0] - forces[1]) / (2 * h);
  }
  if (!position) {
    EXPECT_LT((damping + analytic * s.state.v).norm(), 1e-9 * (1 + damping.norm()));
  }
  return (analytic - difference).cwiseAbs().maxCoeff() / difference.cwiseAbs().maxCoeff();
}

TEST(PathStiffness, IsTheDerivativeOfTheGeneralizedForce) {
  int checked = 0;
  for (std::uint64_t seed = 21; seed <= 30; ++seed) {
    Scene s(seed);
    s.evaluate(s.state.q, s.state.v, {});
    if (s.workspace.paths.insideCount > 0) continue;
    ++checked;
    // Near rest: the change of the rates with q is left out of the linearisation.
    s.state.v.setConstant(1e-9);
    EXPECT_LT(worstStiffnessError(s, true), 2e-7) << "seed " << seed;
  }
  EXPECT_GE(checked, 5);
}

TEST(PathStiffness, DampingIsTheDerivativeByVelocity) {
  for (std::uint64_t seed = 31; seed <= 34; ++seed) {
    Scene s(seed);
    EXPECT_LT(worstStiffnessError(s, false), 1e-6) << "seed " << seed;
  }
}

TEST(MuscleForces, AllocateNothing) {
  Scene s(41);
  s.evaluate(s.state.q, s.state.v, skeleton::LoadWeights::implicitStep(0.007));
  const test::AllocationCount count;
  s.evaluate(s.state.q, s.state.v, skeleton::LoadWeights::implicitStep(0.007));
  advance(s.muscles, s.workspace, s.muscleState);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

TEST(MuscleForces, StoredEnergyIsTheWorkOfThePassiveForce) {
  Scene s(44);
  s.muscleState.activation.setZero();
  s.state.v.setZero();
  const double h = 1e-6;
  for (int j = 0; j < s.model.dofCount(); ++j) {
    double energy[2];
    for (int k : {0, 1}) {
      s.evaluate(s.moved(j, k == 0 ? h : -h), s.state.v, {});
      ASSERT_EQ(s.workspace.paths.insideCount, 0);
      // Elastic units in equilibrium at each length: fibres follow without resistance.
      for (const ForceRun& run : s.muscles.runs)
        for (int i = run.begin; i < run.end && run.kind == ForceKind::ElasticTendon; ++i)
          s.muscleState.fibreLength[i] =
              solveIsometric(s.muscles.curves, s.muscles.units[run.first + i - run.begin],
                             s.workspace.paths.length[i], 0)
                  .fibreLength;
      energy[k] = storedEnergy(s.muscles, s.muscleState, s.workspace.paths);
    }
    s.evaluate(s.state.q, s.state.v, {});
    VecX tension = s.workspace.force;
    for (const ForceRun& run : s.muscles.runs)
      for (int i = run.begin; i < run.end && run.kind == ForceKind::ElasticTendon; ++i)
        tension[i] = solveIsometric(s.muscles.curves, s.muscles.units[run.first + i - run.begin],
                                    s.workspace.paths.length[i], 0)
                         .sample.force;
    VecX force = VecX::Zero(s.model.dofCount());
    addTension(s.muscles.paths, s.workspace.paths, tension, force);
    EXPECT_NEAR(-(energy[0] - energy[1]) / (2 * h), force[j], 1e-5 * (1 + force.norm())) << j;
  }
}

TEST(MuscleForces, PowerOfTheForceIsTensionTimesShortening) {
  Scene s(42);
  s.evaluate(s.state.q, s.state.v, {});
  EXPECT_NEAR(s.loads.force.dot(s.state.v), -s.workspace.force.dot(s.workspace.paths.lengthRate),
              1e-9 * s.workspace.force.norm());
}

}  // namespace
}  // namespace pneuma::muscle
