#include "stage/torso_skin.h"

#include <algorithm>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/breath/shoulder_layer.h"

namespace pneuma::stage::internal {
namespace {

constexpr int kFileTriangles = 20000;
constexpr const char* kArticulation = "whole";  // whose links are the joints of the armature
constexpr int kTrunkPoints = 0;                 // point set of torsoLayout

anatomy::SkinSurface surfaceOf(const breath::BreathSimulation& run, const anatomy::Body& measured,
                               int triangles) {
  return anatomy::makeShownSkin(measured, run.settings().person, triangles,
                                anatomy::GeometryCache());
}

/// Links and joints alone: a skin asks no muscle, and rare proportions leave one without room for
/// its fibres, which is no reason for having no skin.
anatomy::CompiledBody compiledBones(anatomy::Body body) {
  body.muscles.clear();
  for (anatomy::Articulation& a : body.articulations) a.muscles.clear();
  return anatomy::compileBody(body, kArticulation).valueOrThrow();
}

/// The torso's body that carries a bone of each link; -1: none does.
std::vector<int> bodiesOfLinks(const anatomy::Body& body, const anatomy::CompiledBody& compiled) {
  std::vector<int> list;
  for (const anatomy::CompiledLink& link : compiled.links) {
    int carrier = -1;
    for (const int b : link.bones)
      if (carrier < 0) carrier = breath::torsoBodyOf(body.bones[static_cast<std::size_t>(b)].name);
    list.push_back(carrier);
  }
  return list;
}

/// Its own link, unless the torso moves the bone with another body than the link's (cartilages of
/// the arch with their ribs): then a link which that body carries.
std::vector<int> jointsOfBones(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                               const std::vector<int>& bodyOfLink) {
  std::vector<int> joints;
  for (std::size_t b = 0; b < body.bones.size(); ++b) {
    const int own = std::max(0, compiled.boneLink[b]);
    const int carrier = breath::torsoBodyOf(body.bones[b].name);
    const auto other = std::ranges::find(bodyOfLink, carrier);
    joints.push_back(bodyOfLink[static_cast<std::size_t>(own)] == carrier || carrier < 0 ||
                             other == bodyOfLink.end()
                         ? own
                         : static_cast<int>(other - bodyOfLink.begin()));
  }
  return joints;
}

}  // namespace

TorsoSkin::TorsoSkin(const breath::BreathSimulation& run, const anatomy::Body& measured,
                     int triangles)
    : TorsoSkin(run, measured, triangles,
                skin::sampleAllBones(run.body(), anatomy::GeometryCache())) {}

TorsoSkin::TorsoSkin(const breath::BreathSimulation& run, const anatomy::Body& measured,
                     int triangles, skin::BoneSamples samples)
    : body_(run.body()),
      compiled_(compiledBones(body_)),
      surface_(surfaceOf(run, measured, triangles)),
      traces_(run.model(), body_) {
  const anatomy::GeometryCache cache;
  fileTopology_ = anatomy::makeSkinTopology(anatomy::skinModelOf(measured), measured,
                                            anatomy::skinLevelOf(kFileTriangles), cache);
  driver_ = skin::makeWeightsSkin(surface_,
                                  skin::bindSkin(surface_, body_, compiled_, std::move(samples)),
                                  body_, compiled_, traces_.traces());
}

std::vector<Vec3> TorsoSkin::pose(const body::Frame& frame, const body::FrameLayout& layout) {
  const std::span<const Vec3> trunk = frame.pointsOf(layout, kTrunkPoints);
  points_.resize(trunk.size());
  for (std::size_t i = 0; i < trunk.size(); ++i) points_.set(i, trunk[i]);
  bodies_.resize(frame.X_WL.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    bodies_[b] = frame.X_WL[b] * layout.links[b].X_WL_rest.inverse();
  const double lungs =
      frame.scalars[static_cast<std::size_t>(layout.scalarIndex("breath", "lung_volume"))];
  std::vector<Vec3> positions(rest().vertexCount());
  driver_->pose(traces_.follow(points_, bodies_, lungs), positions);
  return positions;
}

RecordedBody TorsoSkin::recorded(const body::FrameLayout& layout) const {
  RecordedBody r{.body = &body_, .compiled = &compiled_};
  const std::vector<int> bodyOfLink = bodiesOfLinks(body_, compiled_);
  r.motions = [bodyOfLink, &layout](const body::Frame& f) {
    std::vector<Pose> motions;
    for (const int b : bodyOfLink) {
      const auto i = static_cast<std::size_t>(b);
      motions.push_back(
          b < 0 || i >= f.X_WL.size() ? Pose{} : f.X_WL[i] * layout.links[i].X_WL_rest.inverse());
    }
    return motions;
  };
  r.breathing.assign(compiled_.links.size(), true);  // the torso stands still but for its breath
  r.jointOfBone = jointsOfBones(body_, compiled_, bodyOfLink);
  r.surface = &surface_;
  r.driver = driver_.get();
  r.fileTopology = fileTopology_.get();
  return r;
}

}  // namespace pneuma::stage::internal
