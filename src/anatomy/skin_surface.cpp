#include "pneuma/anatomy/skin_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "anatomy/distance_volume.h"
#include "anatomy/field_mesh.h"
#include "anatomy/mesh_collapse.h"
#include "anatomy/shape_field.h"
#include "anatomy/skin_person.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace {

using internal::BlockField;
using internal::FieldFunction;
using internal::ShapeField;
using internal::SkinMap;

constexpr double kBodyDensity = 996;      ///< mean of the subject [kg/m^3]
constexpr double kSkinOverBone = 0.0025;  ///< [m]
constexpr double kMuscleDepth = 0.0015;   ///< muscles show through from this depth on [m]
constexpr double kSeamBlend = 0.0025;     ///< where measured pieces overlap [m]
constexpr double kTissueBlend = 0.004;
constexpr std::uint32_t kSkinVersion = 7;
constexpr double kLeanCell = 0.005;  ///< of the lean skin's distances [m]

/// One field per kind of tissue, over the half x >= 0.
struct Tissues {
  std::vector<BoneShape> envelope;  ///< one per piece
  BoneShape bones, muscles;
};

/// Keeps what the half x >= 0 of a symmetric body needs.
bool onLeft(const Shape& s) {
  return !s.bone.ends_with("_r");
}

/// Head, hands and feet: the measured skin is fine enough there, and teeth must not bulge the lips.
bool measuredSkinFits(const std::string& bone) {
  for (const char* name : {"skull", "mandible", "hand", "talus", "hindfoot", "midfoot", "toes"})
    if (bone.starts_with(name)) return true;
  return false;
}

void addParts(BoneShape& to, const BoneShape& from) {
  to.symmetric = true;
  for (const ShapePart& p : from.parts) to.parts.push_back(p);
}

/// Cuts must not reach into another piece: added parts first, then all cuts.
void sortCutsLast(BoneShape& shape) {
  std::stable_partition(shape.parts.begin(), shape.parts.end(),
                        [](const ShapePart& p) { return p.operation == ShapeOperation::Add; });
}

std::vector<BoneShape> envelopeShapes(const std::vector<Shape>& pieces, const SkinMap& map) {
  std::vector<BoneShape> all;
  for (const Shape& piece : pieces) {
    if (!onLeft(piece)) continue;
    BoneShape shape{true, {}};
    for (const ShapePart& part : piece.shape.parts) shape.parts.push_back(map(piece.bone, part));
    sortCutsLast(shape);
    all.push_back(std::move(shape));
  }
  return all;
}

/// The fat layer: the skin moved outwards by a thickness that is a smooth function of place.
struct FatLayer {
  double thickness = 0;  ///< [m], may be negative
  Sex sex = Sex::Male;
  const SkinMap* map = nullptr;
  /// True distances from the lean skin. Fields of flat parts are only near the surface as good as
  /// distances; a layer of centimetres needs the true ones.
  std::shared_ptr<const internal::DistanceVolume> lean;

  /// The envelope's value `d` at p with the layer laid on.
  double laidOn(double d, const Vec3& p) const {
    const double y = map->subjectHeight(p.y());
    const Vec3 subject(p.x() / map->scaleX(y), y, p.z() / map->scaleZ());
    const double w = internal::fatWeight(subject, sex);
    // Lean people lack fat evenly: what is not there cannot be taken away.
    const double t = thickness * (thickness < 0 ? std::min(w, 0.8) : w);
    const double s = std::clamp((std::abs(t) - 0.002) / 0.005, 0.0, 1.0);
    if (!lean || s == 0) return d - t;
    return (1 - s) * d + s * lean->sample(p) - t;
  }
  double most() const { return std::max(2.4 * thickness, 0.0); }
};

/// The joined field and the box it lives in.
class SkinField {
 public:
  SkinField(const Tissues& t, FatLayer fat)
      : bones_(t.bones), muscles_(t.muscles), fat_(std::move(fat)) {
    bounds_ = bones_.bounds();
    for (const BoneShape& piece : t.envelope) {
      envelope_.emplace_back(piece);
      bounds_.add(envelope_.back().bounds());
    }
    bounds_.min.array() -= 0.01 + fat_.most();
    bounds_.max.array() += 0.01 + fat_.most();
  }
  const Box& bounds() const { return bounds_; }

