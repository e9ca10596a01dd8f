#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/shape/gradients.h"
#include "pneuma/shape/pca.h"

/// Any pose: how skin changes with the joints beyond being turned [Tsoli14, Eqs 1 to 4].
namespace pneuma::shape {

/// One person in one pose.
struct PosedSkin {
  std::vector<Vec3> rest;   ///< the person's skin at rest [m]
  std::vector<Vec3> plain;  ///< as any armature carries it: linear blend of its joints [m]
  std::vector<Vec3> posed;  ///< as it is [m]
};

/// Which turn R_t a triangle is given.
enum class TurnOf {
  Part,     ///< one for all of its part, as SCAPE has it
  Triangle  ///< its own in the plainly skinned mesh: parts blend into one another, as BlendSCAPE
            ///< has
};

/// Q of every triangle, linear in the turns of its two nearest joints [Anguelov05].
///
///   v = R_t D_t Q_t vhat      Q_t vhat = (1 + sum_k r_k A_tk) vhat      (Eqs 1, 2)
///
///   r_k   axis times angle of one part against its neighbour, at the two joints nearest to t
///   D_t   whole 3 x 3 gradient of the person at rest; normals go to normals, scaled by the root of
///         the area (Eq. 5 fills them by smoothness instead)
///
/// Departures: the constant of the linear form is left out, so that the rest pose is the person's
/// skin to the last digit; R is that of the plainly skinned mesh, which every engine has, not of a
/// scan; each pose also counts as its mirror image.
class PoseShape {
 public:
  PoseShape() = default;  ///< Q = 1
  /// From the file; rows as `rows()` gives them. Throws InputError for counts that do not fit.
  PoseShape(TurnOf turn, FeatureRows rows) : turn_(turn), rows_(std::move(rows)) {}
  static PoseShape fit(const ShapeTemplate& shape, std::span<const PosedSkin> skins, TurnOf turn);

  bool empty() const { return rows_.size() == 0; }
  TurnOf turn() const { return turn_; }
  /// A_t: triangles x 6 numbers of (A vhat) for each of kInputs.
  const FeatureRows& rows() const { return rows_; }
  static constexpr Eigen::Index kInputs = 6;  ///< two joints, three numbers each

 private:
  TurnOf turn_ = TurnOf::Triangle;
  FeatureRows rows_;
};

/// Puts people of one template into poses: what is morphed at rest is turned, reshaped by Q and
/// solved for its vertices (Eq. 2).
class PoseSolver {
 public:
  /// Both must outlive this. Throws InputError when `pose` is not of the template.
  PoseSolver(const ShapeTemplate& shape, const PoseShape& pose);
  ~PoseSolver();

  /// `morphed` is the person at rest with breath, `rest` without; `plain` is `rest` as an armature
  /// carries it. The pelvis stands where it does in `plain`. Throws InputError for counts that do
  /// not fit.
  std::vector<Vec3> pose(std::span<const Vec3> rest, std::span<const Vec3> plain,
                         std::span<const Vec3> morphed) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::shape
