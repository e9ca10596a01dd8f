#include "pneuma/stage/glb.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::stage {
namespace {

/// A trunk that rises and an arm that hangs on it and turns; a ball on the arm that swells.
struct Puppet {
  body::FrameLayout layout;
  Cast cast;

  Puppet() {
    layout.addLink({.name = "trunk", .X_WL_rest = {.position = {0, 1, 0}}});
    layout.addLink({.name = "arm", .parent = 0, .X_WL_rest = {.position = {0.2, 1.4, 0}}});
    const TriangleMesh ball = makeSphere(0.05, 2);
    layout.addPointSet(
        {.name = "belly", .count = ball.vertexCount(), .carrier = 1, .triangles = ball.triangles});
    layout.addScalar({"activations", "line", "", ""});
    cast.rigid.push_back({.name = "humerus", .link = 1, .mesh = makeBox(Vec3(0.02, 0.3, 0.02))});
    cast.soft.push_back(softPart(layout, 0));
    LinePart line{.name = "lines", .begin = {0, 2}};
    line.positions = [](const body::Frame& f) {
      return std::vector<Vec3>{f.X_WL[0].position, f.X_WL[1].position};
    };
    line.load = [](const body::Frame& f) { return f.scalars; };
    line.shade = [](const std::vector<double>& load) {
      return std::vector<render::Color>{{static_cast<float>(load[0]), 0, 0}};
    };
    cast.lines.push_back(line);
  }

  body::Frame at(double time) const {
    body::Frame f = body::makeFrame(layout);
    f.time = time;
    f.X_WL[0].position.y() = 1 + 0.1 * time;
    f.X_WL[1].position.y() = 1.4 + 0.1 * time;
    f.X_WL[1].rotation = Eigen::AngleAxisd(time, Vec3::UnitZ()).toRotationMatrix();
    const std::vector<Vec3> ball = makeSphere(0.05, 2).positions;
    for (std::size_t i = 0; i < ball.size(); ++i)
      f.points[i] = f.X_WL[1] * Vec3((1 + 0.5 * time) * ball[i]);
    f.scalars[0] = time < 0.5 ? 1 : 0;
    return f;
  }
};

FrameTrack trackOf(const Puppet& puppet, int frames) {
  FrameTrack track(puppet.layout);
  for (int i = 0; i < frames; ++i) track.add(puppet.at(0.2 * i));
  return track;
}

const io::GltfNode& nodeOf(const io::GltfScene& scene, const std::string& name) {
  return *std::ranges::find(scene.nodes, name, &io::GltfNode::name);
}

TEST(CastScene, LinksStandInTheirParentsFrames) {
  const Puppet puppet;
  const FrameTrack track = trackOf(puppet, 5);
  const io::GltfScene scene = castScene(puppet.cast, Clip(track), {.linkPrefix = "body_"});
  const io::GltfNode& arm = nodeOf(scene, "body_arm");
  EXPECT_EQ(scene.nodes[static_cast<std::size_t>(arm.parent)].name, "body_trunk");
  EXPECT_LT((arm.pose.position - Vec3(0.2, 0.4, 0)).norm(), 1e-12);
  // Trunk and arm rise together, so that the arm does not move in the trunk's frame.
  for (const Vec3& t : arm.animation.translations) EXPECT_LT((t - Vec3(0.2, 0.4, 0)).norm(), 1e-12);
  EXPECT_EQ(scene.nodes[static_cast<std::size_t>(nodeOf(scene, "humerus").parent)].name,
            "body_arm");
}

TEST(CastScene, ACarriedShapeThatOnlySwellsNeedsOneTarget) {
  const Puppet puppet;
  const FrameTrack track = trackOf(puppet, 8);
  const io::GltfScene scene = castScene(puppet.cast, Clip(track));
  const io::GltfNode& belly = nodeOf(scene, "belly");
  EXPECT_EQ(scene.nodes[static_cast<std::size_t>(belly.parent)].name, "arm");
  EXPECT_EQ(scene.meshes[static_cast<std::size_t>(belly.mesh)].targets.size(), 1u);
}

TEST(CastScene, ALineHasTheColourOfItsGreatestLoad) {
  const Puppet puppet;
  const FrameTrack track = trackOf(puppet, 8);
  const io::GltfScene scene = castScene(puppet.cast, Clip(track));
  const io::GltfMesh& lines = scene.meshes[static_cast<std::size_t>(nodeOf(scene, "lines").mesh)];
  EXPECT_EQ(lines.segments.size(), 1u);
  EXPECT_EQ(lines.colors[0].x(), 1);
}

TEST(CastScene, OneFrameStandsStill) {
  const Puppet puppet;
  const FrameTrack track = trackOf(puppet, 1);
  const io::GltfScene scene = castScene(puppet.cast, Clip(track), {.root = "puppet"});
  EXPECT_EQ(scene.nodes.front().name, "puppet");
  for (const io::GltfNode& n : scene.nodes) EXPECT_TRUE(n.animation.translations.empty()) << n.name;
}

}  // namespace
}  // namespace pneuma::stage
