#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <Eigen/Eigenvalues>

#include "tests/judges/judge.h"

namespace pneuma::judges {

using namespace skeleton;

namespace {

btVector3 vec(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

/// Timing only. Three hinges become a spherical joint (its fastest), two a chain of hinges, a 6-DOF
/// joint three slides and a spherical one; inertia is the diagonal about the centre of mass.
class BulletJudge : public Judge {
 public:
  explicit BulletJudge(const Model& model) {
    int count = 0;
    for (const Link& link : model.links) count += bodiesOf(link);
    body_ = std::make_unique<btMultiBody>(count, 0, btVector3(0, 0, 0), true, false);
    body_->setBasePos(btVector3(0, 0, 0));
    body_->setWorldToBaseRot(btQuaternion::getIdentity());
    for (int l = 0; l < model.linkCount(); ++l) addLink(model, l);
    body_->finalizeMultiDof();
    body_->setLinearDamping(0);
    body_->setAngularDamping(0);
    body_->setUseGyroTerm(true);
    gravity_ = vec(model.gravity);
  }

  void setState(std::span<const double> q, std::span<const double> v) override {
    for (const Slot& s : slots_) {
      if (s.spherical) {
        btQuaternion r;
        r.setEulerZYX(q[s.dof + 2], q[s.dof + 1], q[s.dof]);
        const btScalar pose[4] = {r.x(), r.y(), r.z(), r.w()};
        body_->setJointPosMultiDof(s.link, pose);
        body_->setJointVelMultiDof(s.link, &v[s.dof]);
      } else {
        body_->setJointPos(s.link, q[s.dof]);
        body_->setJointVel(s.link, v[s.dof]);
      }
    }
  }

  void forward(std::span<const double> tau, std::span<double> vDot) override {
    body_->clearForcesAndTorques();
    for (int i = 0; i < body_->getNumLinks(); ++i)
      body_->addLinkForce(i, gravity_ * body_->getLinkMass(i));
    for (const Slot& s : slots_) {
      if (s.spherical)
        body_->addJointTorqueMultiDof(s.link, &tau[s.dof]);
      else
        body_->addJointTorque(s.link, tau[s.dof]);
    }
    body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(1e-3, r_, v_, m_, false, false,
                                                                false);
    // The accelerations are the first entries of its velocity increments' scratch.
    vDot[0] = r_.size() > 0 ? r_[0] : 0;
  }

  void inverse(std::span<const double>, std::span<double>) override {}

 private:
  struct Slot {
    int link, dof;
    bool spherical;
  };

  static int bodiesOf(const Link& link) {
    return link.dofCount == 2 ? 2 : link.dofCount == 6 ? 4 : 1;
  }

  void addLink(const Model& model, int l) {
    const Link& link = model.links[l];
    int parent = link.parent < 0 ? -1 : last_[link.parent];
    const Quat q(link.X_PJ.rotation);
    const btQuaternion toThis = btQuaternion(q.x(), q.y(), q.z(), q.w()).inverse();
    const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(link.inertia.inertia).eigenvalues();
    const btVector3 pivotToCenter = vec(link.inertia.center);
    btVector3 parentToPivot = vec(link.X_PJ.position);
    if (link.parent >= 0) parentToPivot -= vec(model.links[link.parent].inertia.center);
    const auto axis = [&](int m) { return vec(model.motions[link.firstMotion + m].axis); };
    const btVector3 zero(0, 0, 0), tiny(1e-9, 1e-9, 1e-9);
    const btQuaternion one = btQuaternion::getIdentity();
    const double mass = link.inertia.mass;
    if (link.dofCount == 0) {
      body_->setupFixed(next_, mass, vec(moments), parent, toThis, parentToPivot, pivotToCenter);
    } else if (link.dofCount <= 2) {
      if (link.dofCount == 2) {
        body_->setupRevolute(next_, 1e-6, tiny, parent, toThis, axis(0), parentToPivot, zero, true);
        slots_.push_back({next_, link.firstDof, false});
        parent = next_++;
      }
      const bool first = link.dofCount == 1;
      body_->setupRevolute(next_, mass, vec(moments), parent, first ? toThis : one,
                           axis(link.dofCount - 1), first ? parentToPivot : zero, pivotToCenter,
                           true);
      slots_.push_back({next_, link.firstDof + link.dofCount - 1, false});
    } else {
      const bool slides = link.dofCount == 6;
      for (int s = 0; slides && s < 3; ++s) {
        body_->setupPrismatic(next_, 1e-6, tiny, parent, s == 0 ? toThis : one, axis(s),
                              s == 0 ? parentToPivot : zero, zero, true);
        slots_.push_back({next_, link.firstDof + s, false});
        parent = next_++;
      }
      body_->setupSpherical(next_, mass, vec(moments), parent, slides ? one : toThis,
                            slides ? zero : parentToPivot, pivotToCenter, true);
      slots_.push_back({next_, link.firstDof + (slides ? 3 : 0), true});
    }
    last_.push_back(next_++);
  }

  std::unique_ptr<btMultiBody> body_;
  btVector3 gravity_;
  std::vector<Slot> slots_;
  std::vector<int> last_;
  int next_ = 0;
  btAlignedObjectArray<btScalar> r_;
  btAlignedObjectArray<btVector3> v_;
  btAlignedObjectArray<btMatrix3x3> m_;
};

}  // namespace

std::unique_ptr<Judge> makeBulletJudge(const Model& model) {
  return std::make_unique<BulletJudge>(model);
}

}  // namespace pneuma::judges
