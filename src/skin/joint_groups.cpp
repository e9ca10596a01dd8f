#include "pneuma/skin/joint_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::skin {
namespace {

/// The vertebra whose motion a bone of the cage has without breath. The sternum spans levels: its
/// pieces lie before these vertebrae.
std::string vertebraOf(const std::string& bone) {
  if (bone == "manubrium") return "vertebra_t03";
  if (bone == "body_of_sternum") return "vertebra_t06";
  if (bone == "xiphoid_process") return "vertebra_t09";
  for (const std::string prefix : {"rib_", "costal_cartilage_"})
    if (bone.starts_with(prefix)) return "vertebra_t" + bone.substr(prefix.size(), 2);
  return {};
}

int boneIndex(const anatomy::Body& body, const std::string& name) {
  const auto it = std::ranges::find(body.bones, name, &anatomy::Bone::name);
  return it == body.bones.end() ? -1 : static_cast<int>(it - body.bones.begin());
}

bool inTrunk(const anatomy::Bone& bone) {
  using anatomy::BodyRegion;
  return bone.region == BodyRegion::Thorax || bone.region == BodyRegion::Abdomen ||
         bone.region == BodyRegion::Pelvis;
}

}  // namespace

bool isCageBone(const std::string& name) {
  return !vertebraOf(name).empty();
}

JointGroups makeJointGroups(const anatomy::Body& body, const anatomy::CompiledBody& compiled) {
  JointGroups groups;
  groups.ofBone.assign(body.bones.size(), 0);
  std::vector<int> groupOfLink(compiled.links.size(), -1);
  for (std::size_t l = 0; l < compiled.links.size(); ++l) {
    const anatomy::CompiledLink& link = compiled.links[l];
    const auto own = std::ranges::find_if(
        link.bones, [&](int b) { return !isCageBone(body.bones[at(b)].name); });
    if (own == link.bones.end()) continue;
    int parent = link.parent;
    while (parent >= 0 && groupOfLink[at(parent)] < 0) parent = compiled.links[at(parent)].parent;
    groupOfLink[l] = groups.count();
    groups.names.push_back(link.name);
    groups.parent.push_back(parent < 0 ? -1 : groupOfLink[at(parent)]);
    groups.carrier.push_back(*own);
    groups.center.push_back(link.center);
    groups.trunk.push_back(inTrunk(body.bones[at(*own)]));
    for (const int b : link.bones) groups.ofBone[at(b)] = groupOfLink[l];
  }
  if (groups.count() == 0)
    throw InputError("skin: articulation '" + compiled.articulation + "' carries no bone");
  // The cage's own links: with the vertebra at their level.
  for (std::size_t l = 0; l < compiled.links.size(); ++l) {
    if (groupOfLink[l] >= 0) continue;
    for (const int b : compiled.links[l].bones) {
      const int vertebra = boneIndex(body, vertebraOf(body.bones[at(b)].name));
      PNEUMA_CHECK(vertebra >= 0, "no vertebra for {}", body.bones[at(b)].name);
      groups.ofBone[at(b)] = groups.ofBone[at(vertebra)];
    }
  }
  return groups;
}

namespace {

bool isOfMiddle(const std::string& bone) {
  return !bone.ends_with("_l") && !bone.ends_with("_r");
}

/// One vertex of the surface for each cell of a grid that is symmetric about x = 0: the one nearest
/// to the cell's middle. A bone of the middle, whose surface is symmetric but not its vertices,
/// gets those of its left half and their images.
void addSamples(const TriangleMesh& mesh, int bone, bool middle, double spacing,
                std::vector<BoneSample>& out) {
  using Cell = std::tuple<long, long, long>;
  std::map<Cell, std::pair<double, std::size_t>> chosen;
  for (std::size_t i = 0; i < mesh.vertexCount(); ++i) {
    if (middle && mesh.positions[i].x() < 0) continue;
    const Vec3 p(std::abs(mesh.positions[i].x()), mesh.positions[i].y(), mesh.positions[i].z());
    const Vec3 cell = (p / spacing).array().floor();
    const double off = (p / spacing - cell - Vec3::Constant(0.5)).squaredNorm();
    const Cell key(std::lround(cell.x()) * 2 + (mesh.positions[i].x() < 0 ? 1 : 0),
                   std::lround(cell.y()), std::lround(cell.z()));
    const auto [it, fresh] = chosen.emplace(key, std::pair(off, i));
    if (!fresh && off < it->second.first) it->second = {off, i};
  }
  for (const auto& [cell, best] : chosen) {
    const Vec3& p = mesh.positions[best.second];
    out.push_back({bone, p});
    if (middle && p.x() > 0) out.push_back({bone, Vec3(-p.x(), p.y(), p.z())});
  }
}

}  // namespace

std::vector<BoneSample> sampleBones(const anatomy::Body& body, const anatomy::GeometryCache& cache,
                                    double spacing, bool (*wanted)(const anatomy::Bone&)) {
  std::vector<std::pair<int, const anatomy::Shape*>> shapes;
  for (const anatomy::Shape& s : body.shapes) {
    const int bone = boneIndex(body, s.bone);
    if (bone >= 0 && wanted(body.bones[at(bone)])) shapes.emplace_back(bone, &s);
  }
  std::vector<TriangleMesh> meshes(shapes.size());
  parallelFor(shapes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      meshes[i] = cache.boneMesh(shapes[i].second->shape, anatomy::kLightBone);
  });
  std::vector<BoneSample> samples;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    addSamples(meshes[i], shapes[i].first, isOfMiddle(body.bones[at(shapes[i].first)].name),
               spacing, samples);
  return samples;
}

void boneMotions(const anatomy::CompiledBody& compiled, const std::vector<Pose>& linkMotions,
                 std::vector<Pose>& bones) {
  PNEUMA_CHECK(linkMotions.size() == compiled.links.size(), "{} motions for {} links",
               linkMotions.size(), compiled.links.size());
  bones.resize(compiled.boneLink.size());
  for (std::size_t b = 0; b < bones.size(); ++b)
    bones[b] = linkMotions[at(std::max(compiled.boneLink[b], 0))];
}

}  // namespace pneuma::skin
