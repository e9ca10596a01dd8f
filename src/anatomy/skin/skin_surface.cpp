#include "pneuma/anatomy/skin_surface.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "anatomy/skin/skin_field.h"
#include "anatomy/skin/skin_mesh.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace {

using internal::ShapeField;
using internal::SkinBranch;
using internal::SkinField;
using internal::SkinMap;
using internal::SkinTissues;

constexpr double kLeast = -0.03, kMost = 0.08;  ///< thickness of the fat layer [m]
constexpr std::uint32_t kSkinVersion = 15;

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

/// Cuts must not reach into another piece: added parts first, then all cuts.
void sortCutsLast(BoneShape& shape) {
  std::stable_partition(shape.parts.begin(), shape.parts.end(),
                        [](const ShapePart& p) { return p.operation == ShapeOperation::Add; });
}

/// The pieces of the measured envelope for that sex, ready to be joined.
std::vector<std::pair<std::string, BoneShape>> envelopeOf(const SkinModel& model, Sex sex) {
  const char* const otherHead = sex == Sex::Female ? "skin_head" : "skin_head_female";
  std::vector<std::pair<std::string, BoneShape>> pieces;
  for (const Shape& piece : model.envelope) {
    if (!onLeft(piece) || piece.bone == otherHead) continue;
    BoneShape shape{true, piece.shape.parts};
    if (sex == Sex::Female && piece.bone == "skin_trunk") internal::addBreasts(shape);
    sortCutsLast(shape);
    pieces.emplace_back(piece.bone, std::move(shape));
  }
  return pieces;
}

SkinTissues personTissues(const SkinModel& model, const Body& body, const Person& person) {
  SkinTissues t;
  const SkinMap map(body, person);
  t.envelope = envelopeOf(model, person.sex);
  t.bones.symmetric = t.bodyMuscles.symmetric = t.armMuscles.symmetric = true;
  for (const Shape& s : fitToPerson(body, person).shapes)
    if (onLeft(s) && !measuredSkinFits(s.bone))
      t.bones.parts.insert(t.bones.parts.end(), s.shape.parts.begin(), s.shape.parts.end());
  sortCutsLast(t.bones);
  for (const Shape& s : model.muscles)
    for (const ShapePart& p : s.shape.parts)
      (internal::isArmPlace(p.center) ? t.armMuscles : t.bodyMuscles)
          .parts.push_back(map.movedPart(p));
  return t;
}

/// Fat thickness that gives the wanted volume: secant steps on a lattice over the left half.
double solveFat(SkinField& field, double wantedVolume) {
  constexpr double kCell = 0.006;
  const auto excess = [&](double t) {
    field.setFat(t);
    Box half = field.bounds();
    half.min.x() = 0.25 * kCell;  // lattice points in the mid-plane belong to both halves by half
    const double inner = internal::fieldVolume(field.blocks(), half, kCell);
    half.min.x() = half.max.x() = 0;
    return 2 * inner + internal::fieldVolume(field.blocks(), half, kCell) - wantedVolume;
  };
  double t0 = 0, e0 = excess(t0), t1 = e0 > 0 ? -0.004 : 0.004, e1 = excess(t1);
  for (int i = 0; i < 5 && std::abs(e1) > 0.003 * wantedVolume; ++i) {
    const double slope = (e1 - e0) / (t1 - t0);
    const double next = std::clamp(t1 - e1 / slope, kLeast, kMost);
    t0 = t1, e0 = e1;
    t1 = next, e1 = excess(t1);
    if (t1 == t0) break;
  }
  return t1;
}

std::uint64_t keyOf(const SkinTissues& t, const Person& person, int triangles) {
  Hash64 hash;
  hash.value(kSkinVersion).value(contentHash(t.bones));
  for (const auto& [name, shape] : t.envelope) hash.value(contentHash(shape));
  hash.value(contentHash(t.bodyMuscles)).value(contentHash(t.armMuscles));
  hash.value(triangles).value(person.mass).value(person.height);
  hash.value(static_cast<int>(person.sex));
  return hash.digest();
}

