#include <fmt/format.h>
#include <time.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/figure_scene.h"
#include "cli/person_options.h"
#include "cli/skin_film.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/random.h"
#include "pneuma/core/version.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/io/table.h"
#include "pneuma/render/report.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/rhythm.h"

namespace pneuma::cli {

namespace {

using flesh::ActionLine;
using flesh::Belly;
using flesh::BellyConfig;
using flesh::BellyGrid;
using render::ComparisonRow;

struct Reproduction {
  std::filesystem::path folder;
  render::Report report;
  std::vector<ComparisonRow> rows;
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();

  void compare(const std::string& quantity, const std::string& unit, const std::string& published,
               const std::string& ours, std::optional<bool> pass, const std::string& note = "") {
    rows.push_back({quantity, unit, published, ours, pass, note});
  }
  void picture(const render::Image& image, const std::string& caption, const std::string& name) {
    render::writePng(image, folder / (name + ".png"));
    report.picture(image, caption, name);
  }
};

double cpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// --- Counts -------------------------------------------------------------------------------------

void reproduceCounts(Reproduction& r, const anatomy::BodySummary& s) {
  const auto count = [&](const char* what, int paper, int ours) {
    r.compare(what, "", std::to_string(paper), std::to_string(ours), paper == ours, "section 6.3");
    r.numbers["counts"][what] = ours;
  };
  count("joints", 31, s.joints);
  count("degrees of freedom", 62, s.dofs);
  count("bones", 73, s.bones);
  count("muscles", 33, s.muscles);
  count("fusiform parts", 105, s.parts);
  count("action lines", 186, s.lines);
}

// --- Fig. 6: resampling -------------------------------------------------------------------------

/// The medial (internal) head of the triceps from a folder of real muscles, or a generated spindle.
TriangleMesh tricepsPart(const std::filesystem::path& anatomy, bool& real) {
  const auto file = anatomy / "muscles/medial_head_of_triceps_brachii_l.ply";
  real = !anatomy.empty() && std::filesystem::exists(file);
  if (real) {
    TriangleMesh mesh = io::readMesh(file);
    for (Vec3& p : mesh.positions) p = 1e-3 * Vec3(p.x(), p.z(), -p.y());  // mm, z up
    return mesh;
  }
  const ActionLine line({Vec3(0, 0, 0), Vec3(0.01, -0.12, 0.012), Vec3(0.004, -0.24, 0)}, 0.01,
                        0.02);
  BellyGrid grid = flesh::makeFusiform(line, 0.02, 0.6, 53, 40);
  for (std::size_t i = 0; i < grid.points.size(); ++i)  // an uneven belly
    grid.points[i].x() += 0.004 * std::sin(40 * grid.points[i].y());
  return flesh::bellyMesh(grid);
}

/// A line through the middle of a muscle: centroids of slices along its longest direction, from end
/// to end.
ActionLine lineThrough(const TriangleMesh& mesh, int inner) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : mesh.positions) mean += p / double(mesh.positions.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : mesh.positions) spread += (p - mean) * (p - mean).transpose();
  const Vec3 axis = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(2);
  const auto along = [&](const Vec3& p) { return (p - mean).dot(axis); };
  const auto [low, high] = std::ranges::minmax_element(mesh.positions, {}, along);
  const double start = along(*low), width = (along(*high) - start) / (inner + 1);
  std::vector<Vec3> points{*low};
  for (int i = 1; i <= inner; ++i) {
    Vec3 sum = Vec3::Zero();
    int count = 0;
    for (const Vec3& p : mesh.positions)
      if (std::abs(along(p) - start - i * width) < 0.3 * width) sum += p, ++count;
    if (count > 0) points.push_back(sum / count);
  }
  points.push_back(*high);
  return ActionLine(points, 0, 0);
}

