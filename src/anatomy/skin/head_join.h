#pragma once

#include "anatomy/skin/head_surface.h"
#include "anatomy/skin/skin_carry.h"

/// The head in the skin: joined to the body's mesh once, then held in its place on every person.
namespace pneuma::anatomy::internal {

/// Takes the head off the left half of a body's surface (boundary in x = 0) and puts the measured
/// one there; the gap along the neck is closed.
TriangleMesh withMeasuredHead(TriangleMesh bodyHalf, const HeadSurface& head);

/// Draws onto the measured head, elsewhere as `body` does; in between from one to the other.
Draw drawWithHead(const HeadSurface& head, Draw body);

/// Places and shares of all vertices of the subject's mesh.
HeadPlaces headPlaces(const SymmetricMesh& mesh, const HeadSurface& head);

/// Those of the next finer mesh: middles of edges.
HeadPlaces subdivided(const HeadPlaces& coarse, std::span<const Triangle> triangles);

/// Draws a mesh towards its head: left vertex v by its share, to where a person's skin is.
void holdHead(SymmetricMesh& mesh, const HeadPlaces& places, const SkinField& field);

}  // namespace pneuma::anatomy::internal
