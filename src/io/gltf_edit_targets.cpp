#include <fmt/format.h>

#include <algorithm>

#include "io/gltf_edit_impl.h"
#include "pneuma/core/check.h"
#include "pneuma/io/file.h"

namespace pneuma::io {
namespace {

using TargetJson = nlohmann::ordered_json;

bool allZero(std::span<const Vec3> vectors) {
  return std::all_of(vectors.begin(), vectors.end(), [](const Vec3& v) {
    return v.cast<float>().isZero(0);  // as the file would hold them
  });
}

int addOffsets(internal::GltfBuffer& buffer, std::span<const Vec3> offsets) {
  return allZero(offsets) ? buffer.addZeroVectors(offsets.size()) : buffer.addMostlyZero(offsets);
}

/// Names of the targets a mesh has: what it says, and stand-ins where it says nothing.
std::vector<std::string> targetNames(const TargetJson& mesh, std::size_t count) {
  std::vector<std::string> names;
  if (mesh.contains("extras") && mesh["extras"].is_object() &&
      mesh["extras"].contains("targetNames") && mesh["extras"]["targetNames"].is_array())
    for (const TargetJson& name : mesh["extras"]["targetNames"])
      names.push_back(name.is_string() ? name.get<std::string>() : std::string());
  for (std::size_t k = names.size(); k < count; ++k) names.push_back(fmt::format("target_{}", k));
  names.resize(count);
  return names;
}

std::size_t targetCount(const TargetJson& primitive) {
  return primitive.contains("targets") ? primitive["targets"].size() : 0;
}

void widen(TargetJson& object, std::size_t by) {
  if (object.contains("weights"))
    for (std::size_t k = 0; k < by; ++k) object["weights"].push_back(0);
}

}  // namespace

const GltfEdit::Impl::Gain* GltfEdit::Impl::gainOf(std::size_t node) const {
  const auto mesh = internal::GltfDocument::index(document.at("nodes", node), "mesh");
  const auto it = mesh ? gains.find(*mesh) : gains.end();
  return it == gains.end() ? nullptr : &it->second;
}

std::vector<double> GltfEdit::Impl::restWeights(std::size_t node) const {
  const auto& n = document.at("nodes", node);
  const auto mesh = internal::GltfDocument::index(n, "mesh");
  const Gain* gain = gainOf(node);
  PNEUMA_CHECK(mesh && gain, "node {} gained nothing", node);
  std::vector<double> weights(gain->before, 0.0);
  const auto& m = document.at("meshes", *mesh);
  const auto& given = n.contains("weights") ? n : m;
  if (given.contains("weights"))
    for (std::size_t k = 0; k < std::min(weights.size(), given["weights"].size()); ++k)
      weights[k] = given["weights"][k].get<double>();
  return weights;
}

void GltfEdit::addTargets(int mesh, std::span<const MorphTarget> targets) {
  Impl& in = *impl_;
  const auto object = std::find_if(in.objects.begin(), in.objects.end(),
                                   [&](const GltfObject& o) { return o.mesh == mesh; });
  PNEUMA_CHECK(object != in.objects.end(), "mesh {} is not shown", mesh);
  PNEUMA_CHECK(!in.gains.contains(static_cast<std::size_t>(mesh)), "mesh {} twice", mesh);
  PNEUMA_CHECK(in.gains.empty() || in.gains.begin()->second.targets == targets.size(),
               "{} targets for one mesh and {} for another", in.gains.begin()->second.targets,
               targets.size());
  // glTF wants as many targets on every primitive of a mesh, so all of them are checked before any
  // of them gains one.
  TargetJson& json = in.json["meshes"][static_cast<std::size_t>(mesh)];
  TargetJson& primitives = json["primitives"];
  const std::size_t before = targetCount(primitives[0]);
  for (std::size_t p = 1; p < primitives.size(); ++p)
    if (targetCount(primitives[p]) != before)
      throw InputError(fileError(
          in.file, fmt::format("meshes[{}].primitives[{}] has {} targets, the first one has {}",
                               mesh, p, targetCount(primitives[p]), before)));

  std::vector<std::string> names = targetNames(json, before);
  for (const MorphTarget& target : targets) {
    if (std::find(names.begin(), names.end(), target.name) != names.end())
      throw InputError(
          fileError(in.file, fmt::format("meshes[{}] has a target '{}' already", mesh, target.name),
                    "a file that does not breathe yet"));
    names.push_back(target.name);
    PNEUMA_CHECK(target.offsets.size() == object->surface.vertexCount(), "{} offsets for {}",
                 target.offsets.size(), object->surface.vertexCount());
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const GltfPrimitive& part = object->primitives[p];
      const auto slice = [&](const std::vector<Vec3>& all) {
        return std::span(all).subspan(part.firstVertex, part.vertexCount);
      };
      TargetJson entry = {{"POSITION", in.fileIndex(addOffsets(in.added, slice(target.offsets)))}};
      if (!target.normalOffsets.empty() && primitives[p]["attributes"].contains("NORMAL"))
        entry["NORMAL"] = in.fileIndex(addOffsets(in.added, slice(target.normalOffsets)));
      primitives[p]["targets"].push_back(std::move(entry));
    }
  }
  // Extras may be anything; only an object has room for names.
  if (!json.contains("extras") || json["extras"].is_object()) json["extras"]["targetNames"] = names;
  widen(json, targets.size());
  for (std::size_t n = 0; n < in.document.count("nodes"); ++n)
    if (internal::GltfDocument::index(in.document.at("nodes", n), "mesh") ==
        static_cast<std::size_t>(mesh))
      widen(in.json["nodes"][n], targets.size());
  in.gains[static_cast<std::size_t>(mesh)] = {.before = before, .targets = targets.size()};
}

}  // namespace pneuma::io
