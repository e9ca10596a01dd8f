#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/EulerJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/TranslationalJoint.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/dynamics/WeldJoint.hpp>

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

class DartJudge : public Judge {
 public:
  explicit DartJudge(const Model& model) : skeleton_(dd::Skeleton::create("tree")) {
    skeleton_->setGravity(model.gravity);
    for (int l = 0; l < model.linkCount(); ++l) addLink(model, l);
    // DART numbers joint after joint in the order of creation, like we do.
    buffer_.resize(model.dofCount());
  }

  void setState(std::span<const double> q, std::span<const double> v) override {
    skeleton_->setPositions(Eigen::Map<const Eigen::VectorXd>(q.data(), q.size()));
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
    const auto axis = [&](int m) { return model.motions[link.firstMotion + m].axis; };
    switch (link.dofCount) {
      case 0: {
        dd::WeldJoint::Properties p;
        p.mT_ParentBodyToJoint = T;
        nodes_.push_back(add<dd::WeldJoint>(parent, p, body));
        break;
      }
      case 1: {
        dd::RevoluteJoint::Properties p;
        p.mT_ParentBodyToJoint = T;
        p.mAxis = axis(0);
        nodes_.push_back(add<dd::RevoluteJoint>(parent, p, body));
        break;
      }
      case 2: {
        dd::UniversalJoint::Properties p;
        p.mT_ParentBodyToJoint = T;
        p.mAxis = {axis(0), axis(1)};
        nodes_.push_back(add<dd::UniversalJoint>(parent, p, body));
        break;
      }
      case 3:
        nodes_.push_back(addEuler(parent, T, body));
        break;
      default: {
        // Slides, then hinges: a body without a role in between, of 1e-12 kg.
        dd::TranslationalJoint::Properties p;
        p.mT_ParentBodyToJoint = T;
        dd::BodyNode::AspectProperties tiny(link.name + "_slide");
        tiny.mInertia = dd::Inertia(1e-12, Vec3::Zero(), 1e-15 * Mat3::Identity());
        nodes_.push_back(addEuler(add<dd::TranslationalJoint>(parent, p, tiny),
                                  Eigen::Isometry3d::Identity(), body));
      }
    }
  }

  dd::BodyNode* addEuler(dd::BodyNode* parent, const Eigen::Isometry3d& T,
                         const dd::BodyNode::AspectProperties& body) {
    dd::EulerJoint::Properties p;
    p.mT_ParentBodyToJoint = T;
    p.mAxisOrder = dd::EulerJoint::AxisOrder::XYZ;
    return add<dd::EulerJoint>(parent, p, body);
  }

  dd::SkeletonPtr skeleton_;
  std::vector<dd::BodyNode*> nodes_;
  Eigen::VectorXd buffer_;
  Mode mode_ = Mode::None;
};

}  // namespace

std::unique_ptr<Judge> makeDartJudge(const Model& model) {
  return std::make_unique<DartJudge>(model);
}

}  // namespace pneuma::judges
