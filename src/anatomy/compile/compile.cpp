#include "pneuma/anatomy/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pneuma/anatomy/muscle_strength.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy {
namespace {

/// "elbow_l", "flexion" gives "l_elbow_flexion", the spelling of [Nedel00, Fig. 16-17].
std::string aliasOf(const std::string& joint, const std::string& dof) {
  const std::size_t n = joint.size();
  const bool sided = n > 2 && joint[n - 2] == '_' && (joint[n - 1] == 'l' || joint[n - 1] == 'r');
  if (!sided) return joint + "_" + dof;
  return fmt::format("{}_{}_{}", joint[n - 1], joint.substr(0, n - 2), dof);
}

/// Three axes that need not be square to one another, made so; the first keeps its direction.
void orthonormalize(std::vector<CompiledDof>& dofs) {
  Mat3 m;
  for (int i = 0; i < 3; ++i) m.col(i) = dofs[static_cast<std::size_t>(i)].axis;
  for (int i = 1; i < 3; ++i) {
    Vec3 v = m.col(i);
    for (int k = 0; k < i; ++k) v -= v.dot(m.col(k)) * m.col(k);
    if (v.norm() < 1e-6) v = m.col(0).cross(m.col(1));  // the third of two parallel axes
    m.col(i) = v.normalized();
  }
  for (int i = 0; i < 3; ++i) dofs[static_cast<std::size_t>(i)].axis = m.col(i);
}

class Compiler {
 public:
  Compiler(const Body& body, const Articulation& articulation)
      : body_(body), articulation_(articulation), points_(body, findings_) {}

  Result<CompiledBody> run() {
    out_.articulation = articulation_.name;
    out_.person = body_.person;
    out_.lungs = lungVolumes(body_.person);
    out_.boneNames = points_.boneNames();
    out_.boneLink.assign(body_.bones.size(), -1);
    for (const Link& link : articulation_.links) addLink(link);
    addMasses();
    for (const Muscle& muscle : body_.muscles)
      if (std::ranges::any_of(articulation_.muscles,
                              [&](const std::string& set) { return belongsTo(muscle, set); }))
        addMuscle(muscle);
    for (const Spring& spring : articulation_.springs) addSpring(spring);
    out_.rhythms = articulation_.rhythms;
    for (const Glide& glide : articulation_.glides) addGlide(glide);
    if (!findings_.empty()) return std::move(findings_);
    return std::move(out_);
  }

 private:
  void error(const Described& entry, std::string subject, std::string field, std::string message,
             std::string expected) {
    findings_.push_back({Severity::Error, entry.where.position(), std::move(subject),
                         std::move(field), std::move(message), std::move(expected), ""});
  }

  CompiledDof compileDof(const std::string& joint, const Dof& d) {
    CompiledDof dof{.name = joint + "." + d.name, .alias = aliasOf(joint, d.name), .kind = d.kind};
    dof.axis = points_.resolve(d.axis).valueOrThrow();
    dof.limited = d.range.has_value();
    if (d.range) dof.lower = d.range->lower, dof.upper = d.range->upper;
    dof.stiffness = d.stiffness;
    dof.damping = d.damping;
    return dof;
  }

  void addLink(const Link& link) {
    CompiledLink c{.name = link.name, .parent = out_.findLink(link.parent)};
    c.jointName = link.joint.name.empty() ? link.name : link.joint.name;
    c.joint = link.joint.type;
    c.passive = link.joint.passive;
    c.region = link.region;
    const PointRef& center = link.joint.center;
    if (!center.at.empty() || center.position)
      c.center = points_.resolve(center, link.bones.front()).valueOrThrow().position;
    for (const Dof& d : link.joint.dofs) c.dofs.push_back(compileDof(c.jointName, d));
    if (c.joint == JointType::Ball) {
      if (c.dofs.empty())
        for (int i = 0; i < 3; ++i) {
          const std::string name(1, "xyz"[i]);
          c.dofs.push_back({.name = c.jointName + "." + name,
                            .alias = aliasOf(c.jointName, name),
                            .axis = Vec3::Unit(i)});
        }
      orthonormalize(c.dofs);
    }
    for (const std::string& bone : link.bones) {
      const int index = points_.findBone(bone);
      c.bones.push_back(index);
      out_.boneLink[static_cast<std::size_t>(index)] = static_cast<int>(out_.links.size());
    }
    out_.links.push_back(std::move(c));
  }

