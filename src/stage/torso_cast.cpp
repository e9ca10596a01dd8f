#include "pneuma/stage/torso_cast.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/core/parallel.h"
#include "pneuma/stage/complexion.h"
#include "pneuma/stage/head_hair.h"
#include "pneuma/stage/palette.h"
#include "stage/organ_parts.h"
#include "stage/torso_skin.h"

namespace pneuma::stage {
namespace {

constexpr int kShoulderPoints = 1;        // point set of torsoLayout
constexpr std::size_t kFirstTension = 1;  // scalar, behind the lung volume

const MorphQuality kMorphs{.tolerance = 2e-4, .mostTargets = 8};

}  // namespace

Look torsoLook(double skin, bool bones, bool gut) {
  constexpr double kGutOpacity = 0.35;
  return {.bone = bones ? 1.0 : 0.0,
          .muscle = bones ? 1.0 : 0.0,
          .organ = gut ? kGutOpacity : 0.0,
          .skin = skin,
          .hidden = {"pectoral_l", "pectoral_r", "shoulder_l", "shoulder_r"},
          .cutSkinOnly = true};
}

TorsoCast::TorsoCast(const breath::BreathSimulation& run, const anatomy::Body& body)
    : layout_(torsoLayout(run)), skin_(std::make_unique<internal::TorsoSkin>(run, body)) {
  complexion_.sex = run.settings().person.sex;
  texture_ = skinTexture(*skin_->surface().topology, complexion_);
  filmTexture_ = skinTexture(*skin_->surface().topology, complexion_, false);
  addBones(run);
  for (SoftPart& part :
       internal::organParts(run.model(), [](const body::Frame&f, std::int32_t point) {
         return f.points[static_cast<std::size_t>(point)];
       }))
    cast_.soft.push_back(std::move(part));
  addFlesh(*run.layer());
  addElements(run.model(), *run.layer());
  addSkin();
}

TorsoCast::~TorsoCast() = default;

const TriangleMesh& TorsoCast::restSkin() const {
  return skin_->rest();
}

/// All bones; those that the torso does not carry (legs) stand still.
void TorsoCast::addBones(const breath::BreathSimulation& run) {
  const std::vector<anatomy::Shape>& shapes = run.body().shapes;
  cast_.rigid.resize(shapes.size());
  const anatomy::GeometryCache cache;
  const anatomy::RelaxedHands relaxed(run.body());
  parallelFor(shapes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      RigidPart& part = cast_.rigid[i];
      part.name = shapes[i].bone;
      part.link = breath::torsoBodyOf(part.name);
      if (part.name.starts_with("costal_cartilage")) part.tissue = body::Tissue::Cartilage;
      part.mesh = relaxed.bone(part.name, cache.boneMesh(shapes[i].shape, anatomy::kLightBone));
      if (part.link < 0) continue;
      const Pose X_LW = layout_.links[static_cast<std::size_t>(part.link)].X_WL_rest.inverse();
      for (Vec3& p : part.mesh.positions) p = X_LW * p;
    }
  });
}

