#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/error.h"
#include "pneuma/fit/bone_check.h"
#include "pneuma/fit/fit_figure.h"
#include "pneuma/fit/inside.h"
#include "pneuma/fit/slim_bones.h"
#include "pneuma/fit/unlikely.h"
#include "pneuma/io/mesh_file.h"
#include "tests/verify/fit/shared_characters.h"

namespace pneuma::fit {
namespace {

const anatomy::Body& measuredBody() {
  static const anatomy::Body body = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  return body;
}

/// A shared character, or an empty mesh when the data is not there.
TriangleMesh character(const std::string& name) {
  const auto folder = test::sharedData("characters");
  return folder.empty() ? TriangleMesh{} : io::readMesh(folder / (name + ".obj"));
}
#define REQUIRE_CHARACTER(mesh) \
  if (mesh.empty()) GTEST_SKIP() << "no shared characters"

FittedFigure fitted(const TriangleMesh& mesh, std::optional<anatomy::Sex> sex) {
  FitRequest request;
  request.sex = sex;
  return fitFigure(mesh, measuredBody(), request, anatomy::GeometryCache());
}

/// Our skin on the character and the character under our skin, outside hands and head.
void expectClose(const FittedFigure& f, const std::string& name, double skin99 = 3e-3) {
  const double size = std::max(1.0, f.report.height / 1.73);  // a giant is off by a giant's measure
  EXPECT_LT(f.report.skin.mean, 0.5e-3 * size) << name;
  EXPECT_LT(f.report.skin.p99, skin99 * size) << name;
  EXPECT_LT(f.report.trunk.p95, 1e-3 * size) << name;
  EXPECT_LT(f.report.character.mean, 2e-3 * size) << name;
  EXPECT_LT(f.report.character.p99, 10e-3 * size) << name;
}

double smooth(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

struct Known {
  const char* name;
  anatomy::Sex sex;
  double height, mass;  // README of the shared characters; mass at 985 kg/m^3
};

TEST(FitCharacters, HeightMassAndSexFollowFromTheShape) {
  using enum anatomy::Sex;
  for (const Known& k :
       {Known{"male_average", Male, 1.730, 67.4}, Known{"female_average", Female, 1.590, 56.9},
        Known{"female_thin", Female, 1.590, 45.5}}) {
    const TriangleMesh mesh = character(k.name);
    REQUIRE_CHARACTER(mesh);
    const FittedFigure f = fitted(mesh, std::nullopt);
    expectClose(f, k.name);
    EXPECT_NEAR(f.person.height, k.height, 0.01 * k.height) << k.name;
    EXPECT_NEAR(f.person.mass, k.mass, 0.05 * k.mass) << k.name;
    // Right, or asked for.
    if (f.person.sex != k.sex) {
      EXPECT_LT(f.report.sexConfidence, 0.8) << k.name;
      EXPECT_FALSE(f.report.warnings.empty()) << k.name;
    }
  }
}

TEST(FitCharacters, OtherUnitsAndAxesGiveTheSame) {
  TriangleMesh mesh = character("male_heavy");
  REQUIRE_CHARACTER(mesh);
  const FittedFigure straight = fitted(mesh, anatomy::Sex::Male);
  expectClose(straight, "male_heavy");
  for (Vec3& p : mesh.positions) p = 100 * Vec3(-p.x(), p.z(), p.y());  // cm, z up, turned
  const FittedFigure turned = fitted(mesh, anatomy::Sex::Male);
  EXPECT_EQ(turned.report.unit, "cm");
  double largest = 0, sum = 0;
  std::size_t where = 0;
  for (std::size_t v = 0; v < straight.skin.mesh.vertexCount(); ++v) {
    const double off = (straight.skin.mesh.positions[v] - turned.skin.mesh.positions[v]).norm();
    sum += off;
    if (off > largest) largest = off, where = v;
  }
  const Vec3 place = straight.skin.mesh.positions[where];
  std::printf("  mean %.2f mm, largest %.1f mm at [%.2f %.2f %.2f]\n",
              1e3 * sum / static_cast<double>(straight.skin.mesh.vertexCount()), 1e3 * largest,
              place.x(), place.y(), place.z());
  EXPECT_LT(largest, 0.02);  // samples of the middle follow the order of triangles, not the axes
  const Vec3 back = turned.frame.toFile(turned.skin.mesh.positions[0]);
  EXPECT_LT((turned.frame.toBody(back) - turned.skin.mesh.positions[0]).norm(), 1e-9);
}

TEST(FitCharacters, StylisedProportionsAreMet) {
  const TriangleMesh mesh = character("male_average");
  REQUIRE_CHARACTER(mesh);
  TriangleMesh child = mesh;
  for (Vec3& p : child.positions) {  // legs 0.7, head 1.5
    const double larger = 0.5 * smooth((p.y() - 1.46) / 0.08);
    p.y() -= 0.3 * std::min(p.y(), 0.8);
    p += larger * (p - Vec3(0, 1.24, 0.012));
  }
  const FittedFigure small = fitted(child, anatomy::Sex::Male);
  expectClose(small, "child-like");
  EXPECT_NEAR(small.pose.joints.hip[0].y(), 0.918 - 0.24, 0.03);  // its marker, moved alike
  TriangleMesh giant = mesh;
  for (Vec3& p : giant.positions) p *= 1.4;
  const FittedFigure large = fitted(giant, anatomy::Sex::Male);
  expectClose(large, "giant");
  EXPECT_NEAR(large.person.height, 1.4 * 1.730, 0.02);
}

TEST(FitCharacters, BonesLieWithinTheSkinAndAreSymmetric) {
  const TriangleMesh mesh = character("male_average");
  REQUIRE_CHARACTER(mesh);
  const FittedFigure f = fitted(mesh, anatomy::Sex::Male);
  const CarriedAnatomy a = carryBones(*f.figure, f);
  EXPECT_GT(a.cageVolume, 0.8);
  EXPECT_LT(a.cageVolume, 1.2);
  const auto mirrored = [](const Vec3& p) { return Vec3(-p.x(), p.y(), p.z()); };
  for (const auto* pair : {&a.joints.shoulder, &a.joints.elbow, &a.joints.wrist, &a.joints.hip,
                           &a.joints.knee, &a.joints.ankle})
    EXPECT_LT((mirrored((*pair)[0]) - (*pair)[1]).norm(), 1e-6);  // as his skin is
  // Markers of the character's own armature (characters.json, male_average).
  const auto marker = [&](double x, double y, double z) { return f.frame.toBody(Vec3(x, y, z)); };
  EXPECT_LT((a.joints.shoulder[0] - marker(0.186, 1.379, 0.018)).norm(), 0.025);
  EXPECT_LT((a.joints.wrist[0] - marker(0.487, 1.061, 0.208)).norm(), 0.02);
  EXPECT_LT((a.joints.ankle[0] - marker(0.198, 0.072, 0.015)).norm(), 0.02);
  EXPECT_LT((a.joints.knee[0] - marker(0.151, 0.505, 0.027)).norm(), 0.035);
  // His wrists and ankles are slimmer than our bones: these give way, and none comes through.
  const TriangleMesh surface{f.frame.toBody(mesh.positions), mesh.triangles};
  const anatomy::GeometryCache cache;
  CarriedAnatomy slim = a;
  slimBones(*f.figure, slim, surface, f.skin.mesh, cache);
  fitHands(*f.figure, f, slim, surface, cache);
  const BoneOutside before = summed(bonesOutside(*f.figure, a, surface, f.skin.mesh, cache));
  const BoneOutside after = summed(bonesOutside(*f.figure, slim, surface, f.skin.mesh, cache));
  EXPECT_GT(before.outside, 0u);
  EXPECT_EQ(after.outside, 0u) << after.bone << " by " << 1e3 * after.worst << " mm";
  const std::vector<SlimmedBone> slimmed = slimmedBones(*f.figure, slim, cache);
  ASSERT_FALSE(slimmed.empty());
  for (const SlimmedBone& b : slimmed) {
    const bool trunk = b.bone.starts_with("rib_") || b.bone.starts_with("vertebra");
    EXPECT_GT(b.thinnest, trunk ? 0.9 : 0.55) << b.bone;
    EXPECT_LT(b.moved, 0.015) << b.bone;
  }
  // Joints stay, so that no bone is shorter.
  for (const char* name : {"femur_l", "radius_l"}) {
    const auto length = [&](const CarriedAnatomy& c) {
      return std::ranges::find(c.bones, name, &CarriedBone::name)->length;
    };
    EXPECT_EQ(length(slim), length(a)) << name;
  }
}

// Palms of these characters look down and forwards, ours to the thighs, and their fingers are bent:
// as one piece, three quarters of a hand's bones lie beside the character's hand, turned with its
// palm a third. The thin man's head is narrower than our skull.
TEST(FitCharacters, BonesOfHandsLieInTheirFingersAndSkullsWithinTheirHeads) {
  const TriangleMesh mesh = character("male_thin");
  REQUIRE_CHARACTER(mesh);
  const FittedFigure f = fitted(mesh, anatomy::Sex::Male);
  const TriangleMesh surface{f.frame.toBody(mesh.positions), mesh.triangles};
  const anatomy::GeometryCache cache;
  const SurfaceQuery skin(surface);
  // Of vertices of a bone above a height, the share outside.
  const auto outside = [&](const CarriedAnatomy& inside, const char* bone, double above) {
    double out = 0, count = 0;
    for (const anatomy::Shape& s : f.figure->body->shapes)
      if (s.bone == bone)
        for (const Vec3& p : carriedMesh(inside, s, cache).positions)
          if (p.y() > above) count += 1, out += skin.inside(p) ? 0 : 1;
    return out / count;
  };
  CarriedAnatomy carried = carryBones(*f.figure, f);
  const double crown = f.report.height - 0.08;
  const CarriedAnatomy inside = fitBones(*f.figure, f, surface, cache);
  for (const char* hand : {"hand_l", "hand_r"}) {
    const double before = outside(carried, hand, 0), after = outside(inside, hand, 0);
    std::printf("  %s: %.0f %% outside, in its fingers %.0f %%\n", hand, 100 * before, 100 * after);
    EXPECT_GT(before, 0.5) << hand;
    EXPECT_EQ(after, 0) << hand;
  }
  EXPECT_GT(outside(carried, "skull", crown), 0);
  EXPECT_LT(outside(inside, "skull", crown), 0.01);
  const AffineMap *was = carried.find("skull"), *is = inside.find("skull");
  const double size = std::cbrt(is->linear.determinant() / was->linear.determinant());
  std::printf("  skull %.3f as large, %.3f of its crown outside before\n", size,
              outside(carried, "skull", crown));
  EXPECT_GT(size, 0.92);
  const BoneOutside out = summed(bonesOutside(*f.figure, inside, surface, f.skin.mesh, cache));
  EXPECT_EQ(out.outside, 0u) << out.bone;
}

// A head made 1.5 as large about the neck lies before the place where the skull was carried to: it
// looked out behind.
TEST(FitCharacters, SkullOfALargeHeadDoesNotLookOutBehind) {
  const test::SharedCharacter child = test::childLike();
  REQUIRE_CHARACTER(child.mesh);
  const FittedFigure f = fitted(child.mesh, child.sex);
  const TriangleMesh surface{f.frame.toBody(child.mesh.positions), child.mesh.triangles};
  const anatomy::GeometryCache cache;
  const SurfaceQuery skin(surface);
  const auto skull = std::ranges::find(f.figure->body->shapes, "skull", &anatomy::Shape::bone);
  ASSERT_NE(skull, f.figure->body->shapes.end());
  const auto outside = [&](const CarriedAnatomy& inside) {  // of its rear half
    const std::vector<Vec3> points = carriedMesh(inside, *skull, cache).positions;
    const Vec3 middle = boundingBox(points).center();
    return std::ranges::count_if(points, [&](const Vec3& p) {
      return p.z() < middle.z() && p.y() > middle.y() && !skin.inside(p);
    });
  };
  EXPECT_GT(outside(carryBones(*f.figure, f)), 0);
  EXPECT_EQ(outside(fitBones(*f.figure, f, surface, cache)), 0);
}

TEST(FitCharacters, WhatAPersonCouldNotHaveIsSaid) {
  const test::SharedCharacter man = test::sharedCharacter("male_average");
  REQUIRE_CHARACTER(man.mesh);
  const anatomy::GeometryCache cache;
  const auto said = [&](const test::SharedCharacter& c) {
    const FittedFigure f = fitted(c.mesh, c.sex);
    const TriangleMesh surface{f.frame.toBody(c.mesh.positions), c.mesh.triangles};
    return unlikelyOf(f, fitBones(*f.figure, f, surface, cache));
  };
  EXPECT_THAT(said(man), ::testing::IsEmpty());
  using ::testing::HasSubstr;
  EXPECT_THAT(said(test::childLike()), ::testing::ElementsAre(HasSubstr("its head are 1.4")));
  // Its head lies at the bound, 0.82 of people's of its stature.
  EXPECT_THAT(said(test::longLimbed()), ::testing::Contains(HasSubstr("its shanks are 1.2")));
  EXPECT_THAT(said(test::giant()), ::testing::ElementsAre("hardly anybody is 2.42 m tall"));
}

/// Close, symmetric, bones within, as long as between the markers.
void expectFitted(const test::SharedCharacter& c) {
  const FittedFigure f = fitted(c.mesh, c.sex);
  // Shoulders of raised arms, where a mesh bent by linear blending swells: 3.3 mm on the man.
  expectClose(f, c.name, 4e-3);
  EXPECT_TRUE(f.report.symmetric) << c.name;
  const anatomy::GeometryCache cache;
  const TriangleMesh surface{f.frame.toBody(c.mesh.positions), c.mesh.triangles};
  const CarriedAnatomy a = fitBones(*f.figure, f, surface, cache);
  const BoneOutside out = summed(bonesOutside(*f.figure, a, surface, f.skin.mesh, cache));
  EXPECT_EQ(out.outside, 0u) << c.name << ": " << out.bone << " by " << 1e3 * out.worst << " mm";
  const auto expectLength = [&](const char* from, const char* to, const Vec3& p, const Vec3& q) {
    const double own =
        (c.marker(std::string(from) + "_l") - c.marker(std::string(to) + "_l")).norm();
    EXPECT_NEAR((p - q).norm(), own, 0.05 * own) << c.name << ": " << from << " to " << to;
  };
  expectLength("shoulder", "elbow", a.joints.shoulder[0], a.joints.elbow[0]);
  expectLength("elbow", "wrist", a.joints.elbow[0], a.joints.wrist[0]);
  expectLength("hip", "knee", a.joints.hip[0], a.joints.knee[0]);
  expectLength("knee", "ankle", a.joints.knee[0], a.joints.ankle[0]);
}

TEST(FitCharacters, TPosesAreFitted) {
  // The thin woman's toes came out when sections of a foot could not shift where its toes begin.
  for (const char* name : {"male_average", "female_average", "female_thin"}) {
    const test::SharedCharacter c = test::sharedCharacter(name);
    REQUIRE_CHARACTER(c.mesh);
    expectFitted(test::withArmsAt(c, kPi / 2, std::string(name) + ", T-pose"));
  }
}

// A straight arm that hangs was 8 % too long above its elbow, for the skin had taken its shoulder
// inwards and up; legs of other proportions than people's had their knees where people have them.
TEST(FitCharacters, HangingArmsAndOtherProportionsOfLegsAreAsLongAsTheirOwn) {
  const test::SharedCharacter man = test::sharedCharacter("male_average");
  REQUIRE_CHARACTER(man.mesh);
  expectFitted(test::withArmsAt(man, 0.3, "man, straight arms down"));
  expectFitted(test::childLike());
}

TEST(FitCharacters, BonesAreAsLongAsBetweenTheJointsOfTheArmature) {
  const TriangleMesh mesh = character("male_average");
  REQUIRE_CHARACTER(mesh);
  // The artist's own joints (characters.json), left; the right ones are their images.
  const std::pair<const char*, Vec3> own[] = {
      {"shoulder", {0.1865, 1.3794, 0.0178}}, {"elbow", {0.3522, 1.1896, 0.0156}},
      {"wrist", {0.4869, 1.0609, 0.2076}},    {"hip", {0.1081, 0.9177, -0.0067}},
      {"knee", {0.1513, 0.5051, 0.0269}},     {"ankle", {0.1978, 0.0715, 0.0152}}};
  FitRequest request;
  request.sex = anatomy::Sex::Male;
  for (const auto& [name, p] : own) {
    request.landmarks.push_back({std::string(name) + "_l", p});
    request.landmarks.push_back({std::string(name) + "_r", Vec3(-p.x(), p.y(), p.z())});
  }
  const FittedFigure f = fitFigure(mesh, measuredBody(), request, anatomy::GeometryCache());
  for (const bool given : f.given) EXPECT_TRUE(given);
  expectClose(f, "male_average with its joints");
  const CarriedAnatomy a = carryBones(*f.figure, f);
  const anatomy::LimbJoints rest = fittedShapesOf(f, a, "male_average.obj").joints;
  const auto length = [&](int from, int to) { return (own[from].second - own[to].second).norm(); };
  constexpr double kShare = 0.05;
  EXPECT_NEAR((rest.elbow - rest.shoulder).norm(), length(0, 1), kShare * length(0, 1));
  EXPECT_NEAR((rest.wrist - rest.elbow).norm(), length(1, 2), kShare * length(1, 2));
  EXPECT_NEAR((rest.knee - rest.hip).norm(), length(3, 4), kShare * length(3, 4));
  EXPECT_NEAR((rest.ankle - rest.knee).norm(), length(4, 5), kShare * length(4, 5));
  // A joint far from any person's is not believed.
  request.landmarks[2].place.y() += 0.3;
  // Nor one without its other side, of an armature that is there in part.
  request.landmarks.pop_back();
  const FittedFigure odd = fitFigure(mesh, measuredBody(), request, anatomy::GeometryCache());
  EXPECT_FALSE(odd.given[1]);
  EXPECT_FALSE(odd.given[5]);
  EXPECT_THAT(odd.report.notes, ::testing::Contains(::testing::HasSubstr("only one ankle joint")));
  EXPECT_FALSE(odd.report.warnings.empty());
}

}  // namespace
}  // namespace pneuma::fit
