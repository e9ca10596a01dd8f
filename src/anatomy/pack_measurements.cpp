#include "anatomy/pack_measurements.h"

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"

namespace pneuma::anatomy::internal {
namespace {

using Json = nlohmann::json;

Vec3 mirrored(Vec3 p) {
  p.x() = -p.x();
  return p;
}

std::filesystem::path fileOf(const AnatomyPack& pack) {
  return pack.folder() / "measurements.json";
}

}  // namespace

PackMeasurements::PackMeasurements(const AnatomyPack& pack) : pack_(pack) {
  json_ = Json::parse(io::readFile(fileOf(pack)).valueOrThrow(), nullptr, false);
  if (!json_.is_object())
    throw InputError(Diagnostic{.where = {fileOf(pack).string()},
                                .message = "not a table of measurements",
                                .expected = "a JSON object"});
  midPlane_ = json_.value("/midsagittal_x_mm/mean"_json_pointer, 0.0);
  sole_ = json_.value("/body/sole_z"_json_pointer, 0.0);
}

const Json& PackMeasurements::entry(const std::string& section, const std::string& key,
                                    const std::string& field) const {
  const Json* at = &json_;
  for (const std::string& name : {section, key, field}) {
    if (name.empty()) continue;
    const auto it = at->is_object() ? at->find(name) : at->end();
    if (it == at->end() || it->is_null())
      throw InputError(Diagnostic{.where = {fileOf(pack_).string()},
                                  .subject = section + "/" + key,
                                  .field = field,
                                  .message = "missing"});
    at = &*it;
  }
  return *at;
}

bool PackMeasurements::has(const std::string& section, const std::string& key,
                           const std::string& field) const {
  return json_.contains(section) && json_[section].contains(key) &&
         json_[section][key].contains(field) && !json_[section][key][field].is_null();
}

Vec3 PackMeasurements::toBody(const Json& p, const std::string& what) const {
  if (!p.is_array() || p.size() != 3)
    throw InputError(Diagnostic{.where = {fileOf(pack_).string()},
                                .subject = what,
                                .message = "not a point",
                                .expected = "three numbers [mm]"});
  // Their axes: +x left, +y back, +z up.
  return {(p[0].get<double>() - midPlane_) / 1000, (p[2].get<double>() - sole_) / 1000,
          -p[1].get<double>() / 1000};
}

Vec3 PackMeasurements::point(const std::string& section, const std::string& key,
                             const std::string& field) const {
  return toBody(entry(section, key, field), section + "/" + key + "/" + field);
}

Vec3 PackMeasurements::middle(const std::string& section, const std::string& key,
                              const std::string& field) const {
  Vec3 p = point(section, key, field);
  p.x() = 0;
  return p;
}

Vec3 PackMeasurements::paired(const std::string& section, const std::string& key,
                              const std::string& field) const {
  return 0.5 * (point(section, key + "_l", field) + mirrored(point(section, key + "_r", field)));
}

Vec3 PackMeasurements::pairedField(const std::string& section, const std::string& key,
                                   const std::string& field) const {
  return 0.5 * (point(section, key, field + "_l") + mirrored(point(section, key, field + "_r")));
}

std::vector<Vec3> PackMeasurements::pairedLine(const std::string& section, const std::string& key,
                                               const std::string& field) const {
  const Json& left = entry(section, key + "_l", field);
  const Json& right = entry(section, key + "_r", field);
  if (!left.is_array() || left.size() != right.size())
    throw InputError(Diagnostic{.where = {fileOf(pack_).string()},
                                .subject = section + "/" + key,
                                .field = field,
                                .message = "left and right differ in their number of points"});
  std::vector<Vec3> line;
  for (std::size_t i = 0; i < left.size(); ++i)
    line.push_back(0.5 * (toBody(left[i], key) + mirrored(toBody(right[i], key))));
  return line;
}

double PackMeasurements::number(const std::string& section, const std::string& key,
                                const std::string& field) const {
  const Json& value = entry(section, key, field);
  if (!value.is_number())
    throw InputError(Diagnostic{.where = {fileOf(pack_).string()},
                                .subject = section + "/" + key,
                                .field = field,
                                .message = "not a number"});
  return value.get<double>();
}

TriangleMesh PackMeasurements::mesh(const std::string& part) const {
  TriangleMesh mesh = pack_.mesh(part);
  const Vec3 shift = pack_.origin() - Vec3(midPlane_ / 1000, sole_ / 1000, 0);
  for (Vec3& p : mesh.positions) p += shift;
  return mesh;
}

Vec3 PackMeasurements::centroid(const std::string& part) const {
  const Vec3 left = solidProperties(mesh(part)).centroid;
  if (!part.ends_with("_l")) return {0, left.y(), left.z()};
  std::string other = part;
  other.back() = 'r';
  return 0.5 * (left + mirrored(solidProperties(mesh(other)).centroid));
}

}  // namespace pneuma::anatomy::internal
