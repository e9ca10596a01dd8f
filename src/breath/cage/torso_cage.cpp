#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "breath/cage/torso_mesh.h"

/// The wall of the chest, its muscles and cartilages.
namespace pneuma::breath::internal {
namespace {

constexpr double kFirstFibre = 0.10, kLastFibre = 0.88;  // along the rib, from the head
// Fibres per layer and side in spaces 1 .. 9: 129, so that all four sets have 516.
constexpr std::array<int, 9> kFibres{14, 14, 14, 14, 15, 15, 15, 14, 14};

/// Points of one level of the cage: middle of the spine, samples of the rib, middle of the sternum.
struct Level {
  PointRef spine, sternum;
  std::array<std::vector<PointRef>, 2> rib;
};

/// Inner side of a rib at sample s of refinement 1: on the straight pieces that the anatomy
/// measures the cavity by, so that its volume and what a turn adds to it are the same on every
/// mesh.
Vec3 innerAt(const TorsoAnatomy& a, const RibAnatomy& rib, double s) {
  const auto at = [&](double k) { return innerPoint(a, rib, k / anatomy::kRibSamples); };
  const double before = std::min(std::floor(s), anatomy::kRibSamples - 1.0), t = s - before;
  return (1 - t) * at(before) + t * at(before + 1);
}

std::vector<Level> makeLevels(const TorsoAnatomy& a, int refinement, TorsoMesh& mesh) {
  std::vector<Level> levels(kRibCount);
  const int samples = anatomy::kRibSamples * refinement;
  for (int i = 0; i < kRibCount; ++i) {
    const RibAnatomy& rib = a.ribs[static_cast<std::size_t>(i)];
    Level& level = levels[static_cast<std::size_t>(i)];
    level.spine = mesh.addBonePoint(thoracicBone(i + 1), spinePoint(a, i + 1));
    if (i < 7) level.sternum = mesh.addBonePoint(kSternumBone, sternumPoint(a, i + 1));
    for (int side = 0; side < 2; ++side)
      for (int k = 0; k <= samples; ++k)
        level.rib[static_cast<std::size_t>(side)].push_back(
            mesh.addBonePoint(ribBone(i + 1, side),
                              onSide(innerAt(a, rib, static_cast<double>(k) / refinement), side)));
  }
  return levels;
}

/// The quad below-left .. above-right of one side; side 0 as seen from outside, side 1 mirrored.
void addQuad(std::vector<TrianglePoints>& faces, PointRef upperBack, PointRef upperFront,
             PointRef lowerBack, PointRef lowerFront, int side) {
  // On the left side, seen from outside, the front lies to the left.
  TrianglePoints p{upperBack, lowerFront, lowerBack}, q{upperBack, upperFront, lowerFront};
  if (side == 1) {
    std::swap(p[1], p[2]);
    std::swap(q[1], q[2]);
  }
  faces.push_back(p);
  faces.push_back(q);
}

/// Level as a line from spine to front.
std::vector<PointRef> lineOf(const Level& level, int side, bool withSternum) {
  std::vector<PointRef> line{level.spine};
  const auto& rib = level.rib[static_cast<std::size_t>(side)];
  line.insert(line.end(), rib.begin(), rib.end());
  if (withSternum) line.push_back(level.sternum);
  return line;
}

void addCageWall(const std::vector<Level>& levels, TorsoMesh& mesh) {
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i + 1 < kRibCount; ++i) {
      const bool full = i + 1 < 7;  // both levels reach the sternum
      const auto upper = lineOf(levels[static_cast<std::size_t>(i)], side, full);
      const auto lower = lineOf(levels[static_cast<std::size_t>(i + 1)], side, full);
      for (std::size_t k = 0; k + 1 < upper.size(); ++k)
        addQuad(mesh.cageFaces, upper[k], upper[k + 1], lower[k], lower[k + 1], side);
    }
    // The opening above rib 1: a fan around the spine.
    const auto top = lineOf(levels.front(), side, true);
    for (std::size_t k = 1; k + 1 < top.size(); ++k) {
      TrianglePoints t{top[0], top[k + 1], top[k]};
      if (side == 1) std::swap(t[1], t[2]);
      mesh.cageFaces.push_back(t);
    }
  }
}

// The diaphragm lies on ribs 8 to 10 from their ends to this part of them.
constexpr int kApposedRib = 8;
constexpr double kApposedFrom = 0.35;
constexpr std::size_t kApposedEnd = 2;  // of rib 8 in the lower border of the cage

/// The sample of a rib where the zone ends behind.
std::size_t apposedSample(const Level& level) {
  return static_cast<std::size_t>(
      std::lround(kApposedFrom * static_cast<double>(level.rib[0].size() - 1)));
}

