#include "skin/tissue.h"

#include <algorithm>
#include <map>

#include "pneuma/skeleton/from_body.h"

namespace pneuma::skin::internal {
namespace {}  // namespace

Tissue::Tissue(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
               const skeleton::Model& model, const flesh::FigureBellies* bellies,
               const anatomy::GeometryCache& cache)
    : bellies_(bellies), primitives_(body, compiled, model), groups_(body.skinGroups.size()) {
  const std::vector<int> links = skeleton::linkIndices(compiled, model);
  std::map<std::string, int> bellyIndex;
  for (int i = 0; bellies_ != nullptr && i < bellies_->count(); ++i)
    bellyIndex[bellies_->name(i)] = i;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const anatomy::SkinGroup& described = body.skinGroups[g];
    if (described.root) root_ = static_cast<int>(g);
    addBones(groups_[g], described, body, compiled, links, cache);
    TriangleMesh joined;
    for (const std::string& name : described.bellies) {
      const auto it = bellyIndex.find(name);
      if (it == bellyIndex.end()) continue;
      TriangleMesh mesh;
      bellies_->belly(it->second).state().positions(mesh.positions);
      mesh.triangles = bellies_->belly(it->second).model().triangles();
      groups_[g].bellies.push_back(it->second);
      groups_[g].first.push_back(append(joined, mesh));
    }
    if (!joined.empty())
      groups_[g].flesh = std::make_unique<SurfaceQuery>(SurfaceQuery::moving(std::move(joined)));
  }
  for (int i = 0; i < primitives_.count(); ++i)
    for (const int g : primitives_.groups(i)) {
      Group& group = groups_[static_cast<std::size_t>(g)];
      (primitives_.blends(i) ? group.blended : group.unblended).push_back(i);
    }
}

void Tissue::addBones(Group& group, const anatomy::SkinGroup& described, const anatomy::Body& body,
                      const anatomy::CompiledBody& compiled, const std::vector<int>& links,
                      const anatomy::GeometryCache& cache) {
  std::map<int, TriangleMesh> meshes;  // by link, in its frame
  for (const std::string& name : described.bones) {
    const auto bone =
        std::ranges::find(body.bones, name, &anatomy::Bone::name) - body.bones.begin();
    const auto shape = std::ranges::find(body.shapes, name, &anatomy::Shape::bone);
    const int link = compiled.boneLink[static_cast<std::size_t>(bone)];
    if (link < 0 || shape == body.shapes.end()) continue;
    TriangleMesh mesh = cache.boneMesh(shape->shape, anatomy::kLightBone);
    for (Vec3& p : mesh.positions) p -= compiled.links[static_cast<std::size_t>(link)].center;
    append(meshes[links[static_cast<std::size_t>(link)]], mesh);
  }
  for (auto& [link, mesh] : meshes) {
    const Box box = boundingBox(mesh.positions);
    group.bones.push_back(
        {link, box.center(), 0.5 * box.size().norm(), SurfaceQuery(std::move(mesh))});
  }
}

void Tissue::follow(const VecX& q, const skeleton::Kinematics& kinematics) {
  poses_.assign(kinematics.X_WL.begin(), kinematics.X_WL.end());
  primitives_.follow(q, kinematics);
  for (Group& group : groups_) {
    group.melted.clear();
    for (const int i : group.blended) group.melted.push_back(primitives_.ellipsoid(i));
    if (!group.flesh) continue;
    points_.resize(group.flesh->mesh().positions.size());
    for (std::size_t b = 0; b < group.bellies.size(); ++b) {
      bellies_->belly(group.bellies[b]).state().positions(belly_);
      std::ranges::copy(belly_, points_.begin() + group.first[b]);
    }
    group.flesh->move(points_);
  }
}

double Tissue::castGroup(const Group& group, const Vec3& origin, const Vec3& direction,
                         double reach) const {
  double best = -1;
  const auto take = [&](const std::optional<double>& distance) {
    if (distance) best = std::max(best, *distance);
  };
  if (group.flesh)
    if (const auto hit = group.flesh->lastHit(origin, direction, reach)) take(hit->distance);
  if (!group.melted.empty()) take(castBlended(group.melted, origin, direction, reach));
  for (const int i : group.unblended)
    take(castUnblended(primitives_.ellipsoid(i), origin, direction, reach));
  for (const Bones& bones : group.bones) {
    const Pose& X = poses_[static_cast<std::size_t>(bones.link)];
    const Vec3 o = X.rotation.transpose() * (origin - X.position);
    const Vec3 d = X.rotation.transpose() * direction;
    // The part of the ray within the sphere around them, beyond what was hit before.
    const Vec3 to = bones.center - o;
    const double middle = to.dot(d), aside = to.squaredNorm() - middle * middle;
    const double half = bones.radius * bones.radius - aside;
    if (half <= 0 || middle + std::sqrt(half) <= std::max(best, 0.0)) continue;
    if (const auto hit = bones.surface.lastHit(o, d, reach)) take(hit->distance);
  }
  return best;
}

double Tissue::outermost(std::span<const int> groups, const Vec3& origin, const Vec3& direction,
                         double reach) const {
  double best = -1;
  for (const int g : groups)
    best =
        std::max(best, castGroup(groups_[static_cast<std::size_t>(g)], origin, direction, reach));
  if (root_ >= 0)
    best = std::max(best,
                    castGroup(groups_[static_cast<std::size_t>(root_)], origin, direction, reach));
  return best;
}

}  // namespace pneuma::skin::internal
