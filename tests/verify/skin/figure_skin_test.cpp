#include "pneuma/skin/figure_skin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/random.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/io/bvh.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/retarget.h"
#include "tests/support/shared_data.h"

namespace pneuma::skin {
namespace {

/// A person with skeleton, bellies and skin.
struct Figure {
  anatomy::Body body;
  anatomy::CompiledBody compiled;
  skeleton::Model model;
  std::unique_ptr<flesh::FigureBellies> bellies;
  std::unique_ptr<FigureSkin> skin;
  std::unique_ptr<skeleton::Kinematics> kinematics;

  explicit Figure(anatomy::Sex sex = anatomy::Sex::Male, double height = 1.75, double mass = 73,
                  double age = 30) {
    const anatomy::Body measured = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
    anatomy::Person person = measured.person;
    person.sex = sex, person.height = height, person.mass = mass, person.age = age;
    body = anatomy::fitToPerson(measured, person);
    compiled = anatomy::compileBody(body, "figure").valueOrThrow();
    model = skeleton::modelFromBody(compiled, {.freeRoot = true});
    bellies = std::make_unique<flesh::FigureBellies>(body, compiled, model);
    const anatomy::GeometryCache cache;
    skin =
        std::make_unique<FigureSkin>(body, compiled, model,
                                     anatomy::makeSkinSurface(anatomy::loadSkinModel(), measured,
                                                              person, {.triangles = 40000}, cache),
                                     bellies.get(), cache);
    kinematics = std::make_unique<skeleton::Kinematics>(model);
  }

  void take(const VecX& q, double dt = 0.05) {
    skeleton::computePoses(model, q, *kinematics);
    bellies->follow(*kinematics, dt);
    skin->follow(q, *kinematics);
  }

  /// Comes to rest in a pose.
  void rest(const VecX& q) {
    take(q);
    bellies->settle(*kinematics, 3);
    skin->follow(q, *kinematics);
  }

