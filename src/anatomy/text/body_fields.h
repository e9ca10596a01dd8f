#pragma once

#include "anatomy/text/articulation_fields.h"
#include "anatomy/text/field_spec.h"
#include "anatomy/text/muscle_fields.h"
#include "anatomy/text/packed_points.h"
#include "anatomy/text/skin_fields.h"
#include "anatomy/text/strength_fields.h"
#include "anatomy/text/trunk_fields.h"

/// The one description of every field of the body file.
///
/// fields(v, x) presents all fields of a description type to a visitor: name, unit, range, meaning
/// and the member itself. The reader, the writer, the reference page and the mirror and series
/// rules are such visitors, so a field added here is known to all of them. Defaults are those of
/// the default-constructed type.
namespace pneuma::anatomy::internal {

// Ranges are those of people who have lived, wide enough for a child of five and the tallest man
// known.
template <class V>
void fields(V& v, typename V::template Ref<Person> p) {
  v.field({"sex", "sex of the person"}, p.sex);
  v.field({.name = "height",
           .meaning = "standing height",
           .unit = Unit::Length,
           .min = 0.5,
           .max = 2.6},
          p.height);
  v.field({.name = "mass", .meaning = "body mass", .unit = Unit::Mass, .min = 5, .max = 400},
          p.mass);
  v.field({.name = "age",
           .meaning = "age in years, for the lung volumes",
           .unit = Unit::Years,
           .min = 5,
           .max = 110},
          p.age);
  v.field({.name = "spine_ratio",
           .meaning = "height of the spine's origin relative to the subject's, at equal height",
           .min = 0.8,
           .max = 1.2},
          p.spineRatio);
  v.field({.name = "high_lateral_scale",
           .meaning = "width of trunk, head and arms relative to the subject's",
           .min = 0.6,
           .max = 1.6},
          p.highLateralScale);
  v.field({.name = "low_lateral_scale",
           .meaning = "width of pelvis and legs relative to the subject's",
           .min = 0.6,
           .max = 1.6},
          p.lowLateralScale);
  v.field({.name = "frontal_scale",
           .meaning = "depth (front to back) relative to the subject's",
           .min = 0.6,
           .max = 1.6},
          p.frontalScale);
  v.field({.name = "resting_lung",
           .meaning = "gas in the lungs at rest (FRC) where it was measured; default: predicted",
           .unit = Unit::Volume,
           .min = 1e-4,
           .max = 0.012},
          p.restingLung);
}

template <class V>
void repeatFields(V& v, typename V::template Ref<Repeated> r) {
  v.field({"mirror", "also write the right side: _l and _r change places, x changes sign"},
          r.mirror);
  v.series({"series", "repeat the entry: {variable} in names and references takes each value"},
           r.series);
}

// A place is a name first and numbers last: names follow the person's map, numbers would have to
// be fitted again.
template <class V>
void fields(V& v, typename V::template Ref<PointRef> p) {
  v.field({.name = "at",
           .meaning = "named point 'bone:point' or place on a curve "
                      "'bone:curve@fraction'",
           .role = Role::Reference},
          p.at);
  v.field({.name = "towards",
           .meaning = "second named point; the point moves there by `fraction`",
           .role = Role::Reference},
          p.towards);
  v.field({.name = "fraction",
           .meaning = "part of the way from `at` to `towards`",
           .min = -2,
           .max = 3},
          p.fraction);
  v.field({.name = "position",
           .meaning = "coordinates in the body frame",
           .unit = Unit::Length,
           .min = -kFar,
           .max = kFar},
          p.position);
  v.field({.name = "offset",
           .meaning = "added to the point",
           .unit = Unit::Length,
           .min = -1,
           .max = 1},
          p.offset);
  v.field({.name = "bone",
           .meaning = "bone that carries the point; default: that of `at`",
           .role = Role::Reference},
          p.bone);
  v.field(
      {"soft", "ends in soft tissue (linea alba, central tendon): carried by the bone, not on it"},
      p.soft);
}

template <class V>
void fields(V& v, typename V::template Ref<AxisRef> a) {
  v.field({.name = "vector", .meaning = "direction in the body frame", .min = -1e3, .max = 1e3},
          a.vector);
  v.field({"from", "start of the direction"}, a.from);
  v.field({"to", "end of the direction"}, a.to);
  v.field({"reverse", "turn the direction round"}, a.reverse);
}

template <class V>
void fields(V& v, typename V::template Ref<Bone> b) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, b.name);
  repeatFields(v, b);
  v.field({"kind", "bone: counted; cartilage and set (many small bones): not counted"}, b.kind);
  v.field({"region", "where it is; pelvis and leg scale with the lower body"}, b.region);
  v.field({.name = "part_of", .meaning = "the whole bone it is a piece of", .role = Role::Name},
          b.partOf);
  v.field({.name = "mesh", .meaning = "file of its surface (imported bodies)", .role = Role::Path},
          b.mesh);
  v.field({.name = "fat_share",
           .meaning = "how readily the tissue that moves with it takes up fat; 1 is average",
           .min = 0,
           .max = 5},
          b.fatShare);
}

