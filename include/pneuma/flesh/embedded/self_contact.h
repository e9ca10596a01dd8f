#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
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
///
/// The force that a vertex was pushed with goes on into the next round, which adds what is missing
/// (multipliers of an augmented Lagrangian), so skins end apart however soft the planes are. Skins
/// that come near have planes, too, which do not push yet: what is pushed apart in one place must
/// not go through another.
class SelfContact {
 public:
  /// `skin` is closed, at rest. The model must outlive this.
  SelfContact(const FleshModel& model, const TriangleMesh& skin);

  struct Found {
    std::size_t count = 0;  ///< vertices that touch other skin, or nearly
    double deepest = 0;     ///< how far skin lies in skin [m]
    double held = 0;        ///< how far skins are apart that the last planes push [m]
  };
  /// Planes for given places of all nodes; replaces those in `planes`.
  Found find(std::span<const Vec3> nodes, std::vector<ContactPlane>& planes,
             const ContactRound& round = {});

  /// Whether flesh is so near to where it was sought last, and so free of planes, that skin can
  /// touch nothing that was not found then: a search would find no push.
  bool stands(std::span<const Vec3> nodes) const;

  /// With what force each vertex was pushed in the last pose [N]: where the next one begins.
  const std::vector<double>& pushes() const { return push_; }
  void setPushes(std::vector<double> pushes) { push_ = std::move(pushes); }
  /// Nothing pushes any more.
  void release() { std::fill(push_.begin(), push_.end(), 0.0); }

 private:
  bool touches(std::size_t vertex, const SurfaceQuery::Hit& hit, const Vec3& inwards) const;
  Vec3 placeOf(const LatticePlace& place, std::span<const Vec3> nodes) const;
  void place(std::span<const Vec3> nodes);
  std::vector<std::uint8_t> toLookAt() const;
  void look(std::size_t vertex);
  bool inOther(std::size_t vertex) const;
  ContactPlane pushing(std::size_t vertex, const ContactRound& round);

  const FleshModel& model_;
  std::vector<Vec3> rest_, now_, before_, restNormals_;
  std::vector<Triangle> triangles_;
  VertexNormals normals_;
  std::vector<LatticePlace> places_;
  std::vector<double> stiffness_;                ///< of each vertex [N/m]
  std::vector<std::uint8_t> closed_;             ///< by vertex: in contact at rest
  std::vector<ContactPlane> candidates_, last_;  ///< by vertex: half-way, and as last found
  std::vector<double> depth_;                    ///< of each vertex in other skin [m]
  std::vector<double> push_;                     ///< [N]
  std::vector<Vec3> nodes_;                      ///< last looked at
  bool looked_ = false, touching_ = false;
  double watched_ = 0;  ///< ContactRound::watched of that look
  SurfaceQuery query_;
};

}  // namespace pneuma::flesh::embedded
