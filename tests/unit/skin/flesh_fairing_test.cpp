#include "pneuma/skin/flesh_fairing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/interpolate.h"
#include "pneuma/skin/flesh_driver.h"
#include "pneuma/skin/skin_checks.h"

namespace pneuma::skin {
namespace {

constexpr double kCell = 0.02;

TriangleMesh tube(double from, double to, double radius, int pieces) {
  std::vector<Vec3> line;
  for (int i = 0; i <= pieces; ++i) line.push_back({0, from + (to - from) * i / pieces, 0});
  const std::vector<double> radii(line.size(), radius);
  return makeTube(line, radii, 24);
}
TriangleMesh limb() {
  return tube(-0.16, 0.16, 0.04, 40);
}

/// A limb bent about x at the origin, evenly over 12 cm.
class EvenBend : public PoseDriver {
 public:
  explicit EvenBend(const TriangleMesh& skin) : rest_(skin.positions) {}
  void carry(std::span<const Pose> bones, std::span<Pose> motions) override {
    const Eigen::AngleAxisd whole(bones.back().rotation);
    for (std::size_t v = 0; v < rest_.size(); ++v) {
      const double part = smoothStep(-0.06, 0.06, rest_[v].y());
      motions[v] = {Eigen::AngleAxisd(part * whole.angle(), whole.axis()).toRotationMatrix(),
                    Vec3::Zero()};
    }
  }

 private:
  std::vector<Vec3> rest_;
};

std::unique_ptr<LayeredDriver> guideOf(const TriangleMesh& skin) {
  return std::make_unique<LayeredDriver>(skin, std::make_unique<EvenBend>(skin), nullptr, nullptr);
}

/// What a lattice leaves on a skin: waves of two of its cells.
std::vector<Vec3> waved(const TriangleMesh& skin, double height) {
  std::vector<Vec3> x = skin.positions;
  for (Vec3& p : x) {
    const double wave = std::cos(kPi * p.y() / kCell) * std::cos(kPi * p.z() / kCell);
    p += height * wave * Vec3(p.x(), 0, p.z()).normalized();
  }
  return x;
}

const std::vector<Pose> kStraight(2);

TEST(FleshFairing, LeavesSkinThatIsResolvedAsItIs) {
  const TriangleMesh skin = limb();
  FleshFairing fairing(skin, guideOf(skin));
  const std::vector<Vec3> before = waved(skin, 0.004);
  std::vector<Vec3> x = before;
  fairing.apply({.bones = kStraight}, std::vector<double>(x.size(), 0.1), x);
  EXPECT_EQ(fairing.evened(), 0u);
  EXPECT_EQ(x, before);
}

TEST(FleshFairing, TakesTheLatticeOffAndKeepsTheVolume) {
  const TriangleMesh skin = limb();
  FleshFairing fairing(skin, guideOf(skin));
  const SkinCreases creases(skin.positions, skin.triangles);
  const std::vector<Vec3> before = waved(skin, 0.004);
  std::vector<Vec3> x = before;
  fairing.apply({.bones = kStraight}, std::vector<double>(x.size(), 0.6), x);
  EXPECT_EQ(fairing.evened(), x.size());
  EXPECT_LT(creases.measure(x), 0.1 * creases.measure(before));
  EXPECT_NEAR(enclosedVolume(x, skin.triangles) / enclosedVolume(before, skin.triangles), 1, 1e-9);
}

TEST(FleshFairing, KeepsWhatFleshDoesAllAround) {
  const TriangleMesh skin = limb();
  FleshFairing fairing(skin, guideOf(skin));
  std::vector<Vec3> x = skin.positions;
  for (Vec3& p : x) p += Vec3(0.003, -0.002, 0.001);
  const std::vector<Vec3> before = x;
  fairing.apply({.bones = kStraight}, std::vector<double>(x.size(), 0.6), x);
  for (std::size_t v = 0; v < x.size(); ++v) EXPECT_LT((x[v] - before[v]).norm(), 1e-9);
}

TEST(FleshFairing, BonesStayUnderSkinThatIsEvened) {
  const TriangleMesh skin = limb();
  const std::vector<flesh::embedded::BonePoint> bones{{0, Vec3(0.036, 0.003, 0.001), 1}};
  FleshFairing fairing(skin, guideOf(skin), bones);
  std::vector<Pose> moved(2);
  moved[0].position = Vec3(0.006, 0, 0);
  std::vector<Vec3> x = skin.positions;
  fairing.apply({.bones = moved}, std::vector<double>(x.size(), 0.6), x);
  const SurfaceQuery now(TriangleMesh{x, skin.triangles});
  EXPECT_LT(now.signedDistance(moved[0] * bones[0].rest), -0.0005);
}

/// Skin that lies in three layers: between -2 and 2 cm its rings stand in the wrong order and 4 mm
/// farther in.
class Folded : public PoseDriver {
 public:
  explicit Folded(const TriangleMesh& skin) : rest_(skin.positions) {}
  void carry(std::span<const Pose>, std::span<Pose> motions) override {
    for (std::size_t v = 0; v < rest_.size(); ++v) {
      const Vec3& p = rest_[v];
      if (std::abs(p.y()) < 0.021)
        motions[v].position = Vec3(-0.1 * p.x(), -2 * p.y(), -0.1 * p.z());
    }
  }