/// Triangles between the lower border of the cage and the rim, for one side. Both run from the
/// front to the back; `at` gives their columns. Those at the border from kApposedEnd to `back` are
/// part of the zone of apposition.
void addStrip(const std::vector<PointRef>& cage, const std::vector<double>& cageAt,
              const std::vector<PointRef>& rim, const std::vector<double>& rimAt, std::size_t back,
              int side, TorsoMesh& mesh) {
  TorsoMesh::Apposed& apposed = mesh.apposed[static_cast<std::size_t>(side)];
  apposed.front = apposed.back = -1;
  std::size_t i = 0, j = 0;
  while (i + 1 < cage.size() || j + 1 < rim.size()) {
    if (i == kApposedEnd && apposed.front < 0) apposed.front = static_cast<int>(j);
    if (i == back && apposed.back < 0) apposed.back = static_cast<int>(j);
    const bool within = i >= kApposedEnd;
    const bool advanceCage =
        j + 1 == rim.size() || (i + 1 < cage.size() && cageAt[i + 1] <= rimAt[j + 1]);
    TrianglePoints t = advanceCage ? TrianglePoints{cage[i], rim[j], cage[i + 1]}
                                   : TrianglePoints{cage[i], rim[j], rim[j + 1]};
    if (side == 1) std::swap(t[1], t[2]);
    mesh.cageFaces.push_back(t);
    if (within && i < back) apposed.faces.push_back(t);
    advanceCage ? ++i : ++j;
  }
}

void addStrips(const std::vector<Level>& levels, int refinement, TorsoMesh& mesh) {
  for (int side = 0; side < 2; ++side) {
    const auto s = static_cast<std::size_t>(side);
    std::vector<PointRef> cage{levels[6].sternum};
    std::vector<double> cageAt{0};
    for (int i = 6; i < kRibCount; ++i) {  // ends of ribs 7 .. 10
      cage.push_back(levels[static_cast<std::size_t>(i)].rib[s].back());
      cageAt.push_back(i == 6 ? 6.5 : i + 1);
    }
    const auto& last = levels.back().rib[s];
    for (std::size_t k = last.size() - 1; k-- > 0;) {
      cage.push_back(last[k]);
      cageAt.push_back(kHalfColumns -
                       6.0 * static_cast<double>(k) / static_cast<double>(last.size() - 1));
    }
    cage.push_back(levels.back().spine);
    cageAt.push_back(kHalfColumns);
    std::vector<PointRef> rim;
    std::vector<double> rimAt;
    for (int c = 0; c <= kHalfColumns * refinement; ++c) {
      const int column = side == 0 ? c : (mesh.columns - c) % mesh.columns;
      rim.push_back(mesh.rim[static_cast<std::size_t>(column)]);
      rimAt.push_back(static_cast<double>(c) / refinement);
    }
    addStrip(cage, cageAt, rim, rimAt, 4 + last.size() - 1 - apposedSample(levels.back()), side,
             mesh);
  }
}

/// The zone between ribs, and its border: up to the end of rib 8, back along it, down.
void addApposedRibs(const std::vector<Level>& levels, TorsoMesh& mesh) {
  for (std::size_t side = 0; side < 2; ++side) {
    TorsoMesh::Apposed& apposed = mesh.apposed[side];
    const std::size_t from = apposedSample(levels.back());
    const auto rib = [&](int level) -> const std::vector<PointRef>& {
      return levels[static_cast<std::size_t>(level - 1)].rib[side];
    };
    for (int level = kApposedRib; level < kRibCount; ++level)
      for (std::size_t k = from; k + 1 < rib(level).size(); ++k)
        addQuad(apposed.faces, rib(level)[k], rib(level)[k + 1], rib(level + 1)[k],
                rib(level + 1)[k + 1], static_cast<int>(side));
    for (std::size_t k = rib(kApposedRib).size(); k-- > from;)
      apposed.border.push_back(rib(kApposedRib)[k]);
    for (int level = kApposedRib + 1; level <= kRibCount; ++level)
      apposed.border.push_back(rib(level)[from]);
  }
}

/// Every `stride`-th sample of the ribs, so that the loop's middle is the same on every mesh.
void addGirth(Level level, bool withSternum, int stride, std::vector<PointRef>& loop) {
  for (auto& rib : level.rib) {
    std::vector<PointRef> coarse;
    for (std::size_t k = 0; k < rib.size(); k += static_cast<std::size_t>(stride))
      coarse.push_back(rib[k]);
    rib = coarse;
  }
  const auto left = lineOf(level, 0, withSternum);
  const auto right = lineOf(level, 1, withSternum);
  loop.insert(loop.end(), left.begin(), left.end());
  const std::size_t shared = withSternum ? 1 : 0;
  for (std::size_t k = right.size() - shared; k-- > 1;) loop.push_back(right[k]);
}

