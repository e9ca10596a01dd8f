#include "stage/fit_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/render/renderer.h"
#include "pneuma/stage/palette.h"
#include "pneuma/stage/units.h"
#include "stage/organ_parts.h"

namespace pneuma::stage::internal {
namespace {

constexpr int kFitWidth = 540, kFitHeight = 760, kFitSamples = 8;
constexpr double kSeenThrough = 0.25, kMarkRadius = 0.012, kLabelRoom = 0.12;  // [-], [m]

/// Bones where the character has them.
void addCarriedBones(render::Scene& scene, const fit::FittedFigure& figure,
                     const fit::CarriedAnatomy& inside) {
  const anatomy::GeometryCache cache;
  for (const anatomy::Shape& s : figure.figure->body->shapes) {
    TriangleMesh mesh = fit::carriedMesh(inside, s, cache);
    if (mesh.positions.empty()) continue;
    const bool cartilage = s.bone.starts_with("costal_cartilage");
    scene.add(std::move(mesh),
              tissueMaterial(cartilage ? body::Tissue::Cartilage : body::Tissue::Bone), s.bone);
  }
}

/// Lungs at rest within the ribs.
void addLungs(render::Scene& scene, const breath::CageModel& cage, const Vec3& shift) {
  const auto atRest = [&](const body::Frame&, std::int32_t p) -> Vec3 {
    return cage.rest[static_cast<std::size_t>(p)] - shift;
  };
  for (const SoftPart& part : organParts(cage, atRest)) {
    if (!part.name.starts_with("lung")) continue;
    const std::size_t k = scene.add({part.refine(part.positions({})), part.fineTriangles},
                                    tissueMaterial(part.tissue), part.name);
    scene.surfaces[k].colors = part.colors;
  }
}

void addMarks(render::Scene& scene, const fit::FittedFigure& figure) {
  const render::Material mark = render::materials::plain(render::Color::hex(0xd04030));
  for (const fit::Landmark& l : figure.landmarks) {
    scene.add(makeSphere(kMarkRadius, 2, l.place), mark, l.name);
    scene.labels.push_back({l.place, l.name, {l.place.x() >= 0 ? 40.0 : -90.0, -16}});
  }
}

}  // namespace

void addFitPictures(render::Report& report, const std::filesystem::path& folder,
                    const TriangleMesh& surface, const fit::FittedFigure& figure,
                    const fit::CarriedAnatomy& inside, const breath::CageModel& cage,
                    const Vec3& shift, const std::function<void(double)>& progress) {
  const render::Material skin = tissueMaterial(body::Tissue::Skin);
  render::Scene found, layers;
  found.add(surface, render::materials::translucent(skin, 0.55), "skin");
  addMarks(found, figure);
  layers.add(surface, render::materials::translucent(skin, kSeenThrough), "skin");
  addCarriedBones(layers, figure, inside);
  addLungs(layers, cage, shift);
  const render::RenderOptions options{
      .width = kFitWidth, .height = kFitHeight, .samples = kFitSamples};
  const auto draw = [&](const render::Scene& scene, const char* what, const char* caption,
                        double from) {
    report.heading(caption);
    int k = 0;
    render::Renderer renderer(scene);
    Box box = boundingBox(surface.positions);
    box.min.x() -= kLabelRoom, box.max.x() += kLabelRoom;
    for (const render::View view :
         {render::View::Front, render::View::Left, render::View::Back, render::View::Right}) {
      const double aspect = static_cast<double>(kFitWidth) / kFitHeight;
      const render::Image image =
          renderer.render(render::Camera::frame(box, view, {.aspect = aspect}), options);
      const std::string name = fmt::format("{}_{}", what, render::name(view));
      render::writePng(image, folder / (name + ".png"));
      report.picture(image, std::string(render::name(view)), name);
      progress(from + 0.125 * ++k);
    }
  };
  draw(found, "landmarks", "What was found", 0);
  draw(layers, "inside", "Bones and lungs inside", 0.5);
}

void addSoftTissue(render::Report& report, const std::filesystem::path& folder,
                   const fit::FittedFigure& figure, const fit::SoftTissue& tissue, bool pictures) {
  report.heading("Soft tissue over bone");
  if (pictures) {
    std::vector<double> millimetres;
    for (const double t : tissue.thickness) millimetres.push_back(t / kMillimetre);
    render::Scene scene;
    scene.add(figure.skin.mesh, millimetres,
              render::makeColorScale(millimetres, render::ColorMap::Heat, "skin to bone [mm]"));
    render::Renderer renderer(scene);
    const double aspect = static_cast<double>(kFitWidth) / kFitHeight;
    std::vector<render::Tile> tiles;
    for (const render::View view : {render::View::Front, render::View::Back})
      tiles.push_back(
          {renderer.render(render::Camera::frame(scene.bounds(), view, {.aspect = aspect}),
                           {.width = kFitWidth, .height = kFitHeight, .samples = kFitSamples}),
           std::string(render::name(view))});
    const render::Image image = render::tile(tiles, 2);
    render::writePng(image, folder / "tissue.png");
    report.picture(image, "From the skin to the nearest bone.", "tissue");
  }
  render::Table table{
      .header = {"part", "5 % [mm]", "median [mm]", "95 % [mm]", "our person's median [mm]"}};
  for (const fit::SoftTissueRow& r : tissue.parts) {
    std::vector<std::string> row{std::string(anatomy::name(r.part))};
    for (const double value : {r.low, r.median, r.high, r.usual})
      row.push_back(fmt::format("{:.1f}", value / kMillimetre));
    table.rows.push_back(std::move(row));
  }
  report.table(std::move(table));
}

render::Table boneTable(const fit::CarriedAnatomy& inside,
                        std::span<const fit::BoneOutside> outside,
                        std::span<const fit::SlimmedBone> slimmed) {
  std::vector<fit::CarriedBone> bones = inside.bones;
  std::ranges::stable_sort(bones, std::greater<>(), [](const fit::CarriedBone& b) {
    return std::abs(std::log(std::max(b.length, 1e-9)));
  });
  render::Table table{.header = {"bone", "size against our person", "bending avoided [mm]",
                                 "made slimmer: thinnest section", "moved inwards [mm]",
                                 "vertices outside the skin", "farthest [mm]"}};
  for (const fit::CarriedBone& b : bones) {
    const auto found = std::ranges::find(outside, b.name, &fit::BoneOutside::bone);
    const bool looked = found != outside.end();
    const auto slim = std::ranges::find(slimmed, b.name, &fit::SlimmedBone::bone);
    const bool changed = slim != slimmed.end();
    table.rows.push_back(
        {b.name, fmt::format("{:.3f}", b.length), fmt::format("{:.1f}", 1e3 * b.distortion),
         changed ? fmt::format("{:.2f}", slim->thinnest) : "",
         changed ? fmt::format("{:.1f}", 1e3 * slim->moved) : "",
         looked ? fmt::format("{} of {}", found->outside, found->vertices) : "",
         looked && found->outside > 0 ? fmt::format("{:.1f}", 1e3 * found->worst) : ""});
  }
  return table;
}

}  // namespace pneuma::stage::internal
