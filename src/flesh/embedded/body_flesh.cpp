#include "pneuma/flesh/embedded/body_flesh.h"

#include <algorithm>
#include <cmath>

#include "flesh/embedded/muscle_architecture.h"
#include "flesh/embedded/surface_points.h"
#include "flesh/embedded/tissue_samples.h"
#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/flesh/embedded/fibre_paths.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr std::size_t indexOf(Tissue tissue) {
  return static_cast<std::size_t>(tissue);
}

/// Shares, muscles and fibres of one tetrahedron while it is filled.
struct Filling {
  struct Part {
    std::int32_t key;
    double share;
    Vec3 direction;
  };
  std::array<double, kTissues> tissue{};
  std::vector<Part> muscles, fibres;

  static void add(std::vector<Part>& parts, std::int32_t key, double share, const Vec3& direction) {
    for (Part& p : parts)
      if (p.key == key) {
        p.share += share, p.direction += share * direction;
        return;
      }
    parts.push_back({key, share, share * direction});
  }
};

Tissue tissueOf(std::int16_t label) {
  switch (label) {
    case TissueSamples::kBone:
      return Tissue::Bone;
    case TissueSamples::kLung:
      return Tissue::Lung;
    case TissueSamples::kOrgan:
      return Tissue::Organ;
    case TissueSamples::kFat:
      return Tissue::Fat;
    default:
      return Tissue::Muscle;
  }
}

/// What the samples say of one tetrahedron. Places of one muscle are taken together: all of a
/// finest tetrahedron, those of each of eight parts of a larger one, and follow one line.
Filling filled(const TissueSamples& samples, const FibrePaths& paths, const Lattice& lattice,
               std::size_t tet) {
  Filling f;
  std::size_t total = 0;
  for (std::size_t s = 0; s < TissueSamples::kCount; ++s)
    total += samples.label(tet, s) != TissueSamples::kVoid;
  const double each = 1.0 / double(total);
  const std::size_t group = lattice.size[tet] == 0 ? TissueSamples::kCount : 8;
  for (std::size_t first = 0; first < TissueSamples::kCount; first += group) {
    std::vector<Filling::Part> places;  // by muscle: count and sum of places
    for (std::size_t s = first; s < first + group; ++s) {
      const std::int16_t label = samples.label(tet, s);
      if (label == TissueSamples::kVoid) continue;
      f.tissue[indexOf(tissueOf(label))] += each;
      if (label >= 0) Filling::add(places, label, 1, samples.place(tet, s));
    }
    for (const Filling::Part& p : places) {
      Filling::add(f.muscles, p.key, p.share * each, Vec3::Zero());
      const FibrePaths::Nearest near = paths.nearest(std::size_t(p.key), p.direction / p.share);
      if (near.line >= 0) Filling::add(f.fibres, near.line, p.share * each, near.tangent);
    }
  }
  return f;
}

/// Takes room for `share` of something new: from fat as far as there is any, or from all but bone.
void makeRoom(Filling& f, double share, bool fatFirst) {
  const double fat = fatFirst ? std::min(share, f.tissue[indexOf(Tissue::Fat)]) : 0;
  f.tissue[indexOf(Tissue::Fat)] -= fat;
  double rest = 0;
  for (std::size_t t = 0; t < kTissues; ++t)
    if (t != indexOf(Tissue::Bone)) rest += f.tissue[t];
  if (rest <= 0) return;
  const double keep = std::max(0.0, 1 - (share - fat) / rest);
  for (std::size_t t = 0; t < kTissues; ++t)
    if (t != indexOf(Tissue::Bone)) f.tissue[t] *= keep;
  for (auto* parts : {&f.muscles, &f.fibres})
    for (Filling::Part& p : *parts) p.share *= keep, p.direction *= keep;
}

/// Tubes of lines: the volume of each dropped along its path, as far as there is room beside bones
/// and other tubes. What lies there gives way in proportion, once for all tubes.
class TubeLayer {
 public:
  explicit TubeLayer(const BodyFlesh& flesh, std::vector<Filling>& fillings)
      : flesh_(flesh), fillings_(fillings), tubes_(fillings.size()), taken_(fillings.size(), 0) {}

