#include "pneuma/survey/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/shape/distance_volume.h"
#include "anatomy/shape/spline.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/error.h"
#include "survey/centreline.h"
#include "survey/fill_enclosed.h"
#include "survey/measure_plate.h"
#include "survey/measure_points.h"
#include "survey/measure_recipes.h"
#include "survey/shape_fit.h"
#include "survey/sided_names.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using anatomy::internal::DistanceVolume;
using internal::Recipe;
using internal::RecipePiece;

bool endsWith(const std::string& text, const char* ending) {
  return text.ends_with(ending);
}

/// The meshes of a piece as they are, and those to average them with.
struct Sources {
  std::vector<TriangleMesh> left, other;  ///< `other` not yet mirrored; empty: the left ones
};

Sources loadSources(const AnatomyPack& pack, const RecipePiece& piece, bool paired) {
  Sources s;
  for (const std::string& name : piece.meshes) {
    s.left.push_back(pack.mesh(name));
    if (paired) s.other.push_back(pack.mesh(rightName(name)));
  }
  return s;
}

DistanceVolume averagedVolume(const Sources& s, const RecipePiece& piece) {
  const double cell = 0.5 * piece.spacing, margin = 6 * piece.spacing;
  DistanceVolume left = anatomy::internal::makeDistanceVolume(s.left, cell, margin);
  if (piece.filled) left = internal::filledEnclosed(left);
  if (s.other.empty()) return anatomy::internal::mirrorAverage(left, left);
  DistanceVolume other = anatomy::internal::makeDistanceVolume(s.other, cell, margin);
  if (piece.filled) other = internal::filledEnclosed(other);
  return anatomy::internal::mirrorAverage(left, other);
}

/// Sections of cartilages 8 to 10 count up to this radius: the fused piece is a sheet [m].
constexpr double kBranchReach = 0.007;
constexpr const char* kFusedCartilage = "costal_cartilage_08_10_l";

/// Path of cartilage 8, 9 or 10 in the fused piece: from its rib's end to where it joins the one
/// above.
std::vector<Vec3> branchPath(const AnatomyPack& pack, const DistanceVolume& volume, int number) {
  const auto ribEnd = [&](int n) {
    const auto front = [](const Vec3& p) { return p.z(); };
    return measureCentreline(pack.mesh(fmt::format("rib_{:02}_l", n)), 20, front, 0.0015).back();
  };
  Vec3 join;
  if (number > 8) {
    join = ribEnd(number - 1);
  } else {
    // The uppermost inner corner of the piece, at cartilage 7.
    const TriangleMesh piece = pack.mesh(kFusedCartilage);
    join = *std::max_element(
        piece.positions.begin(), piece.positions.end(),
        [](const Vec3& a, const Vec3& b) { return a.y() - a.x() < b.y() - b.x(); });
  }
  return internal::medialPath(volume, ribEnd(number), join);
}

/// Cuts the fused piece down to one branch: what lies nearer to its path than to the others.
std::vector<Vec3> isolateBranch(const AnatomyPack& pack, const std::string& name,
                                DistanceVolume& volume) {
  const int number = std::stoi(name.substr(name.size() - 4, 2));
  std::map<int, std::vector<Vec3>> paths;
  for (int n = 8; n <= 10; ++n) paths[n] = branchPath(pack, volume, n);
  for (std::size_t i = 0; i < volume.values().size(); ++i) {
    if (volume.at(i) > 4 * volume.cell()) continue;
    double own = 0, others = 1e300;
    for (const auto& [n, path] : paths) {
      const double d = anatomy::internal::distanceToPolyline(volume.position(i), path);
      (n == number ? own : others) = n == number ? d : std::min(others, d);
    }
    volume.at(i) = std::max(volume.at(i), static_cast<float>(0.5 * (own - others)));
  }
  return paths[number];
}

std::vector<Vec3> centrelinePath(const Recipe& recipe, const DistanceVolume& volume) {
  auto [a, b] = internal::farthestEnds(volume);
  // Ribs run from the spine forwards, cartilages from the rib to the sternum, limbs downwards.
  const bool rib = recipe.name.starts_with("rib_");
  const bool inwards = recipe.name.starts_with("costal_cartilage");
  const Vec3 along = rib                                   ? Vec3::UnitZ()
                     : inwards                             ? Vec3(-Vec3::UnitX())
                     : recipe.name.starts_with("clavicle") ? Vec3::UnitX()
                                                           : Vec3(-Vec3::UnitY());
  if (a.dot(along) > b.dot(along)) std::swap(a, b);
  return internal::medialPath(volume, a, b);
}

