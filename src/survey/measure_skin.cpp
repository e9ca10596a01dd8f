// The skin of the body in pieces that overlap, each a few fitted ellipsoids.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "anatomy/shape/distance_volume.h"
#include "anatomy/shape/shape_field.h"
#include "anatomy/shape/smooth_step.h"
#include "anatomy/skin/skin_relief.h"
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
      {"skin_neck", false, window({-0.085, 1.36, -0.2}, {0.085, 1.5, 0.4}), 0.004, 30, 0, 0.006},
      {"skin_arm_l", true, window({0.09, 0.795, -0.2}, {0.5, 1.45, 0.4}), 0.004, 26, 0, 0.012},
      {"skin_hand_l", true, window({0.197, 0.5, -0.2}, {0.5, 0.85, 0.4}), 0.0022, 56, 2, 0.0016},
      {"skin_leg_l", true, window({0.0, 0.085, -0.2}, {0.2, 0.72, 0.4}), 0.0055, 26, 0, 0.015},
      {"skin_foot_l", true, window({0.0, -0.1, -0.2}, {0.3, 0.14, 0.4}), 0.003, 54, 4, 0.003},
  };
  return all;
}

/// The neck ends a little above the rim of the measured heads, within them.
double aboveNeck(const Vec3& p) {
  constexpr double kBelowBorder = 0.012;  // [m]
  return (p.y() - (internal::neckBorder(p.z()) - kBelowBorder)) / std::hypot(1.0, 0.55);
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
  explicit SkinSource(const AnatomyPack& pack)
      : skin_{pack.mesh("skin_outer")}, torso_{pack.mesh("torso_outer")} {}

  /// Left and right averaged.
  DistanceVolume average(const SkinPiece& piece) const {
    DistanceVolume left = volume(piece, false);
    if (!piece.paired) return anatomy::internal::mirrorAverage(left, left);
    const DistanceVolume right = volume(piece, true);
    for (std::size_t i = 0; i < left.values().size(); ++i)
      left.at(i) = 0.5f * (left.at(i) + right.at(i));
    return left;
  }

 private:
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
    DistanceVolume trunk;
    if (name == "skin_arm_l" || name == "skin_trunk") {
      trunk = DistanceVolume(box, name == "skin_trunk" ? d.cell() : 0.004, 0);
      fillDistances(torso, trunk);
    }
    parallelFor(d.values().size(), 65536, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3 p = d.position(i);
        double v = d.at(i);
        if (name == "skin_neck") v = std::max(v, aboveNeck(p));
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

  std::vector<TriangleMesh> skin_, torso_;
};

const SkinPiece& pieceOf(const std::string& name) {
  const auto& pieces = skinPieces();
  const auto it = std::ranges::find_if(pieces, [&](const SkinPiece& p) { return name == p.name; });
  if (it == pieces.end())
    throw InputError(Diagnostic{.message = "no piece of skin '" + name + "'",
                                .nearest = nearestName(name, measurableSkin())});
  return *it;
}

// --- relief ----------------------------------------------------------------------------------

/// Where the ray from `from` first leaves the inside of a field.
Vec3 wayOut(const std::function<double(const Vec3&)>& distance, const Vec3& from,
            const Vec3& direction) {
  constexpr double kStep = 0.001, kMost = 0.35;  // [m]
  double inside = 0, outside = kMost;
  for (double s = kStep; s < kMost; s += kStep) {
    if (distance(from + s * direction) > 0) {
      outside = s;
      break;
    }
    inside = s;
  }
  if (outside == kMost) return from;
  for (int k = 0; k < 12; ++k) {
    const double middle = 0.5 * (inside + outside);
    (distance(from + middle * direction) > 0 ? outside : inside) = middle;
  }
  return from + outside * direction;
}

/// The pieces of skin that a table lies on, as one: the trunk's reaches down to the thighs.
DistanceVolume skinAround(const SkinSource& source, const anatomy::internal::ReliefFrame& frame) {
  if (frame.arm) return source.average(pieceOf("skin_arm_l"));
  DistanceVolume trunk = source.average(pieceOf("skin_trunk"));
  if (frame.half) return trunk;
  const DistanceVolume leg = source.average(pieceOf("skin_leg_l"));
  Box box;
  box.add(Vec3(-0.02, frame.low - 0.02, -0.1));
  box.add(Vec3(0.25, frame.high + 0.02, 0.25));
  DistanceVolume both(box, trunk.cell(), 0);
  for (std::size_t i = 0; i < both.values().size(); ++i)
    both.at(i) =
        static_cast<float>(std::min(trunk.sample(both.position(i)), leg.sample(both.position(i))));
  return both;
}

/// How far the measured skin lies outside of itself smoothed, as the skin of a person is.
Measurement measureRelief(const AnatomyPack& pack, const anatomy::internal::ReliefFrame& frame) {
  constexpr double kSpread = 0.0064;              // standard deviation of the skin's smoothing [m]
  constexpr double kMost = 0.009, kNone = 0.014;  // farther off is another piece, or a cut [m]
  const DistanceVolume skin = skinAround(SkinSource(pack), frame);
  DistanceVolume smoothed = skin;
  // A pass of the weights 1, 2, 1 has the variance of half a cell squared.
  smoothen(smoothed, static_cast<int>(std::lround(2 * std::pow(kSpread / skin.cell(), 2))));
  const auto distance = [&](const Vec3& p) { return skin.sample(p); };
  std::vector<double> heights;
  double sum = 0;
  for (int i = 0; i < frame.rows; ++i)
    for (int j = 0; j < frame.columns; ++j) {
      const double y = frame.low + (frame.high - frame.low) * i / (frame.rows - 1);
      const double angle = frame.angleOf(j);
      const Vec3 p = wayOut(distance, frame.axisAt(y), Vec3(std::sin(angle), 0, std::cos(angle)));
      const double h = smoothed.sample(p);
      heights.push_back(h * (1 - smoothStep(kMost, kNone, std::abs(h))));
      sum += heights.back() * heights.back();
    }
  Measurement m;
  m.name = frame.piece;
  m.group = "relief";
  m.mirror = !frame.half;
  m.shape.symmetric = frame.half;
  m.shape.parts.push_back(anatomy::internal::packedHeights(frame, heights));
  m.fitError = std::sqrt(sum / static_cast<double>(heights.size()));
  return m;
}

}  // namespace