void TorsoCast::addFlesh(const breath::ShoulderLayer& layer) {
  std::size_t first = layout_.pointOffset(kShoulderPoints);
  for (std::size_t k = 0; k < static_cast<std::size_t>(layer.fleshCount()); ++k) {
    const TriangleMesh& mesh = layer.flesh(k);
    SoftPart part{.name = layer.fleshName(k), .triangles = mesh.triangles, .morphs = kMorphs};
    part.positions = [first, count = mesh.vertexCount()](const body::Frame& f) {
      const auto begin = f.points.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<Vec3>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    first += mesh.vertexCount();
    cast_.soft.push_back(std::move(part));
  }
}

/// Springs of the trunk and elements of the shoulders. Colours tell a spring's greatest tension
/// over the greatest of its group, so that fine groups (dome) show beside strong ones (levators).
void TorsoCast::addElements(const breath::TorsoModel& model, const breath::ShoulderLayer& layer) {
  LinePart part{.name = "muscle_elements"};
  const breath::SpringSet& springs = model.springs;
  const std::vector<breath::ShoulderElement>& elements = layer.elements();
  // What stands for an arch rather than for fibres reaches far out of the body.
  constexpr double kLongestFibre = 0.6;  // [m]
  std::vector<std::size_t> drawn;        // springs, then elements of the shoulders
  for (std::size_t i = 0; i < springs.size(); ++i)
    if (springs.restLength[i] < kLongestFibre) drawn.push_back(i);
  const std::size_t fibres = drawn.size();
  for (std::size_t i = 0; i < elements.size(); ++i) drawn.push_back(springs.size() + i);
  for (std::size_t i = 0; i <= drawn.size(); ++i)
    part.begin.push_back(static_cast<std::int32_t>(2 * i));
  std::vector<std::size_t> groups;  // of each line; those of the shoulders are one more
  for (std::size_t i = 0; i < fibres; ++i)
    groups.push_back(static_cast<std::size_t>(springs.groups[drawn[i]]));
  groups.resize(drawn.size(), static_cast<std::size_t>(breath::kGroupCount));

  std::vector<std::int32_t> places;
  for (std::size_t i = 0; i < fibres; ++i)
    places.insert(places.end(), {springs.a[drawn[i]], springs.b[drawn[i]]});
  part.positions = [places, elements, this](const body::Frame& f) {
    std::vector<Vec3> ends;
    for (const std::int32_t p : places) ends.push_back(f.points[static_cast<std::size_t>(p)]);
    const auto moved = [&](int link, const Vec3& p) {
      const auto l = static_cast<std::size_t>(link);
      return Vec3(f.X_WL[l] * (layout_.links[l].X_WL_rest.inverse() * p));
    };
    for (const breath::ShoulderElement& e : elements) {
      ends.push_back(moved(e.trunkBody, e.onTrunk));
      ends.push_back(moved(e.armBody, e.onArm));
    }
    return ends;
  };
  part.load = [drawn](const body::Frame& f) {
    std::vector<double> tensions;
    for (const std::size_t i : drawn) tensions.push_back(f.scalars[kFirstTension + i]);
    return tensions;
  };
  part.shade = [groups](const std::vector<double>& tension) {
    std::vector<double> highest(breath::kGroupCount + 1, 1e-9);
    for (std::size_t i = 0; i < tension.size(); ++i)
      highest[groups[i]] = std::max(highest[groups[i]], tension[i]);
    std::vector<render::Color> colors;
    for (std::size_t i = 0; i < tension.size(); ++i)
      colors.push_back(forceColor(tension[i] / highest[groups[i]]));
    return colors;
  };
  cast_.lines.push_back(std::move(part));
}

void TorsoCast::addSkin() {
  cast_.soft.push_back({.name = "skin",
                        .tissue = body::Tissue::Skin,
                        .triangles = restSkin().triangles,
                        .positions = [this](const body::Frame& f) { return skin(f); },
                        .morphs = kMorphs});
}

/// Files, pictures and film ask for the same frames, and a skin takes longer than much of a
/// picture.
std::vector<Vec3> TorsoCast::skin(const body::Frame& frame) const {
  constexpr std::size_t kMost = 160;  // frames of a film, some 1 MB each
  const auto same = [&](const PosedSkin& p) {
    return p.time == frame.time && p.lungs == frame.scalars.front() &&
           p.point == frame.points.back();
  };
  const auto known = std::ranges::find_if(posed_, same);
  if (known != posed_.end()) return known->skin;
  if (posed_.size() == kMost) posed_.pop_front();
  posed_.push_back(
      {frame.time, frame.scalars.front(), frame.points.back(), skin_->pose(frame, layout_)});
  return posed_.back().skin;
}

RecordedBody TorsoCast::recorded() const {
  RecordedBody r = skin_->recorded(layout_);
  r.cast = &cast_;
  r.restSkin = [this](const body::Frame& f) { return skin(f); };  // all that moves is breath
  return r;
}

render::Camera TorsoCast::camera(const Vec3& direction, double aspect,
                                 const HeightSpan& seen) const {
  constexpr double kWidest = 0.13;  // part of the height: arms are cut off
  const std::vector<Vec3>& points = restSkin().positions;
  const double top = boundingBox(points).max.y();
  Box box;
  for (const Vec3& p : points)
    if (p.y() > seen.low * top && p.y() < seen.high * top && std::abs(p.x()) < kWidest * top)
      box.add(p);
  return render::Camera::frame(box, direction, {.aspect = aspect, .margin = 0.02});
}

View TorsoCast::view(const body::Frame& first, const TorsoPicture& config) const {
  const double aspect = static_cast<double>(config.width) / config.height;
  return view(first, config,
              [c = camera(config.direction, aspect)](const body::Frame&) { return c; });
}

View TorsoCast::view(const body::Frame& first, const TorsoPicture& config, CameraOf camera) const {
  render::RenderOptions options;
  options.width = config.width;
  options.height = config.height;
  options.samples = config.samples;
  options.ground = false;
  options.denoise = config.denoise;
  if (config.cut) options.cut = render::CutPlane{Vec3::Zero(), Vec3(1, 0, 0)};
  if (config.studio) options = options.inStudio();
  Look look = config.look;
  constexpr int kFewSamples = 8;  // a film's
  const bool film = config.samples < kFewSamples;
  look.skinTexture = film ? filmTexture_ : texture_;
  // Finer than a pixel of a film, where they would only flicker.
  if (!film && look.skin >= 1) look.hair = hair(skin(first));
  return View(cast_, first, std::move(look), std::move(camera), options);
}

std::vector<render::Polyline> TorsoCast::hair(const std::vector<Vec3>& skin) const {
  return headHair(*skin_->surface().topology, skin, complexion_.sex, complexion_.hair);
}

render::Image TorsoCast::picture(const body::Frame& frame, const TorsoPicture& config) const {
  return view(frame, config).draw(frame);
}

render::Image TorsoCast::travelPicture(const body::Frame& from, const body::Frame& to) const {
  const std::vector<Vec3> before = skin(from), after = skin(to);
  std::vector<double> travel(after.size());
  for (std::size_t i = 0; i < after.size(); ++i) travel[i] = 1e3 * (after[i] - before[i]).norm();
  render::Scene scene;
  scene.add({after, restSkin().triangles}, travel,
            render::makeColorScale(travel, render::ColorMap::Sequential, "travel [mm]"));
  render::Renderer renderer(std::move(scene));
  const auto seenFrom = [&](const Vec3& direction) {
    const TorsoPicture size;
    render::RenderOptions options;
    options.width = size.width, options.height = size.height, options.samples = size.samples;
    options.ground = false;
    return renderer.render(camera(direction, static_cast<double>(size.width) / size.height),
                           options);
  };
  return render::tile({{seenFrom({0, 0.08, 1}), "front"}, {seenFrom({0.97, 0.08, 0.2}), "left"}},
                      2);
}

}  // namespace pneuma::stage
