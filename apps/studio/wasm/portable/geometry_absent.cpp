#include "pneuma/anatomy/bone_shape.h"
#include "pneuma/anatomy/bone_surface.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/core/integrator.h"
#include "pneuma/core/mesh_simplify.h"
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

// Bellies are steppable by themselves too, which nobody does here: integrators are left out.
bool OdeSystem::jacobian(double, const VecX&, SparseMat&) {
  return false;
}

std::unique_ptr<Integrator> makeIntegrator(IntegratorKind, const IntegratorConfig&) {
  notHere("an integrator");
}

namespace anatomy {

TriangleMesh makeBoneMesh(const BoneShape&, double) {
  notHere("the surface of a bone");
}
std::vector<Vec3> drawnOntoBone(const BoneShape&, std::vector<Vec3>) {
  notHere("a place on a bone");
}
SkinSurface makeSkinSurface(const SkinModel&, const Body&, const Person&, const SkinConfig&,
                            const GeometryCache&) {
  notHere("a skin");
}

}  // namespace anatomy

// The skin of the layered figure: a session has none.
namespace skin {

const std::vector<Vec3>& FigureSkin::positions() const {
  notHere("a figure's skin");
}

}  // namespace skin
}  // namespace pneuma
