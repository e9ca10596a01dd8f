#include "pneuma/breath/torso_model.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "pneuma/core/error.h"
#include "tests/support/human_breath.h"

namespace pneuma::breath {
namespace {

anatomy::Person makePerson(anatomy::Sex sex, double height, double mass) {
  anatomy::Person p;
  p.sex = sex;
  p.height = height;
  p.mass = mass;
  return p;
}

TEST(TorsoModel, LungAndGutAreClosedSurfacesWithEveryEdgePaired) {
  for (const char* preset : {"default", "zordan2005"}) {
    const TorsoModel m = test::humanTorso(makeTorsoConfig(preset));
    const TriangleMesh lung = lungSurface(m, m.rest), gut = gutSurface(m, m.rest);
    EXPECT_TRUE(analyzeTopology(lung).watertight()) << preset;
    EXPECT_TRUE(analyzeTopology(gut).watertight()) << preset;
    EXPECT_NEAR(enclosedVolume(lung), m.restLung, 1e-9);
    EXPECT_NEAR(enclosedVolume(gut), m.restGut, 1e-9);
  }
}

/// Pressures act on surfaces without holes: every edge has its reverse, also on the ribs that the
/// diaphragm lies on.
TEST(TorsoModel, GutAndLungsMeetInOnePartition) {
  for (const int refinement : {1, 2}) {
    TorsoConfig config = makeTorsoConfig("default");
    config.refinement = refinement;
    const TorsoModel m = test::humanTorso(config);
    EXPECT_NE(m.partition.size(), m.dome.size());
    std::map<std::pair<int, int>, int> gut, lungs;
    const auto add = [](const std::vector<Triangle>& faces, int sign, auto& edges) {
      for (const Triangle& t : faces)
        for (std::size_t k = 0; k < 3; ++k) {
          const int a = t[k], b = t[(k + 1) % 3];
          edges[{std::min(a, b), std::max(a, b)}] += (a < b ? 1 : -1) * sign;
        }
    };
    add(m.partition, 1, gut);
    add(m.wall, 1, gut);
    add(m.partition, -1, lungs);
    add(m.cage, 1, lungs);
    for (const auto& [edge, sum] : gut) EXPECT_EQ(sum, 0) << edge.first << ' ' << edge.second;
    for (const auto& [edge, sum] : lungs) EXPECT_EQ(sum, 0) << edge.first << ' ' << edge.second;
  }
}

/// The diaphragm has the same fibres on every mesh: its muscle ends at the same place. (On a mesh
/// twice as fine it was shorter by a twelfth.)
TEST(TorsoModel, AFinerMeshHasTheSameFibres) {
  const auto fibre = [](int refinement) {  // mean length of its muscle along a meridian [m]
    TorsoConfig config = makeTorsoConfig("default");
    config.refinement = refinement;
    const TorsoModel m = test::humanTorso(config);
    double sum = 0;
    for (std::size_t i = 0; i < m.springs.size(); ++i)
      if (m.springs.channels[i] == channel::kDiaphragm) sum += m.springs.restLength[i];
    return sum / static_cast<double>(m.landmarks.rim.size());
  };
  const double coarse = fibre(1);
  EXPECT_NEAR(fibre(2) / coarse, 1, 0.01);
  EXPECT_NEAR(fibre(3) / coarse, 1, 0.01);
}

TEST(TorsoModel, AWeightOnTheBellySinksIn) {
  TorsoConfig config = makeTorsoConfig("default", Posture::Supine);
  const TorsoModel plain = test::humanTorso(config);
  config.bellyWeight = 5;
  const TorsoModel loaded = test::humanTorso(config);
  double force = 0;
  for (std::size_t i = 0; i < plain.particleMass.size(); ++i)
    force += loaded.restLoad.z[i] - plain.restLoad.z[i];
  EXPECT_NEAR(force, -5 * kGravity, 1e-9);
}

/// A muscle with a strength is told a force: half of its activation is half of its pull, at any
/// length, and none beyond its optimum pulls harder the further it is stretched: as hard in the
/// wall of the belly, else less.
TEST(TorsoModel, StrengthMakesACommandAnActivation) {
  const TorsoModel m = test::humanTorso(makeTorsoConfig("default"));
  const SpringSet& s = m.springs;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!(s.active[i] > 0)) continue;
    const double l0 = s.restLength[i];
    const double best = s.optimum[i];
    EXPECT_NEAR(s.activeTension(i, 1, 0, best), s.strength[i], 1e-9 * s.strength[i]);
    EXPECT_NEAR(s.activeTension(i, 1, 0.5, 0.8 * l0), 0.5 * s.activeTension(i, 1, 0, 0.8 * l0),
                1e-9 * s.strength[i]);
    const double stretched = s.activeTension(i, 1, 0.9, 1.1 * best);
    if (s.groups[i] == MuscleGroup::Rectus || s.groups[i] == MuscleGroup::Transverse)
      EXPECT_EQ(stretched, s.activeTension(i, 1, 0.9, best));
    else
      EXPECT_LT(stretched, s.activeTension(i, 1, 0.9, best));
    EXPECT_EQ(s.activeTension(i, 1, 0, best - s.reach[i]), 0);
  }
}

