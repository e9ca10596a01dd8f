#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "pneuma/core/random.h"
#include "pneuma/shape/breath_model.h"
#include "pneuma/shape/gradients.h"

/// A body of some hundred triangles, and a model of its breath, for tests.
namespace pneuma::shape::test {

/// A round column of 1.7 m with labels by height.
inline ShapeTemplate smallBody() {
  std::vector<Vec3> line;
  std::vector<double> radii;
  for (int i = 0; i <= 34; ++i) {
    line.emplace_back(0, 0.05 * i, 0);
    radii.push_back(0.14 + 0.03 * std::sin(0.3 * i));
  }
  TriangleMesh mesh = makeTube(line, radii, 16);
  std::vector<std::string> parts;
  std::vector<std::int32_t> mirror;
  for (const Vec3& p : mesh.positions) {
    const double y = p.y();
    parts.push_back(y < 0.1    ? "foot"
                    : y < 0.45 ? "shank"
                    : y < 0.8  ? "thigh"
                    : y < 0.95 ? "pelvis"
                    : y < 1.15 ? "abdomen"
                    : y < 1.4  ? (p.z() < -0.05 ? "back" : "chest")
                    : y < 1.5  ? "neck"
                               : "head");
    const auto distance = [&](const Vec3& q) {
      return (q - Vec3(-p.x(), p.y(), p.z())).squaredNorm();
    };
    const auto nearest = std::ranges::min_element(mesh.positions, {}, distance);
    mirror.push_back(static_cast<std::int32_t>(nearest - mesh.positions.begin()));
  }
  return makeShapeTemplate(std::move(mesh), parts, std::move(mirror));
}

/// Another person: the body with its sides so far apart.
inline std::vector<Vec3> widened(const ShapeTemplate& shape, double width) {
  std::vector<Vec3> x = shape.mesh.positions;
  for (Vec3& p : x) p.x() *= width;
  return x;
}

/// A smooth, symmetric swelling around a height, still at the legs.
inline std::vector<Vec3> swelling(const ShapeTemplate& shape, double height, double size) {
  std::vector<Vec3> u;
  for (std::size_t v = 0; v < shape.vertexCount(); ++v) {
    const Vec3& p = shape.mesh.positions[v];
    const double d = (p.y() - height) / 0.15;
    const Vec3 outward = Vec3(p.x(), 0.02, p.z() + 0.05).normalized();
    u.emplace_back(shape.fixedVertex[v] ? Vec3(Vec3::Zero())
                                        : Vec3(size * std::exp(-d * d) * outward));
  }
  return u;
}

/// Two components, chest and belly, each following its own half's volume.
inline BreathModel smallModel(const ShapeTemplate& shape) {
  BreathModel m;
  m.topologyId = "0123456789abcdef";
  m.dataHash = "fedcba9876543210";
  m.card = "{}";
  m.mesh = shape.mesh;
  m.mirror = shape.mirror;
  m.vertexParts.assign(shape.vertexCount(), "head");
  for (std::size_t v = 0; v < shape.vertexCount(); ++v) {
    if (shape.trunkVertex[v]) m.vertexParts[v] = "chest";
    if (shape.fixedVertex[v]) m.vertexParts[v] = "thigh";
  }
  m.modes = {swelling(shape, 1.25, 0.1), swelling(shape, 1.0, 0.1)};
  m.components = 2;
  MatX weights = MatX::Zero(5, 2);
  weights(0, 0) = 0.3, weights(1, 1) = 0.25, weights(2, 0) = 0.01, weights(3, 1) = -0.02;
  m.function = {BreathInputs::KonnoMead, weights};
  m.featureMoments = 0.05 * MatX::Identity(5, 5);
  m.bellyLead = 0.05;
  return m;
}

}  // namespace pneuma::shape::test