  void lay(std::size_t line, const FleshLine& path, std::int32_t muscle) {
    // What finds no room (bone, other tubes) goes around it.
    double rest = path.volume;
    const double radius = std::sqrt(path.volume / (kPi * pathLength(path.points)));
    for (int round = 0; round < kRounds && rest > kCrumb * path.volume; ++round)
      rest = spread(line, path, muscle, rest, (kRingRadius + 2 * round) * radius);
  }

  /// What tubes leave of all else but bone in a tetrahedron, 0 .. 1.
  double kept(std::size_t tet) const {
    const double room = 1 - fillings_[tet].tissue[indexOf(Tissue::Bone)];
    return room > 0 ? 1 - taken_[tet] / room : 0;
  }

  void finish() {
    for (std::size_t t = 0; t < fillings_.size(); ++t) {
      if (taken_[t] <= 0) continue;
      Filling& f = fillings_[t];
      makeRoom(f, taken_[t], false);
      f.tissue[indexOf(Tissue::Muscle)] += taken_[t];
      for (const Filling::Part& p : tubes_[t].muscles)
        Filling::add(f.muscles, p.key, p.share, Vec3::Zero());
      for (const Filling::Part& p : tubes_[t].fibres)
        Filling::add(f.fibres, p.key, p.share, p.direction / p.share);
    }
  }

 private:
  static constexpr double kStep = 0.002;      ///< [m]
  static constexpr int kRing = 6;             ///< places around the path
  static constexpr double kRingRadius = 0.7;  ///< half of the tube's section lies within
  static constexpr int kRounds = 4;
  static constexpr double kCrumb = 0.01;  ///< of a volume, not worth another round

  /// Drops a volume along the path, on a ring around it. Returns what found no room.
  double spread(std::size_t line, const FleshLine& path, std::int32_t muscle, double volume,
                double ring) {
    const double length = pathLength(path.points);
    const auto steps = static_cast<std::size_t>(std::ceil(length / kStep));
    const double each = volume / double(steps * kRing);
    double left = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      const PathPoint at = alongPath(path.points, (double(i) + 0.5) / double(steps) * length);
      const Vec3 across = at.tangent.unitOrthogonal();
      const Vec3 up = at.tangent.cross(across);
      for (int k = 0; k < kRing; ++k) {
        const double angle = 2 * kPi * k / kRing;
        const Vec3 p = at.place + ring * (std::cos(angle) * across + std::sin(angle) * up);
        left += drop(std::size_t(flesh_.model.lattice->locate(p).tet), each, at.tangent,
                     static_cast<std::int32_t>(line), muscle);
      }
    }
    return left;
  }

  double drop(std::size_t tet, double volume, const Vec3& tangent, std::int32_t line,
              std::int32_t muscle) {
    const double room = 1 - fillings_[tet].tissue[indexOf(Tissue::Bone)] - taken_[tet];
    const double share = std::min(volume / flesh_.material(tet), room);
    if (share <= 0) return volume;
    taken_[tet] += share;
    Filling::add(tubes_[tet].muscles, muscle, share, Vec3::Zero());
    Filling::add(tubes_[tet].fibres, line, share, tangent);
    return volume - share * flesh_.material(tet);
  }

  const BodyFlesh& flesh_;
  std::vector<Filling>& fillings_;
  std::vector<Filling> tubes_;
  std::vector<double> taken_;
};

