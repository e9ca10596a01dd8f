#include "pneuma/stage/played_motion.h"

#include <cmath>

#include "pneuma/anatomy/person.h"
#include "pneuma/core/hash.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"

namespace pneuma::stage {

skeleton::RetargetedMotion retargetClip(const MotionSource& o,
                                        const anatomy::CompiledBody& compiled,
                                        const skeleton::Model& model, double framesPerSecond) {
  const io::Bvh clip = io::readBvh(o.clip).valueOrThrow();
  const skeleton::ClipJointMap map =
      o.jointTable.empty() ? skeleton::ClipJointMap{} : skeleton::ClipJointMap::read(o.jointTable);
  try {
    return skeleton::Retargeter(
               compiled, model, clip, map,
               {.restFrame = o.restFrame,
                .firstFrame = o.firstFrame,
                .seconds = o.loop ? std::numeric_limits<double>::infinity() : o.seconds,
                .framesPerSecond = framesPerSecond})
        .run();
  } catch (const InputError& e) {
    std::vector<Diagnostic> named = e.diagnostics();
    for (Diagnostic& d : named)
      if (d.where.file.empty()) d.where.file = o.clip;
    throw InputError(std::move(named));
  }
}

namespace {

skeleton::KeyPoses keyPoses(const MotionSource& o, const PlayedMotion& f) {
  if (!o.poses.empty()) return skeleton::readPoses(o.poses, f.compiled, f.model, o.rhythm);
  if (o.posture.empty()) return skeleton::posesOfJoints(f.compiled, f.model, o.joints, o.rhythm);
  const std::vector<skeleton::LinkPoint> bones =
      skeleton::bonePoints(f.body, f.compiled, f.model, anatomy::GeometryCache());
  const double sole = skeleton::lowestPoint(f.model, f.model.neutral, bones);
  const VecX q = skeleton::makePosture(f.body, f.compiled, f.model, o.posture, bones, sole);
  return {{0, 1}, {q, q}};
}

/// The clip as a gait that goes on as long as asked for, or for one cycle.
void repeat(const MotionSource& o, double framesPerSecond, PlayedMotion& f) {
  const skeleton::PoseTrack loop = skeleton::makeLoop(f.model, f.times, f.q);
  const double seconds = std::isfinite(o.seconds) ? o.seconds : loop.duration();
  skeleton::KeyPoses even = skeleton::resampled(f.model, loop, framesPerSecond, seconds);
  f.times = std::move(even.times);
  f.q = std::move(even.q);
}

}  // namespace

PlayedMotion makePlayedMotion(const MotionSource& o, anatomy::Body measured,
                              const anatomy::Person& person, const std::string& articulation,
                              double framesPerSecond) {
  PlayedMotion f{.source = o};
  f.measured = std::move(measured);
  f.body = anatomy::fitToPerson(f.measured, person);
  f.compiled = anatomy::compileBody(f.body, articulation).valueOrThrow();
  f.model = skeleton::modelFromBody(f.compiled, {.freeRoot = true});
  f.framesPerSecond = framesPerSecond;
  if (o.clip.empty()) {
    const skeleton::KeyPoses keys = keyPoses(o, f);
    skeleton::KeyPoses poses =
        skeleton::resampled(f.model, skeleton::makePoseTrack(f.model, keys), framesPerSecond);
    f.times = std::move(poses.times);
    f.q = std::move(poses.q);
    return f;
  }
  f.clip = retargetClip(o, f.compiled, f.model, o.loop ? 0 : framesPerSecond);
  f.times = f.clip.times;
  f.q = f.clip.q;
  if (o.loop) repeat(o, framesPerSecond, f);
  return f;
}

PlayedMotion atOwnRate(const PlayedMotion& motion) {
  constexpr double kPoseRate = 120;  // [1/s]
  const std::string& file = motion.source.clip;
  const double rate = file.empty() ? kPoseRate : 1 / io::readBvh(file).valueOrThrow().frameTime;
  return makePlayedMotion(motion.source, motion.measured, motion.body.person,
                          motion.compiled.articulation, rate);
}

std::string motionHash(const PlayedMotion& f) {
  Hash64 hash;
  hash.values(f.times);
  for (const VecX& q : f.q) hash.values({q.data(), static_cast<std::size_t>(q.size())});
  return hash.hex();
}

std::vector<std::string> dofNames(const PlayedMotion& f) {
  std::vector<std::string> names(f.model.dofCount());
  const char* root[] = {"root_x",          "root_y",          "root_z",
                        "root_rotation_x", "root_rotation_y", "root_rotation_z"};
  for (int i = 0; i < 6; ++i) names[i] = root[i];
  for (const anatomy::CompiledLink& link : f.compiled.links) {
    const skeleton::Link& l = f.model.links[f.model.linkIndex(link.name)];
    if (l.joint == skeleton::JointKind::Free) continue;
    for (std::size_t d = 0; d < link.dofs.size(); ++d) names[l.firstDof + d] = link.dofs[d].alias;
  }
  return names;
}

VecX namedValues(const anatomy::CompiledBody& compiled, const skeleton::Model& model, VecX values) {
  constexpr Eigen::Index kAxes = 3;
  for (const anatomy::CompiledLink& link : compiled.links) {
    const skeleton::Link& l = model.links[static_cast<std::size_t>(model.linkIndex(link.name))];
    if (l.joint != skeleton::JointKind::Ball || link.dofs.size() != kAxes) continue;
    const Vec3 along = values.segment<kAxes>(l.firstDof);
    for (std::size_t d = 0; d < link.dofs.size(); ++d)
      values[l.firstDof + static_cast<Eigen::Index>(d)] = link.dofs[d].axis.dot(along);
  }
  return values;
}

}  // namespace pneuma::stage
