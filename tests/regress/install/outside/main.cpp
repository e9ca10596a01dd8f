#include <pneuma/core/triangle_mesh.h>
#include <pneuma/core/version.h>

#include <cstdio>

int main() {
  const pneuma::TriangleMesh ball = pneuma::makeSphere(0.1, 4);
  std::printf("pneuma %s: a ball of %.3f L\n", pneuma::version().data(),
              1000 * pneuma::enclosedVolume(ball));
  return pneuma::analyzeTopology(ball).watertight() ? 0 : 1;
}
