#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "pneuma/body/bone_motions.h"
#include "pneuma/body/living_flesh.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/stage/flesh_poses.h"
#include "reproduce/lee2009/reproduction.h"

// Figs. 7 to 11: skin, lattice, coarsening, what elements are made of, springs; Fig. 13: muscles
// that bulge at constant volume; and what a frame costs.
namespace pneuma::reproduce::lee2009 {
namespace {

namespace embedded = flesh::embedded;

constexpr int kTileWidth = 420, kTileHeight = 560, kTileSamples = 16;
constexpr const char* kBone = "humerus_r";  // what pictures are taken around
constexpr const char* kBladeBone = "scapula_r";
constexpr double kMargin = 0.05;  // [m]
constexpr double kShrink = 0.86;  // of a drawn tetrahedron, so that it stands apart

struct Anatomy {
  body::LivingModel model;
  embedded::FleshAnatomy parts;
  Box box;  // around the upper arm
};

Anatomy anatomyOf(const Reproduction& r, const anatomy::GeometryCache& cache) {
  Anatomy a{.model = body::makeLivingModel(std::make_shared<anatomy::Body>(r.described))};
  a.parts = body::fleshAnatomy(a.model, r.measured, a.model.compiled, false, cache);
  const auto bone = std::ranges::find(a.parts.bones, kBone, &embedded::NamedSolid::name);
  a.box = boundingBox(bone->mesh.positions);
  a.box.min -= Vec3::Constant(kMargin), a.box.max += Vec3::Constant(kMargin);
  return a;
}

render::Image draw(const render::Scene& scene, const Box& box) {
  render::RenderOptions options;
  options.width = kTileWidth, options.height = kTileHeight, options.samples = kTileSamples;
  options.ground = false;
  const double aspect = static_cast<double>(kTileWidth) / kTileHeight;
  return render::render(scene, render::Camera::frame(box, render::View::Front, {.aspect = aspect}),
                        options.inStudio());
}

bool inside(const Box& box, const Vec3& p) {
  return (p.array() >= box.min.array()).all() && (p.array() <= box.max.array()).all();
}

Vec3 centroid(const embedded::Lattice& l, std::size_t tet) {
  Vec3 sum = Vec3::Zero();
  for (const std::int32_t n : l.tets[tet]) sum += l.nodes[at(n)];
  return sum / 4;
}

/// The back half of the upper arm's tetrahedra, each by itself. `colorOf` may be null.
render::Image drawLattice(const embedded::Lattice& l, const Box& box,
                          const std::function<render::Color(std::size_t)>& colorOf) {
  TriangleMesh mesh;
  std::vector<render::Color> colors;
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    const Vec3 c = centroid(l, t);
    if (!inside(box, c) || c.z() > box.center().z()) continue;
    const auto first = static_cast<std::int32_t>(mesh.positions.size());
    for (const std::int32_t n : l.tets[t]) {
      mesh.positions.push_back(c + kShrink * (l.nodes[at(n)] - c));
      if (colorOf) colors.push_back(colorOf(t));
    }
    for (const auto& f : {Triangle{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}})
      mesh.triangles.push_back({first + f[0], first + f[1], first + f[2]});
  }
  render::Scene scene;
  const std::size_t k = scene.add(std::move(mesh), render::materials::plain(), "lattice");
  scene.surfaces[k].colors = std::move(colors);
  return draw(scene, box);
}

/// The mixture of a tetrahedron as a mixture of colours.
render::Color tissueColor(const embedded::BodyFlesh& flesh, std::size_t tet) {
  using render::Color;
  static const std::array<Color, embedded::kTissues> kColors{
      Color{0.93F, 0.80F, 0.45F}, {0.62F, 0.13F, 0.12F}, {0.92F, 0.90F, 0.84F},
      Color{0.88F, 0.62F, 0.50F}, {0.75F, 0.45F, 0.55F}, {0.55F, 0.70F, 0.85F}};
  Color sum;
  for (std::size_t k = 0; k < embedded::kTissues; ++k) {
    const float share = flesh.shares[tet][k];
    sum.r += share * kColors[k].r, sum.g += share * kColors[k].g, sum.b += share * kColors[k].b;
  }
  return sum;
}

/// Fig. 11: fibres of the elements, red, and points of bones that hold flesh by springs, blue.
render::Image drawSprings(const embedded::BodyFlesh& flesh, const embedded::FleshAnatomy& parts,
                          const Box& box) {
  constexpr double kFibre = 0.004, kFibreRadius = 4e-4, kDot = 1.2e-3;  // [m]
  render::Scene scene;
  const auto shown = [](const std::string& bone) { return bone == kBone || bone == kBladeBone; };
  for (const embedded::NamedSolid& bone : parts.bones)
    if (shown(bone.name)) scene.add(bone.mesh, render::materials::bone(), bone.name);
  for (const embedded::BoneAnchor& a : flesh.boneAnchors)
    if (shown(flesh.boneNames[at(a.bone)]))
      scene.add(makeSphere(kDot, 0, a.rest), render::materials::plain({0.1F, 0.25F, 0.8F}), "");
  const embedded::Lattice& l = *flesh.model.lattice;
  for (const embedded::Fibre& f : flesh.model.fibres) {
    const Vec3 c = centroid(l, at(f.tet));
    if (f.share < 0.25F || !inside(box, c) || c.z() > box.center().z()) continue;
    scene.addLine({c - kFibre * f.direction, c + kFibre * f.direction}, kFibreRadius,
                  render::materials::plain({0.7F, 0.1F, 0.1F}));
  }
  return draw(scene, box);
}

/// Mean of the triangles' longest edges, and the worst ratio of longest edge to height over it.
std::pair<double, double> triangleShape(const TriangleMesh& mesh) {
  double sum = 0, worst = 0;
  for (const Triangle& t : mesh.triangles) {
    double longest = 0;
    for (std::size_t k = 0; k < 3; ++k)
      longest =
          std::max(longest, (mesh.positions[at(t[k])] - mesh.positions[at(t[(k + 1) % 3])]).norm());
    const double area =
        triangleArea(mesh.positions[at(t[0])], mesh.positions[at(t[1])], mesh.positions[at(t[2])]);
    sum += longest;
    worst = std::max(worst, longest * longest / (2 * area));
  }
  return {sum / static_cast<double>(mesh.triangles.size()), worst};
}

/// Frames of an arm whose hand moves by 50 mm each, with the paper's constants: the last one.
skin::FleshPoseReport armFrame(const Anatomy& a, std::shared_ptr<const embedded::BodyFlesh> flesh) {
  constexpr double kTurn = 0.05 / 0.36;  // [rad]
  skin::FleshDriver driver(std::move(flesh), makeSphere(0.01, 0, a.model.compiled.links[0].center),
                           {}, {.contact = false});
  const skeleton::PoseMaker maker(a.model.compiled, a.model.tree);
  skeleton::Kinematics k(a.model.tree);
  for (int frame = 0; frame < 3; ++frame) {
    const skeleton::JointSetting setting{"elbow_r.flexion", kTurn * frame};
    skeleton::computePoses(a.model.tree, maker.make({&setting, 1}), k);
    std::vector<Pose> bones;
    body::boneMotions(a.model, k, bones);
    skin::SkinInputs inputs;
    inputs.bones = bones;
    driver.solve(inputs);
  }
  return driver.report();
}

// Counts beside the paper's, made at the level that comes nearest to its own; --quick counts the
// preview instead.
void addSkinAndLattice(Reproduction& r, const Anatomy& a, const anatomy::GeometryCache& cache) {
  const auto level = r.quick ? embedded::FleshLevel::Preview : embedded::FleshLevel::Default;
  const anatomy::SkinSurface skin =
      anatomy::makeSkinSurface(anatomy::skinModelOf(r.measured), r.measured, r.described.person,
                               {.triangles = r.quick ? 20000 : 300000}, cache);
  const auto [mean, worst] = triangleShape(skin.mesh);
  r.compare("Fig. 7: triangles of the skin", "-", "302,000",
            static_cast<double>(skin.mesh.triangles.size()), {}, "on demand: 2,000 to 400,000");
  r.compare("Fig. 8: their mean diameter", "mm", "4-5", 1e3 * mean, {}, "longest edge");
  r.compare("Fig. 8: their worst aspect", "-", "3.8", worst, {}, "longest edge over height");

  embedded::LatticeConfig config = embedded::LatticeConfig::of(level);
  config.leafLevels = 1;
  const anatomy::SkinSurface filled =
      anatomy::makeSkinSurface(anatomy::skinModelOf(r.measured), r.measured, r.described.person,
                               {.triangles = 80000}, cache);
  const embedded::Lattice uniform = embedded::cachedLattice(filled.mesh, config, cache.folder());
  const auto flesh = body::makeFlesh(
      a.model, r.measured, a.model.compiled,
      {.level = level, .preset = embedded::FleshPreset::Lee2009, .walls = false}, cache);
  const embedded::Lattice& l = *flesh->model.lattice;
  r.compare("Fig. 9: tetrahedra of one size", "-", "3,800,000",
            static_cast<double>(uniform.tetCount()), {},
            fmt::format("cells of {:.1f} mm; the paper's 7 mm", 1e3 * config.spacing));
  r.compare("Fig. 10: tetrahedra after two levels of coarsening", "-", "354,000",
            static_cast<double>(l.tetCount()), {},
            fmt::format("{} free nodes; neighbours are balanced 2:1", l.freeCount));
  r.compare("Fig. 11: springs to bones", "-", "not given",
            static_cast<double>(flesh->boneAnchors.size()), {}, "even over the bones' surfaces");
  if (!r.quick) {
    std::vector<render::Tile> tiles;
    tiles.push_back({drawLattice(uniform, a.box, nullptr), "one size"});
    tiles.push_back({drawLattice(l, a.box, nullptr), "coarsened"});
    tiles.push_back({drawLattice(l, a.box, [&](std::size_t t) { return tissueColor(*flesh, t); }),
                     "what elements are made of"});
    tiles.push_back({drawSprings(*flesh, a.parts, a.box), "fibres and springs"});
    const render::Image picture = render::tile(tiles, 4);
    render::writePng(picture, r.folder.file("fig9_lattice.png"));
    r.report.picture(picture,
                     "The back half of the right upper arm: tetrahedra of one size (Fig. 9), "
                     "coarsened inside (Fig. 10), coloured by what they hold (fat yellow, muscle "
                     "red, bone white, skin pink), and fibres with the points of bones that hold "
                     "them (Fig. 11).",
                     "fig9_lattice");
  }
  const skin::FleshPoseReport frame = armFrame(a, flesh);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  r.numbers["flesh_tetrahedra"] = l.tetCount();
  r.numbers["flesh_frame_cpu_s"] = frame.cpuSeconds;
  r.compare("a frame of a moving arm, processor time", "s", "60-240 (3.0 GHz)", frame.cpuSeconds,
            frame.cpuSeconds < 60,
            fmt::format("{} Newton steps, {} iterations", frame.steps, frame.iterations));
  r.compare("memory of the whole reproduction at its peak", "MB", "not given",
            static_cast<double>(usage.ru_maxrss) / 1024, {}, "");
}

/// Fig. 13: the bent elbow, relaxed and with its flexors at work.
void addBulging(Reproduction& r) {
  std::vector<nlohmann::ordered_json> found;
  for (const bool active : {false, true}) {
    stage::FleshPosesRequest request{.framesPerSecond = 2, .views = {"right", "front"}};
    request.tileWidth = kTileWidth, request.tileHeight = kTileHeight;
    request.flesh.level = "preview";
    request.flesh.muscles = true;
    if (active)
      request.activations = {"biceps_brachii_r=1", "brachialis_r=1", "brachioradialis_r=1"};
    stage::FleshPoses poses(r.measured, r.described.person, {.joints = {"elbow_r.flexion=90"}},
                            request);
    poses.solve(r.progress);
    found.push_back(poses.json());
    const render::Image picture = poses.picture();
    const std::string name = active ? "fig13_active" : "fig13_relaxed";
    render::writePng(picture, r.folder.file(name + ".png"));
    r.report.picture(picture,
                     active ? "The same with its flexors fully active: skin, and muscles in it."
                            : "An elbow at 90 degrees, relaxed: skin, and muscles in it.",
                     name);
  }
  const auto girth = [](const nlohmann::ordered_json& j) {
    return j["poses"].back()["upper_arm_r_mm"].get<double>();
  };
  const double volume = found[1]["flesh_muscle_volume_pct"];
  r.numbers["bulge_girth_pct"] = 100 * (girth(found[1]) / girth(found[0]) - 1);
  r.compare("Fig. 13: girth of the bent upper arm, flexors active against relaxed", "%",
            "bulging (pictures)", r.numbers["bulge_girth_pct"], girth(found[1]) > girth(found[0]),
            "tissue of people (`human`), preview level");
  r.compare("Fig. 13: volume of the muscle that changes it most", "%", "constant (text)", volume,
            std::abs(volume) < 2, found[1]["flesh_worst_muscle"].get<std::string>());
}

}  // namespace

void reproduceFlesh(Reproduction& r) {
  r.report.heading("Figs. 7 to 11 and 13: flesh");
  const anatomy::GeometryCache cache;
  const Anatomy a = anatomyOf(r, cache);
  addSkinAndLattice(r, a, cache);
  if (!r.quick) addBulging(r);
}

}  // namespace pneuma::reproduce::lee2009
