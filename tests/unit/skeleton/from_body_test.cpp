#include "pneuma/skeleton/from_body.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/body_file.h"

namespace pneuma::skeleton {
namespace {

const anatomy::Body& human() {
  static const anatomy::Body body = [] {
    const anatomy::Body loaded = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
    return anatomy::fitToPerson(loaded, loaded.person);
  }();
  return body;
}

TEST(FromBody, ModelHasTheFreedomsAndMassOfTheArticulation) {
  for (const char* name : {"figure", "upper-body", "upper-body-p2"}) {
    const anatomy::CompiledBody body = anatomy::compileBody(human(), name).valueOrThrow();
    const Model model = modelFromBody(body);
    EXPECT_EQ(model.dofCount(), body.dofCount()) << name;
    EXPECT_EQ(model.linkCount(), static_cast<int>(body.links.size())) << name;
    EXPECT_NEAR(model.totalMass(), body.mass(), 1e-9) << name;
  }
}

TEST(FromBody, TheWholeBodysPelvisIsFree) {
  const anatomy::CompiledBody body = anatomy::compileBody(human(), "whole").valueOrThrow();
  const Model model = modelFromBody(body);
  EXPECT_EQ(model.links.front().name, "pelvis");
  EXPECT_EQ(model.links.front().joint, JointKind::Free);
  EXPECT_EQ(model.dofCount(), body.dofCount() + 6);
  EXPECT_NEAR(model.totalMass(), body.mass(), 1e-9);
}

TEST(FromBody, TheTorsosSpineAndSternumAreFree) {
  const anatomy::CompiledBody body = anatomy::compileBody(human(), "torso").valueOrThrow();
  const Model model = modelFromBody(body);
  EXPECT_EQ(model.links[static_cast<std::size_t>(model.linkIndex("spine"))].joint, JointKind::Free);
  EXPECT_EQ(model.dofCount(), body.dofCount() + 6);
}

TEST(FromBody, PassiveLinksHavePassiveFreedoms) {
  const anatomy::CompiledBody body = anatomy::compileBody(human(), "upper-body").valueOrThrow();
  const Model model = modelFromBody(body);
  int passive = 0;
  for (const DofRole role : model.dofRole) passive += role == DofRole::Passive;
  EXPECT_EQ(passive, 36);
}

TEST(FromBody, JointCentresSitWhereTheLandmarksAre) {
  const anatomy::CompiledBody body = anatomy::compileBody(human(), "figure").valueOrThrow();
  const Model model = modelFromBody(body);
  const std::vector<int> index = linkIndices(body, model);
  for (std::size_t i = 0; i < body.links.size(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(index[i])];
    EXPECT_LT((link.X_WL_rest.position - body.links[i].center).norm(), 1e-12) << link.name;
  }
}

}  // namespace
}  // namespace pneuma::skeleton
