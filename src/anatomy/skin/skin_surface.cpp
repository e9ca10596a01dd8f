#include "pneuma/anatomy/skin_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "anatomy/person/fit_shape.h"
#include "anatomy/skin/head_join.h"
#include "anatomy/skin/skin_carry.h"
#include "anatomy/skin/skin_mesh.h"
#include "anatomy/skin/skin_topology.h"
#include "pneuma/anatomy/fitted_map.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace {

using internal::SkinEnvelope;
using internal::SkinField;
using internal::SkinMap;
using internal::SkinTemplate;
using internal::SkinTissues;
using internal::SymmetricMesh;

constexpr double kLeast = -0.03, kMost = 0.08;  ///< thickness of the fat layer [m]
/// Changes whenever the same person gets other positions on the same topology.
constexpr std::uint32_t kSkinVersion = 50;
constexpr std::uint32_t kHeavyVersion = 5;      ///< the same for heavy people alone
constexpr std::uint32_t kThinVersion = 4;       ///< and for thin ones
constexpr std::uint32_t kFinerSkinVersion = 1;  ///< the same for the levels above the coarsest

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

bool isOfCage(const std::string& bone) {
  for (const char* name : {"rib_", "costal_cartilage", "manubrium", "body_of_sternum", "xiphoid"})
    if (bone.starts_with(name)) return true;
  return false;
}

/// Tables of points (heads, relief) are no solids.
bool isTable(const Shape& piece) {
  return !piece.shape.parts.empty() && piece.shape.parts.front().kind == ShapeKind::Plate;
}

/// What is laid on the smoothed skin: tables of heights, and marks.
bool isRelief(const Shape& piece) {
  return piece.bone.starts_with("skin_relief") || piece.bone.starts_with("skin_mark");
}

/// The measured heads of both sexes; null when the body has none.
std::shared_ptr<const internal::HeadTable> headTableOf(const SkinModel& model) {
  const auto part = [&](const char* name) -> const ShapePart* {
    for (const Shape& piece : model.envelope)
      if (piece.bone == name && !piece.shape.parts.empty()) return &piece.shape.parts.front();
    return nullptr;
  };
  const ShapePart *man = part("skin_head_image"), *woman = part("skin_head_female_image");
  if (!man || !woman) return nullptr;
  return std::make_shared<const internal::HeadTable>(*man, *woman);
}

/// Cuts must not reach into another piece: added parts first, then all cuts.
void sortCutsLast(BoneShape& shape) {
  std::stable_partition(shape.parts.begin(), shape.parts.end(),
                        [](const ShapePart& p) { return p.operation == ShapeOperation::Add; });
}

/// The pieces of the measured envelope, ready to be joined.
SkinEnvelope envelopeOf(const SkinModel& model) {
  SkinEnvelope pieces;
  for (const Shape& piece : model.envelope) {
    if (!onLeft(piece) || isTable(piece) || isRelief(piece)) continue;
    BoneShape shape{true, piece.shape.parts};
    sortCutsLast(shape);
    pieces.emplace_back(piece.bone, std::move(shape));
  }
  return pieces;
}

SkinEnvelope reliefOf(const SkinModel& model) {
  SkinEnvelope tables;
  for (const Shape& piece : model.envelope)
    if (onLeft(piece) && isRelief(piece)) tables.emplace_back(piece.bone, piece.shape);
  return tables;
}

SkinTissues personTissues(const SkinModel& model, const Body& body, const Person& person) {
  SkinTissues t;
  t.envelope = envelopeOf(model);
  t.head = headTableOf(model);
  t.relief = reliefOf(model);
  t.breasts = internal::breastsOf(person);
  t.heavy = internal::heaviness(person);
  t.thin = internal::thinness(person);
  if (t.heavy > 0 && !t.breasts.mounds.parts.empty()) {
    Person woman = body.subject;
    woman.sex = Sex::Female;
    t.breasts.templateNipple = internal::breastsOf(woman).nipple;
    t.breasts.hang = t.heavy * (t.breasts.nipple - t.breasts.templateNipple);
  }
  t.bones.symmetric = t.cage.symmetric = true;
  t.bodyMuscles.symmetric = t.armMuscles.symmetric = true;
  for (const Shape& s : fitToPerson(body, person).shapes) {
    if (!onLeft(s) || measuredSkinFits(s.bone)) continue;
    std::vector<ShapePart>& parts = (isOfCage(s.bone) ? t.cage : t.bones).parts;
    parts.insert(parts.end(), s.shape.parts.begin(), s.shape.parts.end());
  }
  sortCutsLast(t.bones);
  sortCutsLast(t.cage);
  for (const Shape& s : model.muscles)
    for (const ShapePart& p : s.shape.parts)
      (internal::isArmPlace(p.center) ? t.armMuscles : t.bodyMuscles).parts.push_back(p);
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
  // Skin has some 1.8 m^2, of which the layer covers two thirds in full.
  double t0 = 0, e0 = excess(t0), t1 = std::clamp(-e0 / 1.2, kLeast, 0.5 * kMost), e1 = excess(t1);
  for (int i = 0; i < 5 && std::abs(e1) > 0.003 * wantedVolume; ++i) {
    const double slope = (e1 - e0) / (t1 - t0);
    const double next = std::clamp(t1 - e1 / slope, kLeast, kMost);
    t0 = t1, e0 = e1;
    t1 = next, e1 = excess(t1);
    if (t1 == t0) break;
  }
  return t1;
}

