#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/stage/complexion.h"
#include "pneuma/stage/torso_cast.h"
#include "pneuma/stage/units.h"
#include "stage/torso_skin.h"

/// A breath in one picture: the body full, the outline that it had empty, and how far it came.
namespace pneuma::stage {
namespace {

using anatomy::SkinPart;

const render::Color kOutline = render::Color::hex(0xffffff);

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

/// A leader from the place to the text beside the body.
void drawTravel(render::Image& image, const render::Camera& camera, const Travel& travel,
                const char* words) {
  const double scale = image.height / 720.0;
  const Vec3 p = camera.project(travel.place, image.width, image.height);
  const double reach = 50 * scale, x = p.x() - reach;
  render::drawLine(image, p.x() - 0.08 * reach, p.y(), x, p.y(), 1.6 * scale, kOutline);
  const render::TextStyle style{
      .size = 24 * scale, .color = kOutline, .weight = 1.3, .align = render::Align::Right};
  render::drawText(image, x - 8 * scale, p.y() + 8 * scale,
                   fmt::format("{} {:.0f} mm", words, travel.way / kMillimetre), style);
}

void paste(const render::Image& source, int x0, render::Image& target) {
  for (int y = 0; y < source.height; ++y)
    for (int x = 0; x < source.width; ++x) target.set(x0 + x, y, source.at(x, y));
}

}  // namespace

render::Image TorsoCast::breathPicture(const body::Frame& from, const body::Frame& to, int width,
                                       int height, int samples) const {
  const anatomy::SkinSurface& surface = skin_->surface();
  const std::vector<Vec3> before = skin(from), after = skin(to);
  render::Scene scene;
  const std::size_t k =
      scene.add({after, surface.mesh.triangles}, render::materials::skin(), "skin");
  scene.surfaces[k].texture = texture_;
  render::Renderer renderer(std::move(scene));
  render::RenderOptions options;
  options.width = width / 2, options.height = height, options.samples = samples;
  options.ground = false;
  options = options.inStudio();
  const auto seen = [&](const Vec3& direction) {
    const render::Camera c = camera(direction, static_cast<double>(options.width) / options.height);
    render::Image image = renderer.render(c, options);
    render::drawOutline(image, {before, surface.mesh.triangles}, c, height / 450.0, kOutline);
    return std::pair(std::move(image), c);
  };
  auto [side, sideCamera] = seen(Vec3::UnitX());
  for (const auto& [part, words] :
       {std::pair(SkinPart::Chest, "chest"), std::pair(SkinPart::Abdomen, "belly")})
    drawTravel(side, sideCamera, travelOf(surface, before, after, part), words);
  const render::Image front = seen(Vec3::UnitZ()).first;
  render::Image image(2 * options.width, height);
  paste(side, 0, image);
  paste(front, options.width, image);
  const int volume = layout_.scalarIndex("breath", "lung_volume");
  const double breathed =
      to.scalars[static_cast<std::size_t>(volume)] - from.scalars[static_cast<std::size_t>(volume)];
  const double scale = height / 720.0;
  const render::TextStyle large{.size = 26 * scale, .color = kOutline, .weight = 1.3};
  const render::TextStyle small{.size = 17 * scale, .color = kOutline};
  render::drawText(image, 24 * scale, 44 * scale,
                   fmt::format("{:.2f} l breathed in", breathed / kLitre), large);
  render::drawText(image, 24 * scale, 74 * scale, "white line: the body before", small);
  return image;
}

}  // namespace pneuma::stage
