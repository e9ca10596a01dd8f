#include <gtest/gtest.h>

#include "pneuma/anatomy/mjcf.h"
#include "pneuma/anatomy/model_import.h"
#include "pneuma/anatomy/osim.h"
#include "pneuma/core/random.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/muscle/path_kinematics.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/from_body.h"
#include "tests/support/human.h"

/// A body that goes out to another program's format and comes back is the same body: masses,
/// lengths at three poses and moment arms agree to 1e-6 or better.
namespace pneuma::anatomy {
namespace {

struct Lengths {
  VecX length;
  MatX arms;  ///< muscle by degree of freedom
};

Lengths lengthsAt(const CompiledBody& body, const skeleton::Model& model, const VecX& q) {
  const muscle::MuscleModel muscles = muscle::compileMuscles(model, muscle::musclesFromBody(body));
  skeleton::Kinematics k(model);
  skeleton::computePoses(model, q, k);
  muscle::PathKinematics paths(muscles.paths);
  muscle::computePaths(muscles.paths, k, paths);
  Lengths result{paths.length, MatX(muscles.count(), model.dofCount())};
  for (int m = 0; m < muscles.count(); ++m)
    result.arms.row(m) = muscle::momentArms(muscles.paths, paths, m, model.dofCount());
  return result;
}

void expectSameBody(const CompiledBody& ours, const CompiledBody& read) {
  ASSERT_EQ(read.links.size(), ours.links.size());
  const skeleton::Model a = skeleton::modelFromBody(ours), b = skeleton::modelFromBody(read);
  ASSERT_EQ(b.dofCount(), a.dofCount());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    EXPECT_EQ(b.links[i].name, a.links[i].name);
    EXPECT_NEAR(b.links[i].inertia.mass, a.links[i].inertia.mass, 1e-12);
    EXPECT_LT((b.links[i].inertia.center - a.links[i].inertia.center).norm(), 1e-12);
    EXPECT_LT((b.links[i].inertia.inertia - a.links[i].inertia.inertia).norm(), 1e-12);
  }
  ASSERT_EQ(read.muscles.size(), ours.muscles.size());
  for (std::size_t m = 0; m < ours.muscles.size(); ++m) {
    ASSERT_EQ(read.muscles[m].name, ours.muscles[m].name);
    EXPECT_NEAR(read.muscles[m].restLength, ours.muscles[m].restLength, 1e-12);
  }
  ASSERT_EQ(read.springs.size(), ours.springs.size());
  for (std::size_t s = 0; s < ours.springs.size(); ++s)
    EXPECT_NEAR(read.springs[s].stiffness, ours.springs[s].stiffness, 1e-9);
  Random random(5);
  for (int pose = 0; pose < 3; ++pose) {
    VecX turn(a.dofCount()), q = a.neutral;
    for (Eigen::Index j = 0; j < turn.size(); ++j) turn[j] = 0.1 * random.normal();
    skeleton::integrateConfiguration(a, turn, q);
    const Lengths mine = lengthsAt(ours, a, q), theirs = lengthsAt(read, b, q);
    EXPECT_LT((mine.length - theirs.length).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((mine.arms - theirs.arms).cwiseAbs().maxCoeff(), 1e-9);
  }
}

class ModelFiles : public testing::TestWithParam<const char*> {
 protected:
  static CompiledBody compiled() {
    static const Body human = test::humanAsBuilt();
    return compileBody(human, GetParam()).valueOrThrow();
  }
};

TEST_P(ModelFiles, OsimComesBackTheSame) {
  const CompiledBody ours = compiled();
  const ImportedModel read = importOsim(toOsim(ours).text, "own.osim").valueOrThrow();
  EXPECT_TRUE(read.dropped.empty()) << read.dropped.front();
  expectSameBody(ours, read.body);
  for (std::size_t m = 0; m < ours.muscles.size(); ++m) {
    EXPECT_EQ(read.body.muscles[m].peakForce, ours.muscles[m].peakForce);
    if (!(ours.muscles[m].peakForce > 0)) continue;
    EXPECT_EQ(read.body.muscles[m].fiberLength, ours.muscles[m].fiberLength);
    EXPECT_EQ(read.body.muscles[m].tendonLength, ours.muscles[m].tendonLength);
    EXPECT_EQ(read.body.muscles[m].pennation, ours.muscles[m].pennation);
  }
}

TEST_P(ModelFiles, MjcfComesBackTheSame) {
  const CompiledBody ours = compiled();
  const ImportedModel read = importMjcf(toMjcf(ours), "own.xml").valueOrThrow();
  EXPECT_TRUE(read.dropped.empty()) << read.dropped.front();
  expectSameBody(ours, read.body);
  for (std::size_t m = 0; m < ours.muscles.size(); ++m) {
    const CompiledMuscle& muscle = ours.muscles[m];
    // MuJoCo knows no pennation: what acts along the tendon is kept.
    const double along = std::cos(muscle.pennation);
    EXPECT_NEAR(read.body.muscles[m].peakForce, muscle.peakForce * along, 1e-9 * muscle.peakForce);
    if (!(muscle.peakForce > 0)) continue;
    EXPECT_NEAR(read.body.muscles[m].fiberLength, muscle.fiberLength * along, 1e-12);
    EXPECT_NEAR(read.body.muscles[m].tendonLength, muscle.tendonLength, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Articulations, ModelFiles,
                         testing::Values("torso", "figure", "upper-body", "whole"),
                         [](const auto& articulation) {
                           std::string name = articulation.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

constexpr const char* kForeignOsim = R"(<?xml version="1.0"?>
<OpenSimDocument Version="40500"><Model name="arm">
  <BodySet><objects>
    <Body name="upper"><mass>2</mass><mass_center>0 -0.15 0</mass_center><inertia>0.01 0.002 0.01 0 0 0</inertia></Body>
    <Body name="lower"><mass>1</mass><mass_center>0 -0.1 0</mass_center><inertia>0.005 0.001 0.005 0 0 0</inertia></Body>
  </objects></BodySet>
  <JointSet><objects>
    <PinJoint name="elbow">
      <socket_parent_frame>at_upper</socket_parent_frame><socket_child_frame>at_lower</socket_child_frame>
      <coordinates><Coordinate name="bend"><range>0 2.5</range><clamped>true</clamped></Coordinate></coordinates>
      <frames>
        <PhysicalOffsetFrame name="at_upper"><socket_parent>/bodyset/upper</socket_parent>
          <translation>0 -0.3 0</translation><orientation>0 1.5707963267948966 0</orientation></PhysicalOffsetFrame>
        <PhysicalOffsetFrame name="at_lower"><socket_parent>/bodyset/lower</socket_parent>
          <translation>0 0.02 0</translation><orientation>0 1.5707963267948966 0</orientation></PhysicalOffsetFrame>
      </frames>
    </PinJoint>
    <CustomJoint name="shoulder">
      <socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/upper</socket_child_frame>
      <SpatialTransform>
        <TransformAxis name="rotation1"><coordinates>swing</coordinates><axis>0 0 1</axis>
          <LinearFunction><coefficients>-1 0</coefficients></LinearFunction></TransformAxis>
        <TransformAxis name="translation1"><coordinates>swing</coordinates><axis>1 0 0</axis>
          <SimmSpline><x>0 1</x><y>0 1</y></SimmSpline></TransformAxis>
      </SpatialTransform>
    </CustomJoint>
  </objects></JointSet>
  <ForceSet><objects>
    <Thelen2003Muscle name="biceps">
      <GeometryPath><PathPointSet><objects>
        <PathPoint name="a"><socket_parent_frame>/bodyset/upper</socket_parent_frame><location>0.02 -0.05 0</location></PathPoint>
        <ConditionalPathPoint name="c"/>
        <PathPoint name="b"><socket_parent_frame>/bodyset/lower</socket_parent_frame><location>0.03 -0.05 0</location></PathPoint>
      </objects></PathPointSet>
      <PathWrapSet><objects><PathWrap/></objects></PathWrapSet></GeometryPath>
      <max_isometric_force>600</max_isometric_force><optimal_fiber_length>0.12</optimal_fiber_length>
      <tendon_slack_length>0.2</tendon_slack_length>
    </Thelen2003Muscle>
    <CoordinateActuator name="motor"/>
  </objects></ForceSet>
</Model></OpenSimDocument>)";

TEST(ForeignOsim, TakesWhatItCanAndSaysWhatItLeft) {
  const ImportedModel m = importOsim(kForeignOsim, "arm.osim").valueOrThrow();
  ASSERT_EQ(m.body.links.size(), 2u);
  EXPECT_EQ(m.body.links[0].name, "upper");  // parents first, whatever the file's order
  const CompiledLink& lower = m.body.links[1];
  EXPECT_LT((lower.center - Vec3(0, -0.3, 0)).norm(), 1e-15);
  EXPECT_LT((lower.inertia.center - Vec3(0, -0.42, 0)).norm(), 1e-15);
  ASSERT_EQ(lower.dofs.size(), 1u);
  EXPECT_LT((lower.dofs[0].axis - Vec3::UnitX()).norm(), 1e-12);  // z of a frame turned about y
  EXPECT_EQ(lower.dofs[0].upper, 2.5);
  EXPECT_EQ(m.body.links[0].dofs[0].axis, Vec3(0, 0, -1));
  ASSERT_EQ(m.body.muscles.size(), 1u);
  EXPECT_EQ(m.body.muscles[0].points.size(), 2u);
  EXPECT_EQ(m.body.muscles[0].peakForce, 600);
  EXPECT_EQ(m.dropped.size(), 4u);  // curve, conditional point, wrap, actuator
}

TEST(ForeignOsim, BadFilesAreRefusedWithTheirLine) {
  const auto trouble = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    const auto result = importOsim(text, "arm.osim");
    return result ? std::string() : result.diagnostics().front().toString();
  };
  EXPECT_NE(trouble(kForeignOsim, "<mass>2<", "<mass>two<").find("arm.osim:4"), std::string::npos);
  EXPECT_NE(trouble(kForeignOsim, "/bodyset/upper</socket_parent>", "/bodyset/up</socket_parent>")
                .find("no body 'up'"),
            std::string::npos);
  EXPECT_NE(trouble(kForeignOsim, "40500", "30000").find("OpenSim 4"), std::string::npos);
  EXPECT_NE(trouble(kForeignOsim, "</PinJoint>", "</Pin>").find("ends as"), std::string::npos);
}

TEST(ForeignMjcf, TakesAnglesInDegreesAndTurnedBodies) {
  const ImportedModel m = importMjcf(R"(<mujoco model="arm">
  <default><joint damping="1"/></default>
  <worldbody>
    <body name="upper" pos="0 0 1"><freejoint/>
      <inertial pos="0 0 0" mass="2" diaginertia="1 2 3"/>
      <site name="a" pos="0 0 0.1"/>
      <body name="lower" pos="0 0 -0.3" quat="0.7071067811865476 0 0 0.7071067811865476">
        <joint name="elbow" axis="1 0 0" range="0 90"/>
        <geom type="sphere" size="0.1"/>
        <site name="b" pos="0.1 0 0"/>
      </body>
    </body>
  </worldbody>
  <tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
  <actuator><motor joint="elbow"/></actuator>
</mujoco>)",
                                     "arm.xml")
                              .valueOrThrow();
  ASSERT_EQ(m.body.links.size(), 2u);
  EXPECT_EQ(m.body.links[0].joint, JointType::Free);
  const CompiledDof& elbow = m.body.links[1].dofs.at(0);
  EXPECT_LT((elbow.axis - Vec3::UnitY()).norm(), 1e-12);
  EXPECT_NEAR(elbow.upper, kPi / 2, 1e-12);
  EXPECT_LT((m.body.muscles.at(0).points[1].position - Vec3(0, 0.1, 0.7)).norm(), 1e-12);
  EXPECT_EQ(m.dropped.size(), 3u);  // defaults, mass of a geom, motor
}

}  // namespace
}  // namespace pneuma::anatomy
