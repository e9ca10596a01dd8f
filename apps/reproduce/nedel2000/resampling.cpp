#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "pneuma/io/mesh_file.h"
#include "pneuma/render/renderer.h"
#include "reproduce/nedel2000/reproduction.h"

namespace pneuma::reproduce::nedel2000 {
namespace {

using flesh::ActionLine;
using flesh::BellyGrid;

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

}  // namespace

// Resolutions are drawn from coarse to fine beside the measured muscle, with the distances that
// the paper leaves to the eye.
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

}  // namespace pneuma::reproduce::nedel2000
