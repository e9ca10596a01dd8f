#include "cli/zordan2005_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/render/material.h"

namespace pneuma::cli::zordan2005 {
namespace {

using namespace pneuma::breath;

const std::array<render::Color, 4> kMomentColors{
    render::Color::hex(0x3b6ea8), render::Color::hex(0x5aa469), render::Color::hex(0xd1603d),
    render::Color::hex(0xb08bbb)};

BreathSettings withArms(std::string_view style) {
  BreathSettings s = settingsOf("default", style);
  s.arms = std::make_shared<const anatomy::Body>(
      anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow());
  return s;
}

/// Points of a surface where it crosses the plane x = 0, as pairs of ends.
std::vector<std::pair<Vec3, Vec3>> section(const std::vector<Vec3>& points,
                                           const std::vector<Triangle>& triangles) {
  std::vector<std::pair<Vec3, Vec3>> pieces;
  for (const Triangle& t : triangles) {
    std::vector<Vec3> ends;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3& a = points[static_cast<std::size_t>(t[i])];
      const Vec3& b = points[static_cast<std::size_t>(t[(i + 1) % 3])];
      if ((a.x() < 0) == (b.x() < 0)) continue;
      ends.push_back(a + (b - a) * (a.x() / (a.x() - b.x())));
    }
    if (ends.size() == 2) pieces.emplace_back(ends[0], ends[1]);
  }
  return pieces;
}

}  // namespace

ShownBreath::ShownBreath(std::string_view style) : run(withArms(style)) {
  const double period = 60 / breathStyle(style).ratePerMinute();
  FrameTrack track(period);
  for (double t = 0; t <= 3 * period; t += 0.04) {
    run.run(t);
    if (t >= 2 * period) track.add(captureFrame(run));
  }
  const auto& all = track.frames();
  const auto full = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.lungVolume < b.lungVolume;
  });
  const auto nearest = [&](auto from, auto to, double level) {
    const double wanted =
        all.front().lungVolume + level * (full->lungVolume - all.front().lungVolume);
    return *std::min_element(from, to, [&](const auto& a, const auto& b) {
      return std::abs(a.lungVolume - wanted) < std::abs(b.lungVolume - wanted);
    });
  };
  moments = {all.front(), nearest(all.begin(), full, 0.5), *full, nearest(full, all.end(), 0.5)};
}

render::Image inhaleExhale(const ShownBreath& breath, const TorsoShapes& shapes) {
  const PictureConfig config{
      .look = {.skinOpacity = 0.12, .bones = true, .diaphragm = true, .gut = true}};
  return render::tile({{breathPicture(shapes, breath.moments[0], config), "full exhale"},
                       {breathPicture(shapes, breath.moments[2], config), "full inhale"}},
                      2);
}

render::Image ballPicture(const BallRun& run) {
  const TorsoModel model = makeTorsoModel(makeTorsoAnatomy({}), makeTorsoConfig("default"));
  const render::Material gut = render::materials::organ();
  const auto draw = [&](const PointArray& points, bool ball) {
    render::Scene scene;
    scene.add(gutSurface(model, points), gut, "gut");
    if (ball)
      scene.add(makeSphere(run.ball.radius, 4, run.ball.position),
                render::materials::plain(render::Color::hex(0x6b7280)), "ball");
    render::RenderOptions options;
    options.width = options.height = 560;
    options.ground = false;
    Box box = boundingBox(gutSurface(model, model.rest).positions);
    box.add(run.ball.position + Vec3::Constant(run.ball.radius));
    return render::render(scene, render::Camera::frame(box, Vec3(0.85, 0.3, 0.45), {.aspect = 1.0}),
                          options);
  };
  return render::tile(
      {{draw(model.rest, false), "at rest"}, {draw(run.deepest, true), "deepest dent"}}, 2);
}

render::Image overlay(const ShownBreath& breath, const TorsoShapes& shapes) {
  render::Scene scene;
  for (std::size_t i = 0; i < breath.moments.size(); ++i) {
    render::Material look =
        render::materials::translucent(render::materials::plain(kMomentColors[i]), 0.5);
    look.capped = false;
    scene.add({shapes.skin(breath.moments[i]), shapes.skin().rest().triangles}, look);
  }
  render::RenderOptions options;
  options.width = options.height = 900;
  options.ground = false;
  options.cut = render::CutPlane{Vec3::Zero(), Vec3(1, 0, 0)};
  render::Image image = render::render(scene, shapes.camera(Vec3(1, 0.02, 0.12)), options);
  std::vector<std::pair<std::string, render::Color>> keys;
  const std::array<const char*, 4> names{"rest", "half in", "full", "half out"};
  for (std::size_t i = 0; i < names.size(); ++i) keys.emplace_back(names[i], kMomentColors[i]);
  render::drawKeys(image, keys);
  return image;
}

render::Plot sectionPlot(const ShownBreath& breath, const TorsoShapes& shapes, double magnified) {
  render::Plot plot;
  plot.panelWidth = 560;
  plot.panelHeight = 760;
  auto& panel = plot.panel(fmt::format("Skin in the middle plane, travel x {:.0f}", magnified),
                           "z [m]", "y [m]");
  const std::vector<Vec3>& rest = shapes.skin().rest().positions;
  const double top = boundingBox(rest).max.y();
  panel.y.min = 0.5 * top;
  const std::array<const char*, 4> names{"rest", "half in", "full", "half out"};
  for (std::size_t i = 0; i < breath.moments.size(); ++i) {
    std::vector<Vec3> points = shapes.skin(breath.moments[i]);
    for (std::size_t v = 0; v < points.size(); ++v)
      points[v] = rest[v] + magnified * (points[v] - rest[v]);
    std::vector<double> z, y;
    for (const auto& [a, b] : section(points, shapes.skin().rest().triangles)) {
      if (std::max(a.y(), b.y()) < 0.5 * top) continue;
      for (const double v : {a.z(), b.z(), std::nan("")}) z.push_back(v);
      for (const double v : {a.y(), b.y(), std::nan("")}) y.push_back(v);
    }
    panel.line(z, y, names[i], {.color = kMomentColors[i]});
  }
  return plot;
}

render::Plot volumesPlot(const std::vector<StyleRun>& runs, std::string_view preset) {
  render::Plot plot;
  auto& panel = plot.panel(fmt::format("Lung-cavity volume against rest, preset {}", preset),
                           "time [s]", "volume [mL]");
  for (const StyleRun& r : runs)
    if (r.preset == preset) panel.line(r.time, r.volume, r.style);
  return plot;
}

render::Plot breathSpacePlot(const BreathSpace& space) {
  render::Plot plot;
  auto& panel = plot.panel("Tidal volume of steady breathing",
                           "contraction, relative to quiet breathing [-]", "period [s]");
  render::ColorScale scale;
  scale.map = render::ColorMap::Sequential;
  scale.min = 0;
  scale.max = *std::max_element(space.tidal.begin(), space.tidal.end());
  scale.label = "tidal volume [mL]";
  panel.heatMap(space.efforts, space.periods, space.tidal, scale);
  return plot;
}

render::Plot ribsPlot(const StyleRun& run) {
  render::Plot plot;
  auto& panel =
      plot.panel("Rotation of the right ribs, preset " + run.preset, "time [s]", "angle [deg]");
  for (std::size_t i = 0; i < kRibCount; ++i)
    panel.line(
        run.time, run.ribs[i], std::to_string(i + 1),
        {.color = render::sample(render::ColorMap::Sequential, 0.1 * static_cast<double>(i))});
  return plot;
}

}  // namespace pneuma::cli::zordan2005
