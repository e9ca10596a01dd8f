#include <gtest/gtest.h>

#include "pneuma/body/living_step.h"
#include "pneuma/breath/breath_control.h"
#include "pneuma/core/random.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/energy.h"
#include "pneuma/skeleton/step.h"
#include "tests/support/count_allocations.h"
#include "tests/support/human_breath.h"
#include "tests/verify/living/measured_man.h"

/// Laws that the step of links and soft parts together must keep.
namespace pneuma::body {
namespace {

/// A state in which everything moves a little.
LivingState stirred(const LivingModel& m, double size) {
  Random random(3);
  LivingState s = makeLivingState(m, m.tree.neutral);
  VecX turn(m.tree.dofCount());
  for (Eigen::Index j = 0; j < turn.size(); ++j) turn[j] = 0.05 * size * random.normal();
  skeleton::integrateConfiguration(m.tree, turn, s.tree.q);
  for (Eigen::Index j = 0; j < turn.size(); ++j) s.tree.v[j] = 0.1 * size * random.normal();
  for (std::size_t i = 0; i < s.cage.position.size(); ++i) {
    s.cage.position.add(i, 2e-3 * size * Vec3(random.normal(), random.normal(), random.normal()));
    s.cage.velocity.add(i, 0.05 * size * Vec3(random.normal(), random.normal(), random.normal()));
  }
  return s;
}

breath::MuscleDrive inhaling(const LivingModel& m) {
  return breath::makeDrive(m.cage.config, test::humanStyle("deep").inspire);
}

TEST(CoupledStep, TheRestStateStaysAtRestUnderItsWeight) {
  const LivingModel& m = measuredMan();
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  for (int i = 0; i < 100; ++i) step(m, s, {}, w, kStep);
  refresh(m, s, w);
  EXPECT_NEAR(w.cage().reading().lungVolume, m.cage.restLung, 1e-9);
  EXPECT_LT((s.tree.q - m.tree.neutral).cwiseAbs().maxCoeff(), 1e-7);
}

/// All forces are pairs: without weight the whole feels none and no moment, whatever its state.
TEST(CoupledStep, ReactionsAreEqualAndOpposite) {
  LivingModel m = measuredMan();
  m.tree.gravity.setZero();
  breath::CageSystem cage(m.cage, m.tree);
  LivingState s = stirred(m, 1);
  const breath::MuscleDrive drive = inhaling(m);
  cage.bind(s.cage, drive);
  skeleton::Kinematics k(m.tree);
  skeleton::computeKinematics(m.tree, s.tree.q, s.tree.v, k);
  VecX force = VecX::Zero(m.tree.dofCount());
  cage.evaluate(m.tree, s.tree, k, kStep, force);
  // The root's freedoms move all links together: three ways along the world's axes, three turns.
  const skeleton::Link& root = m.tree.links.front();
  ASSERT_EQ(root.dofCount, 6);
  Vec3 onParticles = Vec3::Zero(), moment = Vec3::Zero();
  double scale = 0;
  const Vec3 centre = k.X_WL.front().position;
  for (std::size_t i = 0; i < s.cage.position.size(); ++i) {
    const Vec3 f = cage.forces()[i];
    onParticles += f;
    moment += (s.cage.position[i] - centre).cross(f);
    scale += f.norm();
  }
  EXPECT_LT((force.segment<3>(root.firstDof) + onParticles).norm(), 1e-10 * scale);
  const Vec3 turn = k.X_WL.front().rotation.transpose() * moment;  // the ball turns in own axes
  EXPECT_LT((force.segment<3>(root.firstDof + 3) + turn).norm(), 1e-10 * scale);
}

/// Momentum of links and particles, and what the particles have of it.
struct Momentum {
  Vec3 whole = Vec3::Zero(), particles = Vec3::Zero();
};

Momentum momentumOf(const LivingModel& m, const LivingState& s, const LivingWorkspace& w) {
  skeleton::Workspace dynamics(m.tree);
  skeleton::updateDynamics(m.tree, s.tree, dynamics);
  Momentum p;
  for (int axis = 0; axis < 3; ++axis) p.particles[axis] = w.cage().particleMomentum(axis);
  p.whole = p.particles;
  for (std::size_t l = 0; l < m.tree.links.size(); ++l)
    p.whole += (dynamics.inertia[l] * dynamics.kinematics.velocity[l]).tail<3>();
  return p;
}

/// What a freely floating body, its spine and limbs held, loses of its momentum, over what its
/// particles exchange with its links, while it inhales by a part of a deep breath without weight.
double lostMomentum(double part, double h) {
  LivingModel m = weightless(measuredMan());
  for (int j = 0; j < m.tree.links.front().dofCount; ++j) m.given[static_cast<std::size_t>(j)] = 0;
  const breath::Contractions full = test::humanStyle("deep").inspire;
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  LivingInputs in;
  double lost = 0, exchanged = 0;
  while (s.time() < 0.15) {
    in.drive = breath::makeDrive(m.cage.config, full * (part * s.time() / 0.15));
    step(m, s, in, w, h);
    const Momentum p = momentumOf(m, s, w);
    lost = std::max(lost, p.whole.norm());
    exchanged = std::max(exchanged, p.particles.norm());
  }
  return lost / exchanged;
}

/// What links gain particles lose, within the step and to rounding. What is left is the links' own:
/// their joints turn by h v along straight lines, an error of the second order in a step and of the
/// first in all of them. So the part that is lost falls with the motion, and with the step.
TEST(CoupledStep, MomentumOfAFreelyFloatingBodyIsKept) {
  const double tiny = lostMomentum(1e-6, kStep), small = lostMomentum(1e-2, kStep);
  EXPECT_LT(tiny, 1e-7);
  EXPECT_GT(small, 1000 * tiny);
  EXPECT_LT(small, 1e-3);
  EXPECT_LT(lostMomentum(1e-2, 0.25 * kStep), small / 4);
}

TEST(CoupledStep, WithoutDriveTheSoftPartsOnlyLoseEnergy) {
  const LivingModel m = weightless(measuredMan());
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  LivingInputs in;
  in.drive = inhaling(m);
  for (int i = 0; i < 100; ++i) step(m, s, in, w, kStep);
  in.drive = {};
  // Where ribs and sternum stand is energy too: that of their joints' springs and rest loads.
  const auto energy = [&] {
    refresh(m, s, w);
    skeleton::StepWorkspace book(m.tree);
    double total = skeleton::computeEnergy(m.tree, s.tree, book).kinetic;
    total += skeleton::jointResistanceEnergy(m.tree, s.tree.q) +
             skeleton::energy(m.springs, w.kinematics());
    for (const int l : m.cage.cageLinks) {
      const skeleton::Link& link = m.tree.links[static_cast<std::size_t>(l)];
      for (int j = 0; j < link.dofCount; ++j)
        total -= m.cage.restLinkLoad[link.firstDof + j] *
                 (s.tree.q[link.firstPosition + j] - m.tree.neutral[link.firstPosition + j]);
    }
    return total + w.cage().kineticEnergy() + w.cage().elasticEnergy();
  };
  step(m, s, in, w, kStep);
  double last = energy();
  const double first = last;
  double rise = 0;
  for (int i = 0; i < 200; ++i) {
    step(m, s, in, w, kStep);
    const double now = energy();
    rise += std::max(0.0, now - last);
    last = now;
  }
  EXPECT_LT(last, first);
  EXPECT_LT(rise, 0.02 * (first - last));
}

/// Turned and carried away together with its weight, a body breathes the same: nothing is bolted to
/// the world.
TEST(CoupledStep, BreathDoesNotDependOnPlaceAndDirection) {
  const LivingModel& upright = measuredMan();
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(0.3, -0.5, 0.8).normalized()));
  LivingModel turned = upright;
  turned.tree.gravity = turn * upright.tree.gravity;
  VecX q = upright.tree.neutral;
  q.head<3>() = Vec3(3, -2, 5);
  q.segment<4>(3) << turn.w(), turn.x(), turn.y(), turn.z();
  const auto volumeAfter = [&](const LivingModel& m, const VecX& start) {
    LivingWorkspace w(m);
    LivingState s = makeLivingState(m, start);
    LivingInputs in;
    in.drive = inhaling(m);
    for (int i = 0; i < 150; ++i) step(m, s, in, w, kStep);
    refresh(m, s, w);
    return w.cage().reading().lungVolume - m.cage.restLung;
  };
  const double standing = volumeAfter(upright, upright.tree.neutral);
  EXPECT_GT(standing, 5e-4);
  EXPECT_NEAR(volumeAfter(turned, q) / standing, 1, 1e-6);
}

