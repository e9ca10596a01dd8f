#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/mesh_simplify.h"
#include "pneuma/core/parallel.h"
#include "pneuma/stage/body_pack.h"

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

std::vector<MuscleShape> makeMuscles(const body::LivingModel& model, const anatomy::Body& measured,
                                     double tolerance) {
  const anatomy::GeometryCache cache;
  std::vector<skin::BoneSample> samples = skin::sampleBones(
      *model.body, cache, kLinkSpacing, [](const anatomy::Bone&) { return true; });
  const std::vector<int>& links = model.compiled.boneLink;
  std::erase_if(samples, [&](const skin::BoneSample& s) {
    return links[static_cast<std::size_t>(s.bone)] < 0;
  });
  const std::vector<anatomy::Shape> solids =
      anatomy::personMuscles(anatomy::skinModelOf(measured), measured, model.body->person);
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
                .shapes = makePersonShapes(model, measured, options.skinTriangles)};
  for (auto& [name, mesh] : pack.shapes.bones) mesh = lightened(mesh, options.boneTolerance);
  pack.muscles = makeMuscles(model, measured, options.muscleTolerance);
  return pack;
}

}  // namespace pneuma::stage