/// Lines that their solids leave without volume. Tubes take room from the lines around them, which
/// may then need one too: until none does.
void addTubes(const FleshAnatomy& anatomy, BodyFlesh& flesh, std::vector<Filling>& fillings) {
  constexpr double kEnough = 0.5;  // of PCSA times fibre length
  TubeLayer tubes(flesh, fillings);
  flesh.tube.assign(anatomy.lines.size(), 0);
  for (bool more = true; more;) {
    more = false;
    std::vector<double> volume(anatomy.lines.size(), 0);
    for (std::size_t t = 0; t < fillings.size(); ++t)
      for (const Filling::Part& p : fillings[t].fibres)
        volume[at(p.key)] += p.share * flesh.material(t) * tubes.kept(t);
    for (std::size_t l = 0; l < anatomy.lines.size(); ++l) {
      const FleshLine& line = anatomy.lines[l];
      if (flesh.tube[l] || line.volume <= 0 || volume[l] >= kEnough * line.volume) continue;
      more = true;
      flesh.tube[l] = 1;
      const std::string name = line.muscle + std::string(sideOf(line.name));
      auto known = std::ranges::find(flesh.muscles, name, &FleshMuscle::name);
      if (known == flesh.muscles.end()) {
        flesh.muscles.push_back({.name = name});
        known = flesh.muscles.end() - 1;
      }
      known->described += line.volume;
      ++known->lines;
      tubes.lay(l, line, static_cast<std::int32_t>(known - flesh.muscles.begin()));
    }
  }
  tubes.finish();
}

/// Skin by its area: depth times area goes to the tetrahedra along the surface.
void addSkin(const TriangleMesh& skin, double depth, const BodyFlesh& flesh,
             std::vector<Filling>& fillings) {
  const Lattice& lattice = *flesh.model.lattice;
  const double a = lattice.config.spacing;
  const std::vector<Vec3> normals = triangleNormals(skin);
  std::vector<double> volume(fillings.size(), 0), room(fillings.size());
  for (std::size_t t = 0; t < room.size(); ++t)
    room[t] = (1 - fillings[t].tissue[indexOf(Tissue::Bone)]) * flesh.material(t);
  for (const SurfacePoint& p : spreadPoints(skin.positions, skin.triangles, a * a / 16)) {
    const Vec3 inward = -normals[p.triangle];
    double rest = depth * p.area;
    // A sliver of a cell may be all skin: what it cannot hold lies deeper.
    for (double below = 0.5 * depth; rest > 0 && below < a; below += a / 4) {
      const std::size_t t = at(lattice.locate(p.place + below * inward, inward).tet);
      const double part = std::min(rest, room[t]);
      volume[t] += part, room[t] -= part, rest -= part;
    }
  }
  for (std::size_t t = 0; t < fillings.size(); ++t) {
    if (volume[t] <= 0) continue;
    const double share = volume[t] / flesh.material(t);
    makeRoom(fillings[t], share, true);
    fillings[t].tissue[indexOf(Tissue::Skin)] += share;
  }
}

/// What was filled as the solver wants it.
void store(const std::vector<Filling>& fillings, const TissueConstants& constants,
           BodyFlesh& flesh) {
  constexpr double kLeastMean = 0.1;  // directions that cancel are none
  // Lists that grow by doubling would keep a tenth of the flesh's memory unused.
  std::size_t muscles = 0, fibres = 0;
  for (const Filling& f : fillings) muscles += f.muscles.size(), fibres += f.fibres.size();
  flesh.shares.reserve(fillings.size());
  flesh.model.tissue.reserve(fillings.size());
  flesh.model.density.reserve(fillings.size());
  flesh.muscleShares.reserve(muscles);
  flesh.model.fibres.reserve(fibres);
  for (std::size_t t = 0; t < fillings.size(); ++t) {
    const Filling& f = fillings[t];
    std::array<float, kTissues> shares{};
    double sum = 0;
    for (const double s : f.tissue) sum += s;
    for (std::size_t k = 0; k < kTissues; ++k) shares[k] = float(f.tissue[k] / sum);
    flesh.shares.push_back(shares);
    flesh.model.tissue.push_back(constants.mixed(shares));
    flesh.model.density.push_back(float(constants.mixedDensity(shares)));
    const auto tet = static_cast<std::int32_t>(t);
    for (const Filling::Part& p : f.muscles) {
      flesh.muscleShares.push_back({tet, p.key, float(p.share)});
      flesh.muscles[at(p.key)].volume += p.share * flesh.material(t);
    }
    for (const Filling::Part& p : f.fibres) {
      const double length = p.direction.norm();
      if (length < kLeastMean * p.share || p.share <= 0) continue;
      flesh.model.fibres.push_back(
          {tet, p.key, float(std::min(1.0, p.share)), p.direction / length});
      flesh.lineVolume[at(p.key)] += p.share * flesh.material(t);
    }
  }
}

}  // namespace

