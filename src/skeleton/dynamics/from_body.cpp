#include "pneuma/skeleton/from_body.h"

namespace pneuma::skeleton {
namespace {

using anatomy::CompiledDof;
using anatomy::CompiledLink;
using anatomy::DofKind;
using anatomy::JointType;

constexpr double kTranslationArm = 0.1;  // [m] turns a rotary stiffness into a linear one

Joint jointOf(const CompiledLink& link, bool freeRoot) {
  if (link.joint == JointType::Free || (freeRoot && link.parent < 0)) return Joint::free();
  if (link.joint == JointType::Ball) return Joint::ball();
  if (link.joint == JointType::Fixed || link.dofs.empty()) return Joint::fixed();
  std::vector<Motion> motions;
  bool hinges = true;
  for (const CompiledDof& d : link.dofs) {
    const bool turns = d.kind == DofKind::Rotation;
    hinges = hinges && turns;
    motions.push_back({turns ? MotionKind::Hinge : MotionKind::Slide, d.axis});
  }
  if (motions.size() == 1)
    return hinges ? Joint::hinge(motions[0].axis) : Joint::slide(motions[0].axis);
  if (hinges && motions.size() == 2) return Joint::universal(motions[0].axis, motions[1].axis);
  if (hinges && motions.size() == 3)
    return Joint::threeHinge(motions[0].axis, motions[1].axis, motions[2].axis);
  return Joint::chain(std::move(motions));
}

DofResistance resistanceOf(const CompiledDof& d, const FromBodyOptions& options) {
  DofResistance r;
  if (options.passiveResistance) r.stiffness = d.stiffness, r.damping = d.damping;
  if (options.limits && d.limited) {
    const double linear =
        d.kind == DofKind::Rotation ? 1.0 : 1.0 / (kTranslationArm * kTranslationArm);
    r.lowerLimit = d.lower;
    r.upperLimit = d.upper;
    r.limitStiffness = options.limitStiffness * linear;
    r.limitDamping = options.limitDamping * linear;
  }
  return r;
}

std::vector<DofResistance> resistancesOf(const CompiledLink& link, const FromBodyOptions& options) {
  std::vector<DofResistance> all;
  if (link.joint == JointType::Sequence)
    for (const CompiledDof& d : link.dofs) all.push_back(resistanceOf(d, options));
  if (link.joint == JointType::Ball && options.passiveResistance && !link.dofs.empty()) {
    DofResistance r;
    for (const CompiledDof& d : link.dofs) r.damping += d.damping / 3;
    all.push_back(r);
  }
  return all;
}

}  // namespace

ModelBuilder builderFromBody(const anatomy::CompiledBody& body, const FromBodyOptions& options) {
  ModelBuilder builder;
  for (const CompiledLink& link : body.links) {
    LinkDescription d;
    d.name = link.name;
    if (link.parent >= 0) d.parent = body.links[static_cast<std::size_t>(link.parent)].name;
    d.joint = jointOf(link, options.freeRoot);
    d.jointPose.position = link.center;
    d.inertia = link.inertia;
    d.role = link.passive ? DofRole::Passive : DofRole::Driven;
    d.resistance = resistancesOf(link, options);
    builder.add(std::move(d));
  }
  return builder;
}

Model modelFromBody(const anatomy::CompiledBody& body, const FromBodyOptions& options) {
  return builderFromBody(body, options).build();
}

std::vector<int> linkIndices(const anatomy::CompiledBody& body, const Model& model) {
  std::vector<int> indices;
  for (const CompiledLink& link : body.links) indices.push_back(model.linkIndex(link.name));
  return indices;
}

}  // namespace pneuma::skeleton
