#pragma once

#include <array>
#include <functional>

#include "anatomy/skin/symmetric_mesh.h"

/// Moves the vertices of a surface along a level set so that its triangles are well shaped.
namespace pneuma::anatomy::internal {

/// A point drawn onto a level set.
struct Drawn {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  ///< unit gradient there; zero when the field gave none
};
/// Draws a point onto the level set, by at most `most` [m]; points with x = 0 stay there.
using Draw = std::function<Drawn(const Vec3& p, double most)>;

/// Where a vertex belongs among its neighbours: weights over its ring, of sum 1, and how far beside
/// their mean it lies by nature (per vertex, or empty: not at all).
struct RingRest {
  std::vector<double> weights;
  std::vector<Vec3> offsets;  ///< [m]
};
/// The offsets of the vertices as they are now: then relaxing moves nothing.
void holdOffsets(RingRest& rest, const SymmetricMesh& mesh, const VertexRings& rings);

/// Mean value coordinates of each left vertex in its ring, laid flat with its angles scaled to a
/// full turn [Floater 2003, Eq. 2.1]. They are positive, and they reproduce the vertex: a surface
/// that is stretched by an affine map stays as it is, so relaxing with the template's own weights
/// moves a vertex only where drawing has distorted its neighbourhood.
RingRest meanValueWeights(const SymmetricMesh& mesh, const VertexRings& rings);

/// Weights that pull towards triangles of equal area over density; `wanted` is the relative edge
/// length at a point.
RingRest evenWeights(const SymmetricMesh& mesh, const VertexRings& rings,
                     const std::function<double(const Vec3&)>& wanted);

/// One pass: each left vertex moves by `share` of the way to its place among its neighbours, along
/// the surface (less where the surface bends sharply, or fingertips would wander), is drawn onto
/// the level set, and its image follows. `normals` (per vertex, left ones used) are those of the
/// last drawing and are brought up to date.
void relax(SymmetricMesh& mesh, const VertexRings& rings, const RingRest& rest, double share,
           const Draw& draw, double most, std::vector<Vec3>& normals);

/// The aspect of a triangle; beyond 10 when it leans away from the normals of its corners by more
/// than 84 degrees, beyond 14 when it turns over.
double shapeCost(const std::array<Vec3, 3>& corners, const std::array<Vec3, 3>& normals);
double shapeCostOf(const TriangleMesh& mesh, const Triangle& t, const std::vector<Vec3>& normals);
/// Largest cost of all left triangles.
double worstShape(const SymmetricMesh& mesh, const std::vector<Vec3>& normals);

/// Which triangles are badly shaped, and how hard to try.
struct MendRules {
  double goal = 3;          ///< triangles with a cost above are mended
  double acceptable = 4.5;  ///< patches around triangles above are smoothed in between
  int rounds = 12;          ///< over all vertices
};

/// Moves single vertices (those with `movable` set) of badly shaped triangles to where the worst
/// triangle around them is best: a pattern search in the tangent plane, in index order. Where that
/// does not suffice, the patch around is smoothed and the search starts again. Returns the worst
/// cost left.
double mend(SymmetricMesh& mesh, const VertexRings& rings, const std::vector<char>& movable,
            const MendRules& rules, const Draw& draw);

}  // namespace pneuma::anatomy::internal
