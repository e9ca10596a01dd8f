#include "pneuma/shape/bake.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/shape/runtime/breath_shape.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

constexpr double kStill = 1e-6;   // [m]
constexpr double kFarthest = 10;  // deviations at which that is asked
constexpr double kLargestShort = 32767;

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void putFloat(std::string& bytes, double value) {
  put(bytes, static_cast<float>(value));
}

/// Row by row, as C sees a two-dimensional array.
void putFloats(std::string& bytes, const MatX& m) {
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) putFloat(bytes, m(i, j));
}

std::vector<std::uint32_t> movingVertices(const PersonBreath& person) {
  std::vector<std::uint32_t> list;
  for (std::size_t v = 0; v < person.rest().size(); ++v) {
    double most = 0;
    for (Index m = 0; m < person.componentCount(); ++m)
      most = std::max(most, kFarthest * person.deviations()[m] *
                                person.components()[static_cast<std::size_t>(m)][v].norm());
    if (most > kStill) list.push_back(static_cast<std::uint32_t>(v));
  }
  return list;
}

double largestCoordinate(const std::vector<Vec3>& u) {
  double most = 0;
  for (const Vec3& d : u) most = std::max(most, d.cwiseAbs().maxCoeff());
  return most;
}

}  // namespace

std::string bakePerson(const BreathModel& model, const PersonBreath& person) {
  if (person.componentCount() > BREATH_SHAPE_MOST_COMPONENTS)
    throw InputError("bake: more components than the runtime takes");
  const std::vector<std::uint32_t> moving = movingVertices(person);
  std::string bytes;
  put(bytes,
      BreathShapeHeader{.magic = BREATH_SHAPE_MAGIC,
                        .version = BREATH_SHAPE_VERSION,
                        .vertices = static_cast<std::uint32_t>(model.mesh.vertexCount()),
                        .moving = static_cast<std::uint32_t>(moving.size()),
                        .components = static_cast<std::uint32_t>(person.componentCount()),
                        .features = static_cast<std::uint32_t>(person.function().weights().rows()),
                        .area = static_cast<float>(person.area()),
                        .belly_lead = static_cast<float>(model.bellyLead)});
  putFloats(bytes, person.function().weights());
  putFloats(bytes, person.deviations());
  putFloats(bytes, person.volumeSlope());
  putFloats(bytes, person.volumeBend());
  for (const std::vector<Vec3>& u : person.components()) putFloat(bytes, largestCoordinate(u));
  for (const Vec3& p : person.rest())
    for (int k = 0; k < 3; ++k) putFloat(bytes, p[k]);
  for (const std::uint32_t v : moving) put(bytes, v);
  // Shorts with a scale for each component are half the bytes of floats.
  for (const std::vector<Vec3>& u : person.components()) {
    const double scale = std::max(1e-300, largestCoordinate(u)) / kLargestShort;
    for (const std::uint32_t v : moving)
      for (int k = 0; k < 3; ++k)
        put(bytes, static_cast<std::int16_t>(std::lround(u[v][k] / scale)));
  }
  // What is written is opened as a game would: nobody gets a file that the runtime refuses.
  BreathShape check;
  PNEUMA_CHECK(breath_shape_open(&check, bytes.data(), bytes.size()) == BREATH_SHAPE_OK,
               "{} baked bytes", bytes.size());
  return bytes;
}

}  // namespace pneuma::shape
