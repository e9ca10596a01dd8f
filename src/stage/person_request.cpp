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

/// Someone's size over the body's own person's.
struct Ratios {
  double stature = 1, massIndex = 1;
};

/// Who is not stated in full is as tall, and as slim, as the median of that age against the body's
/// own person. Children go by the medians of their sex: a girl is a share of the man the body was
/// measured on, not of a woman of his height. Women keep his height, as ever.
Ratios ratiosOf(const anatomy::Person& p, const anatomy::Person& own) {
  if (anatomy::isChild(p)) {
    const anatomy::Medians now = anatomy::mediansOf(p.sex, p.age),
                           before = anatomy::mediansOf(own.sex, own.age);
    return {now.stature / before.stature, now.massIndex / before.massIndex};
  }
  const anatomy::Growth now = anatomy::growthOf(p.sex, p.age),
                        before = anatomy::growthOf(own.sex, own.age);
  return {now.stature / before.stature, now.massIndex / before.massIndex};
}

}  // namespace

// What is left out follows from what is given, in this order: sex and age, height, mass.
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
  const Ratios ratio = ratiosOf(p, body.person);
  if (r.height)
    p.height = heightOf(*r.height);
  else if (ratio.stature != 1)
    p.height *= ratio.stature;
  if (r.mass)
    p.mass = *r.mass;
  else if (r.height || ratio.stature != 1)
    p.mass = body.person.mass * (p.height * p.height) / (body.person.height * body.person.height) *
             ratio.massIndex;
  if (r.spineRatio) p.spineRatio = r.spineRatio;
  if (r.highLateral) p.highLateralScale = r.highLateral;
  if (r.lowLateral) p.lowLateralScale = r.lowLateral;
  if (r.frontal) p.frontalScale = r.frontal;
  anatomy::checkPerson(p);
  return p;
}

}  // namespace pneuma::stage
