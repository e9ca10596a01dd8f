#include "pneuma/stage/person_request.h"

#include <fmt/format.h>

#include "pneuma/anatomy/growth.h"
#include "pneuma/anatomy/person.h"

namespace pneuma::stage {
namespace {

/// People state heights in metres, centimetres or feet; only the first two are understood, and the
/// message repeats the number that was typed.
double heightOf(double stated) {
  constexpr double kTallest = 3;  // [m]; more is meant in centimetres
  const bool inCentimetres = stated > kTallest;
  const double height = inCentimetres ? stated / 100 : stated;
  if (height >= 0.5 && height <= 2.6) return height;
  Diagnostic d{.subject = "person",
               .field = "height",
               .message = fmt::format("{:g} is read as {}", stated, inCentimetres ? "cm" : "m"),
               .expected = "0.5 to 2.6 m, or 50 to 260 cm"};
  constexpr double kFoot = 0.3048;  // [m]
  if (stated > kTallest && stated < 8)
    d.message += fmt::format("; {:g} feet are {:.2f} m", stated, stated * kFoot);
  throw InputError(std::move(d));
}

}  // namespace

anatomy::Person personOf(const PersonRequest& r, const anatomy::Body& body) {
  requireSettings(r);
  anatomy::Person p = body.person;
  if (!r.sex.empty())
    p.sex = r.sex == "female" || r.sex == "woman" || r.sex == "girl" ? anatomy::Sex::Female
                                                                     : anatomy::Sex::Male;
  if (r.age) p.age = *r.age;
  if ((r.sex == "boy" || r.sex == "girl") && !anatomy::isChild(p))
    throw InputError(
        Diagnostic{.subject = "person",
                   .field = "age",
                   .message = fmt::format("{:g} years are not those of a {}", p.age, r.sex),
                   .expected = "5 to 18 years"});
  // Who is not stated in full is as tall, and as slim, as the median of that age against adults.
  const anatomy::Growth growth = anatomy::growthOf(p.sex, p.age),
                        before = anatomy::growthOf(body.person.sex, body.person.age);
  const bool other = growth.stature != before.stature;
  if (r.height)
    p.height = heightOf(*r.height);
  else if (other)
    p.height *= growth.stature / before.stature;
  if (r.mass)
    p.mass = *r.mass;
  else if (r.height || other)
    p.mass = body.person.mass * (p.height * p.height) / (body.person.height * body.person.height) *
             (growth.massIndex / before.massIndex);
  if (r.spineRatio) p.spineRatio = r.spineRatio;
  if (r.highLateral) p.highLateralScale = r.highLateral;
  if (r.lowLateral) p.lowLateralScale = r.lowLateral;
  if (r.frontal) p.frontalScale = r.frontal;
  anatomy::checkPerson(p);
  return p;
}

}  // namespace pneuma::stage
