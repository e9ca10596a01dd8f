#pragma once

#include "anatomy/text/field_spec.h"

/// Fields of strength tests, part of the description in body_fields.h.
namespace pneuma::anatomy::internal {

template <class V>
void fields(V& v, typename V::template Ref<StrengthPose> p) {
  v.field({.name = "freedom",
           .meaning = "'joint.name' that is set",
           .required = true,
           .role = Role::Reference},
          p.freedom);
  v.field({.name = "part", .meaning = "of the swept angle", .min = -2, .max = 2}, p.part);
  v.field({.name = "angle",
           .meaning = "held, or added to that part",
           .unit = Unit::Angle,
           .min = -3.2,
           .max = 3.2},
          p.angle);
}

// Each band says whether its numbers were seen in the source or recalled: a table of strengths is
// only worth its sources.
template <class V>
void fields(V& v, typename V::template Ref<StrengthBand> b) {
  v.field({"sex", "of the people measured"}, b.sex);
  v.field({.name = "youngest", .meaning = "age", .unit = Unit::Years, .min = 0, .max = 110},
          b.youngest);
  v.field({.name = "oldest", .meaning = "age", .unit = Unit::Years, .min = 0, .max = 110},
          b.oldest);
  v.field({.name = "mean",
           .meaning = "torque (N m, or N m/kg with `per_mass`)",
           .unit = Unit::Torque,
           .required = true,
           .min = 0,
           .max = 1000,
           .aboveMin = true},
          b.mean);
  v.field({.name = "deviation",
           .meaning = "standard deviation; 0: unknown",
           .unit = Unit::Torque,
           .min = 0,
           .max = 1000},
          b.deviation);
  v.field({"per_mass", "`mean` and `deviation` are per kilogram of body mass"}, b.perMass);
  v.field({.name = "count", .meaning = "people measured; 0: unknown", .min = 0, .max = 1e7},
          b.count);
  v.field({.name = "at",
           .meaning = "angle it was measured at; none: the largest torque",
           .unit = Unit::Angle,
           .min = -3.2,
           .max = 3.2},
          b.at);
  v.field({.name = "peak_angle",
           .meaning = "[lower, upper] angle of the largest torque",
           .unit = Unit::Angle,
           .min = -3.2,
           .max = 3.2},
          b.peakAngle);
  v.field({"seen", "read in the source; else recalled"}, b.seen);
  v.field({.name = "source", .meaning = "publication", .required = true}, b.source);
}

// What straps hold and what must balance differs from one dynamometer to the next and changes the
// result, so the test says it.
template <class V>
void fields(V& v, typename V::template Ref<StrengthTest> t) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, t.name);
  v.field({.name = "articulation",
           .meaning = "in which it is measured",
           .required = true,
           .role = Role::Reference},
          t.articulation);
  v.field({.name = "freedom",
           .meaning = "'joint.name' about whose axis the torque acts",
           .required = true,
           .role = Role::Reference},
          t.freedom);
  v.field({"reverse", "against the positive sense of the freedom"}, t.reverse);
  v.field({"balanced", "the joint's other freedoms carry no torque; else straps hold them"},
          t.balanced);
  v.field({.name = "angles",
           .meaning = "[lower, upper] of the sweep",
           .unit = Unit::Angle,
           .required = true,
           .min = -3.2,
           .max = 3.2},
          t.angles);
  v.field({.name = "pose",
           .meaning = "freedoms that share the swept angle or are held; none: the freedom itself "
                      "takes it",
           .maxCount = 64},
          t.pose);
  v.field({.name = "people", .meaning = "what people reach", .maxCount = 64}, t.people);
}

}  // namespace pneuma::anatomy::internal
