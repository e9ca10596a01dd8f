#include "reproduce/lee2009/bulge.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/stage/act_flesh.h"
#include "reproduce/lee2009/reproduction.h"

// The flesh of one pose, more or less tense: Fig. 14, and the pectoral dance.
namespace pneuma::reproduce::lee2009 {
namespace {

constexpr int kTriangles = 20000, kWidth = 520, kHeight = 600, kSamples = 16;
constexpr const char* kLevel = "preview";  // of the flesh: some 40,000 elements

}  // namespace

Bulge measureBulge(Reproduction& r, muscle::DrivenBody& body, const std::vector<TensePose>& poses,
                   const std::string& name) {
  stage::FigureActor actor(r.described, r.compiled, body.model());
  stage::FleshRequest request;
  request.on = true;
  request.level = kLevel;
  stage::ActFlesh flesh(r.measured, r.described, r.compiled, body.model(), &r.compiled, request,
                        kTriangles, anatomy::RelaxedHands(r.described), actor);
  const int set = actor.layout().pointSetIndex("skin");
  const std::vector<Triangle> triangles =
      actor.layout().pointSets[static_cast<std::size_t>(set)].triangles;

  std::vector<body::Frame> frames;
  std::vector<std::vector<Vec3>> skins;
  r.progress.begin("bulging flesh", static_cast<double>(poses.size()));
  for (const TensePose& pose : poses) {
    body.state().skeleton.q = pose.q;
    body.refresh();
    body::Frame frame = actor.capture(0, body.kinematics());
    flesh.capture(body.kinematics(),
                  {pose.activation.data(), static_cast<std::size_t>(pose.activation.size())},
                  frame);
    const std::span<const Vec3> points = std::as_const(frame).pointsOf(actor.layout(), set);
    skins.emplace_back(points.begin(), points.end());
    frames.push_back(std::move(frame));
    r.progress.update(static_cast<double>(frames.size()));
  }
  r.progress.end();

  Bulge bulge;
  std::size_t most = 0;
  const std::vector<Vec3> normals = vertexNormals({skins.front(), triangles});
  for (std::size_t v = 0; v < normals.size(); ++v) {
    const double out = (skins.back()[v] - skins.front()[v]).dot(normals[v]);
    if (out > bulge.outwards) bulge.outwards = out, most = v;
    bulge.inwards = std::max(bulge.inwards, -out);
  }
  bulge.volume =
      enclosedVolume(skins.back(), triangles) / enclosedVolume(skins.front(), triangles) - 1;

  // Where it bulges most, from aside, so that the outline shows it.
  constexpr double kAround = 0.17;  // [m]
  const Vec3 place = skins.front()[most];
  const auto& links = actor.layout().links;
  const auto away = [&](std::size_t l) { return (frames.front().X_WL[l].position - place).norm(); };
  std::size_t nearest = 0;
  for (std::size_t l = 1; l < links.size(); ++l)
    if (away(l) < away(nearest)) nearest = l;
  bulge.where = links[nearest].name;
  Box box;
  box.add(place - Vec3::Constant(kAround));
  box.add(place + Vec3::Constant(kAround));
  Vec3 aside = normals[most].cross(Vec3::UnitY()).normalized();
  if (aside.z() < 0) aside = -aside;  // never from behind
  const render::Camera camera =
      render::Camera::frame(box, aside, {.aspect = static_cast<double>(kWidth) / kHeight});
  render::RenderOptions options;
  options.width = kWidth, options.height = kHeight, options.samples = kSamples;
  options.ground = false;
  std::vector<render::Tile> tiles;
  stage::View view(
      actor.cast(), frames.front(), stage::skinLook(),
      [camera](const body::Frame&) { return camera; }, options);
  for (std::size_t k = 0; k < poses.size(); ++k)
    tiles.push_back({view.draw(frames[k]), poses[k].label});
  const render::Image picture = render::tile(tiles, static_cast<int>(tiles.size()));
  render::writePng(picture, r.folder.file(name + ".png"));
  r.report.picture(picture, "The flesh where it bulges most, from aside.", name);
  return bulge;
}

}  // namespace pneuma::reproduce::lee2009
