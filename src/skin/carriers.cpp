#include "skin/carriers.h"

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::skin::internal {
namespace {

/// From rest (frame axes as the world's, at `center`) to the pose.
Carry fromRest(const Mat3& rotation, const Vec3& position, const Vec3& center) {
  return dualQuaternionOf({rotation, position - rotation * center});
}

/// The rotation without its turn about an axis.
Mat3 swingOf(const Mat3& rotation, const Vec3& axis) {
  const Quat q(rotation);
  const double along = q.vec().dot(axis);
  const Quat twist = Quat(q.w(), along * axis.x(), along * axis.y(), along * axis.z());
  if (twist.norm() < 1e-9) return rotation;  // half a turn sideways: no twist to speak of
  return (q * twist.normalized().conjugate()).toRotationMatrix();
}

/// The link's own freedom of twisting if it has one, else its length: about a slanted length, a
/// plain flexion of 150 degrees would count as a twist of 70.
Vec3 twistAxis(const anatomy::CompiledLink& link, const Vec3& along) {
  constexpr double kParallel = 0.96;  // cosine of 16 degrees
  for (const anatomy::CompiledDof& dof : link.dofs)
    if (std::abs(dof.axis.dot(along)) > kParallel) return dof.axis;
  return along;
}

void align(Carry& carry, const Carry& to) {
  if (carry.real.dot(to.real) >= 0) return;
  carry.real = -carry.real;
  carry.dual = -carry.dual;
}

}  // namespace

BoneLinks::BoneLinks(const anatomy::CompiledBody& compiled, const skeleton::Model& model)
    : articulation_(compiled.articulation) {
  const std::vector<int> links = skeleton::linkIndices(compiled, model);
  for (std::size_t b = 0; b < compiled.boneLink.size(); ++b)
    if (compiled.boneLink[b] >= 0)
      link_[compiled.boneNames[b]] = links[static_cast<std::size_t>(compiled.boneLink[b])];
}

int BoneLinks::operator()(const std::string& bone) const {
  const auto it = link_.find(bone);
  if (it == link_.end())
    throw InputError("skin: articulation '" + articulation_ + "' does not carry bone '" + bone +
                     "', which the contours of the skin need");
  return it->second;
}

void passShares(Shares& shares, int link, double part, double twist) {
  if (part == 0) return;
  for (auto& entry : shares) entry.second *= 1 - part;
  shares[2 * link] += part * twist;
  shares[2 * link + 1] += part * (1 - twist);
}

Carriers::Carriers(const anatomy::CompiledBody& compiled, const skeleton::Model& model)
    : model_(model), now_(2 * model.links.size()) {
  const std::vector<int> links = skeleton::linkIndices(compiled, model);
  std::vector<bool> hasChild(links.size(), false);
  for (const anatomy::CompiledLink& child : compiled.links) {
    const auto p = static_cast<std::size_t>(child.parent);
    if (child.parent < 0 || hasChild[p] || compiled.links[p].parent < 0) continue;
    const Vec3 along = child.center - compiled.links[p].center;
    if (along.norm() < 1e-6) continue;
    hasChild[p] = true;
    twists_.push_back({links[p], links[static_cast<std::size_t>(compiled.links[p].parent)],
                       twistAxis(compiled.links[p], along.normalized())});
  }
}

void Carriers::follow(const skeleton::Kinematics& kinematics) {
  const auto rest = [&](std::size_t l) { return model_.links[l].X_WL_rest.position; };
  for (std::size_t l = 0; l < model_.links.size(); ++l) {
    const Pose& X = kinematics.X_WL[l];
    now_[2 * l] = now_[2 * l + 1] = fromRest(X.rotation, X.position, rest(l));
  }
  for (const Twist& t : twists_) {
    const auto l = static_cast<std::size_t>(t.link);
    const Mat3& parent = kinematics.X_WL[static_cast<std::size_t>(t.parent)].rotation;
    const Pose& X = kinematics.X_WL[l];
    const Mat3 swing = parent * swingOf(parent.transpose() * X.rotation, t.axis);
    now_[2 * l + 1] = fromRest(swing, X.position, rest(l));
  }
  // Of the two quaternions of a turn each link takes the one nearer to its parent's, so that a
  // blend never changes sides while joints stay within half a turn.
  for (std::size_t l = 0; l < model_.links.size(); ++l) {
    const int parent = model_.links[l].parent;
    if (parent >= 0) align(now_[2 * l + 1], now_[2 * static_cast<std::size_t>(parent)]);
    align(now_[2 * l], now_[2 * l + 1]);
  }
}

void PackedShares::add(const Shares& shares) {
  constexpr double kLeast = 1e-3;
  double sum = 0;
  for (const auto& entry : shares)
    if (entry.second > kLeast) sum += entry.second;
  for (const auto& [carrier, share] : shares)
    if (share > kLeast) carrier_.push_back(carrier), share_.push_back(share / sum);
  begin_.push_back(static_cast<int>(carrier_.size()));
}

Vec3 PackedShares::tight(std::size_t i, const Carriers& carriers, const Vec3& rest) const {
  Vec3 sum = Vec3::Zero();
  const auto end = static_cast<std::size_t>(begin_[i + 1]);
  for (auto k = static_cast<std::size_t>(begin_[i]); k < end;) {
    const int link = carrier_[k] / 2;
    Vec4 real = Vec4::Zero(), dual = Vec4::Zero();
    double share = 0;
    for (; k < end && carrier_[k] / 2 == link; ++k) {
      const Carry& c = carriers[carrier_[k]];
      real += share_[k] * c.real;
      dual += share_[k] * c.dual;
      share += share_[k];
    }
    sum += share * (motionOf(real, dual) * rest);
  }
  return sum;
}

Pose PackedShares::motion(std::size_t i, const Carriers& carriers) const {
  Vec4 real = Vec4::Zero(), dual = Vec4::Zero();
  const auto begin = static_cast<std::size_t>(begin_[i]),
             end = static_cast<std::size_t>(begin_[i + 1]);
  for (std::size_t k = begin; k < end; ++k) {
    const Carry& c = carriers[carrier_[k]];
    real += share_[k] * c.real;
    dual += share_[k] * c.dual;
  }
  return motionOf(real, dual);
}

}  // namespace pneuma::skin::internal