  /// Angles evenly spread over a part of their ranges.
  VecX randomPose(Random& random, double part) const {
    VecX q = model.neutral;
    for (const anatomy::CompiledLink& l : compiled.links) {
      const skeleton::Link& link = model.links[static_cast<std::size_t>(model.linkIndex(l.name))];
      if (link.joint == skeleton::JointKind::Free) continue;
      for (std::size_t d = 0; d < l.dofs.size(); ++d)
        q[link.firstPosition + static_cast<int>(d)] =
            part * random.uniform(l.dofs[d].lower, l.dofs[d].upper);
    }
    return q;
  }
};

Figure& man() {
  static Figure figure;
  return figure;
}

double volumeOf(const FigureSkin& skin) {
  return enclosedVolume(skin.positions(), skin.triangles());
}

TEST(FigureSkin, IsClosedAndManifoldInTwoHundredRandomPoses) {
  Figure& f = man();
  f.take(f.model.neutral);
  const double rest = volumeOf(*f.skin);
  Random random(11);
  for (int pose = 0; pose < 200; ++pose) {
    f.take(f.randomPose(random, 1.0));
    for (const Vec3& p : f.skin->positions()) ASSERT_TRUE(p.allFinite()) << "pose " << pose;
    // The triangles never change, so their topology is looked at once; no triangle may vanish.
    if (pose == 0) {
      const MeshTopology topology = analyzeTopology(f.skin->mesh());
      EXPECT_TRUE(topology.watertight());
      EXPECT_EQ(topology.components, 1u);
      EXPECT_EQ(topology.eulerNumber, 2);
      EXPECT_EQ(topology.unusedVertices, 0u);
    }
    double smallest = 1;
    for (const Triangle& t : f.skin->triangles()) {
      const auto& x = f.skin->positions();
      smallest = std::min(smallest, triangleArea(x[static_cast<std::size_t>(t[0])],
                                                 x[static_cast<std::size_t>(t[1])],
                                                 x[static_cast<std::size_t>(t[2])]));
    }
    EXPECT_GT(smallest, 0) << "pose " << pose;
    // Folded parts overlap a little; the whole keeps its volume.
    EXPECT_NEAR(volumeOf(*f.skin), rest, 0.12 * rest) << "pose " << pose;
  }
}

TEST(FigureSkin, AtRestIsThePersonsOwn) {
  Figure& f = man();
  f.rest(f.model.neutral);
  // Person's volume from mass over mean density; the envelope's smoothing takes less than 3 %.
  EXPECT_NEAR(volumeOf(*f.skin), 73.0 / 996, 0.03 * 73.0 / 996);
}

TEST(FigureSkin, MovesRigidlyWithTheRoot) {
  Figure& f = man();
  f.rest(f.model.neutral);
  const std::vector<Vec3> before = f.skin->positions();
  VecX q = f.model.neutral;
  q[0] += 0.5, q[1] += 0.2, q[2] -= 0.3;
  f.take(q);
  for (std::size_t i = 0; i < before.size(); ++i)
    // A belly that slept while slower than 1 mm/s wakes with its line and may settle a little more.
    EXPECT_LT((f.skin->positions()[i] - before[i] - Vec3(0.5, 0.2, -0.3)).norm(), 2e-4);
}

TEST(FigureSkin, ABentForearmDoesNotMergeWithTheUpperArm) {
  Figure& f = man();
  VecX q = f.model.neutral;
  const int elbow =
      f.model.links[static_cast<std::size_t>(f.model.linkIndex("ulna_l"))].firstPosition;
  q[elbow] = degreesToRadians(90);
  f.take(q, 1);
  f.bellies->settle(*f.kinematics, 1);
  f.take(q);
  // Half-way between the middles of both bones there is air: outside the skin.
  const auto at = [&](const char* link) {
    return f.kinematics->X_WL[static_cast<std::size_t>(f.model.linkIndex(link))].position;
  };
  const Vec3 upper = 0.5 * (at("humerus_l") + at("ulna_l"));
  const Vec3 lower = 0.5 * (at("ulna_l") + at("hand_l"));
  const SurfaceQuery surface(f.skin->mesh());
  EXPECT_TRUE(surface.inside(upper));
  EXPECT_TRUE(surface.inside(lower));
  EXPECT_FALSE(surface.inside(0.5 * (upper + lower)));
}

TEST(FigureSkin, BicepsSwellsTheArm) {
  Figure& f = man();
  // Depth of the front of the upper arm in the humerus' frame, where only the muscles change it.
  const auto depth = [&](double below) {
    const Pose X = f.kinematics->X_WL[static_cast<std::size_t>(f.model.linkIndex("humerus_l"))];
    const SurfaceQuery surface(f.skin->mesh());
    const Vec3 middle = X * Vec3(0.18 * below, -below, 0);
    return surface.firstHit(middle, X.rotation * Vec3::UnitZ(), 0.2)->distance;
  };
  f.rest(f.model.neutral);
  const double before = depth(0.1);
  VecX q = f.model.neutral;
  q[f.model.links[static_cast<std::size_t>(f.model.linkIndex("ulna_l"))].firstPosition] =
      degreesToRadians(100);
  for (int i = 0; i < 10; ++i) f.take(q);
  f.rest(q);
  EXPECT_GT(depth(0.1), before + 0.002);
}

TEST(FigureSkin, NoTriangleFlipsBetweenFramesOfAClip) {
  const std::filesystem::path motion = test::sharedData("motion");
  if (motion.empty()) GTEST_SKIP() << "no ../shared/motion";
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(motion))
    if (entry.path().extension() == ".bvh" && (file.empty() || entry.path() < file))
      file = entry.path();
  if (file.empty()) GTEST_SKIP() << "no clip in " << motion;
  Figure& f = man();
  const io::Bvh clip = io::readBvh(file).valueOrThrow();
  const skeleton::RetargetedMotion played =
      skeleton::Retargeter(f.compiled, f.model, clip, {}, {.framesPerSecond = 60}).run();
  const std::size_t frames = std::min<std::size_t>(played.q.size(), 120);
  // Arms hang in the clip: in the closed fold of the armpit a few triangles of a fraction of a
  // square millimetre lie on one another and may turn over, unseen. Whatever is larger must not.
  constexpr double kSmall = 1e-6;  // [m^2]
  std::vector<Vec3> before;
  std::size_t flips = 0, tiny = 0, seen = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    f.take(played.q[i], 1.0 / 60);
    const std::vector<Vec3> normals = triangleNormals(f.skin->mesh());
    for (std::size_t t = 0; i > 0 && t < normals.size(); ++t) {
      ++seen;
      // Within 1/60 s a limb turns by less than 60 degrees; a flipped triangle by about 180.
      if (normals[t].dot(before[t]) >= -0.5) continue;
      const Triangle& v = f.skin->triangles()[t];
      const auto x = [&](std::size_t k) {
        return f.skin->positions()[static_cast<std::size_t>(v[k])];
      };
      ++(triangleArea(x(0), x(1), x(2)) > kSmall ? flips : tiny);
    }
    before = normals;
  }
  EXPECT_GT(seen, 0u);
  EXPECT_EQ(flips, 0u);
  EXPECT_LT(static_cast<double>(tiny), 5e-6 * static_cast<double>(seen));
}

TEST(FigureSkin, ChildWomanAndTallManGetTheirSkinFromTheSameFile) {
  struct Case {
    anatomy::Sex sex;
    double height, mass, age;
  };
  for (const Case& c : {Case{anatomy::Sex::Male, 1.20, 23, 7},
                        {anatomy::Sex::Female, 1.60, 56, 30},
                        {anatomy::Sex::Male, 1.95, 90, 30}}) {
    Figure f(c.sex, c.height, c.mass, c.age);
    EXPECT_EQ(f.bellies->count(), 105);
    f.take(f.model.neutral);
    EXPECT_TRUE(analyzeTopology(f.skin->mesh()).watertight());
    const Box box = boundingBox(f.skin->positions());
    EXPECT_NEAR(box.size().y(), c.height, 0.03 * c.height);
    const double rest = volumeOf(*f.skin);
    Random random(5);
    for (int pose = 0; pose < 5; ++pose) {
      f.take(f.randomPose(random, 0.7));
      EXPECT_NEAR(volumeOf(*f.skin), rest, 0.12 * rest) << c.height;
    }
  }
}

TEST(FigureSkin, SaysWhatIsWrongWithItsDescription) {
  anatomy::Body body = man().body;
  std::erase_if(body.skinPieces, [](const anatomy::SkinPiece& p) { return p.name == "hip"; });
  const anatomy::GeometryCache cache;
  try {
    FigureSkin(body, man().compiled, man().model, anatomy::SkinSurface{}, nullptr, cache);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("seven pieces"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pneuma::skin
