#include <algorithm>

#include "pneuma/stage/perform.h"
#include "pneuma/stage/view.h"

namespace pneuma::stage {
namespace {

constexpr int kPerformHeight = 640, kPerformWidth = 440, kPerformSamples = 4;
constexpr double kTrunkMiddle = 0.72, kTrunkSize = 0.5;  // of the height
constexpr double kWholeMiddle = 0.5, kWholeSize = 1.15;  // the same of a body that moves

/// Of all places; in a film of the whole body the camera goes along over the floor.
CameraOf cameraOn(const body::FrameLayout& layout, int set, const body::Frame& first, double height,
                  bool whole, render::View from) {
  constexpr double kAspect = static_cast<double>(kPerformWidth) / kPerformHeight;
  Box box;
  for (const Vec3& p : first.pointsOf(layout, set)) box.add(p);
  if (!whole)
    return fixedCamera(Vec3(0, box.min.y() + kTrunkMiddle * height, 0), kTrunkSize * height, from,
                       kAspect);
  const double level = box.min.y() + kWholeMiddle * height;
  return [&layout, set, level, height, from](const body::Frame& frame) {
    const auto points = frame.pointsOf(layout, set);
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
    return render::Camera::closeUp(Vec3(middle.x(), level, middle.z()), kWholeSize * height, from,
                                   {.aspect = kAspect});
  };
}

}  // namespace

void writePerformFilm(const std::filesystem::path& path, const shape::BreathModel& model,
                      const BreathTrack& track, const PerformFilm& film,
                      const std::function<void(double)>& progress) {
  body::FrameLayout layout;
  std::vector<int> sets;
  for (const FilmedSkin& s : film.skins)
    sets.push_back(layout.addPointSet({.name = s.name,
                                       .count = model.mesh.vertexCount(),
                                       .tissue = body::Tissue::Skin,
                                       .triangles = model.mesh.triangles}));
  FrameTrack frames(layout);
  for (std::size_t k = 0; k < track.size(); ++k) {
    body::Frame frame{.time = track.time(k)};
    for (const FilmedSkin& s : film.skins) {
      const std::vector<Vec3> x = s.at(k);
      frame.points.insert(frame.points.end(), x.begin(), x.end());
    }
    frames.add(frame);
  }
  Cast cast;
  for (const int set : sets) cast.soft.push_back(softPart(layout, set));
  Box box;
  for (const Vec3& p : model.mesh.positions) box.add(p);
  const render::RenderOptions options{.width = kPerformWidth,
                                      .height = kPerformHeight,
                                      .samples = kPerformSamples,
                                      .ground = film.whole};
  const body::Frame first = frames.at(0);
  std::vector<View> views;
  for (const render::View from : {render::View::ThreeQuarter, render::View::Left})
    for (const int set : sets) {
      Look look{.skin = 1};
      for (const FilmedSkin& s : film.skins)
        if (s.name != film.skins[static_cast<std::size_t>(set)].name) look.hidden.push_back(s.name);
      views.emplace_back(cast, first, look,
                         cameraOn(layout, set, first, box.max.y() - box.min.y(), film.whole, from),
                         options);
    }
  writeFilm(path, Clip(frames), sideBySide(std::move(views)), {.caption = film.caption}, progress);
}

}  // namespace pneuma::stage
