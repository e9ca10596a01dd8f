#include "pneuma/fit/body_frame.h"

#include <gtest/gtest.h>

namespace pneuma::fit {
namespace {

TEST(BodyFrame, ThereAndBackIsWhereItWas) {
  BodyFrame frame;
  frame.rotation = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  frame.scale = 0.01;
  frame.offset = Vec3(0.1, 0.9, -0.2);
  const std::vector<Vec3> file{{3, 170, -8}, {0, 0, 0}};
  const std::vector<Vec3> back = frame.toFile(frame.toBody(file));
  for (std::size_t i = 0; i < file.size(); ++i) EXPECT_LT((back[i] - file[i]).norm(), 1e-11);
  const Vec3 moved = frame.toBody(file[0] + frame.directionToFile(Vec3(0, 0, 0.005)));
  EXPECT_LT((moved - frame.toBody(file[0]) - Vec3(0, 0, 0.005)).norm(), 1e-12);
}

}  // namespace
}  // namespace pneuma::fit