std::uint64_t contentHash(const SkinTissues& t) {
  Hash64 hash;
  hash.value(anatomy::contentHash(t.bones)).value(anatomy::contentHash(t.cage));
  hash.value(t.head ? t.head->contentHash() : 0);
  for (const SkinEnvelope* list : {&t.envelope, &t.relief})
    for (const auto& [name, shape] : *list) hash.value(anatomy::contentHash(shape));
  hash.value(anatomy::contentHash(t.breasts.mounds));
  hash.value(anatomy::contentHash(t.bodyMuscles)).value(anatomy::contentHash(t.armMuscles));
  if (t.heavy > 0) hash.value(t.heavy).value(kHeavyVersion);
  if (t.thin > 0) hash.value(t.thin).value(kThinVersion);
  return hash.digest();
}

TriangleMesh leftHalf(SymmetricMesh whole) {
  whole.mesh.positions.resize(whole.left.size());
  whole.mesh.triangles.resize(whole.halfTriangles());
  return std::move(whole.mesh);
}

/// The lean subject as measured, meshed.
SkinTemplate makeTemplate(const SkinModel& model, const Body& body, const GeometryCache& cache) {
  const Person& subject = body.subject;
  const SkinTissues tissues = personTissues(model, body, subject);
  Hash64 key;
  key.text("skin template").value(kSkinTopologyVersion).value(contentHash(tissues));
  std::optional<internal::HeadSurface> head;
  if (tissues.head) head.emplace(*tissues.head);
  SkinTemplate made;
  made.mesh = internal::joinedHalves(cache.get(key.digest(), [&] {
    SkinField field(tissues, SkinMap(body, subject), subject.sex, cache);
    field.joinAsMeshed();
    return leftHalf(
        internal::meshSkin(field, skinTriangles(0), subject.height, head ? &*head : nullptr));
  }));
  made.armShare = internal::armShares(made.mesh, tissues.envelope);
  if (head) made.head = internal::headPlaces(made.mesh, *head);
  return made;
}

/// The template of a person's sex.
SkinTemplate templateOf(Sex sex, const SkinTemplate& measured, const SkinModel& model,
                        const Body& body, const GeometryCache& cache) {
  if (sex == body.subject.sex) return measured;
  SkinTissues tissues = personTissues(model, body, body.subject);
  Person other = body.subject;
  other.sex = sex;
  tissues.breasts = internal::breastsOf(other);
  Hash64 key;
  key.text("skin of the other sex").value(kSkinVersion).value(contentHash(tissues));
  key.bytes(measured.mesh.mesh.positions.data(),
            measured.mesh.mesh.positions.size() * sizeof(Vec3));
  SkinTemplate made = measured;
  made.mesh.mesh.positions =
      cache
          .get(key.digest(),
               [&] {
                 const SkinField field(tissues, SkinMap(body, body.subject), sex, cache);
                 return internal::otherSex(measured, field, sex).mesh;
               })
          .positions;
  return made;
}

/// A person's skin at any level, made when asked for.
class PersonSkin {
 public:
  PersonSkin(const SkinModel& model, const Body& body, const Person& person, SkinTemplate subject,
             const GeometryCache& cache)
      : person_(person),
        tissues_(personTissues(model, body, person)),
        map_(body, person),
        subject_(std::move(subject)),
        cache_(cache) {}

  SymmetricMesh at(int level) {
    SymmetricMesh mesh = internal::templateAtLevel(subject_.mesh, level);
    mesh.mesh.positions = cache_.get(keyOf(level), [&] { return made(level).mesh; }).positions;
    return mesh;
  }

 private:
  std::uint64_t keyOf(int level) const {
    Hash64 hash;
    hash.text("skin").value(kSkinVersion).value(contentHash(tissues_)).value(level);
    if (level > 0) hash.value(kFinerSkinVersion);
    hash.value(person_.mass).value(person_.height).value(static_cast<int>(person_.sex));
    hash.value(skinVolume(person_));  // age tells on the density, and so on the fat
    hash.bytes(subject_.mesh.mesh.positions.data(),
               subject_.mesh.mesh.positions.size() * sizeof(Vec3));
    return hash.digest();
  }
  SymmetricMesh made(int level) {
    SkinField& skin = field();
    if (level > 0) return internal::refinedSkin(at(level - 1), placesAt(level), skin);
    return internal::carriedSkin(subject_, skin, fat_);
  }
  internal::HeadPlaces placesAt(int level) const {
    internal::HeadPlaces places = subject_.head;
    for (int k = 0; k < level && !places.empty(); ++k)
      places =
          internal::subdivided(places, internal::templateAtLevel(subject_.mesh, k).mesh.triangles);
    return places;
  }
  /// The level set with the fat that gives the person's mass.
  SkinField& field() {
    if (field_) return *field_;
    field_.emplace(tissues_, map_, person_.sex, cache_);
    fat_ = solveFat(*field_, skinVolume(person_));
    field_->setFat(fat_);
    return *field_;
  }

