#include <algorithm>
#include <cmath>

#include "cli/breath_outputs.h"
#include "pneuma/render/material.h"

namespace pneuma::cli {
namespace {

using breath::RibAnatomy;
using breath::TorsoAnatomy;

std::vector<Vec3> mirrored(std::vector<Vec3> line, int side) {
  if (side == 1)
    for (Vec3& p : line) p.x() = -p.x();
  return line;
}

TriangleMesh tube(const std::vector<Vec3>& line, double radius) {
  const std::vector<double> radii(line.size(), radius);
  return makeTube(line, radii, 12);
}

/// Ribs are flat: higher than thick.
TriangleMesh ribMesh(const RibAnatomy& rib, int side) {
  std::vector<double> radii;
  for (std::size_t i = 0; i < rib.centerline.size(); ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(rib.centerline.size() - 1);
    radii.push_back(rib.radius * (0.75 + 0.2 * std::sin(kPi * s)));
  }
  return makeTube(mirrored(rib.centerline, side), radii, 12);
}

TriangleMesh vertebra(const Vec3& center, const Vec3& radii) {
  TriangleMesh m = makeSphere(1, 2);
  for (Vec3& p : m.positions) {
    // A cushion rather than a ball.
    p.y() = std::copysign(std::pow(std::abs(p.y()), 0.6), p.y());
    p = center + p.cwiseProduct(radii);
  }
  return m;
}

TriangleMesh plate(const TorsoAnatomy& a) {
  TriangleMesh m = makeTube(
      std::vector<Vec3>{a.jugularNotch, a.manubriosternal,
                        0.5 * (a.manubriosternal + a.xiphisternal), a.xiphisternal, a.xiphoidTip},
      std::vector<double>{0.020, 0.015, 0.016, 0.014, 0.005}, 16);
  const Vec3 along = (a.xiphisternal - a.jugularNotch).normalized();
  const Vec3 across = along.cross(Vec3::UnitX()).normalized();
  for (Vec3& p : m.positions) {  // flatten from front to back
    const double d = (p - a.manubriosternal).dot(across);
    p -= 0.62 * d * across;
  }
  return m;
}

}  // namespace

TorsoShapes::TorsoShapes(const breath::TorsoModel& model) : model_(&model), skin_(model) {
  const TorsoAnatomy& a = model.anatomy;
  for (int level = 1; level <= breath::kRibCount; ++level)
    for (int side = 0; side < 2; ++side) {
      const RibAnatomy& rib = a.ribs[static_cast<std::size_t>(level - 1)];
      const int body = breath::ribBody(level, side);
      bones_.push_back({breath::bodyName(body), body, ribMesh(rib, side)});
      if (level <= 7) {
        const auto line = mirrored({rib.cartilageOnRib, rib.cartilageOnSternum}, side);
        bones_.push_back(
            {"cartilage_" + breath::bodyName(body).substr(4), body, tube(line, 0.75 * rib.radius)});
      }
    }
  for (std::size_t k = 0; k < a.floatingRibs.size(); ++k)
    for (int side = 0; side < 2; ++side)
      bones_.push_back({std::string("rib_1") + (k == 0 ? "1" : "2") + (side == 0 ? "_l" : "_r"),
                        breath::kSpine, ribMesh(a.floatingRibs[k], side)});
  TriangleMesh spine;
  for (std::size_t i = 0; i < a.vertebrae.size(); ++i) {
    const double down = static_cast<double>(i) / 23.0;
    const double wide = (0.013 + 0.011 * down) * a.height / 1.75;
    const double gap = i + 1 < a.vertebrae.size() ? (a.vertebrae[i + 1] - a.vertebrae[i]).norm()
                                                  : (a.vertebrae[i] - a.vertebrae[i - 1]).norm();
    append(spine, vertebra(a.vertebrae[i], {wide, 0.44 * gap, 0.8 * wide}));
    append(spine, tube({a.vertebrae[i] - Vec3(0, 0, 0.6 * wide),
                        a.vertebrae[i] - Vec3(0, 0.4 * gap, 2.6 * wide)},
                       0.22 * wide));
  }
  bones_.push_back({"spine", breath::kSpine, spine});
  bones_.push_back({"sternum", breath::kSternum, plate(a)});
}

Pose TorsoShapes::motion(const BreathFrame& frame, int body) const {
  const Pose& p = frame.poses[static_cast<std::size_t>(body)];
  const Vec3& origin = model_->parts[static_cast<std::size_t>(body)].origin;
  return {p.rotation, p.position - p.rotation * origin};
}

TriangleMesh TorsoShapes::dome(const BreathFrame& frame) const {
  TriangleMesh m;
  for (std::size_t i = 0; i < frame.points.size(); ++i) m.positions.push_back(frame.points[i]);
  m.triangles = model_->dome;
  removeUnusedVertices(m);
  return m;
}

TriangleMesh TorsoShapes::gut(const BreathFrame& frame) const {
  return breath::gutSurface(*model_, frame.points);
}

TriangleMesh TorsoShapes::skin(const BreathFrame& frame) const {
  return {skin_.deform(frame.points), skin_.rest().triangles};
}

render::Scene TorsoShapes::scene(const BreathFrame& frame, double skinOpacity, bool inside) const {
  render::Scene scene;
  if (inside) {
    for (const RigidShape& bone : bones_) {
      TriangleMesh m = bone.mesh;
      const Pose pose = motion(frame, bone.body);
      for (Vec3& p : m.positions) p = pose * p;
      render::Material look = bone.name.starts_with("cartilage") ? render::materials::cartilage()
                                                                 : render::materials::bone();
      look.cut = false;
      scene.add(std::move(m), look, bone.name);
    }
    scene.add(dome(frame), render::materials::muscle(), "diaphragm");
    scene.add(gut(frame), render::materials::translucent(render::materials::organ(), 0.35), "gut");
  }
  if (skinOpacity > 0)
    scene.add(skin(frame),
              skinOpacity < 1
                  ? render::materials::translucent(render::materials::skin(), skinOpacity)
                  : render::materials::skin(),
              "skin");
  return scene;
}

BreathFrame captureFrame(breath::BreathSimulation& run) {
  breath::updatePoints(run.model(), run.state(), run.workspace());
  BreathFrame f;
  f.time = run.state().time;
  f.points = run.workspace().points();
  f.tensions = run.workspace().tensions();
  for (int b = 0; b < breath::kBodyCount; ++b)
    f.poses.push_back(breath::bodyPose(run.model(), run.state(), b));
  return f;
}

}  // namespace pneuma::cli
