#pragma once

#include "anatomy/skin/skin_field.h"

/// One mesh for all people: the subject's, carried to a person and drawn onto that person's skin.
namespace pneuma::anatomy::internal {

/// Where the vertices of a mesh lie on the measured head, and how much (0..1) each is held there.
struct HeadPlaces {
  std::vector<Vec2> place;
  std::vector<double> share;

  bool empty() const { return share.empty(); }
};

/// The lean skin of a man or woman in the subject's proportions, and how much of each vertex (0..1)
/// follows the arm rather than the trunk.
struct SkinTemplate {
  SymmetricMesh mesh;
  std::vector<double> armShare;
  HeadPlaces head;  ///< empty: the head is skin like any other
};

/// Share of the arm at each vertex: nearest piece of the envelope, smoothed along the surface.
std::vector<double> armShares(const SymmetricMesh& mesh, const SkinEnvelope& envelope);

/// The same mesh drawn onto the lean level set of the other sex, in the subject's proportions.
SymmetricMesh otherSex(const SkinTemplate& measured, const SkinField& field, Sex sex);

/// The person's surface at the template's level. Leaves the field's fat at `fat` [m].
///
///   start   every vertex at its place in the person's lean proportions (SkinField::carried)
///   lean    relaxed with the template's own ring weights and drawn onto the lean level set
///   fat     the layer grows in steps, each drawn and relaxed: a vertex keeps its place on the skin
///           while folds deepen around it
///   mend    the worst triangles, if any
///   head    held in its measured shape throughout
SymmetricMesh carriedSkin(const SkinTemplate& subject, SkinField& field, double fat);

/// The next finer level: middles of edges drawn onto the field (but in folds too sharp for it); the
/// given vertices stay. `head` are the places of the finer mesh.
SymmetricMesh refinedSkin(const SymmetricMesh& coarse, const HeadPlaces& head,
                          const SkinField& field);

}  // namespace pneuma::anatomy::internal
