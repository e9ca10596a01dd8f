#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/EulerJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/TranslationalJoint.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include <span>

#include "tests/judges/judge.h"

namespace pneuma::judges {

using namespace skeleton;
namespace dd = dart::dynamics;

namespace {

Eigen::Isometry3d isometry(const Pose& X) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = X.rotation;
  T.translation() = X.position;
  return T;
}

bool isHinge(const CompiledMotion& m) {
  return m.code != MotionCode::Slide && m.code != MotionCode::Ball;
}

/// Three hinges about x, y, z, which DART has as one joint.
bool isEuler(std::span<const CompiledMotion> motions) {
  return motions.size() == 3 && motions[0].code == MotionCode::HingeX &&
         motions[1].code == MotionCode::HingeY && motions[2].code == MotionCode::HingeZ;
}

class DartJudge : public Judge {
 public:
  explicit DartJudge(const Model& model) : skeleton_(dd::Skeleton::create("tree")) {
    skeleton_->setGravity(model.gravity);
    for (int l = 0; l < model.linkCount(); ++l) addLink(model, l);
    // DART numbers joint after joint in the order of creation, like we do.
    buffer_.resize(model.dofCount());
    for (const CompiledMotion& m : model.motions)
      motions_.push_back({m.code == MotionCode::Ball, m.dof, m.position});
  }

  void setState(std::span<const double> q, std::span<const double> v) override {
    for (const Coordinate& c : motions_) {
      if (c.ball)  // a rotation vector for a quaternion; both take velocities in the moved axes
        buffer_.segment<3>(c.dof) = dd::BallJoint::convertToPositions(
            Quat(q[c.position], q[c.position + 1], q[c.position + 2], q[c.position + 3])
                .toRotationMatrix());
      else
        buffer_[c.dof] = q[c.position];
    }
    skeleton_->setPositions(buffer_);
    skeleton_->setVelocities(Eigen::Map<const Eigen::VectorXd>(v.data(), v.size()));
  }

  void forward(std::span<const double> tau, std::span<double> vDot) override {
    setAllForces();
    skeleton_->setForces(Eigen::Map<const Eigen::VectorXd>(tau.data(), tau.size()));
    skeleton_->computeForwardDynamics();
    read(skeleton_->getAccelerations(), vDot);
  }

  void inverse(std::span<const double> vDot, std::span<double> tau) override {
    skeleton_->setAccelerations(Eigen::Map<const Eigen::VectorXd>(vDot.data(), vDot.size()));
    skeleton_->computeInverseDynamics();
    read(skeleton_->getForces(), tau);
  }

  bool hybrid(std::span<const unsigned char> prescribed, std::span<double> vDot,
              std::span<double> tau) override {
    if (mode_ != Mode::Hybrid) {
      mode_ = Mode::Hybrid;
      for (std::size_t j = 0; j < skeleton_->getNumJoints(); ++j) {
        dd::Joint* joint = skeleton_->getJoint(j);
        if (joint->getNumDofs() == 0) continue;
        joint->setActuatorType(prescribed[joint->getIndexInSkeleton(0)] ? dd::Joint::ACCELERATION
                                                                        : dd::Joint::FORCE);
      }
    }
    for (std::size_t j = 0; j < prescribed.size(); ++j)
      buffer_[j] = prescribed[j] ? vDot[j] : tau[j];
    skeleton_->setCommands(buffer_);
    skeleton_->computeForwardDynamics();
    read(skeleton_->getAccelerations(), vDot);
    read(skeleton_->getForces(), tau);
    return true;
  }

 private:
  enum class Mode { None, Forces, Hybrid };

  void setAllForces() {
    if (mode_ == Mode::Forces) return;
    mode_ = Mode::Forces;
    for (std::size_t j = 0; j < skeleton_->getNumJoints(); ++j)
      skeleton_->getJoint(j)->setActuatorType(dd::Joint::FORCE);
  }

  static void read(const Eigen::VectorXd& from, std::span<double> to) {
    std::copy(from.data(), from.data() + from.size(), to.begin());
  }

  template <class JointType>
  dd::BodyNode* add(dd::BodyNode* parent, const typename JointType::Properties& joint,
                    const dd::BodyNode::AspectProperties& body) {
    typename JointType::Properties named = joint;
    named.mName = "joint" + std::to_string(skeleton_->getNumJoints());
    return skeleton_->createJointAndBodyNodePair<JointType>(parent, named, body).second;
  }

