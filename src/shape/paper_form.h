#pragma once

#include <array>
#include <optional>
#include <vector>

#include "pneuma/shape/learn.h"
#include "pneuma/shape/rotations.h"

namespace pneuma::shape::internal {

/// The split of one person's frames that the paper makes [Tsoli14, Eqs 3, 5, Sec. 4.2].
///
///   T_t = R_l[t] S_t,  R_l = exp(c_l) exp(a_l),  S_t = D_t + B_t,  D = mean of S, a = mean of R
///
/// Readings: Q = 1, for all stand in one posture; a and c are composed, not added, and a is the
/// mean about which logarithms sum to zero; beta -> 0 in Eq. 5, whose smoothness then only fills
/// images of normals that meet no edge.
struct PaperSplit {
  std::vector<Mat3> a;          ///< of each part
  PlaneGradients D;             ///< of each triangle
  FeatureRows B;                ///< frames x 6 per triangle, times the root of the area
  MatX c;                       ///< frames x 3 per part [rad]
  std::vector<double> volumes;  ///< of the mesh less that of the mean shape [m^3]
};
PaperSplit splitFrames(const GradientMap& map, const PersonFrames& frames);

/// Vertices of given breath and pose [Tsoli14, Eq. 3 and 2].
std::vector<Vec3> joinFrame(const GradientMap& map, const PaperSplit& split,
                            const Eigen::RowVectorXd& breath, const Eigen::RowVectorXd& pose,
                            const std::vector<Vec3>& rest);

/// Breath type of each trial [Tsoli14, Sec. 6.2]: the chest's share of what chest and belly gain
/// from the mean shape where the trial's line has the largest volume. By trial number.
std::vector<double> paperTypes(const PersonFrames& frames, const std::vector<double>& volumes);

/// The paper's model: F(s, v) and E(g, v) [Tsoli14, Eqs 6 - 10].
class PaperForm {
 public:
  PaperForm(const GradientMap& map, Eigen::Index components);
  void learnFrom(const PersonFrames& frames);  ///< learn-type frames of one person
  void finish();

  /// Displacements of the person's frames as predicted from type, volume and sex; mean shape and
  /// mean pose are the person's own. `turn` off: breath does not turn parts (E = 0).
  FeatureRows predict(const PersonFrames& frames, bool turn) const;
  /// All components of pose, those left out too.
  const PoseComponents& pose() const { return pose_; }

 private:
  struct Trial {
    Eigen::Index first = 0, count = 0;  // rows
    double type = 0;
  };
  Eigen::RowVectorXd poseAt(bool female, double volume) const;

  const GradientMap* map_;
  Eigen::Index count_;
  RowCompressor rows_;
  std::vector<Trial> trials_;
  std::vector<double> volumes_;
  std::vector<bool> female_;
  std::vector<Eigen::RowVectorXd> poses_;
  TypeVolumeFunction F_;
  MatX breathDirections_;  // M x 6 per triangle
  PoseComponents pose_;
  MatX poseDirections_;    // those that go with volume
  std::array<MatX, 2> L_;  // of men and women: 2 x N
};

}  // namespace pneuma::shape::internal
