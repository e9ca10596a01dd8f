#pragma once

#include "anatomy/text/field_spec.h"

/// Fields of muscle lines and bellies, part of the description in body_fields.h.
namespace pneuma::anatomy::internal {

// Where it belongs, where it runs, then what it can do; forces and lengths carry the source they
// come from.
template <class V>
void fields(V& v, typename V::template Ref<Muscle> m) {
  v.field(
      {.name = "name", .meaning = "unique name of the line", .required = true, .role = Role::Name},
      m.name);
  repeatFields(v, m);
  v.field({.name = "set",
           .meaning = "collection: lee2009, breathing, nedel2000, ...",
           .required = true},
          m.set);
  v.field(
      {.name = "muscle", .meaning = "anatomical muscle the line is a part of", .role = Role::Name},
      m.muscle);
  v.field({.name = "group", .meaning = "row of the source's table, for counting"}, m.group);
  v.field({"region", "section of the source's table"}, m.region);
  v.field({.name = "points",
           .meaning = "origin, via points, insertion",
           .required = true,
           .minCount = 2,
           .maxCount = 64},
          m.points);
  v.field({.name = "pcsa",
           .meaning = "physiological cross-section area",
           .unit = Unit::Area,
           .min = 0,
           .max = 0.05},
          m.pcsa);
  v.field({.name = "tension",
           .meaning = "peak force / cross-section area",
           .unit = Unit::Stress,
           .min = 0,
           .max = 3e6,
           .aboveMin = true},
          m.tension);
  v.field({.name = "peak_force",
           .meaning = "largest isometric force along the fibres; default: `pcsa` times `tension`",
           .unit = Unit::Force,
           .min = 0,
           .max = 2e4},
          m.peakForce);
  v.field(
      {.name = "slack", .meaning = "slack length / rest length of the path", .min = 0.1, .max = 3},
      m.slack);
  v.field({.name = "fiber_length",
           .meaning = "optimal fibre length; default: path less tendons",
           .unit = Unit::Length,
           .min = 0,
           .max = 1,
           .aboveMin = true},
          m.fiberLength);
  v.field({.name = "rest_fiber",
           .meaning = "fibre length in the rest pose / optimal fibre length",
           .min = 0.3,
           .max = 1.8},
          m.restFiber);
  v.field({.name = "pennation",
           .meaning = "fibre angle at the optimal fibre length",
           .unit = Unit::Angle,
           .min = 0,
           .max = 1.4},
          m.pennation);
  v.field({.name = "tendon_origin",
           .meaning = "tendon at the origin / path length",
           .min = 0,
           .max = 1},
          m.tendonOrigin);
  v.field({.name = "tendon_insertion",
           .meaning = "tendon at the insertion / path length",
           .min = 0,
           .max = 1},
          m.tendonInsertion);
  v.field({.name = "volume",
           .meaning = "volume of the belly",
           .unit = Unit::Volume,
           .min = 0,
           .max = 0.01,
           .aboveMin = true},
          m.volume);
  v.field({.name = "profile",
           .meaning = "radii of the belly, evenly spaced from origin to "
                      "insertion",
           .unit = Unit::Length,
           .min = 0,
           .max = 0.5,
           .maxCount = 256},
          m.profile);
  v.field(
      {.name = "belly", .meaning = "fusiform part that the line carries", .role = Role::Reference},
      m.belly);
  v.field({"source", "of strength and fibres: publication, seen or recalled"}, m.source);
}

template <class V>
void fields(V& v, typename V::template Ref<BellyZone> z) {
  v.field({.name = "to",
           .meaning = "bone, or belly, whose surface holds the region",
           .required = true,
           .role = Role::Reference},
          z.to);
  v.field({.name = "from", .meaning = "start of the region along the belly", .min = 0, .max = 1},
          z.from);
  v.field({.name = "until", .meaning = "end of the region along the belly", .min = 0, .max = 1},
          z.until);
  v.field({.name = "direction",
           .meaning = "middle of the region around the line, from the side nearest to `to`",
           .unit = Unit::Angle,
           .min = -6.3,
           .max = 6.3},
          z.direction);
  v.field({.name = "width",
           .meaning = "of the region around the line",
           .unit = Unit::Angle,
           .min = 0,
           .max = 6.3},
          z.width);
}

template <class V>
void fields(V& v, typename V::template Ref<BellySection> s) {
  v.field({.name = "center",
           .meaning = "middle of the section, from the action line",
           .unit = Unit::Length,
           .min = -0.5,
           .max = 0.5},
          s.center);
  v.field({.name = "wide",
           .meaning = "longer half-axis, with its direction",
           .unit = Unit::Length,
           .required = true,
           .min = -0.5,
           .max = 0.5},
          s.wide);
  v.field({.name = "thick",
           .meaning = "other half-axis, across the first",
           .unit = Unit::Length,
           .required = true,
           .min = 0,
           .max = 0.5,
           .aboveMin = true},
          s.thick);
}

// How finely the belly is cut comes first, then the springs between the cuts by their direction
// [Nedel 2000].
template <class V>
void fields(V& v, typename V::template Ref<Belly> b) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, b.name);
  repeatFields(v, b);
  v.field({.name = "slices", .meaning = "cross-sections along the line", .min = 3, .max = 500},
          b.slices);
  v.field({.name = "points_per_slice", .meaning = "points around each", .min = 3, .max = 500},
          b.pointsPerSlice);
  v.field({.name = "elasticity_horizontal",
           .meaning = "of springs around the line",
           .min = 0,
           .max = 1e9},
          b.elasticityHorizontal);
  v.field(
      {.name = "elasticity_vertical", .meaning = "of springs along the line", .min = 0, .max = 1e9},
      b.elasticityVertical);
  v.field({.name = "curvature_horizontal",
           .meaning = "of angular springs around the line",
           .min = 0,
           .max = 1e9},
          b.curvatureHorizontal);
  v.field({.name = "curvature_vertical",
           .meaning = "of angular springs along the line",
           .min = 0,
           .max = 1e9},
          b.curvatureVertical);
  v.field(
      {.name = "mass", .meaning = "0: from its volume", .unit = Unit::Mass, .min = 0, .max = 20},
      b.mass);
  v.field({.name = "damping", .meaning = "of the particles' motion", .min = 0, .max = 1e6},
          b.damping);
  v.field({.name = "rotation",
           .meaning = "of the shape about its line",
           .unit = Unit::Angle,
           .min = -6.3,
           .max = 6.3},
          b.rotation);
  v.field({.name = "muscles",
           .meaning = "real muscles that the part stands for, as an anatomy folder names them",
           .role = Role::Reference},
          b.muscles);
  v.field({.name = "section",
           .meaning = "cross-sections at rest, in the middle of equal parts of the length; "
                      "default: a spindle",
           .maxCount = 256},
          b.sections);
  v.field({.name = "zone", .meaning = "regions tied to a bone or another belly", .maxCount = 16},
          b.zones);
}

}  // namespace pneuma::anatomy::internal
