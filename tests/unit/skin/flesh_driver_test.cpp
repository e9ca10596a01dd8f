#include "pneuma/skin/flesh_driver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "pneuma/flesh/embedded/bone_cover.h"
#include "pneuma/flesh/embedded/self_contact.h"

namespace pneuma::skin {
namespace {

using namespace flesh::embedded;

TriangleMesh rod(double from, double to, double radius, int pieces = 1) {
  std::vector<Vec3> line;
  for (int i = 0; i <= pieces; ++i) line.push_back({0, from + (to - from) * i / pieces, 0});
  const std::vector<double> radii(line.size(), radius);
  return makeTube(line, radii, 24);
}

/// Two bones with a hinge at the origin, and flesh around them.
struct Arm {
  TriangleMesh skin = rod(-0.16, 0.16, 0.04, 40);
  std::shared_ptr<const BodyFlesh> flesh;

  explicit Arm(FleshPreset preset = FleshPreset::Human, std::vector<NamedSolid> more = {}) {
    FleshAnatomy anatomy;
    anatomy.bones.push_back({"lower", rod(-0.15, -0.004, 0.01)});
    anatomy.bones.push_back({"upper", rod(0.004, 0.15, 0.01)});
    anatomy.bones.insert(anatomy.bones.end(), more.begin(), more.end());
    flesh = std::make_shared<const BodyFlesh>(
        makeBodyFlesh(std::make_shared<const Lattice>(makeLattice(skin, {.spacing = 0.02})), skin,
                      anatomy, TissueConstants::of(preset)));
  }
  static std::vector<Pose> bent(double angle) {
    std::vector<Pose> bones(2);
    bones[1].rotation = Eigen::AngleAxisd(angle, Vec3::UnitX()).toRotationMatrix();
    return bones;
  }
  std::vector<Vec3> pose(FleshDriver& driver, const std::vector<Pose>& bones) const {
    std::vector<Vec3> x(skin.positions.size());
    SkinInputs inputs;
    inputs.bones = bones;
    driver.pose(inputs, x);
    return x;
  }
};

TEST(FleshDriver, KeepsTheSkinAtRestAtRest) {
  const Arm arm;
  FleshDriver driver(arm.flesh, arm.skin);
  const std::vector<Vec3> x = arm.pose(driver, Arm::bent(0));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((x[i] - arm.skin.positions[i]).norm(), 1e-6);
}

TEST(FleshDriver, CarriesARigidBodyRigidly) {
  const Arm arm;
  FleshDriver driver(arm.flesh, arm.skin);
  const Pose X{Eigen::AngleAxisd(2.5, Vec3(1, 2, 3).normalized()).toRotationMatrix(), {5, -3, 2}};
  const std::vector<Vec3> x = arm.pose(driver, {X, X});
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LT((x[i] - X * arm.skin.positions[i]).norm(), 1e-5);
  EXPECT_EQ(driver.report().parts, 1);
}

TEST(FleshDriver, BendsAJointAtConstantVolumeWithoutInversion) {
  const Arm arm;
  FleshDriver driver(arm.flesh, arm.skin);
  const std::vector<Vec3> x = arm.pose(driver, Arm::bent(degreesToRadians(60)));
  const FleshPoseReport& r = driver.report();
  EXPECT_GT(r.parts, 1);  // too far for one
  EXPECT_EQ(r.measures.inverted, 0);
  EXPECT_NEAR(r.volumes.flesh, 1, 0.005);
  const double rest = enclosedVolume(arm.skin);
  EXPECT_NEAR(enclosedVolume(x, arm.skin.triangles) / rest, 1, 0.02);
}

TEST(FleshDriver, SavedAndLoadedGoesOnWithTheSameBits) {
  const Arm arm;
  FleshDriver driver(arm.flesh, arm.skin), other(arm.flesh, arm.skin);
  arm.pose(driver, Arm::bent(0.2));
  io::StateWriter out;
  driver.save(out);
  io::StateReader in(out.bytes());
  other.load(in);
  const std::vector<Vec3> a = arm.pose(driver, Arm::bent(0.3)), b = arm.pose(other, Arm::bent(0.3));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]);
}

/// The forces that contact goes on with are part of where a run stands.
TEST(FleshDriver, SavedAndLoadedInAFoldGoesOnWithTheSameBits) {
  const Arm arm;
  FleshDriver driver(arm.flesh, arm.skin), other(arm.flesh, arm.skin),
      free(arm.flesh, arm.skin, {}, {.contact = false});
  arm.pose(driver, Arm::bent(2.4));
  EXPECT_GT(driver.report().contacts, 0u);
  io::StateWriter out;
  driver.save(out);
  io::StateReader in(out.bytes());
  other.load(in);
  const std::vector<Vec3> a = arm.pose(driver, Arm::bent(2.42)),
                          b = arm.pose(other, Arm::bent(2.42));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]);
  io::StateReader again(out.bytes());
  EXPECT_THROW(free.load(again), InputError);
}

TEST(FleshDriver, GivesTheSameBitsForAnyThreadCount) {
  const Arm arm;
  const auto run = [&](int threads) {
    setThreadCount(threads);
    FleshDriver driver(arm.flesh, arm.skin);
    return arm.pose(driver, Arm::bent(0.3));
  };
  const std::vector<Vec3> one = run(1), two = run(2);
  setThreadCount(0);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], two[i]);
}

