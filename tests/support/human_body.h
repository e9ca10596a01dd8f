#pragma once

#include <map>
#include <string>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::test {

/// The default person under one articulation.
struct HumanBody {
  anatomy::CompiledBody compiled;
  skeleton::Model model;
};

inline const anatomy::Body& human() {
  static const anatomy::Body body = [] {
    const anatomy::Body loaded = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
    return anatomy::fitToPerson(loaded, loaded.person);
  }();
  return body;
}

/// Compiled once, with a free root.
inline const HumanBody& humanBody(const std::string& articulation) {
  static std::map<std::string, HumanBody> bodies;
  const auto found = bodies.find(articulation);
  if (found != bodies.end()) return found->second;
  anatomy::CompiledBody compiled = anatomy::compileBody(human(), articulation).valueOrThrow();
  skeleton::Model model = skeleton::modelFromBody(compiled, {.freeRoot = true});
  return bodies.emplace(articulation, HumanBody{std::move(compiled), std::move(model)})
      .first->second;
}

}  // namespace pneuma::test
