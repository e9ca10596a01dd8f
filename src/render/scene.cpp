#include "pneuma/render/scene.h"

#include <algorithm>

namespace pneuma::render {

std::size_t Scene::add(TriangleMesh mesh, Material material, std::string name) {
  surfaces.push_back({std::move(name), std::move(mesh), material, {}, {}, {}});
  return surfaces.size() - 1;
}

std::size_t Scene::add(TriangleMesh mesh, std::vector<double> scalars, ColorScale scale,
                       Material material, std::string name) {
  surfaces.push_back(
      {std::move(name), std::move(mesh), material, std::move(scalars), std::move(scale), {}});
  return surfaces.size() - 1;
}

std::size_t Scene::addLine(std::vector<Vec3> points, double radius, Material material) {
  return addLine(Polyline{std::move(points), {radius}, {}, material});
}

std::size_t Scene::addLine(Polyline line) {
  lines.push_back(std::move(line));
  return lines.size() - 1;
}

Box Scene::bounds() const {
  Box box;
  for (const Surface& s : surfaces) box.add(boundingBox(s.mesh.positions));
  for (const Polyline& line : lines)
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      const double r = line.radii.size() > 1 ? line.radii[i]
                       : line.radii.empty()  ? 0
                                             : line.radii[0];
      box.add(line.points[i] - Vec3::Constant(r));
      box.add(line.points[i] + Vec3::Constant(r));
    }
  return box;
}

}  // namespace pneuma::render
