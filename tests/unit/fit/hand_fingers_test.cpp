#include "fit/hand_fingers.h"

#include <gtest/gtest.h>

#include "pneuma/core/surface_query.h"
#include "tests/unit/fit/stick_figures.h"

namespace pneuma::fit {
namespace {

using internal::findFingers;
using internal::Fingers;

const Vec3 kWrist(0.3, 1, 0);

Vec3 baseOf(int finger) {
  return {0.332 - 0.02 * finger, 0.93, 0};
}
/// From the index finger to the little one; bent to the front.
std::vector<Vec3> lineOf(int finger) {
  const double length = finger == 1 ? 0.08 : finger == 3 ? 0.05 : 0.07;
  const Vec3 base = baseOf(finger);
  return {base, base - Vec3(0, 0.6 * length, 0), base + Vec3(0, -0.85 * length, 0.3 * length)};
}

/// A left forearm that hangs, a palm, a thumb and some fingers, all of tubes.
TriangleMesh handOfTubes(int fingers, double radius = 0.007) {
  const auto tube = [](const std::vector<Vec3>& line, double r) {
    anatomy::ShapePart part;
    part.blend = 0.002;
    for (const Vec3& p : line) part.sections.push_back({p, r, r});
    return part;
  };
  std::vector<anatomy::ShapePart> parts{tube({{0.3, 1.2, 0}, {0.3, 1.1, 0}, kWrist}, 0.025)};
  for (int f = 0; f < 4; ++f) parts.push_back(tube({kWrist, baseOf(f)}, 0.013));
  for (int f = 0; f < fingers; ++f) parts.push_back(tube(lineOf(f), radius));
  parts.push_back(tube({{0.315, 0.985, 0.005}, {0.355, 0.95, 0.02}, {0.37, 0.92, 0.03}}, 0.009));
  return anatomy::makeBoneMesh({true, std::move(parts)}, 0.003);
}

TEST(HandFingers, FiveAreFoundInTheirOrderAndTheirLinesLieInThem) {
  const TriangleMesh hands = handOfTubes(4);
  const auto found = findFingers(hands, kWrist, lineOf(1).back());
  ASSERT_TRUE(found);
  const SurfaceQuery skin(hands);
  EXPECT_LT(((*found)[0].line.front() - Vec3(0.37, 0.92, 0.03)).norm(), 0.015);
  for (int f = 0; f < 4; ++f) {
    const internal::Finger& finger = (*found)[static_cast<std::size_t>(f) + 1];
    EXPECT_LT((finger.line.front() - lineOf(f).back()).norm(), 0.011) << f;
    EXPECT_NEAR(finger.radius, 0.007, 0.001) << f;
    for (std::size_t i = 6; i < finger.line.size(); ++i)  // beyond the round tip
      EXPECT_LT(skin.signedDistance(finger.line[i]), -0.7 * 0.007) << f << " " << i;
  }
}

TEST(HandFingers, HandsOfFourFingersAndMittensAreSaidToHaveNone) {
  EXPECT_FALSE(findFingers(handOfTubes(3), kWrist, lineOf(1).back()));
  EXPECT_FALSE(findFingers(handOfTubes(0), kWrist, baseOf(1)));
  EXPECT_FALSE(findFingers(handOfTubes(4, 0.0115), kWrist, lineOf(1).back()));  // grown together
}

}  // namespace
}  // namespace pneuma::fit
