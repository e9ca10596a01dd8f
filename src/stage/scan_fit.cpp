#include <fmt/format.h>

#include "pneuma/core/error.h"
#include "pneuma/shape/tracking.h"
#include "pneuma/stage/perform_run.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {
namespace {

constexpr double kOtherSize = 0.25;      // of the person's height
constexpr double kElsewhereTrust = 0.2;  // of head and arms, which need not hang as ours do

Box boxOf(const std::vector<Vec3>& points) {
  Box box;
  for (const Vec3& p : points) box.add(p);
  return box;
}

}  // namespace

ScanFit findInScan(const shape::BreathModel& model, const shape::PersonBreath& person,
                   TriangleMesh scan) {
  const shape::ShapeTemplate shape = model.shape();
  const Box ours = boxOf(person.rest()), theirs = boxOf(scan.positions);
  const double height = ours.max.y() - ours.min.y(), size = theirs.max.y() - theirs.min.y();
  if (!(std::abs(size - height) < kOtherSize * height))
    throw InputError(Diagnostic{.subject = "scan",
                                .message = fmt::format("is {:.3g} m high", size),
                                .expected = fmt::format("the person's {:.2f} m, +Y up", height)});
  // Onto the person: feet at one height, middles above one another.
  Vec3 shift = 0.5 * (ours.min + ours.max - theirs.min - theirs.max);
  shift.y() = ours.min.y() - theirs.min.y();
  for (Vec3& p : scan.positions) p += shift;
  shape::RegistrationGuide guide;
  for (std::size_t v = 0; v < shape.vertexCount(); ++v)
    guide.trust.push_back(shape.trunkVertex[v] || shape.fixedVertex[v] ? 1 : kElsewhereTrust);
  const shape::RegistrationTarget target(std::move(scan));
  const shape::Tracked found = shape::Tracker(person).track(target, guide);
  ScanFit fit{.positions = found.positions};
  fit.trunk = shape::measureDistances(found.positions, target.surface(), shape.trunkVertex);
  // Where the person stands is no breath.
  std::vector<Vec3> home = found.positions;
  const Pose back = found.X_SP.inverse();
  for (Vec3& p : home) p = back * p;
  const shape::HalfVolumes gained = shape::gainedVolumes(shape, person.rest(), home);
  fit.volume = gained.all();
  fit.type = gained.torso() != 0 ? gained.chest / gained.torso() : 0.5;
  for (Vec3& p : fit.positions) p -= shift;
  return fit;
}

nlohmann::ordered_json ScanFit::json() const {
  return {{"trunk_rms_mm", trunk.rms / kMillimetre},
          {"trunk_p95_mm", trunk.p95 / kMillimetre},
          {"gained_ml", volume / kMillilitre},
          {"chest_share", type}};
}

}  // namespace pneuma::stage
