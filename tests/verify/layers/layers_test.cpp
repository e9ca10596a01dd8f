#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/stage/body_layers.h"
#include "pneuma/stage/torso_cast.h"
#include "tests/support/human_breath.h"

/// A deep breath of the default man as layers, judged by the simulated skin and bones.
namespace pneuma::stage {
namespace {

constexpr double kRate = 25;
// Gas, wall and gut take three breaths to repeat themselves to a tenth of a millimetre.
constexpr double kSettled = 20.2, kSeconds = 31.2;  // [s]

/// Recorded once for all tests.
struct Deep {
  breath::BreathSimulation run;
  FrameTrack track;
  TorsoCast torso;
  AssetInput layers;

  static breath::BreathSettings settings() {
    breath::BreathSettings s = test::humanBreath("deep");
    s.arms = true;
    return s;
  }
  Deep() : run(settings()), track(torsoLayout(run)), torso(run, *test::humanBody()) {
    for (int i = 0; kSettled + i / kRate <= kSeconds; ++i) {
      run.run(kSettled + i / kRate);
      track.add(captureTorso(run, track.layout()));
    }
    layers = makeLayers(torso.recorded(), Clip(track), kRate);
  }
  const Loop& loop() const { return layers.breath->loop; }
};
Deep& deep() {
  static Deep one;
  return one;
}

/// World poses of the joints in a key of `breath`, parents first, as an engine places them.
std::vector<Pose> jointsAt(const AssetInput& in, std::size_t key) {
  std::vector<Pose> world;
  for (std::size_t j = 0; j < in.joints.size(); ++j) {
    const int parent = in.joints[j].parent;
    const auto p = static_cast<std::size_t>(parent);
    Pose local = parent < 0 ? in.joints[j].X_WJ : in.joints[p].X_WJ.inverse() * in.joints[j].X_WJ;
    const auto at = std::ranges::find(in.breathJoints.joints, static_cast<int>(j));
    if (at != in.breathJoints.joints.end())
      local =
          in.breathJoints.poses[static_cast<std::size_t>(at - in.breathJoints.joints.begin())][key];
    world.push_back(parent < 0 ? local : world[p] * local);
  }
  return world;
}

/// Targets, then the linear blend of the joints.
std::vector<Vec3> skinAt(const AssetInput& in, std::size_t key) {
  const std::vector<Pose> joints = jointsAt(in, key);
  const std::size_t count = in.breath->targetCount();
  std::vector<Vec3> x = in.breath->shape(std::span(in.breath->weights).subspan(key * count, count));
  for (std::size_t v = 0; v < x.size(); ++v) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      const auto j = static_cast<std::size_t>(in.skin.weights[v].joints[k]);
      sum += in.skin.weights[v].weights[k] * (joints[j] * (in.joints[j].X_WJ.inverse() * x[v]));
    }
    x[v] = sum;
  }
  return x;
}

TEST(Layers, JointsAndTargetsTogetherGiveTheSimulatedSkin) {
  const Deep& d = deep();
  double squares = 0, most = 0, travel = 0;
  std::size_t points = 0, off = 0;
  const std::vector<Vec3> rest = skinAt(d.layers, 0);
  for (std::size_t key = 0; key < d.loop().keyCount(); key += 12) {
    const Loop::Place& place = d.loop().place(key);
    const std::vector<Vec3> x = skinAt(d.layers, key);
    const std::vector<Vec3> before = d.torso.skin(d.track.at(place.first)),
                            after = d.torso.skin(d.track.at(place.first + 1));
    for (std::size_t v = 0; v < x.size(); ++v) {
      const Vec3 now = (1 - place.share) * before[v] + place.share * after[v];
      const double distance = (x[v] - now).norm();
      squares += distance * distance;
      most = std::max(most, distance);
      travel = std::max(travel, (x[v] - rest[v]).norm());
      off += distance > 1e-3 ? 1 : 0;
      ++points;
    }
  }
  const double rms = std::sqrt(squares / static_cast<double>(points));
  std::printf(
      "  skin travels %.1f mm; layers off by %.3f mm rms, %.1f mm at most, %.2f %% above 1 mm\n",
      1e3 * travel, 1e3 * rms, 1e3 * most,
      100 * static_cast<double>(off) / static_cast<double>(points));
  EXPECT_GT(travel, 0.015);  // a deep breath
  // Nothing is lost but what five targets cannot follow.
  EXPECT_LT(rms, d.layers.breath->meanError + 1e-4);
  EXPECT_LT(rms, 0.02 * travel);
}

