#include "pneuma/breath/shoulder_layer.h"

#include <fmt/format.h>

#include <cmath>

#include "breath/cage/shoulder_flesh.h"
#include "breath/cage/shoulder_muscles.h"
#include "breath/cage/torso_mesh.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/error.h"
#include "pneuma/skeleton/inverse_dynamics.h"
#include "pneuma/skeleton/model_builder.h"

namespace pneuma::breath {
namespace {

constexpr std::array<const char*, kArmBodyCount> kArmNames{
    "shoulder_l", "upper_arm_l", "lower_arm_l", "shoulder_r", "upper_arm_r", "lower_arm_r"};

/// The arms on a base that moves with the sternum.
skeleton::Model makeArms(const TorsoModel& torso, const anatomy::Body& body,
                         const ShoulderLayerConfig& config) {
  const anatomy::CompiledBody compiled = anatomy::compileBody(body, "torso").valueOrThrow();
  const RigidPart& sternum = torso.parts[kSternum];
  skeleton::ModelBuilder builder;
  builder.setGravity(config.gravity ? Vec3(0, -kGravity, 0) : Vec3(0, 0, 0));
  builder.add({.name = "sternum",
               .joint = skeleton::Joint::free(),
               .jointPose = {Mat3::Identity(), sternum.origin},
               .inertia = {sternum.mass, sternum.origin + sternum.center, sternum.inertia}});
  for (int i = 0; i < kArmBodyCount; ++i) {
    const std::string name = kArmNames[static_cast<std::size_t>(i)];
    const anatomy::CompiledLink& link =
        compiled.links[static_cast<std::size_t>(compiled.findLink(name))];
    const bool elbow = i % 3 == 2;
    builder.add(
        {.name = name,
         .parent = i % 3 == 0 ? "sternum" : kArmNames[static_cast<std::size_t>(i - 1)],
         .joint = elbow ? skeleton::Joint::hinge(link.dofs.front().axis) : skeleton::Joint::ball(),
         .jointPose = {Mat3::Identity(), link.center},
         .inertia = link.inertia,
         .resistance = {skeleton::DofResistance{.damping = config.jointFriction}}});
  }
  return builder.build();
}

/// A point of skin to be: it rides on a body.
struct Trace {
  int body;
  Vec3 rest;
};

/// Along the spine, over the head and along the arms.
std::vector<Trace> makeTraces(const TorsoAnatomy& a) {
  std::vector<Trace> list;
  for (std::size_t i = 0; i < 5; ++i) list.push_back({kSpine, a.vertebrae[i]});
  // Below the larynx the neck goes with the manubrium and, closely, with the clavicles.
  for (const double s : {0.0, 0.5, 1.0})
    list.push_back({kSternum, a.jugularNotch + s * (a.manubriosternal - a.jugularNotch)});
  // Spinous processes and sacrum carry the skin of the back.
  for (std::size_t i = 7; i < a.vertebrae.size(); ++i)
    list.push_back({kSpine, a.vertebrae[i] - a.height * Vec3(0, 0.006, 0.026)});
  for (const double down : {0.0, 0.03, 0.06})
    list.push_back({kSpine, a.promontory - a.height * Vec3(0, down, 0.045)});
  for (const double y : {0.03, 0.06, 0.09})
    list.push_back({kSpine, a.vertebrae.front() + a.height * Vec3(0, y, 0.01)});
  for (int side = 0; side < 2; ++side) {
    const auto along = [&](const Vec3& from, const Vec3& to, int body, int steps) {
      for (int i = 0; i <= steps; ++i)
        list.push_back({body + side * kArmBodyCount / 2,
                        internal::onSide(from + (to - from) * i / steps, side)});
    };
    along(a.sternoclavicular, a.acromioclavicular, kBodyCount, 16);
    along(a.shoulder + 0.25 * (a.elbow - a.shoulder), a.elbow, kBodyCount + 1, 6);
    along(a.elbow, a.wrist + 0.5 * (a.wrist - a.elbow), kBodyCount + 2, 9);
  }
  return list;
}

}  // namespace

int torsoBodyOf(const std::string& bone) {
  const auto starts = [&](const char* word) { return bone.rfind(word, 0) == 0; };
  const int side = bone.ends_with("_r") ? 1 : 0;
  // Cartilages go with their ribs; the arch of 8-10 with theirs.
  for (const std::string prefix : {"rib_", "costal_cartilage_"})
    if (starts(prefix.c_str())) {
      const int level = std::stoi(bone.substr(prefix.size(), 2));
      return level <= kRibCount ? ribBody(level, side) : kSpine;
    }
  for (const char* piece : {"manubrium", "body_of_sternum", "xiphoid_process"})
    if (starts(piece)) return kSternum;
  for (const char* piece : {"vertebra_", "sacrum", "hip_bone", "skull", "mandible", "hyoid"})
    if (starts(piece)) return kSpine;
  const int arm = kBodyCount + side * kArmBodyCount / 2;
  if (starts("clavicle") || starts("scapula")) return arm;
  if (starts("humerus")) return arm + 1;
  if (starts("ulna") || starts("radius") || starts("hand")) return arm + 2;
  return -1;
}

std::string anyBodyName(int body) {
  return body < kBodyCount ? bodyName(body)
                           : kArmNames[static_cast<std::size_t>(body - kBodyCount)];
}

ShoulderLayerConfig makeShoulderConfig(const TorsoConfig& torso) {
  ShoulderLayerConfig c;
  if (torso.preset == "zordan2005") {
    c.stiffness = 10;  // Table 1
    c.damping = 1;
    c.prestrain = 0;
    c.gravity = false;  // in the paper's units weight would outweigh every spring
  }
  // Lying, the ground carries the arms.
  if (torso.posture == Posture::Supine) c.gravity = false;
  return c;
}

struct ShoulderLayer::Data {
  Data(const TorsoModel& torsoModel, const anatomy::Body& body, const ShoulderLayerConfig& config)
      : torso(torsoModel),
        arms(makeArms(torso, body, config)),
        links(findLinks()),
        elements(internal::makeShoulderElements(body)),
        muscles(arms, elements, links, config),
        balance(VecX::Zero(arms.dofCount())),
        workspace(arms, {&muscles, &joints, &balance}),
        state(skeleton::makeState(arms)) {
    prescribed.assign(static_cast<std::size_t>(arms.dofCount()), 0);
    const skeleton::Link& base = arms.links[static_cast<std::size_t>(arms.linkIndex("sternum"))];
    for (int i = 0; i < 6; ++i) prescribed[static_cast<std::size_t>(base.firstDof + i)] = 1;
    baseDof = base.firstDof;
    basePosition = base.firstPosition;
    target = tau = VecX::Zero(arms.dofCount());
    for (internal::FleshSpec& spec : internal::makeShoulderFlesh(body, torso.anatomy)) {
      flesh.emplace_back(spec.mesh, spec.config, spec.anchors, spec.supports);
      names.push_back(spec.name);
      targets.emplace_back(spec.anchors.size());
      carriers.emplace_back();
      for (const int v : spec.anchors)
        carriers.back().push_back(torsoBodyOf(spec.bones[static_cast<std::size_t>(v)]));
      specs.push_back(std::move(spec));
    }
    traces = makeTraces(torso.anatomy);
    hangUp();
    gatherPoints();
    rest = points;
  }

