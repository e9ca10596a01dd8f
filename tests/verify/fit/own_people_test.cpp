#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/fit/fit_figure.h"
#include "pneuma/fit/inside.h"
#include "pneuma/fit/soft_tissue.h"
#include "tests/support/human.h"
#include "tests/verify/fit/own_people.h"

namespace pneuma::fit {
namespace {

test::OwnPerson anonymous(anatomy::Sex sex, double height, double mass,
                          std::optional<double> arms) {
  anatomy::Person person;
  person.sex = sex, person.height = height, person.mass = mass;
  return test::ownPerson(*test::humanBody(), person, arms, 0.5e-3, "own");
}

/// Size and joints against what is known.
void expectFittedBack(const FittedFigure& f, const CarriedAnatomy& inside,
                      const test::OwnPerson& own) {
  const anatomy::Person& truth = own.truth.person;
  EXPECT_EQ(f.report.unit, "cm");
  EXPECT_NEAR(f.person.height, truth.height, 0.01 * truth.height);
  EXPECT_NEAR(f.person.mass, truth.mass, 0.05 * truth.mass);
  EXPECT_NEAR(inside.cageVolume, 1, 0.1);
  double sum = 0, count = 0;
  for (const NamedPair& pair : kNamedPairs)
    for (std::size_t s = 0; s < 2; ++s) {
      const Vec3 known = own.character.marker(std::string(pair.name) + (s == 0 ? "_l" : "_r"));
      sum += ((inside.joints.*pair.place)[s] - f.frame.toBody(known)).squaredNorm(), count += 1;
    }
  EXPECT_LT(std::sqrt(sum / count), 8e-3);
}

TEST(FitOwnPeople, AnonymousMeshOfAWomanIsFittedBack) {
  const test::OwnPerson own = anonymous(anatomy::Sex::Female, 1.68, 66, std::nullopt);
  const FigureTemplate& truth = own.truth;
  FitRequest request;
  request.sex = anatomy::Sex::Female;
  const FittedFigure f =
      fitFigure(own.character.mesh, *test::humanBody(), request, anatomy::GeometryCache());
  const CarriedAnatomy inside = carryBones(*f.figure, f);
  expectFittedBack(f, inside, own);
  // To the true surface, without its noise; and vertex by vertex on the trunk.
  const SurfaceQuery clean(truth.skin.mesh);
  std::vector<Vec3> back = f.skin.mesh.positions;
  double apart = 0, vertices = 0;
  for (std::size_t v = 0; v < back.size(); ++v) {
    const Vec3 file = f.frame.toFile(back[v]) / 100;
    back[v] = Vec3(file.x(), file.z(), -file.y());
    const anatomy::SkinPart part = f.skin.parts[v];
    if (part != anatomy::SkinPart::Chest && part != anatomy::SkinPart::Abdomen) continue;
    apart += (back[v] - truth.skin.mesh.positions[v]).squaredNorm(), vertices += 1;
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

TEST(FitOwnPeople, AnonymousMeshOfAManInTPoseIsFittedBack) {
  const test::OwnPerson own = anonymous(anatomy::Sex::Male, 1.70, 62, kPi / 2);
  FitRequest request;
  request.sex = anatomy::Sex::Male;
  const FittedFigure f =
      fitFigure(own.character.mesh, *test::humanBody(), request, anatomy::GeometryCache());
  expectFittedBack(f, carryBones(*f.figure, f), own);
}

}  // namespace
}  // namespace pneuma::fit