void reproduceFig6(Reproduction& r, const std::filesystem::path& anatomy) {
  bool real = false;
  const TriangleMesh muscle = tricepsPart(anatomy, real);
  const ActionLine line = lineThrough(muscle, 6);
  render::Table table{{"points", "slices x around", "volume ratio", "Hausdorff [mm]",
                       "mean distance [mm]", "rays off the muscle"},
                      {},
                      fmt::format("{}: {} points.",
                                  real ? "Medial head of the triceps, measured"
                                       : "A generated muscle (the measured one is not at hand)",
                                  muscle.positions.size())};
  render::Scene scene;
  const Box box = boundingBox(muscle.positions);
  const Vec3 center = box.center(), size = box.max - box.min;
  const double spacing = 1.25 * std::max(size.x(), size.z());
  const auto show = [&](TriangleMesh mesh, int place) {
    for (Vec3& p : mesh.positions) p += Vec3(spacing * place, 0, 0) - center;
    render::Material look = render::materials::muscle();
    look.smooth = place == 0;
    scene.add(std::move(mesh), look);
  };
  show(muscle, 0);
  std::string counts;
  int place = 0;
  for (const auto& [slices, around] : {std::pair{15, 13}, {15, 12}, {10, 8}, {6, 5}}) {
    const flesh::ResampledBelly belly = flesh::resampleBelly(muscle, line, slices, around);
    table.rows.push_back(
        {std::to_string(belly.grid.pointCount()), fmt::format("{} x {}", slices, around),
         fmt::format("{:.3f}", belly.loss.volumeRatio),
         fmt::format("{:.2f}", 1e3 * belly.loss.hausdorff),
         fmt::format("{:.2f}", 1e3 * belly.loss.meanDistance), std::to_string(belly.loss.misses)});
    r.numbers["fig6"].push_back({{"points", belly.grid.pointCount()},
                                 {"volume_ratio", belly.loss.volumeRatio},
                                 {"hausdorff_mm", 1e3 * belly.loss.hausdorff}});
    counts += fmt::format("{}{}", counts.empty() ? "" : ", ", belly.grid.points.size());
    show(flesh::bellyMesh(belly.grid), ++place);
  }
  r.report.heading("Fig. 6: resampling a part of the triceps")
      .paragraph(
          "The paper shows a part of 2160 points and its grids of 197, 182, 82 and 32 points; "
          "it gives no measure of the loss.")
      .table(table);
  render::RenderOptions options{.width = 1280, .height = 640};
  options.ground = false;
  r.picture(render::render(scene, render::View::Front, options),
            "The muscle and its grids of 197, 182, 82 and 32 points.", "fig6_resampling");
  const std::string paper = "197, 182, 82, 32";
  r.compare("points of the resampled triceps part", "", paper, counts, counts == paper,
            "Fig. 6; losses in the table");
}

// --- Fig. 10-12: compression --------------------------------------------------------------------

/// The brachialis as a spindle: 20 cm line, tendons of 1 cm.
struct Brachialis {
  double length = 0.2;
  ActionLine line{{Vec3(0, 0, 0), Vec3(0, -0.2, 0)}, 0.01, 0.01};
  BellyGrid grid;

  Brachialis(int slices, int around)
      : grid(flesh::makeFusiform(line, 0.022, 0.7, slices, around)) {}

  Belly make(BellyConfig config) const {
    const double mass = flesh::BellyModel(grid, config).particleMass();
    config = flesh::scaledToMass(config, mass, 105, 30);
    Belly belly(std::make_shared<flesh::BellyModel>(grid, config), grid, line, Vec3::UnitX());
    // A tenth of a millimetre off: a perfectly symmetric surface would not find its way to
    // collapse.
    flesh::BellyState state = belly.state();
    Random random(3);
    for (double& x : state.x.head(state.x.size() / 2)) x += 1e-4 * random.normal();
    belly.restore(state);
    return belly;
  }
};

