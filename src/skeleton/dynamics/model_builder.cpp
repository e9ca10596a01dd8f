#include "pneuma/skeleton/model_builder.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "pneuma/core/error.h"

namespace pneuma::skeleton {

namespace {

constexpr double kAxisTolerance = 1e-12;

/// The description with names resolved to indices of the list.
struct Tree {
  std::vector<int> parent;
  std::vector<std::vector<int>> children;  // by index; the last entry holds the roots
  std::vector<int> height;                 // links on the longest way down
};

class Findings {
 public:
  void add(const LinkDescription& link, std::string field, std::string message,
           std::string expected = {}, std::string nearest = {}) {
    list_.push_back({.subject = fmt::format("link '{}'", link.name),
                     .field = std::move(field),
                     .message = std::move(message),
                     .expected = std::move(expected),
                     .nearest = std::move(nearest)});
  }
  void throwIfAny() const {
    if (!list_.empty()) throw InputError(list_);
  }

 private:
  std::vector<Diagnostic> list_;
};

void checkInertia(const LinkDescription& link, Findings& findings) {
  const RigidInertia& I = link.inertia;
  if (!std::isfinite(I.mass) || I.mass < 0)
    findings.add(link, "mass", fmt::format("{}", I.mass), "a number >= 0 [kg]");
  if (!I.center.allFinite() || !I.inertia.allFinite())
    findings.add(link, "inertia", "not finite");
  else if (!I.inertia.isApprox(I.inertia.transpose(), 1e-9) && I.inertia.norm() > 0)
    findings.add(link, "inertia", "not symmetric");
  else if (Eigen::SelfAdjointEigenSolver<Mat3>(I.inertia, Eigen::EigenvaluesOnly).eigenvalues()[0] <
           -1e-9 * I.inertia.norm())
    findings.add(link, "inertia", "has a negative principal moment");
}

void checkResistance(const LinkDescription& link, Findings& findings) {
  const std::size_t count = link.resistance.size();
  const std::size_t dofs = static_cast<std::size_t>(link.joint.dofCount());
  if (count > 1 && count != dofs)
    findings.add(link, "resistance", fmt::format("{} entries", count),
                 fmt::format("none, one, or {}", dofs));
  for (const DofResistance& r : link.resistance) {
    const double least =
        std::min({r.damping, r.armature, r.stiffness, r.limitStiffness, r.limitDamping});
    if (!(least >= 0)) findings.add(link, "resistance", fmt::format("{}", least), ">= 0");
    if (!(r.lowerLimit <= r.upperLimit))
      findings.add(link, "limits", fmt::format("[{}, {}]", r.lowerLimit, r.upperLimit),
                   "lower <= upper");
  }
}

void checkJoint(const LinkDescription& link, Findings& findings) {
  for (const Motion& m : link.joint.motions)
    if (m.kind != MotionKind::Ball && !(m.axis.norm() > kAxisTolerance && m.axis.allFinite()))
      findings.add(link, "axis", fmt::format("({}, {}, {})", m.axis.x(), m.axis.y(), m.axis.z()),
                   "a finite direction");
  const Mat3& R = link.jointPose.rotation;
  if (!link.jointPose.position.allFinite() || !(R * R.transpose()).isIdentity(1e-9) ||
      R.determinant() < 0)
    findings.add(link, "joint pose", "is not a rigid pose");
}

Tree resolve(const std::vector<LinkDescription>& links, Findings& findings) {
  const int n = static_cast<int>(links.size());
  Tree tree{std::vector<int>(n, -1), std::vector<std::vector<int>>(n + 1), std::vector<int>(n, 1)};
  std::unordered_map<std::string, int> index;
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) {
    const LinkDescription& link = links[i];
    if (link.name.empty()) findings.add(link, "name", "is empty");
    if (!link.parent.empty()) {
      const auto found = index.find(link.parent);
      if (found == index.end())
        findings.add(link, "parent", fmt::format("unknown link '{}'", link.parent),
                     "a link added before", nearestName(link.parent, names));
      else
        tree.parent[i] = found->second;
    }
    if (!index.emplace(link.name, i).second) findings.add(link, "name", "is used twice");
    names.push_back(link.name);
    tree.children[tree.parent[i] < 0 ? n : tree.parent[i]].push_back(i);
  }
  for (int i = n - 1; i >= 0; --i)
    if (tree.parent[i] >= 0)
      tree.height[tree.parent[i]] = std::max(tree.height[tree.parent[i]], tree.height[i] + 1);
  // Deepest branch first; equal depth keeps the order of the description.
  for (std::vector<int>& list : tree.children)
    std::stable_sort(list.begin(), list.end(),
                     [&](int a, int b) { return tree.height[a] > tree.height[b]; });
  return tree;
}

/// Mass that moves with each link must exist wherever a joint moves.
void checkMovedMass(const std::vector<LinkDescription>& links, const Tree& tree,
                    Findings& findings) {
  std::vector<double> carried(links.size());
  for (std::size_t i = links.size(); i-- > 0;) {
    carried[i] += links[i].inertia.mass;
    if (links[i].joint.dofCount() > 0 && !(carried[i] > 0))
      findings.add(links[i], "mass", "a joint moves no mass at all", "> 0 [kg]");
    if (tree.parent[i] >= 0) carried[tree.parent[i]] += carried[i];
  }
}

MotionCode motionCode(const Motion& m) {
  if (m.kind == MotionKind::Ball) return MotionCode::Ball;
  if (m.kind == MotionKind::Slide) return MotionCode::Slide;
  const Vec3 a = m.axis.normalized();
  if (a == Vec3::UnitX()) return MotionCode::HingeX;
  if (a == Vec3::UnitY()) return MotionCode::HingeY;
  if (a == Vec3::UnitZ()) return MotionCode::HingeZ;
  return MotionCode::Hinge;
}

/// Appends links one by one to a model, parents first.
class Compiler {
 public:
  Compiler(const std::vector<LinkDescription>& links, const Tree& tree) : in_(links), tree_(tree) {}

