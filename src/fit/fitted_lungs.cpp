#include "pneuma/fit/fitted_lungs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::fit {

FittedLungs fittedLungs(const anatomy::Body& fitted) {
  const anatomy::Person& person = fitted.person;
  FittedLungs lungs;
  const double cavity = anatomy::thoracicCavity(anatomy::trunkAnatomy(fitted));
  lungs.residual = cavity - anatomy::predictThoracicTissue(person);
  lungs.predicted = anatomy::lungVolumes(person).functionalResidual;
  if (!(lungs.residual > 0))
    throw InputError(Diagnostic{
        .subject = "character",
        .message = fmt::format("its chest has room for {:.1f} l, less than heart and vessels of a "
                               "person of its height",
                               1e3 * cavity),
        .expected = "a human body, or its own --height"});
  const double age = std::log(std::clamp(person.age, 5.0, 80.0));
  const bool male = person.sex == anatomy::Sex::Male;
  const double L = male ? 0.3416 : 0.2898;
  const double S = male ? std::exp(-1.60197 + 0.01513 * age) : std::exp(-1.48310 - 0.03372 * age);
  lungs.score = (std::pow(lungs.residual / lungs.predicted, L) - 1) / (L * S);
  return lungs;
}

}  // namespace pneuma::fit