/// Shortens the line in one second and lets the belly settle for ten; returns volume over rest.
double compress(Belly& belly, double length, double fraction) {
  for (int i = 1; i <= 220; ++i) {
    const double part = std::min(1.0, i / 20.0);
    const std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(0, -length * (1 - fraction * part), 0)};
    belly.moveLine(points, Vec3::UnitX());
    belly.advance(0.05);
  }
  return belly.volume() / belly.model().restVolume();
}

TriangleMesh shapeOf(const Belly& belly) {
  BellyGrid grid{belly.model().slices(), belly.model().around(), {}};
  belly.state().positions(grid.points);
  return flesh::bellyMesh(grid);
}

BellyConfig curvatureTimes(double factor) {
  BellyConfig config;
  config.curvatureHorizontal *= factor;
  config.curvatureVertical *= factor;
  return config;
}

void addToRow(render::Scene& scene, TriangleMesh mesh, int place, double spacing) {
  for (Vec3& p : mesh.positions) p.x() += spacing * place;
  render::Material look = render::materials::muscle();
  look.smooth = false;
  scene.add(std::move(mesh), look);
}

void reproduceCompression(Reproduction& r) {
  const Brachialis muscle(6, 8);
  render::RenderOptions options{.width = 1280, .height = 640};
  options.ground = false;

  // Fig. 10: with and without angular springs, side by side.
  Belly rest = muscle.make({}), with = muscle.make({}), without = muscle.make(curvatureTimes(0));
  const double kept = compress(with, muscle.length, 0.3);
  const double collapsed = compress(without, muscle.length, 0.3);
  render::Scene fig10;
  addToRow(fig10, shapeOf(rest), 0, 0.09);
  addToRow(fig10, shapeOf(without), 1, 0.09);
  addToRow(fig10, shapeOf(with), 2, 0.09);
  r.report.heading("Fig. 10 and 12: the brachialis, 50 mass points, compressed by 30 %");
  r.picture(render::render(fig10, render::View::Front, options),
            fmt::format("At rest; compressed without angular springs (volume {:.2f} of rest); with "
                        "the default ones ({:.2f}).",
                        collapsed, kept),
            "fig10_compression");
  r.compare("mass points of the brachialis", "", "50", std::to_string(muscle.grid.pointCount()),
            muscle.grid.pointCount() == 50, "Fig. 12");
  r.compare("volume after 30 % compression, angular springs", "of rest", "-",
            fmt::format("{:.3f}", kept), std::abs(kept - 1) <= 0.1,
            "the paper gives no number; within 10 % is our aim");
  r.compare("the same without angular springs", "of rest", "-", fmt::format("{:.3f}", collapsed),
            collapsed < kept - 0.05, "the paper shows the collapse in Fig. 10");
  r.numbers["fig12"] = {{"volume_with", kept}, {"volume_without", collapsed}};

  // Fig. 11: volume against the coefficient.
  std::vector<double> factors{0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8};
  std::vector<double> volumes, ten;
  render::Scene fig11;
  int place = 0;
  for (const double factor : factors) {
    Belly belly = muscle.make(curvatureTimes(factor));
    volumes.push_back(compress(belly, muscle.length, 0.3));
    if (factor == 0 || factor == 0.1 || factor == 0.5 || factor == 1 || factor == 5)
      addToRow(fig11, shapeOf(belly), place++, 0.1);
    Belly slight = muscle.make(curvatureTimes(factor));
    ten.push_back(compress(slight, muscle.length, 0.1));
  }
  render::Plot plot("Volume of the compressed brachialis");
  render::Panel& panel =
      plot.panel("", "angular coefficients, 1 = default [-]", "volume over rest [-]");
  panel.line(factors, volumes, "30 % compression").line(factors, ten, "10 % compression");
  panel.horizontalRule(1);
  plot.write(r.folder / "fig11_volume.svg");
  r.report.heading("Fig. 11: compression with rising curvature coefficients");
  r.picture(render::render(fig11, render::View::Front, options),
            "30 % compression with 0, 0.1, 0.5, 1 and 5 times the default angular coefficients.",
            "fig11_compression");
  r.report.plot(plot,
                "The angular springs hold the muscle up; how much volume they leave goes up and "
                "down with their strength.",
                "fig11_volume");
  for (std::size_t i = 0; i < factors.size(); ++i)
    r.numbers["fig11"].push_back({{"coefficient", factors[i]}, {"volume", volumes[i]}});
  const auto best = std::ranges::max_element(volumes) - volumes.begin();
  r.compare("volume without, with the default and with the strongest springs", "of rest",
            "\"control\"",
            fmt::format("{:.2f}, {:.2f}, {:.2f}", volumes.front(), kept, volumes.back()), {},
            fmt::format("Fig. 11; most at {:g} times the default, neither rising nor falling "
                        "throughout",
                        factors[best]));
}