/// Strips of a dog's diaphragm: hardest at 1.25 of the length in the animal, nothing below 0.40
/// (Kim 1976). So it presses harder on empty lungs, as people's does, and on a back than upright.
TEST(TorsoModel, TheDiaphragmPullsHarderStretched) {
  const TorsoModel m = test::humanTorso(makeTorsoConfig("default"));
  const SpringSet& s = m.springs;
  int fibres = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double l0 = s.restLength[i], most = s.greatestTension(i, 1.25 * l0);
    if (s.channels[i] != channel::kDiaphragm || !(s.active[i] > 0)) continue;
    ++fibres;
    EXPECT_NEAR(most, s.strength[i], 1e-9 * most);
    EXPECT_NEAR(s.greatestTension(i, 0.4 * l0), 0, 1e-9 * most);
    EXPECT_GT(s.greatestTension(i, 1.1 * l0), s.greatestTension(i, l0));
    EXPECT_GT(s.greatestTension(i, 0.5 * l0), 0);
  }
  EXPECT_GT(fibres, 0);
}

TEST(TorsoModel, StrengthsAreForAllMusclesOrNone) {
  TorsoConfig config = makeTorsoConfig("default");
  config.scalene.strength = std::numeric_limits<double>::infinity();
  EXPECT_THROW(validate(config), InputError);
}

TEST(TorsoModel, SpringCountsAreThePapersWithinFivePercent) {
  const TorsoModel m = test::humanTorso(makeTorsoConfig("default"));
  const auto near = [](std::size_t found, double paper) {
    EXPECT_NEAR(static_cast<double>(found), paper, 0.05 * paper);
  };
  near(m.springCount(MuscleGroup::ExternalIntercostal) +
           m.springCount(MuscleGroup::InternalIntercostal),
       516);
  near(m.springCount(MuscleGroup::Diaphragm), 464);
  near(m.springCount(MuscleGroup::Rectus), 85);
  near(m.springCount(MuscleGroup::Transverse), 350);
}

TEST(TorsoModel, IsMirrorSymmetric) {
  const TorsoModel m = test::humanTorso(makeTorsoConfig("default"));
  Vec3 weighted = Vec3::Zero();
  for (std::size_t i = 0; i < m.particleMass.size(); ++i) weighted += m.particleMass[i] * m.rest[i];
  EXPECT_NEAR(weighted.x(), 0, 1e-12);
  for (int level = 1; level <= kRibCount; ++level) {
    const Vec3 l = m.neckAxis[static_cast<std::size_t>(ribBody(level, 0) - 1)];
    const Vec3 r = m.neckAxis[static_cast<std::size_t>(ribBody(level, 1) - 1)];
    // A mirrored pseudovector keeps its component along the mirror's normal.
    EXPECT_NEAR((l - Vec3(r.x(), -r.y(), -r.z())).norm(), 0, 1e-12) << level;
  }
}

/// The cavity that the person's map was fitted to is the one that breathes.
TEST(TorsoModel, CavityIsThatOfTheBodyGiven) {
  for (const anatomy::Person& p : {anatomy::Person{}, makePerson(anatomy::Sex::Female, 1.63, 60),
                                   makePerson(anatomy::Sex::Male, 1.85, 140)}) {
    const TorsoAnatomy a = readTorsoAnatomy(test::humanAs(p));
    const TorsoModel m = makeTorsoModel(a, makeTorsoConfig("default"));
    EXPECT_NEAR(m.restLung, anatomy::thoracicCavity(a), 1e-12);
    const double target =
        anatomy::lungVolumes(p).functionalResidual + anatomy::predictThoracicTissue(p);
    EXPECT_NEAR(m.restLung / target, 1, 1e-9);
  }
}

}  // namespace
}  // namespace pneuma::breath
