#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/mesh_simplify.h"
#include "pneuma/core/random.h"
#include "pneuma/fit/fit_figure.h"
#include "pneuma/fit/inside.h"
#include "pneuma/fit/soft_tissue.h"

namespace pneuma::fit {
namespace {

/// One of our own people as an anonymous mesh: other triangles, noise, centimetres, z up.
struct Anonymous {
  anatomy::Body body = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  FigureTemplate truth;
  TriangleMesh mesh;

  Anonymous(anatomy::Sex sex, double height, double mass, double noise) {
    anatomy::Person person;
    person.sex = sex, person.height = height, person.mass = mass;
    truth = makeFigureTemplate(body, person, anatomy::GeometryCache());
    mesh = simplified(truth.skin.mesh, 0.5e-3);
    const std::vector<Vec3> normals = vertexNormals(mesh);
    Random random(5);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const Vec3 p = mesh.positions[v] + noise * random.normal() * normals[v];
      mesh.positions[v] = 100 * Vec3(p.x(), -p.z(), p.y());
    }
  }
};

TEST(FitOwnPeople, AnonymousMeshOfAWomanIsFittedBack) {
  const Anonymous a(anatomy::Sex::Female, 1.68, 66, 0.5e-3);
  FitRequest request;
  request.sex = anatomy::Sex::Female;
  const FittedFigure f = fitFigure(a.mesh, a.body, request, anatomy::GeometryCache());
  EXPECT_EQ(f.report.unit, "cm");
  EXPECT_NEAR(f.person.height, 1.68, 0.01 * 1.68);
  EXPECT_NEAR(f.person.mass, 66, 0.05 * 66);
  const CarriedAnatomy inside = carryBones(*f.figure, f);
  EXPECT_NEAR(inside.cageVolume, 1, 0.1);
  // The trunk's middle stands above the origin in the fitted frame; compare from the neck.
  const Vec3 shift = a.truth.joints.neck - inside.joints.neck;
  double sum = 0, count = 0;
  const FigureJoints &j = inside.joints, &t = a.truth.joints;
  for (std::size_t s = 0; s < 2; ++s)
    for (const auto& [found, truth] :
         {std::pair(j.shoulder[s], t.shoulder[s]), std::pair(j.elbow[s], t.elbow[s]),
          std::pair(j.wrist[s], t.wrist[s]), std::pair(j.hip[s], t.hip[s]),
          std::pair(j.knee[s], t.knee[s]), std::pair(j.ankle[s], t.ankle[s])})
      sum += (found + shift - truth).squaredNorm(), count += 1;
  EXPECT_LT(std::sqrt(sum / count), 8e-3);
  // To the true surface, without its noise; and vertex by vertex on the trunk.
  const SurfaceQuery clean(a.truth.skin.mesh);
  std::vector<Vec3> back = f.skin.mesh.positions;
  double apart = 0, vertices = 0;
  for (std::size_t v = 0; v < back.size(); ++v) {
    const Vec3 file = f.frame.toFile(back[v]) / 100;
    back[v] = Vec3(file.x(), file.z(), -file.y());
    const anatomy::SkinPart part = f.skin.parts[v];
    if (part != anatomy::SkinPart::Chest && part != anatomy::SkinPart::Abdomen) continue;
    apart += (back[v] - a.truth.skin.mesh.positions[v]).squaredNorm(), vertices += 1;
  }
  std::vector<bool> outsideHands;
  for (const anatomy::SkinPart part : f.skin.parts)
    outsideHands.push_back(part != anatomy::SkinPart::Hand);
  EXPECT_LT(shape::measureDistances(back, clean, outsideHands).rms, 0.6e-3);
  EXPECT_LT(std::sqrt(apart / vertices), 4e-3);
  // She has the soft tissue of a woman of her size, for that is what she is.
  for (const SoftTissueRow& row : softTissue(f, inside, anatomy::GeometryCache()).parts) {
    EXPECT_NEAR(row.median, row.usual, 0.15 * row.usual + 2e-3) << anatomy::name(row.part);
    EXPECT_LT(row.low, row.median);
    EXPECT_LT(row.median, row.high);
  }
}

}  // namespace
}  // namespace pneuma::fit
