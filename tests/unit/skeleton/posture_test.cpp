#include "pneuma/skeleton/posture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/anatomy/person.h"
#include "pneuma/skeleton/kinematics.h"
#include "tests/support/human_body.h"

namespace pneuma::skeleton {
namespace {

using test::humanBody;

class PostureOf : public testing::TestWithParam<const char*> {
 protected:
  Kinematics poses(const std::string& posture) const {
    const test::HumanBody& b = humanBody(GetParam());
    Kinematics k(b.model);
    computePoses(b.model, makePosture(test::human(), b.compiled, b.model, posture), k);
    return k;
  }
  Vec3 at(const Kinematics& k, const char* link) const { return pose(k, link).position; }
  /// Where a direction of the body at rest points now.
  Vec3 direction(const Kinematics& k, const char* link, const Vec3& rest) const {
    return pose(k, link).rotation * rest;
  }

 private:
  Pose pose(const Kinematics& k, const char* link) const {
    return k.X_WL[static_cast<std::size_t>(humanBody(GetParam()).model.linkIndex(link))];
  }
};

TEST_P(PostureOf, TheLowestBoneIsAsFarFromTheFloorAsTheSoleAtRest) {
  const test::HumanBody& b = humanBody(GetParam());
  const std::vector<LinkPoint> points = bonePoints(test::human(), b.compiled, b.model);
  const double sole = lowestPoint(b.model, b.model.neutral, points);
  EXPECT_GT(sole, 0);
  EXPECT_LT(sole, 0.03);
  for (const anatomy::Posture& p : test::human().postures) {
    const VecX q = makePosture(test::human(), b.compiled, b.model, p.name);
    EXPECT_NEAR(lowestPoint(b.model, q, points), sole, 1e-12) << p.name;
  }
}

/// Hands of wide hips hang beside them, not inside: a woman's arms are held out as far as the
/// measured man's, in parts of where her thigh ends, for hands are smaller on smaller people.
TEST_P(PostureOf, StandingHandsAreNotInsideTheThighs) {
  const auto hanging = [&](const anatomy::Person& person) {
    const anatomy::Body body = anatomy::fitToPerson(test::human(), person);
    const anatomy::CompiledBody compiled = anatomy::compileBody(body, GetParam()).valueOrThrow();
    const Model model = modelFromBody(compiled, {.freeRoot = true});
    Kinematics k(model);
    computePoses(model, makePosture(body, compiled, model, "standing"), k);
    const auto link = [&](const char* name) {
      return static_cast<std::size_t>(model.linkIndex(name));
    };
    const Link& thigh = model.links[link("femur_l")];
    const double hip = thigh.X_WL_rest.position.x(), hand = k.X_WL[link("hand_l")].position.x();
    const double length =
        (thigh.X_WL_rest.position - model.links[link("tibia_l")].X_WL_rest.position).norm();
    EXPECT_NEAR(k.X_WL[link("hand_r")].position.x(), -hand, 1e-6);
    const double side = hip + std::sqrt(thigh.inertia.mass / (1050 * kPi * length));
    std::printf("%s: %.2f m, %.0f kg: hand at %.1f mm, thigh to %.1f mm\n", GetParam(),
                person.height, person.mass, 1e3 * hand, 1e3 * side);
    return hand / side;
  };
  const double man = hanging(anatomy::Person{});
  EXPECT_GT(man, 1.4);
  for (const anatomy::Person& p :
       {anatomy::Person{.sex = anatomy::Sex::Female, .height = 1.66, .mass = 60},
        anatomy::Person{.sex = anatomy::Sex::Female, .height = 1.5, .mass = 50},
        anatomy::Person{.sex = anatomy::Sex::Female, .height = 1.68, .mass = 100},
        anatomy::Person{.height = 1.75, .mass = 105}})
    EXPECT_GT(hanging(p), man - 0.02) << p.mass;
}

TEST_P(PostureOf, FacesWhereItsNameSays) {
  const Vec3 up = Vec3::UnitY(), front = Vec3::UnitZ();
  const auto chest = std::string(GetParam()) == "figure" ? "vt5" : "t06";
  EXPECT_GT(direction(poses("standing"), chest, up).y(), 0.99);
  EXPECT_GT(direction(poses("sitting"), chest, up).y(), 0.95);
  EXPECT_GT(direction(poses("supine"), chest, front).y(), 0.9);
  EXPECT_LT(direction(poses("prone"), chest, front).y(), -0.9);
  EXPECT_LT(direction(poses("side-left"), chest, Vec3::UnitX()).y(), -0.9);
  EXPECT_LT(direction(poses("bent-forward"), chest, front).y(), -0.8);
}

TEST_P(PostureOf, SittingHasLevelThighsUprightShanksAndFlatFeet) {
  const Kinematics k = poses("sitting");
  for (const std::string s : {"_l", "_r"}) {
    const Vec3 thigh = at(k, ("tibia" + s).c_str()) - at(k, ("femur" + s).c_str());
    const Vec3 shank = at(k, ("talus" + s).c_str()) - at(k, ("tibia" + s).c_str());
    EXPECT_LT(std::abs(thigh.normalized().y()), 0.1);
    EXPECT_LT(shank.normalized().y(), -0.98);
    EXPECT_GT(direction(k, ("talus" + s).c_str(), Vec3::UnitY()).y(), 0.99);
  }
}

TEST_P(PostureOf, LyingHeightIsThatOfATrunk) {
  for (const char* posture : {"supine", "prone", "side-left"}) {
    const double height = at(poses(posture), "pelvis").y();
    EXPECT_GT(height, 0.03) << posture;
    EXPECT_LT(height, 0.25) << posture;
  }
}

TEST_P(PostureOf, BentForwardStandsOnLevelFeetWithHangingArms) {
  const Kinematics k = poses("bent-forward");
  for (const std::string s : {"_l", "_r"}) {
    const Vec3 arm = at(k, ("ulna" + s).c_str()) - at(k, ("humerus" + s).c_str());
    EXPECT_LT(arm.normalized().y(), -0.9);
    EXPECT_GT(direction(k, ("talus" + s).c_str(), Vec3::UnitY()).y(), 0.99);
  }
}

INSTANTIATE_TEST_SUITE_P(Articulations, PostureOf, testing::Values("figure", "whole"));

TEST(Posture, AliasesAndUnknownNames) {
  EXPECT_EQ(findPosture(test::human(), "upright").name, "standing");
  try {
    findPosture(test::human(), "suppine");
    FAIL() << "must throw";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'supine'"), std::string::npos) << e.what();
  }
}

TEST(Posture, AFixedPelvisTakesTheJointsOnly) {
  anatomy::CompiledBody body = anatomy::compileBody(test::human(), "upper-body").valueOrThrow();
  const Model model = modelFromBody(body);
  const VecX q = makePosture(test::human(), body, model, "sitting");
  Kinematics k(model);
  computePoses(model, q, k);
  EXPECT_LT((k.X_WL.front().rotation - Mat3::Identity()).norm(), 1e-12);
}

}  // namespace
}  // namespace pneuma::skeleton