/// Where a ray from within a solid leaves it.
Vec3 leavingPoint(const DistanceVolume& volume, const Vec3& from, const Vec3& direction) {
  const Vec3 step = 0.5 * volume.cell() * direction.normalized();
  Vec3 p = from;
  while (volume.sample(p + step) < 0) p += step;
  return p;
}

void append(BoneShape& shape, const BoneShape& more) {
  shape.symmetric = more.symmetric;
  shape.parts.insert(shape.parts.end(), more.parts.begin(), more.parts.end());
}

/// As the folder states it; of a branch of a fused piece its own share.
double volumeOf(const AnatomyPack& pack, const RecipePiece& piece, const DistanceVolume& volume) {
  if (piece.meshes[0] == kFusedCartilage) return volume.volume();
  double sum = 0;
  for (const std::string& name : piece.meshes) sum += pack.part(name).volume;
  return sum;
}

// A shape is fitted to the mean of the left and the mirrored right piece: the body is its own
// mirror image, and one side's scanning faults count half.
void measurePiece(const AnatomyPack& pack, const Recipe& recipe, const RecipePiece& piece,
                  Measurement& m) {
  const Sources sources = loadSources(pack, piece, recipe.paired);
  DistanceVolume volume = averagedVolume(sources, piece);
  BoneShape start;
  if (piece.centreline > 0) {
    const bool fused = piece.meshes[0] == kFusedCartilage;
    const std::vector<Vec3> path =
        fused ? isolateBranch(pack, recipe.name, volume) : centrelinePath(recipe, volume);
    const double reach = recipe.group == "ribs" ? 0.02 : 0.05;
    const ShapePart sweep =
        internal::sweepAlong(volume, path, piece.centreline, fused ? kBranchReach : reach);
    std::vector<Vec3>& line = m.curves["centreline"];
    for (const SweepSection& s : sweep.sections) line.push_back(s.center);
    if (fused) start.parts.push_back(sweep);
  }
  if (piece.plate > 0) {
    volume = internal::thickened(volume, 0.7 * piece.plate);
    start.parts.push_back(
        internal::measurePlate(volume, 8, 6, 1.5 * piece.plate, 0.8 * piece.plate));
  }
  internal::ShapeFitReport report;
  internal::ShapeFitConfig config{.ellipsoids = piece.ellipsoids,
                                  .cuts = piece.cuts,
                                  .spacing = piece.spacing,
                                  .band = 2 * piece.spacing,
                                  .blend = piece.blend,
                                  .thinnest = piece.thinnest,
                                  .symmetric = !recipe.paired};
  append(m.shape,
         piece.ellipsoids > 0 ? internal::fitShape(volume, start, config, &report) : start);
  m.fitError = std::max(m.fitError, report.rmsError);
  m.volume += piece.filled ? volume.volume() : volumeOf(pack, piece, volume);
  if (recipe.name.starts_with("vertebra_"))
    m.points.merge(internal::vertebraPoints(volume, recipe.name != "vertebra_c1"));
}

DistanceVolume volumeOf(const TriangleMesh& mesh, double cell) {
  const std::vector<TriangleMesh> one{mesh};
  return anatomy::internal::makeDistanceVolume(one, cell, 3 * cell);
}

std::vector<Vec3> centrelineThrough(const DistanceVolume& volume, const Vec3& from, const Vec3& to,
                                    int points) {
  const std::vector<Vec3> path = internal::medialPath(volume, from, to);
  const ShapePart sweep = internal::sweepAlong(volume, path, std::max(points / 2, 8),
                                               0.25 * anatomy::internal::polylineLength(path));
  std::vector<Vec3> line;
  for (const SweepSection& s : sweep.sections) line.push_back(s.center);
  const anatomy::internal::CurveSpline curve(line);
  std::vector<Vec3> fine;
  for (int i = 0; i <= 8 * (static_cast<int>(line.size()) - 1); ++i)
    fine.push_back(curve.position(i / 8.0));
  // The outermost sections stop short of the ends.
  fine.insert(fine.begin(), leavingPoint(volume, fine[0], fine[0] - fine[4]));
  fine.push_back(leavingPoint(volume, fine.back(), fine.back() - fine[fine.size() - 5]));
  return anatomy::internal::resampledPolyline(fine, points);
}

