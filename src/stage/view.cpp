#include "pneuma/stage/view.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/render/video.h"
#include "pneuma/stage/open_eyes.h"
#include "pneuma/stage/palette.h"

namespace pneuma::stage {
namespace {

render::Material materialOf(const Look& look, body::Tissue tissue, render::Material material) {
  const double opacity = look.opacityOf(tissue);
  if (opacity < 1) material = render::materials::translucent(material, opacity);
  if (look.cutSkinOnly && tissue != body::Tissue::Skin) material.cut = false;
  return material;
}

render::Material softMaterial(const Look& look, const SoftPart& part, const body::Frame& frame) {
  return materialOf(look, part.tissue,
                    part.held         ? heldMaterial()
                    : part.activation ? workingMuscle(part.activation(frame))
                                      : tissueMaterial(part.tissue));
}

/// Points of each line, in order.
std::vector<std::vector<Vec3>> linesOf(const LinePart& part, const body::Frame& frame) {
  const std::vector<Vec3> points = part.positions(frame);
  std::vector<std::vector<Vec3>> lines;
  for (std::size_t i = 0; i < part.lineCount(); ++i)
    lines.emplace_back(points.begin() + part.begin[i], points.begin() + part.begin[i + 1]);
  return lines;
}

/// The parts that a look shows.
template <class Part>
std::vector<std::size_t> shown(const std::vector<Part>& parts, const Look& look) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (look.opacityOf(parts[i].tissue) > 0 && !look.hides(parts[i].name)) list.push_back(i);
  return list;
}

void addLines(const Cast& cast, const body::Frame& frame, const Look& look, render::Scene& scene) {
  for (const LinePart& part : cast.lines) {
    if (look.hides(part.name)) continue;
    std::vector<render::Color> colors;
    if (part.load) colors = part.shade(part.load(frame));
    std::size_t k = 0;
    for (std::vector<Vec3>& line : linesOf(part, frame)) {
      render::Material material = tissueMaterial(part.tissue);
      if (!colors.empty()) material = render::materials::muscle(colors[k++]);
      scene.addLine(std::move(line), part.radius, material);
    }
  }
}

// Parts come in the cast's order and hidden ones are left out whole, so the ray tracer keeps one
// hierarchy per part from frame to frame.
render::Scene sceneOf(const Cast& cast, const body::Frame& frame, const Look& look) {
  render::Scene scene;
  for (const std::size_t i : shown(cast.rigid, look)) {
    const RigidPart& part = cast.rigid[i];
    const render::Material material = part.eye ? eyeMaterial() : tissueMaterial(part.tissue);
    const std::size_t k = scene.add(part.mesh, materialOf(look, part.tissue, material), part.name);
    scene.surfaces[k].texture = part.eye;
  }
  for (const std::size_t i : shown(cast.soft, look)) {
    const SoftPart& part = cast.soft[i];
    const std::size_t k = scene.add({drawnPositions(part, frame), drawnTriangles(part)},
                                    softMaterial(look, part, frame), part.name);
    scene.surfaces[k].colors = part.colors;
    if (part.tissue == body::Tissue::Skin && look.skin >= 1)
      scene.surfaces[k].texture = look.skinTexture;
  }
  if (look.lines) addLines(cast, frame, look, scene);
  for (const render::Polyline& hair : look.hair) scene.addLine(hair);
  return scene;
}

}  // namespace

double Look::opacityOf(body::Tissue tissue) const {
  switch (tissue) {
    case body::Tissue::Bone:
    case body::Tissue::Cartilage:
      return bone;
    case body::Tissue::Muscle:
    case body::Tissue::Tendon:
      return muscle;
    case body::Tissue::Organ:
      return organ;
    case body::Tissue::Skin:
      return skin;
  }
  return 0;
}

bool Look::hides(const std::string& part) const {
  return std::ranges::find(hidden, part) != hidden.end();
}

View::View(const Cast& cast, const body::Frame& first, Look look, CameraOf camera,
           render::RenderOptions options)
    : cast_(cast),
      look_(std::move(look)),
      camera_(std::move(camera)),
      options_(options),
      rigid_(shown(cast.rigid, look_)),
      soft_(shown(cast.soft, look_)),
      renderer_(sceneOf(cast, first, look_)) {}

void View::show(const body::Frame& frame) {
  std::size_t surface = 0, line = 0;
  for (const std::size_t i : rigid_) renderer_.setPose(surface++, poseOf(cast_.rigid[i], frame));
  for (const std::size_t i : soft_) {
    renderer_.setPositions(surface, drawnPositions(cast_.soft[i], frame));
    if (cast_.soft[i].activation)
      renderer_.setMaterial(surface, softMaterial(look_, cast_.soft[i], frame));
    ++surface;
  }
  if (!look_.lines) return;
  for (const LinePart& part : cast_.lines) {
    if (look_.hides(part.name)) continue;
    std::vector<render::Color> colors;
    if (part.load) colors = part.shade(part.load(frame));
    std::size_t k = 0;
    for (const std::vector<Vec3>& points : linesOf(part, frame)) {
      if (!colors.empty()) renderer_.setLineMaterial(line, render::materials::muscle(colors[k++]));
      renderer_.setLine(line++, points);
    }
  }
}