// --- Fig. 13, 18, 19 and speed: the figure -------------------------------------------------------

struct Figure {
  anatomy::Body measured, body;  // before and after fitting to the person
  anatomy::CompiledBody compiled;
  skeleton::Model model;
  flesh::FigureBellies bellies;
  skeleton::Kinematics kinematics;
  VecX q;

  Figure(const anatomy::Body& asMeasured, const anatomy::Body& fitted, anatomy::CompiledBody made)
      : measured(asMeasured),
        body(fitted),
        compiled(std::move(made)),
        model(skeleton::modelFromBody(compiled, {.freeRoot = true})),
        bellies(body, compiled, model),
        kinematics(model) {}

  using Angles = std::vector<std::tuple<std::string, int, double>>;

  /// Moves from the neutral pose to joint angles in degrees, in one second; joints that people move
  /// together follow.
  void pose(const Angles& angles) { pose(angles, bellies); }
  void pose(const Angles& angles, flesh::FigureBellies& with) {
    for (int i = 0; i <= 20; ++i) {
      q = model.neutral;
      std::vector<bool> stated(static_cast<std::size_t>(q.size()), false);
      for (const auto& [link, dof, degrees] : angles) {
        const int position = model.links[model.linkIndex(link)].firstPosition + dof;
        q[position] = degreesToRadians(degrees) * i / 20;
        stated[static_cast<std::size_t>(position)] = true;
      }
      skeleton::followRhythms(compiled, model, stated, q);
      skeleton::computePoses(model, q, kinematics);
      with.follow(kinematics, 0.05);
    }
    with.settle(kinematics, 2);
  }
  int part(const std::string& name) const {
    for (int i = 0; i < bellies.count(); ++i)
      if (bellies.name(i).find(name) != std::string::npos) return i;
    throw InputError("the figure has no belly '" + name + "'");
  }
};

/// Smallest and largest volume over rest, and whose it is.
struct VolumeRange {
  double low = 1e9, high = 0;
  std::string lowest, highest;

  explicit VolumeRange(const flesh::FigureBellies& bellies) {
    for (int i = 0; i < bellies.count(); ++i) {
      const double ratio = bellies.belly(i).volume() / bellies.belly(i).model().restVolume();
      if (ratio < low) low = ratio, lowest = bellies.name(i);
      if (ratio > high) high = ratio, highest = bellies.name(i);
    }
  }
  std::string text() const { return fmt::format("{:.3f} to {:.3f}", low, high); }
};

