#include "pneuma/skin/weights_driver.h"

#include <fmt/format.h>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "skin/dual_quaternion.h"

namespace pneuma::skin {

void GroupMotions::follow(const JointGroups& groups, std::span<const Pose> bones) {
  if (bones.size() < groups.ofBone.size())
    throw InputError(fmt::format("skin: motions of {} bones; the driver is bound to {}",
                                 bones.size(), groups.ofBone.size()));
  now_.resize(groups.names.size());
  for (std::size_t g = 0; g < now_.size(); ++g) {
    const internal::DualQuaternion q =
        internal::dualQuaternionOf(bones[static_cast<std::size_t>(groups.carrier[g])]);
    now_[g] = {q.real, q.dual};
  }
}

Pose GroupMotions::blend(const SkinWeights::Vertex& vertex) const {
  const Vec4& strongest = now_[static_cast<std::size_t>(vertex.group[0])][0];
  Vec4 real = Vec4::Zero(), dual = Vec4::Zero();
  for (std::size_t k = 0; k < SkinWeights::kMost; ++k) {
    const auto& [r, d] = now_[static_cast<std::size_t>(vertex.group[k])];
    const double w = r.dot(strongest) < 0 ? -vertex.weight[k] : vertex.weight[k];
    real += w * r;
    dual += w * d;
  }
  return internal::motionOf(real, dual);
}

WeightsDriver::WeightsDriver(JointGroups groups, SkinWeights weights)
    : groups_(std::move(groups)), weights_(std::move(weights)) {
  for (const SkinWeights::Vertex& v : weights_.vertices)
    for (const std::int32_t g : v.group)
      if (g < 0 || g >= groups_.count())
        throw InputError(
            fmt::format("skin weights: no group {}; there are {}", g, groups_.count()));
}

void WeightsDriver::carry(std::span<const Pose> bones, std::span<Pose> motions) {
  PNEUMA_CHECK(motions.size() == weights_.vertices.size(), "{} motions for {} vertices",
               motions.size(), weights_.vertices.size());
  now_.follow(groups_, bones);
  parallelFor(motions.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) motions[v] = now_.blend(weights_.vertices[v]);
  });
}

}  // namespace pneuma::skin