/// A body that is accelerated as a whole takes its gut along.
TEST(CoupledStep, WhatIsFeltAsTheSameWeightLeavesTheRestShapeAlone) {
  LivingModel m = measuredMan();
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  std::vector<double> times;
  std::vector<VecX> keys;
  for (int i = 0; i <= 40; ++i) {
    times.push_back(0.01 * i);
    keys.push_back(m.tree.neutral);
    keys.back()[2] += 0.5 * 5 * times.back() * times.back();  // forward at 5 m/s^2
  }
  // Weight turned against the push, so that what the body feels stays what it is at rest.
  const Vec3 felt = m.tree.gravity;
  m.tree.gravity = felt + Vec3(0, 0, 5);
  const skeleton::PoseTrack track(m.tree, times, keys);
  LivingInputs in;
  in.motion = &track;
  for (int i = 0; i < 80; ++i) step(m, s, in, w, kStep);
  refresh(m, s, w);
  EXPECT_NEAR(w.cage().reading().lungVolume, m.cage.restLung, 2e-5);
}

TEST(CoupledStep, AllocatesNothingAfterTheFirst) {
  const LivingModel& m = measuredMan();
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  LivingInputs in;
  in.drive = inhaling(m);
  for (int i = 0; i < 3; ++i) step(m, s, in, w, kStep);
  const test::AllocationCount count;
  for (int i = 0; i < 10; ++i) step(m, s, in, w, kStep);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

TEST(CoupledStep, ACopiedStateGoesOnWithTheSameBits) {
  const LivingModel& m = measuredMan();
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  LivingInputs in;
  in.drive = inhaling(m);
  for (int i = 0; i < 20; ++i) step(m, s, in, w, kStep);
  io::StateWriter out;
  s.save(out);
  LivingState copy;
  io::StateReader reader(out.bytes());
  copy.load(reader);
  LivingWorkspace fresh(m);
  for (int i = 0; i < 20; ++i) {
    step(m, s, in, w, kStep);
    step(m, copy, in, fresh, kStep);
  }
  EXPECT_EQ(s.hash(), copy.hash());
}

}  // namespace
}  // namespace pneuma::body
