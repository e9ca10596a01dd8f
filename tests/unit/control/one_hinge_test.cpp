#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/control/muscle_controller.h"

/// A forearm on one hinge with a flexor and an extensor: everything the controller finds has a
/// closed form here.
namespace pneuma::control {
namespace {

// The hinge lies at (0, 1, 0) m about -x, so that flexion lifts the forearm, which points forward.
constexpr const char* kForearm = R"(format = "pneuma-body 1"
units = { length = "mm", angle = "deg", mass = "kg", area = "cm2", volume = "cm3", inertia = "kg m2" }
name = "forearm"
[subject]
sex = "male"
height = 1700
mass = 60
[person]
height = 1700
mass = 60
age = 30
[[bone]]
name = "humerus"
region = "arm"
[[bone]]
name = "ulna"
region = "arm"
[[landmarks]]
bone = "humerus"
points = { elbow = [0, 1000, 0], front = [0, 1300, 0], back = [0, 1300, -20] }
[[landmarks]]
bone = "ulna"
points = { front = [0, 1000, 40], back = [0, 1000, -25] }
[[segment]]
bone = "humerus"
mass = 2
center = [0, 1150, 0]
inertia = [0.02, 0.01, 0.02, 0, 0, 0]
[[segment]]
bone = "ulna"
mass = 1.5
center = [0, 1000, 150]
inertia = [0.01, 0.01, 0.001, 0, 0, 0]
[[muscle]]
name = "flexor"
set = "test"
muscle = "flexor"
region = "arm"
points = ["humerus:front", "ulna:front"]
pcsa = 10
slack = 1
[[muscle]]
name = "extensor"
set = "test"
muscle = "extensor"
region = "arm"
points = ["humerus:back", "ulna:back"]
pcsa = 10
slack = 1
[[articulation]]
name = "arm"
muscles = ["test"]
[[articulation.link]]
name = "upper"
bones = ["humerus"]
region = "arm"
joint = { type = "fixed" }
[[articulation.link]]
name = "fore"
bones = ["ulna"]
parent = "upper"
region = "arm"
[articulation.link.joint]
center = "humerus:elbow"
dof = [{ name = "flexion", axis = "-x", range = [-90, 140] }]
)";

TEST(OneHinge, ActivationAndMotionHaveTheirClosedForm) {
  const anatomy::Body declared = anatomy::readBody("forearm.toml", [](const std::string&) {
                                   return Result<std::string>(kForearm);
                                 }).valueOrThrow();
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(anatomy::expandBody(declared).valueOrThrow(), "arm").valueOrThrow();
  muscle::DrivenBody body(compiled, actingBodyConfig());
  const ControlConfig config;
  MuscleController controller(body, compiled, config);
  MotionTarget target(body.model());

  // Moment arms of straight lines about the hinge, peak force by cross section, inertia by Steiner.
  const double flexorArm = 0.300 * 0.040 / std::hypot(0.300, 0.040);
  const double peak = 10e-4 * body.config().hill.specificTension;
  const double inertia = 0.01 + 1.5 * 0.150 * 0.150;
  const double weight = 1.5 * -body.model().gravity.y() * 0.150;  // [N m], extends

  for (const double ahead : {0.0, 0.02, 0.1}) {  // [rad]
    SCOPED_TRACE(ahead);
    body.state() = muscle::DrivenBody(compiled, actingBodyConfig()).state();
    target.q[0] = ahead;
    controller.step(target);
    const double wanted = config.gains.position * ahead;  // Eq. 12 from rest [rad/s^2]
    const double flexor = (inertia * wanted + weight) / (flexorArm * peak);
    ASSERT_LT(flexor, 1.0);
    EXPECT_NEAR(body.state().muscles.activation[0], flexor, 1e-6 * flexor);
    EXPECT_EQ(body.state().muscles.activation[1], 0.0);
    EXPECT_NEAR(body.state().skeleton.v[0], body.config().step * wanted, 1e-7);
  }
}

}  // namespace
}  // namespace pneuma::control
