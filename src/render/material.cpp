#include "pneuma/render/material.h"

namespace pneuma::render::materials {

Material skin(Color color) {
  return {.color = color,
          .roughness = 0.55,
          .specular = 0.028,  // of an index of refraction of 1.4
          .softness = 0.7,
          .scatter = Color::hex(0xd98a72),
          .depth = 0.006,
          .gloss = 0.16,
          .capColor = Color::hex(0xd98f7d)};
}

Material bone(Color color) {
  return {.color = color,
          .roughness = 0.5,
          .specular = 0.045,
          .softness = 0.3,
          .scatter = Color::hex(0xd9b98c),
          .capColor = Color::hex(0xd8bfa0)};
}

Material cartilage(Color color) {
  return {.color = color,
          .roughness = 0.35,
          .specular = 0.045,
          .softness = 0.4,
          .scatter = Color::hex(0x8fb4c4),
          .capColor = Color::hex(0x9fbcc6)};
}

Material muscle(Color color) {
  return {.color = color,
          .roughness = 0.42,
          .specular = 0.05,
          .softness = 0.35,
          .scatter = Color::hex(0xa8352c),
          .capColor = mix(color, Color::hex(0x6d1f1c), 0.35)};
}

Material tendon(Color color) {
  return {.color = color, .roughness = 0.32, .specular = 0.05, .softness = 0.3, .scatter = color};
}

Material organ(Color color) {
  return {.color = color,
          .roughness = 0.3,
          .specular = 0.05,
          .softness = 0.5,
          .scatter = mix(color, Color::hex(0xa02a20), 0.5),
          .capColor = mix(color, Color::hex(0x6d1f1c), 0.25)};
}

Material plain(Color color) {
  return {.color = color, .roughness = 0.6, .specular = 0.03, .scatter = color};
}

Material translucent(Material material, double opacity) {
  material.opacity = opacity;
  return material;
}

}  // namespace pneuma::render::materials
