#include "pneuma/body/living_model.h"

#include <algorithm>

#include "body/cartilage_follower.h"
#include "body/held_weight.h"
#include "pneuma/breath/cage_joints.h"
#include "pneuma/breath/shoulder_bodies.h"
#include "pneuma/core/error.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::body {
namespace {

bool inCage(const LivingModel& m, int link) {
  return std::ranges::find(m.cage.cageLinks, link) != m.cage.cageLinks.end();
}

/// The cage holds the ends of the ribs itself: springs of the articulation between them and the
/// cartilages would hold them twice.
void dropCageSprings(LivingModel& m) {
  std::erase_if(m.springs.springs, [&](const skeleton::PointSpring& s) {
    return inCage(m, s.path.linkA) && inCage(m, s.path.linkB);
  });
}

/// What belongs to the cage moves by itself, everything else as it is told.
void setGiven(LivingModel& m) {
  m.given.assign(static_cast<std::size_t>(m.tree.dofCount()), 1);
  for (const int l : m.cage.cageLinks) {
    const skeleton::Link& link = m.tree.links[static_cast<std::size_t>(l)];
    for (int j = link.firstDof; j < link.firstDof + link.dofCount; ++j)
      m.given[static_cast<std::size_t>(j)] = 0;
  }
}

}  // namespace

breath::TorsoConfig LivingOptions::livingCage() {
  return breath::makeTorsoConfig("default");
}

LivingModel makeLivingModel(std::shared_ptr<const anatomy::Body> body, LivingOptions options) {
  LivingModel m;
  m.options = std::move(options);
  m.options.cage.ground = false;
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
  const breath::TorsoAnatomy anatomy = breath::readTorsoAnatomy(*m.body);
  breath::setCageJoints(anatomy, m.options.cage, linkOf, m.tree);
  m.cage = breath::makeCage(anatomy, m.options.cage, m.tree, linkOf);
  dropCageSprings(m);
  // After the cage, whose loads at rest are those of links with all their flesh.
  if (m.options.bellies)
    m.bellies = flesh::planBellies(m.body, m.options.articulation, m.tree, *m.options.bellies);
  for (const flesh::GridMuscleRequest& request : m.options.gridMuscles)
    m.gridMuscles.push_back(flesh::planGridMuscle(m.compiled, request, m.tree));
  if (m.options.shoulderBodies) {
    if (m.options.bellies)
      throw InputError(Diagnostic{.subject = "option '--shoulder-bodies'",
                                  .message = "stands beside '--bellies', the same muscles",
                                  .expected = "one of the two"});
    m.shoulderBodies = breath::planShoulderBodies(*m.body, anatomy, linkOf, m.tree);
  }
  setGiven(m);
  // The step holds the cage's weight in every pose; what is left is that of the soft parts.
  m.cage.restLinkLoad -= internal::heldAtRest(m);
  for (const internal::CartilageFollower& f : internal::findFollowers(m)) internal::follow(f, m);
  return m;
}

}  // namespace pneuma::body
