#pragma once

#include "anatomy/text/field_spec.h"
#include "pneuma/anatomy/fitted_shapes.h"

/// The fields of the table `[fit]`. Lengths are metres whatever the units of the file: the table
/// travels as text from file to file.
namespace pneuma::anatomy::internal {

/// A row of the trunk as it stands in the file.
inline std::vector<double> toNumbers(const TrunkRow& r) {
  return {r.width, r.height, r.rise, r.depth, r.lean, r.forward};
}
inline TrunkRow toTrunkRow(const std::vector<double>& v) {
  return {v[0], v[1], v[2], v[3], v[4], v[5]};
}

/// Stations of the tapers: size to the side and across it, shift [m] likewise.
inline std::vector<double> toNumbers(const std::vector<Taper::Station>& stations) {
  std::vector<double> numbers;
  for (const Taper::Station& s : stations)
    numbers.insert(numbers.end(), {s.side, s.front, s.sideways, s.forward});
  return numbers;
}
inline std::vector<Taper::Station> toStations(const std::vector<double>& v) {
  std::vector<Taper::Station> stations;
  for (std::size_t i = 0; i + 4 <= v.size(); i += 4)
    stations.push_back({v[i], v[i + 1], v[i + 2], v[i + 3]});
  return stations;
}

/// The tapers as they stand in the file.
struct FitTapers : Described {
  std::array<std::vector<double>, kFittedParts> parts;
};

/// `[fit]` as text: numbers plain, the skin packed.
struct FitTable : Described {
  int version = 0;
  FittedShapes shapes;
  std::vector<double> pelvis, cage, head;
  FitTapers tapers;
  std::string topology, skin, skinHash;
};

template <class V>
void fields(V& v, typename V::template Ref<LimbJoints> j) {
  const auto joint = [&](const char* name, auto& place) {
    v.field({.name = name,
             .meaning = "joint centre of the left side at rest [m]",
             .required = true,
             .min = -kFar,
             .max = kFar},
            place);
  };
  joint("shoulder", j.shoulder), joint("elbow", j.elbow), joint("wrist", j.wrist);
  joint("hip", j.hip), joint("knee", j.knee), joint("ankle", j.ankle);
}

template <class V>
void fields(V& v, typename V::template Ref<FitTapers> t) {
  for (std::size_t k = 0; k < kFittedParts; ++k)
    v.field({.name = kFittedPartNames[k],
             .meaning = "section by section: size to the side and across it, shift [m] likewise",
             .min = -kFar,
             .max = kFar},
            t.parts[k]);
}

// Written by the program and not by hand: compact rows, a version first, so that an older reader
// stops before it misreads.
template <class V>
void fields(V& v, typename V::template Ref<FitTable> t) {
  v.field({.name = "version", .meaning = "of this table", .required = true}, t.version);
  v.field({"character", "file it was fitted to"}, t.shapes.character);
  v.field({.name = "sex", .meaning = "of the person it is told against", .required = true},
          t.shapes.sex);
  v.field(
      {.name = "height", .meaning = "of that person [m]", .required = true, .min = 0.5, .max = 2.6},
      t.shapes.height);
  v.field(
      {.name = "mass", .meaning = "of that person [kg]", .required = true, .min = 5, .max = 400},
      t.shapes.mass);
  const auto row = [&](const char* name, auto& numbers) {
    v.field({.name = name,
             .meaning = "width, height, rise, depth, lean, forward: x' = width x, y' = height y + "
                        "rise, z' = depth z + lean y + forward [m]",
             .required = true,
             .min = -kFar,
             .max = kFar,
             .minCount = 6,
             .maxCount = 6},
            numbers);
  };
  row("pelvis", t.pelvis), row("cage", t.cage), row("head", t.head);
  v.field({.name = "joints", .meaning = "of the skeleton", .required = true}, t.shapes.joints);
  const auto size = [&](const char* name, const char* meaning, auto& value) {
    v.field({.name = name, .meaning = meaning, .min = 0.2, .max = 5}, value);
  };
  size("hand", "size against the person's", t.shapes.hand);
  size("foot", "size against the person's", t.shapes.foot);
  size("arm", "girth of its long bones against the person's", t.shapes.arm);
  size("leg", "girth of its long bones against the person's", t.shapes.leg);
  v.field({"tapers", "bones drawn in so that they lie within the skin"}, t.tapers);
  v.field({.name = "skin_topology", .meaning = "which skin `skin` lies on", .required = true},
          t.topology);
  v.field({.name = "skin_hash", .meaning = "of the text `skin`", .required = true}, t.skinHash);
  v.field({.name = "skin",
           .meaning = "vertices of the coarsest skin at rest: x, y, z as 32-bit floats, base64",
           .required = true},
          t.skin);
}

}  // namespace pneuma::anatomy::internal
