#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "tests/verify/skin/breathing_man.h"

/// How far the skin comes in a breath, region by region, beside the bone or the wall under it.
namespace pneuma::skin {
namespace {

/// A place of the trunk: a sample of a bone or a point of the wall, and the skin over it.
struct Place {
  const char* name;
  int bone = -1;  ///< or a point of the wall
  std::size_t point = 0;
  Vec3 inside = Vec3::Zero();
  std::size_t vertex = 0;
};

/// From the emptiest to the fullest moment [m].
struct Travel {
  Vec3 inside, skin;
};

/// The skin vertex nearest to a point, of those that face as `outward`.
std::size_t skinOver(const Vec3& p, const Vec3& outward) {
  const TriangleMesh& mesh = man().surface.mesh;
  static const std::vector<Vec3> normals = vertexNormals(mesh);
  std::size_t best = 0;
  double least = 1e9;
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
    if (const double d = (mesh.positions[v] - p).norm(); d < least && normals[v].dot(outward) > 0.5)
      least = d, best = v;
  return best;
}

/// The sample of a bone that lies farthest along a direction.
Place onBone(const char* name, const char* bone, const Vec3& along) {
  Place p{.name = name};
  const auto it = std::ranges::find(man().body.bones, bone, &anatomy::Bone::name);
  p.bone = static_cast<int>(it - man().body.bones.begin());
  double most = -1e9;
  for (const BoneSample& s : man().cage)
    if (s.bone == p.bone && s.place.dot(along) > most)
      most = s.place.dot(along), p.inside = s.place;
  p.vertex = skinOver(p.inside, along.normalized());
  return p;
}

Place onWall(const char* name, double height, const Vec3& along) {
  Place p{.name = name};
  const std::span<const Vec3> wall = man().still.traces.traces().front().rest;
  double most = -1e9;
  for (std::size_t i = 0; i < wall.size(); ++i)
    if (std::abs(wall[i].y() - height) < 0.03 && wall[i].dot(along) > most)
      most = wall[i].dot(along), p.point = i, p.inside = wall[i];
  p.vertex = skinOver(p.inside, along.normalized());
  return p;
}

std::vector<Place> places() {
  const Vec3 front(0, 0, 1), side(1, 0, 0), half(1, 0, 1), back(0.3, 0, -1);
  const std::span<const Vec3> wall = man().still.traces.traces().front().rest;
  double low = 1e9, high = -1e9;
  for (const Vec3& p : wall) low = std::min(low, p.y()), high = std::max(high, p.y());
  const double middle = 0.5 * (low + high);
  return {onBone("manubrium", "manubrium", front),
          onBone("sternum", "body_of_sternum", front),
          onBone("xiphoid", "xiphoid_process", front),
          onBone("rib 2 front", "rib_02_l", front),
          onBone("rib 3 front", "rib_03_l", front),
          onBone("rib 4 front", "rib_04_l", front),
          onBone("rib 5 front", "rib_05_l", front),
          onBone("rib 4 oblique", "rib_04_l", half),
          onBone("rib 5 side", "rib_05_l", side),
          onBone("rib 7 front", "rib_07_l", front),
          onBone("rib 8 side", "rib_08_l", side),
          onBone("rib 10 side", "rib_10_l", side),
          onBone("rib 6 back", "rib_06_l", back),
          onWall("belly upper", middle + 0.06, front),
          onWall("belly", middle, front),
          onWall("belly lower", middle - 0.06, front),
          onWall("flank", middle, side)};
}

/// Everything at one moment.
struct Moment {
  double gas = 0, correction = 0;
  std::vector<Vec3> inside, skin;  ///< of each place
};

Moment look(Breather& b, const std::vector<Place>& list) {
  const SkinInputs inputs = b.now();
  const std::vector<Vec3> x = man().pose(*man().weights, inputs);
  Moment m{.gas = inputs.gas, .correction = man().weights->report().correction};
  for (const Place& p : list) {
    m.inside.push_back(p.bone >= 0 ? inputs.bones[static_cast<std::size_t>(p.bone)] * p.inside
                                   : inputs.traces.front().now[p.point]);
    m.skin.push_back(x[p.vertex]);
  }
  return m;
}

/// When the lungs of a settled breath are emptiest and then fullest [s].
std::pair<double, double> turningPoints(const char* style) {
  Breather b(man().body, style);
  const double period = 60 / test::humanStyle(style).ratePerMinute(), begin = 1.5 * period;
  double least = 1, most = -1, low = 0, high = 0;
  for (double t = begin; t < begin + 2 * period; t += 0.05) {
    b.run.run(t);
    const double gas = b.now().gas;
    if (t < begin + period && gas < least) least = gas, low = t, most = -1;
    if (t > low && gas > most) most = gas, high = t;
  }
  return {low, high};
}

/// Travel of all places from empty to full.
std::vector<Travel> travelOf(const char* style, const std::vector<Place>& list) {
  const auto [low, high] = turningPoints(style);
  Breather b(man().body, style);
  b.run.run(low);
  const Moment from = look(b, list);
  b.run.run(high);
  const Moment to = look(b, list);
  std::printf("%s: %.0f mL, correction of the volume law %.2f mm; to the left, up, forwards [mm]\n",
              style, 1e6 * (to.gas - from.gas), 1e3 * (to.correction - from.correction));
  // Bones and wall alone hold the volume: the law has next to nothing to add.
  EXPECT_LT(std::abs(to.correction - from.correction), 1e-3);
  std::vector<Travel> travel;
  for (std::size_t i = 0; i < list.size(); ++i) {
    travel.push_back({to.inside[i] - from.inside[i], to.skin[i] - from.skin[i]});
    const Vec3 in = 1e3 * travel.back().inside, on = 1e3 * travel.back().skin;
    std::printf("  %-14s inside %5.1f (%5.1f %5.1f %5.1f)   skin %5.1f (%5.1f %5.1f %5.1f)\n",
                list[i].name, in.norm(), in.x(), in.y(), in.z(), on.norm(), on.x(), on.y(), on.z());
  }
  return travel;
}

/// Markers on people: at the third and fifth cartilage 3-5 mm up and forwards in a quiet breath,
/// less to the side; at the navel forwards alone (De Groote 1997). A quiet breath moves markers by
/// less than a third of a deep one (Kaneko & Horie 2012).
TEST(BreathTravel, OfTheSkinIsThatOfPeopleAndOfWhatLiesUnderIt) {
  const std::vector<Place> list = places();
  const std::vector<Travel> quiet = travelOf("casual", list), deep = travelOf("deep", list);
  const auto at = [&](const std::vector<Travel>& all, std::string_view name) -> const Travel& {
    return all[static_cast<std::size_t>(std::ranges::find(list, name, &Place::name) -
                                        list.begin())];
  };
  const auto greatest = [](const std::vector<Travel>& all, Vec3 Travel::*part) {
    double most = 0;
    for (const Travel& t : all) most = std::max(most, (t.*part).norm());
    return most;
  };
  const auto mean = [](const std::vector<Travel>& all) {
    double sum = 0;
    for (const Travel& t : all) sum += t.skin.norm();
    return sum / static_cast<double>(all.size());
  };
  // The chest goes up and forwards, its sides outwards, the belly forwards.
  for (const std::vector<Travel>* all : {&quiet, &deep}) {
    for (const char* name : {"manubrium", "sternum", "xiphoid", "rib 2 front", "rib 3 front",
                             "rib 4 front", "rib 5 front", "rib 7 front"}) {
      EXPECT_GT(at(*all, name).skin.y(), 0) << name;
      EXPECT_GT(at(*all, name).skin.z(), 0) << name;
    }
    for (const char* name : {"rib 5 side", "rib 8 side", "rib 10 side", "flank"})
      EXPECT_GT(at(*all, name).skin.x(), 0) << name;
    // The belly's wall goes forwards; the skin over it is drawn up by that of the chest, too.
    const Travel& belly = at(*all, "belly");
    EXPECT_GT(belly.inside.z(), 1.5 * std::abs(belly.inside.y()));
    EXPECT_GT(belly.skin.z(), 0.8 * belly.inside.z());
    // Skin slides on ribs that pass one another, and so moves more evenly than they do. Without
    // that it sheared over the edge of the sternum by half of its length.
    EXPECT_LT(greatest(*all, &Travel::skin), 0.85 * greatest(*all, &Travel::inside));
    EXPECT_LT(at(*all, "rib 4 front").skin.norm() / at(*all, "sternum").skin.norm(), 1.8);
  }
  for (const char* name : {"manubrium", "sternum", "rib 2 front", "rib 3 front"}) {
    EXPECT_GT(at(quiet, name).skin.norm(), 0.003) << name;
    EXPECT_LT(at(quiet, name).skin.norm(), 0.008) << name;  // both directions together, 4.2-7.1
  }
  EXPECT_LT(mean(quiet), mean(deep) / 3);
  EXPECT_LT(greatest(deep, &Travel::skin), 0.040);
}

/// Most that an edge of skin that is flat at rest (below 20 degrees) bends anew [degrees].
double mostBent(const std::vector<Vec3>& now, const char* what) {
  const TriangleMesh& mesh = man().surface.mesh;
  const std::vector<Vec3> before = triangleNormals(mesh),
                          after = triangleNormals({now, mesh.triangles});
  const auto angle = [](const Vec3& a, const Vec3& b) {
    return radiansToDegrees(std::atan2(a.cross(b).norm(), a.dot(b)));
  };
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> seen;
  double most = 0;
  Vec3 place = Vec3::Zero();
  for (std::size_t t = 0; t < mesh.triangleCount(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      const auto other = seen.find({b, a});
      if (other == seen.end()) {
        seen[{a, b}] = t;
        continue;
      }
      const double flat = angle(before[t], before[other->second]);
      const double bent = angle(after[t], after[other->second]) - flat;
      if (flat < 20 && bent > most)
        most = bent, place = mesh.positions[static_cast<std::size_t>(a)];
    }
  std::printf("  %s: bends by %.1f degrees at (%.3f %.3f %.3f)\n", what, most, place.x(), place.y(),
              place.z());
  return most;
}

/// A breath spreads the chest, it creases nothing. With the four weights that an armature of all
/// ribs and vertebrae keeps, where an arm comes in all at once, these are 20 degrees, and 37 above
/// each nipple with 80,000 triangles.
TEST(BreathTravel, CreasesNoSkinThatIsFlat) {
  anatomy::Body bones = man().body;
  bones.muscles.clear();
  for (anatomy::Articulation& a : bones.articulations) a.muscles.clear();
  const anatomy::CompiledBody whole = anatomy::compileBody(bones, "whole").valueOrThrow();
  const auto driver =
      makeWeightsSkin(man().surface, man().body, whole, man().cache, man().still.traces.traces());
  Breather b(man().body, "deep");
  b.run.run(2.5);
  const SkinInputs inputs = b.now();
  ASSERT_GT(inputs.gas, 0.0015);
  EXPECT_LT(mostBent(man().pose(*driver, inputs), "whole"), 15);
  EXPECT_LT(mostBent(man().pose(*man().contours, inputs), "contours"), 15);
}

}  // namespace
}  // namespace pneuma::skin
