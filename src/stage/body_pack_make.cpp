#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/fitted_shapes.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/core/mesh_simplify.h"
#include "pneuma/core/parallel.h"
#include "pneuma/stage/body_pack.h"
#include "stage/packed_person.h"

/// The part of a packed body that needs surfaces to be made: not for a browser.
namespace pneuma::stage {
namespace {

constexpr double kLinkSpacing = 0.012;  // of samples on bones [m]
constexpr double kLinkReach = 0.02;     // standard deviation of a link's weight around it [m]
constexpr double kLeastLink = 0.02;     // weight below which a link is left out

/// Without what only shapes are made from, and what a living body does not ask for.
std::string textOf(anatomy::Body body) {
  body.shapes.clear();
  body.skinEnvelope.clear();
  body.muscleSolids.clear();
  body.skinGroups.clear();
  body.skinPieces.clear();
  body.skinContours.clear();
  body.skinExtremities.clear();
  body.skinPrimitives.clear();
  body.skinFolds.clear();
  body.strengthTests.clear();
  return anatomy::bodyText(body);
}

/// The links around a place, the nearest samples of each bone deciding.
void bindPlace(const Vec3& p, const std::vector<skin::BoneSample>& samples,
               const std::vector<int>& linkOfBone, std::array<std::int32_t, kMuscleLinks>& links,
               std::array<double, kMuscleLinks>& weights) {
  double nearest = 1e300;
  for (const skin::BoneSample& s : samples)
    nearest = std::min(nearest, (s.place - p).squaredNorm());
  // A link counts by its nearest sample, so that large bones do not weigh more than small ones.
  std::map<int, double> found;
  for (const skin::BoneSample& s : samples) {
    const double d = (s.place - p).squaredNorm() - nearest;
    const double w = std::exp(-d / (2 * kLinkReach * kLinkReach)) - kLeastLink;
    if (w <= 0) continue;
    double& most = found[linkOfBone[static_cast<std::size_t>(s.bone)]];
    most = std::max(most, w);
  }
  std::vector<std::pair<double, int>> order;
  for (const auto& [link, w] : found) order.emplace_back(-w, link);
  std::ranges::sort(order);
  order.resize(std::min<std::size_t>(order.size(), kMuscleLinks));
  double sum = 0;
  for (const auto& [w, link] : order) sum -= w;
  links.fill(order.front().second);
  weights.fill(0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    links[k] = order[k].second;
    weights[k] = -order[k].first / sum;
  }
}

bool isTendon(const std::string& name) {
  return name.find("tendon") != std::string::npos || name.find("tract") != std::string::npos;
}

/// The subject's muscles; what they go with is judged on the subject too.
std::vector<MuscleShape> makeMuscles(const body::LivingModel& model, const anatomy::Body& measured,
                                     double tolerance) {
  const anatomy::GeometryCache cache;
  std::vector<skin::BoneSample> samples =
      skin::sampleBones(measured, cache, kLinkSpacing, [](const anatomy::Bone&) { return true; });
  const std::vector<int>& links = model.compiled.boneLink;
  std::erase_if(samples, [&](const skin::BoneSample& s) {
    return links[static_cast<std::size_t>(s.bone)] < 0;
  });
  const std::vector<anatomy::Shape> solids = anatomy::personMuscles(
      anatomy::skinModelOf(measured), anatomy::withoutFit(measured), measured.subject);
  std::vector<MuscleShape> muscles(solids.size());
  parallelFor(solids.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      MuscleShape& m = muscles[i];
      m = {.name = solids[i].bone, .tendon = isTendon(solids[i].bone)};
      m.mesh = lightened(cache.boneMesh(solids[i].shape, anatomy::kLightBone), tolerance);
      m.links.resize(m.mesh.vertexCount());
      m.weights.resize(m.mesh.vertexCount());
      for (std::size_t v = 0; v < m.links.size(); ++v)
        bindPlace(m.mesh.positions[v], samples, links, m.links[v], m.weights[v]);
    }
  });
  return muscles;
}