  Person person_;
  SkinTissues tissues_;
  SkinMap map_;
  SkinTemplate subject_;
  const GeometryCache& cache_;
  std::optional<SkinField> field_;
  double fat_ = 0;
};

/// The skin that a fit found. Finer levels are the person's own, moved as the coarsest is: what
/// lies between two vertices goes along with both.
SkinSurface fittedSkin(const FittedShapes& fit, const SkinModel& model, const Body& body,
                       const Person& person, const SkinConfig& config, const GeometryCache& cache) {
  const int level = skinLevelOf(config.triangles);
  const auto coarsest = makeSkinTopology(model, body, 0, cache);
  if (coarsest->id != fit.topology || coarsest->places.size() != fit.skin.size())
    throw InputError(
        Diagnostic{.where = body.where.position(),
                   .subject = "fit",
                   .field = "skin_topology",
                   .message = fmt::format("{:016x} with {} vertices is not this body's skin",
                                          fit.topology, fit.skin.size()),
                   .expected = fmt::format("{:016x} with {}: fit '{}' again", coarsest->id,
                                           coarsest->places.size(), fit.character)});
  if (level == 0) return {{fit.skin, coarsest->triangles}, coarsest->parts, coarsest};
  const SkinSurface start = makeSkinSurface(model, body, person, {skinTriangles(0)}, cache);
  std::vector<Vec3> moved(fit.skin.size());
  for (std::size_t v = 0; v < moved.size(); ++v) moved[v] = fit.skin[v] - start.mesh.positions[v];
  for (int k = 0; k < level; ++k)
    for (const auto& [a, b] :
         internal::cutEdges(makeSkinTopology(model, body, k, cache)->triangles))
      moved.push_back(0.5 * (moved[pneuma::at(a)] + moved[pneuma::at(b)]));
  SkinSurface skin = makeSkinSurface(model, body, person, config, cache);
  for (std::size_t v = 0; v < moved.size(); ++v) skin.mesh.positions[v] += moved[v];
  return skin;
}

}  // namespace

int skinLevelOf(int triangles) {
  if (triangles < 2000 || triangles > 2000000)
    throw InputError("skin: triangles must be between 2000 and 2000000");
  const double finer = std::log2(static_cast<double>(triangles) / skinTriangles(0)) / 2;
  return std::clamp(static_cast<int>(std::lround(finer)), 0, kSkinLevels - 1);
}

std::shared_ptr<const SkinTopology> makeSkinTopology(const SkinModel& model, const Body& body,
                                                     int level, const GeometryCache& cache) {
  return std::make_shared<const SkinTopology>(internal::topologyAtLevel(
      makeTemplate(model, withoutFit(body), cache).mesh, envelopeOf(model), level, cache));
}

SkinSurface makeSkinSurface(const SkinModel& model, const Body& body, const Person& person,
                            const SkinConfig& config, const GeometryCache& cache) {
  if (const std::optional<FittedShapes> fit = fittedShapes(body)) {
    requireFittedPerson(*fit, person);
    return fittedSkin(*fit, model, withoutFit(body), person, config, cache);
  }
  const int level = skinLevelOf(config.triangles);
  const SkinTemplate measured = makeTemplate(model, body, cache);
  SkinSurface skin;
  skin.topology = std::make_shared<const SkinTopology>(
      internal::topologyAtLevel(measured.mesh, envelopeOf(model), level, cache));
  skin.parts = skin.topology->parts;
  SkinTemplate subject = templateOf(person.sex, measured, model, body, cache);
  skin.mesh = PersonSkin(model, body, person, std::move(subject), cache).at(level).mesh;
  return skin;
}

std::vector<Shape> personMuscles(const SkinModel& model, const Body& body, const Person& person) {
  const std::optional<FittedMap> fit = fittedMapOf(body, person);
  const SkinMap map(body, person);
  std::vector<Shape> result;
  for (const Shape& s : model.muscles) {
    Shape left = s;
    left.mirror = false;
    for (ShapePart& p : left.shape.parts) {
      p = map.movedPart(p);
      if (fit) p = internal::fitPart(p, *fit, fit->partAt(p.center));
    }
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
      : field(personTissues(model, withoutFit(body), person), SkinMap(body, person), person.sex,
              GeometryCache()),
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