template <class V>
void fields(V& v, typename V::template Ref<Landmarks> l) {
  v.field({.name = "bone",
           .meaning = "bone that carries the points",
           .required = true,
           .role = Role::Reference},
          l.bone);
  repeatFields(v, l);
  v.field({.name = "points",
           .meaning = "named points: [x, y, z], or a point reference",
           .unit = Unit::Length},
          l.points);
  v.field({.name = "curves",
           .meaning = "named polylines of at least two points",
           .unit = Unit::Length,
           .min = -kFar,
           .max = kFar,
           .minCount = 2},
          l.curves);
}

template <class V>
void fields(V& v, typename V::template Ref<ShapePart> p) {
  v.field({"kind", "what the part is made of"}, p.kind);
  v.field({"operation", "add to, or cut from, the parts before"}, p.operation);
  v.field({.name = "blend",
           .meaning = "radius of the smooth union or cut",
           .unit = Unit::Length,
           .min = 0,
           .max = 0.1},
          p.blend);
  v.field({.name = "sections",
           .meaning = "sweep: cross-section ellipses along the centreline",
           .unit = Unit::Length,
           .min = -kFar,
           .max = kFar},
          p.sections);
  // A plate without thickness is a surface; its many points stand packed.
  const bool surface = !V::kChanges && p.kind == ShapeKind::Plate && p.thickness.empty();
  Vec3 center = surface ? packingMiddle(p.grid) : p.center;
  v.field({.name = "center",
           .meaning = "ellipsoid: centre; packed points: the point they are told from",
           .unit = Unit::Length,
           .min = -kFar,
           .max = kFar},
          center);
  v.field({.name = "radii",
           .meaning = "ellipsoid: half axes",
           .unit = Unit::Length,
           .min = 0,
           .max = 1},
          p.radii);
  Vec3 rotation = rotationVector(p.rotation);
  v.field({.name = "rotation",
           .meaning = "ellipsoid, profile: rotation vector",
           .unit = Unit::Angle,
           .min = -2 * 3.2,
           .max = 2 * 3.2},
          rotation);
  v.field({.name = "bend",
           .meaning = "ellipsoid: curvature of its middle surface [1/m]",
           .min = -1e5,
           .max = 1e5},
          p.bend);
  v.field({.name = "rows", .meaning = "plate: rows of its grid", .min = 0, .max = 512}, p.rows);
  v.field({.name = "columns", .meaning = "plate: columns of its grid", .min = 0, .max = 512},
          p.columns);
  std::vector<PlateNode> nodes(surface ? 0 : p.grid.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i] = {p.grid[i], i < p.thickness.size() ? p.thickness[i] : 0.0};
  v.field({.name = "grid",
           .meaning = "plate: points row by row with the thickness there",
           .unit = Unit::Length,
           .min = -kFar,
           .max = kFar},
          nodes);
  std::string packed = surface ? packPoints(p.grid, center) : std::string();
  v.field({.name = "packed",
           .meaning = "plate: the points of a surface without thickness, row by row, in steps of "
                      "10 micrometres from `center`, 16-bit, base64"},
          packed);
  v.field({.name = "contours",
           .meaning = "profile: closed contours as Fourier series of the radius",
           .unit = Unit::Length,
           .min = -kFar,
           .max = kFar},
          p.contours);
  if constexpr (V::kChanges) {
    p.rotation = rotationMatrix(rotation);
    p.center = center;
    p.grid.clear();
    p.thickness.clear();
    for (const PlateNode& n : nodes) {
      p.grid.push_back(n.point);
      p.thickness.push_back(n.thickness);
    }
    // Damaged text leaves no points, and the check of parts tells so.
    if (!packed.empty()) p.grid = unpackPoints(packed, center).value_or(std::vector<Vec3>());
  }
}

