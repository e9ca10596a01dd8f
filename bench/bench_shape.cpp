#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/figures.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/core/random.h"
#include "pneuma/shape/bake.h"
#include "pneuma/shape/runtime/breath_shape.h"

/// What a frame of learned breath costs in a game: 10,000 vertices, eight components, one core.
namespace {

using namespace pneuma;

constexpr int kComponents = 8;

/// A round body of about 10,000 vertices; what its components look like does not matter.
shape::BreathModel benchModel() {
  shape::BreathModel m;
  std::vector<Vec3> line;
  std::vector<double> radii;
  for (int i = 0; i < 156; ++i) {
    line.emplace_back(0, 1.7 * i / 155.0, 0);
    radii.push_back(0.15);
  }
  m.mesh = makeTube(line, radii, 64);
  Random random(1);
  for (std::size_t v = 0; v < m.mesh.vertexCount(); ++v) {
    m.vertexParts.push_back(m.mesh.positions[v].y() < 0.6 ? "thigh" : "chest");
    m.mirror.push_back(static_cast<std::int32_t>(v));
  }
  for (int k = 0; k < kComponents; ++k) {
    std::vector<Vec3> u;
    for (std::size_t v = 0; v < m.mesh.vertexCount(); ++v)
      u.emplace_back(m.vertexParts[v] == "thigh"
                         ? Vec3(Vec3::Zero())
                         : Vec3(random.normal(), random.normal(), random.normal()) * 0.01);
    m.modes.push_back(std::move(u));
  }
  m.function = {shape::BreathInputs::KonnoMeadFlow, MatX::Random(8, kComponents)};
  m.featureMoments = MatX::Identity(8, 8);
  m.components = kComponents;
  return m;
}

}  // namespace

int main() {
  const shape::BreathModel model = benchModel();
  const std::string bytes =
      shape::bakePerson(model, shape::PersonBreath(model, model.mesh.positions));
  BreathShape person;
  if (breath_shape_open(&person, bytes.data(), bytes.size()) != BREATH_SHAPE_OK) return 1;
  std::vector<float> vertices(3 * model.mesh.vertexCount());
  float weights[BREATH_SHAPE_MOST_COMPONENTS];
  float sum = 0;
  const auto frame = [&](int k) {
    const BreathShapeState state{0.25f * static_cast<float>(1 - std::cos(0.01 * k)), 0.1f, 0.4f,
                                 1.0f};
    breath_shape_weights(&person, &state, weights);
    breath_shape_apply(&person, weights, vertices.data());
    sum += vertices[vertices.size() / 2];
  };
  constexpr int kFrames = 3000;
  for (int k = 0; k < 100; ++k) frame(k);
  double best = 1e300;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double begin = threadCpuSeconds();
    for (int k = 0; k < kFrames; ++k) frame(k);
    best = std::min(best, (threadCpuSeconds() - begin) / kFrames);
  }
  bench::Figures figures;
  figures.set("shape.apply_us", 1e6 * best);
  figures.set("shape.model_kb", 1e-3 * static_cast<double>(bytes.size()));
  fmt::print("{} vertices, {} components: {:.1f} us a frame, {:.0f} kB (checksum {:.3f})\n",
             model.mesh.vertexCount(), kComponents, 1e6 * best,
             1e-3 * static_cast<double>(bytes.size()), static_cast<double>(sum));
}
