#pragma once

#include "anatomy/text/field_spec.h"

/// Fields of the skin of the layered figure, part of the description in body_fields.h.
namespace pneuma::anatomy::internal {

template <class V>
void fields(V& v, typename V::template Ref<SkinGroup> g) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, g.name);
  repeatFields(v, g);
  v.field({"root", "seen by the contours of every group"}, g.root);
  v.field({.name = "bones", .meaning = "bones of the group", .role = Role::Reference}, g.bones);
  v.field({.name = "bellies", .meaning = "bellies of the group", .role = Role::Reference},
          g.bellies);
}

template <class V>
void fields(V& v, typename V::template Ref<SkinTurn> t) {
  v.field({.name = "bone",
           .meaning = "whose link moves the part from here on",
           .required = true,
           .role = Role::Reference},
          t.link);
  v.field({.name = "center", .meaning = "middle of the passage", .required = true}, t.center);
  v.field({.name = "direction", .meaning = "from the part before to this one", .required = true},
          t.direction);
  v.field({.name = "width",
           .meaning = "over which one part passes into the other",
           .unit = Unit::Length,
           .min = 0,
           .max = 0.5,
           .aboveMin = true},
          t.width);
}

template <class V>
void fields(V& v, typename V::template Ref<SkinPiece> p) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, p.name);
  repeatFields(v, p);
  v.field({"kind", "how the piece joins the others"}, p.kind);
  v.field({.name = "columns",
           .meaning = "rays of the piece; of a leg: across the crotch",
           .min = 4,
           .max = 256},
          p.columns);
  v.field({.name = "opening",
           .meaning = "arm: contours of the trunk below and above its opening",
           .role = Role::Reference,
           .maxCount = 2},
          p.opening);
  v.field({.name = "opening_width",
           .meaning = "arm: columns of the trunk that its opening takes",
           .min = 2,
           .max = 128},
          p.openingWidth);
  v.field({.name = "turn",
           .meaning = "where the limb's root passes to the next bone, before contours' own shares",
           .maxCount = 16},
          p.turns);
}

// A contour is bound to bones with shares, never to links: the same text serves every
// articulation.
template <class V>
void fields(V& v, typename V::template Ref<SkinContour> c) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, c.name);
  repeatFields(v, c);
  v.field({.name = "pieces",
           .meaning = "its piece, or both halves of the trunk",
           .required = true,
           .role = Role::Reference,
           .minCount = 1,
           .maxCount = 2},
          c.pieces);
  v.field({.name = "center", .meaning = "where its rays start", .required = true}, c.center);
  v.field({.name = "normal", .meaning = "of its plane, to the next contour", .required = true},
          c.normal);
  v.field({.name = "groups",
           .meaning = "what its rays can hit, besides the root group",
           .role = Role::Reference},
          c.groups);
  v.field({.name = "bones",
           .meaning = "bones that carry it",
           .required = true,
           .role = Role::Reference,
           .minCount = 1,
           .maxCount = 4},
          c.links);
  v.field({.name = "shares",
           .meaning = "of these bones; default: equal",
           .min = 0,
           .max = 1,
           .maxCount = 4},
          c.shares);
  v.field({.name = "twist",
           .meaning = "part of the last bone's turn about its own length",
           .min = 0,
           .max = 1},
          c.twist);
  v.field({.name = "between",
           .meaning = "contours put between this one and the next",
           .min = 0,
           .max = 64},
          c.between);
  v.field({.name = "aspect", .meaning = "width over depth of the star", .min = 0.2, .max = 5},
          c.aspect);
  v.field({.name = "tight",
           .meaning = "skin between two bones: 0 round as an arc, 1 straight as a chord",
           .min = 0,
           .max = 1},
          c.tight);
  v.field({.name = "follow",
           .meaning = "how much of the tissue's change of radius the skin shows",
           .min = 0,
           .max = 2},
          c.follow);
}

template <class V>
void fields(V& v, typename V::template Ref<SkinExtremity> e) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, e.name);
  repeatFields(v, e);
  v.field({.name = "piece",
           .meaning = "piece whose last contour it closes",
           .required = true,
           .role = Role::Reference},
          e.piece);
  v.field({.name = "center", .meaning = "of the cut through the person's skin", .required = true},
          e.center);
  v.field({.name = "normal", .meaning = "of the cut, towards the extremity", .required = true},
          e.normal);
  v.field({.name = "turn", .meaning = "bones further out", .maxCount = 16}, e.turns);
}

template <class V>
void fields(V& v, typename V::template Ref<SkinPrimitiveState> s) {
  v.field(
      {.name = "shift", .meaning = "of the centre", .unit = Unit::Length, .min = -0.3, .max = 0.3},
      s.shift);
  v.field({.name = "scale", .meaning = "of the half axes", .min = 0.1, .max = 4}, s.scale);
}

template <class V>
void fields(V& v, typename V::template Ref<SkinPrimitive> p) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, p.name);
  repeatFields(v, p);
  v.field({.name = "groups",
           .meaning = "whose contours see it",
           .required = true,
           .role = Role::Reference,
           .minCount = 1},
          p.groups);
  v.field({.name = "center", .meaning = "carried by its bone", .required = true}, p.center);
  v.field({.name = "radii", .meaning = "half axes", .unit = Unit::Length, .min = 0.001, .max = 0.5},
          p.radii);
  // A rotation vector is reflected like an axis that turns the other way.
  v.field({.name = "turned",
           .meaning = "rotation vector of its axes",
           .unit = Unit::Angle,
           .min = -6.4,
           .max = 6.4},
          p.rotation);
  v.field({"blend", "melts with the blending primitives of its groups (isosurface)"}, p.blend);
  v.field({"female", "women only"}, p.female);
  v.field(
      {.name = "joint", .meaning = "freedom 'joint.name' it deforms with", .role = Role::Reference},
      p.joint);
  v.field({"lowest", "its state at the freedom's lower limit"}, p.lowest);
  v.field({"highest", "its state at the freedom's upper limit"}, p.highest);
}

template <class V>
void fields(V& v, typename V::template Ref<SkinFold> f) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, f.name);
  repeatFields(v, f);
  v.field({.name = "bone",
           .meaning = "bone below the joint that folds",
           .required = true,
           .role = Role::Reference},
          f.link);
  v.field({.name = "tip", .meaning = "far end of the bone", .required = true}, f.tip);
  v.field({.name = "root", .meaning = "far end of the bone above", .required = true}, f.root);
  v.field({.name = "gap",
           .meaning = "left between both sides",
           .unit = Unit::Length,
           .min = 0,
           .max = 0.05},
          f.gap);
}

}  // namespace pneuma::anatomy::internal