/// The second posture with the figure's own bellies, with springs alone, and corrected exactly.
void compareVolumes(Reproduction& r, Figure& f, const Figure::Angles& posture) {
  const VolumeRange own(f.bellies);
  r.compare("smallest and largest volume of the 105 parts", "of rest", "-", own.text(),
            own.low > 0.9 && own.high < 1.1,
            fmt::format("second posture; {} and {}; \"some kind of volume control\", section 4.3",
                        own.lowest, own.highest));
  const auto variant = [&](double shapeStiffness, bool keepVolume) {
    flesh::FigureBellyConfig config;
    config.belly.shapeStiffness = shapeStiffness;
    config.belly.keepVolume = keepVolume;
    flesh::FigureBellies bellies(f.body, f.compiled, f.model, config);
    f.pose(posture, bellies);
    return VolumeRange(bellies);
  };
  const VolumeRange springs = variant(0, false);
  r.compare("the same by the springs alone", "of rest", "-", springs.text(), std::nullopt,
            fmt::format("no global constraint; {} and {}", springs.lowest, springs.highest));
  const VolumeRange exact = variant(flesh::FigureBellyConfig{}.belly.shapeStiffness, true);
  r.compare("the same with exact volume correction", "of rest", "-", exact.text(),
            exact.low > 0.999 && exact.high < 1.001, "beyond the paper, off by default");
  r.numbers["volumes"] = {{"default", {own.low, own.high}},
                          {"springs_alone", {springs.low, springs.high}},
                          {"exact", {exact.low, exact.high}}};
}

void reproduceFigure(Reproduction& r, Figure& f) {
  FigureScene scene(f.body, f.compiled, f.model, &f.bellies);
  const int brachialis = f.part("brachialis"), biceps = f.part("biceps_long");
  const auto state = [&](int part) {
    const Belly& b = f.bellies.belly(part);
    return std::pair(b.line().length(), b.volume() / b.model().restVolume());
  };
  r.report.heading("Fig. 13 and 18: the elbow bends")
      .paragraph("The same springs on the moving figure.");
  render::Table table{{"elbow flexion [deg]", "brachialis [mm]", "volume [of rest]", "biceps [mm]",
                       "volume [of rest]"},
                      {},
                      "Length of the action line and volume of the belly."};
  double straight = 0, bent = 0;
  for (const double angle : {0.0, 45.0, 90.0, 130.0}) {
    f.pose({{"ulna_l", 0, angle}});
    const auto [bl, bv] = state(brachialis);
    const auto [cl, cv] = state(biceps);
    if (angle == 0) straight = bl;
    bent = bl;
    table.rows.push_back({fmt::format("{:.0f}", angle), fmt::format("{:.1f}", 1e3 * bl),
                          fmt::format("{:.3f}", bv), fmt::format("{:.1f}", 1e3 * cl),
                          fmt::format("{:.3f}", cv)});
    if (angle != 0 && angle != 130) continue;
    scene.show(f.kinematics);
    const Vec3 elbow = f.kinematics.X_WL[f.model.linkIndex("ulna_l")].position;
    r.picture(scene.picture(render::View::Left, 640, 640, 16, elbow, 0.75),
              fmt::format("The arm at {:.0f} degrees.", angle),
              fmt::format("fig18_elbow_{:.0f}", angle));
  }
  r.report.table(table);
  const double shortening = 1 - bent / straight;
  r.compare("shortening of the brachialis with the elbow", "%", "much less than 30",
            fmt::format("{:.1f}", 100 * shortening), std::nullopt,
            "Fig. 13; ours from 0 to 130 degrees, the paper does not state its angle");

  r.report.heading("Fig. 19: the whole body in two postures");
  f.pose({});
  scene.show(f.kinematics);
  r.picture(scene.picture(render::View::Front, 640, 800, 16), "At rest.", "fig19_rest");
  const Figure::Angles posture{{"humerus_l", 1, 90},
                               {"humerus_r", 0, 60},
                               {"ulna_r", 0, 90},
                               {"femur_l", 0, 40},
                               {"tibia_l", 0, 60}};
  f.pose(posture);
  scene.show(f.kinematics);
  r.picture(scene.picture(render::View::Front, 640, 800, 16),
            "Left arm raised, right elbow and left knee bent.", "fig19_posed");
  compareVolumes(r, f, posture);
}

// --- section 5, Fig. 18 to 20: the skin ----------------------------------------------------------

