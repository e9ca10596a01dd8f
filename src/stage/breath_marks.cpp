#include "stage/breath_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/stage/units.h"

namespace pneuma::stage::internal {
namespace {

using anatomy::SkinPart;

constexpr double kMargin = 24;  // of text, at 720 lines [pixels]

/// How far a profile has come forwards at one level.
struct Travel {
  Vec3 place = Vec3::Zero();  ///< on the body that has come
  double way = 0;             ///< [m]
};

/// The foremost place of a part in each slice of height.
std::map<long, Vec3> profile(const anatomy::SkinSurface& skin, std::span<const Vec3> points,
                             SkinPart part) {
  constexpr double kSlice = 0.01;  // [m], a vertex or more in each
  std::map<long, Vec3> foremost;
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (skin.parts[v] != part) continue;
    const auto [at, fresh] = foremost.try_emplace(std::lround(points[v].y() / kSlice), points[v]);
    if (!fresh && points[v].z() > at->second.z()) at->second = points[v];
  }
  return foremost;
}

/// What lies between the two outlines halfway up the part: at the nipples of the chest, at the
/// navel of the belly.
Travel travelOf(const anatomy::SkinSurface& skin, std::span<const Vec3> before,
                std::span<const Vec3> after, SkinPart part) {
  const std::map<long, Vec3> from = profile(skin, before, part), to = profile(skin, after, part);
  if (from.empty()) return {};
  const long level = (from.begin()->first + from.rbegin()->first) / 2;
  if (!from.contains(level) || !to.contains(level)) return {};
  return {to.at(level), to.at(level).z() - from.at(level).z()};
}

/// A leader from the text at the left edge to the place.
void drawTravel(render::Image& image, const render::Camera& camera, const Travel& travel,
                const std::string& words) {
  const double scale = markScale(image);
  const Vec3 p = camera.project(travel.place, image.width, image.height);
  const render::TextStyle style{.size = 24 * scale, .color = kMarkColor, .weight = 1.3};
  const double from = kMargin * scale + render::textWidth(words, style) + 8 * scale;
  const double to = p.x() - 4 * scale;
  if (to > from) render::drawLine(image, from, p.y(), to, p.y(), 1.6 * scale, kMarkColor);
  render::drawText(image, kMargin * scale, p.y() + 8 * scale, words, style);
}

}  // namespace

BreathMarks::BreathMarks(const anatomy::SkinSurface& surface, std::vector<Vec3> before)
    : surface_(surface), before_{std::move(before), surface.mesh.triangles} {}

void BreathMarks::outline(render::Image& image, const render::Camera& camera) const {
  const render::Image without = image;
  render::drawOutline(image, before_, camera, 1.6 * markScale(image), kMarkColor);
  // Heads do not breathe, and have hair that lies over the line: up the neck it fades.
  Box neck;
  for (std::size_t v = 0; v < before_.positions.size(); ++v)
    if (surface_.parts[v] == SkinPart::Neck) neck.add(before_.positions[v]);
  if (neck.empty()) return;
  const Vec3 top(neck.center().x(), neck.max.y(), neck.center().z());
  const double gone = camera.project(top, image.width, image.height).y();
  const Vec3 base(top.x(), neck.min.y(), top.z());
  const double full = camera.project(base, image.width, image.height).y();
  const int last = std::clamp(static_cast<int>(full), 0, image.height);
  for (int y = 0; y < last; ++y) {
    const double share = full > gone ? std::clamp((y - gone) / (full - gone), 0.0, 1.0) : 1.0;
    for (int x = 0; x < image.width; ++x) image.blend(x, y, without.at(x, y), 1 - share);
  }
}

void BreathMarks::travels(render::Image& image, const render::Camera& camera,
                          std::span<const Vec3> after, int decimals) const {
  for (const auto& [part, name] :
       {std::pair(SkinPart::Chest, "chest"), std::pair(SkinPart::Abdomen, "belly")}) {
    const Travel travel = travelOf(surface_, before_.positions, after, part);
    const double tick = std::pow(10, -decimals);  // no -0.0
    const double way = std::round(travel.way / kMillimetre / tick) * tick;
    drawTravel(image, camera, travel, fmt::format("{} {:.{}f} mm", name, way + 0.0, decimals));
  }
}

void BreathMarks::title(render::Image& image, const std::string& large, const std::string& small) {
  const double scale = markScale(image);
  render::drawText(image, kMargin * scale, 44 * scale, large,
                   {.size = 26 * scale, .color = kMarkColor, .weight = 1.3});
  render::drawText(image, kMargin * scale, 74 * scale, small,
                   {.size = 17 * scale, .color = kMarkColor});
}

}  // namespace pneuma::stage::internal
