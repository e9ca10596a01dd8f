#include <algorithm>
#include <cmath>

#include "cli/breath_outputs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/render/material.h"

namespace pneuma::cli {
namespace {

using breath::TorsoAnatomy;

/// Cell size of the generated bones: fine enough for a film, light enough for a report that is
/// mailed [m].
constexpr double kBoneResolution = 0.0022;

/// The body of the torso that carries a bone, or -1 for bones that are not shown.
int carrierOf(const std::string& bone) {
  const auto starts = [&](const char* word) { return bone.rfind(word, 0) == 0; };
  const int side = bone.ends_with("_r") ? 1 : 0;
  // Cartilages go with their ribs; the arch of 8-10 with theirs.
  for (const std::string prefix : {"rib_", "costal_cartilage_"})
    if (starts(prefix.c_str())) {
      const int level = std::stoi(bone.substr(prefix.size(), 2));
      return level <= breath::kRibCount ? breath::ribBody(level, side) : breath::kSpine;
    }
  for (const char* piece : {"manubrium", "body_of_sternum", "xiphoid_process"})
    if (starts(piece)) return breath::kSternum;
  for (const char* still :
       {"vertebra_", "sacrum", "hip_bone", "skull", "mandible", "clavicle", "scapula"})
    if (starts(still)) return breath::kSpine;
  return -1;
}

/// Takes a point of the measured man to the place it has in a scaled torso (see breath::scaled).
class PersonMap {
 public:
  explicit PersonMap(const TorsoAnatomy& person) {
    const TorsoAnatomy measured = breath::measuredTorso();
    up_ = person.height / measured.height;
    across_ = person.acromioclavicular.x() / measured.acromioclavicular.x();
    middle_ = measured.trunk.center.z();
  }
  Vec3 operator()(const Vec3& p) const {
    return {across_ * p.x(), up_ * p.y(), up_ * middle_ + across_ * (p.z() - middle_)};
  }

 private:
  double up_, across_, middle_;
};

/// How far each part of the skin follows the trunk.
double mobilityOf(anatomy::SkinPart part) {
  switch (part) {
    case anatomy::SkinPart::Chest:
    case anatomy::SkinPart::Abdomen:
    case anatomy::SkinPart::Back:
    case anatomy::SkinPart::Shoulder:
      return 1;
    case anatomy::SkinPart::Neck:
    case anatomy::SkinPart::Pelvis:
    case anatomy::SkinPart::UpperArm:
      return 0.5;
    default:
      return 0;
  }
}

/// Spreads the steps between parts over the surface.
void smooth(std::vector<double>& values, const TriangleMesh& mesh, int passes) {
  std::vector<double> sum(values.size());
  std::vector<int> count(values.size());
  for (int k = 0; k < passes; ++k) {
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(count.begin(), count.end(), 0);
    for (const Triangle& t : mesh.triangles)
      for (std::size_t i = 0; i < 3; ++i) {
        sum[static_cast<std::size_t>(t[i])] += values[static_cast<std::size_t>(t[(i + 1) % 3])];
        ++count[static_cast<std::size_t>(t[i])];
      }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (count[i] > 0) values[i] = 0.5 * values[i] + 0.5 * sum[i] / count[i];
  }
}

breath::TrunkSkin bodySkin(const breath::TorsoModel& model, const breath::Subject& subject) {
  const anatomy::Body body = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  anatomy::Person person;
  person.sex = subject.sex == breath::Sex::Male ? anatomy::Sex::Male : anatomy::Sex::Female;
  person.height = subject.height;
  person.mass = subject.mass;
  person.age = subject.age;
  anatomy::SkinSurface skin = anatomy::makeSkinSurface(
      anatomy::loadSkinModel(), body, person, {.triangles = 80000}, anatomy::GeometryCache());
  std::vector<double> mobility;
  for (const anatomy::SkinPart part : skin.parts) mobility.push_back(mobilityOf(part));
  smooth(mobility, skin.mesh, 60);
  return {model, std::move(skin.mesh), mobility};
}

}  // namespace

TorsoShapes::TorsoShapes(const breath::TorsoModel& model, const breath::Subject& subject)
    : model_(&model), skin_(bodySkin(model, subject)) {
  const anatomy::Body body = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const anatomy::GeometryCache cache;
  const PersonMap toPerson(model.anatomy);
  for (const anatomy::Shape& shape : body.shapes) {
    const int carrier = carrierOf(shape.bone);
    if (carrier < 0) continue;
    TriangleMesh mesh = cache.boneMesh(shape.shape, kBoneResolution);
    for (Vec3& p : mesh.positions) p = toPerson(p);
    bones_.push_back({shape.bone, carrier, std::move(mesh)});
  }
}

Pose TorsoShapes::motion(const BreathFrame& frame, int body) const {
  const Pose& p = frame.poses[static_cast<std::size_t>(body)];
  const Vec3& origin = model_->parts[static_cast<std::size_t>(body)].origin;
  return {p.rotation, p.position - p.rotation * origin};
}

TriangleMesh TorsoShapes::dome(const BreathFrame& frame) const {
  TriangleMesh m;
  for (std::size_t i = 0; i < frame.points.size(); ++i) m.positions.push_back(frame.points[i]);
  m.triangles = model_->dome;
  removeUnusedVertices(m);
  return m;
}

TriangleMesh TorsoShapes::gut(const BreathFrame& frame) const {
  return breath::gutSurface(*model_, frame.points);
}

TriangleMesh TorsoShapes::skin(const BreathFrame& frame) const {
  return {skin_.deform(frame.points), skin_.rest().triangles};
}

render::Scene TorsoShapes::scene(const BreathFrame& frame, double skinOpacity, bool inside) const {
  render::Scene scene;
  if (inside) {
    for (const RigidShape& bone : bones_) {
      TriangleMesh m = bone.mesh;
      const Pose pose = motion(frame, bone.body);
      for (Vec3& p : m.positions) p = pose * p;
      render::Material look = bone.name.starts_with("costal_cartilage")
                                  ? render::materials::cartilage()
                                  : render::materials::bone();
      look.cut = false;
      scene.add(std::move(m), look, bone.name);
    }
    scene.add(dome(frame), render::materials::muscle(), "diaphragm");
    scene.add(gut(frame), render::materials::translucent(render::materials::organ(), 0.35), "gut");
  }
  if (skinOpacity > 0)
    scene.add(skin(frame),
              skinOpacity < 1
                  ? render::materials::translucent(render::materials::skin(), skinOpacity)
                  : render::materials::skin(),
              "skin");
  return scene;
}

BreathFrame captureFrame(breath::BreathSimulation& run) {
  breath::updatePoints(run.model(), run.state(), run.workspace());
  BreathFrame f;
  f.time = run.state().time;
  f.points = run.workspace().points();
  f.tensions = run.workspace().tensions();
  for (int b = 0; b < breath::kBodyCount; ++b)
    f.poses.push_back(breath::bodyPose(run.model(), run.state(), b));
  return f;
}

}  // namespace pneuma::cli