/// Front, right and back at a slant side by side: the whole figure, or `size` metres around a link.
void addPosture(Reproduction& r, Figure& f, SkinFilm& skin, const std::string& name,
                const std::string& caption,
                const std::vector<std::tuple<std::string, int, double>>& angles,
                const std::string& link = "", double size = 0) {
  f.pose(angles);
  skin.show(f.q, f.kinematics);
  const Vec3 center =
      link.empty() ? Vec3::Zero() : f.kinematics.X_WL[f.model.linkIndex(link)].position;
  const int height = size > 0 ? 480 : 640;
  std::vector<render::Tile> tiles;
  for (const render::View view :
       {render::View::Front, render::View::Right, render::View::ThreeQuarterBack})
    tiles.push_back(
        {skin.picture(view, 480, height, 16, center, size), std::string(render::name(view))});
  r.picture(render::tile(tiles, 3), caption, name);
}

void reproduceSkin(Reproduction& r, Figure& f) {
  // The skin measures what lies between bellies and skin when it is made, so they must be at rest.
  f.pose({});
  SkinFilm skin(f.measured, f.body, f.compiled, f.model, &f.bellies);
  const auto count = [&](const char* what, int paper, std::size_t ours) {
    r.compare(what, "", fmt::format("{}", paper), fmt::format("{}", ours),
              static_cast<std::size_t>(paper) == ours, "section 5");
  };
  count("groups of tissue", 15, f.body.skinGroups.size());
  count("pieces of skin", 7, f.body.skinPieces.size());
  r.report.heading("Fig. 18 and 20: the elbow bends under the skin");
  for (const double angle : {0.0, 100.0}) {
    f.pose({{"ulna_l", 0, angle}});
    skin.show(f.q, f.kinematics);
    const Vec3 elbow = f.kinematics.X_WL[f.model.linkIndex("ulna_l")].position;
    r.picture(skin.picture(render::View::Left, 640, 640, 16, elbow, 0.75),
              fmt::format("The arm with its skin at {:.0f} degrees.", angle),
              fmt::format("fig20_elbow_{:.0f}", angle));
  }
  r.report.heading("Fig. 19 with skin: two postures");
  addPosture(r, f, skin, "fig19_skin_rest", "At rest.", {});
  const MeshTopology topology = analyzeTopology(skin.skin().mesh());
  addPosture(r, f, skin, "fig19_skin_posed", "Left arm raised, right elbow and left knee bent.",
             {{"humerus_l", 1, 90},
              {"humerus_r", 0, 60},
              {"ulna_r", 0, 90},
              {"femur_l", 0, 40},
              {"tibia_l", 0, 60}});
  r.report.heading("Far joint angles");
  addPosture(r, f, skin, "skin_shoulder_120",
             "Right shoulder at 120 degrees of abduction; collar bone and shoulder blade follow.",
             {{"humerus_r", 1, 120}}, "humerus_r", 0.62);
  addPosture(r, f, skin, "skin_elbow_130", "Right elbow at 130 degrees.",
             {{"humerus_r", 0, 25}, {"ulna_r", 0, 130}}, "ulna_r", 0.52);
  addPosture(r, f, skin, "skin_hip_knee_90", "Right hip and knee at 90 degrees.",
             {{"femur_r", 0, 90}, {"tibia_r", 0, 90}, {"humerus_r", 1, 80}}, "femur_r", 0.95);
  r.compare("skin closed, manifold, one piece", "", "\"stitched\"",
            topology.watertight() && topology.components == 1 ? "yes" : "no",
            topology.watertight() && topology.components == 1,
            "section 5; head, hands and feet joined at their rims");
  r.compare("time of a pose's skin", "ms", "-", fmt::format("{:.1f}", 1e3 * skin.meanSeconds()),
            std::nullopt, fmt::format("{} triangles", skin.skin().triangles().size()));
  r.numbers["skin_triangles"] = skin.skin().triangles().size();
  r.numbers["skin_ms_per_pose"] = 1e3 * skin.meanSeconds();
}

