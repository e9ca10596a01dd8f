#pragma once

#include <cmath>
#include <vector>

#include "pneuma/skin/skin_weights.h"

namespace pneuma::skin::test {

/// A tube of skin of radius 4 cm around two bones along y that meet in the origin.
struct TwoBones {
  TriangleMesh mesh;
  JointGroups groups;
  SkinWeights weights;

  /// `step` is the length of an edge [m], `depth` that of the bone under the skin.
  explicit TwoBones(double step, double depth = 0.03) {
    std::vector<Vec3> line;
    std::vector<double> radii;
    const int half = static_cast<int>(std::lround(0.2 / step));
    for (int i = -half; i <= half; ++i) line.emplace_back(0, i * step, 0), radii.push_back(0.04);
    mesh = makeTube(line, radii, 2 * static_cast<int>(std::lround(0.125 / step)));
    groups.names = {"upper", "lower"};
    groups.parent = {-1, 0};
    groups.carrier = {0, 1};
    groups.center = {Vec3(0, -0.2, 0), Vec3::Zero()};
    groups.trunk = {true, true};
    groups.ofBone = {0, 1};
    WeightSources sources;
    for (const Vec3& p : mesh.positions) {
      sources.group.push_back(p.y() > 0 || (p.y() == 0 && p.z() > 0) ? 1 : 0);
      sources.distance.push_back(depth);
    }
    weights = diffuseWeights(mesh, sources, groups);
  }

  /// Weight of the lower bone at a height, mean around the tube.
  double lower(double y) const {
    double sum = 0;
    int count = 0;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      if (std::abs(mesh.positions[v].y() - y) > 1e-9) continue;
      for (std::size_t k = 0; k < SkinWeights::kMost; ++k)
        if (weights.vertices[v].group[k] == 1) sum += weights.vertices[v].weight[k];
      ++count;
    }
    return sum / count;  // not a number when no vertex is there
  }
};

}  // namespace pneuma::skin::test