template <class V>
void fields(V& v, typename V::template Ref<Shape> s) {
  v.field({.name = "bone",
           .meaning = "bone, piece of skin or muscle whose shape it is",
           .required = true,
           .role = Role::Reference},
          s.bone);
  repeatFields(v, s);
  v.field({"symmetric", "the parts describe the half x >= 0; the rest is its mirror image"},
          s.shape.symmetric);
  v.field({"part", "building blocks, combined in order"}, s.shape.parts);
}

// All numbers are required: inertia guessed from a mass would move a limb wrongly and tell nobody.
template <class V>
void fields(V& v, typename V::template Ref<Segment> s) {
  v.field({.name = "bone",
           .meaning = "bone the tissue moves with",
           .required = true,
           .role = Role::Reference},
          s.bone);
  repeatFields(v, s);
  v.field({.name = "mass",
           .meaning = "mass of bone and tissue",
           .unit = Unit::Mass,
           .required = true,
           .min = 0,
           .max = 100,
           .aboveMin = true},
          s.mass);
  v.field({.name = "center",
           .meaning = "centre of mass",
           .unit = Unit::Length,
           .required = true,
           .min = -kFar,
           .max = kFar},
          s.center);
  v.field({.name = "inertia",
           .meaning = "about the centre of mass: xx, yy, zz, xy, xz, yz",
           .unit = Unit::Inertia,
           .required = true,
           .min = -100,
           .max = 100,
           .minCount = 6,
           .maxCount = 6},
          s.inertia);
}

template <class V>
void fields(V& v, typename V::template Ref<Cavity> c) {
  v.field({.name = "name", .meaning = "unique name", .required = true, .role = Role::Name}, c.name);
  v.field({.name = "volume",
           .meaning = "volume in the subject",
           .unit = Unit::Volume,
           .required = true,
           .min = 1e-4,
           .max = 0.1},
          c.volume);
  v.field({.name = "tissue_volume",
           .meaning = "of which solid organs",
           .unit = Unit::Volume,
           .min = 0,
           .max = 0.1},
          c.tissueVolume);
  v.field({.name = "points", .meaning = "named points", .unit = Unit::Length}, c.points);
  v.field({.name = "sections",
           .meaning = "[height, width, depth] from below",
           .unit = Unit::Length,
           .min = 0,
           .max = 3},
          c.sections);
}

template <class V>
void fields(V& v, typename V::template Ref<Body> b) {
  v.field({"name", "name of the body"}, b.name);
  v.field({"description", "one sentence for people"}, b.description);
  v.field({"subject", "whom the numbers were measured on"}, b.subject);
  v.field({"person", "whom to build unless told otherwise"}, b.person);
  v.field({"bone", "bones"}, b.bones);
  v.field({"landmarks", "named points and curves of bones"}, b.landmarks);
  v.field({"shape", "geometry of bones"}, b.shapes);
  v.field({"segment", "tissue masses by bone"}, b.segments);
  v.field({"muscle", "muscle lines"}, b.muscles);
  v.field({"belly", "fusiform parts"}, b.bellies);
  v.field({"cavity", "cavities of the trunk"}, b.cavities);
  v.field({"trunk", "surfaces of the trunk that no bone carries"}, b.trunk);
  v.field({"skin_envelope", "pieces of the measured skin"}, b.skinEnvelope);
  v.field({"muscle_solid", "volumes of muscles"}, b.muscleSolids);
  v.field({"skin_group", "what the rays of a skin contour can hit"}, b.skinGroups);
  v.field({"skin_piece", "pieces of the envelope"}, b.skinPieces);
  v.field({"skin_contour", "cross-sections of the envelope"}, b.skinContours);
  v.field({"skin_extremity", "head, hands and feet"}, b.skinExtremities);
  v.field({"skin_primitive", "ellipsoids that fill the envelope"}, b.skinPrimitives);
  v.field({"skin_fold", "joints whose skin folds"}, b.skinFolds);
  v.field({"articulation", "choices of links and joints"}, b.articulations);
  v.field({"posture", "ways to hold the body"}, b.postures);
  v.field({"strength", "ways to measure strength, and what people reach"}, b.strengthTests);
}

}  // namespace pneuma::anatomy::internal
