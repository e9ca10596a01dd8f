#pragma once

#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/flesh/sealed_surface.h"

/// Closed bodies that resist change of volume by pressure.
namespace pneuma::flesh {

/// Coordinates of many points, one array per axis, so that loops over them vectorise.
struct PointArray {
  std::vector<double> x, y, z;

  void resize(std::size_t n) {
    x.resize(n);
    y.resize(n);
    z.resize(n);
  }
  std::size_t size() const { return x.size(); }
  Vec3 operator[](std::size_t i) const { return {x[i], y[i], z[i]}; }
  void set(std::size_t i, const Vec3& p) {
    x[i] = p.x();
    y[i] = p.y();
    z[i] = p.z();
  }
  void add(std::size_t i, const Vec3& p) {
    x[i] += p.x();
    y[i] += p.y();
    z[i] += p.z();
  }
  void setZero();
};

/// Volume below a set of triangles, seen from `origin`, by signed tetrahedra (Fig. 4 of
/// [Zordan05]). For a closed surface it is the enclosed volume wherever the origin lies. Adds
///
///   sign * dV/dx_j = sign * sum_i A_i n_i / 3
///
/// to `gradient`, which is the direction of Eq. 5's force on vertex j.
double addVolumeGradient(std::span<const Triangle> triangles, const PointArray& points,
                         const Vec3& origin, double sign, PointArray& gradient);

/// The same without the gradient.
double signedVolume(std::span<const Triangle> triangles, const PointArray& points,
                    const Vec3& origin);

/// Internal pressure of a sealed body.
///
///   P    = kappa (V0 / V - 1)                [Zordan05, Eq. 4]
///   f_ij = max(0, P) A_i / 3 n_i             [Zordan05, Eq. 5]
///
///   kappa  bulk modulus [Pa]     V, V0  volume now and at rest [m^3]
///   A_i, n_i  area [m^2] and outward normal of face i;  f_ij  its share for vertex j [N]
///
/// Reading: Eq. 5 takes the maximum of a number and a vector; the pressure is clamped.
/// Departure: clamping is optional. A sealed gut holds its shape below atmospheric pressure as
/// well, and with the clamp a fast diaphragm inflates it without resistance. Departure: V is taken
/// as at least V0 / 1000, so that an inverted body stays finite.
struct PressureLaw {
  double bulkModulus = 200;  ///< kappa [Pa], > 0
  double restVolume = 1;     ///< V0 [m^3], > 0
  bool clamp = true;         ///< P >= 0

  double pressure(double volume) const;
  /// -dP/dV at the given volume [Pa/m^3], >= 0.
  double stiffness(double volume) const;
};

/// Settings of a sealed body.
struct PressureBodyConfig {
  double bulkModulus = 20e3;      ///< kappa [Pa], > 0
  double edgeStiffness = 200;     ///< of an edge spring [N/m], >= 0
  double edgeDamping = 2;         ///< [N s/m], >= 0
  double anchorStiffness = 2000;  ///< of a zero-length spring [N/m], >= 0
  double anchorDamping = 20;      ///< [N s/m], >= 0
  double mass = 0.5;              ///< of all vertices together [kg], > 0
};

/// A spring across the inside, "support" of [Zordan05, Sec. 8].
using InnerSpring = SurfaceSpring;

/// A self-contained sealed body: a closed surface of point masses, edge springs in tension and
/// compression, pressure, and zero-length springs that tie chosen vertices to moving targets. Used
/// for the pectorals and shoulders [Zordan05, Sec. 8] and for the ball dropped on a body (Fig. 4).
class PressureBody {
 public:
  /// `anchors` lists vertices tied to targets. Throws InputError when the mesh is not watertight.
  PressureBody(TriangleMesh rest, PressureBodyConfig config, std::vector<int> anchors,
               std::vector<InnerSpring> supports = {});

  /// Semi-implicit step with stiffness and damping in the inertia (stable for any dt); `targets`
  /// are the positions of the anchors at its end. Allocates nothing.
  void step(std::span<const Vec3> targets, double dt);

  /// Forces on the vertices at the present state [N], anchors held by targets that stand still.
  const std::vector<Vec3>& computeForces(std::span<const Vec3> targets);
  /// Stored energy, of which the forces at rest are minus the gradient [J]:
  ///
  ///   E = kappa (V - V0 ln V) + sum k/2 (l - l0)^2 + sum k_a/2 |x - target|^2
  double energy(std::span<const Vec3> targets) const;

  const TriangleMesh& mesh() const { return mesh_; }
  const std::vector<Vec3>& velocities() const { return velocity_; }
  std::span<const int> anchors() const { return anchors_; }
  double volume() const;
  double volumeError() const { return volume() / law_.restVolume - 1; }
  double pressure() const { return law_.pressure(volume()); }
  /// Takes up a saved state; both lists have an entry per vertex.
  void setState(std::vector<Vec3> positions, std::vector<Vec3> velocities,
                std::span<const Vec3> targets);

 private:
  void addAnchors(std::span<const Vec3> targets);

  TriangleMesh mesh_;  // as of the last step
  PressureBodyConfig config_;
  PressureLaw law_;
  SealedSurface surface_;
  std::vector<int> anchors_;
  double mass_ = 0;                             // of a vertex
  std::vector<int> anchorsAt_;                  // of each vertex
  std::vector<Vec3> velocity_, force_;          // copies for those who look
  std::vector<Vec3> targets_, targetVelocity_;  // of the last step
};

}  // namespace pneuma::flesh
