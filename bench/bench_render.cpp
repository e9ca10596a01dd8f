// Time of one picture: 1280x720 of a body-sized surface with about 200 000 triangles, all threads.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>

#include "bench/figures.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/render/renderer.h"

namespace pneuma::render {
namespace {

bench::Figures& figures() {
  static bench::Figures instance;
  return instance;
}

/// Least wall time and processor time (all threads) of the repetitions [s]. The second says what an
/// idle machine would need when this one is busy.
class Stopwatch {
 public:
  void start() {
    wallStart_ = std::chrono::steady_clock::now();
    processorStart_ = processCpuSeconds();
  }
  void stop() {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wallStart_;
    wall_ = std::min(wall_, wall.count());
    processor_ = std::min(processor_, processCpuSeconds() - processorStart_);
  }
  void report(const std::string& key) const {
    figures().set(key + ".s", wall_);
    figures().set(key + ".processor_s", processor_);
  }

 private:
  std::chrono::steady_clock::time_point wallStart_;
  double processorStart_ = 0;
  double wall_ = 1e9, processor_ = 1e9;
};

/// A figure of limbs, trunk and head from tubes and a ball: closed, finely meshed, 205 k triangles.
TriangleMesh makeFigure() {
  TriangleMesh figure = makeSphere(0.11, 6, {0, 1.62, 0});  // 82 k triangles
  const auto limb = [&](const Vec3& from, const Vec3& to, double start, double end) {
    std::vector<Vec3> line;
    std::vector<double> radii;
    for (int i = 0; i <= 100; ++i) {
      const double t = i / 100.0;
      line.push_back(from + t * (to - from));
      radii.push_back((start + t * (end - start)) * (1 + 0.08 * std::sin(9 * t)));
    }
    append(figure, makeTube(line, radii, 120));
  };
  limb({0, 0.85, 0}, {0, 1.45, 0}, 0.15, 0.17);
  for (const double side : {-1.0, 1.0}) {
    limb({0.09 * side, 0.88, 0}, {0.14 * side, 0, 0}, 0.09, 0.04);
    limb({0.17 * side, 1.4, 0}, {0.55 * side, 0.85, 0}, 0.05, 0.03);
  }
  return figure;
}

void still(benchmark::State& state, const Material& material, const char* key) {
  Scene scene;
  scene.add(makeFigure(), material);
  const Camera camera = Camera::frame(scene.bounds(), View::ThreeQuarter);
  Renderer renderer(scene);
  Stopwatch watch;
  for (auto _ : state) {
    watch.start();
    benchmark::DoNotOptimize(renderer.render(camera));
    watch.stop();
  }
  state.counters["triangles"] = static_cast<double>(scene.surfaces[0].mesh.triangleCount());
  watch.report(key);
}

void skinStill(benchmark::State& state) {
  still(state, materials::skin(), "render.still_720p_skin");
}
void translucentStill(benchmark::State& state) {
  still(state, materials::translucent(materials::skin(), 0.3), "render.still_720p_translucent");
}

/// New positions and a rebuilt hierarchy: what a moving skin costs before its picture.
void movedSkin(benchmark::State& state) {
  Scene scene;
  scene.add(makeFigure(), materials::skin());
  Renderer renderer(scene);
  const std::vector<Vec3> positions = scene.surfaces[0].mesh.positions;
  RenderOptions tiny;
  tiny.width = tiny.height = 1;
  tiny.ground = false;
  const Camera camera = Camera::frame(scene.bounds(), View::Front);
  Stopwatch watch;
  for (auto _ : state) {
    watch.start();
    renderer.setPositions(0, positions);
    benchmark::DoNotOptimize(renderer.render(camera, tiny));
    watch.stop();
  }
  watch.report("render.update_200k_triangles");
}

BENCHMARK(skinStill)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK(translucentStill)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK(movedSkin)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace pneuma::render

BENCHMARK_MAIN();
