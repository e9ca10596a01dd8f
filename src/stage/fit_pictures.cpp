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
constexpr int kFoundWidth = 720;  // with room for names on both sides
constexpr double kSeenThrough = 0.25, kMarkRadius = 0.012, kRoom = 0.12;  // [-], [m]
constexpr double kNameRoom = 0.16;                                        // of the height

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
  for (const fit::Landmark& l : figure.landmarks)
    scene.add(makeSphere(kMarkRadius, 2, l.place), mark, l.name);
}

}  // namespace

std::vector<render::Label> markNames(const fit::FittedFigure& figure, render::View view) {
  const bool left = view == render::View::Left, right = view == render::View::Right;
  const double middle = figure.pose.joints.neck.z();
  std::vector<render::Label> names;
  for (const fit::Landmark& l : figure.landmarks) {
    // From a side, those of the other one lie behind.
    if ((left && l.name.ends_with("_r")) || (right && l.name.ends_with("_l"))) continue;
    const double x = l.place.x(), z = l.place.z() - middle;
    const double across = left ? -z : right ? z : view == render::View::Back ? -x : x;
    names.push_back({l.place, l.name, {across >= 0 ? 40.0 : -40.0, -16}});
  }
  return names;
}

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
  const auto draw = [&](auto&& picture, int width, double room, const char* what,
                        const char* caption, double from) {
    report.heading(caption);
    int k = 0;
    Box box = boundingBox(surface.positions);
    box.min.x() -= room, box.max.x() += room;
    for (const render::View view :
         {render::View::Front, render::View::Left, render::View::Back, render::View::Right}) {
      const double aspect = static_cast<double>(width) / kFitHeight;
      const render::Image image = picture(
          view, render::Camera::frame(box, view, {.aspect = aspect}),
          render::RenderOptions{.width = width, .height = kFitHeight, .samples = kFitSamples});
      const std::string name = fmt::format("{}_{}", what, render::name(view));
      render::writePng(image, folder / (name + ".png"));
      report.picture(image, std::string(render::name(view)), name);
      progress(from + 0.125 * ++k);
    }
  };
  const auto withNames = [&](render::View view, const render::Camera& camera,
                             const render::RenderOptions& options) {
    found.labels = markNames(figure, view);
    return render::render(found, camera, options);
  };
  draw(withNames, kFoundWidth, kNameRoom * figure.report.height, "landmarks", "What was found", 0);
  render::Renderer renderer(std::move(layers));
  const auto inward = [&](render::View, const render::Camera& camera,
                          const render::RenderOptions& options) {
    return renderer.render(camera, options);
  };
  draw(inward, kFitWidth, kRoom, "inside", "Bones and lungs inside", 0.5);
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
