#include <fmt/format.h>

#include "pneuma/stage/complexion.h"
#include "pneuma/stage/torso_cast.h"
#include "pneuma/stage/units.h"
#include "stage/breath_marks.h"
#include "stage/torso_skin.h"

/// A breath in one picture: the body full, the outline that it had empty, and how far it came.
namespace pneuma::stage {

render::Image TorsoCast::breathPicture(const body::Frame& from, const body::Frame& to, int width,
                                       int height, int samples) const {
  const anatomy::SkinSurface& surface = skin_->surface();
  const internal::BreathMarks marks(surface, skin(from));
  const std::vector<Vec3> after = skin(to);
  render::Scene scene;
  const std::size_t k =
      scene.add({after, surface.mesh.triangles}, render::materials::skin(), "skin");
  scene.surfaces[k].texture = texture_;
  scene.lines = hair(after);
  render::Renderer renderer(std::move(scene));
  render::RenderOptions options;
  options.width = width / 2, options.height = height, options.samples = samples;
  options.ground = false;
  options = options.inStudio();
  const auto seen = [&](const Vec3& direction) {
    const render::Camera c = camera(direction, static_cast<double>(options.width) / options.height);
    render::Image image = renderer.render(c, options);
    marks.outline(image, c);
    return std::pair(std::move(image), c);
  };
  auto [side, sideCamera] = seen(Vec3::UnitX());
  marks.travels(side, sideCamera, after, 0);
  render::Image image(2 * options.width, height);
  render::paste(side, 0, 0, image);
  render::paste(seen(Vec3::UnitZ()).first, options.width, 0, image);
  const auto volume = static_cast<std::size_t>(layout_.scalarIndex("breath", "lung_volume"));
  internal::BreathMarks::title(
      image,
      fmt::format("{:.2f} l breathed in", (to.scalars[volume] - from.scalars[volume]) / kLitre),
      "white line: the body before");
  return image;
}

}  // namespace pneuma::stage
