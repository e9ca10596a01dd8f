#include "pneuma/flesh/embedded/body_flesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/index.h"
#include "pneuma/flesh/embedded/carriers.h"
#include "pneuma/flesh/embedded/embedding.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr std::size_t indexOf(Tissue t) {
  return static_cast<std::size_t>(t);
}

TriangleMesh tube(const Vec3& a, const Vec3& b, double radius) {
  const std::vector<Vec3> line{a, b};
  const std::vector<double> radii{radius, radius};
  return makeTube(line, radii, 32);
}

/// A limb along y: skin of 45 mm radius, a bone cut into two by a joint in the middle, a muscle on
/// one side, a thin line without a solid on the other.
struct Limb {
  TriangleMesh skin = tube({0, 0, 0}, {0, 0.3, 0}, 0.045);
  FleshAnatomy anatomy;
  TissueConstants constants = TissueConstants::of(FleshPreset::Human);

  Limb() {
    anatomy.bones.push_back({"lower", tube({0, 0.01, 0}, {0, 0.149, 0}, 0.01)});
    anatomy.bones.push_back({"upper", tube({0, 0.151, 0}, {0, 0.29, 0}, 0.01)});
    anatomy.muscles.push_back(
        {"long_head_of_flexor_l", tube({0.025, 0.05, 0}, {0.025, 0.25, 0}, 0.012)});
    anatomy.lines.push_back({"flexor_l", "flexor", {{0.025, 0.03, 0}, {0.025, 0.27, 0}}, 60e-6});
    anatomy.lines.push_back(
        {"thin_l", "thin", {{-0.025, 0.05, 0}, {-0.025, 0.15, 0}, {-0.02, 0.25, 0}}, 4e-6});
  }
  BodyFlesh make(int leafLevels = 3) const {
    return makeBodyFlesh(std::make_shared<const Lattice>(
                             makeLattice(skin, {.spacing = 0.012, .leafLevels = leafLevels})),
                         skin, anatomy, constants);
  }
};

TEST(TissueConstants, AddStiffnessesOfShearAndCompliancesOfVolume) {
  const TissueConstants c = TissueConstants::of(FleshPreset::Human);
  std::array<float, kTissues> half{};
  half[indexOf(Tissue::Fat)] = half[indexOf(Tissue::Lung)] = 0.5F;
  const TissueMaterial m = c.mixed(half);
  const TissueMaterial &fat = c.material[indexOf(Tissue::Fat)],
                       &lung = c.material[indexOf(Tissue::Lung)];
  EXPECT_DOUBLE_EQ(m.shearModulus(), (fat.shearModulus() + lung.shearModulus()) / 2);
  // Half lung: twice as stiff as lung, hardly stiffer for the fat's sake.
  EXPECT_NEAR(m.kappa, 2 * lung.kappa, 0.01 * lung.kappa);
}

TEST(TissueConstants, FatIsSofterThanMuscleAndSkinStiffer) {
  const TissueConstants c = TissueConstants::of(FleshPreset::Human);
  const auto mu = [&](Tissue t) { return c.material[indexOf(t)].shearModulus(); };
  EXPECT_LT(mu(Tissue::Fat), mu(Tissue::Muscle));
  EXPECT_GT(mu(Tissue::Skin), mu(Tissue::Muscle));
  EXPECT_LT(mu(Tissue::Lung), mu(Tissue::Fat));
}