  void addMasses() {
    for (const Segment& s : body_.segments) {
      const int link = out_.boneLink[static_cast<std::size_t>(points_.findBone(s.bone))];
      if (link < 0) continue;
      RigidInertia& total = out_.links[static_cast<std::size_t>(link)].inertia;
      RigidInertia own{.mass = s.mass, .center = s.center};
      own.inertia << s.inertia[0], s.inertia[3], s.inertia[4], s.inertia[3], s.inertia[1],
          s.inertia[5], s.inertia[4], s.inertia[5], s.inertia[2];
      total = total.mass > 0 ? total + own : own;
    }
    for (std::size_t i = 0; i < out_.links.size(); ++i)
      if (out_.links[i].joint != JointType::Fixed && !(out_.links[i].inertia.mass > 0))
        error(articulation_.links[i], fmt::format("link '{}'", out_.links[i].name), "bones",
              "has no mass", "a segment for one of its bones");
  }

  CompiledPoint compilePoint(const PointRef& ref) {
    const BodyPoint p = points_.resolve(ref).valueOrThrow();
    return {out_.boneLink[static_cast<std::size_t>(p.bone)], p.bone, p.position};
  }

  void addMuscle(const Muscle& m) {
    CompiledMuscle c{m.name, m.set, m.muscle, m.group, m.belly, m.region};
    for (const PointRef& ref : m.points) {
      c.points.push_back(compilePoint(ref));
      if (c.points.back().link < 0)
        error(ref, fmt::format("muscle '{}'", m.name), "points",
              fmt::format("bone '{}' is not part of articulation '{}'",
                          out_.boneNames[static_cast<std::size_t>(c.points.back().bone)],
                          articulation_.name),
              "points on bones that a link carries");
    }
    for (std::size_t i = 1; i < c.points.size(); ++i)
      c.restLength += (c.points[i].position - c.points[i - 1].position).norm();
    if (!(c.restLength > 0))
      error(m, fmt::format("muscle '{}'", m.name), "points", "has length zero", "a path");
    c.slackLength = m.slack * c.restLength;
    c.tendonOrigin = m.tendonOrigin * c.restLength;
    c.tendonInsertion = m.tendonInsertion * c.restLength;
    addArchitecture(m, c);
    c.volume = m.volume.value_or(0.0);
    c.profile = m.profile;
    c.where = m.where;
    out_.muscles.push_back(std::move(c));
  }

  void addArchitecture(const Muscle& m, CompiledMuscle& c) {
    const MuscleArchitecture a = architectureOf(m, c.restLength);
    c.pcsa = a.crossSection;
    c.peakForce = a.peakForce;
    c.fiberLength = a.fiberLength;
    c.pennation = m.pennation;
    c.tendonLength = a.tendonLength;
    if (c.tendonLength < 0)
      error(m, fmt::format("muscle '{}'", m.name), "fiber_length",
            fmt::format("leaves a tendon of {:.1f} mm on a path of {:.1f} mm", 1e3 * c.tendonLength,
                        1e3 * c.restLength),
            "fibres that fit into the path at rest");
  }

  void addSpring(const Spring& s) {
    CompiledSpring c{s.name, compilePoint(s.a), compilePoint(s.b)};
    c.restLength = (c.a.position - c.b.position).norm();
    c.stiffness = s.stiffness;
    c.damping = s.damping;
    out_.springs.push_back(std::move(c));
  }

  void addGlide(const Glide& g) {
    const auto linkOf = [&](const std::string& bone) {
      return out_.boneLink[static_cast<std::size_t>(points_.findBone(bone))];
    };
    CompiledGlide c{.name = g.name, .limb = linkOf(g.limb), .after = g.after, .parts = g.parts};
    c.on = linkOf(g.on);
    const Vec3& joint = out_.links[static_cast<std::size_t>(c.limb)].center;
    c.direction = (compilePoint(g.end).position - joint).normalized();
    for (const PointRef& p : g.points) c.points.push_back(compilePoint(p));
    for (const std::string& bone : g.over)
      c.surface.push_back(*points_.curve(points_.findBone(bone), kCentreline));
    out_.glides.push_back(std::move(c));
  }

