#pragma once

#include <optional>

#include "pneuma/render/color.h"

namespace pneuma::render {

/// How a surface answers to light.
struct Material {
  Color color = Color::hex(0xc8ccd0);
  double opacity = 1;        ///< seen face on, in [0, 1]
  double roughness = 0.55;   ///< of the highlight, in (0, 1]; small is glossy
  double specular = 0.04;    ///< reflectance face on, in [0, 1]
  double softness = 0;       ///< light that wraps around the terminator, in [0, 1]: living tissue
  Color scatter = color;     ///< tint of the wrapped light
  double depth = 0;          ///< how far light spreads below the surface, red farthest [m]
  double gloss = 0;          ///< share of a second, sharper highlight, in [0, 1]: a film of oil
  bool smooth = true;        ///< interpolated vertex normals; false shows the facets
  bool shellOpacity = true;  ///< a translucent surface thickens where seen at a grazing angle
  bool lit = true;           ///< false: plain colour, for diagrams
  bool castsShadow = true;
  bool cut = true;                ///< taken away by RenderOptions::cut
  bool capped = true;             ///< a cut through a closed surface shows a solid face
  std::optional<Color> capColor;  ///< colour of that face; default: a deeper `color`
};

/// The looks used across the project, so that bones are the same bones in every picture.
namespace materials {
Material skin(Color color = Color::hex(0xe3b59c));
Material bone(Color color = Color::hex(0xeee3cb));
Material cartilage(Color color = Color::hex(0xc3d6dc));
Material muscle(Color color = Color::hex(0xb5534a));
Material tendon(Color color = Color::hex(0xe9dfd2));
Material organ(Color color = Color::hex(0xc98078));
Material plain(Color color = Color::hex(0xb9c4cd));  ///< clean clay for anything else
/// The same look, seen through.
Material translucent(Material material, double opacity);
}  // namespace materials

}  // namespace pneuma::render
