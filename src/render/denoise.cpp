#include <cmath>

#include "pneuma/core/parallel.h"
#include "render/film.h"

namespace pneuma::render::internal {
namespace {

constexpr int kReach = 4;                // half the window [pixels]
constexpr float kNormalSpread = 0.015f;  // squared differences that count as another surface
constexpr float kColorSpread = 0.0015f;
constexpr float kDepthSpread = 4e-6f;  // relative, squared
constexpr float kNoiseFactor = 6.0f;   // brightness may differ by this many variances

float brightness(const Rgb& c) {
  return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2];
}

/// A variance from few samples is itself noisy; its neighbourhood says it better.
std::vector<float> smoothVariance(const Film& film) {
  std::vector<float> out(film.pixels.size());
  parallelFor(static_cast<std::size_t>(film.height), 8, [&](std::size_t begin, std::size_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
      for (int x = 0; x < film.width; ++x) {
        float sum = 0;
        int count = 0;
        for (int v = std::max(0, y - 1); v <= std::min(film.height - 1, y + 1); ++v)
          for (int u = std::max(0, x - 1); u <= std::min(film.width - 1, x + 1); ++u) {
            if (!film.at(u, v).touched) continue;
            sum += film.at(u, v).variance;
            ++count;
          }
        out[static_cast<std::size_t>(y * film.width + x)] =
            count ? sum / static_cast<float>(count) : 0;
      }
  });
  return out;
}

float weight(const FilmPixel& p, const FilmPixel& q, float variance, float distanceSquared) {
  const float light = brightness(p.light) - brightness(q.light);
  const float depth = p.depth > 0 ? (p.depth - q.depth) / p.depth : 0;
  const float unlike = (p.normal - q.normal).squaredNorm() / kNormalSpread +
                       (p.color - q.color).square().sum() / kColorSpread +
                       depth * depth / (kDepthSpread * (1 + distanceSquared)) +
                       light * light / (kNoiseFactor * variance + 1e-9f) + distanceSquared / 12;
  return unlike < 12 ? std::exp(-unlike) : 0;
}

}  // namespace

std::vector<Rgb> denoise(const Film& film) {
  const std::vector<float> variance = smoothVariance(film);
  const auto index = [&](int x, int y) { return static_cast<std::size_t>(y * film.width + x); };
  std::vector<Rgb> out(film.pixels.size());
  parallelFor(static_cast<std::size_t>(film.height), 4, [&](std::size_t begin, std::size_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
      for (int x = 0; x < film.width; ++x) {
        const FilmPixel& p = film.at(x, y);
        out[index(x, y)] = p.light;
        if (!p.touched || variance[index(x, y)] <= 0) continue;
        Rgb sum = p.light;
        float total = 1;
        for (int v = std::max(0, y - kReach); v <= std::min(film.height - 1, y + kReach); ++v)
          for (int u = std::max(0, x - kReach); u <= std::min(film.width - 1, x + kReach); ++u) {
            const FilmPixel& q = film.at(u, v);
            if (!q.touched || (u == x && v == y)) continue;
            const auto distance = static_cast<float>((u - x) * (u - x) + (v - y) * (v - y));
            const float w = weight(p, q, variance[index(x, y)] + variance[index(u, v)], distance);
            sum += w * q.light;
            total += w;
          }
        out[index(x, y)] = sum / total;
      }
  });
  return out;
}

}  // namespace pneuma::render::internal
