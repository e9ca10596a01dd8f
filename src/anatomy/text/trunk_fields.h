#pragma once

#include "anatomy/text/field_spec.h"

/// Fields of the trunk's surfaces, part of the description in body_fields.h.
namespace pneuma::anatomy::internal {

// One table for what stands upright (rows by height) and for what is a dome (rows by elevation);
// the reader takes one of them.
template <class V>
void fields(V& v, typename V::template Ref<RadialTable> t) {
  v.field({.name = "center",
           .meaning = "the distances start here, or on the vertical axis through it",
           .unit = Unit::Length,
           .min = -kFar,
           .max = kFar},
          t.center);
  v.field({.name = "height",
           .meaning = "of each row, ascending: distances from the vertical axis",
           .unit = Unit::Length,
           .min = 0,
           .max = kFar},
          t.heights);
  v.field({.name = "elevation",
           .meaning = "of each row instead, ascending: distances from `center`",
           .unit = Unit::Angle,
           .min = -1.6,
           .max = 1.6},
          t.elevations);
  v.field({.name = "azimuth",
           .meaning = "of each column, ascending: 0 front, 180 degrees back",
           .unit = Unit::Angle,
           .min = 0,
           .max = 3.2},
          t.azimuths);
  std::vector<RadiusRow> rows = toRows(t);
  v.field({.name = "radius",
           .meaning = "distances, a row per height or elevation",
           .unit = Unit::Length,
           .min = 0,
           .max = 1,
           .aboveMin = true},
          rows);
  if constexpr (V::kChanges) {
    t.radii.clear();
    for (const RadiusRow& row : rows)
      t.radii.insert(t.radii.end(), row.radii.begin(), row.radii.end());
  }
}

template <class V>
void fields(V& v, typename V::template Ref<Trunk> t) {
  v.field({.name = "rib_radius",
           .meaning = "mean radius of the cross-sections of ribs 1 to 12",
           .unit = Unit::Length,
           .min = 0,
           .max = 0.05,
           .aboveMin = true,
           .minCount = 12,
           .maxCount = 12},
          t.ribRadii);
  v.field({"diaphragm", "its mid-surface, by elevation"}, t.diaphragm);
  v.field({"wall", "middle of the muscles of the belly, by height"}, t.wall);
  v.field({"outline", "outer skin without arms, by height"}, t.outline);
}

}  // namespace pneuma::anatomy::internal
