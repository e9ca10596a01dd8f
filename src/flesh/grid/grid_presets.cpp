#include "pneuma/flesh/grid_presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/interpolate.h"

namespace pneuma::flesh {
namespace {

Vec3 planeMiddle(const GridShape& shape, int i) {
  Vec3 sum = Vec3::Zero();
  const int plane = shape.size.n * shape.size.o;
  for (int k = 0; k < plane; ++k) sum += shape.positions[static_cast<std::size_t>(i * plane + k)];
  return sum / plane;
}

}  // namespace

GridMaterial muscleMaterial() {
  GridMaterial m = makeIsotropic(1060, 3e3, 30, 4e5);
  m.stiffness(0, 0) = 600;
  return m;
}

GridModel makeHangingBrick(const BrickSetup& setup) {
  GridModel model;
  const Vec3& extent = setup.extent;
  model.solid =
      makeGridSolid(makeGrid(setup.grid,
                             [&](const Vec3& a) {
                               return Vec3((a.y() - 0.5) * extent.y(), -a.x() * extent.x(),
                                           (0.5 - a.z()) * -extent.z());
                             }),
                    setup.material);
  model.anchors = {fixedAnchor()};
  fixEnd(model, GridEnd::First, 0);
  if (setup.sideForce != 0)
    for (const auto& [id, share] : endNodes(model.solid, GridEnd::Last))
      model.loads.push_back({id, Vec3(setup.sideForce * share, 0, 0)});
  return model;
}

const std::vector<std::string>& muscleShapeNames() {
  static const std::vector<std::string> names{"brick", "fusiform", "biceps"};
  return names;
}

GridShape makeMuscleShape(const MuscleSetup& setup) {
  if (setup.shape == "fusiform") return makeFusiformGrid(setup.grid, 0.20, 0.020, 0.011);
  if (setup.shape == "biceps") return makeStationGrid(setup.grid, bicepsStations());
  if (setup.shape == "brick")
    return makeBrickGrid(setup.grid, {0.20, 0.034, 0.034}, {0, -0.017, -0.017});
  throw InputError(
      Diagnostic{.field = "preset",
                 .message = fmt::format("unknown muscle shape '{}'", setup.shape),
                 .expected = fmt::format("one of {}", fmt::join(muscleShapeNames(), ", ")),
                 .nearest = nearestName(setup.shape, muscleShapeNames())});
}

double restLength(const GridShape& shape) {
  double length = 0;
  for (int i = 0; i + 1 < shape.size.m; ++i)
    length += (planeMiddle(shape, i + 1) - planeMiddle(shape, i)).norm();
  return length;
}

Vec3 muscleAxis(const GridShape& shape) {
  return (planeMiddle(shape, shape.size.m - 1) - planeMiddle(shape, 0)).normalized();
}

double planeOffset(const std::vector<PlaneMove>& moves, double length, double time) {
  double offset = 0;
  for (const PlaneMove& move : moves)
    offset += move.fraction * length * smootherStep((time - move.time) / move.duration);
  return offset;
}

GridModel makeMuscleBetweenPlanes(const MuscleSetup& setup) {
  return makeMuscleBetweenPlanes(setup, makeMuscleShape(setup));
}

GridModel makeMuscleBetweenPlanes(const MuscleSetup& setup, const GridShape& shape) {
  GridModel model;
  model.solid = makeGridSolid(shape, setup.material);
  model.gravity = setup.gravity;
  const Vec3 axis = muscleAxis(shape);
  const double length = restLength(shape);
  for (const PlaneMove& move : setup.moves)
    if (!(move.duration > 0) || !std::isfinite(move.fraction) || !(move.fraction > -0.9))
      throw InputError(
          Diagnostic{.field = "stretch",
                     .message = fmt::format("{} % in {} s", 100 * move.fraction, move.duration),
                     .expected = "a fraction above -90 % and a duration > 0"});
  model.anchors = {fixedAnchor(), [moves = setup.moves, axis, length](double time) {
                     return Pose{Mat3::Identity(), planeOffset(moves, length, time) * axis};
                   }};
  addFibres(model, setup.muscle);
  addTendonsToPlane(model, GridEnd::First, 0, setup.muscle);
  addTendonsToPlane(model, GridEnd::Last, 1, setup.muscle);
  model.activation =
      ActivationTrace(setup.excitation, setup.muscle.dynamics, setup.initialActivation);
  return model;
}

double elbowAngle(const ElbowCurl& curl, double time) {
  const double up = smootherStep((time - curl.start) / curl.duration);
  const double down = smootherStep((time - curl.start - curl.duration - curl.hold) / curl.duration);
  return curl.from + (curl.to - curl.from) * (up - down);
}

Pose forearmPose(double flexion, const ArmMeasurements& arm) {
  // Flexion brings the hand forward: against the right-handed turn about the lateral axis.
  const Mat3 R = Eigen::AngleAxisd(-flexion, arm.elbowAxis).toRotationMatrix();
  return {R, arm.elbow - R * arm.elbow};
}

GridModel makeBicepsOnArm(const MuscleSetup& setup, const ElbowCurl& curl,
                          const ArmMeasurements& arm) {
  MuscleSetup biceps = setup;
  biceps.shape = "biceps";
  GridModel model;
  model.solid = makeGridSolid(makeMuscleShape(biceps), setup.material);
  model.gravity = setup.gravity;
  model.anchors = {fixedAnchor(),
                   [curl, arm](double time) { return forearmPose(elbowAngle(curl, time), arm); }};
  addFibres(model, setup.muscle);
  addTendonsToPoint(model, GridEnd::First, 0, arm.bicepsOrigin, 0.3, 0.005, setup.muscle);
  addTendonsToPoint(model, GridEnd::Last, 1, arm.bicepsInsertion, 0.3, 0.005, setup.muscle);
  model.activation =
      ActivationTrace(setup.excitation, setup.muscle.dynamics, setup.initialActivation);
  return model;
}

}  // namespace pneuma::flesh
