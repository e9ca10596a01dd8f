#include "pneuma/skeleton/motion_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/jacobian.h"

namespace pneuma::skeleton {

namespace {

constexpr double kPosture = 2e-3;  // pull towards the neutral pose [m/rad]: settles what is free
constexpr double kLimit = 0.05;    // pull back from beyond a joint limit [m/rad]
constexpr double kDamping = 1e-6;  // of a step [m^2]
constexpr int kIterations = 30;
constexpr double kSmallStep = 1e-6;  // [rad]

struct Entry {
  int parent;  // entry that the segment starts from, -1: between the hips
  const char* clip;
  const char* link;
};

constexpr Entry kMap[] = {
    {-1, "LeftUpLeg", "femur_l"}, {0, "LeftLeg", "tibia_l"},     {1, "LeftFoot", "talus_l"},
    {2, "LeftToeBase", "toes_l"}, {-1, "RightUpLeg", "femur_r"}, {4, "RightLeg", "tibia_r"},
    {5, "RightFoot", "talus_r"},  {6, "RightToeBase", "toes_r"}, {-1, "Neck", "vc7"},
    {8, "Head", "skull"},         {8, "LeftArm", "humerus_l"},   {10, "LeftForeArm", "ulna_l"},
    {11, "LeftHand", "hand_l"},   {8, "RightArm", "humerus_r"},  {13, "RightForeArm", "ulna_r"},
    {14, "RightHand", "hand_r"}};

int findJoint(const io::Bvh& clip, std::string_view name) {
  for (std::size_t j = 0; j < clip.joints.size(); ++j)
    if (clip.joints[j].name == name) return static_cast<int>(j);
  return -1;
}

}  // namespace

struct MotionFit::Data {
  struct Target {
    int joint = -1, link = -1, parent = -1;
    double length = 0;  // of the figure's segment [m]
    Vec3 place = Vec3::Zero();
  };

  Data(const Model& m, const io::Bvh& c) : model(m), clip(c), kinematics(m) {
    for (const Entry& e : kMap) addTarget(e);
    leftHip = targets[0].joint, rightHip = targets[4].joint;
    if (leftHip < 0 || rightHip < 0 || targets[0].link < 0 || targets[4].link < 0)
      throw InputError("motion: the clip or the figure has no hips (LeftUpLeg, femur_l)");
    measure();
    listUnmapped();
    JtJ.resize(m.dofCount(), m.dofCount());
    Jtr.resize(m.dofCount());
    limits();
  }

  void addTarget(const Entry& e) {
    Target t;
    t.joint = findJoint(clip, e.clip);
    t.link = model.findLink(e.link);
    t.parent = e.parent;
    if (t.joint >= 0 && t.link >= 0) mapped.push_back(std::string(e.clip) + " > " + e.link);
    targets.push_back(t);
  }

  bool used(const Target& t) const { return t.joint >= 0 && t.link >= 0; }

  void listUnmapped() {
    for (const io::BvhJoint& j : clip.joints) {
      const bool known = std::any_of(std::begin(kMap), std::end(kMap),
                                     [&](const Entry& e) { return j.name == e.clip; });
      if (!known && !j.isEnd) unmapped.push_back(j.name);
    }
  }

  /// Segment lengths of the figure at rest, and the ratio of leg lengths.
  void measure() {
    const auto rest = [&](int link) { return model.links[link].X_WL_rest.position; };
    const Vec3 middle = 0.5 * (rest(targets[0].link) + rest(targets[4].link));
    for (Target& t : targets) {
      if (!used(t)) continue;
      const bool fromHips = t.parent < 0 || !used(targets[t.parent]);
      t.length = (rest(t.link) - (fromHips ? middle : rest(targets[t.parent].link))).norm();
    }
    double ours = 0, theirs = 0;
    for (int i : {1, 2, 5, 6}) {
      if (!used(targets[i])) continue;
      ours += targets[i].length;
      theirs += clip.joints[targets[i].joint].offset.norm();
    }
    if (theirs > 0) scale = ours / theirs;
  }

  /// Where the joints should be in a frame.
  void aim(std::size_t frame) {
    const std::vector<Pose> poses = clip.poses(frame, scale);
    const Vec3 middle = 0.5 * (poses[leftHip].position + poses[rightHip].position);
    for (Target& t : targets) {
      if (!used(t)) continue;
      const bool fromHips = t.parent < 0 || !used(targets[t.parent]);
      const Vec3 from = fromHips ? middle : poses[targets[t.parent].joint].position;
      const Vec3 start = fromHips ? middle : targets[t.parent].place;
      t.place = start + t.length * (poses[t.joint].position - from).normalized();
    }
  }

  void limits() {
    for (const CompiledMotion& m : model.motions) {
      const int link = model.dofLink[m.dof];
      if (m.code != MotionCode::Ball && model.links[link].joint != JointKind::Free)
        scalar.push_back({m.dof, m.position});
    }
  }

  /// One Gauss-Newton step; returns its size.
  double improve(VecX& q) {
    computePoses(model, q, kinematics);
    JtJ.setZero();
    Jtr.setZero();
    JtJ.diagonal().array() += kDamping;
    for (const Target& t : targets) {
      if (!used(t)) continue;
      const Vec3 at = kinematics.X_WL[t.link].position;
      computePointJacobian(model, kinematics, t.link, at, J);
      JtJ.noalias() += J.transpose() * J;
      Jtr.noalias() += J.transpose() * (t.place - at);
    }
    for (const auto& [dof, position] : scalar) {
      const DofResistance& r = model.dofResistance[dof];
      const double x = q[position];
      const double beyond = x > r.upperLimit   ? x - r.upperLimit
                            : x < r.lowerLimit ? x - r.lowerLimit
                                               : 0;
      const double w = kPosture * kPosture, l = beyond != 0 ? kLimit * kLimit : 0;
      JtJ(dof, dof) += w + l;
      Jtr[dof] -= w * x + l * beyond;
    }
    solver.compute(JtJ);
    step = solver.solve(Jtr);
    // Far from the goal a full step may turn joints by several radians.
    const double size = step.cwiseAbs().maxCoeff();
    if (size > 0.5) step *= 0.5 / size;
    integrateConfiguration(model, step, q);
    return size;
  }

  double error(const VecX& q) {
    computePoses(model, q, kinematics);
    double sum = 0;
    int count = 0;
    for (const Target& t : targets)
      if (used(t)) sum += (kinematics.X_WL[t.link].position - t.place).norm(), ++count;
    return sum / count;
  }

  const Model& model;
  const io::Bvh& clip;
  Kinematics kinematics;
  std::vector<Target> targets;
  std::vector<std::pair<int, int>> scalar;  // dof, position
  std::vector<std::string> mapped, unmapped;
  int leftHip = -1, rightHip = -1;
  double scale = 1;
  Matrix3X J;
  MatX JtJ;
  VecX Jtr, step;
  Eigen::LLT<MatX> solver;
};

MotionFit::MotionFit(const Model& model, const io::Bvh& clip)
    : data_(std::make_unique<Data>(model, clip)) {}

MotionFit::~MotionFit() = default;

double MotionFit::fit(std::size_t frame, VecX& q) {
  data_->aim(frame);
  for (int i = 0; i < kIterations; ++i)
    if (data_->improve(q) < kSmallStep) break;
  return data_->error(q);
}

double MotionFit::scale() const {
  return data_->scale;
}

const std::vector<std::string>& MotionFit::mapped() const {
  return data_->mapped;
}

const std::vector<std::string>& MotionFit::unmapped() const {
  return data_->unmapped;
}

}  // namespace pneuma::skeleton
