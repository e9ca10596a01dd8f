#include "pneuma/skin/bone_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/surface_query.h"
#include "tests/support/human.h"

namespace pneuma::skin {
namespace {

int boneNamed(const anatomy::Body& body, const std::string& name) {
  const auto it = std::ranges::find(body.bones, name, &anatomy::Bone::name);
  return static_cast<int>(it - body.bones.begin());
}

TriangleMesh meshOf(const anatomy::Body& body, const std::string& bone) {
  const auto it = std::ranges::find(body.shapes, bone, &anatomy::Shape::bone);
  return anatomy::GeometryCache().boneMesh(it->shape, anatomy::kLightBone);
}

/// A woman unlike the measured man: bones carried lie on her own surfaces, left and right alike.
TEST(BoneSamples, ArePlacesOnThePersonsOwnBones) {
  const anatomy::Body& measured = *test::humanBody();
  anatomy::Person woman;
  woman.sex = anatomy::Sex::Female;
  woman.height = 1.58, woman.mass = 78, woman.frontalScale = 1.05;
  const anatomy::Body fitted = anatomy::fitToPerson(measured, woman);
  // A rib of each side, a thin plate, a bone of the middle and one of the arm.
  for (const char* name : {"rib_05_l", "rib_05_r", "scapula_l", "vertebra_t08", "humerus_r"}) {
    BoneSamples samples;
    for (const Vec3& p : meshOf(measured, name).positions)
      samples.all.push_back({boneNamed(measured, name), p});
    const BoneSamples carried = carriedSamples(samples, measured, fitted, woman);
    std::vector<Vec3> places;
    for (const BoneSample& s : carried.all) places.push_back(s.place);
    const SurfaceQuery own(meshOf(fitted, name));
    double sum = 0;
    for (const Vec3& p : places) sum += std::pow(own.closest(p).distance, 2);
    // The light mesh is within 0.2 mm of the bone; beyond the rim of a plate its field is no
    // distance, and what is drawn stops short of it.
    const double most = std::string_view(name) == "scapula_l" ? 0.4e-3 : 0.15e-3;
    EXPECT_LT(std::sqrt(sum / static_cast<double>(places.size())), most) << name;
    EXPECT_GT((places.front() - samples.all.front().place).norm(), 5e-3) << name;
  }
}

TEST(BoneSamples, MirroredPlacesStayMirroredToTheLastBit) {
  const anatomy::Body& measured = *test::humanBody();
  anatomy::Person heavy = measured.subject;
  heavy.mass = 120;
  const anatomy::Body fitted = anatomy::fitToPerson(measured, heavy);
  const int left = boneNamed(measured, "rib_07_l"), right = boneNamed(measured, "rib_07_r"),
            middle = boneNamed(measured, "body_of_sternum");
  BoneSamples samples;
  const TriangleMesh rib = meshOf(measured, "rib_07_l"),
                     sternum = meshOf(measured, "body_of_sternum");
  for (std::size_t i = 0; i < rib.vertexCount(); i += 20) {
    const Vec3 p = rib.positions[i];
    samples.cage.push_back({left, p});
    samples.cage.push_back({right, Vec3(-p.x(), p.y(), p.z())});
  }
  for (std::size_t i = 0; i < sternum.vertexCount(); i += 20) {
    const Vec3 p(std::abs(sternum.positions[i].x()), sternum.positions[i].y(),
                 sternum.positions[i].z());
    samples.trunk.push_back({middle, p});
    samples.trunk.push_back({middle, Vec3(-p.x(), p.y(), p.z())});
  }
  const BoneSamples carried = carriedSamples(samples, measured, fitted, heavy);
  for (const auto* list : {&carried.cage, &carried.trunk})
    for (std::size_t i = 0; i < list->size(); i += 2) {
      const Vec3 &a = (*list)[i].place, &b = (*list)[i + 1].place;
      EXPECT_EQ(a, Vec3(-b.x(), b.y(), b.z()));
    }
}

}  // namespace
}  // namespace pneuma::skin