  BlockField blocks() const {
    return [this](const Box& box, double reach) -> FieldFunction {
      std::vector<std::pair<std::size_t, std::vector<int>>> pieces;
      std::vector<int> active, b, m;
      for (std::size_t i = 0; i < envelope_.size(); ++i) {
        envelope_[i].collectActive(box, reach + kSeamBlend + fat_.most(), active);
        if (!active.empty()) pieces.emplace_back(i, active);
      }
      bones_.collectActive(box, reach + kSkinOverBone + kTissueBlend, b);
      muscles_.collectActive(box, reach + kTissueBlend, m);
      if (pieces.empty() && b.empty() && m.empty()) return {};
      return [this, pieces = std::move(pieces), b = std::move(b), m = std::move(m)](const Vec3& p) {
        double d = ShapeField::kFar;
        for (const auto& [piece, parts] : pieces)
          d = internal::smoothMinimum(d, envelope_[piece].distance(p, parts), kSeamBlend).value;
        if (fat_.thickness != 0) d = fat_.laidOn(d, p);
        if (!m.empty())
          d = internal::smoothMinimum(d, muscles_.distance(p, m) + kMuscleDepth, kTissueBlend)
                  .value;
        if (!b.empty())
          d = internal::smoothMinimum(d, bones_.distance(p, b) - kSkinOverBone, kTissueBlend).value;
        return d;
      };
    };
  }
  Vec3 redraw(const Vec3& p, double step) const {
    Box at;
    at.add(p);
    const FieldFunction f = blocks()(at, 0.02);
    if (!f) return p;
    Vec3 q = p;
    for (int pass = 0; pass < 2; ++pass) {
      const double e = 0.0005, value = f(q);
      const Vec3 g(f(q + e * Vec3::UnitX()) - f(q - e * Vec3::UnitX()),
                   f(q + e * Vec3::UnitY()) - f(q - e * Vec3::UnitY()),
                   f(q + e * Vec3::UnitZ()) - f(q - e * Vec3::UnitZ()));
      const Vec3 gradient = g / (2 * e);
      if (gradient.squaredNorm() < 0.01) return q;
      Vec3 move = -value / gradient.squaredNorm() * gradient;
      if (move.norm() > step) move *= step / move.norm();
      if (p.x() == 0) move.x() = 0;  // seam vertices stay in the mid-plane
      q += move;
    }
    return q;
  }

 private:
  std::vector<ShapeField> envelope_;
  ShapeField bones_, muscles_;
  FatLayer fat_;
  Box bounds_;
};

using EdgeCounts = std::map<std::pair<std::int32_t, std::int32_t>, int>;

EdgeCounts countEdges(const TriangleMesh& mesh) {
  EdgeCounts counts;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++counts[std::minmax(t[k], t[(k + 1) % 3])];
  return counts;
}

/// Inner edges between two vertices of the mid-plane would belong to four triangles once mirrored:
/// a new vertex in their middle, off the plane, parts them.
void splitBridges(TriangleMesh& half, double offset) {
  const auto onPlane = [&](std::int32_t v) {
    return half.positions[static_cast<std::size_t>(v)].x() == 0;
  };
  for (const auto& [edge, count] : countEdges(half)) {
    if (count != 2 || !onPlane(edge.first) || !onPlane(edge.second)) continue;
    const auto middle = static_cast<std::int32_t>(half.positions.size());
    half.positions.push_back(0.5 * (half.positions[static_cast<std::size_t>(edge.first)] +
                                    half.positions[static_cast<std::size_t>(edge.second)]) +
                             Vec3(offset, 0, 0));
    const std::size_t before = half.triangles.size();
    for (std::size_t i = 0; i < before; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Triangle t = half.triangles[i];
        if (std::pair<std::int32_t, std::int32_t>(std::minmax(t[k], t[(k + 1) % 3])) != edge)
          continue;
        half.triangles[i][(k + 1) % 3] = middle;
        half.triangles.push_back({middle, t[(k + 1) % 3], t[(k + 2) % 3]});
        break;
      }
  }
}

/// The half x >= 0 of a surface, its cut edge drawn onto the mid-plane.
TriangleMesh leftHalf(const TriangleMesh& mesh, double cell) {
  const auto x = [&](const TriangleMesh& m, std::int32_t v) {
    return m.positions[static_cast<std::size_t>(v)].x();
  };
  TriangleMesh half{mesh.positions, {}};
  for (const Triangle& t : mesh.triangles)
    if (x(mesh, t[0]) > 0 && x(mesh, t[1]) > 0 && x(mesh, t[2]) > 0) half.triangles.push_back(t);
  removeUnusedVertices(half);
  for (const auto& [edge, count] : countEdges(half))
    if (count == 1)
      for (std::int32_t v : {edge.first, edge.second})
        half.positions[static_cast<std::size_t>(v)].x() = 0;
  // Triangles that fell into the plane would meet their own image.
  std::erase_if(half.triangles, [&](const Triangle& t) {
    return x(half, t[0]) == 0 && x(half, t[1]) == 0 && x(half, t[2]) == 0;
  });
  removeUnusedVertices(half);
  splitBridges(half, 0.3 * cell);
  return half;
}

