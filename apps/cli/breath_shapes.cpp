#include "cli/breath_shapes.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/parallel.h"
#include "pneuma/render/material.h"

namespace pneuma::cli {
namespace {

/// How far each part of the skin follows the points around it.
double mobilityOf(anatomy::SkinPart part) {
  switch (part) {
    case anatomy::SkinPart::Thigh:
    case anatomy::SkinPart::Shank:
    case anatomy::SkinPart::Foot:
      return 0;
    case anatomy::SkinPart::Pelvis:
      return 0.5;
    default:
      return 1;
  }
}

/// Spreads the steps between parts over the surface.
void smooth(std::vector<double>& values, const TriangleMesh& mesh, int passes) {
  std::vector<double> sum(values.size());
  std::vector<int> count(values.size());
  for (int k = 0; k < passes; ++k) {
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(count.begin(), count.end(), 0);
    for (const Triangle& t : mesh.triangles)
      for (std::size_t i = 0; i < 3; ++i) {
        sum[static_cast<std::size_t>(t[i])] += values[static_cast<std::size_t>(t[(i + 1) % 3])];
        ++count[static_cast<std::size_t>(t[i])];
      }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (count[i] > 0) values[i] = 0.5 * values[i] + 0.5 * sum[i] / count[i];
  }
}

breath::TrunkSkin bodySkin(const breath::BreathSimulation& run, const anatomy::Body& body) {
  anatomy::SkinSurface skin =
      anatomy::makeSkinSurface(anatomy::skinModelOf(body), body, run.settings().person,
                               {.triangles = 80000}, anatomy::GeometryCache());
  std::vector<double> mobility;
  for (const anatomy::SkinPart part : skin.parts) mobility.push_back(mobilityOf(part));
  smooth(mobility, skin.mesh, 60);
  return {run.model(), *run.layer(), std::move(skin.mesh), mobility};
}

std::vector<TorsoShapes::RigidShape> bodyBones(const breath::BreathSimulation& run) {
  std::vector<TorsoShapes::RigidShape> bones;
  std::vector<const anatomy::Shape*> shapes;
  for (const anatomy::Shape& shape : run.body().shapes) {
    const int carrier = breath::torsoBodyOf(shape.bone);
    if (carrier < 0) continue;
    shapes.push_back(&shape);
    bones.push_back({shape.bone, carrier, {}});
  }
  const anatomy::GeometryCache cache;
  parallelFor(bones.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      bones[i].mesh = cache.boneMesh(shapes[i]->shape, anatomy::kLightBone);
  });
  return bones;
}

TriangleMesh surfaceOf(const breath::PointArray& points, const std::vector<Triangle>& triangles) {
  TriangleMesh m;
  for (std::size_t i = 0; i < points.size(); ++i) m.positions.push_back(points[i]);
  m.triangles = triangles;
  removeUnusedVertices(m);
  return m;
}

}  // namespace

TorsoShapes::TorsoShapes(const breath::BreathSimulation& run, const anatomy::Body& body)
    : model_(&run.model()),
      skin_(bodySkin(run, body)),
      bones_(bodyBones(run)),
      elements_(run.layer()->elements()) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(run.layer()->fleshCount()); ++k) {
    const TriangleMesh& mesh = run.layer()->flesh(k);
    flesh_.push_back({run.layer()->fleshName(k), first, mesh.vertexCount(), mesh.triangles});
    first += mesh.vertexCount();
  }
}

std::vector<Vec3> TorsoShapes::skin(const BreathFrame& frame) const {
  return skin_.deform(frame.points, frame.layerPoints);
}

TriangleMesh TorsoShapes::dome(const BreathFrame& frame) const {
  return surfaceOf(frame.points, model_->dome);
}

TriangleMesh TorsoShapes::gut(const BreathFrame& frame) const {
  return surfaceOf(frame.points, model_->wall);
}

TriangleMesh TorsoShapes::softBody(const BreathFrame& frame, const SoftShape& shape) const {
  const auto begin = frame.layerPoints.begin() + static_cast<std::ptrdiff_t>(shape.first);
  return {{begin, begin + static_cast<std::ptrdiff_t>(shape.count)}, shape.triangles};
}

std::vector<Vec3> TorsoShapes::springEnds(const BreathFrame& frame) const {
  std::vector<Vec3> ends;
  const breath::SpringSet& s = model_->springs;
  for (std::size_t i = 0; i < s.size(); ++i)
    for (const std::int32_t p : {s.a[i], s.b[i]})
      ends.push_back(frame.points[static_cast<std::size_t>(p)]);
  for (const breath::ShoulderElement& e : elements_) {
    ends.push_back(frame.motions[static_cast<std::size_t>(e.trunkBody)] * e.onTrunk);
    ends.push_back(frame.motions[static_cast<std::size_t>(e.armBody)] * e.onArm);
  }
  return ends;
}

render::Scene TorsoShapes::scene(const BreathFrame& frame, const TorsoLook& look) const {
  namespace materials = render::materials;
  render::Scene scene;
  // A cut opens the skin; what it holds stays whole.
  const auto whole = [](render::Material material) {
    material.cut = false;
    return material;
  };
  if (look.bones)
    for (const RigidShape& bone : bones_) {
      const bool cartilage = bone.name.starts_with("costal_cartilage");
      scene.add(bone.mesh, whole(cartilage ? materials::cartilage() : materials::bone()),
                bone.name);
    }
  if (look.diaphragm) scene.add(dome(frame), whole(materials::muscle()), "diaphragm");
  if (look.gut)
    scene.add(gut(frame), whole(materials::translucent(materials::organ(), 0.35)), "gut");
  if (look.flesh)
    for (const SoftShape& f : flesh_) scene.add(softBody(frame, f), materials::muscle(), f.name);
  if (look.skinOpacity > 0) {
    render::Material material = materials::skin();
    material.capColor = render::Color::hex(0xe9cdbb);  // pale, so that the organs stand out
    if (look.skinOpacity < 1) material = materials::translucent(material, look.skinOpacity);
    scene.add({skin(frame), skin_.rest().triangles}, material, "skin");
  }
  return scene;
}

void TorsoShapes::pose(render::Renderer& renderer, const BreathFrame& frame,
                       const TorsoLook& look) const {
  std::size_t k = 0;
  if (look.bones)
    for (const RigidShape& bone : bones_)
      renderer.setPose(k++, frame.motions[static_cast<std::size_t>(bone.body)]);
  if (look.diaphragm) renderer.setPositions(k++, dome(frame).positions);
  if (look.gut) renderer.setPositions(k++, gut(frame).positions);
  if (look.flesh)
    for (const SoftShape& f : flesh_) renderer.setPositions(k++, softBody(frame, f).positions);
  if (look.skinOpacity > 0) renderer.setPositions(k, skin(frame));
}

render::Camera TorsoShapes::camera(const Vec3& direction, double aspect) const {
  const std::vector<Vec3>& points = skin_.rest().positions;
  const double top = boundingBox(points).max.y();
  Box box;
  for (const Vec3& p : points)
    if (p.y() > 0.55 * top && std::abs(p.x()) < 0.13 * top) box.add(p);
  return render::Camera::frame(box, direction, {.aspect = aspect, .margin = 0.02});
}

}  // namespace pneuma::cli