  std::vector<int> findLinks() const {
    std::vector<int> list;
    for (const char* name : kArmNames) list.push_back(arms.linkIndex(name));
    return list;
  }

  /// Constant loads that hold arms and elements in the rest state.
  void hangUp() {
    VecX vDot(arms.dofCount());
    skeleton::computeAcceleration(arms, state, workspace, vDot);
    const VecX attached = workspace.loads.force;
    balance.force = skeleton::inverseDynamics(arms, state, VecX::Zero(arms.dofCount())) - attached;
    placement = torsoKinematics(torso, makeRestState(torso));
    skeleton::computePoses(arms, state.q, workspace.dynamics.kinematics);
    findRest();
    readTrunk();
    readArms();
  }

  const Pose& motionOf(int body) const { return motions[static_cast<std::size_t>(body)]; }

  /// Motions of the trunk's bodies and of the arms' against rest, for all that ride on them.
  void readTrunk() {
    for (int b = 0; b < kBodyCount; ++b) {
      const auto i = static_cast<std::size_t>(b);
      motions[i] = placement.X_WL[trunkLink(b)] * toRest[i];
    }
  }
  void readArms() {
    for (std::size_t i = 0; i < kArmBodyCount; ++i)
      motions[kBodyCount + i] =
          workspace.dynamics.kinematics.X_WL[static_cast<std::size_t>(links[i])] *
          toRest[kBodyCount + i];
  }
  void findRest() {
    for (int b = 0; b < kBodyCount; ++b)
      toRest[static_cast<std::size_t>(b)] = torso.tree.links[trunkLink(b)].X_WL_rest.inverse();
    for (std::size_t i = 0; i < kArmBodyCount; ++i)
      toRest[kBodyCount + i] = arms.links[static_cast<std::size_t>(links[i])].X_WL_rest.inverse();
  }

