#include "pneuma/stage/figure_actor.h"

#include <algorithm>
#include <map>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/check.h"
#include "pneuma/flesh/belly_grid.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/stage/glb.h"
#include "pneuma/stage/palette.h"
#include "stage/picture_sizes.h"

namespace pneuma::stage {
namespace {

constexpr double kTendonRadius = 2.5e-3;  // [m]
constexpr int kTendonPoints = 8;
constexpr double kMuscleRadius = 1.3e-3;     // [m]
constexpr double kBellyTolerance = 1e-3;     // of morphs [m]
constexpr double kSkinTolerance = 1e-3;      // [m]
constexpr double kLineTolerance = 5e-4;      // [m]
constexpr int kPersonTriangles = 40000;      // of the person's skin, for head, hands and feet
constexpr const char* kTendons = "tendons";  // point sets
constexpr const char* kMuscles = "muscles";

/// Both tendons of a belly, one after the other.
void tendonPoints(const flesh::Belly& belly, std::span<Vec3> points) {
  const flesh::ActionLine& line = belly.line();
  for (int i = 0; i < kTendonPoints; ++i) {
    const double t = static_cast<double>(i) / (kTendonPoints - 1);
    const Vec3 apart(0, 1e-6 * i, 0);  // a tendon of no length must still be a line
    const auto k = static_cast<std::size_t>(i);
    points[k] = line.pathAt(t * line.bellyStart()) + apart;
    points[k + kTendonPoints] =
        line.pathAt(line.bellyEnd() + t * (line.length() - line.bellyEnd())) + apart;
  }
}

/// Lines of a point set, with their first points.
LinePart linePart(const body::FrameLayout& layout, int set, std::vector<std::int32_t> begin) {
  const SoftPart points = softPart(layout, set);
  return {.name = points.name,
          .tissue = points.tissue,
          .begin = std::move(begin),
          .positions = points.positions};
}

}  // namespace

BoneMeshes makeBoneMeshes(const anatomy::Body& body, bool relaxedHands) {
  const anatomy::GeometryCache cache;
  BoneMeshes meshes;
  const anatomy::RelaxedHands relaxed(relaxedHands ? body : anatomy::Body{});
  for (const anatomy::Shape& s : body.shapes)
    meshes[s.bone] = relaxed.bone(s.bone, cache.boneMesh(s.shape, anatomy::kLightBone));
  return meshes;
}

FigureActor::FigureActor(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                         const skeleton::Model& model)
    : FigureActor(body, compiled, model, makeBoneMeshes(body, false)) {}

FigureActor::FigureActor(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                         const skeleton::Model& model, const BoneMeshes& bones)
    : links_(skeleton::linkIndices(compiled, model)), height_(body.person.height) {
  for (const anatomy::CompiledLink& link : compiled.links)
    layout_.addLink(
        {.name = link.name, .parent = link.parent, .X_WL_rest = {.position = link.center}});
  for (std::size_t i = 0; i < body.bones.size(); ++i)
    if (const int link = compiled.boneLink[i]; link >= 0)
      layout_.links[static_cast<std::size_t>(link)].bones.push_back(body.bones[i].name);
  addBones(body, compiled, bones);
}

void FigureActor::addBones(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                           const BoneMeshes& bones) {
  for (std::size_t i = 0; i < body.bones.size(); ++i) {
    const auto mesh = bones.find(body.bones[i].name);
    const int link = compiled.boneLink[i];
    if (link < 0 || mesh == bones.end()) continue;
    RigidPart part{.name = body.bones[i].name, .link = link};
    if (body.bones[i].kind == anatomy::BoneKind::Cartilage) part.tissue = body::Tissue::Cartilage;
    part.mesh = mesh->second;
    const Vec3& center = compiled.links[static_cast<std::size_t>(link)].center;
    for (Vec3& p : part.mesh.positions) {
      boneTop_ = std::max(boneTop_, p.y());
      p -= center;
    }
    cast_.rigid.push_back(std::move(part));
  }
}

void FigureActor::addMuscleLines(const muscle::MuscleModel& muscles,
                                 const std::string& activations) {
  muscles_ = &muscles;
  const muscle::PathSet& paths = muscles.paths;
  std::vector<body::Edge> edges;
  for (std::size_t i = 0; i + 1 < paths.pointBegin.size(); ++i)
    for (std::int32_t p = paths.pointBegin[i]; p + 1 < paths.pointBegin[i + 1]; ++p)
      edges.push_back({p, p + 1});
  const int set = layout_.addPointSet(
      {.name = kMuscles, .count = paths.points.size(), .edges = std::move(edges)});
  LinePart part = linePart(layout_, set, {paths.pointBegin.begin(), paths.pointBegin.end()});
  part.radius = kMuscleRadius;
  part.morphs = {.tolerance = kLineTolerance};
  if (!activations.empty()) {
    const std::vector<int> scalars = layout_.group(activations);
    PNEUMA_CHECK(scalars.size() == part.lineCount());
    part.load = [first = scalars.front(), count = scalars.size()](const body::Frame& f) {
      const auto begin = f.scalars.begin() + first;
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    part.shade = [](const std::vector<double>& values) {
      std::vector<render::Color> colors;
      for (const double a : values) colors.push_back(activationColor(a));
      return colors;
    };
  }
  cast_.lines.push_back(std::move(part));
}

// Bellies are drawn refined but recorded coarse: the frames of a film hold their few control
// points.
void FigureActor::addBellies(const flesh::FigureBellies& bellies) {
  bellies_ = &bellies;
  for (int i = 0; i < bellies.count(); ++i) {
    const flesh::BellyModel& model = bellies.belly(i).model();
    std::vector<Vec3> points;
    bellies.belly(i).state().positions(points);
    const auto carrier = std::ranges::find(links_, bellies.linePoints(i).front().link);
    const int set = layout_.addPointSet({.name = bellies.name(i),
                                         .count = points.size(),
                                         .carrier = static_cast<int>(carrier - links_.begin()),
                                         .triangles = model.triangles()});
    SoftPart part = softPart(layout_, set);
    part.morphs = {.tolerance = kBellyTolerance};
    const auto refined = [slices = model.slices(), around = model.around()](std::vector<Vec3> p) {
      return flesh::refineBelly({slices, around, std::move(p)}, kRefine);
    };
    part.fineTriangles = flesh::bellyMesh(refined(points)).triangles;
    part.refine = [refined](std::vector<Vec3> p) { return refined(std::move(p)).points; };
    cast_.soft.push_back(std::move(part));
  }
  std::vector<std::int32_t> begin;
  for (int i = 0; i <= 2 * bellies.count(); ++i) begin.push_back(kTendonPoints * i);
  const int tendons = layout_.addPointSet({.name = kTendons,
                                           .count = static_cast<std::size_t>(begin.back()),
                                           .tissue = body::Tissue::Tendon});
  LinePart lines = linePart(layout_, tendons, std::move(begin));
  lines.radius = kTendonRadius;
  lines.inFiles = false;
  cast_.lines.push_back(std::move(lines));
}

void FigureActor::addSkin(const skin::FigureSkin& skin) {
  skin_ = &skin;
  const auto root = std::ranges::find(layout_.links, -1, &body::FrameLink::parent);
  const int set = layout_.addPointSet({.name = "skin",
                                       .count = skin.positions().size(),
                                       .tissue = body::Tissue::Skin,
                                       .carrier = static_cast<int>(root - layout_.links.begin()),
                                       .triangles = skin.triangles()});
  SoftPart part = softPart(layout_, set);
  part.morphs = {.tolerance = kSkinTolerance};
  cast_.soft.push_back(std::move(part));
}

int FigureActor::addPointSet(body::FramePointSet points, const MorphQuality& morphs,
                             double fileOpacity, bool shown) {
  const int set = layout_.addPointSet(std::move(points));
  if (!shown) return set;
  SoftPart part = softPart(layout_, set);
  part.morphs = morphs;
  part.fileOpacity = fileOpacity;
  cast_.soft.push_back(std::move(part));
  return set;
}

void FigureActor::show(SoftPart part) {
  const auto old = std::ranges::find(cast_.soft, part.name, &SoftPart::name);
  if (old != cast_.soft.end())
    *old = std::move(part);
  else
    cast_.soft.push_back(std::move(part));
}

void FigureActor::setFileOpacity(const std::string& part, double opacity) {
  for (SoftPart& p : cast_.soft)
    if (p.name == part) p.fileOpacity = opacity;
}

// Only what the layout names is taken: whoever does not show muscles or bellies does not pay for
// them.
body::Frame FigureActor::capture(double time, const skeleton::Kinematics& kinematics) const {
  body::Frame frame = body::makeFrame(layout_);
  frame.time = time;
  for (std::size_t l = 0; l < links_.size(); ++l)
    frame.X_WL[l] = kinematics.X_WL[static_cast<std::size_t>(links_[l])];
  if (muscles_ != nullptr) {
    const std::span<Vec3> points = frame.pointsOf(layout_, layout_.pointSetIndex(kMuscles));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const muscle::LinkPoint& p = muscles_->paths.points[i];
      points[i] =
          p.link < 0 ? p.position : kinematics.X_WL[static_cast<std::size_t>(p.link)] * p.position;
    }
  }
  if (bellies_ != nullptr) {
    std::vector<Vec3> shape;
    const std::span<Vec3> tendons = frame.pointsOf(layout_, layout_.pointSetIndex(kTendons));
    for (int i = 0; i < bellies_->count(); ++i) {
      bellies_->belly(i).state().positions(shape);
      std::ranges::copy(shape,
                        frame.pointsOf(layout_, layout_.pointSetIndex(bellies_->name(i))).begin());
      tendonPoints(bellies_->belly(i),
                   tendons.subspan(static_cast<std::size_t>(2 * kTendonPoints * i),
                                   std::size_t{2} * kTendonPoints));
    }
  }
  if (skin_ != nullptr)
    std::ranges::copy(skin_->positions(),
                      frame.pointsOf(layout_, layout_.pointSetIndex("skin")).begin());
  return frame;
}

CameraOf FigureActor::standingCamera(render::View view, double aspect, bool skin) const {
  constexpr double kRoom = 1.12, kRoomForArms = 1.35;  // heights of the figure
  const double height = skin ? height_ : boneTop_;
  const double size = (skin ? kRoomForArms : kRoom) * height;
  return [=, this](const body::Frame& frame) {
    Box box;
    if (skin)
      for (const Vec3& p : frame.pointsOf(layout_, layout_.pointSetIndex("skin"))) box.add(p);
    else
      for (const Pose& X : frame.X_WL) box.add(X.position);
    Vec3 middle = box.center();
    middle.y() = 0.5 * height;
    return render::Camera::closeUp(middle, size, view, {.aspect = aspect});
  };
}

Look figureLook() {
  return {.bone = 1, .muscle = 1, .lines = true};
}

Look skinLook() {
  return {.skin = 1};
}

render::RenderOptions standingOptions(int width, int height, int samples) {
  render::RenderOptions options;
  options.width = width;
  options.height = height;
  options.samples = samples;
  options.groundHeight = 0;
  return options;
}

skin::FigureSkin makeFigureSkin(const anatomy::Body& measured, const anatomy::Body& body,
                                const anatomy::CompiledBody& compiled, const skeleton::Model& model,
                                const flesh::FigureBellies* bellies) {
  const anatomy::GeometryCache cache;
  const anatomy::SkinSurface person =
      anatomy::makeShownSkin(measured, body.person, kPersonTriangles, cache);
  return skin::FigureSkin(body, compiled, model, person, bellies, cache);
}

io::GltfScene restScene(const anatomy::Body& body, const anatomy::CompiledBody& compiled) {
  const skeleton::Model model = skeleton::modelFromBody(compiled);
  const FigureActor actor(body, compiled, model);
  Cast cast = actor.cast();
  if (!compiled.muscles.empty()) {
    LinePart muscles{.name = kMuscles, .begin = {0}};
    std::vector<Vec3> points;
    for (const anatomy::CompiledMuscle& m : compiled.muscles) {
      for (const auto& p : m.points) points.push_back(p.position);
      muscles.begin.push_back(static_cast<std::int32_t>(points.size()));
      muscles.names.push_back(m.name);
    }
    muscles.positions = [points = std::move(points)](const body::Frame&) { return points; };
    cast.lines.push_back(std::move(muscles));
  }
  FrameTrack track(actor.layout());
  track.add(body::makeFrame(actor.layout()));
  return castScene(cast, Clip(track),
                   {.animation = "rest", .root = body.name.empty() ? "body" : body.name});
}

}  // namespace pneuma::stage
