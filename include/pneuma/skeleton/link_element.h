#pragma once

#include <string>
#include <vector>

#include "pneuma/skeleton/loads.h"

/// Force elements between two links (or a link and the world), with exact derivatives.
namespace pneuma::skeleton {

/// The degrees of freedom that move two links against each other: those above one but not both.
struct RelativePath {
  RelativePath() = default;
  /// Link -1 is the world.
  RelativePath(const Model& model, int linkA, int linkB);

  int linkA = -1, linkB = -1;
  std::vector<DofRange> ranges;  ///< increasing
  std::vector<double> sign;      ///< per range: +1 moves B, -1 moves A
  int dofCount = 0;
};

/// What an element does at one state. The wrench acts on B, its opposite on A (about
/// Kinematics::origin, world axes).
struct LinkWrench {
  Vec6 wrench = Vec6::Zero();  ///< w
  Mat6 position =
      Mat6::Zero();  ///< dw when B is displaced by a small twist, A and velocities fixed
  Mat6 velocity = Mat6::Zero();  ///< dw per relative velocity V_B - V_A
};

/// Adds the generalised force, its damping part and the weighted derivatives. Exact, also for the
/// turning of the axes with the joints above them.
void addLinkWrench(const Model& model, const Kinematics& kinematics, const RelativePath& path,
                   const LinkWrench& element, Loads& loads);

/// A spring and damper between two points. With a rest length it acts along their line,
///
///   f = k (l - l0) + d lDot,  pulling the points together;
///
/// with l0 = 0 it acts in every direction, f_B = -k x - d xDot, and is well defined also when the
/// points meet (rib and cartilage). Force and counterforce act at point B.
struct PointSpring {
  RelativePath path;
  Vec3 pointA = Vec3::Zero();  ///< in the frame of link A (world when it has none)
  Vec3 pointB = Vec3::Zero();
  double stiffness = 0;   ///< k [N/m], >= 0
  double damping = 0;     ///< d [N s/m], >= 0
  double restLength = 0;  ///< l0 [m], >= 0
};

/// A 6-D spring and damper between two frames, e.g. an intervertebral disc:
///
///   E = 1/2 x^T Kt x + 1/2 theta^T Kr theta
///
/// x: origin of frame B seen from frame A, less its rest; theta: rotation vector from A to B; both
/// in the axes of A. The damper resists relative velocity at B's origin in the same axes.
struct Bushing {
  RelativePath path;
  Pose frameA, frameB;                     ///< in their links' frames
  Vec3 restOffset = Vec3::Zero();          ///< of x [m]
  Vec3 translation = Vec3::Zero();         ///< diagonal of Kt [N/m], >= 0
  Vec3 rotation = Vec3::Zero();            ///< diagonal of Kr [N m/rad], >= 0
  Vec3 translationDamping = Vec3::Zero();  ///< [N s/m], >= 0
  Vec3 rotationDamping = Vec3::Zero();     ///< [N m s/rad], >= 0
};

/// A spring between two points given in the world at rest.
PointSpring makePointSpring(const Model& model, int linkA, const Vec3& atA, int linkB,
                            const Vec3& atB, double stiffness, double damping);
/// A bushing whose two frames coincide, in the world at rest, with `frame`.
Bushing makeBushing(const Model& model, int linkA, int linkB, const Pose& frame);

LinkWrench evaluate(const PointSpring& spring, const Kinematics& kinematics);
LinkWrench evaluate(const Bushing& bushing, const Kinematics& kinematics);

/// Stored energy [J].
double energy(const PointSpring& spring, const Kinematics& kinematics);
double energy(const Bushing& bushing, const Kinematics& kinematics);

/// Everything of this kind on one skeleton.
struct LinkElements {
  std::vector<PointSpring> springs;
  std::vector<Bushing> bushings;
};
void addLinkElements(const Model& model, const Kinematics& kinematics, const LinkElements& elements,
                     Loads& loads);
double energy(const LinkElements& elements, const Kinematics& kinematics);

}  // namespace pneuma::skeleton
