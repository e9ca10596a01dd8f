#include "pneuma/breath/exertion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

constexpr double kMinute = 60;
constexpr double kMet = 3.5e-6 / kMinute;                    // oxygen per mass [m^3/(s kg)]
constexpr double kAirPerOxygen = 27;                         // V_E / VO2
constexpr double kQuietRate = 15;                            // at one MET [1/min]
constexpr double kDeepest = 0.55;                            // of the vital capacity
constexpr double kFirstSecond = 0.84, kLostPerYear = 0.002;  // FEV1 / VC at 30 years, and after
constexpr double kMaximalPerMinute = 40;                     // ventilation / FEV1 [1/min]
constexpr double kSustained = 0.9;                           // of the maximal ventilation
constexpr double kLeastRise = 0.40, kRise = 0.48;            // inspiration, of a breath
constexpr double kHelpFrom = 3, kHelpFull = 12;  // METs between which the belly comes in
constexpr double kHelp = 0.75;                   // of a style's expiration

}  // namespace

Exertion exertionOf(const anatomy::Person& person, double mets) {
  const double vital = anatomy::lungVolumes(person).vital;
  const double perMet = kMet * person.mass;
  const double most = kSustained * kMaximalPerMinute / kMinute * vital *
                      (kFirstSecond - kLostPerYear * (person.age - 30));
  const double highest = most / (kAirPerOxygen * perMet);
  if (!(mets >= 1 && mets <= highest))
    throw InputError(
        Diagnostic{.field = "mets",
                   .message = fmt::format("{} is out of range for this person's lungs", mets),
                   .expected = fmt::format("1 .. {:.1f}", highest)});
  Exertion e{.mets = mets, .oxygen = mets * perMet};
  e.ventilation = kAirPerOxygen * e.oxygen;
  e.rate = kQuietRate * std::cbrt(mets);
  e.tidal = kMinute * e.ventilation / e.rate;
  if (e.tidal > kDeepest * vital) {  // the rest by faster breaths
    e.tidal = kDeepest * vital;
    e.rate = kMinute * e.ventilation / e.tidal;
  }
  return e;
}

BreathStyle exertedStyle(const BreathStyle& quiet, const Exertion& e) {
  BreathStyle style = quiet;
  style.name = "exertion";
  style.text = fmt::format("{:.3g} times the oxygen of rest", e.mets);
  const double load = std::clamp((e.mets - 1) / (kHelpFull - 1), 0.0, 1.0);
  const double rise = kLeastRise + load * (kRise - kLeastRise);
  style.breaths = {
      {.period = kMinute / e.rate,
       .rise = rise,
       .fall = std::min(0.35, 1 - rise),
       .expire = kHelp * std::clamp((e.mets - kHelpFrom) / (kHelpFull - kHelpFrom), 0.0, 1.0)}};
  return style;
}

}  // namespace pneuma::breath