render::Image View::draw(const body::Frame& frame) {
  return draw(frame, camera_(frame), options_);
}

render::Image View::draw(const body::Frame& frame, const render::Camera& camera,
                         const render::RenderOptions& options) {
  show(frame);
  return renderer_.render(camera, options);
}

void View::keepLight(const body::Frame& frame) {
  show(frame);
  renderer_.keepLight(camera_(frame), options_);
}

CameraOf fixedCamera(const Vec3& center, double size, render::View view, double aspect) {
  const render::Camera camera = render::Camera::closeUp(center, size, view, {.aspect = aspect});
  return [camera](const body::Frame&) { return camera; };
}

CameraOf swayingCamera(CameraOf camera, double angle, double start, double period) {
  return [=, camera = std::move(camera)](const body::Frame& frame) {
    const double turn = 0.5 * angle * (1 - std::cos(2 * kPi * (frame.time - start) / period));
    render::Camera moved = camera(frame);
    moved.position = moved.target + Eigen::AngleAxisd(turn, moved.up.normalized()) *
                                        (moved.position - moved.target);
    return moved;
  };
}

std::vector<FilmPanel> sideBySide(std::vector<View> views) {
  std::vector<FilmPanel> panels;
  int x = 0;
  for (View& v : views) {
    const int width = v.options().width;
    panels.push_back({.view = std::move(v), .x = x});
    x += width;
  }
  return panels;
}

namespace {

/// Whether nobody goes anywhere: no link moves by a millimetre between two frames.
bool holdsStill(const Clip& clip) {
  constexpr double kStill = 1e-3;  // [m]
  body::Frame before = clip[0];
  for (std::size_t k = 1; k < clip.size(); ++k) {
    body::Frame now = clip[k];
    for (std::size_t l = 0; l < now.X_WL.size(); ++l)
      if ((now.X_WL[l].position - before.X_WL[l].position).norm() > kStill) return false;
    before = std::move(now);
  }
  return true;
}

/// Of how many frames each panel draws one. Insets of a smooth film of somebody who only breathes
/// show every other: what they show moves by less than their pixels from one to the next, and they
/// cost as much as the large view.
std::vector<std::size_t> strides(const std::vector<FilmPanel>& panels, const Clip& clip,
                                 double rate) {
  constexpr double kSmooth = 24, kInset = 0.5;  // [1/s], of the largest panel's area
  std::vector<std::size_t> every(panels.size(), 1);
  if (rate < kSmooth || !holdsStill(clip)) return every;
  const auto area = [](const FilmPanel& p) {
    return static_cast<double>(p.view.options().width) * p.view.options().height;
  };
  double largest = 0;
  for (const FilmPanel& p : panels) largest = std::max(largest, area(p));
  for (std::size_t i = 0; i < panels.size(); ++i)
    if (area(panels[i]) < kInset * largest) every[i] = 2;
  return every;
}

}  // namespace

void writeFilm(const std::filesystem::path& path, const Clip& clip, std::vector<FilmPanel> panels,
               const FilmOptions& options, const std::function<void(double)>& progress) {
  PNEUMA_CHECK(!panels.empty() && clip.size() > 0, "a film of nothing");
  int width = 0, height = 0;
  for (const FilmPanel& p : panels) {
    width = std::max(width, p.x + p.view.options().width);
    height = std::max(height, p.y + p.view.options().height);
  }
  const double rate = options.framesPerSecond > 0 ? options.framesPerSecond
                      : clip.size() > 1           ? clip.framesPerSecond()
                                                  : 25;
  const std::vector<std::size_t> every = strides(panels, clip, rate);
  std::vector<render::Image> drawn(panels.size());
  render::VideoWriter video(path, width, height, {.framesPerSecond = rate});
  for (std::size_t k = 0; k < clip.size(); ++k) {
    const body::Frame frame = clip[k];
    render::Image sheet(width, height);
    for (std::size_t i = 0; i < panels.size(); ++i) {
      FilmPanel& p = panels[i];
      if (k % every[i] == 0) drawn[i] = p.view.draw(frame);
      render::Image picture = drawn[i];
      if (p.over) p.over(frame, p.view.camera(frame), picture);
      render::paste(picture, p.x, p.y, sheet);
    }
    if (options.caption) {
      const auto [title, below] = options.caption(k);
      render::drawCaption(sheet, title, below);
    }
    video.add(sheet);
    if (progress) progress(static_cast<double>(k + 1) / static_cast<double>(clip.size()));
  }
  video.finish();
}

}  // namespace pneuma::stage
