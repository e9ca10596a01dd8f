// Muscles that bend over surfaces stay smooth while a joint moves through its range: contact begins
// and ends without a jump in length or moment arm.
#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/muscle/path_kinematics.h"
#include "pneuma/skeleton/configuration.h"
#include "scenes/muscle_upper_body.h"

namespace pneuma::muscle {
namespace {

using skeleton::Kinematics;
using skeleton::Model;

/// What a sweep of one degree of freedom shows of one muscle.
struct Sweep {
  double secondDifference = 0;  ///< largest |l(q+h) - 2 l(q) + l(q-h)| / h^2 [m/rad^2]
  double armError = 0;          ///< largest |moment arm - central difference of the length| [m]
  int changes = 0;              ///< contact begins or ends
  int unconverged = 0;
  double straightest = 1e9;  ///< shortest length seen [m]
  double step = 0;           ///< [rad]

  /// A central difference is off by at most step / 2 times the second derivative, where that jumps.
  double armTolerance() const { return 0.5 * step * secondDifference + 1e-9; }
};

struct Swept {
  explicit Swept(const Model& m, const MuscleModel& muscleModel)
      : model(m), muscles(muscleModel), kinematics(m), paths(muscleModel.paths) {}

  Sweep sweep(int muscle, int dof, double from, double to, int steps) {
    const double h = (to - from) / steps;
    std::vector<double> length, arm;
    Sweep out;
    out.step = h;
    bool contact = false;
    for (int i = 0; i <= steps; ++i) {
      VecX q = model.neutral, step = VecX::Zero(model.dofCount());
      step[dof] = from + i * h;
      skeleton::integrateConfiguration(model, step, q);
      skeleton::computePoses(model, q, kinematics);
      computePaths(muscles.paths, kinematics, paths);
      length.push_back(paths.length[muscle]);
      arm.push_back(momentArms(muscles.paths, paths, muscle, model.dofCount())[dof]);
      out.unconverged += paths.unconvergedCount;
      out.straightest = std::min(out.straightest, length.back());
      const bool now = paths.wrap[muscle].contact;
      out.changes += i > 0 && now != contact;
      contact = now;
    }
    for (int i = 1; i < steps; ++i) {
      const double second = (length[i + 1] - 2 * length[i] + length[i - 1]) / (h * h);
      out.secondDifference = std::max(out.secondDifference, std::abs(second));
      const double slope = (length[i + 1] - length[i - 1]) / (2 * h);
      out.armError = std::max(out.armError, std::abs(slope - arm[i]));
    }
    return out;
  }

  const Model& model;
  const MuscleModel& muscles;
  Kinematics kinematics;
  PathKinematics paths;
};

/// A hinge about z at the origin, a lever on it, and a muscle from the world over a surface.
struct HingeScene {
  explicit HingeScene(const std::variant<WrapCylinder, WrapEllipsoid>& shape) {
    skeleton::ModelBuilder builder;
    builder.add({.name = "lever",
                 .joint = skeleton::Joint::hinge(Vec3::UnitZ()),
                 .inertia = {1, {0.05, 0, 0}, 0.001 * Mat3::Identity()}});
    model = builder.build();
    MuscleDescription m{.name = "m"};
    m.points = {{"", {0.12, 0.0, 0.01}}, {"lever", {0.02, 0.09, -0.015}}};
    m.wraps = {{0, "", {}, shape}};
    m.force = makeLinearHill(0.1, 1e-4);
    muscles = compileMuscles(model, std::span(&m, 1));
  }
  Model model;
  MuscleModel muscles;
};

TEST(WrapSweep, CylinderMomentArmIsTheRadiusInContactAndSmoothBeside) {
  const double radius = 0.03;
  HingeScene scene(WrapCylinder{radius, WrapSense::CounterClockwise});
  Swept swept(scene.model, scene.muscles);
  const double from = -1.2, to = 3.3;
  const Sweep s = swept.sweep(0, 0, from, to, 4500);
  EXPECT_EQ(s.changes, 1);
  // |l''| <= r_a r_b / l for a straight line between points at r_a and r_b of the axis.
  EXPECT_LT(s.secondDifference, 1.05 * 0.12 * std::hypot(0.02, 0.09) / s.straightest);
  EXPECT_LT(s.armError, s.armTolerance());

  // In contact the planar arm is the radius; the helix scales it by its slope.
  VecX q(1);
  q << 2.5;
  skeleton::computePoses(scene.model, q, swept.kinematics);
  computePaths(scene.muscles.paths, swept.kinematics, swept.paths);
  const double l = swept.paths.length[0], rise = 0.025;
  EXPECT_NEAR(momentArms(scene.muscles.paths, swept.paths, 0, 1)[0],
              radius * std::sqrt(l * l - rise * rise) / l, 1e-15);
}

TEST(WrapSweep, EllipsoidIsSmoothThroughContact) {
  HingeScene scene(WrapEllipsoid{{0.03, 0.025, 0.06}});
  Swept swept(scene.model, scene.muscles);
  const Sweep s = swept.sweep(0, 0, -1.2, 1.4, 2600);
  EXPECT_GE(s.changes, 1);
  EXPECT_EQ(s.unconverged, 0);
  EXPECT_LT(s.secondDifference, 0.5);
  EXPECT_LT(s.armError, s.armTolerance());
}

TEST(WrapSweep, EveryJointOfEveryWrappedMuscleIsSmooth) {
  const Model body = scenes::makeUpperBody();
  const std::vector<MuscleDescription> list = scenes::wrappedMuscles(body);
  const MuscleModel muscles = compileMuscles(body, list);
  Swept swept(body, muscles);
  int changes = 0, sweeps = 0;
  for (int m = 0; m < muscles.count(); ++m) {
    for (int r = muscles.paths.rangeBegin[m]; r < muscles.paths.rangeBegin[m + 1]; ++r) {
      const RowRange& range = muscles.paths.ranges[r];
      for (int dof = range.dof; dof < range.dof + range.count; ++dof) {
        // Ranges: vertebrae and slides a little, shoulder and elbow far.
        const std::string& name = body.links[body.dofLink[dof]].name;
        const bool arm = name.find("humerus") == 0 || name.find("ulna") == 0;
        const bool slide = name == "sternum";
        const double reach = arm ? 1.2 : slide ? 0.03 : 0.4;
        const Sweep s = swept.sweep(m, dof, -reach, reach, 400);
        ++sweeps;
        changes += s.changes;
        EXPECT_EQ(s.unconverged, 0) << muscles.names[m] << " " << body.dofName[dof];
        EXPECT_LT(s.secondDifference, slide ? 60 : 1.0)
            << muscles.names[m] << " " << body.dofName[dof];
        EXPECT_LT(s.armError, s.armTolerance()) << muscles.names[m] << " " << body.dofName[dof];
      }
    }
  }
  EXPECT_GT(sweeps, 100);
  EXPECT_GT(changes, 10);
}

}  // namespace
}  // namespace pneuma::muscle
