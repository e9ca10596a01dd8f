#include "pneuma/stage/person_request.h"

#include "pneuma/anatomy/person.h"

namespace pneuma::stage {

anatomy::Person personOf(const PersonRequest& r, const anatomy::Body& body) {
  constexpr double kTallest = 3;  // [m]; more is meant in centimetres
  requireSettings(r);
  anatomy::Person p = body.person;
  if (!r.sex.empty()) p.sex = r.sex == "female" ? anatomy::Sex::Female : anatomy::Sex::Male;
  if (r.height) p.height = *r.height > kTallest ? *r.height / 100 : *r.height;
  if (r.mass) p.mass = *r.mass;
  if (r.height && !r.mass)
    p.mass = body.person.mass * (p.height * p.height) / (body.person.height * body.person.height);
  if (r.age) p.age = *r.age;
  if (r.spineRatio) p.spineRatio = r.spineRatio;
  if (r.highLateral) p.highLateralScale = r.highLateral;
  if (r.lowLateral) p.lowLateralScale = r.lowLateral;
  if (r.frontal) p.frontalScale = r.frontal;
  anatomy::checkPerson(p);
  return p;
}

}  // namespace pneuma::stage
