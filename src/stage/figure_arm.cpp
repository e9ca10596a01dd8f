#include "pneuma/stage/figure_arm.h"

#include <algorithm>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/check.h"
#include "pneuma/flesh/belly_grid.h"
#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/skeleton/from_body.h"
#include "stage/picture_sizes.h"

namespace pneuma::stage {
namespace {

constexpr const char* kHeads[]{"fig_biceps_long_l", "fig_biceps_short_l"};

bool isBelow(const anatomy::CompiledBody& body, int link, int ancestor) {
  while (link >= 0 && link != ancestor) link = body.links[static_cast<std::size_t>(link)].parent;
  return link == ancestor;
}

/// Shape and tendons of one belly.
void record(const flesh::Belly& belly, const Vec3& shift, FilmCompanion& to) {
  flesh::BellyGrid grid{belly.model().slices(), belly.model().around(), {}};
  belly.state().positions(grid.points);
  TriangleMesh mesh = flesh::bellyMesh(flesh::refineBelly(grid, kRefine));
  for (Vec3& p : mesh.positions) p += shift;
  to.triangles = std::move(mesh.triangles);
  to.frames.push_back(std::move(mesh.positions));
  const flesh::ActionLine& line = belly.line();
  const auto points = line.points();
  to.lines.push_back({{points.front() + shift, line.pointAt(line.bellyStart()) + shift},
                      {line.pointAt(line.bellyEnd()) + shift, points.back() + shift}});
}

}  // namespace

FigureArm::FigureArm(anatomy::Body measured)
    : body_(std::move(measured)),
      compiled_(anatomy::compileBody(body_, "figure").valueOrThrow()),
      model_(skeleton::modelFromBody(compiled_)),
      elbow_(compiled_.findLink("ulna_l")) {
  PNEUMA_CHECK(elbow_ >= 0, "the figure has no link 'ulna_l'");
  const anatomy::CompiledLink& link = compiled_.links[static_cast<std::size_t>(elbow_)];
  measurements_.elbow = link.center;
  measurements_.elbowAxis = -link.dofs.front().axis;  // bends for positive angles
  int heads = 0;
  measurements_.bicepsOrigin.setZero();
  for (const anatomy::CompiledMuscle& m : compiled_.muscles)
    for (const char* head : kHeads)
      if (m.name == head) {
        ++heads;
        measurements_.bicepsOrigin += 0.5 * m.points.front().position;
        measurements_.bicepsInsertion = m.points.back().position;
      }
  PNEUMA_CHECK(heads == 2, "the figure has {} of the two heads of the biceps", heads);
}

VecX FigureArm::pose(double flexion) const {
  VecX q = model_.neutral;
  q[model_.links[static_cast<std::size_t>(model_.linkIndex("ulna_l"))].firstPosition] = flexion;
  return q;
}

std::vector<FilmPart> FigureArm::bones(const Vec3& shift) const {
  const anatomy::GeometryCache cache;
  std::vector<FilmPart> parts;
  for (const anatomy::Shape& shape : body_.shapes) {
    const auto bone = std::find(compiled_.boneNames.begin(), compiled_.boneNames.end(), shape.bone);
    if (bone == compiled_.boneNames.end() || !shape.bone.ends_with("_l")) continue;
    const int link =
        compiled_.boneLink[static_cast<std::size_t>(bone - compiled_.boneNames.begin())];
    if (link < 0 ||
        compiled_.links[static_cast<std::size_t>(link)].region != anatomy::LinkRegion::Arm)
      continue;
    const bool below = isBelow(compiled_, link, elbow_);
    parts.push_back(
        {shape.bone, cache.boneMesh(shape.shape, anatomy::kLightBone), below ? 1 : 0, true, shift});
  }
  return parts;
}

std::vector<FilmCompanion> FigureArm::bellies(const flesh::ElbowCurl& curl,
                                              const std::vector<double>& times,
                                              const Vec3& shift) const {
  flesh::FigureBellies all(body_, compiled_, model_);
  std::vector<int> parts;
  std::vector<FilmCompanion> companions;
  for (int i = 0; i < all.count(); ++i)
    for (const char* head : kHeads)
      if (all.name(i) == head) {
        parts.push_back(i);
        companions.emplace_back().name = head;
      }
  skeleton::Kinematics kinematics(model_);
  for (std::size_t f = 0; f < times.size(); ++f) {
    skeleton::computePoses(model_, pose(flesh::elbowAngle(curl, times[f])), kinematics);
    if (f == 0)
      all.settle(kinematics);
    else
      all.follow(kinematics, times[f] - times[f - 1]);
    for (std::size_t i = 0; i < parts.size(); ++i)
      record(all.belly(parts[i]), shift, companions[i]);
  }
  return companions;
}

}  // namespace pneuma::stage
