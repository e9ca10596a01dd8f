// The flesh of the real body: what it is made of, and that it bends and breathes.
#include <gtest/gtest.h>

#include "pneuma/core/index.h"
#include "pneuma/skin/skin_checks.h"
#include "tests/verify/flesh/posed_man.h"

namespace pneuma::body {
namespace {

using namespace flesh::embedded;

constexpr std::size_t indexOf(Tissue t) {
  return static_cast<std::size_t>(t);
}

/// The default man with flesh of the coarsest level, made once.
struct Man : PosedMan {
  std::shared_ptr<const BodyFlesh> flesh =
      makeFlesh(model, *test::humanBody(), model.compiled,
                {.level = FleshLevel::Preview, .walls = false}, cache);

  static const Man& get() {
    static const Man man;
    return man;
  }
};

TEST(FleshOfTheBody, IsMadeOfWhatPeopleAreMadeOf) {
  const BodyFlesh& f = *Man::get().flesh;
  const auto v = f.tissueVolumes();
  double all = 0;
  for (const double x : v) all += x;
  // ICRP 89, a man of 73 kg: muscle 40, skeleton 12, skin 4 % of the volume without the lungs' gas.
  // Muscles without a solid here (face, hands, feet, pelvic floor) count as fat.
  EXPECT_NEAR(v[indexOf(Tissue::Muscle)] / all, 0.35, 0.08);
  EXPECT_NEAR(v[indexOf(Tissue::Bone)] / all, 0.12, 0.04);
  EXPECT_NEAR(v[indexOf(Tissue::Skin)] / all, 0.04, 0.015);
  EXPECT_GT(v[indexOf(Tissue::Lung)], 2e-3);
}

TEST(FleshOfTheBody, EveryMuscleLineHasFibres) {
  const Man& man = Man::get();
  const BodyFlesh& f = *man.flesh;
  ASSERT_GE(f.lineVolume.size(), 814u);
  // Lines of one solid share what it has, and tubes take their room from their neighbours: few
  // lines have less than half of PCSA times fibre length, none is left without.
  std::size_t half = 0;
  for (std::size_t l = 0; l < f.lineVolume.size(); ++l) {
    const anatomy::CompiledMuscle& line = man.model.compiled.muscles[l];
    EXPECT_GT(f.lineVolume[l], 0.1 * f.lineWanted[l]) << line.name;
    half += f.lineVolume[l] >= 0.5 * f.lineWanted[l];
  }
  EXPECT_GT(half, f.lineVolume.size() * 8 / 10);
}

TEST(FleshOfTheBody, AnElbowBendsWithoutInversionAndKeepsItsVolume) {
  const Man& man = Man::get();
  skin::FleshDriver driver(man.flesh, makeSphere(0.01, 0, man.model.compiled.links[0].center));
  const std::vector<Pose> bones = man.bones({{"elbow_l.flexion", degreesToRadians(60)}});
  skin::SkinInputs inputs;
  inputs.bones = bones;
  driver.solve(inputs);
  const skin::FleshPoseReport& r = driver.report();
  EXPECT_EQ(r.measures.inverted, 0);
  EXPECT_NEAR(r.volumes.flesh, 1, 0.005);
  EXPECT_NEAR(r.volumes.worst, 1, 0.02);
}

/// From rest to an arm above the head at once: joints turn about their centres on the way, bones
/// that slide past one another do not drag the same cells, steps that are too short are lengthened,
/// and lungs that are pressed together do not fold.
TEST(FleshOfTheBody, AnArmIsRaisedAboveTheHead) {
  const Man& man = Man::get();
  skin::FleshDriver driver(man.flesh, makeSphere(0.01, 0, man.model.compiled.links[0].center), {},
                           {.contact = false});
  const std::vector<Pose> bones = man.bones({{"shoulder_l.abduction", degreesToRadians(150)}});
  skin::SkinInputs inputs;
  inputs.bones = bones;
  driver.solve(inputs);
  const skin::FleshPoseReport& r = driver.report();
  EXPECT_EQ(r.stages, 0);
  EXPECT_EQ(r.measures.inverted, 0);
  EXPECT_NEAR(r.volumes.flesh, 1, 0.005);
  EXPECT_NEAR(r.volumes.worst, 1, 0.02);
}

/// The flesh in front of a kneecap is not tied to it, which would drag it along the thigh bone.
/// Skin slides over the kneecap and stays in front of it all the same.
TEST(FleshOfTheBody, KneecapsStayUnderTheSkin) {
  const Man& man = Man::get();
  const TriangleMesh& skin = man.flesh->skin;
  const auto samples =
      skin::sampleBones(*man.model.body, man.cache, 0.006,
                        [](const anatomy::Bone& b) { return b.name == "patella_r"; });
  ASSERT_GT(samples.size(), 20u);
  // The tendon of the quadriceps holds the flesh over its kneecap; without it, pushes have to.
  auto loose = std::make_shared<flesh::embedded::BodyFlesh>(*man.flesh);
  for (std::size_t i = loose->boneAnchors.size(); i-- > 0;) {
    if (loose->boneNames[at(loose->boneAnchors[i].bone)] != "patella_r") continue;
    loose->boneAnchors.erase(loose->boneAnchors.begin() + static_cast<std::ptrdiff_t>(i));
    loose->model.anchors.erase(loose->model.anchors.begin() + static_cast<std::ptrdiff_t>(i));
  }
  ASSERT_LT(loose->boneAnchors.size(), man.flesh->boneAnchors.size());
  const auto depth = [&](bool contact) {
    skin::FleshDriver driver(loose, skin, {}, {.contact = contact});
    std::vector<Vec3> x(skin.vertexCount());
    const std::vector<Pose> bones = man.bones(
        {{"hip_r.flexion", degreesToRadians(71)}, {"knee_r.flexion", degreesToRadians(86)}});
    skin::SkinInputs inputs;
    inputs.bones = bones;
    driver.pose(inputs, x);
    EXPECT_EQ(driver.report().measures.inverted, 0);
    return skin::leastBoneDepth(x, skin.triangles, samples, bones).least;
  };
  EXPECT_LT(depth(false), 1e-4);
  EXPECT_GT(depth(true), 5e-4);
}

/// Turned and carried as a whole, flesh goes along rigidly: nothing is solved but the first look.
TEST(FleshOfTheBody, ABodyThatTurnsAsAWholeKeepsItsFlesh) {
  const Man& man = Man::get();
  skin::FleshDriver driver(man.flesh, makeSphere(0.01, 0, man.model.compiled.links[0].center));
  std::vector<Pose> bones = man.bones({{"elbow_l.flexion", degreesToRadians(30)}});
  skin::SkinInputs inputs;
  inputs.bones = bones;
  driver.solve(inputs);
  const std::vector<Vec3> before(driver.nodes().begin(), driver.nodes().end());
  const Pose turn{Eigen::AngleAxisd(1.2, Vec3(1, 2, 0.5).normalized()).toRotationMatrix(),
                  Vec3(0.4, -0.2, 3)};
  for (Pose& b : bones) b = turn * b;
  inputs.bones = bones;
  driver.solve(inputs);
  EXPECT_EQ(driver.report().matrices, 0);
  double worst = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    worst = std::max(worst, (driver.nodes()[i] - turn * before[i]).norm());
  EXPECT_LT(worst, 1e-4);  // the solver's tolerance
}

/// Lying on the back, weight draws the belly's skin towards the spine, and standing leaves the
/// shape as it was measured.
TEST(FleshOfTheBody, WeightActsWhereTheBodyDoesNotStand) {
  const Man& man = Man::get();
  skin::FleshDriver driver(man.flesh, makeSphere(0.01, 0, man.model.compiled.links[0].center), {},
                           {.contact = false, .gravity = true});
  std::vector<Pose> bones = man.bones({{"elbow_l.flexion", 0}});
  skin::SkinInputs inputs;
  inputs.bones = bones;
  driver.solve(inputs);
  const std::vector<Vec3>& rest = man.flesh->model.lattice->nodes;
  double moved = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    moved = std::max(moved, (driver.nodes()[i] - bones[0] * rest[i]).norm());
  EXPECT_LT(moved, 2e-3);
  // Face up: the body's front (+z) looks up (+y).
  const Pose back{Eigen::AngleAxisd(-kPi / 2, Vec3::UnitX()).toRotationMatrix(), Vec3::Zero()};
  for (Pose& b : bones) b = back * b;
  inputs.bones = bones;
  driver.solve(inputs);
  EXPECT_EQ(driver.report().measures.inverted, 0);
  double sink = 0, most = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const double down = (back * (Pose{} * rest[i])).y() - driver.nodes()[i].y();
    sink += down / static_cast<double>(rest.size());
    most = std::max(most, down);
  }
  EXPECT_GT(sink, 0);
  EXPECT_GT(most, 2e-3);
  EXPECT_LT(most, 0.06);
}

/// An arm that stops at once: its flesh goes on a little and comes back.
TEST(FleshOfTheBody, InertiaMakesFleshLag) {
  const Man& man = Man::get();
  const TriangleMesh none = makeSphere(0.01, 0, man.model.compiled.links[0].center);
  skin::FleshDriver still(man.flesh, none, {}, {.contact = false});
  skin::FleshDriver swings(man.flesh, none, {}, {.contact = false, .inertia = true});
  double lag = 0;
  for (int frame = 0; frame < 4; ++frame) {
    const std::vector<Pose> bones = man.bones({{"elbow_l.flexion", 0.2 * frame}});
    skin::SkinInputs inputs;
    inputs.bones = bones;
    inputs.time = frame / 30.0;
    still.solve(inputs);
    swings.solve(inputs);
    for (std::size_t i = 0; i < still.nodes().size(); ++i)
      lag = std::max(lag, (still.nodes()[i] - swings.nodes()[i]).norm());
    if (frame == 0) {
      // One looks for forces and finds none, the other takes a step of the size of float's
      // rounding.
      EXPECT_LT(lag, 1e-6);
    }
  }
  EXPECT_GT(lag, 5e-4);
  EXPECT_LT(lag, 0.03);
  // Kept and taken up again, the motion goes on with the same bits.
  io::StateWriter out;
  swings.save(out);
  skin::FleshDriver again(man.flesh, none, {}, {.contact = false, .inertia = true});
  io::StateReader in(out.bytes());
  again.load(in);
  const std::vector<Pose> bones = man.bones({{"elbow_l.flexion", 0.7}});
  skin::SkinInputs inputs;
  inputs.bones = bones;
  inputs.time = 4 / 30.0;
  swings.solve(inputs);
  again.solve(inputs);
  EXPECT_TRUE(std::ranges::equal(swings.nodes(), again.nodes()));
}

}  // namespace
}  // namespace pneuma::body