TEST(BodyFlesh, SharesSumToOneAndVolumesAreThoseOfTheSolids) {
  const Limb limb;
  const BodyFlesh f = limb.make(1);
  for (const auto& shares : f.shares) {
    float sum = 0;
    for (const float s : shares) {
      EXPECT_GE(s, 0);
      sum += s;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  const auto volumes = f.tissueVolumes();
  // Where cells are larger, places are farther apart and meet a rod of 20 mm more by chance.
  const double bones =
      enclosedVolume(limb.anatomy.bones[0].mesh) + enclosedVolume(limb.anatomy.bones[1].mesh);
  // 64 places in a cell of 12 mm: 3 mm apart on bones 20 mm wide.
  EXPECT_NEAR(volumes[indexOf(Tissue::Bone)] / bones, 1, 0.03);
  EXPECT_NEAR(f.muscles[0].volume / enclosedVolume(limb.anatomy.muscles[0].mesh), 1, 0.03);
  const double skin = surfaceArea(limb.skin) * limb.constants.skinDepth;
  EXPECT_NEAR(volumes[indexOf(Tissue::Skin)] / skin, 1, 0.05);
}

TEST(BodyFlesh, EveryLineReachesItsVolume) {
  const Limb limb;
  const BodyFlesh f = limb.make();
  // The flexor's solid is its own; the thin line has none and becomes a tube of what it needs.
  EXPECT_FALSE(f.tube[0]);
  EXPECT_NEAR(f.lineVolume[0], f.muscles[0].volume, 1e-9);
  EXPECT_TRUE(f.tube[1]);
  EXPECT_NEAR(f.lineVolume[1] / limb.anatomy.lines[1].volume, 1, 0.02);
}

TEST(BodyFlesh, FibresRunAlongTheirLine) {
  const BodyFlesh f = Limb().make();
  ASSERT_FALSE(f.model.fibres.empty());
  for (const Fibre& fibre : f.model.fibres) EXPECT_GT(fibre.direction.y(), 0.98);
}

TEST(BodyFlesh, LeavesJointsFree) {
  const BodyFlesh f = Limb().make();
  EXPECT_GT(f.boneAnchors.size(), 50u);
  for (const BoneAnchor& a : f.boneAnchors) EXPECT_GT(std::abs(a.rest.y() - 0.15), 0.005);
}

TEST(BodyFlesh, AnchorsAreAtTheirTargetsAtRest) {
  const BodyFlesh f = Limb().make();
  std::vector<Vec3> targets;
  f.targets(std::vector<Pose>(2), {}, targets);
  const Lattice& l = *f.model.lattice;
  for (std::size_t a = 0; a < targets.size(); ++a) {
    const LatticePlace& p = f.model.anchors[a].place;
    Vec3 x = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
      x += p.weights[static_cast<Eigen::Index>(k)] * l.nodes[at(l.tets[at(p.tet)][k])];
    EXPECT_LT((x - targets[a]).norm(), 1e-12);
  }
}

TEST(BodyFlesh, VolumesFollowTheNodes) {
  Limb limb;
  limb.constants = TissueConstants::of(FleshPreset::Lee2009);  // of one compliance
  const BodyFlesh f = limb.make();
  std::vector<Vec3> x = f.model.lattice->nodes;
  for (Vec3& p : x) p = p.cwiseProduct(Vec3(1.02, 1, 1));
  const FleshVolumes v = measureVolumes(f, x);
  EXPECT_NEAR(v.flesh, 1.02, 1e-6);  // shares are floats
  EXPECT_NEAR(v.muscles[0], 1.02, 1e-6);
}

TEST(BodyFlesh, ACellThatIsHalfLungWidensInThatHalf) {
  // Lung nearly up to the skin: most of the flesh shares its cells with lung.
  Limb limb;
  limb.anatomy.lungs = tube({0, 0.002, 0}, {0, 0.298, 0}, 0.043);
  const BodyFlesh f = limb.make();
  std::vector<Vec3> x = f.model.lattice->nodes;
  for (Vec3& p : x) p.x() *= 1.02;
  const double flesh = measureVolumes(f, x).flesh;
  EXPECT_GT(flesh, 1);
  EXPECT_LT(flesh, 1.01);
}

TEST(NodeCarriers, GoWithTheBoneTheyLieAround) {
  const BodyFlesh f = Limb().make();
  const NodeCarriers c = makeCarriers(f);
  const Lattice& l = *f.model.lattice;
  ASSERT_EQ(c.nodes.size(), at(l.freeCount));
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    const double y = l.nodes[n].y();
    if (y < 0.05 || y > 0.25) {
      EXPECT_EQ(c.nodes[n].bone[0], y < 0.05 ? 0 : 1);
    }
    float sum = 0;
    for (const float w : c.nodes[n].weight) sum += w;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(NodeCarriers, NeverReachAcrossAGap) {
  // Two rods a third of a cell apart, a bone in one of them only near its end: the other's nodes
  // must not take it, however near it is.
  TriangleMesh skin = makeBox({0.03, 0.2, 0.03}, {-0.017, 0, 0});
  append(skin, makeBox({0.03, 0.2, 0.03}, {0.017, 0, 0}));
  FleshAnatomy anatomy;
  anatomy.bones.push_back({"left", makeBox({0.01, 0.18, 0.01}, {-0.010, 0, 0})});
  anatomy.bones.push_back({"right", makeBox({0.01, 0.02, 0.01}, {0.017, -0.08, 0})});
  const BodyFlesh f =
      makeBodyFlesh(std::make_shared<const Lattice>(makeLattice(skin, {.spacing = 0.012})), skin,
                    anatomy, TissueConstants::of(FleshPreset::Human));
  const NodeCarriers c = makeCarriers(f);
  const Lattice& l = *f.model.lattice;
  for (std::size_t n = 0; n < c.nodes.size(); ++n)
    if (l.nodes[n].x() > 0.012) {
      EXPECT_EQ(c.nodes[n].bone[0], 1) << l.nodes[n].transpose();
    }
}

TEST(Embedding, ReproducesQuadraticMapsWhereGradientsAreExact) {
  const TriangleMesh ball = makeSphere(0.05, 3);
  const Lattice l = makeLattice(ball, {.spacing = 0.01, .leafLevels = 1});
  // Inside, the mean gradient around a node of a regular lattice is that of the map.
  const TriangleMesh inner = makeSphere(0.025, 2);
  Embedding e(l, inner.positions, {});
  const auto map = [](const Vec3& p) -> Vec3 {
    return {p.x() + 4 * p.y() * p.y(), 1.1 * p.y() - 3 * p.x() * p.z(), p.z() + 5 * p.x() * p.x()};
  };
  std::vector<Vec3> nodes, x(inner.positions.size());
  for (const Vec3& p : l.nodes) nodes.push_back(map(p));
  e.apply(nodes, x);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LT((x[i] - map(inner.positions[i])).norm(), 1e-6) << i;
}

TEST(Embedding, ReproducesAffineMapsAtTheSurface) {
  const TriangleMesh ball = makeSphere(0.05, 3);
  const Lattice l = makeLattice(ball, {.spacing = 0.01});
  Embedding e(l, ball.positions, vertexNormals(ball));
  Mat3 A;
  A << 1.2, 0.3, 0, -0.1, 0.9, 0.2, 0, 0.1, 1.1;
  std::vector<Vec3> nodes, x(ball.positions.size());
  for (const Vec3& p : l.nodes) nodes.push_back(A * p + Vec3(1, 2, 3));
  e.apply(nodes, x);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LT((x[i] - (A * ball.positions[i] + Vec3(1, 2, 3))).norm(), 1e-12);
}

TEST(Embedding, FollowsFleshThatMovesInPartToTheLastBit) {
  const TriangleMesh ball = makeSphere(0.05, 3);
  const Lattice l = makeLattice(ball, {.spacing = 0.01});
  Embedding followed(l, ball.positions, vertexNormals(ball)),
      fresh(l, ball.positions, vertexNormals(ball));
  std::vector<Vec3> nodes = l.nodes, x(ball.positions.size()), y(ball.positions.size());
  for (const double above : {-1.0, 0.03, 0.0}) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (l.nodes[n].y() > above) nodes[n].x() += 3 * l.nodes[n].y() * l.nodes[n].y();
    followed.follow(nodes, x);
    fresh.apply(nodes, y);
    EXPECT_EQ(x, y);
    EXPECT_EQ(followed.roughness(), fresh.roughness());
  }
}

TEST(Embedding, IsRoughWhereFleshTurnsWithinACellAndNotElsewhere) {
  const TriangleMesh ball = makeSphere(0.05, 3);
  const Lattice l = makeLattice(ball, {.spacing = 0.01});
  Embedding e(l, ball.positions, vertexNormals(ball));
  std::vector<Vec3> nodes, x(ball.positions.size());
  // A hinge in the plane y = 0, and flesh that stretches evenly.
  const Mat3 turn = Eigen::AngleAxisd(1, Vec3::UnitX()).toRotationMatrix();
  for (const Vec3& p : l.nodes) nodes.push_back(p.y() > 0 ? Vec3(turn * p) : p);
  e.apply(nodes, x);
  const std::vector<double> hinged = e.roughness();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(ball.positions[i].y()) < 0.002) {
      EXPECT_GT(hinged[i], 0.15) << i;
    }
    if (std::abs(ball.positions[i].y()) > 0.035) {
      EXPECT_LT(hinged[i], 1e-6) << i;
    }
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] = 1.3 * l.nodes[n];
  e.apply(nodes, x);
  for (const double r : e.roughness()) EXPECT_LT(r, 1e-6);
}

}  // namespace
}  // namespace pneuma::flesh::embedded
