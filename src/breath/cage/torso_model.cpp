#include "pneuma/breath/torso_model.h"

#include <fmt/format.h>

#include <cmath>

#include "breath/cage/torso_parts.h"
#include "pneuma/breath/shoulder_layer.h"
#include "pneuma/skeleton/model_builder.h"

namespace pneuma::breath {
namespace {

/// Spine on a free joint, ribs on its hinges or balls, the sternum free against it: weights,
/// stiffness and friction of the settings. Weight is part of the loads that balance the rest state.
skeleton::Model makeTree(const TorsoModel& m, const TorsoConfig& config) {
  skeleton::ModelBuilder builder;
  builder.setGravity(Vec3::Zero());
  const auto add = [&](int body, skeleton::Joint joint, skeleton::DofResistance resistance) {
    const RigidPart& part = m.parts[static_cast<std::size_t>(body)];
    builder.add({.name = bodyName(body),
                 .parent = body == kSpine ? "" : bodyName(kSpine),
                 .joint = std::move(joint),
                 .jointPose = {Mat3::Identity(), part.origin},
                 .inertia = {part.mass, part.origin + part.center, part.inertia},
                 .resistance = {resistance}});
  };
  add(kSpine, skeleton::Joint::free(), {});
  for (int body = 1; body < kSternum; ++body) {
    const auto rib = static_cast<std::size_t>(body - 1);
    const bool hinge = config.ribJoint == RibJoint::Neck;
    add(body, hinge ? skeleton::Joint::hinge(m.neckAxis[rib]) : skeleton::Joint::ball(),
        {.damping = config.jointFriction, .stiffness = hinge ? m.jointStiffness[rib] : 0});
  }
  add(kSternum, skeleton::Joint::free(), {});
  return builder.build();
}

}  // namespace

std::string bodyName(int body) {
  if (body == kSpine) return "spine";
  if (body == kSternum) return "sternum";
  return fmt::format("rib_{:02}_{}", (body + 1) / 2, body % 2 == 1 ? 'l' : 'r');
}

TorsoModel makeTorsoModel(const TorsoAnatomy& anatomy, const TorsoConfig& config) {
  validate(config);
  TorsoModel m;
  internal::addParts(anatomy, config, m);
  m.tree = makeTree(m, config);
  for (int body = 0; body < kBodyCount; ++body)
    m.link[static_cast<std::size_t>(body)] = m.tree.linkIndex(bodyName(body));
  const auto links = [&](const std::string& bone) {
    const int body = torsoBodyOf(bone);
    return body < 0 || body >= kBodyCount ? -1 : m.link[static_cast<std::size_t>(body)];
  };
  static_cast<CageModel&>(m) = makeCage(anatomy, config, m.tree, links);
  return m;
}

}  // namespace pneuma::breath
