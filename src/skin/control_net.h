#pragma once

#include <array>

#include "pneuma/anatomy/points.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/skin/subdivision.h"
#include "skin/layout.h"
#include "skin/tissue.h"

namespace pneuma::skin::internal {

/// The person's own skin at rest, which the control points are laid on.
struct RestSkin {
  SurfaceQuery surface;
  std::vector<anatomy::SkinPart> parts;  ///< one per vertex

  explicit RestSkin(const anatomy::SkinSurface& skin) : surface(skin.mesh), parts(skin.parts) {}
  anatomy::SkinPart partOf(const SurfaceQuery::Hit& hit) const {
    const Triangle& t = surface.mesh().triangles[static_cast<std::size_t>(hit.triangle)];
    return parts[static_cast<std::size_t>(t[0])];
  }
};

/// An open rim of the net, to be closed by an extremity.
struct NetEnd {
  std::string piece;
  std::vector<std::int32_t> ring;
  int contour = 0;  ///< its last one
};

/// A tube of rings, all with the same number of points.
struct NetTube {
  std::string name;
  std::vector<std::vector<std::int32_t>> rings;
};

/// Control points of the whole envelope: one net for all seven pieces.
///
///   trunk   rows around the spine from the legs' roots to the neck, with an opening at either side
///   arms    tubes whose first ring is the rim of an opening
///   legs    tubes whose first ring is half of the trunk's lowest row and the line across the
///   crotch
struct ControlNet {
  QuadNet net;
  std::vector<Vec3> rest;    ///< [m]
  std::vector<int> contour;  ///< of each point
  std::vector<Contour> contours;
  std::vector<Shares> shares;  ///< of each point
  std::vector<std::vector<std::int32_t>> neighbours;
  std::vector<std::array<std::int32_t, 2>>
      along;                        ///< points of the contours before and after, or -1
  std::vector<std::int32_t> loose;  ///< points around limbs' roots, where the skin spans
  std::vector<bool> seen;           ///< points on the person's own skin; others fill its folds
  std::vector<NetEnd> ends;
  std::vector<NetTube> tubes;
};

ControlNet makeControlNet(const Layout& layout, const RestSkin& skin, double height);

}  // namespace pneuma::skin::internal
