// The flesh of the real body: what it is made of, and that it bends and breathes.
#include <gtest/gtest.h>

#include "pneuma/body/bone_motions.h"
#include "pneuma/body/living_flesh.h"
#include "pneuma/core/index.h"
#include "tests/support/human.h"

namespace pneuma::body {
namespace {

using namespace flesh::embedded;

constexpr std::size_t indexOf(Tissue t) {
  return static_cast<std::size_t>(t);
}

/// The default man with flesh of the coarsest level, made once.
struct Man {
  anatomy::GeometryCache cache;
  LivingModel model = makeLivingModel(std::make_shared<anatomy::Body>(
      anatomy::fitToPerson(*test::humanBody(), test::humanBody()->person)));
  std::shared_ptr<const BodyFlesh> flesh =
      makeFlesh(model, *test::humanBody(), model.compiled,
                {.level = FleshLevel::Preview, .walls = false}, cache);

  static const Man& get() {
    static const Man man;
    return man;
  }
  /// Motions of bones with one joint away from neutral.
  std::vector<Pose> bones(const std::string& dof, double angle) const {
    VecX q = model.tree.neutral;
    bool found = false;
    for (std::size_t l = 0; l < model.compiled.links.size(); ++l)
      for (std::size_t d = 0; d < model.compiled.links[l].dofs.size(); ++d)
        if (model.compiled.links[l].dofs[d].name == dof) {
          q[model.tree.links[at(model.linkIndices[l])].firstPosition + static_cast<int>(d)] = angle;
          found = true;
        }
    EXPECT_TRUE(found) << dof;
    skeleton::Kinematics k(model.tree);
    skeleton::computePoses(model.tree, q, k);
    std::vector<Pose> motions;
    boneMotions(model, k, motions);
    return motions;
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
  const std::vector<Pose> bones = man.bones("elbow_l.flexion", degreesToRadians(60));
  skin::SkinInputs inputs;
  inputs.bones = bones;
  driver.solve(inputs);
  const skin::FleshPoseReport& r = driver.report();
  EXPECT_EQ(r.measures.inverted, 0);
  EXPECT_NEAR(r.volumes.flesh, 1, 0.005);
  EXPECT_NEAR(r.volumes.worst, 1, 0.02);
}

}  // namespace
}  // namespace pneuma::body
