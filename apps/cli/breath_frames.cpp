#include "cli/breath_frames.h"

namespace pneuma::cli {

BreathFrame captureFrame(breath::BreathSimulation& run) {
  breath::updatePoints(run.model(), run.state(), run.workspace());
  BreathFrame f;
  f.time = run.state().time;
  f.lungVolume = run.workspace().reading().lungVolume;
  f.points = run.workspace().points();
  f.tensions = run.workspace().tensions();
  for (int b = 0; b < breath::kBodyCount; ++b) {
    const Pose pose = breath::bodyPose(run.model(), run.state(), b);
    const Vec3& origin = run.model().parts[static_cast<std::size_t>(b)].origin;
    f.motions.push_back({pose.rotation, pose.position - pose.rotation * origin});
  }
  if (const breath::ShoulderLayer* layer = run.layer()) {
    for (int b = breath::kBodyCount; b < breath::kAllBodyCount; ++b)
      f.motions.push_back(layer->motion(b));
    f.layerPoints = layer->points();
    f.tensions.insert(f.tensions.end(), layer->tensions().begin(), layer->tensions().end());
  }
  return f;
}

void FrameTrack::add(BreathFrame frame) {
  frames_.push_back(std::move(frame));
  while (frames_.back().time - frames_.front().time > seconds_) frames_.pop_front();
}

std::vector<const BreathFrame*> FrameTrack::last(double seconds) const {
  std::vector<const BreathFrame*> list;
  for (const BreathFrame& f : frames_)
    if (frames_.back().time - f.time <= seconds + 1e-9) list.push_back(&f);
  return list;
}

void FrameTrack::save(io::StateWriter& out) const {
  out.put(static_cast<std::uint64_t>(frames_.size()));
  for (const BreathFrame& f : frames_) {
    out.put(f.time);
    out.put(f.lungVolume);
    for (const auto* axis : {&f.points.x, &f.points.y, &f.points.z}) out.put(*axis);
    out.put(static_cast<std::uint64_t>(f.motions.size()));
    for (const Pose& p : f.motions) {
      for (int c = 0; c < 3; ++c) out.put(Vec3(p.rotation.col(c)));
      out.put(p.position);
    }
    out.put(f.layerPoints);
    out.put(f.tensions);
  }
}

void FrameTrack::load(io::StateReader& in) {
  frames_.clear();
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    BreathFrame f;
    in.get(f.time);
    in.get(f.lungVolume);
    for (auto* axis : {&f.points.x, &f.points.y, &f.points.z}) in.get(*axis);
    for (auto bodies = in.get<std::uint64_t>(); bodies > 0; --bodies) {
      Pose p;
      for (int c = 0; c < 3; ++c) {
        Vec3 column;
        in.get(column);
        p.rotation.col(c) = column;
      }
      in.get(p.position);
      f.motions.push_back(p);
    }
    in.get(f.layerPoints);
    in.get(f.tensions);
    frames_.push_back(std::move(f));
  }
}

}  // namespace pneuma::cli