/// 1 on the arm, 0 on the trunk, and a slope over the shoulder: means of neighbours, again and
/// again.
std::vector<double> armShares(const anatomy::SkinSurface& skin) {
  constexpr int kRounds = 30;
  using anatomy::SkinPart;
  std::vector<double> share, next;
  for (const SkinPart p : skin.parts)
    share.push_back(p == SkinPart::UpperArm || p == SkinPart::Forearm || p == SkinPart::Hand ? 1.0
                    : p == SkinPart::Shoulder                                                ? 0.5
                                                                                             : 0.0);
  for (int round = 0; round < kRounds; ++round) {
    next.assign(share.size(), 0);
    std::vector<double> count(share.size(), 0);
    for (const Triangle& t : skin.mesh.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto a = static_cast<std::size_t>(t[k]), b = static_cast<std::size_t>(t[(k + 1) % 3]);
        next[a] += share[b], ++count[a];
        next[b] += share[a], ++count[b];
      }
    for (std::size_t v = 0; v < share.size(); ++v) share[v] = 0.5 * (share[v] + next[v] / count[v]);
  }
  return share;
}

/// Lean, as the person, stout; of both sexes or of the person's alone.
SkinForms makeForms(const body::LivingModel& model, const anatomy::Body& measured,
                    const BodyPackOptions& options) {
  constexpr double kLean = 18.5, kStout = 34;  // body mass index [kg/m^2]
  const anatomy::GeometryCache cache;
  const anatomy::Person& own = model.body->person;
  const bool everyone = options.everyone && !anatomy::isFitted(measured);  // a character is one
  const auto skinOf = [&](const anatomy::Person& person) {
    return anatomy::makeShownSkin(measured, person, options.skinTriangles, cache);
  };
  const anatomy::SkinSurface skin = skinOf(own);
  SkinForms forms{.triangles = skin.mesh.triangles, .parts = skin.parts};
  forms.armShare = armShares(skin);
  const double index = std::clamp(own.mass / (own.height * own.height), kLean + 2, kStout - 4);
  for (const anatomy::Sex sex : {anatomy::Sex::Male, anatomy::Sex::Female})
    for (const double bodyMassIndex : {kLean, index, kStout}) {
      anatomy::Person person = own;
      person.sex = sex;
      if (!everyone && (sex != own.sex || bodyMassIndex != index)) continue;
      if (everyone) person.mass = bodyMassIndex * own.height * own.height;
      const internal::BlendedMap map(measured, person);
      std::vector<Vec3> places = skinOf(person).mesh.positions;
      for (std::size_t v = 0; v < places.size(); ++v)
        places[v] = map.toSubject(places[v], forms.armShare[v]);
      forms.bySex[sex == anatomy::Sex::Female ? 1 : 0].push_back(std::move(places));
    }
  forms.binding = skin::bindSkin(skin, *model.body, model.compiled, cache);
  const anatomy::PersonMap map(measured, own);
  for (auto* samples : {&forms.binding.trunk, &forms.binding.cage})
    for (skin::BoneSample& s : *samples)
      s.place = map.toSubject(anatomy::branchOf(measured.bones[static_cast<std::size_t>(s.bone)]),
                              s.place);
  return forms;
}

}  // namespace

BodyPack makeBodyPack(const anatomy::Body& measured, const PersonRequest& request,
                      std::string styles, const BodyPackOptions& options) {
  const anatomy::Person person = personOf(request, measured);
  const body::LivingModel model = body::makeLivingModel(
      std::make_shared<anatomy::Body>(anatomy::fitToPerson(measured, person)));
  BodyPack pack{.person = {.sex = person.sex == anatomy::Sex::Female ? "female" : "male",
                           .height = person.height,
                           .mass = person.mass,
                           .age = person.age},
                .body = textOf(measured),
                .styles = std::move(styles),
                .bones = makeBoneMeshes(measured)};
  for (auto& [name, mesh] : pack.bones) mesh = lightened(mesh, options.boneTolerance);
  if (options.skinTriangles > 0) pack.skin = makeForms(model, measured, options);
  pack.muscles = makeMuscles(model, measured, options.muscleTolerance);
  return pack;
}

}  // namespace pneuma::stage
