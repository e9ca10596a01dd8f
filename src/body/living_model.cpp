#include "pneuma/body/living_model.h"

#include "pneuma/core/error.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::body {

breath::TorsoConfig LivingOptions::livingCage() {
  breath::TorsoConfig config = breath::makeTorsoConfig("default");
  config.elevatorGain = 4;
  config.diaphragmGain = 0.85;
  config.abdominalTone = 0.5;
  return config;
}

LivingModel makeLivingModel(std::shared_ptr<const anatomy::Body> body, LivingOptions options) {
  LivingModel m;
  m.options = std::move(options);
  // The trunk's ground and cartilages are those of the articulation.
  m.options.cage.ground = false;
  m.options.cage.cartilage = breath::CartilageKind::Articulation;
  m.compiled = anatomy::compileBody(*body, m.options.articulation).valueOrThrow();
  m.body = std::move(body);
  m.tree = skeleton::modelFromBody(m.compiled);
  m.linkIndices = skeleton::linkIndices(m.compiled, m.tree);
  for (const int link : m.compiled.boneLink)
    m.boneLink.push_back(link < 0 ? -1 : m.linkIndices[static_cast<std::size_t>(link)]);
  m.springs = muscle::springsFromBody(m.compiled, m.tree);
  const auto linkOf = [&](const std::string& bone) {
    for (std::size_t i = 0; i < m.compiled.boneNames.size(); ++i)
      if (m.compiled.boneNames[i] == bone) return m.boneLink[i];
    return -1;
  };
  m.cage = breath::makeCage(breath::readTorsoAnatomy(*m.body), m.options.cage, m.tree, linkOf);
  // After the cage, whose loads at rest are those of links with all their flesh.
  if (m.options.bellies)
    m.bellies = flesh::planBellies(m.body, m.options.articulation, m.tree, *m.options.bellies);
  // What belongs to the cage moves by itself, everything else as it is told.
  m.given.assign(static_cast<std::size_t>(m.tree.dofCount()), 1);
  for (const int l : m.cage.cageLinks) {
    const skeleton::Link& link = m.tree.links[static_cast<std::size_t>(l)];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      m.given[static_cast<std::size_t>(j)] = 0;
  }
  return m;
}

}  // namespace pneuma::body
