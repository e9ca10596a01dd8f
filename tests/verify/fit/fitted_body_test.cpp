#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/fitted_shapes.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/body/living_model.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/mesh_simplify.h"
#include "pneuma/fit/fit_figure.h"
#include "pneuma/fit/fitted_lungs.h"
#include "pneuma/fit/inside.h"
#include "pneuma/fit/slim_bones.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/mesh_file.h"
#include "tests/support/human.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace pneuma::fit {
namespace {

constexpr double kWider = 0.14;  // of the chest's width, at its widest

anatomy::Person man() {
  anatomy::Person p;
  p.height = 1.78, p.mass = 76;
  return p;
}

/// A man of ours with a wide chest, as an anonymous mesh; fitted, written and loaded again.
struct WideChest {
  FittedFigure figure;
  CarriedAnatomy inside;
  anatomy::Body body;    // as loaded
  anatomy::Body fitted;  // in its own size
  anatomy::Body plain;   // the same person without the shapes

  WideChest() {
    const anatomy::Body& measured = *test::humanBody();
    TriangleMesh mesh =
        simplified(makeFigureTemplate(measured, man(), anatomy::GeometryCache()).skin.mesh, 0.5e-3);
    // Arms go along with the chest they hang beside.
    for (Vec3& p : mesh.positions) {
      const double chest = smoothStep(1.0, 1.15, p.y()) * (1 - smoothStep(1.45, 1.55, p.y()));
      const double arm = smoothStep(0.17, 0.2, std::abs(p.x()));
      const double side = std::copysign(std::min(std::abs(p.x()), 0.19), p.x());
      p.x() += kWider * side * (chest + (1 - chest) * arm);
    }
    FitRequest request;
    request.sex = anatomy::Sex::Male;
    figure = fitFigure(mesh, measured, request, anatomy::GeometryCache());
    inside = carryBones(*figure.figure, figure);
    anatomy::Body whole =
        anatomy::withFit(measured, fittedShapesOf(figure, inside, "wide \"chest\".obj"));
    whole.person = figure.person;
    const test::ScratchFolder folder;
    io::writeFile(folder.path() / "wide.toml", anatomy::fittedBodyText(whole));
    body = anatomy::loadBody(folder.path() / "wide.toml").valueOrThrow();
    fitted = anatomy::fitToPerson(body, body.person);
    plain = anatomy::fitToPerson(anatomy::withoutFit(body), body.person);
  }
};

const WideChest& wideChest() {
  static const WideChest made;
  return made;
}

Vec3 pointOf(const anatomy::Body& body, const std::string& name) {
  std::vector<Diagnostic> findings;
  return anatomy::PointTable(body, findings).find(name).valueOrThrow().position;
}

/// Bony cage of our man at a height [m].
double cageOfHeight(double height, const anatomy::GeometryCache& cache) {
  FigureTemplate figure{.person = man()};
  figure.person.height = height;
  figure.body = std::make_shared<const anatomy::Body>(
      anatomy::fitToPerson(*test::humanBody(), figure.person));
  CarriedAnatomy unmoved;
  for (const anatomy::Bone& bone : figure.body->bones) unmoved.bones.push_back({bone.name});
  return cageVolume(figure, unmoved, cache);
}

// Meshes of ribs are coarser or finer as it comes: at 1.7785 m one has five times the vertices that
// it has at 1.78 m.
TEST(FittedBody, CagesOfPeopleNearlyAlikeAreNearlyAlike) {
  const anatomy::GeometryCache cache;
  const double cage = cageOfHeight(1.78, cache);
  EXPECT_NEAR(cageOfHeight(1.7785, cache) / cage, std::pow(1.7785 / 1.78, 3), 2e-3);
}

TEST(FittedBody, BonesOfTheLoadedBodyAreAsLongAsTheCharacters) {
  const WideChest& w = wideChest();
  const FigureJoints& j = w.inside.joints;
  using Pair = std::array<Vec3, 2>;
  const auto expect = [&](const char* a, const char* b, const Pair& p, const Pair& q) {
    const double length = 0.5 * ((p[0] - q[0]).norm() + (p[1] - q[1]).norm());
    EXPECT_NEAR((pointOf(w.fitted, a) - pointOf(w.fitted, b)).norm(), length, 1e-3) << a << b;
  };
  expect("humerus_l:head_center", "humerus_l:elbow_joint", j.shoulder, j.elbow);
  expect("humerus_l:elbow_joint", "hand_l:wrist_center", j.elbow, j.wrist);
  expect("femur_l:head_center", "femur_l:knee_joint", j.hip, j.knee);
  expect("femur_l:knee_joint", "talus_l:ankle_joint", j.knee, j.ankle);
  expect("humerus_r:head_center", "humerus_r:elbow_joint", j.shoulder, j.elbow);
  const double shoulders = (j.shoulder[0] - j.shoulder[1]).norm();
  EXPECT_NEAR(2 * pointOf(w.fitted, "humerus_l:head_center").x(), shoulders, 1e-3);
}

TEST(FittedBody, SkinAtRestIsTheRegisteredSkin) {
  const WideChest& w = wideChest();
  const anatomy::GeometryCache cache;
  const auto skinAt = [&](int level) {
    return anatomy::makeSkinSurface(anatomy::skinModelOf(w.body), w.body, w.body.person,
                                    {.triangles = anatomy::skinTriangles(level)}, cache);
  };
  const anatomy::SkinSurface skin = skinAt(0);
  ASSERT_EQ(skin.mesh.vertexCount(), w.figure.restSkin.size());
  EXPECT_EQ(skin.topology->id, w.figure.skin.topology->id);
  // The same but for where it stands.
  const Vec3 shift = skin.mesh.positions[0] - w.figure.restSkin[0];
  double sum = 0;
  for (std::size_t v = 0; v < w.figure.restSkin.size(); ++v)
    sum += (skin.mesh.positions[v] - w.figure.restSkin[v] - shift).squaredNorm();
  EXPECT_LT(std::sqrt(sum / static_cast<double>(w.figure.restSkin.size())), 1e-3);
  EXPECT_NEAR(boundingBox(skin.mesh.positions).min.y(), 0, 1e-6);
}

TEST(FittedBody, ItsCageIsWiderAndHoldsMoreAir) {
  const WideChest& w = wideChest();
  const auto width = [](const anatomy::Body& b) {
    return pointOf(b, "rib_07_l:centreline@0.4").x();
  };
  std::printf("  rib 7: %.1f mm against %.1f\n", 1e3 * width(w.fitted), 1e3 * width(w.plain));
  // Of what the skin is wider, ribs take over about half: the rest may be flesh.
  EXPECT_GT(width(w.fitted), (1 + 0.25 * kWider) * width(w.plain));
  EXPECT_LT(width(w.fitted), (1 + 0.75 * kWider) * width(w.plain));
  const FittedLungs lungs = fittedLungs(w.fitted), usual = fittedLungs(w.plain);
  std::printf("  FRC %.2f l against %.2f, z %.2f\n", 1e3 * lungs.residual, 1e3 * usual.residual,
              lungs.score);
  EXPECT_NEAR(usual.score, 0, 0.01) << "the person itself has the lungs of its size";
  EXPECT_GT(lungs.residual, 1.05 * usual.residual);
  EXPECT_GT(lungs.score, 0.2);
  // What is simulated is that cage.
  const auto model = [](const anatomy::Body& b) {
    return body::makeLivingModel(std::make_shared<const anatomy::Body>(b)).cage.restLung;
  };
  EXPECT_NEAR(model(w.fitted) - model(w.plain), lungs.residual - usual.residual,
              0.1 * (lungs.residual - usual.residual));
}

/// Meshing all bones of a body that nobody made before takes minutes; these lie all over it.
constexpr const char* kLookedAt[] = {"humerus_l", "ulna_l",   "femur_l",
                                     "tibia_l",   "rib_07_l", "hip_bone_l"};

/// The body with its own skin: how much of its bones comes through.
void expectBonesWithin(const anatomy::Body& body, const anatomy::Body& fitted, double mostShare) {
  const anatomy::GeometryCache cache;
  const SurfaceQuery skin(anatomy::makeSkinSurface(anatomy::skinModelOf(body), body, body.person,
                                                   {.triangles = anatomy::skinTriangles(0)}, cache)
                              .mesh);
  std::size_t outside = 0, all = 0;
  double worst = 0;
  std::string bone;
  for (const anatomy::Shape& s : fitted.shapes) {
    if (std::ranges::find(kLookedAt, s.bone) == std::end(kLookedAt)) continue;
    for (const Vec3& p : cache.boneMesh(s.shape, anatomy::kLightBone).positions) {
      ++all;
      if (skin.inside(p)) continue;
      ++outside;
      if (const double d = skin.closest(p).distance; d > worst) worst = d, bone = s.bone;
    }
  }
  std::printf("  %zu of %zu bone vertices outside, worst %.1f mm (%s)\n", outside, all, 1e3 * worst,
              bone.c_str());
  EXPECT_LT(static_cast<double>(outside), mostShare * static_cast<double>(all));
}

TEST(FittedBody, BonesLieWithinItsOwnSkin) {
  const WideChest& w = wideChest();
  expectBonesWithin(w.body, w.fitted, 0.01);
}

/// Spread limbs come down to our rest pose, bones and skin alike.
TEST(FittedBody, BonesOfACharacterWithSpreadArmsLieWithinItsRestSkin) {
  const auto folder = test::sharedData("characters");
  if (folder.empty()) GTEST_SKIP() << "no shared characters";
  FitRequest request;
  request.sex = anatomy::Sex::Male;
  const FittedFigure f = fitFigure(io::readMesh(folder / "male_average.obj"), *test::humanBody(),
                                   request, anatomy::GeometryCache());
  anatomy::Body body = anatomy::withFit(
      *test::humanBody(), fittedShapesOf(f, carryBones(*f.figure, f), "male_average.obj"));
  body.person = f.person;
  expectBonesWithin(body, anatomy::fitToPerson(body, body.person), 0.01);
}

}  // namespace
}  // namespace pneuma::fit
