#include "stage/fit_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "pneuma/core/index.h"
#include "pneuma/render/renderer.h"
#include "pneuma/render/video.h"
#include "pneuma/stage/palette.h"
#include "pneuma/stage/units.h"
#include "pneuma/stage/view.h"

namespace pneuma::stage::internal {
namespace {

constexpr int kPanelWidth = 420, kPanelHeight = 560;  // [pixels], even
constexpr int kFilmSamplesOfFit = 4, kStillSamplesOfFit = 8;
constexpr double kFitFilmRate = 15;  // [1/s]
constexpr double kAround = 1.75;     // of the way from hips to neck that a picture shows

/// On the trunk between hips and neck.
render::Camera trunkCamera(const fit::FigureJoints& j, render::View view) {
  const Vec3 hips = 0.5 * (j.hip[0] + j.hip[1]);
  return render::Camera::closeUp(0.5 * (hips + j.neck), kAround * (j.neck - hips).norm(), view,
                                 {.aspect = static_cast<double>(kPanelWidth) / kPanelHeight});
}

render::RenderOptions panelOptions(int samples) {
  return {.width = kPanelWidth, .height = kPanelHeight, .samples = samples, .ground = false};
}

/// The vertices of triangles, each replaced by the first in the same place that faces the same way:
/// sharp edges and the two sides of a sheet stay.
std::vector<Triangle> withoutSeams(const TriangleMesh& mesh) {
  constexpr double kFacesAlike = 0.5;  // cosine
  const std::vector<Vec3> normals = vertexNormals(mesh);
  std::map<std::array<double, 3>, std::vector<std::int32_t>> places;
  std::vector<std::int32_t> first;
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    const Vec3& p = mesh.positions[v];
    std::vector<std::int32_t>& there = places[{p.x(), p.y(), p.z()}];
    const auto same = std::ranges::find_if(
        there, [&](std::int32_t u) { return normals[at(u)].dot(normals[v]) > kFacesAlike; });
    first.push_back(same != there.end() ? *same : static_cast<std::int32_t>(v));
    if (same == there.end()) there.push_back(static_cast<std::int32_t>(v));
  }
  std::vector<Triangle> triangles = mesh.triangles;
  for (Triangle& t : triangles)
    for (std::int32_t& corner : t) corner = first[at(corner)];
  return triangles;
}

}  // namespace

BreathingSurface::BreathingSurface(TriangleMesh rest, std::vector<std::vector<Vec3>> offsets,
                                   const BreathLoop& loop)
    : rest_(std::move(rest)), offsets_(std::move(offsets)), loop_(loop) {
  rest_.triangles = withoutSeams(rest_);
}

FitTake::FitTake(ResolvedLiving living, int skinTriangles)
    : resolved(std::move(living)),
      actor(*resolved.model, resolved.measured, skinTriangles),
      frames((actor.showOrgans(), actor.layout())) {}

std::size_t BreathingSurface::fullest() const {
  return static_cast<std::size_t>(std::ranges::max_element(loop_.lungVolumes) -
                                  loop_.lungVolumes.begin());
}

std::vector<Vec3> BreathingSurface::at(std::size_t key) const {
  std::vector<Vec3> x = rest_.positions;
  for (std::size_t k = 0; k < offsets_.size(); ++k) {
    const double weight = loop_.weights[key * offsets_.size() + k];
    for (std::size_t v = 0; v < x.size(); ++v) x[v] += weight * offsets_[k][v];
  }
  return x;
}

void addBeforeAfter(render::Report& report, const std::filesystem::path& folder,
                    const BreathingSurface& surface, const fit::FigureJoints& joints) {
  const TriangleMesh full{surface.at(surface.fullest()), surface.rest().triangles};
  std::vector<double> travel;
  for (std::size_t v = 0; v < full.positions.size(); ++v)
    travel.push_back((full.positions[v] - surface.rest().positions[v]).norm() / kMillimetre);
  render::Scene before, after;
  before.add(surface.rest(), tissueMaterial(body::Tissue::Skin), "skin");
  after.add(full, travel,
            render::makeColorScale(travel, render::ColorMap::Sequential, "travel [mm]"));
  std::vector<render::Tile> tiles;
  for (const render::View view : {render::View::ThreeQuarter, render::View::Left}) {
    const render::Camera camera = trunkCamera(joints, view);
    render::RenderOptions options = panelOptions(kStillSamplesOfFit);
    options.legend = view == render::View::Left;  // beside the body
    tiles.push_back({render::render(before, camera, options), "as it came"});
    tiles.push_back({render::render(after, camera, options), "breathed in"});
  }
  const render::Image image = render::tile(tiles, 4);
  render::writePng(image, folder / "before_after.png");
  report.picture(image, "The character as it came, and breathed in.", "before_after");
}

void writeFitFilm(const std::filesystem::path& path, const BreathingSurface& surface,
                  const FitTake& take, const BreathLoop& loop, const fit::FittedFigure& figure,
                  const std::function<void(double)>& progress) {
  render::Scene scene;
  scene.add(surface.rest(), tissueMaterial(body::Tissue::Skin), "skin");
  render::Renderer outside(std::move(scene));
  const render::Camera camera = trunkCamera(figure.pose.joints, render::View::ThreeQuarter);
  const render::Camera insideCamera = trunkCamera(figure.restJoints, render::View::ThreeQuarter);
  View inside(
      take.actor.cast(), take.frames.at(0), {.bone = 1, .organ = 1, .skin = 0.2},
      [insideCamera](const body::Frame&) { return insideCamera; }, panelOptions(kFilmSamplesOfFit));
  outside.keepLight(camera, panelOptions(kStillSamplesOfFit));
  inside.keepLight(take.frames.at(0));
  const double recorded = take.frames.time(1) - take.frames.time(0);
  const double breath = loop.times.back() / std::max(1, loop.loop.cut().cycles);
  const auto frames = static_cast<int>(std::max(2.0, breath * kFitFilmRate));
  render::VideoWriter film(path, 2 * kPanelWidth, kPanelHeight, {.framesPerSecond = kFitFilmRate});
  for (int k = 0; k < frames; ++k) {
    const double time = k * breath / frames;
    const auto key = static_cast<std::size_t>(std::ranges::lower_bound(loop.times, time - 1e-9) -
                                              loop.times.begin());
    outside.setPositions(0, surface.at(key));
    const auto frame = static_cast<std::size_t>(
        std::lround((loop.loop.cut().begin + time / loop.loop.stretch()) / recorded));
    render::Image picture(2 * kPanelWidth, kPanelHeight);
    paste(outside.render(camera, panelOptions(kFilmSamplesOfFit)), 0, 0, picture);
    paste(inside.draw(take.frames.at(std::min(frame, take.frames.size() - 1))), kPanelWidth, 0,
          picture);
    film.add(picture);
    progress((k + 1.0) / frames);
  }
  film.finish();
}

}  // namespace pneuma::stage::internal
