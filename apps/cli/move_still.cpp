#include "cli/move_still.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/figure_scene.h"

namespace pneuma::cli {
namespace {

constexpr double kLineRadius = 1.3e-3;  // [m]
constexpr int kWidth = 720, kHeight = 900;

void addMuscles(const muscle::MuscleModel& muscles, const skeleton::Kinematics& kinematics,
                const VecX& activation, render::Scene& scene) {
  const render::Color pale = render::Color::hex(0xe8c9b8), red = render::Color::hex(0xc01818);
  const muscle::PathSet& paths = muscles.paths;
  for (int m = 0; m < muscles.count(); ++m) {
    std::vector<Vec3> line;
    for (int p = paths.pointBegin[m]; p < paths.pointBegin[m + 1]; ++p) {
      const muscle::LinkPoint& point = paths.points[p];
      line.push_back(point.link < 0 ? point.position
                                    : kinematics.X_WL[point.link] * point.position);
    }
    scene.addLine(
        std::move(line), kLineRadius,
        render::materials::muscle(render::mix(pale, red, std::clamp(activation[m], 0.0, 1.0))));
  }
}

render::Scene sceneOf(const anatomy::Body& described, const anatomy::CompiledBody& compiled,
                      const muscle::DrivenBody& body, const muscle::DrivenBodyState& state) {
  skeleton::Kinematics kinematics(body.model());
  skeleton::computePoses(body.model(), state.skeleton.q, kinematics);
  render::Scene scene;
  for (DrawnBone& b : drawnBones(described, compiled)) {
    const Pose& X = kinematics.X_WL[body.linkIndices()[b.link]];
    for (Vec3& p : b.mesh.positions) p = X * (p - b.center);
    scene.add(std::move(b.mesh), b.material, b.name);
  }
  addMuscles(body.muscles(), kinematics, state.muscles.activation, scene);
  return scene;
}

}  // namespace

render::Image moveStill(const anatomy::Body& described, const anatomy::CompiledBody& compiled,
                        const muscle::DrivenBody& body, const muscle::DrivenBodyState& start) {
  const render::Scene first = sceneOf(described, compiled, body, start);
  const render::Scene last = sceneOf(described, compiled, body, body.state());
  Box box = first.bounds();
  box.add(last.bounds());
  render::RenderOptions options;
  options.width = kWidth, options.height = kHeight, options.ground = false;
  const render::FramingOptions framing{.aspect = static_cast<double>(kWidth) / kHeight};
  const render::Camera camera = render::Camera::frame(box, render::View::ThreeQuarter, framing);
  const auto picture = [&](const render::Scene& scene) {
    return render::Renderer(scene).render(camera, options);
  };
  return render::tile({{picture(first), "at the start"},
                       {picture(last), fmt::format("after {:.3g} s", body.state().skeleton.time)}},
                      2);
}

}  // namespace pneuma::cli
