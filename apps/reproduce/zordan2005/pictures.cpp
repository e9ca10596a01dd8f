#include "reproduce/zordan2005/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/render/material.h"
#include "pneuma/stage/breath_request.h"

namespace pneuma::reproduce::zordan2005 {
namespace {

using namespace pneuma::breath;

const std::array<render::Color, 4> kMomentColors{
    render::Color::hex(0x3b6ea8), render::Color::hex(0x5aa469), render::Color::hex(0xd1603d),
    render::Color::hex(0xb08bbb)};

BreathSettings withArms(std::string_view style) {
  BreathSettings s = settingsOf("default", style);
  s.arms = true;
  return s;
}

const std::array<const char*, 4> kMomentNames{"rest", "half in", "full", "half out"};

/// Front and back of a surface in the plane x = 0, from the hips over the head and down again.
std::vector<Vec3> profile(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles) {
  constexpr double kSpacing = 0.004;  // [m]
  const double top = boundingBox(points).max.y(), bottom = 0.55 * top;
  const auto count = static_cast<std::size_t>((top - bottom) / kSpacing);
  std::vector<double> front(count, -1e9), back(count, 1e9);
  for (const Triangle& t : triangles) {
    std::vector<Vec3> ends;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3& a = points[static_cast<std::size_t>(t[i])];
      const Vec3& b = points[static_cast<std::size_t>(t[(i + 1) % 3])];
      if ((a.x() < 0) != (b.x() < 0)) ends.push_back(a + (b - a) * (a.x() / (a.x() - b.x())));
    }
    if (ends.size() != 2) continue;
    if (ends[0].y() > ends[1].y()) std::swap(ends[0], ends[1]);
    const double rise = std::max(ends[1].y() - ends[0].y(), 1e-12);
    for (std::size_t k = 0; k < count; ++k) {
      const double y = bottom + (static_cast<double>(k) + 0.5) * kSpacing;
      if (y < ends[0].y() || y > ends[1].y()) continue;
      const double z = ends[0].z() + (ends[1].z() - ends[0].z()) * (y - ends[0].y()) / rise;
      front[k] = std::max(front[k], z);
      back[k] = std::min(back[k], z);
    }
  }
  std::vector<Vec3> line;
  const auto add = [&](std::size_t k, double z) {
    if (std::abs(z) < 10)
      line.emplace_back(0, bottom + (static_cast<double>(k) + 0.5) * kSpacing, z);
  };
  for (std::size_t k = 0; k < count; ++k) add(k, front[k]);
  for (std::size_t k = count; k-- > 0;) add(k, back[k]);
  return line;
}

}  // namespace

ShownBreath::ShownBreath(std::string_view style) : run(withArms(style)) {
  const double period = 60 / stage::dataStyle(style).ratePerMinute();
  stage::FrameTrack track(stage::torsoLayout(run), period);
  for (double t = 0; t <= 3 * period; t += 0.04) {
    run.run(t);
    if (t >= 2 * period) track.add(stage::captureTorso(run, track.layout()));
  }
  const stage::Clip all(track);
  std::size_t full = 0;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (lungVolume(all, k) > lungVolume(all, full)) full = k;
  const double low = lungVolume(all, 0), high = lungVolume(all, full);
  const auto nearest = [&](std::size_t from, std::size_t to, double level) {
    const auto away = [&](std::size_t k) {
      return std::abs(lungVolume(all, k) - low - level * (high - low));
    };
    std::size_t best = from;
    for (std::size_t k = from; k < to; ++k)
      if (away(k) < away(best)) best = k;
    return best;
  };
  for (const std::size_t k :
       {std::size_t{0}, nearest(0, full, 0.5), full, nearest(full, all.size(), 0.5)})
    moments.push_back(all[k]);
}

render::Image inhaleExhale(const ShownBreath& breath, const stage::TorsoCast& torso) {
  const stage::TorsoPicture config{.look = stage::torsoLook(0.12, true, true)};
  return render::tile({{torso.picture(breath.moments[0], config), "full exhale"},
                       {torso.picture(breath.moments[2], config), "full inhale"}},
                      2);
}

render::Image ballPicture(const BallRun& run) {
  const TorsoModel model = defaultTorso(makeTorsoConfig("default"));
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

render::Image overlay(const ShownBreath& breath, const stage::TorsoCast& torso) {
  const std::vector<Triangle>& triangles = torso.restSkin().triangles;
  render::Scene scene;
  scene.add({torso.skin(breath.moments[0]), triangles}, render::materials::skin());
  std::vector<std::pair<std::string, render::Color>> keys;
  for (std::size_t i = 0; i < breath.moments.size(); ++i) {
    render::Material look = render::materials::plain(kMomentColors[i]);
    look.cut = false;
    std::vector<Vec3> line = profile(torso.skin(breath.moments[i]), triangles);
    for (Vec3& p : line) p.x() = 0.003;  // before the cut
    scene.addLine(std::move(line), 0.0016, look);
    keys.emplace_back(kMomentNames[i], kMomentColors[i]);
  }
  render::RenderOptions options;
  options.width = 760;
  options.height = 950;
  options.ground = false;
  options.cut = render::CutPlane{Vec3::Zero(), Vec3(1, 0, 0)};
  render::Image image = render::render(scene, torso.camera(Vec3(1, 0.02, 0.12), 0.8), options);
  render::drawKeys(image, keys);
  return image;
}

render::Plot sectionPlot(const ShownBreath& breath, const stage::TorsoCast& torso,
                         double magnified) {
  render::Plot plot;
  plot.panelWidth = 520;
  plot.panelHeight = 820;
  auto& panel = plot.panel(fmt::format("Travel x {:.0f}", magnified), "z [m]", "y [m]");
  panel.equalAxes = true;
  panel.x.min = -0.12, panel.x.max = 0.34;
  const std::vector<Vec3>& rest = torso.restSkin().positions;
  for (std::size_t i = 0; i < breath.moments.size(); ++i) {
    std::vector<Vec3> points = torso.skin(breath.moments[i]);
    for (std::size_t v = 0; v < points.size(); ++v)
      points[v] = rest[v] + magnified * (points[v] - rest[v]);
    std::vector<double> z, y;
    for (const Vec3& p : profile(points, torso.restSkin().triangles)) {
      z.push_back(p.z());
      y.push_back(p.y());
    }
    panel.line(z, y, kMomentNames[i], {.color = kMomentColors[i]});
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

}  // namespace pneuma::reproduce::zordan2005
