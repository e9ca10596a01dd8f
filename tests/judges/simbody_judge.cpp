#include <algorithm>

#include "tests/judges/judge.h"
#include "tests/judges/simbody_tree.h"

namespace pneuma::judges {

using namespace skeleton;

namespace {

void store(const Mat3& m, double* to) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) to[3 * i + j] = m(i, j);
}

void store(const Vec3& v, double* to) {
  std::copy(v.data(), v.data() + 3, to);
}

PlainMotion plainMotion(const CompiledMotion& motion) {
  PlainMotion p{};
  p.kind = motion.code == MotionCode::Ball    ? PlainMotion::Ball
           : motion.code == MotionCode::Slide ? PlainMotion::Slide
                                              : PlainMotion::Hinge;
  p.dof = motion.dof;
  p.position = motion.position;
  store(motion.axis, p.axis);
  return p;
}

std::vector<PlainLink> plainLinks(const Model& model) {
  std::vector<PlainLink> list;
  for (const Link& link : model.links) {
    PlainLink p{};
    p.parent = link.parent;
    store(link.X_PJ.rotation, p.rotation);
    store(link.X_PJ.position, p.position);
    p.mass = link.inertia.mass;
    store(link.inertia.center, p.center);
    store(link.inertia.inertia, p.inertia);
    for (int m = link.firstMotion; m < link.firstMotion + link.motionCount; ++m)
      p.motions.push_back(plainMotion(model.motions[m]));
    list.push_back(p);
  }
  return list;
}

class SimbodyJudge : public Judge {
 public:
  explicit SimbodyJudge(const Model& model) : tree_(plainLinks(model), model.gravity.data()) {}

  void setState(std::span<const double> q, std::span<const double> v) override {
    tree_.setState(q.data(), v.data());
  }
  void forward(std::span<const double> tau, std::span<double> vDot) override {
    tree_.forward(tau.data(), vDot.data());
  }
  void inverse(std::span<const double> vDot, std::span<double> tau) override {
    tree_.inverse(vDot.data(), tau.data());
  }

 private:
  SimbodyTree tree_;
};

}  // namespace

std::unique_ptr<Judge> makeSimbodyJudge(const Model& model) {
  return std::make_unique<SimbodyJudge>(model);
}

}  // namespace pneuma::judges
