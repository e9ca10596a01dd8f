#include "pneuma/body/living_meter.h"

namespace pneuma::body {

LivingMeter::LivingMeter(const LivingModel& model, const LivingWorkspace& rest) : model_(&model) {
  const Pose frame = toChest(rest);
  const breath::PointArray& points = rest.cage().points();
  restPoints_.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) restPoints_.set(i, frame * points[i]);
}

Pose LivingMeter::toChest(const LivingWorkspace& now) const {
  const auto chest = static_cast<std::size_t>(model_->cage.carriers.chest);
  return model_->tree.links[chest].X_WL_rest * now.kinematics().X_WL[chest].inverse();
}

breath::TorsoMeasures LivingMeter::measure(const LivingWorkspace& now, double time) const {
  breath::TorsoMeasures m = breath::measureCage(model_->cage, model_->tree, now.kinematics(),
                                                now.cage(), {toChest(now), &restPoints_});
  m.time = time;
  return m;
}

}  // namespace pneuma::body
