#include "pneuma/stage/muscle_scene.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/flesh/grid_presets.h"
#include "pneuma/io/mesh_file.h"

namespace pneuma::stage {
namespace {

/// Numbers of "a:b,c:d"; a percent sign after the second divides it by a hundred.
std::vector<std::pair<double, double>> parsePairs(const char* option, const std::string& text,
                                                  const char* expected) {
  std::vector<std::pair<double, double>> pairs;
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    std::pair<double, double> pair;
    auto [colon, e1] = std::from_chars(at, end, pair.first);
    if (e1 != std::errc() || colon == end || *colon != ':') failOption(option, text, expected);
    auto [rest, e2] = std::from_chars(colon + 1, end, pair.second);
    if (e2 != std::errc() || !std::isfinite(pair.first) || !std::isfinite(pair.second))
      failOption(option, text, expected);
    if (rest < end && *rest == '%') pair.second /= 100, ++rest;
    if (rest < end && *rest != ',') failOption(option, text, expected);
    at = rest < end ? rest + 1 : end;
    pairs.push_back(pair);
  }
  return pairs;
}

flesh::GridMaterial readMaterial(const MuscleSettings& o, bool passive) {
  flesh::GridMaterial m =
      passive ? flesh::makeIsotropic(1060, 4e3, 40, 1e5) : flesh::muscleMaterial();
  if (o.stiffness) m.stiffness *= *o.stiffness / m.stiffness(1, 1);
  m.viscosity.setConstant(o.viscosity);
  m.density = o.density;
  m.bulk = o.bulk.value_or(m.bulk);
  m.bending = o.bending;
  return m;
}

MuscleScene makeBrickScene(const MuscleSettings& o) {
  if (!o.excite.empty() || !o.stretch.empty() || !o.curl.empty())
    throw InputError("preset 'brick' is passive: --excite, --stretch and --curl do not apply");
  flesh::BrickSetup setup;
  setup.grid = flesh::parseGridSize(o.grid);
  setup.material = readMaterial(o, true);
  setup.sideForce = o.sideForce;
  MuscleScene scene;
  scene.model = flesh::makeHangingBrick(setup);
  const Vec3 top(1.4 * setup.extent.y(), 0.004, 1.4 * setup.extent.z());
  scene.parts.push_back({"ceiling", makeBox(top, Vec3(0, 0.002, 0)), -1});
  return scene;
}

TriangleMesh readMuscleMesh(const MuscleSettings& o) {
  TriangleMesh mesh = io::readMesh(o.mesh);
  Box box;
  for (Vec3& p : mesh.positions) {
    if (o.meshUp == "z") p = Vec3(p.x(), p.z(), -p.y());
    p *= o.meshScale;
    box.add(p);
  }
  if (const double length = box.size().maxCoeff(); !(length > 1e-3 && length < 3))
    throw InputError(Diagnostic{.subject = o.mesh,
                                .message = fmt::format("the mesh is {:.3g} m long", length),
                                .expected = "a muscle between 1 mm and 3 m; --mesh-scale 0.001 "
                                            "reads millimetres"});
  return mesh;
}

MuscleScene makeActiveScene(const MuscleSettings& o, const anatomy::Body* armBody) {
  flesh::MuscleSetup setup;
  setup.shape = o.preset;
  setup.grid = flesh::parseGridSize(o.grid);
  setup.material = readMaterial(o, false);
  // 30 N per cm^2 of the largest section: 438 N for the measured biceps.
  setup.muscle.maxForce = o.force.value_or(o.preset == "biceps" ? 438 : 400);
  setup.muscle.pennation = o.pennation;
  setup.muscle.tendonSlack = o.tendon;
  setup.muscle.maxVelocity = o.maxVelocity;
  if (!o.gravity) setup.gravity.setZero();
  const char* expectExcite = "steps of time:level, e.g. 0:0,4.5:1";
  for (const auto& [time, level] : parsePairs("excite", o.excite, expectExcite))
    setup.excitation.push_back({time, level});
  const char* expectStretch = "time:percent, e.g. 2:8%";
  for (const auto& [time, fraction] : parsePairs("stretch", o.stretch, expectStretch))
    setup.moves.push_back({time, fraction, o.stretchDuration});

  MuscleScene scene;
  scene.maxForce = setup.muscle.maxForce;
  if (!o.curl.empty()) {
    const auto angles = parsePairs("curl", o.curl, "from:to in degrees, e.g. 0:115");
    if (o.preset != "biceps" || angles.size() != 1 || !setup.moves.empty())
      throw InputError(
          "--curl bends the elbow under the biceps: use --preset biceps, no --stretch");
    for (const double angle : {angles[0].first, angles[0].second})
      if (angle < -10 || angle > 150)
        failOption("curl", o.curl, "two angles in -10 .. 150 degrees, e.g. 0:115");
    flesh::ElbowCurl curl;
    curl.from = degreesToRadians(angles[0].first), curl.to = degreesToRadians(angles[0].second);
    PNEUMA_CHECK(armBody != nullptr);
    scene.arm = std::make_shared<FigureArm>(*armBody);
    scene.curl = curl;
    scene.model = flesh::makeBicepsOnArm(setup, curl, scene.arm->measurements());
    scene.parts = scene.arm->bones();
    for (FilmPart& part : scene.arm->bones(besideCurl())) {
      part.name += "_beside";
      scene.parts.push_back(std::move(part));
    }
    return scene;
  }
  if (!o.mesh.empty()) {
    scene.model =
        flesh::makeMuscleBetweenPlanes(setup, flesh::resampleMuscle(readMuscleMesh(o), setup.grid));
  } else {
    scene.model = flesh::makeMuscleBetweenPlanes(setup);
  }
  scene.parts = planeParts(scene.model);
  return scene;
}

}  // namespace

void failOption(const char* option, const std::string& value, const char* expected) {
  throw InputError(Diagnostic{.field = option,
                              .message = fmt::format("'{}' is not understood", value),
                              .expected = expected});
}

Vec3 curlView() {
  return Vec3(1, 0.1, 0.55).normalized();
}
Vec3 besideCurl() {
  return 0.36 * Vec3::UnitY().cross(curlView()).normalized();
}

MuscleSettings withDefaultExcitation(MuscleSettings o) {
  const bool told = !o.excite.empty() || !o.stretch.empty() || !o.curl.empty();
  const bool passive = o.preset == "brick" && o.mesh.empty();
  if (!told && !passive) o.excite = "1:1,5:0";
  return o;
}

MuscleScene makeMuscleScene(const MuscleSettings& o, const anatomy::Body* armBody) {
  MuscleScene scene =
      o.preset == "brick" && o.mesh.empty() ? makeBrickScene(o) : makeActiveScene(o, armBody);
  if (!o.gravity) scene.model.gravity.setZero();
  scene.model.form = flesh::parseGridForm(o.form);
  if (scene.model.form != flesh::GridForm::Energy) flesh::useWholeCellMasses(scene.model.solid);
  return scene;
}

}  // namespace pneuma::stage