  std::size_t trunkLink(int body) const {
    return static_cast<std::size_t>(torso.link[static_cast<std::size_t>(body)]);
  }

  /// The base takes over the sternum's pose and velocity; `target` brings it to the next one.
  void setBase(double dt) {
    const std::size_t l = trunkLink(kSternum);
    const Pose& now = placement.X_WL[l];
    const Vec3 velocity = skeleton::pointVelocity(placement, static_cast<int>(l), now.position);
    const Quat turn(now.rotation);
    const Vec3 position = now.position - dt * velocity;  // the step's beginning
    const Vec3 spin = now.rotation.transpose() * placement.velocity[l].head<3>();  // own axes
    const double angle = dt * spin.norm();
    const Quat before =
        angle > 0 ? Quat(turn * Quat(Eigen::AngleAxisd(-angle, spin.normalized()))) : turn;
    state.q.segment<3>(basePosition) = position - torso.parts[kSternum].origin;
    state.q.segment<4>(basePosition + 3) << before.w(), before.x(), before.y(), before.z();
    state.v.segment<3>(baseDof) = lastVelocity;
    state.v.segment<3>(baseDof + 3) = lastSpin;
    target.segment<3>(baseDof) = (velocity - lastVelocity) / dt;
    target.segment<3>(baseDof + 3) = (spin - lastSpin) / dt;
    lastVelocity = velocity;
    lastSpin = spin;
  }

  void moveTrunkEnds() {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const int body = elements[i].trunkBody;
      const Vec3 end = motionOf(body) * elements[i].onTrunk;
      muscles.setTrunkEnd(
          i, end, skeleton::pointVelocity(placement, static_cast<int>(trunkLink(body)), end));
    }
  }

  void moveFlesh(double dt) {
    for (std::size_t k = 0; k < flesh.size(); ++k) {
      const internal::FleshSpec& spec = specs[k];
      for (std::size_t j = 0; j < spec.anchors.size(); ++j)
        targets[k][j] = motionOf(carriers[k][j]) *
                        spec.mesh.positions[static_cast<std::size_t>(spec.anchors[j])];
      flesh[k].step(targets[k], dt);
    }
  }

  void gatherPoints() {
    points.clear();
    for (const flesh::PressureBody& b : flesh)
      points.insert(points.end(), b.mesh().positions.begin(), b.mesh().positions.end());
    for (const Trace& t : traces) points.push_back(motionOf(t.body) * t.rest);
  }

  void checkFinite(double time) const {
    for (std::size_t k = 0; k < flesh.size(); ++k)
      for (const Vec3& v : flesh[k].velocities())
        if (!(v.squaredNorm() < 1e6))
          throw SimulationError(time, names[k], "the motion of the soft body is not finite");
  }

  const TorsoModel& torso;
  skeleton::Model arms;
  std::vector<int> links;  ///< of the arms' bodies
  std::vector<ShoulderElement> elements;
  internal::ShoulderMuscles muscles;
  skeleton::JointResistanceSource joints;
  skeleton::ConstantForceSource balance;
  skeleton::StepWorkspace workspace;
  skeleton::State state;
  std::vector<std::uint8_t> prescribed;
  VecX target, tau;
  int baseDof = 0, basePosition = 0;
  Vec3 lastVelocity = Vec3::Zero(), lastSpin = Vec3::Zero();
  skeleton::Kinematics placement{torso.tree};
  std::array<Pose, kAllBodyCount> toRest, motions;  ///< from the link at rest; against rest
  std::vector<internal::FleshSpec> specs;
  std::vector<flesh::PressureBody> flesh;
  std::vector<std::string> names;
  std::vector<std::vector<Vec3>> targets;
  std::vector<std::vector<int>> carriers;  ///< bodies under the anchors of each soft body
  std::vector<Trace> traces;
  std::vector<Vec3> rest, points;
};

