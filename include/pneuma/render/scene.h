#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"
#include "pneuma/render/material.h"

namespace pneuma::render {

/// Colour and fine relief as functions of a place on a body of reference: they are as sharp as the
/// picture, whatever the mesh, and stay where they are while the surface moves. The functions are
/// called from many threads at once.
struct Texture {
  std::vector<Vec3> places;                   ///< of each vertex [m]
  std::function<Color(const Vec3&)> color;    ///< at a place; or null: the surface's own
  std::function<double(const Vec3&)> relief;  ///< height over the surface [m]; or null: none
  double reliefStep = 2e-4;                   ///< over which its slope is taken [m], > 0
};

/// One triangle surface of a scene, in world coordinates [m].
struct Surface {
  std::string name;
  TriangleMesh mesh;
  Material material;
  std::vector<double> scalars;                  ///< one per vertex, shown through `scale`; or empty
  std::optional<ColorScale> scale;              ///< must be set when scalars are
  std::vector<Color> colors;                    ///< one per vertex, or empty; scalars win
  std::shared_ptr<const Texture> texture = {};  ///< or null; scalars win over its colour
};

/// A round line through points, for muscle paths, forces and traces.
struct Polyline {
  std::vector<Vec3> points;   ///< two or more [m]
  std::vector<double> radii;  ///< one per point, or one for all [m], > 0
  std::vector<Color> colors;  ///< one per point, or empty: the material's colour
  Material material = {};
};

/// Text at a point of the scene, with a thin leader to it.
struct Label {
  Vec3 anchor;  ///< [m]
  std::string text;
  Vec2 offset{60, -40};  ///< from the projected anchor to the text, in pixels at 720 lines
};

/// What a picture shows. Plain data: build it, hand it to render() or to a Renderer.
struct Scene {
  std::vector<Surface> surfaces;
  std::vector<Polyline> lines;
  std::vector<Label> labels;

  /// Adders return the index, which Renderer::setPositions and friends take.
  std::size_t add(TriangleMesh mesh, Material material, std::string name = "");
  /// A surface coloured by one scalar per vertex.
  std::size_t add(TriangleMesh mesh, std::vector<double> scalars, ColorScale scale,
                  Material material = materials::plain(), std::string name = "");
  std::size_t addLine(std::vector<Vec3> points, double radius, Material material);
  std::size_t addLine(Polyline line);

  Box bounds() const;  ///< of everything in the scene
};

}  // namespace pneuma::render
