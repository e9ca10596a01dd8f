#include <fmt/format.h>

#include "pneuma/core/check.h"
#include "pneuma/stage/torso_cast.h"

namespace pneuma::stage {
namespace {

using breath::BreathSimulation;

/// Of the trunk, and of the arms where there are any.
int bodyCount(const BreathSimulation& run) {
  return run.layer() ? breath::kAllBodyCount : breath::kBodyCount;
}

void addElementScalars(const BreathSimulation& run, body::FrameLayout& layout) {
  const char* meaning = "tension of a muscle element";
  const auto& groups = run.model().springs.groups;
  for (std::size_t i = 0; i < groups.size(); ++i)
    layout.addScalar(
        {"tensions", fmt::format("{}_{:04}", breath::toString(groups[i]), i + 1), "N", meaning});
  if (!run.layer()) return;
  for (std::size_t i = 0; i < run.layer()->elements().size(); ++i)
    layout.addScalar({"tensions", fmt::format("shoulder_{:02}", i + 1), "N", meaning});
}

}  // namespace

body::FrameLayout torsoLayout(const BreathSimulation& run) {
  body::FrameLayout layout;
  for (int b = 0; b < bodyCount(run); ++b) {
    body::FrameLink link{.name = breath::anyBodyName(b)};
    // Arms are described by their motion from rest alone, so their frame at rest is the world's.
    if (b < breath::kBodyCount)
      link.X_WL_rest.position = run.model().parts[static_cast<std::size_t>(b)].origin;
    for (const anatomy::Shape& s : run.body().shapes)
      if (breath::torsoBodyOf(s.bone) == b) link.bones.push_back(s.bone);
    layout.addLink(std::move(link));
  }
  layout.addPointSet({.name = "trunk", .count = run.model().rest.size()});
  layout.addPointSet(
      {.name = "shoulders", .count = run.layer() ? run.layer()->points().size() : 0});
  layout.addScalar({"breath", "lung_volume", "m^3", "cavity above the diaphragm"});
  addElementScalars(run, layout);
  return layout;
}

body::Frame captureTorso(BreathSimulation& run, const body::FrameLayout& layout) {
  breath::updatePoints(run.model(), run.state(), run.workspace());
  body::Frame f;
  f.time = run.state().time;
  for (int b = 0; b < bodyCount(run); ++b)
    f.X_WL.push_back(b < breath::kBodyCount ? breath::bodyPose(run.model(), run.state(), b)
                                            : run.layer()->motion(b));
  const breath::PointArray& points = run.workspace().points();
  for (std::size_t i = 0; i < points.size(); ++i) f.points.push_back(points[i]);
  f.scalars.push_back(run.workspace().reading().lungVolume);
  const std::vector<double>& tensions = run.workspace().tensions();
  f.scalars.insert(f.scalars.end(), tensions.begin(), tensions.end());
  if (const breath::ShoulderLayer* layer = run.layer()) {
    f.points.insert(f.points.end(), layer->points().begin(), layer->points().end());
    f.scalars.insert(f.scalars.end(), layer->tensions().begin(), layer->tensions().end());
  }
  body::checkFrame(layout, f);
  return f;
}

double lungVolume(const Clip& clip, std::size_t k) {
  return clip.scalar(k, clip.layout().scalarIndex("breath", "lung_volume"));
}

}  // namespace pneuma::stage
