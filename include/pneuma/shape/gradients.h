#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "pneuma/core/types.h"
#include "pneuma/shape/shape_template.h"

/// Deformation gradients of triangles and the way back to vertices [Tsoli14, Eqs 1, 2, 5].
namespace pneuma::shape {

/// The part of a triangle's 3 x 3 matrix that acts in the template triangle's plane: columns are
/// the images of two orthonormal directions. The third column, the image of the normal, meets no
/// edge and is left out; what Frobenius norms and products say is otherwise the same.
using PlaneGradient = Eigen::Matrix<double, 3, 2>;
using PlaneGradients = std::vector<PlaneGradient>;

/// The frame that plane gradients refer to: two directions in a triangle's plane and its normal.
Mat3 trianglePlane(const Triangle& triangle, std::span<const Vec3> positions);

/// Maps between vertices and gradients of one template.
///
///   T_t = [v_0 v_1] M_t^-1          [vhat_0 vhat_1] = [e_1 e_2] M_t          (Eq. 1)
///   y = argmin sum_t A_t |T_t - grad_t y|_F^2,   y given at fixed vertices   (Eq. 2)
///
/// Departures: triangles count by their area A_t, so that fine hands and faces do not outweigh the
/// chest; the translation, which the paper leaves free, is that of the fixed vertices (legs).
class GradientMap {
 public:
  explicit GradientMap(const ShapeTemplate& shape);
  ~GradientMap();
  GradientMap(GradientMap&&) noexcept;

  const ShapeTemplate& shape() const { return *shape_; }
  const std::vector<double>& areas() const { return areas_; }
  /// T_t of a shape of the same topology. Of differences of shapes: their gradients' differences.
  PlaneGradients gradients(std::span<const Vec3> positions) const;
  /// The vertices whose gradients come nearest; `fixed` gives those of the fixed vertices. Throws
  /// InputError for counts that do not fit.
  std::vector<Vec3> vertices(const PlaneGradients& wanted, std::span<const Vec3> fixed) const;

 private:
  struct Factor;
  const ShapeTemplate* shape_;
  std::vector<double> areas_;
  std::vector<Eigen::Matrix2d> inverse_;  // M_t^-1
  std::unique_ptr<Factor> factor_;
};

/// S of every triangle as a whole 3 x 3 matrix, smooth over neighbours [Tsoli14, Eq. 5]:
///
///   argmin_S sum_t sum_e |R_l[t] S_t Q_t vhat_te - v_te|^2 + beta sum_adjacent |S_t1 - S_t2|_F^2
///
/// The paper does not give beta; here it is relative to the mean squared edge of the template. With
/// Q = 1 the matrix is the same for every shape: factorised once, three rows share it.
class SmoothGradients {
 public:
  /// Throws InputError for a beta that is not above 0: Eq. 5 then leaves the normals' images open
  /// (GradientMap does not need them).
  SmoothGradients(const ShapeTemplate& shape, double beta);
  ~SmoothGradients();
  /// `rotations` one per part.
  std::vector<Mat3> solve(std::span<const Vec3> positions, std::span<const Mat3> rotations) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::shape
