#include <fmt/format.h>

#include <cmath>

#include "pneuma/stage/complexion.h"
#include "pneuma/stage/torso_cast.h"
#include "pneuma/stage/units.h"
#include "stage/torso_skin.h"

/// A breath in one picture: the body full, the outline that it had empty, and how far it came.
namespace pneuma::stage {
namespace {

using anatomy::SkinPart;

const render::Color kOutline = render::Color::hex(0xffffff);

/// How far the place of a part that comes farthest along a direction has come.
struct Travel {
  Vec3 place = Vec3::Zero();
  double way = 0;  ///< along the direction [m]
};

/// In the person's mid-plane, where skin goes with what lies under it and does not slide.
Travel farthest(const anatomy::SkinSurface& skin, std::span<const Vec3> before,
                std::span<const Vec3> after, SkinPart part, const Vec3& direction) {
  constexpr double kMiddle = 0.03;  // [m]
  Travel best;
  for (std::size_t v = 0; v < after.size(); ++v) {
    if (skin.parts[v] != part || std::abs(before[v].x()) > kMiddle) continue;
    const double way = (after[v] - before[v]).dot(direction);
    if (way > best.way) best = {after[v], way};
  }
  return best;
}

/// A leader from the place to the text beside the body.
void drawTravel(render::Image& image, const render::Camera& camera, const Travel& travel,
                const char* words, double side) {
  const double scale = image.height / 720.0;
  const Vec3 p = camera.project(travel.place, image.width, image.height);
  const double reach = side * 70 * scale, x = p.x() + reach;
  render::drawLine(image, p.x() + 0.08 * reach, p.y(), x, p.y(), 1.6 * scale, kOutline);
  const render::TextStyle style{.size = 24 * scale,
                                .color = kOutline,
                                .weight = 1.3,
                                .align = side < 0 ? render::Align::Right : render::Align::Left};
  render::drawText(image, x + side * 8 * scale, p.y() + 8 * scale,
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
  const auto come = [&](SkinPart part, const Vec3& direction) {
    return farthest(surface, before, after, part, direction);
  };
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
  drawTravel(side, sideCamera, come(SkinPart::Chest, Vec3::UnitZ()), "chest", -1);
  drawTravel(side, sideCamera, come(SkinPart::Abdomen, Vec3::UnitZ()), "belly", -1);
  const render::Image front = seen(Vec3::UnitZ()).first;
  render::Image image(2 * options.width, height);
  paste(side, 0, image);
  paste(front, options.width, image);
  const int volume = layout_.scalarIndex("breath", "lung_volume");
  const double breathed =
      to.scalars[static_cast<std::size_t>(volume)] - from.scalars[static_cast<std::size_t>(volume)];
  render::drawCaption(image, fmt::format("{:.2f} l breathed in", breathed / kLitre),
                      "white: the outline at the end of the breath out");
  return image;
}

}  // namespace pneuma::stage
