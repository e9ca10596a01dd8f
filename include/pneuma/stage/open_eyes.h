#pragma once

#include <array>
#include <memory>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/render/scene.h"

/// Eyes that look. The one skin has its lids closed; its triangles stay as they are.
namespace pneuma::stage {

/// A hair of a lid, from root to tip.
struct Lash {
  std::vector<Vec3> points;   ///< [m]
  std::vector<double> radii;  ///< of each [m]
};

/// An eyeball: a sphere with a cornea, at rest in the body frame.
struct Eyeball {
  Vec3 center = Vec3::Zero();  ///< [m]
  double radius = 0;           ///< [m]
  TriangleMesh mesh;
  std::shared_ptr<const render::Texture> texture;  ///< sclera, iris, pupil and the lids' shade
  std::vector<Lash> lashes;                        ///< of both its lids
};

/// Opens the lids of a skin at rest and gives the eyeballs, left and right, that look ahead.
///
/// Seen from the middle of an eye, with r the distance, a the azimuth and e the elevation of a
/// vertex over the line where the lids meet, both lids turn away from it,
///
///   e' = e + u(a) (1 - e / f)^1.3       u: half-opening of the lid, f: where its fold ends,
///
/// and lie on the eyeball; what is left between them goes behind its surface. The opening is some
/// 10 mm high; the eyeball is a little larger than people's 24 mm, as the measured lids are.
/// `topology` is that of the skin whose vertices are `positions`.
std::array<Eyeball, 2> openEyes(const anatomy::SkinTopology& topology,
                                std::vector<Vec3>& positions);

/// The line of lashes along each pair of closed lids, left and right: a fine thread that tapers
/// towards both corners. A polynomial in the place along the lids, fitted to the vertices beside
/// where they meet and laid onto the skin: paint on the triangles there, stretched over the slit as
/// they are, came out torn. `positions` at rest, those of `topology`.
std::array<Lash, 2> closedLashes(const anatomy::SkinTopology& topology,
                                 const std::vector<Vec3>& positions);

/// Wet and clear.
render::Material eyeMaterial();
render::Material lashMaterial();

}  // namespace pneuma::stage
