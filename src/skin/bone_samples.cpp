#include "pneuma/skin/bone_samples.h"

#include <map>

#include "pneuma/anatomy/bone_surface.h"
#include "pneuma/anatomy/fitted_shapes.h"
#include "pneuma/anatomy/person_map.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::skin {
namespace {

constexpr double kSpacing = 0.008;  // of all bones [m]
/// How far skin slides where it lies on the bone [m]; as far again as the flesh is thick elsewhere.
/// Chosen on three clips and four people: at half of it ribs come out beside a raised arm, at twice
/// nothing is gained.
constexpr double kLeastSlide = 0.02;

Vec3 mirroredPlace(const Vec3& p) {
  return {-p.x(), p.y(), p.z()};
}

/// Samples of one bone, moved. The right side is the mirror image of what the left would become, to
/// the last bit.
void carryBone(const anatomy::PersonMap& map, const anatomy::Bone& bone,
               const anatomy::BoneShape& shape, std::span<BoneSample*> samples) {
  const bool right = bone.name.ends_with("_r");
  const anatomy::BoneShape left = right ? anatomy::mirrored(shape) : shape;
  const anatomy::MapBranch branch = anatomy::branchOf(bone);
  std::vector<Vec3> places;
  std::vector<bool> turned;
  for (const BoneSample* s : samples) {
    turned.push_back(right || (left.symmetric && s->place.x() < 0));
    places.push_back(map(branch, turned.back() ? mirroredPlace(s->place) : s->place));
  }
  places = anatomy::drawnOntoBone(left, std::move(places));
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i]->place = turned[i] ? mirroredPlace(places[i]) : places[i];
}

}  // namespace

BoneSamples sampleAllBones(const anatomy::Body& body, const anatomy::GeometryCache& cache) {
  return {sampleBones(body, cache, kSpacing, [](const anatomy::Bone&) { return true; }),
          sampleTrunk(body, cache), sampleCage(body, cache)};
}

BoneSamples carriedSamples(const BoneSamples& samples, const anatomy::Body& measured,
                           const anatomy::Body& fitted, const anatomy::Person& person) {
  if (anatomy::fittedShapes(measured))
    throw InputError("bone samples: a character's bones follow from its fit, not from a person");
  PNEUMA_CHECK(measured.bones.size() == fitted.bones.size(), "{} bones of {}", fitted.bones.size(),
               measured.bones.size());
  BoneSamples carried = samples;
  std::vector<std::vector<BoneSample*>> ofBone(fitted.bones.size());
  for (auto* list : {&carried.all, &carried.trunk, &carried.cage})
    for (BoneSample& s : *list) ofBone[at(s.bone)].push_back(&s);
  std::map<std::string, const anatomy::Shape*> shapes;
  for (const anatomy::Shape& s : fitted.shapes) shapes.emplace(s.bone, &s);
  const anatomy::PersonMap map(measured, person);
  parallelFor(ofBone.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      if (!ofBone[b].empty())
        carryBone(map, fitted.bones[b], shapes.at(fitted.bones[b].name)->shape, ofBone[b]);
  });
  return carried;
}

std::vector<double> skinSlide(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                              const std::vector<BoneSample>& all) {
  JointGroups one;  // only the distance is asked for
  one.ofBone.assign(body.bones.size(), 0);
  std::vector<double> slide = findWeightSources(surface, body, one, all).distance;
  for (double& l : slide) l += kLeastSlide;
  return slide;
}

SkinBinding bindSkin(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                     const anatomy::CompiledBody& compiled, BoneSamples samples) {
  const JointGroups groups = makeJointGroups(body, compiled);
  const WeightSources sources = findWeightSources(surface, body, groups, samples.all);
  return {.weights = diffuseWeights(surface.mesh, sources, groups),
          .trunk = std::move(samples.trunk),
          .cage = std::move(samples.cage),
          .slide = skinSlide(surface, body, samples.all)};
}

}  // namespace pneuma::skin
