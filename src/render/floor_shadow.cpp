#include "render/floor_shadow.h"

#include "pneuma/core/parallel.h"

namespace pneuma::render::internal {
namespace {

/// Binomial filter over three cells in both directions: removes the grain that is left.
void smooth(std::vector<float>& cells, std::size_t side) {
  std::vector<float> rows(cells.size());
  const auto pass = [side](const std::vector<float>& in, std::vector<float>& out,
                           std::size_t step) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t position = (i / step) % side;
      const float before = position > 0 ? in[i - step] : in[i];
      const float after = position + 1 < side ? in[i + step] : in[i];
      out[i] = 0.25f * before + 0.5f * in[i] + 0.25f * after;
    }
  };
  pass(cells, rows, 1);
  pass(rows, cells, side);
}

}  // namespace

FloorShadow::FloorShadow(const Box& scene, float height)
    : height_(height), center_(toFloat(scene.center())) {
  const Vec3 size = scene.size();
  radius_ = static_cast<float>(0.75 * std::hypot(size.x(), size.z()) + 0.75 * size.y());
}

void FloorShadow::compute(const Geometry& geometry, const Lighting& lighting, int cells,
                          std::uint32_t samples) {
  side_ = static_cast<std::size_t>(cells);
  cells_.assign(side_ * side_, 0.0f);
  const float cell = 2 * radius_ / static_cast<float>(cells);
  parallelFor(side_, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t column = 0; column < side_; ++column) {
        const Vec3f corner(center_.x() - radius_ + static_cast<float>(column) * cell, height_,
                           center_.z() - radius_ + static_cast<float>(row) * cell);
        if (fade(corner + Vec3f(cell / 2, 0, cell / 2)) <= 0) continue;
        Sampler sampler(static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row));
        float sum = 0;
        for (std::uint32_t i = 0; i < samples; ++i) {
          sampler.start(i);
          const auto [u, v] = sampler.next2();
          sum += lighting.groundShadow(geometry, corner + cell * Vec3f(u, 0, v), sampler);
        }
        cells_[row * side_ + column] = sum / static_cast<float>(samples);
      }
  });
  smooth(cells_, side_);
}

bool FloorShadow::project(const Ray& ray, Vec3f& point) const {
  if (radius_ <= 0 || ray.direction.y() >= -1e-4f) return false;
  const float t = (height_ - ray.origin.y()) / ray.direction.y();
  point = ray.at(t);
  return t > 0;
}

float FloorShadow::fade(const Vec3f& p) const {
  const float distance = std::hypot(p.x() - center_.x(), p.z() - center_.z());
  return 1 - smoothstep(0.15f, 1.0f, distance / radius_);
}

bool FloorShadow::meets(const Ray& ray) const {
  Vec3f p;
  return project(ray, p) && fade(p) > 0;
}

float FloorShadow::along(const Ray& ray) const {
  Vec3f p;
  if (cells_.empty() || !project(ray, p)) return 0;
  const float strength = fade(p);
  if (strength <= 0) return 0;
  // Bilinear between the centres of the cells.
  const auto count = static_cast<float>(side_);
  const auto place = [&](float x, std::size_t& index) {
    const float c = std::clamp((x + radius_) / (2 * radius_) * count - 0.5f, 0.0f, count - 1.001f);
    index = static_cast<std::size_t>(c);
    return c - static_cast<float>(index);
  };
  std::size_t column = 0, row = 0;
  const float fx = place(p.x() - center_.x(), column), fz = place(p.z() - center_.z(), row);
  const float* c = &cells_[row * side_ + column];
  return strength * ((1 - fz) * ((1 - fx) * c[0] + fx * c[1]) +
                     fz * ((1 - fx) * c[side_] + fx * c[side_ + 1]));
}

}  // namespace pneuma::render::internal