  Model compile(const Vec3& gravity) {
    model_.gravity = gravity;
    model_.rangeBegin = {0};
    for (int root : tree_.children.back()) append(root, -1);
    model_.neutral = Eigen::Map<const VecX>(neutral_.data(), std::ssize(neutral_));
    return std::move(model_);
  }

 private:
  void append(int i, int parent) {
    const LinkDescription& d = in_[i];
    const int index = model_.linkCount();
    Link link;
    link.name = d.name;
    link.parent = parent;
    link.joint = d.joint.kind;
    link.firstDof = model_.dofCount();
    link.dofCount = d.joint.dofCount();
    link.firstPosition = static_cast<int>(neutral_.size());
    link.positionCount = d.joint.positionCount();
    link.firstMotion = static_cast<int>(model_.motions.size());
    link.motionCount = static_cast<int>(d.joint.motions.size());
    link.X_WL_rest = d.jointPose;
    link.X_PJ = parent < 0 ? d.jointPose : in_[tree_.parent[i]].jointPose.inverse() * d.jointPose;
    // Parallel frames are exactly parallel: no rounding in the rotation of long chains.
    if (parent >= 0 && in_[tree_.parent[i]].jointPose.rotation == d.jointPose.rotation)
      link.X_PJ.rotation.setIdentity();
    link.inertia = d.inertia.transformed(d.jointPose.inverse());
    model_.links.push_back(link);
    appendMotions(d, index);
    appendRanges(index);
    for (int child : tree_.children[i]) append(child, index);
    model_.links[index].subtreeEnd = model_.linkCount();
  }

  void appendMotions(const LinkDescription& d, int index) {
    int previous = lastDofAbove(index);
    for (const Motion& m : d.joint.motions) {
      const bool ball = m.kind == MotionKind::Ball;
      const int first = model_.dofCount();
      model_.motions.push_back({motionCode(m), first, static_cast<int>(neutral_.size()),
                                ball ? Vec3::Zero() : m.axis.normalized()});
      for (int k = 0; k < (ball ? 3 : 1); ++k) {
        const int inJoint = model_.dofCount() - model_.links[index].firstDof;
        model_.dofLink.push_back(index);
        model_.dofParent.push_back(previous);
        model_.dofMotionBegin.push_back(first);
        model_.dofMotionEnd.push_back(first + (ball ? 3 : 1));
        model_.dofRole.push_back(d.role);
        model_.dofName.push_back(fmt::format("{}.{}", d.name, inJoint));
        model_.dofResistance.push_back(resistanceOf(d, inJoint));
        model_.hasArmature |= model_.dofResistance.back().armature > 0;
        previous = model_.dofCount() - 1;
      }
      neutral_.push_back(ball ? 1 : 0);
      if (ball) neutral_.insert(neutral_.end(), 3, 0.0);
    }
  }

  static DofResistance resistanceOf(const LinkDescription& d, int inJoint) {
    if (d.resistance.empty()) return {};
    return d.resistance[d.resistance.size() == 1 ? 0 : inJoint];
  }

  int lastDofAbove(int index) const {
    for (int l = model_.links[index].parent; l >= 0; l = model_.links[l].parent)
      if (model_.links[l].dofCount > 0)
        return model_.links[l].firstDof + model_.links[l].dofCount - 1;
    return -1;
  }

  void appendRanges(int index) {
    const Link& link = model_.links[index];
    const std::size_t begin = model_.ranges.size();
    if (link.parent >= 0)
      for (int r = model_.rangeBegin[link.parent]; r < model_.rangeBegin[link.parent + 1]; ++r)
        model_.ranges.push_back(model_.ranges[r]);
    if (link.dofCount > 0) {
      if (model_.ranges.size() > begin && model_.ranges.back().end == link.firstDof)
        model_.ranges.back().end += link.dofCount;
      else
        model_.ranges.push_back({link.firstDof, link.firstDof + link.dofCount});
    }
    model_.rangeBegin.push_back(static_cast<int>(model_.ranges.size()));
  }

  const std::vector<LinkDescription>& in_;
  const Tree& tree_;
  Model model_;
  std::vector<double> neutral_;
};

}  // namespace

ModelBuilder& ModelBuilder::add(LinkDescription link) {
  links_.push_back(std::move(link));
  return *this;
}

ModelBuilder& ModelBuilder::setGravity(const Vec3& gravity) {
  gravity_ = gravity;
  return *this;
}

Model ModelBuilder::build() const {
  Findings findings;
  for (const LinkDescription& link : links_) {
    checkInertia(link, findings);
    checkJoint(link, findings);
    checkResistance(link, findings);
  }
  const Tree tree = resolve(links_, findings);
  findings.throwIfAny();
  checkMovedMass(links_, tree, findings);
  findings.throwIfAny();
  return Compiler(links_, tree).compile(gravity_);
}

}  // namespace pneuma::skeleton
