#include "pneuma/skeleton/glide.h"

#include <gtest/gtest.h>

#include "pneuma/core/index.h"
#include "pneuma/skeleton/pose_maker.h"
#include "tests/support/human_body.h"

namespace pneuma::skeleton {
namespace {

constexpr double kOneDegree = kPi / 180;

/// Half rings of radius r around the vertical axis through z = depth, some centimetres apart.
std::vector<std::vector<Vec3>> rings(double r, double depth, double side) {
  std::vector<std::vector<Vec3>> lines;
  for (int j = 0; j < 8; ++j) {
    std::vector<Vec3> line;
    for (int i = 0; i <= 36; ++i) {
      const double angle = 5 * i * kOneDegree;
      line.emplace_back(side * r * std::sin(angle), 0.03 * j, depth - r * std::cos(angle));
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(GlideSurface, OfRingsIsTheirCylinder) {
  for (const double side : {1.0, -1.0}) {
    const GlideSurface surface(rings(0.12, 0.05, side));
    for (const double angle : {30.0, 71.0, 120.0})
      for (const double out : {-0.01, 0.0, 0.02}) {
        const Vec3 n(side * std::sin(angle * kOneDegree), 0, -std::cos(angle * kOneDegree));
        Vec3 gradient;
        const Vec3 p = Vec3(0, 0.1, 0.05) + (0.12 + out) * n;
        EXPECT_NEAR(surface.distance(p, gradient), out, 1e-9);
        EXPECT_LT((gradient - n).norm(), 1e-9);
      }
  }
}

/// On the surface, where a distance to first order is exact.
TEST(GlideSurface, GradientIsTheDirectionInWhichTheDistanceGrows) {
  const anatomy::CompiledGlide& g = test::humanBody("whole").compiled.glides.front();
  const GlideSurface surface(g.surface);
  for (const anatomy::CompiledPoint& start : g.points) {
    Vec3 p = start.position, gradient, slope;
    for (int i = 0; i < 20; ++i) p -= surface.distance(p, gradient) * gradient;
    EXPECT_LT(std::abs(surface.distance(p, gradient)), 1e-12);
    for (int k = 0; k < 3; ++k) {
      const Vec3 h = 1e-6 * Vec3::Unit(k);
      slope[k] = (surface.distance(p + h) - surface.distance(p - h)) / 2e-6;
    }
    EXPECT_LT((slope - gradient).norm(), 1e-6);
    EXPECT_NEAR(gradient.norm(), 1, 1e-12);
  }
}

TEST(GlideSurface, LinesThatDoNotGoAroundAreRefused) {
  EXPECT_THROW(GlideSurface({{Vec3(0.1, 0, 0), Vec3(0.1, 1, 0)}, {Vec3(0.1, 0, 0)}}), InputError);
}

/// Largest departure of the blade's points from their distance to the ribs, and what the girdle
/// does.
struct Raised {
  double departure = 0, socket = 0, elevation = 0;
  Vec3 shoulder;
};
Raised raised(const std::string& articulation, const std::vector<JointSetting>& settings,
              std::size_t side) {
  const test::HumanBody& b = test::humanBody(articulation);
  const Glide glide(b.compiled, b.model, b.compiled.glides.at(side));
  Kinematics k(b.model);
  computePoses(b.model, PoseMaker(b.compiled, b.model).make(settings), k);
  Raised r;
  for (const Glide::Contact& c : glide.contacts())
    r.departure = std::max(r.departure, std::abs(glide.departure(c, k).distance));
  r.socket = glide.elevationInSocket(k) / kOneDegree;
  r.elevation = glide.elevation(k) / kOneDegree;
  r.shoulder = k.X_WL[static_cast<std::size_t>(glide.limb())].position;
  return r;
}

std::vector<JointSetting> armSettings(double flexion, double abduction) {
  return {{"shoulder.flexion", flexion * kOneDegree},
          {"shoulder.abduction", abduction * kOneDegree}};
}

/// Flexion, abduction and, with the arm in front, horizontal adduction [deg].
constexpr std::pair<double, double> kArms[] = {
    {0, 30},  {0, 60},   {0, 90},  {0, 120}, {0, 150}, {30, 0},  {60, 0},  {90, 0},   {120, 0},
    {150, 0}, {90, -20}, {90, 30}, {90, 60}, {90, 90}, {60, 90}, {-40, 0}, {120, 40}, {-20, 40}};

TEST(Glide, TheBladeKeepsItsDistanceFromTheRibsInEveryPoseOfTheArm) {
  for (const auto& [flexion, abduction] : kArms) {
    const auto arm = armSettings(flexion, abduction);
    EXPECT_LT(raised("whole", arm, 0).departure, 0.002) << flexion << ' ' << abduction;
    // Two freedoms of the figure's blade, none of the upper body's.
    EXPECT_LT(raised("figure", arm, 0).departure, 0.006) << flexion << ' ' << abduction;
    EXPECT_LT(raised("upper-body", arm, 0).departure, 0.010) << flexion << ' ' << abduction;
  }
}

TEST(Glide, SidesAreMirrored) {
  for (const char* articulation : {"whole", "figure", "upper-body"})
    for (const auto& [flexion, abduction] : kArms) {
      const Raised l = raised(articulation, armSettings(flexion, abduction), 0);
      const Raised r = raised(articulation, armSettings(flexion, abduction), 1);
      EXPECT_LT((Vec3(-1, 1, 1).cwiseProduct(l.shoulder) - r.shoulder).norm(), 1e-9);
      EXPECT_NEAR(l.departure, r.departure, 1e-9);
    }
}

TEST(Glide, ARaisedArmTurnsTwoThirdsInItsSocketAndLiftsTheShoulder) {
  const Raised rest = raised("whole", armSettings(0, 0), 0);
  EXPECT_EQ(rest.departure, 0);
  const Raised up = raised("whole", armSettings(0, 150), 0);
  EXPECT_NEAR(up.elevation, 150, 1);
  // 2.3 degrees in the socket for one of the blade (Braman 2009, bone pins; seen); Inman 2.
  EXPECT_GT(up.socket, 150 * 0.62);
  EXPECT_LT(up.socket, 150 * 0.75);
  EXPECT_GT(up.shoulder.y() - rest.shoulder.y(), 0.025);
  EXPECT_LT(up.shoulder.y() - rest.shoulder.y(), 0.060);
}

TEST(Glide, WhatAPoseStatesOfTheGirdleIsKeptAndTheBladeFollows) {
  const test::HumanBody& b = test::humanBody("whole");
  const PoseMaker maker(b.compiled, b.model);
  const std::vector<JointSetting> shrug{{"clavicle_l.elevation", 8 * kOneDegree}};
  const VecX q = maker.make(shrug);
  const Freedom& f = maker.freedoms()[at(maker.find("clavicle_l.elevation").front())];
  EXPECT_EQ(q[f.position], 8 * kOneDegree);
  EXPECT_LT(raised("whole", shrug, 0).departure, 0.003);
  EXPECT_EQ(raised("whole", shrug, 1).departure, 0);  // the other side stays as it is
  EXPECT_EQ(maker.make(shrug, {.rhythm = false})[f.position], 8 * kOneDegree);
}

}  // namespace
}  // namespace pneuma::skeleton