 private:
  std::vector<Vec3> rest_;
};

/// The specks beside an elbow and its torn fold: bones deep inside were pushed out of skin whose
/// normals faced them.
TEST(FleshFairing, BonesUnderAFoldPushNoSkin) {
  const TriangleMesh skin = limb();
  const auto guide = [&] {
    return std::make_unique<LayeredDriver>(skin, std::make_unique<Folded>(skin), nullptr, nullptr);
  };
  FleshFairing fairing(skin, guide(),
                       std::vector{{flesh::embedded::BonePoint{0, Vec3(0.026, 0.003, 0.001), 1}}});
  std::vector<Vec3> x(skin.vertexCount());
  guide()->pose({.bones = kStraight}, x);
  const std::vector<Vec3> folded = x;
  fairing.apply({.bones = kStraight}, std::vector<double>(x.size(), 0.6), x);
  for (std::size_t v = 0; v < x.size(); ++v) EXPECT_LT((x[v] - folded[v]).norm(), 1e-9);
}

TEST(FleshFairing, GivesWideShapesBackWhereTheBendIsMild) {
  const TriangleMesh skin = limb();
  FleshFairing fairing(skin, guideOf(skin));
  std::vector<Vec3> bulged = skin.positions;
  for (Vec3& p : bulged)
    p += 0.004 * std::exp(-std::pow(p.y() / 0.07, 2)) * Vec3(p.x(), 0, p.z()).normalized();
  // How much of the bulge's height stays.
  const auto kept = [&](double roughness) {
    std::vector<Vec3> x = bulged;
    fairing.apply({.bones = kStraight}, std::vector<double>(x.size(), roughness), x);
    double most = 0;
    for (std::size_t v = 0; v < x.size(); ++v)
      if (std::abs(skin.positions[v].y()) < 0.1)
        most = std::max(most, std::hypot(x[v].x(), x[v].z()) -
                                  std::hypot(skin.positions[v].x(), skin.positions[v].z()));
    return most / 0.004;
  };
  // Evened once throughout 0.96, 0.74, 0.57; twice 1.00, 0.89, 0.71.
  EXPECT_GT(kept(0.2), 0.99);
  EXPECT_GT(kept(0.4), 0.78);
  EXPECT_LT(kept(0.6), 0.64);
}

/// The elbow that was torn: cells a quarter of the limb's width, a bend of 110 degrees.
TEST(FleshFairing, AFarBendShowsNoLattice) {
  using namespace flesh::embedded;
  const TriangleMesh skin = limb();
  FleshAnatomy anatomy;
  anatomy.bones.push_back({"lower", tube(-0.15, -0.004, 0.01, 1)});
  anatomy.bones.push_back({"upper", tube(0.004, 0.15, 0.01, 1)});
  const auto flesh = std::make_shared<const BodyFlesh>(
      makeBodyFlesh(std::make_shared<const Lattice>(makeLattice(skin, {.spacing = kCell})), skin,
                    anatomy, TissueConstants::of(FleshPreset::Human)));
  std::vector<Pose> bones(2);
  bones[1].rotation = Eigen::AngleAxisd(degreesToRadians(110), Vec3::UnitX()).toRotationMatrix();
  std::vector<Vec3> raw(skin.vertexCount()), fair = raw, even = raw;
  FleshDriver alone(flesh, skin), guided(flesh, skin, {}, {}, guideOf(skin));
  alone.pose({.bones = bones}, raw);
  guided.pose({.bones = bones}, fair);
  guideOf(skin)->pose({.bones = bones}, even);
  const SkinCreases creases(skin.positions, skin.triangles);
  EXPECT_GT(guided.report().evened, 100u);
  EXPECT_EQ(alone.report().evened, 0u);
  // What the bend itself turns edges by is the guide's.
  const double bend = creases.measure(even);
  EXPECT_LT(creases.measure(fair) - bend, 0.5 * (creases.measure(raw) - bend));
  const double volume = enclosedVolume(raw, skin.triangles);
  EXPECT_NEAR(enclosedVolume(fair, skin.triangles) / volume, 1, 1e-6);
}

TEST(SkinCreases, ReadsTheAngleThatAnEdgeHasGrownBy) {
  const std::vector<Triangle> triangles{{0, 1, 2}, {1, 0, 3}};
  const auto folded = [](double angle) {
    return std::vector<Vec3>{
        {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -std::cos(angle), std::sin(angle)}};
  };
  const SkinCreases creases(folded(0.2), triangles);
  EXPECT_NEAR(creases.measure(folded(0.9)), 0.7, 1e-12);
  EXPECT_EQ(creases.measure(folded(0.1)), 0);  // flatter than at rest
}

}  // namespace
}  // namespace pneuma::skin