ShoulderLayer::ShoulderLayer(const TorsoModel& torso, const anatomy::Body& body,
                             const ShoulderLayerConfig& config)
    : data_(std::make_unique<Data>(torso, body, config)) {}
ShoulderLayer::~ShoulderLayer() = default;
ShoulderLayer::ShoulderLayer(ShoulderLayer&&) noexcept = default;

void ShoulderLayer::step(const TorsoState& torso, double dt) {
  Data& d = *data_;
  skeleton::computeKinematics(d.torso.tree, torso.tree.q, torso.tree.v, d.placement);
  d.readTrunk();
  d.setBase(dt);
  d.moveTrunkEnds();
  skeleton::stepImplicitHybrid(d.arms, d.prescribed, d.target, d.state, d.workspace, dt, d.tau);
  d.state.time = torso.time;
  skeleton::checkFinite(d.arms, d.state);
  skeleton::computePoses(d.arms, d.state.q, d.workspace.dynamics.kinematics);
  d.readArms();
  d.moveFlesh(dt);
  d.checkFinite(torso.time);
}

int ShoulderLayer::elementCount() const {
  return static_cast<int>(data_->elements.size());
}
int ShoulderLayer::fleshCount() const {
  return static_cast<int>(data_->flesh.size());
}
const std::vector<ShoulderElement>& ShoulderLayer::elements() const {
  return data_->elements;
}
const std::vector<double>& ShoulderLayer::tensions() const {
  return data_->muscles.tensions();
}
std::array<Vec3, 2> ShoulderLayer::ends(std::size_t i) const {
  const ShoulderElement& e = data_->elements[i];
  return {data_->motionOf(e.trunkBody) * e.onTrunk, data_->motionOf(e.armBody) * e.onArm};
}
Pose ShoulderLayer::motion(int body) const {
  return data_->motionOf(body);
}

double ShoulderLayer::shoulderRise() const {
  const Vec3& acromion = data_->torso.anatomy.acromioclavicular;
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    const Vec3 p = internal::onSide(acromion, side);
    sum += (data_->motionOf(kBodyCount + side * kArmBodyCount / 2) * p - p).y();
  }
  return 0.5 * sum;
}

std::string ShoulderLayer::fleshName(std::size_t k) const {
  return data_->names[k];
}
const TriangleMesh& ShoulderLayer::flesh(std::size_t k) const {
  return data_->flesh[k].mesh();
}
double ShoulderLayer::fleshVolumeError(std::size_t k) const {
  return data_->flesh[k].volumeError();
}
const std::vector<Vec3>& ShoulderLayer::restPoints() const {
  return data_->rest;
}
const std::vector<Vec3>& ShoulderLayer::points() const {
  data_->gatherPoints();
  return data_->points;
}

void ShoulderLayer::save(io::StateWriter& out) const {
  out.put(data_->state.q);
  out.put(data_->state.v);
  out.put(data_->lastVelocity);
  out.put(data_->lastSpin);
  for (std::size_t k = 0; k < data_->flesh.size(); ++k) {
    out.put(data_->flesh[k].mesh().positions);
    out.put(data_->flesh[k].velocities());
    out.put(data_->targets[k]);
  }
}

void ShoulderLayer::load(io::StateReader& in, const TorsoState& torso) {
  in.get(data_->state.q);
  in.get(data_->state.v);
  in.get(data_->lastVelocity);
  in.get(data_->lastSpin);
  for (std::size_t k = 0; k < data_->flesh.size(); ++k) {
    std::vector<Vec3> positions, velocities;
    in.get(positions);
    in.get(velocities);
    in.get(data_->targets[k]);
    data_->flesh[k].setState(std::move(positions), std::move(velocities), data_->targets[k]);
  }
  data_->placement = torsoKinematics(data_->torso, torso);
  skeleton::computePoses(data_->arms, data_->state.q, data_->workspace.dynamics.kinematics);
  data_->readTrunk();
  data_->readArms();
}

}  // namespace pneuma::breath
