#pragma once

#include <memory>
#include <vector>

#include "pneuma/skin/driver.h"
#include "pneuma/skin/figure_skin.h"
#include "pneuma/skin/layered_driver.h"
#include "pneuma/skin/weights_driver.h"

namespace pneuma::skin {

/// The contours of the layered figure as a driver of the one mesh.
///
/// Each vertex is bound at rest to the nearest point of the contours' surface that faces the same
/// way: triangle, barycentric weights b_k and offset. In a pose it keeps the offset, turned as the
/// surface turns there:
///
///   x = s + R (p - s_0)        s = sum_k b_k c_k   point of the contours' surface, s_0 at rest
///   R = rotation nearest to sum_k b_k R_k
///   R_k = rotation nearest to sum over edges e at c_k of e_now e_rest^T      [Sorkine07]
///
/// R is the rotation nearest to the mean of these over the vertices around, four rings wide: where
/// the contours crease, single places turn at random.
///
/// So the one mesh keeps its fine shape (face, fingers) and takes the contours' motion: fanned
/// joints, closed folds, bellies that swell. Hands and feet follow the figure's own, which move
/// with their bones.
///
/// Head and throat follow the weights of the armature instead. Where the figure's head is set on
/// the contours of its neck, the throat hangs on the one and the chin above it on the other; a nod
/// closes the fold between them, and triangles that reach across turn over. With t_v the share of
/// the skull in the weights of a vertex, brought from 0 to 1 by a smooth step,
///
///   x = (1 - t) x_contours + t x_weights      R = rotation nearest to (1 - t) R_c + t R_w
class ContourDriver : public PoseDriver {
 public:
  /// Takes the figure's skin over; it must have been made with its extremities, for the same
  /// person.
  ContourDriver(const anatomy::SkinSurface& surface, FigureSkin skin, const anatomy::Body& body,
                JointGroups groups, SkinWeights weights);

  void carry(std::span<const Pose> bones, std::span<Pose> motions) override;

  /// Largest distance between a vertex and the contours' surface at rest [m].
  double farthest() const { return farthest_; }

 private:
  struct Binding {
    Triangle corners{};
    Vec3 weights = Vec3::Zero();
    Vec3 rest = Vec3::Zero();  // s_0
  };
  void bind(const TriangleMesh& mesh);
  void turnCorners();
  void evenTurns();
  Mat3 evenTurn(std::size_t vertex) const;  // mean with its neighbours
  void findRough();                         // where turns differ, and around
  void carryHead(std::span<const Pose> bones, std::span<Pose> motions);

  FigureSkin skin_;
  std::size_t boneCount_;
  JointGroups groups_;
  SkinWeights weights_;
  GroupMotions groupMotions_;
  struct HeadVertex {
    std::int32_t vertex = 0;
    double share = 0;          // t
    Vec3 rest = Vec3::Zero();  // p
  };
  std::vector<HeadVertex> head_;  // where t > 0
  std::vector<Vec3> rest_;        // of the contours' surface
  std::vector<Binding> bindings_;
  std::vector<std::int32_t> begin_, neighbour_;          // around each of its vertices
  std::vector<Mat3> turn_;                               // R_k
  std::vector<std::int32_t> meshBegin_, meshNeighbour_;  // around each vertex of the mesh
  std::vector<Mat3> meshTurn_, nextTurn_;                // of each vertex
  std::vector<std::int32_t> rough_;
  std::vector<std::uint8_t> isRough_;
  double farthest_ = 0;
};

/// A driver with contours and breath for a body fitted to the person whose skin `surface` is, under
/// an articulation with the bones that the contours name. `bellies` may be null. `model` and
/// `bellies` must outlive it.
std::unique_ptr<LayeredDriver> makeContourSkin(const anatomy::SkinSurface& surface,
                                               const anatomy::Body& body,
                                               const anatomy::CompiledBody& compiled,
                                               const skeleton::Model& model,
                                               const flesh::FigureBellies* bellies,
                                               const anatomy::GeometryCache& cache,
                                               std::span<const PointTrace> traces);

}  // namespace pneuma::skin
