// What lies between the ribs and the skin of twelve persons, by rays to the skin's level set.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/anatomy/points.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/anatomy/trunk.h"
#include "tests/support/human.h"

namespace pneuma::anatomy {
namespace {

/// A person's trunk within the skin.
class ChestWall {
 public:
  explicit ChestWall(const Person& person)
      : body_(test::humanAs(person)),
        trunk_(trunkAnatomy(body_)),
        skin_(skinModelOf(*test::humanBody()), *test::humanBody(), person) {}

  const TrunkAnatomy& trunk() const { return trunk_; }
  const Body& body() const { return body_; }
  double fat() const { return skin_.fat(); }
  double depth(const Vec3& p) const { return -skin_(p); }

  /// Shortest way from a point to the skin within a cone of 50 degrees about `outwards` [m].
  double toSkin(const Vec3& p, const Vec3& outwards) const {
    const Vec3 n = outwards.normalized();
    const Vec3 u = n.unitOrthogonal(), v = n.cross(u);
    double least = skin_.exit(p, n, kMost);
    for (const double tilt : {25.0, 50.0})
      for (int k = 0; k < 8; ++k) {
        const double a = degreesToRadians(tilt), b = k * kPi / 4;
        const Vec3 d = std::cos(a) * n + std::sin(a) * (std::cos(b) * u + std::sin(b) * v);
        least = std::min(least, skin_.exit(p, d, kMost));
      }
    return least;
  }

  /// Tissue over a rib at the fraction s of its length, from its outer side [m].
  double overRib(int level, double s) const {
    const RibAnatomy& rib = trunk_.ribs[static_cast<std::size_t>(level - 1)];
    const Vec3 p = alongLine(rib.centerline, s);
    return toSkin(p, p - innerPoint(trunk_, rib, s)) - kRibHalfThickness * body_.subject.height;
  }

  /// Skin to pleura midway between two ribs, where both have the azimuth asked for [m].
  double overSpace(int upper, double azimuth) const {
    const Vec3 p = pleura(upper, azimuth), q = pleura(upper + 1, azimuth);
    return toSkin(0.5 * (p + q), Vec3(std::sin(azimuth), 0, std::cos(azimuth)));
  }
  /// The azimuth at which the front of a rib lies at x.
  double azimuthAt(int level, double x) const {
    const RibAnatomy& rib = trunk_.ribs[static_cast<std::size_t>(level - 1)];
    double s = 1;
    while (s > 0.3 && alongLine(rib.centerline, s).x() < x) s -= 0.005;
    return azimuthOf(alongLine(rib.centerline, s), trunk_.trunk.center);
  }
  double midClavicle() const {
    return 0.5 * (trunk_.sternoclavicular.x() + trunk_.acromioclavicular.x());
  }

 private:
  static constexpr double kMost = 0.15;
  /// Half of a rib's thickness across the chest wall (7 mm) over the height.
  static constexpr double kRibHalfThickness = 0.0035 / 1.75;

  Vec3 pleura(int level, double azimuth) const {
    const RibAnatomy& rib = trunk_.ribs[static_cast<std::size_t>(level - 1)];
    double best = 9, at = 1;
    for (double s = 0.3; s <= 1; s += 0.005) {
      const double off =
          std::abs(azimuthOf(alongLine(rib.centerline, s), trunk_.trunk.center) - azimuth);
      if (off < best) best = off, at = s;
    }
    return innerPoint(trunk_, rib, at);
  }

