#include "pneuma/skeleton/model.h"

#include <cmath>

#include <fmt/format.h>

#include "pneuma/core/error.h"

namespace pneuma::skeleton {

int Model::findLink(std::string_view name) const {
  for (int l = 0; l < linkCount(); ++l)
    if (links[l].name == name) return l;
  return -1;
}

int Model::linkIndex(std::string_view name) const {
  const int found = findLink(name);
  if (found >= 0) return found;
  std::vector<std::string> names;
  for (const Link& link : links) names.push_back(link.name);
  throw InputError(Diagnostic{.subject = "skeleton",
                              .message = fmt::format("unknown link '{}'", name),
                              .nearest = nearestName(name, names)});
}

int Model::commonAncestor(int linkA, int linkB) const {
  // Parents have lower numbers than their children: the higher of the two cannot be the answer.
  while (linkA != linkB) {
    if (linkA > linkB)
      linkA = links[linkA].parent;
    else
      linkB = links[linkB].parent;
  }
  return linkA;
}

double Model::totalMass() const {
  double mass = 0;
  for (const Link& link : links) mass += link.inertia.mass;
  return mass;
}

State makeState(const Model& model) {
  return {model.neutral, VecX::Zero(model.dofCount()), 0};
}

void checkFinite(const Model& model, const State& state) {
  if (state.q.allFinite() && state.v.allFinite()) return;
  for (const Link& link : model.links) {
    if (!state.q.segment(link.firstPosition, link.positionCount).allFinite())
      throw SimulationError(state.time, "link '" + link.name + "'", "non-finite configuration");
    if (!state.v.segment(link.firstDof, link.dofCount).allFinite())
      throw SimulationError(state.time, "link '" + link.name + "'", "non-finite velocity");
  }
}

}  // namespace pneuma::skeleton
