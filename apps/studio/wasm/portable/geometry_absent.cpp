#include "pneuma/anatomy/bone_shape.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/core/mesh_simplify.h"
#include "pneuma/flesh/belly.h"
#include "pneuma/skin/figure_skin.h"

/// What makes surfaces is not part of this build: a packed body brings them.
namespace pneuma {
namespace {

[[noreturn]] void notHere(const char* what) {
  throw InputError(std::string(what) + " cannot be made here: it comes with a packed body");
}

}  // namespace

/// Bones of a packed body are light already.
TriangleMesh simplified(const TriangleMesh& mesh, double) {
  return mesh;
}
TriangleMesh lightened(const TriangleMesh& mesh, double) {
  return mesh;
}
std::vector<Triangle> coarserTriangles(const TriangleMesh& mesh, std::size_t) {
  return mesh.triangles;
}

namespace anatomy {

TriangleMesh makeBoneMesh(const BoneShape&, double) {
  notHere("the surface of a bone");
}
SkinSurface makeSkinSurface(const SkinModel&, const Body&, const Person&, const SkinConfig&,
                            const GeometryCache&) {
  notHere("a skin");
}

}  // namespace anatomy

// A figure's bellies and their skin: a session has none.
namespace flesh {

ActionLine::Sample ActionLine::smooth(double) const {
  notHere("a belly");
}
void BellyState::positions(std::vector<Vec3>&) const {
  notHere("a belly");
}

}  // namespace flesh
namespace skin {

const std::vector<Vec3>& FigureSkin::positions() const {
  notHere("a figure's skin");
}

}  // namespace skin
}  // namespace pneuma
