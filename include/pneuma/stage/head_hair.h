#pragma once

#include <vector>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/render/scene.h"

/// Hair as lines, for pictures: what is painted on the skin is a cap from the side and from afar.
namespace pneuma::stage {

/// The hairs of a head at rest: a man's crop, a woman's short cut. Roots lie on the skin as densely
/// as hair grows there; each hair leaves it upwards and lies down along the way of its strand, away
/// from the whorl at the crown, at a height of its own over the skin. One line stands for several
/// hairs. Cut and colour are choices; the same skin gives the same hairs.
///
/// `positions` are those of `topology`, the head upright.
std::vector<render::Polyline> headHair(const anatomy::SkinTopology& topology,
                                       const std::vector<Vec3>& positions, anatomy::Sex sex,
                                       const render::Color& color);

}  // namespace pneuma::stage
