#pragma once

#include <memory>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/render/scene.h"

/// The colour and the fine relief of a person's skin. Both belong to the topology: a place of the
/// skin keeps its colour in every person and every pose.
namespace pneuma::stage {

/// What a skin is coloured from.
struct Complexion {
  render::Color tone = render::Color::hex(0xdfae93);  ///< of the trunk
  render::Color hair = render::Color::hex(0x3a2a22);  ///< of brows and cropped scalp
  anatomy::Sex sex = anatomy::Sex::Male;              ///< men: the shade of a shaven beard
  bool lidsClosed = true;  ///< lashes are painted where the lids meet; open eyes have their own
};

/// The colour at a place of the measured man [m]: redder where blood lies near the surface (lips,
/// cheeks, nose, ears, knuckles, elbows, knees, soles), darker at the areolae, hair where it grows
/// densely, and mottled a little everywhere.
render::Color complexionAt(const Vec3& place, const Complexion& complexion);
/// Height of pores and fine lines at a place [m].
double poreHeight(const Vec3& place);

/// Both, for a skin of that topology. Films leave the pores out: they are smaller than a pixel and
/// would only be noise.
std::shared_ptr<const render::Texture> skinTexture(const anatomy::SkinTopology& topology,
                                                   const Complexion& complexion, bool pores = true);

}  // namespace pneuma::stage