  const Body& body_;
  const Articulation& articulation_;
  std::vector<Diagnostic> findings_;
  PointTable points_;
  CompiledBody out_;
};

int wholeBones(const Body& body, const CompiledBody& compiled) {
  std::set<std::string> whole;
  for (std::size_t i = 0; i < body.bones.size(); ++i) {
    const Bone& bone = body.bones[i];
    if (compiled.boneLink[i] >= 0 && bone.kind == BoneKind::Bone)
      whole.insert(bone.partOf.empty() ? bone.name : bone.partOf);
  }
  return static_cast<int>(whole.size());
}

}  // namespace

int CompiledLink::dofCount() const {
  switch (joint) {
    case JointType::Fixed:
      return 0;
    case JointType::Sequence:
      return static_cast<int>(dofs.size());
    case JointType::Ball:
      return 3;
    case JointType::Free:
      return 6;
  }
  return 0;
}

std::string CompiledMuscle::sidedMuscle() const {
  for (const char* side : {"_l", "_r"})
    if (name.ends_with(side)) return muscle + side;
  return muscle;
}

int CompiledBody::findLink(const std::string& name) const {
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i].name == name) return static_cast<int>(i);
  return -1;
}

double CompiledBody::mass() const {
  double sum = 0;
  for (const CompiledLink& l : links) sum += l.inertia.mass;
  return sum;
}

int CompiledBody::dofCount() const {
  int sum = 0;
  for (const CompiledLink& l : links)
    if (l.parent >= 0) sum += l.dofCount();
  return sum;
}

Result<CompiledBody> compileBody(const Body& body, const std::string& articulation) {
  std::vector<std::string> names;
  for (const Articulation& a : body.articulations) {
    if (a.name == articulation) return Compiler(body, a).run();
    names.push_back(a.name);
  }
  return Diagnostic{Severity::Error,
                    {},
                    "",
                    "articulation",
                    fmt::format("unknown articulation '{}'", articulation),
                    fmt::format("one of {}", fmt::join(names, ", ")),
                    nearestName(articulation, names)};
}

// Counts as the papers count, so that tables compare: bodies that move, joints by name, muscles by
// anatomical name and not by line.
BodySummary summarize(const Body& body, const CompiledBody& compiled) {
  BodySummary s;
  std::set<std::string> joints, muscles, parts;
  for (const CompiledLink& l : compiled.links) {
    const bool root = l.parent < 0;
    if (!root || l.joint != JointType::Fixed) ++s.bodies;
    if (root) continue;
    joints.insert(l.jointName);
    const int n = l.dofCount();
    s.dofs += n;
    (l.region == LinkRegion::Arm   ? s.dofsArms
     : l.region == LinkRegion::Leg ? s.dofsLegs
                                   : s.dofsHeadNeckTrunk) += n;
    if (l.passive) s.dofsPassive += n;
  }
  for (const CompiledMuscle& m : compiled.muscles) {
    muscles.insert(m.muscle.empty() ? m.name : m.muscle);
    if (!m.belly.empty()) parts.insert(m.belly);
    ++(m.region == MuscleRegion::HeadNeck ? s.musclesHeadNeck
       : m.region == MuscleRegion::Trunk  ? s.musclesTrunk
       : m.region == MuscleRegion::Arm    ? s.musclesArms
                                          : s.musclesLegs);
  }
  s.joints = static_cast<int>(joints.size());
  s.lines = static_cast<int>(compiled.muscles.size());
  s.parts = static_cast<int>(parts.size());
  s.muscles = s.parts > 0 ? static_cast<int>(muscles.size()) : s.lines;
  s.springs = static_cast<int>(compiled.springs.size());
  s.anatomicalBones = wholeBones(body, compiled);
  for (const Articulation& a : body.articulations)
    if (a.name == compiled.articulation)
      s.bones = a.countAs == BoneCount::Bodies ? s.bodies : s.anatomicalBones;
  s.mass = compiled.mass();
  return s;
}

}  // namespace pneuma::anatomy