/// A half and its mirror image, joined along the mid-plane.
TriangleMesh joinedHalves(const TriangleMesh& half) {
  TriangleMesh whole = half;
  std::vector<std::int32_t> image(half.vertexCount());
  for (std::size_t i = 0; i < half.vertexCount(); ++i) {
    const Vec3& p = half.positions[i];
    if (p.x() == 0) {
      image[i] = static_cast<std::int32_t>(i);
    } else {
      image[i] = static_cast<std::int32_t>(whole.positions.size());
      whole.positions.emplace_back(-p.x(), p.y(), p.z());
    }
  }
  for (const Triangle& t : half.triangles)
    whole.triangles.push_back({image[static_cast<std::size_t>(t[0])],
                               image[static_cast<std::size_t>(t[2])],
                               image[static_cast<std::size_t>(t[1])]});
  return whole;
}

/// Face, hands and feet get shorter edges.
double wantedLength(const Vec3& p, double height) {
  const double y = p.y() / height;
  if (y > 0.86 && p.z() > 0.05 * height) return 0.55;  // face
  if (y > 0.82) return 0.8;
  if (std::abs(p.x()) > 0.125 * height && y < 0.53) return 0.5;  // hand
  if (y < 0.06) return 0.6;
  return 1;
}

/// Fat thickness that gives the person's volume: secant steps on coarse surfaces.
double solveFat(const Tissues& tissues, FatLayer layer, double wantedVolume) {
  constexpr double kCell = 0.008;
  const auto excess = [&](double t) {
    layer.thickness = t;
    const SkinField field(tissues, layer);
    return enclosedVolume(internal::meshField(field.blocks(), field.bounds(), kCell)) -
           wantedVolume;
  };
  double t0 = 0, e0 = excess(t0), t1 = e0 > 0 ? -0.004 : 0.004, e1 = excess(t1);
  for (int i = 0; i < 4 && std::abs(e1) > 0.003 * wantedVolume; ++i) {
    const double slope = (e1 - e0) / (t1 - t0);
    const double next = std::clamp(t1 - e1 / slope, -0.006, 0.08);
    t0 = t1, e0 = e1;
    t1 = next, e1 = excess(t1);
    if (t1 == t0) break;
  }
  return t1;
}

std::uint64_t keyOf(const Tissues& t, const Person& person, int triangles) {
  Hash64 hash;
  hash.value(kSkinVersion).value(contentHash(t.bones));
  for (const BoneShape& piece : t.envelope) hash.value(contentHash(piece));
  hash.value(contentHash(t.muscles)).value(triangles).value(person.mass).value(person.height);
  hash.value(static_cast<int>(person.sex));
  return hash.digest();
}

/// Builds the half at a fine resolution, coarsens it and joins it with its image.
TriangleMesh buildMesh(const SkinField& field, int triangles, double height) {
  // A dual mesh of cell h has about two triangles per h^2; start finer than asked for.
  const double area = 0.6 * height * height;
  const double wanted = std::max<double>(triangles, 60000);
  const double cell = std::sqrt(2 * area / (1.15 * wanted));
  const TriangleMesh fine = internal::meshField(field.blocks(), field.bounds(), cell);
  TriangleMesh half = leftHalf(fine, cell);
  const auto redraw = [&](const Vec3& p) { return field.redraw(p, 0.5 * cell); };
  for (Vec3& p : half.positions)
    if (p.x() == 0) p = redraw(p);
  internal::CollapseRules rules{static_cast<std::size_t>(triangles / 2),
                                [&](const Vec3& p) { return wantedLength(p, height); }, redraw};
  return joinedHalves(internal::collapsed(half, rules));
}

Tissues personTissues(const SkinModel& model, const Body& body, const Person& person) {
  Tissues t;
  const SkinMap map(body, person);
  for (const Shape& s : fitToPerson(body, person).shapes)
    if (onLeft(s) && !measuredSkinFits(s.bone)) addParts(t.bones, s.shape);
  for (const Shape& s : model.muscles)
    for (const ShapePart& p : s.shape.parts) t.muscles.parts.push_back(map("muscle", p));
  t.bones.symmetric = t.muscles.symmetric = true;
  sortCutsLast(t.bones);
  return t;
}

