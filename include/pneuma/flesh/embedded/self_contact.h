#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/core/surface_query.h"
#include "pneuma/flesh/embedded/flesh_solver.h"
#include "pneuma/flesh/embedded/vertex_normals.h"

namespace pneuma::flesh::embedded {

/// Where flesh's own skin would go through itself: inner elbow, armpit, thigh on belly, chin.
///
/// From each vertex a ray goes inwards. Skin that it leaves the body through nearby, though at rest
/// it was far away, is skin the vertex has gone through, if outwards it is in the body, too: a web
/// of flesh drawn thin, as in front of a raised arm's pit, has air there. The plane half-way
/// between the two pushes the vertex back; the other side finds a plane of its own there, so both
/// give way alike and no pair of far nodes has to enter the matrix. Without friction. Contacts of
/// the rest shape (closed lips) are none. Skin that has not moved since the last look, nor had any
/// that moved near it, is as it was and not looked at again.
class SelfContact {
 public:
  /// `skin` is closed, at rest. The model must outlive this.
  SelfContact(const FleshModel& model, const TriangleMesh& skin);

  struct Found {
    std::size_t count = 0;  ///< planes, of skins that only nearly touch too
    double deepest = 0;     ///< how far skin lies in skin [m]
  };
  /// Planes for given places of all nodes; replaces those in `planes`.
  Found find(std::span<const Vec3> nodes, std::vector<ContactPlane>& planes);

 private:
  bool touches(std::size_t vertex, const SurfaceQuery::Hit& hit, const Vec3& inwards) const;
  void place(std::span<const Vec3> nodes);
  std::vector<std::uint8_t> toLookAt() const;
  void look(std::size_t vertex);
  bool inOther(std::size_t vertex) const;

  const FleshModel& model_;
  std::vector<Vec3> rest_, now_, before_, restNormals_;
  std::vector<Triangle> triangles_;
  VertexNormals normals_;
  std::vector<LatticePlace> places_;
  std::vector<double> stiffness_;     ///< of each vertex [N/m]
  std::vector<std::uint8_t> closed_;  ///< by vertex: in contact at rest
  std::vector<ContactPlane> candidates_;
  std::vector<double> depth_;  ///< of each vertex in other skin [m]
  bool looked_ = false;
  SurfaceQuery query_;
};

}  // namespace pneuma::flesh::embedded