/// Point on the lower or upper edge of a rib.
Vec3 onEdge(const RibAnatomy& rib, double s, double down) {
  return alongLine(rib.centerline, s) - down * rib.radius * Vec3::UnitY();
}

/// Thickness of the external layer along a rib over its mean, u from 0 at the tubercle to 1 at the
/// cartilage.
double externalThickness(const TorsoConfig& config, double u) {
  return (1 + config.externalTaper) * std::pow(1 - u, config.externalTaper);
}

/// External fibres run down and forward, internal ones down and backward, both at about 45 degrees.
void addIntercostals(const TorsoAnatomy& a, const TorsoConfig& config, TorsoMesh& mesh) {
  for (int space = 1; space <= 9; ++space) {
    const RibAnatomy& upper = a.ribs[static_cast<std::size_t>(space - 1)];
    const RibAnatomy& lower = a.ribs[static_cast<std::size_t>(space)];
    const double upperLength = lineLength(upper.centerline);
    const double lowerLength = lineLength(lower.centerline);
    const int fibres =
        kFibres[static_cast<std::size_t>(space - 1)] * config.refinement * config.refinement;
    const double spacing = (kLastFibre - kFirstFibre) / fibres;
    for (int layer = 0; layer < 2; ++layer)
      for (int side = 0; side < 2; ++side)
        for (int k = 0; k < fibres; ++k) {
          const double s = kFirstFibre + (k + 0.5) * spacing;
          const double gap =
              (alongLine(upper.centerline, s) - alongLine(lower.centerline, s)).norm();
          const double shift = (layer == 0 ? 0.5 : -0.5) * gap;
          const PointRef p = mesh.addBonePoint(
              ribBone(space, side), onSide(onEdge(upper, s - shift / upperLength, 1), side));
          const PointRef q = mesh.addBonePoint(
              ribBone(space + 1, side), onSide(onEdge(lower, s + shift / lowerLength, -1), side));
          mesh.addSpring(
              p, q,
              layer == 0 ? MuscleGroup::ExternalIntercostal : MuscleGroup::InternalIntercostal,
              (layer == 0 ? channel::kExternal : channel::kInternal) + space - 1,
              spacing * 0.5 * (upperLength + lowerLength) *
                  (layer == 0 ? externalThickness(config, (k + 0.5) / fibres) : 1));
        }
  }
}

/// Scalenes: anterior and medius from C4-C6 to rib 1, posterior from C6-C7 to rib 2. They hold up
/// the ribs against which the intercostals pull. Two of six springs a side reach rib 2.
void addScalenes(const TorsoAnatomy& a, TorsoMesh& mesh) {
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 6; ++k) {
      const int rib = k < 4 ? 1 : 2;
      const int level = k < 4 ? 4 + k % 3 : 6 + k % 2;
      const Vec3 cervical = a.vertebrae[static_cast<std::size_t>(level - 1)];
      const double s = k < 4 ? 0.45 + 0.1 * k : 0.35 + 0.1 * (k - 4);
      const PointRef p = mesh.addBonePoint(fmt::format("vertebra_c{}", level),
                                           onSide(cervical + Vec3(0.022, 0, -0.003), side));
      const PointRef q = mesh.addBonePoint(
          ribBone(rib, side),
          onSide(alongLine(a.ribs[static_cast<std::size_t>(rib - 1)].centerline, s), side));
      mesh.addSpring(p, q, MuscleGroup::Scalene, channel::kScalene, 0);
    }
}

/// Levatores costarum: from the transverse process above each rib to the rib beside its angle. They
/// lift a rib from the spine, without squeezing its neighbours as the intercostals do.
void addLevators(const TorsoAnatomy& a, TorsoMesh& mesh) {
  constexpr double kProcess = 0.026, kInsertion = 0.2;  // [m] along the neck axis; of the rib
  for (int level = 2; level <= kRibCount; ++level)
    for (int side = 0; side < 2; ++side) {
      const RibAnatomy& above = a.ribs[static_cast<std::size_t>(level - 2)];
      const RibAnatomy& rib = a.ribs[static_cast<std::size_t>(level - 1)];
      const Vec3 outward = above.neckAxis.x() < 0 ? Vec3(-above.neckAxis) : above.neckAxis;
      const PointRef p =
          mesh.addBonePoint(thoracicBone(level - 1), onSide(above.head + kProcess * outward, side));
      const PointRef q = mesh.addBonePoint(ribBone(level, side),
                                           onSide(alongLine(rib.centerline, kInsertion), side));
      mesh.addSpring(p, q, MuscleGroup::Levator, channel::kLevator + level - 2, 0);
    }
}