  Body body_;
  TrunkAnatomy trunk_;
  SkinDistance skin_;
};

/// Outside the breast (the front of ribs 3 to 6 in women) and away from the shoulder blade, under
/// which ribs 3 to 6 lie behind the armpit.
std::vector<double> freeParts(int level, Sex sex) {
  if (level <= 6)
    return sex == Sex::Female ? std::vector<double>{0.65} : std::vector{0.7, 0.85, 0.97};
  return {0.3, 0.45, 0.6, 0.75, 0.9};
}

class ChestWallOf : public testing::TestWithParam<int> {
 protected:
  static Person person() { return test::twelvePersons()[static_cast<std::size_t>(GetParam())]; }
  /// Made once for all tests of a person.
  static const ChestWall& wall() {
    static std::map<int, ChestWall> walls;
    return walls.try_emplace(GetParam(), person()).first->second;
  }
};

TEST_P(ChestWallOf, LiesBetween3And75Millimetres) {
  const Person p = person();
  double least = 1, most = 0;
  for (int level = 3; level <= 8; ++level)
    for (const double s : freeParts(level, p.sex)) {
      const double t = wall().overRib(level, s);
      least = std::min(least, t), most = std::max(most, t);
      EXPECT_GE(t, 0.003) << "rib " << level << " at " << s;
      EXPECT_LE(t, 0.075) << "rib " << level << " at " << s;
    }
  std::printf("%s %.2f m, body mass index %.1f: layer %.1f mm, over ribs 3-8 %.1f to %.1f mm\n",
              p.sex == Sex::Male ? "man" : "woman", p.height, p.mass / (p.height * p.height),
              1e3 * wall().fat(), 1e3 * least, 1e3 * most);
}

/// Points on and in a part of a bone.
std::vector<Vec3> pointsOf(const ShapePart& part) {
  std::vector<Vec3> points = part.grid;
  for (const SweepSection& s : part.sections) points.push_back(s.center);
  for (const ProfileSection& c : part.contours) points.push_back(c.center);
  if (part.kind == ShapeKind::Ellipsoid && part.operation == ShapeOperation::Add &&
      part.bend.isZero())
    for (int k = 0; k < 3; ++k)
      for (const double sign : {-1.0, 1.0})
        points.push_back(part.center + sign * part.radii[k] * part.rotation.col(k));
  return points;
}

/// Head, hands and feet keep the measured skin; their bones are printed where they reach out of it.
TEST_P(ChestWallOf, BonesLieUnderTheSkin) {
  for (const Shape& s : wall().body().shapes) {
    double out = -1;
    for (const ShapePart& part : s.shape.parts)
      for (const Vec3& p : pointsOf(part)) out = std::max(out, -wall().depth(p));
    bool measured = false;
    for (const char* name : {"skull", "mandible", "hand", "talus", "hindfoot", "midfoot", "toes"})
      measured = measured || s.bone.starts_with(name);
    if (measured) {
      if (out > 0) std::printf("%s reaches %.1f mm out of the skin\n", s.bone.c_str(), 1e3 * out);
    } else {
      EXPECT_LT(out, 0) << s.bone;
    }
  }
}

/// A person takes half a minute: four of the twelve here (both sexes, light and heavy), all of them
/// with `make prove-persons`.
std::vector<int> judged() {
  std::vector<int> all(12);
  std::iota(all.begin(), all.end(), 0);
  return std::getenv("PNEUMA_PROVE") != nullptr ? all : std::vector<int>{1, 4, 7, 10};
}
INSTANTIATE_TEST_SUITE_P(Twelve, ChestWallOf, testing::ValuesIn(judged()));

/// Schroeder 2013, CT of 201 adults, body mass index 26: 41 +- 14 mm at the second space in the
/// midclavicular line, 46 +- 17 mm at the fifth in the anterior axillary line.
TEST(ChestWall, SkinToPleuraIsAsPublished) {
  for (const Sex sex : {Sex::Male, Sex::Female}) {
    Person p;
    p.sex = sex;
    p.height = sex == Sex::Male ? 1.76 : 1.63;
    p.mass = 26 * p.height * p.height;
    p.age = 40;
    const ChestWall wall(p);
    const double second = wall.overSpace(2, wall.azimuthAt(2, wall.midClavicle()));
    const double fifth = wall.overSpace(5, degreesToRadians(60));
    std::printf("%s: second space %.1f mm, fifth %.1f mm\n", sex == Sex::Male ? "man" : "woman",
                1e3 * second, 1e3 * fifth);
    EXPECT_NEAR(second, 0.041, 0.014);
    EXPECT_NEAR(fifth, 0.046, 0.017);
  }
}

TEST(ChestWall, GrowsWithTheBodyMassIndex) {
  double before = 0;
  for (const double index : {18.0, 22.0, 28.0, 38.0}) {
    Person p;
    p.mass = index * p.height * p.height;
    const ChestWall wall(p);
    double sum = 0;
    for (int level = 3; level <= 8; ++level)
      for (const double s : freeParts(level, Sex::Male)) sum += wall.overRib(level, s);
    EXPECT_GT(sum, before) << index;
    before = sum;
  }
}

}  // namespace
}  // namespace pneuma::anatomy
