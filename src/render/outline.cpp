#include <array>
#include <vector>

#include "pneuma/render/renderer.h"

namespace pneuma::render {
namespace {

/// How much of each pixel a mesh covers, 0 .. 1.
std::vector<float> coverage(const TriangleMesh& mesh, const Camera& camera, int width, int height) {
  Scene scene;
  scene.add(mesh, {.color = Color::hex(0xffffff), .lit = false});
  RenderOptions options;
  options.width = width, options.height = height, options.samples = 4;
  options.denoise = options.ground = options.vignette = false;
  options.background = Color::hex(0x000000);
  const Image mask = Renderer(std::move(scene)).render(camera, options);
  std::vector<float> covered(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::size_t i = 0; i < covered.size(); ++i)
    covered[i] = static_cast<float>(mask.rgb[3 * i]) / 255.0f;
  return covered;
}

}  // namespace

void drawOutline(Image& image, const TriangleMesh& mesh, const Camera& camera, double thickness,
                 const Color& color) {
  const std::vector<float> covered = coverage(mesh, camera, image.width, image.height);
  const auto at = [&](int x, int y) {
    return covered[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                   static_cast<std::size_t>(x)];
  };
  // Marching squares between pixel centres: where the edge crosses the four sides of a cell.
  for (int y = 0; y + 1 < image.height; ++y)
    for (int x = 0; x + 1 < image.width; ++x) {
      const std::array<float, 4> c{at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)};
      constexpr std::array<std::array<int, 2>, 4> kCorner{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
      std::array<Vec2, 4> crossing;
      std::size_t count = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t n = (k + 1) % 4;
        if ((c[k] >= 0.5f) == (c[n] >= 0.5f)) continue;
        const double t = (0.5 - c[k]) / (c[n] - c[k]);
        crossing[count++] = {x + 0.5 + kCorner[k][0] + t * (kCorner[n][0] - kCorner[k][0]),
                             y + 0.5 + kCorner[k][1] + t * (kCorner[n][1] - kCorner[k][1])};
      }
      for (std::size_t k = 0; k + 1 < count; k += 2)
        drawLine(image, crossing[k].x(), crossing[k].y(), crossing[k + 1].x(), crossing[k + 1].y(),
                 thickness, color);
    }
}

}  // namespace pneuma::render
