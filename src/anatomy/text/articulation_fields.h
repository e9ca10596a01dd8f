#pragma once

#include "anatomy/text/field_spec.h"

/// Fields of links, joints, springs, rhythms and glides, part of the description in body_fields.h.
namespace pneuma::anatomy::internal {

template <class V>
void fields(V& v, typename V::template Ref<Dof> d) {
  v.field({.name = "name",
           .meaning = "flexion, abduction, torsion, ...",
           .required = true,
           .role = Role::Name},
          d.name);
  v.field({"kind", "rotation about, or translation along, the axis"}, d.kind);
  v.field({.name = "axis", .meaning = "positive turn in the sense of the name", .required = true},
          d.axis);
  const bool turns = d.kind == DofKind::Rotation;
  v.field({.name = "range",
           .meaning = "[lower, upper] limit (an angle, or a length for a "
                      "translation); none: free",
           .unit = turns ? Unit::Angle : Unit::Length,
           .min = -7,
           .max = 7},
          d.range);
  v.field({.name = "stiffness",
           .meaning = "of the passive spring towards rest [N m/rad or N/m]",
           .min = 0,
           .max = 1e7},
          d.stiffness);
  v.field(
      {.name = "damping", .meaning = "passive damping [N m s/rad or N s/m]", .min = 0, .max = 1e6},
      d.damping);
}

template <class V>
void fields(V& v, typename V::template Ref<Joint> j) {
  v.field({.name = "name", .meaning = "default: name of the link", .role = Role::Name}, j.name);
  v.field({"type", "how the degrees of freedom combine"}, j.type);
  v.field({.name = "center", .meaning = "centre of rotation at rest"}, j.center);
  v.field({.name = "dof", .meaning = "degrees of freedom, parent side first", .maxCount = 6},
          j.dofs);
  v.field({"passive", "moved by its neighbours only, never driven by muscles"}, j.passive);
}

template <class V>
void fields(V& v, typename V::template Ref<Link> l) {
  v.field({.name = "name",
           .meaning = "unique within the articulation",
           .required = true,
           .role = Role::Name},
          l.name);
  repeatFields(v, l);
  v.field({.name = "bones",
           .meaning = "bones that move together",
           .required = true,
           .role = Role::Reference,
           .minCount = 1},
          l.bones);
  v.field({.name = "parent",
           .meaning = "link it is jointed to; the root has none",
           .role = Role::Reference},
          l.parent);
  v.field({"region", "where its degrees of freedom are counted"}, l.region);
  v.field({"joint", "connection to the parent (of the root: to the ground)"}, l.joint);
}

template <class V>
void fields(V& v, typename V::template Ref<Spring> s) {
  v.field({.name = "name",
           .meaning = "unique within the articulation",
           .required = true,
           .role = Role::Name},
          s.name);
  repeatFields(v, s);
  v.field({.name = "a", .meaning = "one end", .required = true}, s.a);
  v.field({.name = "b", .meaning = "other end", .required = true}, s.b);
  v.field({.name = "stiffness",
           .meaning = "spring constant",
           .unit = Unit::Stiffness,
           .required = true,
           .min = 0,
           .max = 1e7},
          s.stiffness);
  v.field({.name = "damping",
           .meaning = "along the spring",
           .unit = Unit::Damping,
           .min = 0,
           .max = 1e6},
          s.damping);
}

template <class V>
void fields(V& v, typename V::template Ref<RhythmPart> p) {
  v.field({.name = "freedom",
           .meaning = "'joint.name' that moves along",
           .required = true,
           .role = Role::Reference},
          p.freedom);
  v.field({.name = "part", .meaning = "of the angle", .required = true, .min = -2, .max = 2},
          p.part);
  v.field({.name = "forward",
           .meaning = "of a glide: added to `part` as far as the limb points forwards",
           .min = -2,
           .max = 2},
          p.forward);
}

template <class V>
void fields(V& v, typename V::template Ref<Rhythm> r) {
  v.field({.name = "name",
           .meaning = "unique within the articulation; what a pose states for all of them",
           .required = true,
           .role = Role::Name},
          r.name);
  repeatFields(v, r);
  v.field({.name = "follow", .meaning = "freedoms that share it", .maxCount = 32}, r.parts);
}

// Everything is named by bones and points of the body, so that the other side is the same entry
// mirrored.
template <class V>
void fields(V& v, typename V::template Ref<Glide> g) {
  v.field({.name = "name",
           .meaning = "unique within the articulation",
           .required = true,
           .role = Role::Name},
          g.name);
  repeatFields(v, g);
  v.field({.name = "limb",
           .meaning = "bone that hangs on the gliding one",
           .required = true,
           .role = Role::Reference},
          g.limb);
  v.field({.name = "end", .meaning = "point of the limb, far from its joint", .required = true},
          g.end);
  v.field({.name = "after",
           .meaning = "elevation of the limb from which the freedoms move",
           .unit = Unit::Angle,
           .min = 0,
           .max = 3.2},
          g.after);
  v.field({.name = "follow",
           .meaning = "freedoms that move along, by their part of the elevation beyond `after`",
           .maxCount = 32},
          g.parts);
  v.field({.name = "points",
           .meaning = "points of the gliding bone that keep their distance from the surface",
           .required = true,
           .minCount = 1,
           .maxCount = 16},
          g.points);
  v.field({.name = "over",
           .meaning = "bones whose centrelines span the surface",
           .required = true,
           .role = Role::Reference,
           .minCount = 2,
           .maxCount = 24},
          g.over);
  v.field({.name = "on",
           .meaning = "bone that carries the surface",
           .required = true,
           .role = Role::Reference},
          g.on);
}

template <class V>
void fields(V& v, typename V::template Ref<Articulation> a) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, a.name);
  v.field({"description", "one sentence for people"}, a.description);
  v.field({"source", "paper, as a key of docs/references.bib"}, a.source);
  v.field({.name = "based_on",
           .meaning = "articulation whose links and springs are taken over; "
                      "entries of the same name replace its own",
           .role = Role::Reference},
          a.basedOn);
  v.field({.name = "with",
           .meaning = "'articulation:region' each: links of that region, taken over as well",
           .role = Role::Reference},
          a.with);
  v.field({"count_as", "what the source calls bones: anatomical bones, or moving bodies"},
          a.countAs);
  v.field({"muscles", "muscle sets that drive it, 'set' or 'set:region' each"}, a.muscles);
  v.field({.name = "omit",
           .meaning = "links and springs of `based_on` to leave out",
           .role = Role::Reference},
          a.omit);
  v.field({"link", "rigid bodies, parents before children"}, a.links);
  v.field({"spring", "springs between links"}, a.springs);
  v.field({"rhythm", "joints that people move together"}, a.rhythms);
  v.field({"glide", "bones that slide over others as a limb is raised"}, a.glides);
}

template <class V>
void fields(V& v, typename V::template Ref<Posture> p) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, p.name);
  v.field({"description", "one sentence for people"}, p.description);
  v.field({"source", "where the angles come from, or 'chosen'"}, p.source);
  v.field({.name = "aliases", .meaning = "other names for it", .role = Role::Name}, p.aliases);
  v.field({.name = "turned",
           .meaning = "rotation vector of the root from standing",
           .unit = Unit::Angle,
           .min = -7,
           .max = 7},
          p.turned);
  v.field(
      {.name = "joints",
       .meaning = "angle of each freedom 'joint.name' that it states; without _l or _r: of both "
                  "sides",
       .unit = Unit::Angle,
       .min = -7,
       .max = 7},
      p.joints);
}

}  // namespace pneuma::anatomy::internal
