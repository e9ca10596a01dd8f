#include "pneuma/stage/palette.h"

#include <algorithm>
#include <cmath>

namespace pneuma::stage {
namespace {

/// sRGB 0xRRGGBB of a colour.
std::uint32_t packed(const render::Color& c) {
  const auto byte = [](float x) { return static_cast<std::uint32_t>(std::lround(255 * x)); };
  return byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b);
}

}  // namespace

render::Material tissueMaterial(body::Tissue tissue) {
  switch (tissue) {
    case body::Tissue::Bone:
      return render::materials::bone();
    case body::Tissue::Cartilage:
      return render::materials::cartilage();
    case body::Tissue::Muscle:
      return render::materials::muscle();
    case body::Tissue::Tendon:
      return render::materials::tendon();
    case body::Tissue::Organ:
      return render::materials::organ();
    case body::Tissue::Skin: {
      render::Material skin = render::materials::skin();
      skin.capColor = render::Color::hex(0xe9cdbb);  // pale, so that organs stand out in a cut
      return skin;
    }
  }
  return {};
}

io::GltfMaterial gltfMaterial(body::Tissue tissue, double opacity) {
  return {.name = std::string(body::toString(tissue)),
          .color = io::linearColor(packed(tissueMaterial(tissue).color)),
          .opacity = opacity,
          .doubleSided = tissue == body::Tissue::Muscle};  // the diaphragm is a sheet
}

render::Material heldMaterial() {
  return {.color = render::Color::hex(0x4a4f57), .roughness = 0.35};
}

io::GltfMaterial heldGltfMaterial() {
  return {.name = "iron", .color = io::linearColor(packed(heldMaterial().color))};
}

render::Color activationColor(double activation) {
  return render::mix(render::Color::hex(0xe8c9b8), render::Color::hex(0xc01818),
                     std::clamp(activation, 0.0, 1.0));
}

render::Material workingMuscle(double activation) {
  return render::materials::muscle(render::mix(render::Color::hex(0xc98a7c),
                                               render::Color::hex(0x9c2f2a),
                                               std::clamp(activation, 0.0, 1.0)));
}

render::Color forceColor(double part) {
  return render::sample(render::ColorMap::Heat, 0.15 + 0.85 * std::sqrt(std::max(0.0, part)));
}

Vec4 linearRgba(const render::Color& color) {
  const Vec3 rgb = io::linearColor(packed(color));
  return {rgb.x(), rgb.y(), rgb.z(), 1};
}

}  // namespace pneuma::stage
