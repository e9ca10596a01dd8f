#include "pneuma/shape/shape_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::shape {
namespace {

constexpr std::array kMiddleParts{"head", "neck", "chest", "abdomen", "back", "pelvis"};
constexpr std::array kSidedParts{"shoulder", "upper_arm", "forearm", "hand",
                                 "thigh",    "shank",     "foot"};
constexpr std::array kTrunkParts{"chest", "abdomen", "back", "pelvis"};
constexpr std::array kFixedParts{"thigh", "shank", "foot"};
constexpr std::array kTorsoParts{"neck", "chest", "abdomen", "back", "pelvis", "shoulder"};

bool isOneOf(std::string_view name, std::span<const char* const> list) {
  return std::ranges::any_of(list, [&](const char* entry) { return name == entry; });
}

/// The part that two of three corners agree on, else the first one's.
const std::string& partOf(const Triangle& t, const std::vector<std::string>& parts) {
  const std::string& b = parts[at(t[1])];
  return b == parts[at(t[2])] ? b : parts[at(t[0])];
}

Vec3 areaVector(const Triangle& t, std::span<const Vec3> x) {
  return 0.5 * (x[at(t[1])] - x[at(t[0])]).cross(x[at(t[2])] - x[at(t[0])]);
}

Vec3 centroid(const Triangle& t, std::span<const Vec3> x) {
  return (x[at(t[0])] + x[at(t[1])] + x[at(t[2])]) / 3;
}

/// Numbers of the sided parts.
int partIndex(ShapeTemplate& shape, const std::string& part, double x) {
  const std::string name =
      isOneOf(part, kMiddleParts) ? part : fmt::format("{}_{}", part, x >= 0 ? 'l' : 'r');
  const auto index =
      static_cast<std::size_t>(std::ranges::find(shape.partNames, name) - shape.partNames.begin());
  if (index == shape.partNames.size()) shape.partNames.push_back(name);
  return static_cast<int>(index);
}

/// Height at which the torso is cut in two of equal volume.
double equalCut(const ShapeTemplate& shape, const std::vector<bool>& ofTorso) {
  std::vector<std::pair<double, double>> slices;  // height, flux
  double whole = 0;
  for (std::size_t t = 0; t < shape.triangleCount(); ++t) {
    if (!ofTorso[t]) continue;
    const Triangle& corners = shape.mesh.triangles[t];
    const Vec3 c = centroid(corners, shape.mesh.positions);
    const Vec3 a = areaVector(corners, shape.mesh.positions);
    slices.emplace_back(c.y(), 0.5 * (c.x() * a.x() + c.z() * a.z()));
    whole += slices.back().second;
  }
  std::ranges::sort(slices);
  double below = 0;
  for (const auto& [height, flux] : slices)
    if ((below += flux) >= 0.5 * whole) return height;
  return 0;
}

void checkCounts(const TriangleMesh& mesh, const std::vector<std::string>& parts,
                 const std::vector<std::int32_t>& mirror) {
  if (parts.size() == mesh.vertexCount() && mirror.size() == mesh.vertexCount()) return;
  throw InputError(fmt::format("template: {} labels and {} mirrors for {} vertices", parts.size(),
                               mirror.size(), mesh.vertexCount()));
}

}  // namespace

bool isTrunkPart(std::string_view name) {
  return isOneOf(name, kTrunkParts);
}

ShapeTemplate makeShapeTemplate(TriangleMesh mesh, const std::vector<std::string>& vertexParts,
                                std::vector<std::int32_t> mirror) {
  checkCounts(mesh, vertexParts, mirror);
  ShapeTemplate shape;
  shape.mesh = std::move(mesh);
  shape.mirror = std::move(mirror);
  for (const std::string& part : vertexParts) {
    if (!isOneOf(part, kMiddleParts) && !isOneOf(part, kSidedParts))
      throw InputError(fmt::format("template: unknown part '{}'", part));
    shape.trunkVertex.push_back(isTrunkPart(part));
    shape.fixedVertex.push_back(isOneOf(part, kFixedParts));
  }
  if (std::ranges::none_of(shape.fixedVertex, std::identity()) ||
      std::ranges::none_of(shape.trunkVertex, std::identity()))
    throw InputError("template: needs a trunk (chest, abdomen, back, pelvis) and legs (thigh)");
  std::vector<bool> ofTorso;
  for (const Triangle& t : shape.mesh.triangles) {
    const std::string& part = partOf(t, vertexParts);
    ofTorso.push_back(isOneOf(part, kTorsoParts));
    shape.partOfTriangle.push_back(partIndex(shape, part, centroid(t, shape.mesh.positions).x()));
  }
  shape.cutHeight = equalCut(shape, ofTorso);
  for (std::size_t t = 0; t < shape.triangleCount(); ++t) {
    const double y = centroid(shape.mesh.triangles[t], shape.mesh.positions).y();
    shape.halfOfTriangle.push_back(!ofTorso[t]           ? TorsoHalf::None
                                   : y > shape.cutHeight ? TorsoHalf::Chest
                                                         : TorsoHalf::Belly);
  }
  return shape;
}

HalfVolumes gainedVolumes(const ShapeTemplate& shape, std::span<const Vec3> before,
                          std::span<const Vec3> after) {
  HalfVolumes v;
  for (std::size_t t = 0; t < shape.triangleCount(); ++t) {
    const Triangle& c = shape.mesh.triangles[t];
    const Vec3 d = centroid(c, after) - centroid(c, before);
    const double gained = 0.5 * d.dot(areaVector(c, before) + areaVector(c, after));
    const TorsoHalf half = shape.halfOfTriangle[t];
    (half == TorsoHalf::Chest ? v.chest : half == TorsoHalf::Belly ? v.belly : v.other) += gained;
  }
  return v;
}

double torsoArea(const ShapeTemplate& shape, std::span<const Vec3> positions) {
  double area = 0;
  for (std::size_t t = 0; t < shape.triangleCount(); ++t)
    if (shape.halfOfTriangle[t] != TorsoHalf::None)
      area += areaVector(shape.mesh.triangles[t], positions).norm();
  return area;
}

}  // namespace pneuma::shape
