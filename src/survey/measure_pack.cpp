#include "pneuma/survey/measure_pack.h"

#include <toml++/toml.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/io/toml_depth.h"

namespace pneuma::survey {

namespace {

using Json = nlohmann::json;

Json readManifest(const std::filesystem::path& file) {
  const std::string text = io::readFile(file).valueOrThrow();
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("parts") ||
      !json["parts"].is_array())
    throw InputError(Diagnostic{.where = {file.string()},
                                .message = "not a manifest of an anatomy folder",
                                .expected = "a JSON object with a list 'parts'"});
  return json;
}

std::string textOf(const Json& entry, const char* field) {
  return entry.contains(field) && entry[field].is_string() ? entry[field].get<std::string>() : "";
}

double numberOf(const Json& entry, const char* field) {
  return entry.contains(field) && entry[field].is_number() ? entry[field].get<double>() : 0;
}

PackPart readPart(const Json& entry, const std::filesystem::path& folder, std::size_t row) {
  PackPart part;
  part.key = textOf(entry, "key");
  const std::string file = textOf(entry, "file");
  if (part.key.empty() || file.empty())
    throw InputError(Diagnostic{.where = {(folder / "manifest.json").string()},
                                .subject = "parts[" + std::to_string(row) + "]",
                                .field = part.key.empty() ? "key" : "file",
                                .message = "missing",
                                .expected = "text"});
  part.name = part.key;
  part.kind = textOf(entry, "class");
  part.side = textOf(entry, "side");
  part.file = folder / file;
  part.volume = numberOf(entry, "volume_mm3") * 1e-9;
  return part;
}

}  // namespace

AnatomyPack::AnatomyPack(std::filesystem::path folder) : folder_(std::move(folder)) {
  const Json manifest = readManifest(folder_ / "manifest.json");
  attribution_ = textOf(manifest, "attribution");
  if (textOf(manifest, "units") == "m") unit_ = 1;
  if (manifest.contains("axes")) midPlane_ = numberOf(manifest["axes"], "midsagittal_plane_x_mm");
  double lowest = 1e300;
  for (std::size_t i = 0; i < manifest["parts"].size(); ++i) {
    const Json& entry = manifest["parts"][i];
    parts_.push_back(readPart(entry, folder_, i));
    if (entry.contains("bbox_min") && entry["bbox_min"].size() == 3 &&
        entry["bbox_min"].is_array() && entry["bbox_min"][2].is_number())
      lowest = std::min(lowest, entry["bbox_min"][2].get<double>());
  }
  floor_ = lowest < 1e300 ? lowest : 0;
  readNames();
  for (std::size_t i = 0; i < parts_.size(); ++i) index_[parts_[i].name] = i;
}

void AnatomyPack::readNames() {
  const std::filesystem::path file = folder_ / "names.toml";
  if (!std::filesystem::exists(file)) return;
  const std::string text = io::readFile(file).valueOrThrow();
  if (const int line = io::lineOfDeepKey(text))
    throw InputError(io::lineError(file.string(), line, "a dotted key is too deep"));
  try {
    const toml::table table = toml::parse(text, file.string());
    for (PackPart& part : parts_)
      if (const auto name = table["names"][part.key].value<std::string>()) part.name = *name;
  } catch (const toml::parse_error& e) {
    throw InputError(Diagnostic{.where = {file.string(), static_cast<int>(e.source().begin.line)},
                                .message = std::string(e.description())});
  }
}

const PackPart& AnatomyPack::part(const std::string& name) const {
  const auto it = index_.find(name);
  if (it != index_.end()) return parts_[it->second];
  std::vector<std::string> names;
  for (const PackPart& p : parts_) names.push_back(p.name);
  throw InputError(Diagnostic{.where = {folder_.string()},
                              .message = "no part '" + name + "'",
                              .nearest = nearestName(name, names)});
}

TriangleMesh AnatomyPack::mesh(const std::string& name) const {
  TriangleMesh mesh = io::readMesh(part(name).file);
  // Their axes: +x left, +y back, +z up. A rotation, so triangles keep their orientation.
  for (Vec3& p : mesh.positions) p = unit_ * Vec3(p.x() - midPlane_, p.z() - floor_, -p.y());
  return mesh;
}

}  // namespace pneuma::survey