  void addLink(const Model& model, int l) {
    const Link& link = model.links[l];
    dd::BodyNode* parent = link.parent < 0 ? nullptr : nodes_[link.parent];
    const Eigen::Isometry3d T = isometry(link.X_PJ);
    dd::BodyNode::AspectProperties body(link.name);
    const Mat3& I = link.inertia.inertia;
    body.mInertia = dd::Inertia(link.inertia.mass, link.inertia.center, I);
    const std::span<const CompiledMotion> motions(model.motions.data() + link.firstMotion,
                                                  static_cast<std::size_t>(link.motionCount));
    nodes_.push_back(motions.empty() ? addWeld(parent, T, body)
                                     : addChain(parent, T, motions, body));
  }

  /// DART's own joint for all motions that are left where it has one, else motion after motion,
  /// with bodies without a role in between, of 1e-12 kg.
  dd::BodyNode* addChain(dd::BodyNode* parent, const Eigen::Isometry3d& T,
                         std::span<const CompiledMotion> motions,
                         const dd::BodyNode::AspectProperties& body) {
    if (isEuler(motions)) return addEuler(parent, T, body);
    if (motions.size() == 2 && isHinge(motions[0]) && isHinge(motions[1]))
      return addUniversal(parent, T, motions, body);
    const bool threeSlides = motions.size() > 3 && isThreeSlides(motions);
    const std::size_t taken = threeSlides ? 3 : 1;
    if (motions.size() == taken) return addMotion(parent, T, motions[0], body);
    dd::BodyNode::AspectProperties tiny(body.mName + "_" + std::to_string(motions.size()));
    tiny.mInertia = dd::Inertia(1e-12, Vec3::Zero(), 1e-15 * Mat3::Identity());
    dd::BodyNode* between =
        threeSlides ? addSlides(parent, T, tiny) : addMotion(parent, T, motions[0], tiny);
    return addChain(between, Eigen::Isometry3d::Identity(), motions.subspan(taken), body);
  }

  static bool isThreeSlides(std::span<const CompiledMotion> motions) {
    for (int i = 0; i < 3; ++i)
      if (motions[i].code != MotionCode::Slide || motions[i].axis != Vec3::Unit(i)) return false;
    return true;
  }

  dd::BodyNode* addMotion(dd::BodyNode* parent, const Eigen::Isometry3d& T,
                          const CompiledMotion& motion,
                          const dd::BodyNode::AspectProperties& body) {
    if (motion.code == MotionCode::Ball) {
      dd::BallJoint::Properties p;
      p.mT_ParentBodyToJoint = T;
      return add<dd::BallJoint>(parent, p, body);
    }
    if (motion.code == MotionCode::Slide) {
      dd::PrismaticJoint::Properties p;
      p.mT_ParentBodyToJoint = T;
      p.mAxis = motion.axis;
      return add<dd::PrismaticJoint>(parent, p, body);
    }
    dd::RevoluteJoint::Properties p;
    p.mT_ParentBodyToJoint = T;
    p.mAxis = motion.axis;
    return add<dd::RevoluteJoint>(parent, p, body);
  }

  dd::BodyNode* addWeld(dd::BodyNode* parent, const Eigen::Isometry3d& T,
                        const dd::BodyNode::AspectProperties& body) {
    dd::WeldJoint::Properties p;
    p.mT_ParentBodyToJoint = T;
    return add<dd::WeldJoint>(parent, p, body);
  }

  dd::BodyNode* addSlides(dd::BodyNode* parent, const Eigen::Isometry3d& T,
                          const dd::BodyNode::AspectProperties& body) {
    dd::TranslationalJoint::Properties p;
    p.mT_ParentBodyToJoint = T;
    return add<dd::TranslationalJoint>(parent, p, body);
  }

  dd::BodyNode* addUniversal(dd::BodyNode* parent, const Eigen::Isometry3d& T,
                             std::span<const CompiledMotion> motions,
                             const dd::BodyNode::AspectProperties& body) {
    dd::UniversalJoint::Properties p;
    p.mT_ParentBodyToJoint = T;
    p.mAxis = {motions[0].axis, motions[1].axis};
    return add<dd::UniversalJoint>(parent, p, body);
  }

  dd::BodyNode* addEuler(dd::BodyNode* parent, const Eigen::Isometry3d& T,
                         const dd::BodyNode::AspectProperties& body) {
    dd::EulerJoint::Properties p;
    p.mT_ParentBodyToJoint = T;
    p.mAxisOrder = dd::EulerJoint::AxisOrder::XYZ;
    return add<dd::EulerJoint>(parent, p, body);
  }

  struct Coordinate {
    bool ball;
    int dof, position;
  };

  dd::SkeletonPtr skeleton_;
  std::vector<dd::BodyNode*> nodes_;
  std::vector<Coordinate> motions_;
  Eigen::VectorXd buffer_;
  Mode mode_ = Mode::None;
};

}  // namespace

std::unique_ptr<Judge> makeDartJudge(const Model& model) {
  return std::make_unique<DartJudge>(model);
}

}  // namespace pneuma::judges
