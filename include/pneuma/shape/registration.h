#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pneuma/core/surface_query.h"
#include "pneuma/core/triangle_mesh.h"

/// One topology drawn onto any surface of a person: a scan, a character.
namespace pneuma::shape {

/// How closely and how stiffly a template follows.
struct RegistrationConfig {
  int rounds = 12;            ///< of closest points, > 0
  double firstLength = 0.16;  ///< l in the first round [m]: what is smaller keeps its shape
  double lastLength = 0.006;  ///< and in the last
  double firstReach = 0.14;   ///< farther closest points do not count, first round [m]
  double lastReach = 0.05;    ///< and last
  double angle = 1.05;        ///< between normals, beyond which they do not count [rad]
  double along = 0.02;        ///< weight of what lies along the surface against across it
  double tension = 0.02;      ///< t: keeps what has no matches from swinging out
  double anchored = 0.5;      ///< weight of all anchors against all matches
};

/// A vertex whose place is known: paint on a skin, a landmark.
struct Anchor {
  std::int32_t vertex = 0;    ///< of the template
  Vec3 place = Vec3::Zero();  ///< [m]
};

/// What is known of the template's vertices. Empty lists: nothing.
struct RegistrationGuide {
  std::vector<double> trust;  ///< weight of each vertex's match, 0 (none) to 1
  std::vector<int> labels;    ///< limb of each vertex; -1 may lie anywhere
  std::vector<bool> drawnIn;  ///< whether bare folds of the target draw a vertex in; empty: none
  std::vector<Anchor> anchors;
};

/// A surface to be met. Holes are allowed: their rims attract nothing.
class RegistrationTarget {
 public:
  /// `labels` per vertex as in RegistrationGuide, or empty. Throws InputError for an empty mesh or
  /// another number of labels.
  explicit RegistrationTarget(TriangleMesh mesh, std::vector<int> labels = {});

  /// The closest point, and whether it may count as the image of a vertex with that label.
  struct Place {
    Vec3 point = Vec3::Zero();
    Vec3 plane = Vec3::Zero();   ///< unit normal of its triangle
    Vec3 normal = Vec3::Zero();  ///< unit normal, smooth over the surface
    double distance = 0;         ///< [m]
    bool counts = false;         ///< not on the rim of a hole, not on another limb
  };
  Place closest(const Vec3& point, int label) const;
  const SurfaceQuery& surface() const { return surface_; }
  const std::vector<Vec3>& normals() const { return normals_; }  ///< of its vertices
  /// Whether a vertex of the surface may lie on the limb with that label.
  bool mayBeOn(std::size_t vertex, int label) const {
    return labels_.empty() || label < 0 || labels_[vertex] < 0 || labels_[vertex] == label;
  }

 private:
  SurfaceQuery surface_;
  std::vector<Vec3> normals_;
  std::vector<int> labels_;
  std::vector<std::array<bool, 3>> rim_;  // of each triangle: is the edge opposite to k a border
};

struct Registered {
  std::vector<Vec3> positions;  ///< of the template's vertices [m]
  std::vector<bool> matched;    ///< vertices that had a match in the last round
  double rms = 0;               ///< of their distances across the surface [m]
};

/// Non-rigid registration by closest points, annealed from stiff to soft.
///
///   minimise over u   (1 / W) sum_i w_i [ (n_i . (x_i - c_i))^2 + a |x_i - c_i|^2 ]   x = start +
///   u
///                   + (1 / A) integral of l^4 |lap u|^2 + t l^2 |grad u|^2
///                   + (m / M) sum_k |x_k - q_k|^2
///                   + (f / W) sum_j |p_j(x) - t_j|^2
///
///   c_i, n_i  closest point of the target and the normal there, kept when it lies within reach,
///             its normal within `angle` of the template's, on the same limb, not on a rim
///   w_i       trust / (1 + (d_i / 2 median d)^2), W their sum (robust, after Cauchy)
///   l         length below which u is smooth; falls in equal ratios from round to round
///   A         area of the template; lap by the cotangent formula
///   t_j, p_j  in the last third of the rounds: places of the target that lie bare, more than 3 mm
///             from the template (clefts between toes, folds that closest points of the template
///             never reach), and the template's points closest to them
///
/// The plate (lap) leaves limbs free to stretch and turn, which a membrane would resist. Each round
/// is one linear system, 3 x 3 blocks on the diagonal, solved by conjugate gradients; what
/// conditions it is one factor of the scalar plate. Deterministic for any number of threads.
class Registrar {
 public:
  /// `shape` gives triangles and, by its positions, areas and angles. Throws InputError for a
  /// triangle without area.
  explicit Registrar(TriangleMesh shape);
  ~Registrar();
  Registrar(Registrar&&) noexcept;

  /// Throws InputError for counts that do not fit, and when nothing of the target lies within reach
  /// of `start` and faces its way.
  Registered run(std::span<const Vec3> start, const RegistrationTarget& target,
                 const RegistrationGuide& guide = {}, const RegistrationConfig& config = {}) const;

 private:
  struct Plate;
  class Run;
  std::unique_ptr<const Plate> plate_;
};

/// How far points lie from a surface [m].
struct SurfaceDistances {
  double mean = 0, rms = 0, p95 = 0, p99 = 0, max = 0;
  std::size_t count = 0;
};
/// Of the points marked in `chosen` (empty: all).
SurfaceDistances measureDistances(std::span<const Vec3> points, const SurfaceQuery& surface,
                                  const std::vector<bool>& chosen = {});

}  // namespace pneuma::shape