/// Region of a place on the subject, on that piece of skin.
SkinPart labelOf(const Vec3& p, const std::string& piece) {
  const double x = std::abs(p.x()), y = p.y();
  const bool front = p.z() > 0.075;
  if (piece.starts_with("skin_hand")) return SkinPart::Hand;
  if (piece.starts_with("skin_foot")) return SkinPart::Foot;
  if (piece.starts_with("skin_head"))
    return y < 1.45 && p.z() < 0.14 + 0.6 * (1.45 - y) ? SkinPart::Neck : SkinPart::Head;
  if (piece.starts_with("skin_arm"))
    return y > 1.27 ? SkinPart::Shoulder : y > 1.075 ? SkinPart::UpperArm : SkinPart::Forearm;
  if (piece.starts_with("skin_leg")) return y > 0.455 ? SkinPart::Thigh : SkinPart::Shank;
  // Below the groin and the fold under the buttock the trunk's piece is thigh.
  if (y < (front ? 0.785 + 0.7 * std::max(0.0, x - 0.03) : 0.76)) return SkinPart::Thigh;
  if (y > 1.4) return SkinPart::Neck;
  if (y < 0.93) return SkinPart::Pelvis;
  if (x > 0.135 && y > 1.29) return SkinPart::Shoulder;
  if (!front) return SkinPart::Back;
  return y > 1.18 ? SkinPart::Chest : SkinPart::Abdomen;
}

/// Labels each vertex by the nearest piece of the measured envelope.
std::vector<SkinPart> labelsOf(const TriangleMesh& mesh, const SkinTissues& tissues,
                               const SkinMap& map) {
  std::vector<std::pair<std::string, ShapeField>> fields;
  for (const auto& [name, shape] : tissues.envelope) fields.emplace_back(name, ShapeField(shape));
  std::vector<SkinPart> labels(mesh.vertexCount());
  parallelFor(mesh.vertexCount(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double best = 1e300;
      for (const auto& [name, field] : fields) {
        const Vec3 p = map.toSubject(internal::branchOf(name), mesh.positions[i]);
        const double d = field.distance(p);
        if (d < best) best = d, labels[i] = labelOf(p, name);
      }
    }
  });
  return labels;
}

}  // namespace

std::string_view name(SkinPart part) {
  static constexpr std::array<std::string_view, kSkinParts> names = {
      "head",      "neck",    "chest", "abdomen", "back",  "pelvis", "shoulder",
      "upper_arm", "forearm", "hand",  "thigh",   "shank", "foot"};
  return names[static_cast<std::size_t>(part)];
}

SkinSurface makeSkinSurface(const SkinModel& model, const Body& body, const Person& person,
                            const SkinConfig& config, const GeometryCache& cache) {
  if (config.triangles < 2000 || config.triangles > 2000000)
    throw InputError("skin: triangles must be between 2000 and 2000000");
  const SkinMap map(body, person);
  const SkinTissues tissues = personTissues(model, body, person);
  SkinSurface skin;
  skin.mesh = cache.get(keyOf(tissues, person, config.triangles), [&] {
    SkinField field(tissues, map, person.sex);
    field.setFat(solveFat(field, skinVolume(person)));
    return internal::meshSkin(field, config.triangles, person.height);
  });
  skin.parts = labelsOf(skin.mesh, tissues, map);
  return skin;
}

std::vector<Shape> personMuscles(const SkinModel& model, const Body& body, const Person& person) {
  const SkinMap map(body, person);
  std::vector<Shape> result;
  for (const Shape& s : model.muscles) {
    Shape left = s;
    left.mirror = false;
    for (ShapePart& p : left.shape.parts) p = map.movedPart(p);
    result.push_back(left);
    if (!s.bone.ends_with("_l")) continue;
    Shape right = left;
    right.bone.back() = 'r';
    right.shape = mirrored(left.shape);
    result.push_back(right);
  }
  return result;
}

struct SkinDistance::Data {
  Data(const SkinModel& model, const Body& body, const Person& person)
      : field(personTissues(model, body, person), SkinMap(body, person), person.sex),
        fat(solveFat(field, skinVolume(person))) {
    field.setFat(fat);
  }
  SkinField field;
  double fat;
};

SkinDistance::SkinDistance(const SkinModel& model, const Body& body, const Person& person)
    : data_(std::make_unique<const Data>(model, body, person)) {}

SkinDistance::~SkinDistance() = default;

double SkinDistance::operator()(const Vec3& p) const {
  constexpr double kReach = 0.03, kFar = 0.05;  // [m]
  Box at;
  at.add(p);
  const internal::FieldFunction f = data_->field.blocks()(at, kReach);
  return f ? f(p) : kFar;
}

double SkinDistance::exit(const Vec3& from, const Vec3& direction, double most) const {
  constexpr double kStep = 0.003;  // [m], below the thinnest gap between two surfaces
  double inside = 0;
  for (double s = 0; s < most; s += kStep) {
    if ((*this)(from + s * direction) <= 0) {
      inside = s;
      continue;
    }
    double outside = s;
    for (int i = 0; i < 14; ++i) {
      const double middle = 0.5 * (inside + outside);
      ((*this)(from + middle * direction) > 0 ? outside : inside) = middle;
    }
    return outside;
  }
  return most;
}

double SkinDistance::fat() const {
  return data_->fat;
}

}  // namespace pneuma::anatomy
