// The skin of the body in pieces that overlap, each a few fitted ellipsoids.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/shape/distance_volume.h"
#include "anatomy/shape/shape_field.h"
#include "anatomy/shape/smooth_step.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "pneuma/survey/measure.h"
#include "survey/head_image.h"
#include "survey/measure_head.h"
#include "survey/shape_fit.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using anatomy::internal::DistanceVolume;
using anatomy::internal::smoothStep;

constexpr const char* kHead = "skin_head";
constexpr const char* kHeadFemale = "skin_head_female";

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

/// Heights are those of the measured man (1.657 m). The trunk reaches down to the thighs.
const std::vector<SkinPiece>& skinPieces() {
  static const std::vector<SkinPiece> all = {
      {"skin_trunk", false, window({-0.3, 0.61, -0.2}, {0.3, 1.47, 0.4}), 0.0055, 76, 8, 0.012},
      {kHead, false, window({-0.115, 1.395, -0.2}, {0.115, 1.8, 0.4}), 0.0022, 130, 24, 0.003},
      {kHeadFemale, false, window({-0.115, 1.395, -0.2}, {0.115, 1.8, 0.4}), 0.0022, 130, 24,
       0.003},
      {"skin_arm_l", true, window({0.09, 0.795, -0.2}, {0.5, 1.45, 0.4}), 0.004, 26, 0, 0.012},
      {"skin_hand_l", true, window({0.197, 0.5, -0.2}, {0.5, 0.85, 0.4}), 0.0022, 56, 2, 0.0016},
      {"skin_leg_l", true, window({0.0, 0.085, -0.2}, {0.2, 0.72, 0.4}), 0.0055, 26, 0, 0.015},
      {"skin_foot_l", true, window({0.0, -0.1, -0.2}, {0.3, 0.14, 0.4}), 0.003, 54, 4, 0.003},
  };
  return all;
}

double outsideBox(const Box& box, const Vec3& p) {
  return std::max((box.min - p).maxCoeff(), (p - box.max).maxCoeff());
}

/// How far the arm reaches into the trunk: a broad overlap at the shoulder, below the armpit a gap
/// (the source skin is fused there).
double armOverlap(double height) {
  return -0.008 + 0.043 * smoothStep(1.225, 1.29, height);
}

/// The source's trunk ends above the groin: lower down, what is not beside the hip is no arm.
double besideHip(const Vec3& p) {
  return p.y() < 0.9 ? 0.195 - p.x() : -1.0;
}

/// Depth [m] beyond which nothing is skin near the mid-plane: the groin is left plain. From the
/// pubic mound the limit bends back to the perineum; the thighs beside it stay whole.
double groinLimit(const Vec3& p) {
  const double u = 0.84 - p.y(), x = std::sqrt(p.x() * p.x() + 2.5e-5);
  const double mound = 0.184 - 0.35 * u - 9 * u * u + 12 * x * x;
  const double thigh = 0.112 + 1.15 * x;
  return -anatomy::internal::smoothMinimum(-mound, -thigh, 0.012).value;
}

/// The lower trunk with the thighs: hands and whatever hangs at the groin left away.
double lowerTrunk(double skin, const Vec3& p) {
  const double d = std::max(skin, std::abs(p.x()) - 0.192);
  if (p.y() > 0.84 || p.y() < 0.6) return d;
  const double fade = 0.06 * (smoothStep(0.82, 0.84, p.y()) + 1 - smoothStep(0.66, 0.7, p.y()));
  return -anatomy::internal::smoothMinimum(-d, groinLimit(p) + fade - p.z(), 0.01).value;
}

/// Distance volume of one piece: the skin within its window.
class SkinSource {
 public:
  SkinSource(const AnatomyPack& pack, std::filesystem::path characters)
      : skin_{pack.mesh("skin_outer")},
        torso_{pack.mesh("torso_outer")},
        characters_(std::move(characters)) {}

  DistanceVolume volume(const SkinPiece& piece, bool rightSide) const {
    const std::string name = piece.name;
    Box box = boundingBox(skin_[0].positions);
    box.min = box.min.cwiseMax(piece.window.min);
    box.max = box.max.cwiseMin(piece.window.max);
    box.min.array() -= 8 * piece.spacing;
    box.max.array() += 8 * piece.spacing;
    DistanceVolume d(box, 0.5 * piece.spacing, 0);
    std::vector<TriangleMesh> meshes = skin_, torso = torso_;
    if (rightSide)
      for (auto* list : {&meshes, &torso})
        for (TriangleMesh& m : *list) m = mirroredMesh(m);
    fillDistances(meshes, d);
    if (name.starts_with(kHead) && !characters_.empty())
      internal::putHeadOn(d, skin_[0], characters_,
                          name == kHead ? "male_average" : "female_average");
    DistanceVolume trunk;
    if (name == "skin_arm_l" || name == "skin_trunk") {
      trunk = DistanceVolume(box, name == "skin_trunk" ? d.cell() : 0.004, 0);
      fillDistances(torso, trunk);
    }
    parallelFor(d.values().size(), 65536, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3 p = d.position(i);
        double v = d.at(i);
        if (name == "skin_arm_l")
          v = std::max({v, -trunk.sample(p) - armOverlap(p.y()), besideHip(p)});
        if (name == "skin_trunk") {
          // The source's trunk ends above the groin; below, the whole skin is taken.
          const double upper = smoothStep(0.85, 0.9, p.y());
          v = upper * trunk.sample(p) + (1 - upper) * lowerTrunk(v, p);
        }
        d.at(i) = static_cast<float>(std::max(v, outsideBox(piece.window, p)));
      }
    });
    return d;
  }

 private:
  std::vector<TriangleMesh> skin_, torso_;
  std::filesystem::path characters_;
};

/// Average of two volumes on the same grid.
void averageInto(DistanceVolume& a, const DistanceVolume& b) {
  for (std::size_t i = 0; i < a.values().size(); ++i) a.at(i) = 0.5f * (a.at(i) + b.at(i));
}

}  // namespace

std::vector<std::string> measurableSkin() {
  std::vector<std::string> names;
  for (const SkinPiece& p : skinPieces()) names.emplace_back(p.name);
  names.insert(names.end(), {internal::kHeadImage, internal::kHeadImageFemale});
  return names;
}

// Heads come from characters, whose faces are modelled in full; everything else from the pack,
// whose skin is scanned. Both end as the same kind of shape, so the skin does not know the
// difference.
Measurement measureSkin(const AnatomyPack& pack, const std::string& name,
                        const std::filesystem::path& characters) {
  const auto& pieces = skinPieces();
  const bool image = name == internal::kHeadImage || name == internal::kHeadImageFemale;
  if ((image || name == kHeadFemale) && characters.empty())
    throw InputError(Diagnostic{.subject = name,
                                .message = "needs a folder of character bodies",
                                .expected = "--characters DIR"});
  if (image) return internal::measureHeadImage(pack, name, characters);
  const auto it = std::find_if(pieces.begin(), pieces.end(),
                               [&](const SkinPiece& p) { return name == p.name; });
  if (it == pieces.end())
    throw InputError(Diagnostic{.message = "no piece of skin '" + name + "'",
                                .nearest = nearestName(name, measurableSkin())});
  const SkinSource source(pack, characters);
  DistanceVolume volume = source.volume(*it, false);
  if (it->paired)
    averageInto(volume, source.volume(*it, true));
  else
    volume = anatomy::internal::mirrorAverage(volume, volume);
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

}  // namespace pneuma::survey