SkinPart labelOf(const Vec3& p, const std::string& piece, double y, double front) {
  if (piece.starts_with("skin_hand")) return SkinPart::Hand;
  if (piece.starts_with("skin_foot")) return SkinPart::Foot;
  if (piece == "skin_ears") return SkinPart::Head;
  if (piece == "skin_head")
    return y < 1.45 && front < 0.14 + 0.6 * (1.45 - y) ? SkinPart::Neck : SkinPart::Head;
  if (piece.starts_with("skin_arm"))
    return y > 1.27 ? SkinPart::Shoulder : y > 1.075 ? SkinPart::UpperArm : SkinPart::Forearm;
  if (piece.starts_with("skin_leg"))
    return y > 0.84 ? SkinPart::Pelvis : y > 0.455 ? SkinPart::Thigh : SkinPart::Shank;
  if (y > 1.4) return SkinPart::Neck;
  if (y < 0.93) return SkinPart::Pelvis;
  if (std::abs(p.x()) > 0.135 && y > 1.29) return SkinPart::Shoulder;
  if (front < 0.075) return SkinPart::Back;
  return y > 1.18 ? SkinPart::Chest : SkinPart::Abdomen;
}

}  // namespace

std::string_view name(SkinPart part) {
  static constexpr std::array<std::string_view, kSkinParts> names = {
      "head",      "neck",    "chest", "abdomen", "back",  "pelvis", "shoulder",
      "upper_arm", "forearm", "hand",  "thigh",   "shank", "foot"};
  return names[static_cast<std::size_t>(part)];
}

SkinModel loadSkinModel() {
  SkinModel model;
  model.envelope = readBody(dataFile("body/measured/skin.toml")).valueOrThrow().shapes;
  model.muscles = readBody(dataFile("body/measured/muscle_volumes.toml")).valueOrThrow().shapes;
  return model;
}

SkinSurface makeSkinSurface(const SkinModel& model, const Body& body, const Person& person,
                            const SkinConfig& config, const GeometryCache& cache) {
  if (config.triangles < 2000 || config.triangles > 2000000)
    throw InputError("skin: triangles must be between 2000 and 2000000");
  std::vector<Shape> pieces = model.envelope;
  internal::closeGroin(pieces);
  if (person.sex == Sex::Female) internal::makeFemale(pieces);
  const SkinMap map(body, person);
  Tissues tissues = personTissues(model, body, person);
  tissues.envelope = envelopeShapes(pieces, map);
  FatLayer layer{0, person.sex, &map, nullptr};
  const auto addLeanDistances = [&] {
    const SkinField lean(tissues, layer);
    const std::vector<TriangleMesh> surface{
        internal::meshField(lean.blocks(), lean.bounds(), kLeanCell)};
    layer.lean = std::make_shared<internal::DistanceVolume>(
        internal::makeDistanceVolume(surface, kLeanCell, 0.09));
  };
  const std::uint64_t key = keyOf(tissues, person, config.triangles);

  SkinSurface skin;
  skin.mesh = cache.get(key, [&] {
    addLeanDistances();
    layer.thickness = skin.fatThickness = solveFat(tissues, layer, person.mass / kBodyDensity);
    return buildMesh(SkinField(tissues, layer), config.triangles, person.height);
  });

  // Label each vertex by the nearest piece of the measured envelope.
  std::vector<std::pair<std::string, ShapeField>> fields;
  for (const Shape& piece : pieces) {
    if (!onLeft(piece)) continue;
    BoneShape shape{true, {}};
    for (const ShapePart& p : piece.shape.parts) shape.parts.push_back(map(piece.bone, p));
    fields.emplace_back(piece.bone, ShapeField(shape));
  }
  skin.parts.resize(skin.mesh.vertexCount());
  parallelFor(skin.mesh.vertexCount(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3& p = skin.mesh.positions[i];
      double best = 1e300;
      const std::string* piece = &fields.front().first;
      for (const auto& [label, field] : fields) {
        const double d = field.distance(p);
        if (d < best) best = d, piece = &label;
      }
      const double y = map.subjectHeight(p.y());
      skin.parts[i] = labelOf(p / map.scaleX(y), *piece, y, p.z() / map.scaleZ());
    }
  });
  return skin;
}

std::vector<Shape> personMuscles(const SkinModel& model, const Body& body, const Person& person) {
  const SkinMap map(body, person);
  std::vector<Shape> result;
  for (const Shape& s : model.muscles) {
    Shape left = s;
    left.mirror = false;
    for (ShapePart& p : left.shape.parts) p = map("muscle", p);
    result.push_back(left);
    if (!s.bone.ends_with("_l")) continue;
    Shape right = left;
    right.bone.back() = 'r';
    right.shape = mirrored(left.shape);
    result.push_back(right);
  }
  return result;
}

}  // namespace pneuma::anatomy