double BodyFlesh::material(std::size_t tet) const {
  return double(model.lattice->share[tet]) * model.lattice->volume(tet);
}

std::array<double, kTissues> BodyFlesh::tissueVolumes() const {
  std::array<double, kTissues> sum{};
  for (std::size_t t = 0; t < shares.size(); ++t)
    for (std::size_t k = 0; k < kTissues; ++k) sum[k] += double(shares[t][k]) * material(t);
  return sum;
}

void BodyFlesh::targets(std::span<const Pose> bones,
                        std::span<const std::span<const Vec3>> wallPoints,
                        std::vector<Vec3>& out) const {
  PNEUMA_CHECK(wallPoints.size() == walls.size(), "{} walls for {}", wallPoints.size(),
               walls.size());
  out.clear();
  for (const BoneAnchor& a : boneAnchors) out.push_back(bones[at(a.bone)] * a.rest);
  for (const WallAnchor& a : wallAnchors) {
    const Triangle& t = walls[at(a.wall)].triangles[at(a.triangle)];
    Vec3 p = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      p += a.weights[static_cast<Eigen::Index>(k)] * wallPoints[at(a.wall)][at(t[k])];
    out.push_back(p);
  }
}

BodyFlesh makeBodyFlesh(std::shared_ptr<const Lattice> lattice, const TriangleMesh& skin,
                        const FleshAnatomy& anatomy, const TissueConstants& constants) {
  BodyFlesh flesh;
  flesh.model.lattice = std::move(lattice);
  flesh.skin = skin;
  flesh.model.fibreLaw = constants.fibres;
  flesh.model.pressedOut = constants.pressedOut;
  flesh.model.lineCount = static_cast<std::int32_t>(anatomy.lines.size());
  flesh.walls = anatomy.walls;
  for (const NamedSolid& b : anatomy.bones) flesh.boneNames.push_back(b.name);
  flesh.boneParents = anatomy.boneParents;
  flesh.boneParents.resize(anatomy.bones.size(), -1);
  flesh.lineVolume.assign(anatomy.lines.size(), 0);
  for (const FleshLine& l : anatomy.lines) flesh.lineWanted.push_back(l.volume);
  for (std::size_t t = 0; t < kTissues; ++t) flesh.compliance[t] = 1 / constants.material[t].kappa;
  flesh.fleshKept = constants.fleshKept, flesh.muscleKept = constants.muscleKept;
  const FibrePaths paths(anatomy);
  for (std::size_t m = 0; m < anatomy.muscles.size(); ++m)
    flesh.muscles.push_back({.name = anatomy.muscles[m].name,
                             .described = enclosedVolume(anatomy.muscles[m].mesh),
                             .lines = static_cast<int>(paths.linesOf(m).size())});
  std::vector<Filling> fillings;
  {
    const TissueSamples samples(*flesh.model.lattice, anatomy);
    for (std::size_t t = 0; t < flesh.model.lattice->tetCount(); ++t)
      fillings.push_back(filled(samples, paths, *flesh.model.lattice, t));
  }
  addTubes(anatomy, flesh, fillings);
  addSkin(skin, constants.skinDepth, flesh, fillings);
  store(fillings, constants, flesh);
  addAnchors(anatomy, constants, flesh);
  if (constants.tendonStrain > 0) addArchitecture(anatomy, constants, flesh);
  check(flesh.model);
  return flesh;
}

}  // namespace pneuma::flesh::embedded
