#include "pneuma/muscle/driven_body.h"

namespace pneuma::muscle {

namespace {

std::vector<std::string> namesOfDofs(const anatomy::CompiledBody& body,
                                     const std::vector<int>& indices,
                                     const skeleton::Model& model) {
  std::vector<std::string> names = model.dofName;
  for (std::size_t l = 0; l < body.links.size(); ++l) {
    const skeleton::Link& link = model.links[indices[l]];
    if (body.links[l].dofs.size() != static_cast<std::size_t>(link.dofCount)) continue;
    for (int d = 0; d < link.dofCount; ++d) names[link.firstDof + d] = body.links[l].dofs[d].name;
  }
  return names;
}

}  // namespace

std::vector<MuscleDescription> musclesFromBody(const anatomy::CompiledBody& body,
                                               const LinearHillConfig& config) {
  std::vector<MuscleDescription> list;
  for (const anatomy::CompiledMuscle& m : body.muscles) {
    MuscleDescription d;
    d.name = m.name;
    d.muscle = m.sidedMuscle();
    d.group = m.group;
    for (const anatomy::CompiledPoint& p : m.points)
      d.points.push_back({p.link < 0 ? "" : body.links[p.link].name, p.position});
    d.force = linearHillOf(m, config);
    list.push_back(std::move(d));
  }
  return list;
}

LinearHill linearHillOf(const anatomy::CompiledMuscle& m, const LinearHillConfig& config) {
  // A line without a cross section only shows the way of its muscle: it has no force.
  if (!(m.pcsa > 0))
    return {.slackLength = m.slackLength,
            .minimumLength = config.minimumLengthRatio * m.slackLength,
            .maximumVelocity = config.maximumVelocityRatio * m.slackLength};
  LinearHillConfig own = config;
  own.specificTension = m.peakForce / m.pcsa;
  return makeLinearHill(m.slackLength, m.pcsa, own);
}

Musculotendon musculotendonOf(const anatomy::CompiledMuscle& m) {
  return {.maxForce = m.peakForce,
          .optimalLength = m.fiberLength,
          .slackLength = m.tendonLength,
          .pennation = m.pennation};
}

skeleton::LinkElements springsFromBody(const anatomy::CompiledBody& body,
                                       const skeleton::Model& model) {
  skeleton::LinkElements elements;
  const std::vector<int> indices = skeleton::linkIndices(body, model);
  const auto linkOf = [&](const anatomy::CompiledPoint& p) {
    return p.link < 0 ? -1 : indices[p.link];
  };
  for (const anatomy::CompiledSpring& s : body.springs) {
    elements.springs.push_back(skeleton::makePointSpring(
        model, linkOf(s.a), s.a.position, linkOf(s.b), s.b.position, s.stiffness, s.damping));
    elements.springs.back().restLength = s.restLength;
  }
  return elements;
}

DrivenBody::DrivenBody(const anatomy::CompiledBody& body, const DrivenBodyConfig& config)
    : config_(config),
      model_(skeleton::modelFromBody(body, config.joints)),
      linkIndices_(skeleton::linkIndices(body, model_)),
      muscles_(compileMuscles(model_, musclesFromBody(body, config.hill))),
      state_{skeleton::makeState(model_), makeState(muscles_)},
      source_(model_, muscles_, state_.muscles, config.step),
      springs_(springsFromBody(body, model_)),
      workspace_(model_, {&resistance_, &springs_, &source_}),
      dofNames_(namesOfDofs(body, linkIndices_, model_)) {
  validate(config.activation);
}

void DrivenBody::step(std::span<const double> excitations) {
  VecX& activation = state_.muscles.activation;
  stepActivations(config_.activation, excitations, config_.step,
                  {activation.data(), static_cast<std::size_t>(activation.size())});
  skeleton::stepImplicitEuler(model_, state_.skeleton, workspace_, config_.step);
  advance(muscles_, source_.workspace(), state_.muscles);
}

void DrivenBody::refresh() {
  skeleton::computeAcceleration(model_, state_.skeleton, workspace_, workspace_.vDot);
}

skeleton::EnergyBook DrivenBody::energy() {
  return skeleton::computeEnergy(model_, state_.skeleton, workspace_);
}

}  // namespace pneuma::muscle
