#include "pneuma/breath/torso_model.h"

#include <gtest/gtest.h>

namespace pneuma::breath {
namespace {

TEST(TorsoModel, LungAndGutAreClosedSurfacesWithEveryEdgePaired) {
  for (const char* preset : {"default", "zordan2005"}) {
    const TorsoModel m = makeTorsoModel(measuredTorso(), makeTorsoConfig(preset));
    const TriangleMesh lung = lungSurface(m, m.rest), gut = gutSurface(m, m.rest);
    EXPECT_TRUE(analyzeTopology(lung).watertight()) << preset;
    EXPECT_TRUE(analyzeTopology(gut).watertight()) << preset;
    EXPECT_NEAR(enclosedVolume(lung), m.restLung, 1e-9);
    EXPECT_NEAR(enclosedVolume(gut), m.restGut, 1e-9);
  }
}

TEST(TorsoModel, SpringCountsAreThePapersWithinFivePercent) {
  const TorsoModel m = makeTorsoModel(measuredTorso(), makeTorsoConfig("default"));
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
  const TorsoModel m = makeTorsoModel(measuredTorso(), makeTorsoConfig("default"));
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

TEST(TorsoAnatomy, CavityHoldsPredictedResidualCapacityAndTissue) {
  for (const Subject s :
       {Subject{}, Subject{Sex::Female, 1.63, 60, 30}, Subject{Sex::Male, 1.85, 82, 30}}) {
    const double target = predictLungVolumes(s).functionalResidual + predictThoracicTissue(s);
    EXPECT_NEAR(restCavityVolume(makeTorsoAnatomy(s)) / target, 1, 1e-3);
  }
}

TEST(LungVolumes, MatchThePublishedTable) {
  // Litres for 30 years; the table of GLI 2021 medians rounded to 10 mL.
  const auto check = [](Subject s, double frc, double tlc, double rv) {
    const LungVolumes v = predictLungVolumes(s);
    EXPECT_NEAR(1000 * v.functionalResidual, frc, 0.01);
    EXPECT_NEAR(1000 * v.total, tlc, 0.01);
    EXPECT_NEAR(1000 * v.residual, rv, 0.01);
  };
  check({Sex::Male, 1.75, 73, 30}, 3.19, 6.43, 1.38);
  check({Sex::Female, 1.63, 60, 30}, 2.53, 4.89, 1.14);
  check({Sex::Male, 1.85, 82, 30}, 3.72, 7.31, 1.57);
}

}  // namespace
}  // namespace pneuma::breath
