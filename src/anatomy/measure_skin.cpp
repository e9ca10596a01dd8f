// The skin of the body in pieces that overlap, each a few fitted ellipsoids.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/distance_volume.h"
#include "anatomy/shape_fit.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/measure.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace {

using internal::DistanceVolume;

/// Where a piece of the skin lies and how finely it is measured.
struct SkinPiece {
  const char* name;
  bool paired;
  Box window;  ///< [m]
  double spacing;
  int ellipsoids, cuts;
  double blend;
};

Box window(const Vec3& low, const Vec3& high) {
  Box b;
  b.add(low);
  b.add(high);
  return b;
}

/// Heights are those of the measured man (1.657 m).
const std::vector<SkinPiece>& skinPieces() {
  static const std::vector<SkinPiece> all = {
      {"skin_trunk", false, window({-0.3, 0.79, -0.2}, {0.3, 1.47, 0.4}), 0.0055, 56, 6, 0.012},
      {"skin_head", false, window({-0.115, 1.395, -0.2}, {0.115, 1.8, 0.4}), 0.0026, 90, 14, 0.004},
      {"skin_ears", false, window({-0.2, 1.4, -0.2}, {0.2, 1.7, 0.4}), 0.0016, 12, 1, 0.0015},
      {"skin_arm_l", true, window({0.09, 0.795, -0.2}, {0.5, 1.45, 0.4}), 0.004, 22, 0, 0.012},
      {"skin_hand_l", true, window({0.17, 0.5, -0.2}, {0.5, 0.85, 0.4}), 0.0022, 56, 2, 0.0016},
      {"skin_leg_l", true, window({0.0, 0.085, -0.2}, {0.2, 0.9, 0.4}), 0.0055, 28, 0, 0.015},
      {"skin_foot_l", true, window({0.0, -0.1, -0.2}, {0.3, 0.14, 0.4}), 0.003, 36, 2, 0.003},
  };
  return all;
}

double outsideBox(const Box& box, const Vec3& p) {
  return std::max((box.min - p).maxCoeff(), (p - box.max).maxCoeff());
}

/// How far the arm reaches into the trunk: a broad overlap at the shoulder, below the armpit a gap
/// (the source skin is fused there).
double armOverlap(double height) {
  const double s = std::clamp((height - 1.235) / 0.05, 0.0, 1.0);
  return -0.003 + 0.038 * s * s * (3 - 2 * s);
}

/// The front of the crotch is left plain.
double crotchRegion(const Vec3& p) {
  const Vec3 q = (p - Vec3(0, 0.755, 0.165)).cwiseQuotient(Vec3(0.055, 0.095, 0.07));
  return (q.norm() - 1) * 0.05;
}

/// Distance volume of one piece: the skin within its window.
class SkinSource {
 public:
  explicit SkinSource(const AnatomyPack& pack)
      : skin_{pack.mesh("skin_outer")},
        torso_{pack.mesh("torso_outer")},
        ears_{pack.mesh("ears")} {}

  DistanceVolume volume(const SkinPiece& piece, bool rightSide) const {
    const std::string name = piece.name;
    const std::vector<TriangleMesh>& source = name == "skin_trunk"  ? torso_
                                              : name == "skin_ears" ? ears_
                                                                    : skin_;
    Box box = boundingBox(source[0].positions);
    box.min = box.min.cwiseMax(piece.window.min);
    box.max = box.max.cwiseMin(piece.window.max);
    box.min.array() -= 8 * piece.spacing;
    box.max.array() += 8 * piece.spacing;
    DistanceVolume d(box, 0.5 * piece.spacing, 0);
    std::vector<TriangleMesh> meshes = source, torso = torso_;
    if (rightSide)
      for (auto* list : {&meshes, &torso})
        for (TriangleMesh& m : *list) m = mirroredMesh(m);
    fillDistances(meshes, d);
    DistanceVolume trunk;
    if (name == "skin_arm_l") {
      trunk = DistanceVolume(box, 0.004, 0);
      fillDistances(torso, trunk);
    }
    parallelFor(d.values().size(), 65536, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3 p = d.position(i);
        double v = std::max(static_cast<double>(d.at(i)), outsideBox(piece.window, p));
        if (name == "skin_arm_l") v = std::max(v, -trunk.sample(p) - armOverlap(p.y()));
        if (name == "skin_leg_l") v = std::max(v, -crotchRegion(p));
        d.at(i) = static_cast<float>(v);
      }
    });
    return d;
  }

 private:
  std::vector<TriangleMesh> skin_, torso_, ears_;
};

/// Average of two volumes on the same grid.
void averageInto(DistanceVolume& a, const DistanceVolume& b) {
  for (std::size_t i = 0; i < a.values().size(); ++i) a.at(i) = 0.5f * (a.at(i) + b.at(i));
}

}  // namespace

std::vector<std::string> measurableSkin() {
  std::vector<std::string> names;
  for (const SkinPiece& p : skinPieces()) names.emplace_back(p.name);
  return names;
}

Measurement measureSkin(const AnatomyPack& pack, const std::string& name) {
  const auto& pieces = skinPieces();
  const auto it = std::find_if(pieces.begin(), pieces.end(),
                               [&](const SkinPiece& p) { return name == p.name; });
  if (it == pieces.end())
    throw InputError(Diagnostic{.message = "no piece of skin '" + name + "'",
                                .nearest = nearestName(name, measurableSkin())});
  const SkinSource source(pack);
  DistanceVolume volume = source.volume(*it, false);
  if (it->paired)
    averageInto(volume, source.volume(*it, true));
  else
    volume = internal::mirrorAverage(volume, volume);
  Measurement m;
  m.name = it->name;
  m.group = "skin";
  m.mirror = it->paired;
  m.volume = volume.volume();
  internal::ShapeFitReport report;
  m.shape = internal::fitShape(volume, {},
                               {.ellipsoids = it->ellipsoids,
                                .cuts = it->cuts,
                                .spacing = it->spacing,
                                .band = 2 * it->spacing,
                                .blend = it->blend,
                                .thinnest = 0.001,
                                .symmetric = !it->paired},
                               &report);
  m.fitError = report.rmsError;
  return m;
}

}  // namespace pneuma::anatomy
