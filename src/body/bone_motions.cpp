#include "pneuma/body/bone_motions.h"

#include <algorithm>

#include "pneuma/core/index.h"

namespace pneuma::body {

void boneMotions(const LivingModel& model, const skeleton::Kinematics& kinematics,
                 std::vector<Pose>& bones) {
  bones.resize(model.boneLink.size());
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const std::size_t l = at(std::max(0, model.boneLink[b]));
    bones[b] = kinematics.X_WL[l] * model.tree.links[l].X_WL_rest.inverse();
  }
}

}  // namespace pneuma::body