/// Landmarks of both sides, averaged.
void measureSurfacePoints(const AnatomyPack& pack, const Recipe& recipe, Measurement& m) {
  TriangleMesh left, right;
  for (const RecipePiece& piece : recipe.pieces)
    for (const std::string& name : piece.meshes) {
      append(left, pack.mesh(name));
      append(right, mirroredMesh(pack.mesh(recipe.paired ? rightName(name) : name)));
    }
  internal::NamedPoints a = internal::surfacePoints(recipe.name, left);
  const internal::NamedPoints b = internal::surfacePoints(recipe.name, right);
  for (auto& [name, p] : a) {
    const auto it = b.find(name);
    if (it != b.end()) p = 0.5 * (p + it->second);
    // A point of the middle lies in the mid-plane.
    if (!recipe.paired && !endsWith(name, "_l")) p.x() = 0;
    m.points[name] = p;
  }
}

/// Landmarks along a rib or cartilage.
void addCentrelinePoints(const Recipe& recipe, Measurement& m) {
  const auto it = m.curves.find("centreline");
  if (it == m.curves.end()) return;
  const std::vector<Vec3>& line = it->second;
  const auto by = [&](auto key) {
    return *std::max_element(line.begin(), line.end(),
                             [&](const Vec3& a, const Vec3& b) { return key(a) < key(b); });
  };
  if (recipe.name.starts_with("rib_")) {
    m.points["head"] = line.front();
    m.points["angle"] = by([](const Vec3& p) { return -p.z(); });
    m.points["lateral"] = by([](const Vec3& p) { return p.x(); });
    m.points["sternal_end"] = line.back();
  } else if (recipe.name.starts_with("costal_cartilage")) {
    m.points["costal_end"] = line.front();
    m.points["sternal_end"] = line.back();
  }
}

}  // namespace

std::vector<std::string> measurableBones() {
  std::vector<std::string> names;
  for (const Recipe& r : internal::boneRecipes()) names.push_back(r.name);
  return names;
}

std::vector<std::string> measureGroups() {
  std::vector<std::string> groups;
  for (const Recipe& r : internal::boneRecipes())
    if (std::find(groups.begin(), groups.end(), r.group) == groups.end()) groups.push_back(r.group);
  return groups;
}

std::string measureGroupOf(const std::string& bone) {
  for (const Recipe& r : internal::boneRecipes())
    if (r.name == bone) return r.group;
  return {};
}

Measurement measureBone(const AnatomyPack& pack, const std::string& name) {
  const auto& recipes = internal::boneRecipes();
  const auto it =
      std::find_if(recipes.begin(), recipes.end(), [&](const Recipe& r) { return r.name == name; });
  if (it == recipes.end())
    throw InputError(Diagnostic{.message = "cannot measure a bone '" + name + "'",
                                .nearest = nearestName(name, measurableBones())});
  Measurement m;
  m.name = it->name;
  m.group = it->group;
  m.mirror = it->paired;
  for (const RecipePiece& piece : it->pieces) measurePiece(pack, *it, piece, m);
  measureSurfacePoints(pack, *it, m);
  addCentrelinePoints(*it, m);
  return m;
}

std::vector<Vec3> measureCentreline(const TriangleMesh& mesh, int points,
                                    const std::function<double(const Vec3&)>& orderBy,
                                    double cell) {
  const DistanceVolume volume = volumeOf(mesh, cell);
  auto [a, b] = internal::farthestEnds(volume);
  if (orderBy(a) > orderBy(b)) std::swap(a, b);
  return centrelineThrough(volume, a, b, points);
}

std::vector<Vec3> measureCentreline(const TriangleMesh& mesh, int points, const Vec3& from,
                                    const Vec3& to, double cell) {
  return centrelineThrough(volumeOf(mesh, cell), from, to, points);
}

}  // namespace pneuma::survey