void reproduceSpeed(Reproduction& r, Figure& f) {
  constexpr double kSeconds = 5, kUpdate = 0.05;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const double start = cpuSeconds();
    for (double t = 0; t < kSeconds; t += kUpdate) {
      VecX q = f.model.neutral;
      for (const skeleton::CompiledMotion& m : f.model.motions) {
        const skeleton::DofResistance& d = f.model.dofResistance[m.dof];
        if (m.code != skeleton::MotionCode::Ball && std::isfinite(d.lowerLimit))
          q[m.position] = 0.4 * std::sin(2 * kPi * t + m.dof) *
                          std::min(std::abs(d.lowerLimit), std::abs(d.upperLimit));
      }
      skeleton::computePoses(f.model, q, f.kinematics);
      f.bellies.follow(f.kinematics, kUpdate);
    }
    best = std::min(best, (cpuSeconds() - start) / kSeconds);
  }
  r.compare(
      "all 105 parts at 20 updates per second", "times real time", "-",
      fmt::format("{:.0f}", 1 / best), 1 / best >= 40,
      "one core, every joint swinging at 1 Hz; the paper updates at 20 Hz and names no speed; "
      "our aim is 40");
  r.numbers["times_faster_than_real_time"] = 1 / best;
}

std::filesystem::path defaultAnatomy() {
  const char* set = std::getenv("PNEUMA_SHARED");
  return std::filesystem::path(set != nullptr ? set : "../shared") / "anatomy";
}

void reproduce(const Program& program, const std::string& out, const std::string& anatomy,
               const PersonOptions& person) {
  std::filesystem::create_directories(out);
  Reproduction r{out, render::Report("Nedel and Thalmann 2000: anatomic modeling of deformable "
                                     "human bodies",
                                     "pneuma " + std::string(version()))};
  const auto progress = program.makeProgress("experiments");
  progress->begin("nedel2000", 6);
  const anatomy::Body measured = person.loadAsMeasured();
  const anatomy::Body body = anatomy::fitToPerson(measured, person.person(measured));
  anatomy::CompiledBody compiled = anatomy::compileBody(body, "figure").valueOrThrow();
  reproduceCounts(r, anatomy::summarize(body, compiled));
  progress->update(1);
  reproduceFig6(r, anatomy.empty() ? defaultAnatomy() : std::filesystem::path(anatomy));
  progress->update(2);
  reproduceCompression(r);
  progress->update(3);
  Figure figure(measured, body, std::move(compiled));
  reproduceFigure(r, figure);
  progress->update(4);
  reproduceSkin(r, figure);
  progress->update(5);
  reproduceSpeed(r, figure);
  progress->end();

  r.report.heading("The paper beside ours").comparison(r.rows);
  r.report.writeHtml(r.folder / "report.html");
  r.report.writeMarkdown(r.folder / "report.md");
  io::writeJson(r.folder / "numbers.json", r.numbers);
  std::string text;
  for (const ComparisonRow& row : r.rows)
    text += fmt::format("{:<52} {:>18} | {:<18} {}\n", row.quantity, row.published, row.ours,
                        !row.pass   ? ""
                        : *row.pass ? "ok"
                                    : "differs");
  program.print(r.numbers, text + "wrote " + (r.folder / "report.html").string() + "\n");
}

}  // namespace

void addReproduceNedel2000(Program& program, CLI::App* reproduceVerb) {
  struct Options {
    std::string out = "out/nedel2000", anatomy;
    PersonOptions person;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = program.addSubVerb(reproduceVerb, "nedel2000",
                                      "Resampling, bellies and skin of the layered figure",
                                      "pneuma reproduce nedel2000 --out out/nedel2000");
  verb->add_option("--out", o->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_option("--anatomy", o->anatomy,
                   "Folder with measured muscles (muscles/*.ply), for Fig. 6")
      ->type_name("FOLDER");
  o->person.addTo(verb);
  verb->callback([&program, o] { reproduce(program, o->out, o->anatomy, o->person); });
}

}  // namespace pneuma::cli
