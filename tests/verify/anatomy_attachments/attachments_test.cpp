// The committed attachments and strengths against the real anatomy they were measured on.
#include <gtest/gtest.h>

#include <set>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/survey/measure_attachments.h"
#include "pneuma/survey/muscle_volumes.h"
#include "tests/support/shared_data.h"

namespace pneuma::survey {
namespace {

using namespace anatomy;

class RealAnatomy : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::sharedData("anatomy");
    if (folder_.empty()) GTEST_SKIP() << "the anatomy folder is not there";
  }
  std::filesystem::path folder_;
};

TEST_F(RealAnatomy, CommittedAttachmentsAreWhatTheCommandMeasures) {
  const AnatomyPack pack(folder_);
  const Body skeleton = loadSkeleton(defaultBodyPath());
  SilentProgress quiet;
  const AttachmentSurvey survey = measureAttachments(pack, skeleton, GeometryCache(), quiet);
  std::vector<Diagnostic> findings;
  const PointTable committed(skeleton, findings);
  ASSERT_GT(survey.points.size(), 600u);
  for (const Attachment& a : survey.points) {
    const auto point = committed.find(a.bone + ":" + a.point);
    ASSERT_TRUE(point) << a.bone << ":" << a.point;
    // Text keeps tenths of a millimetre.
    EXPECT_LT((point->position - a.position).norm(), 2e-4) << a.bone << ":" << a.point;
  }
}

TEST_F(RealAnatomy, LinesFillTheMeasuredMuscles) {
  // Strengths taken from publications instead, because the source draws these deep muscles of neck
  // and back thinner than they are (see the heads of the muscle files).
  const std::set<std::string> published{"trapezius",
                                        "splenius_capitis",
                                        "splenius_cervicis",
                                        "semispinalis_capitis",
                                        "semispinalis_cervicis",
                                        "longissimus_cervicis",
                                        "longus_capitis",
                                        "longus_colli",
                                        "scalenus_anterior",
                                        "scalenus_medius",
                                        "scalenus_posterior",
                                        "sternocleidomastoid",
                                        "levator_scapulae",
                                        "multifidus",
                                        "rectus_capitis_posterior",
                                        "obliquus_capitis_inferior",
                                        "obliquus_capitis_superior"};
  const Body body = loadBody(defaultBodyPath()).valueOrThrow();
  const auto volumes = compareMuscleVolumes(AnatomyPack(folder_), body, "lee2009");
  EXPECT_GE(volumes.size(), 65u);
  for (const MuscleVolume& v : volumes) {
    if (published.contains(v.muscle)) continue;
    EXPECT_GT(v.ratio(), 1 / 1.5) << v.muscle;
    EXPECT_LT(v.ratio(), 1.5) << v.muscle;
  }
}

}  // namespace
}  // namespace pneuma::survey