std::vector<std::string> measurableSkin() {
  std::vector<std::string> names;
  for (const SkinPiece& p : skinPieces()) names.emplace_back(p.name);
  for (const anatomy::internal::ReliefFrame& f : anatomy::internal::reliefFrames())
    names.emplace_back(f.piece);
  names.insert(names.end(), {internal::kHeadImage, internal::kHeadImageFemale});
  return names;
}

// Heads come from characters, whose faces are modelled in full, as tables of points; everything
// else from the pack, whose skin is scanned: solids, and tables of what these do not show.
Measurement measureSkin(const AnatomyPack& pack, const std::string& name,
                        const std::filesystem::path& characters) {
  if (name == internal::kHeadImage || name == internal::kHeadImageFemale) {
    if (characters.empty())
      throw InputError(Diagnostic{.subject = name,
                                  .message = "needs a folder of character bodies",
                                  .expected = "--characters DIR"});
    return internal::measureHeadImage(pack, name, characters);
  }
  for (const anatomy::internal::ReliefFrame& f : anatomy::internal::reliefFrames())
    if (name == f.piece) return measureRelief(pack, f);
  const SkinPiece& piece = pieceOf(name);
  const DistanceVolume volume = SkinSource(pack).average(piece);
  Measurement m;
  m.name = piece.name;
  m.group = "skin";
  m.mirror = piece.paired;
  m.volume = volume.volume();
  internal::ShapeFitReport report;
  m.shape = internal::fitShape(volume, {},
                               {.ellipsoids = piece.ellipsoids,
                                .cuts = piece.cuts,
                                .spacing = piece.spacing,
                                .band = 2 * piece.spacing,
                                .blend = piece.blend,
                                .thinnest = 0.001,
                                .symmetric = !piece.paired},
                               &report);
  m.fitError = report.rmsError;
  return m;
}

}  // namespace pneuma::survey
