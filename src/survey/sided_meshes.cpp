#include "survey/sided_meshes.h"

#include "anatomy/text/names.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "survey/measure_recipes.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;

SidedMeshes::SidedMeshes(const AnatomyPack& pack) : pack_(pack) {
  for (const Recipe& recipe : boneRecipes())
    for (const RecipePiece& piece : recipe.pieces)
      parts_[recipe.name].insert(parts_[recipe.name].end(), piece.meshes.begin(),
                                 piece.meshes.end());
}

TriangleMesh SidedMeshes::load(const std::string& name, Side side) const {
  const auto one = [&](const std::string& part) {
    return side == Side::Left ? pack_.mesh(part) : mirroredMesh(pack_.mesh(mirrorName(part)));
  };
  const auto it = parts_.find(name);
  if (it == parts_.end()) return one(name);
  TriangleMesh whole;
  for (const std::string& part : it->second) append(whole, one(part));
  return whole;
}

const TriangleMesh& SidedMeshes::mesh(const std::string& name, Side side) {
  const auto it = meshes_.find({name, side});
  return it != meshes_.end() ? it->second
                             : meshes_.emplace(Key{name, side}, load(name, side)).first->second;
}

const SurfaceQuery& SidedMeshes::query(const std::string& name, Side side) {
  return query(std::vector<std::string>{name}, side);
}

const SurfaceQuery& SidedMeshes::query(const std::vector<std::string>& names, Side side) {
  std::string key;
  for (const std::string& name : names) key += name + " ";
  std::unique_ptr<SurfaceQuery>& query = queries_[{key, side}];
  if (!query) {
    TriangleMesh whole;
    for (const std::string& name : names) append(whole, mesh(name, side));
    query = std::make_unique<SurfaceQuery>(std::move(whole));
  }
  return *query;
}

}  // namespace pneuma::survey::internal