TEST(FleshDriver, StopsAtAPoseThatCannotBeAndKeepsTheLastOne) {
  const Arm arm;
  FleshSettings settings;
  settings.maximumSteps = 1;  // no pose is reached so exactly in one step
  settings.tolerance = 1e-12;
  FleshDriver driver(arm.flesh, arm.skin, settings);
  const std::vector<Vec3> before(driver.nodes().begin(), driver.nodes().end());
  try {
    arm.pose(driver, Arm::bent(1));
    FAIL() << "should have thrown";
  } catch (const SimulationError& e) {
    EXPECT_NE(std::string(e.what()).find("upper"), std::string::npos) << e.what();
  }
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i], driver.nodes()[i]);
}

/// Soft flesh may buckle through many wrinkles: what a search has reached when its steps are used
/// up is where the next one begins.
TEST(FleshDriver, ASearchThatRanOutOfStepsGoesOn) {
  const Arm arm;
  FleshSettings settings;
  settings.maximumSteps = 3;
  FleshDriver driver(arm.flesh, arm.skin), hasty(arm.flesh, arm.skin, settings);
  const std::vector<Vec3> x = arm.pose(driver, Arm::bent(0.3)),
                          same = arm.pose(hasty, Arm::bent(0.3));
  EXPECT_GT(driver.report().steps, 3);
  EXPECT_GT(hasty.report().goneOn, 0);
  // Either is as near to the equilibrium as the tolerance of 0.1 mm has it, relaxed tissue less so.
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((x[i] - same[i]).norm(), 5e-4);
}

/// The two sides of a far bend push each other apart, in rounds that grow firmer.
TEST(FleshDriver, SidesOfAFoldLieBesideEachOther) {
  const Arm arm;
  FleshDriver driver(arm.flesh, arm.skin), passing(arm.flesh, arm.skin, {}, {.contact = false});
  arm.pose(driver, Arm::bent(2.4));
  const FleshPoseReport& r = driver.report();
  EXPECT_EQ(r.contact, FleshContact::Settled);
  EXPECT_EQ(r.measures.inverted, 0);
  EXPECT_GT(r.contacts, 0u);
  EXPECT_LT(r.deepest, 1e-3);
  arm.pose(passing, Arm::bent(2.4));
  SelfContact contact(arm.flesh->model, arm.flesh->skin);
  std::vector<ContactPlane> planes;
  EXPECT_GT(contact.find(passing.nodes(), planes).deepest, 1.2e-3);
}

/// A bone that only one spring ties moves outwards under thin skin: it lifts that, and no skin
/// beside it sinks in.
TEST(FleshDriver, SkinStaysOverABoneThatComesOut) {
  TriangleMesh knob = rod(-0.02, 0.02, 0.01);
  for (Vec3& p : knob.positions) p.z() += 0.027;
  const Arm arm(FleshPreset::Human, {{"knob", knob}});
  BodyFlesh loose = *arm.flesh;
  for (std::size_t a = loose.boneAnchors.size(), tied = 0; a-- > 0;) {
    if (loose.boneAnchors[a].bone != 2 || tied++ == 0) continue;
    loose.boneAnchors.erase(loose.boneAnchors.begin() + std::ptrdiff_t(a));
    loose.model.anchors.erase(loose.model.anchors.begin() + std::ptrdiff_t(a));
  }
  const auto flesh = std::make_shared<const BodyFlesh>(loose);
  std::vector<Pose> bones(3);
  bones[2].position.z() = 0.005;
  double lack[2] = {};
  for (const bool contact : {false, true}) {
    FleshDriver driver(flesh, arm.skin, {}, {.contact = contact});
    arm.pose(driver, bones);
    BoneCover cover(*flesh);
    std::vector<ContactPlane> planes;
    lack[contact] = cover.find(driver.nodes(), bones, planes).lack;
    EXPECT_EQ(driver.report().covered > 0, contact);
  }
  EXPECT_GT(lack[false], 1e-3);
  EXPECT_LT(lack[true], 3e-4);
}

/// Few steps do not bring the sides of a fold apart: the pose is gone to without contact, and says
/// so and what that leaves.
TEST(FleshDriver, APoseThatIsNotReachedWithContactIsReachedWithout) {
  const Arm arm;
  FleshSettings settings;
  settings.maximumSteps = 16;
  FleshDriver driver(arm.flesh, arm.skin, settings);
  arm.pose(driver, Arm::bent(2.5));
  const FleshPoseReport& r = driver.report();
  EXPECT_EQ(r.contact, FleshContact::LeftOut);
  EXPECT_EQ(r.contacts, 0u);
  EXPECT_EQ(r.covered, 0u);
  EXPECT_EQ(r.measures.inverted, 0);
  EXPECT_GT(r.deepest, 1e-3);
  // The next pose begins with contact again.
  arm.pose(driver, Arm::bent(0.3));
  EXPECT_EQ(driver.report().contact, FleshContact::Settled);
}

TEST(FleshDriver, RefusesInputsOfAnotherBody) {
  const Arm arm;
  FleshDriver driver(arm.flesh, arm.skin);
  EXPECT_THROW(arm.pose(driver, std::vector<Pose>(1)), InputError);
}

}  // namespace
}  // namespace pneuma::skin
