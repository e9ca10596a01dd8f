#include "pneuma/flesh/embedded/volume_keeper.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::flesh::embedded {
namespace {

TriangleMesh roundRod(const Vec3& a, const Vec3& b, double radius) {
  const std::vector<Vec3> line{a, b};
  const std::vector<double> radii{radius, radius};
  return makeTube(line, radii, 32);
}

/// A limb of two bones, two large muscles that share cells, and lung in its upper third.
struct MuscledLimb {
  BodyFlesh flesh;
  NodeCarriers carriers;

  explicit MuscledLimb(FleshPreset preset) {
    const TriangleMesh skin = roundRod({0, 0, 0}, {0, 0.3, 0}, 0.045);
    FleshAnatomy anatomy;
    anatomy.bones.push_back({"lower", roundRod({0, 0.01, 0}, {0, 0.149, 0}, 0.01)});
    anatomy.bones.push_back({"upper", roundRod({0, 0.151, 0}, {0, 0.29, 0}, 0.01)});
    anatomy.muscles.push_back(
        {"flexor_l", roundRod({0.025, 0.03, 0.013}, {0.025, 0.27, 0.013}, 0.011)});
    anatomy.muscles.push_back(
        {"second_l", roundRod({0.025, 0.03, -0.01}, {0.025, 0.27, -0.01}, 0.011)});
    anatomy.lungs = roundRod({-0.02, 0.2, 0}, {-0.02, 0.29, 0}, 0.015);
    flesh = makeBodyFlesh(std::make_shared<const Lattice>(makeLattice(skin, {.spacing = 0.012})),
                          skin, anatomy, TissueConstants::of(preset));
    carriers = makeCarriers(flesh);
  }
  std::vector<Vec3> scaled(const Vec3& factors) const {
    std::vector<Vec3> x = flesh.model.lattice->nodes;
    for (Vec3& p : x) p = p.cwiseProduct(factors);
    return x;
  }
  /// What the pressures of all tetrahedra do when nodes go there from rest.
  double work(std::span<const float> pressures, std::span<const Vec3> x) const {
    const Lattice& l = *flesh.model.lattice;
    double sum = 0;
    for (std::size_t t = 0; t < l.tetCount(); ++t) {
      const auto edge = [&](std::size_t k) -> Vec3 {
        return x[at(l.tets[t][k])] - x[at(l.tets[t][0])];
      };
      const double now = edge(1).cross(edge(2)).dot(edge(3)) / 6;
      sum += double(pressures[t]) * double(std::max(l.share[t], kLeastShare)) * (now - l.volume(t));
    }
    return sum;
  }
};

TEST(VolumeKeeper, LetsBeWhatKeepsItsVolume) {
  const MuscledLimb limb(FleshPreset::Lee2009);
  ASSERT_GE(limb.flesh.muscles[0].volume, kLargeMuscle);
  VolumeKeeper keeper(limb.flesh, limb.carriers);
  for (const double factor : {1.0, 1 - 0.0009, 1 + 0.0009}) {
    const std::vector<Vec3> x = limb.scaled({factor, 1, 1});
    EXPECT_FALSE(keeper.adjust(measureVolumes(limb.flesh, x), x)) << factor;
    EXPECT_TRUE(keeper.pressures().empty());
    EXPECT_TRUE(keeper.multipliers().empty());
  }
}

/// The pressures of cells that several groups share are such that each group is pressed by its own:
/// sum_t p_t dV_t = sum_g p_g dV_g, as measureVolumes has V_g, in tissue of one compliance and of
/// several.
TEST(VolumeKeeper, PressuresDoTheWorkOfTheirGroups) {
  for (const FleshPreset preset : {FleshPreset::Lee2009, FleshPreset::Human}) {
    const MuscledLimb limb(preset);
    const BodyFlesh& f = limb.flesh;
    std::vector<Vec3> x = limb.scaled({0.97, 1.01, 1});
    for (Vec3& p : x) p.x() += 0.3 * p.y() * p.y();
    const FleshVolumes v = measureVolumes(f, x);
    double flesh = 0;
    const auto tissues = f.tissueVolumes();
    for (std::size_t k = 0; k < kTissues; ++k)
      flesh += k == std::size_t(Tissue::Lung) ? 0 : tissues[k];
    VolumeKeeper keeper(f, limb.carriers);
    keeper.setMultipliers({3000, -2000, 500, 500});
    const double groups = 3000 * f.muscles[0].volume * (v.muscles[0] - 1) -
                          2000 * f.muscles[1].volume * (v.muscles[1] - 1) +
                          500 * flesh * (v.flesh - 1);
    EXPECT_NEAR(limb.work(keeper.pressures(), x) / groups, 1, 1e-4);  // shares are floats
    EXPECT_GT(std::abs(groups), 1e-3);
  }
}

TEST(VolumeKeeper, PressesOutwardsWhatLacksAndFadesWhenItDoesNot) {
  const MuscledLimb limb(FleshPreset::Lee2009);
  VolumeKeeper keeper(limb.flesh, limb.carriers);
  const std::vector<Vec3> pressed = limb.scaled({0.96, 1, 1}), rest = limb.scaled({1, 1, 1});
  ASSERT_TRUE(keeper.adjust(measureVolumes(limb.flesh, pressed), pressed));
  const std::vector<double> first = keeper.multipliers();
  for (const double p : first) EXPECT_GT(p, 0);
  for (const float p : keeper.pressures()) EXPECT_GE(p, 0);
  // Still lacking: more of it.
  ASSERT_TRUE(keeper.adjust(measureVolumes(limb.flesh, pressed), pressed));
  for (std::size_t g = 0; g < first.size(); ++g) EXPECT_GT(keeper.multipliers()[g], first[g]);
  int rounds = 0;
  while (keeper.adjust(measureVolumes(limb.flesh, rest), rest)) ASSERT_LT(++rounds, 200);
  EXPECT_GT(rounds, 0);
  EXPECT_TRUE(keeper.pressures().empty());
  // Swollen: inwards.
  const std::vector<Vec3> swollen = limb.scaled({1.04, 1, 1});
  ASSERT_TRUE(keeper.adjust(measureVolumes(limb.flesh, swollen), swollen));
  for (const double p : keeper.multipliers()) EXPECT_LT(p, 0);
}

/// A volume that bones leave no room for does not wind its pressure up, nor is it tried for ever.
TEST(VolumeKeeper, EndsWhereNoPressureHelps) {
  const MuscledLimb limb(FleshPreset::Lee2009);
  VolumeKeeper keeper(limb.flesh, limb.carriers);
  const std::vector<Vec3> pressed = limb.scaled({0.9, 1, 1});
  const FleshVolumes volumes = measureVolumes(limb.flesh, pressed);
  int rounds = 0;
  while (keeper.adjust(volumes, pressed)) ASSERT_LT(++rounds, 20);
  EXPECT_GT(rounds, 0);
  for (const double p : keeper.multipliers()) {
    EXPECT_GT(p, 1e6);
    EXPECT_LE(p, 0.2 * TissueMaterial{}.kappa * 1.001);  // shares are floats
  }
}

TEST(VolumeKeeper, RefusesTheMultipliersOfOtherMuscles) {
  const MuscledLimb limb(FleshPreset::Human);
  VolumeKeeper keeper(limb.flesh, limb.carriers);
  EXPECT_THROW(keeper.setMultipliers({1, 2, 3}), InputError);
}

}  // namespace
}  // namespace pneuma::flesh::embedded
