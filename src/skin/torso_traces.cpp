#include "pneuma/skin/torso_traces.h"

#include <set>

#include "pneuma/breath/shoulder_layer.h"

namespace pneuma::skin {

TorsoTraces::TorsoTraces(const breath::TorsoModel& torso, const anatomy::Body& body)
    : restLung_(torso.restLung), bones_(body.bones.size()), posture_(body.bones.size()) {
  for (const anatomy::Bone& b : body.bones) bodyOf_.push_back(breath::torsoBodyOf(b.name));
  std::set<std::int32_t> wall;
  for (const Triangle& t : torso.wall) wall.insert(t.begin(), t.end());
  indices_.assign(wall.begin(), wall.end());
  for (const std::int32_t i : indices_) rest_.push_back(torso.rest[static_cast<std::size_t>(i)]);
  now_ = rest_;
  trace_ = {"wall", rest_, now_};
}

SkinInputs TorsoTraces::follow(const breath::PointArray& points, std::span<const Pose> bodies,
                               double lungVolume) {
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    const int carrier = bodyOf_[b];
    bones_[b] = carrier >= 0 && static_cast<std::size_t>(carrier) < bodies.size()
                    ? bodies[static_cast<std::size_t>(carrier)]
                    : Pose{};
  }
  for (std::size_t i = 0; i < indices_.size(); ++i)
    now_[i] = points[static_cast<std::size_t>(indices_[i])];
  return {.bones = bones_, .posture = posture_, .traces = traces(), .gas = lungVolume - restLung_};
}

}  // namespace pneuma::skin