/// The end of a rib held where the sternum, or the rib above, would carry it. Sideways and up the
/// angle between rib and cartilage opens, and a single cartilage bends. Forward the sternum with
/// the cartilages of both sides is a closed arch that the ribs push: a spring along that direction
/// does not see the cartilage.
void addBendingCartilages(const TorsoAnatomy& a, bool arch, TorsoMesh& mesh) {
  constexpr double kLength = 0.8;  // of the forward spring, far beyond any way across it [m]
  for (int i = 0; i < kRibCount; ++i)
    for (int side = 0; side < 2; ++side) {
      const RibAnatomy& rib = a.ribs[static_cast<std::size_t>(i)];
      const bool isTrue = i < 7;
      const Vec3 end = onSide(rib.cartilageOnRib, side), head = onSide(rib.head, side);
      const Vec3 front = onSide(
          isTrue ? rib.cartilageOnSternum : a.ribs[static_cast<std::size_t>(i - 1)].cartilageOnRib,
          side);
      const std::string bone = isTrue ? kSternumBone : ribBone(i, side);
      const PointRef ribEnd = mesh.addBonePoint(ribBone(i + 1, side), end);
      CartilageSpec pin{ribEnd, mesh.addBonePoint(bone, end), (end - front).norm(),
                        (end - head).norm()};
      // The first is a thick piece that makes one of rib and manubrium; those of the arch join
      // neighbours whose heads give way alike. Sizes recalled.
      if (i == 0) pin.wide = 0.018, pin.thick = 0.013;
      if (i == 0 || !isTrue) pin.reach = 0;
      mesh.cartilagePins.push_back(pin);
      if (!isTrue || !arch) continue;
      mesh.sternumArch.push_back({ribEnd, mesh.addBonePoint(bone, end + kLength * Vec3::UnitZ()),
                                  kLength, std::abs(end.x() - head.x())});
    }
}

/// Four springs tie the end of each true rib to the sternum; ribs 8-10 hang on the rib above.
void addCartilages(const TorsoAnatomy& a, TorsoMesh& mesh) {
  const auto passive = [&](PointRef p, PointRef q) {
    mesh.addSpring(p, q, MuscleGroup::Cartilage, channel::kPassive, 0);
  };
  for (int i = 0; i < kRibCount; ++i)
    for (int side = 0; side < 2; ++side) {
      const RibAnatomy& rib = a.ribs[static_cast<std::size_t>(i)];
      const Vec3 edge(0, 1.5 * rib.radius, 0);
      const auto onRib = [&](double sign) {
        return mesh.addBonePoint(ribBone(i + 1, side),
                                 onSide(rib.cartilageOnRib + sign * edge, side));
      };
      const PointRef up = onRib(1), low = onRib(-1);
      const bool isTrue = i < 7;
      const RibAnatomy& above = a.ribs[static_cast<std::size_t>(isTrue ? i : i - 1)];
      const Vec3 target = isTrue ? rib.cartilageOnSternum : above.cartilageOnRib;
      const std::string bone = isTrue ? kSternumBone : ribBone(i, side);
      const PointRef targetUp = mesh.addBonePoint(bone, onSide(target + edge, side));
      const PointRef targetLow = mesh.addBonePoint(bone, onSide(target - edge, side));
      passive(up, targetUp);
      passive(low, targetLow);
      passive(up, targetLow);
      passive(low, targetUp);
    }
}

/// The spine stands on springs at the loins and at the back rest of a low chair.
void addGround(const TorsoAnatomy& a, TorsoMesh& mesh) {
  for (const Vec3& level : {a.vertebrae.back(), a.thoracic(8)})
    for (const double x : {0.04, -0.04}) {
      const Vec3 p = level + Vec3(x, 0, 0);
      mesh.groundPins.emplace_back(mesh.addBonePoint(columnBone(a, level.y()), p),
                                   mesh.addFixed(p));
    }
}

}  // namespace

void addCage(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh) {
  const std::vector<Level> levels = makeLevels(anatomy, config.refinement, mesh);
  addCageWall(levels, mesh);
  addStrips(levels, config.refinement, mesh);
  addApposedRibs(levels, mesh);
  addGirth(levels[3], true, config.refinement, mesh.girths[0]);
  addGirth(levels[7], false, config.refinement, mesh.girths[1]);
  mesh.sternumMid =
      mesh.addBonePoint(kSternumBone, 0.5 * (anatomy.manubriosternal + anatomy.xiphisternal));
  mesh.xiphoid = mesh.addBonePoint(kSternumBone, anatomy.xiphoidTip);
}

void addRibMuscles(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh) {
  addIntercostals(anatomy, config, mesh);
  addScalenes(anatomy, mesh);
  addLevators(anatomy, mesh);
  switch (config.cartilage) {
    case CartilageKind::Bending:
      addBendingCartilages(anatomy, config.sternumArch, mesh);
      break;
    case CartilageKind::FourSprings:
      addCartilages(anatomy, mesh);
      break;
  }
  if (config.ground) addGround(anatomy, mesh);
}

}  // namespace pneuma::breath::internal
