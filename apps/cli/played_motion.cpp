#include "cli/played_motion.h"

#include "pneuma/anatomy/person.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/key_poses.h"

namespace pneuma::cli {

namespace {

/// The clip on the figure; what is wrong with the clip names its file.
skeleton::RetargetedMotion retarget(const MotionOptions& o, const PlayedMotion& f,
                                    double framesPerSecond) {
  const io::Bvh clip = io::readBvh(o.clip).valueOrThrow();
  const skeleton::ClipJointMap map =
      o.jointTable.empty() ? skeleton::ClipJointMap{} : skeleton::ClipJointMap::read(o.jointTable);
  try {
    return skeleton::Retargeter(f.compiled, f.model, clip, map,
                                {.restFrame = o.restFrame,
                                 .firstFrame = o.firstFrame,
                                 .seconds = o.seconds,
                                 .framesPerSecond = framesPerSecond})
        .run();
  } catch (const InputError& e) {
    std::vector<Diagnostic> named = e.diagnostics();
    for (Diagnostic& d : named)
      if (d.where.file.empty()) d.where.file = o.clip;
    throw InputError(std::move(named));
  }
}

}  // namespace

PlayedMotion makePlayedMotion(const MotionOptions& o, const PersonOptions& person,
                              const std::string& articulation, double framesPerSecond) {
  PlayedMotion f;
  f.measured = person.loadAsMeasured();
  f.body = anatomy::fitToPerson(f.measured, person.person(f.measured));
  f.compiled = anatomy::compileBody(f.body, articulation).valueOrThrow();
  f.model = skeleton::modelFromBody(f.compiled, {.freeRoot = true});
  if (o.clip.empty()) {
    const skeleton::KeyPoses keys =
        o.poses.empty() ? skeleton::posesOfJoints(f.compiled, f.model, o.joints, o.rhythm)
                        : skeleton::readPoses(o.poses, f.compiled, f.model, o.rhythm);
    skeleton::KeyPoses poses =
        skeleton::resampled(f.model, skeleton::makePoseTrack(f.model, keys), framesPerSecond);
    f.times = std::move(poses.times);
    f.q = std::move(poses.q);
    return f;
  }
  f.clip = retarget(o, f, framesPerSecond);
  f.times = f.clip.times;
  f.q = f.clip.q;
  return f;
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

io::Table jointTable(const PlayedMotion& f) {
  io::Table table;
  table.addColumn("time", "s");
  const std::vector<std::string> names = dofNames(f);
  for (std::size_t i = 0; i < names.size(); ++i) table.addColumn(names[i], i < 3 ? "m" : "deg");
  std::vector<double> row;
  for (std::size_t i = 0; i < f.q.size(); ++i) {
    const VecX values = skeleton::configurationDifference(f.model, f.model.neutral, f.q[i]);
    row.assign(1, f.times[i]);
    for (Eigen::Index j = 0; j < values.size(); ++j)
      row.push_back(j < 3 ? values[j] : radiansToDegrees(values[j]));
    table.appendRow(row);
  }
  return table;
}

}  // namespace pneuma::cli
