#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/surface_query.h"
#include "pneuma/stage/posed_person.h"
#include "tests/support/human.h"

/// Arms of people who stand hang beside their own hips: no place of a hand or forearm inside, and
/// not held far out either.
namespace pneuma::stage {
namespace {

using anatomy::Person;
using anatomy::Sex;
using anatomy::SkinPart;

class HangingArms : public testing::TestWithParam<Person> {};

TEST_P(HangingArms, TouchTheirOwnHipsWithoutEntering) {
  constexpr int kTriangles = 20000;
  const Person& who = GetParam();
  const PosedPerson standing(*test::humanBody(), who, {.posture = "standing"}, std::nullopt,
                             kTriangles);
  const TriangleMesh& skin = standing.skin();
  const auto topology = anatomy::makeSkinTopology(anatomy::skinModelOf(*test::humanBody()),
                                                  *test::humanBody(), 0, anatomy::GeometryCache());
  const auto part = [&](std::int32_t v) { return topology->parts[static_cast<std::size_t>(v)]; };
  const auto carries = [&](std::int32_t v) {
    return part(v) == SkinPart::Pelvis || part(v) == SkinPart::Thigh ||
           part(v) == SkinPart::Abdomen;
  };
  TriangleMesh hips{skin.positions, {}};
  for (const Triangle& t : skin.triangles)
    if (carries(t[0]) && carries(t[1]) && carries(t[2])) hips.triangles.push_back(t);
  const SurfaceQuery query(hips);
  for (const double side : {1.0, -1.0}) {
    double least = 1, hand = 1;
    for (std::size_t v = 0; v < skin.positions.size(); ++v) {
      const SkinPart of = topology->parts[v];
      if (side * topology->places[v].x() < 0 || (of != SkinPart::Hand && of != SkinPart::Forearm))
        continue;
      const SurfaceQuery::Hit hit = query.closest(skin.positions[v]);
      const Triangle& t = hips.triangles[static_cast<std::size_t>(hit.triangle)];
      const auto at = [&](std::size_t k) -> const Vec3& {
        return skin.positions[static_cast<std::size_t>(t[k])];
      };
      const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0));
      const double off =
          (skin.positions[v] - hit.point).dot(normal) < 0 ? -hit.distance : hit.distance;
      least = std::min(least, off);
      if (of == SkinPart::Hand) hand = std::min(hand, off);
    }
    std::printf("%s %.2f m %.0f kg %.0f years: hand off by %.1f mm, arm by %.1f mm\n",
                who.sex == Sex::Male ? "male" : "female", who.height, who.mass, who.age, 1e3 * hand,
                1e3 * least);
    EXPECT_GT(least, 0) << "inside";
    EXPECT_LT(hand, 0.030) << "held out";
  }
}

Person person(Sex sex, double height, double mass, double age = 30) {
  Person p;
  p.sex = sex, p.height = height, p.mass = mass, p.age = age;
  return p;
}

INSTANTIATE_TEST_SUITE_P(
    People, HangingArms,
    testing::Values(person(Sex::Male, 1.75, 73), person(Sex::Male, 1.75, 58),
                    person(Sex::Male, 1.75, 105), person(Sex::Female, 1.66, 60),
                    person(Sex::Female, 1.50, 50), person(Sex::Female, 1.68, 100),
                    person(Sex::Male, 1.16, 21, 6), person(Sex::Female, 1.38, 32, 10)));

}  // namespace
}  // namespace pneuma::stage