TEST(Layers, BonesGoWhereTheSimulationPutsThem) {
  const Deep& d = deep();
  const std::size_t key = d.loop().keyCount() / 3;
  const Loop::Place& place = d.loop().place(key);
  const std::vector<Pose> joints = jointsAt(d.layers, key);
  const body::Frame before = d.track.at(place.first), after = d.track.at(place.first + 1);
  double most = 0, moved = 0;
  for (std::size_t b = 0; b < d.layers.bones.size(); ++b) {
    const AssetBone& bone = d.layers.bones[b];
    const RigidPart& part = d.torso.cast().rigid[b];
    ASSERT_EQ(bone.name, part.name);
    const auto j = static_cast<std::size_t>(bone.joint);
    const Pose X = joints[j] * d.layers.joints[j].X_WJ.inverse();
    for (std::size_t v = 0; v < bone.mesh.positions.size(); v += 7) {
      const Vec3 now = (1 - place.share) * (poseOf(part, before) * part.mesh.positions[v]) +
                       place.share * (poseOf(part, after) * part.mesh.positions[v]);
      most = std::max(most, (X * bone.mesh.positions[v] - now).norm());
      moved = std::max(moved, (X * bone.mesh.positions[v] - bone.mesh.positions[v]).norm());
    }
  }
  EXPECT_GT(moved, 0.008);
  EXPECT_LT(most, 3e-4);  // what closing the loop spreads over it
}

TEST(Layers, TheLoopClosesInPlaceAndInSpeed) {
  const Deep& d = deep();
  EXPECT_EQ(d.loop().cut().cycles, 2);
  const std::size_t last = d.loop().keyCount() - 1;
  const auto furthest = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double most = 0;
    for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
    return most;
  };
  const std::vector<Vec3> first = skinAt(d.layers, 0);
  EXPECT_LT(furthest(first, skinAt(d.layers, last)), 1e-9);
  // As the recording stands, its end is far from its beginning.
  EXPECT_GT(furthest(d.torso.skin(d.track.at(0)), d.torso.skin(d.track.at(d.track.size() - 1))),
            2e-3);
  // The step over the seam is no greater than the steps beside it.
  EXPECT_LT(furthest(skinAt(d.layers, last - 1), first),
            2 * furthest(first, skinAt(d.layers, 1)) + 1e-4);
  for (const AssetShape& s : d.layers.shapes) {
    const std::size_t count = s.keys.targetCount();
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_EQ(s.keys.weights[k], s.keys.weights[last * count + k]) << s.name;
  }
}

TEST(Layers, RibsTurnAboutTheirJointsAndNothingElseMoves) {
  const Deep& d = deep();
  const auto joint = [&](const char* name) -> const AssetJoint& {
    return *std::ranges::find(d.layers.joints, name, &AssetJoint::name);
  };
  // Beside the spine, behind the middle of the chest: not at the world's origin.
  const Vec3 rib = joint("rib_05_l").X_WJ.position, vertebra = joint("t05").X_WJ.position;
  EXPECT_LT((rib - vertebra).norm(), 0.06);
  EXPECT_EQ(std::ranges::count(d.layers.joints, -1, &AssetJoint::parent), 1);
  const io::GltfScene scene = assetScene(withoutShapes(d.layers));
  EXPECT_EQ(scene.meshes.size(), 3u);
  for (const io::GltfAnimation& a : scene.animations) EXPECT_EQ(a.name, "breath");
}

TEST(Layers, EveryWeightLiesBetweenZeroAndOne) {
  const Deep& d = deep();
  const auto inside = [](double w) { return w >= -1e-9 && w <= 1 + 1e-9; };
  EXPECT_TRUE(std::ranges::all_of(d.layers.breath->weights, inside));
  for (const AssetShape& s : d.layers.shapes)
    EXPECT_TRUE(std::ranges::all_of(s.keys.weights, inside)) << s.name;
  EXPECT_EQ(d.layers.breath->targets[0].name, "breath_chest");
  EXPECT_EQ(d.layers.breath->targets[1].name, "breath_belly");
}

TEST(Layers, TheSkinSwingsAsTheLungsDo) {
  Deep& d = deep();
  const int lungs = d.track.layout().scalarIndex("breath", "lung_volume");
  const auto volume = [&](std::size_t k) {
    return enclosedVolume(d.torso.skin(d.track.at(k)), d.torso.restSkin().triangles);
  };
  const double skin0 = volume(0), lungs0 = d.track.scalar(0, lungs);
  double most = 0;
  for (std::size_t k = 0; k < d.track.size(); ++k)
    most = std::max(most, d.track.scalar(k, lungs) - lungs0);
  for (std::size_t k = 20; k < d.track.size(); k += 40)
    EXPECT_NEAR(volume(k) - skin0, d.track.scalar(k, lungs) - lungs0, 0.03 * most) << k;
}

}  // namespace
}  // namespace pneuma::stage
