#include "pneuma/anatomy/osim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace pneuma::anatomy {
namespace {

/// Of OpenSim's default curves (Millard et al. 2013) and ours [optimal fibre lengths per second].
constexpr double kFastestFibre = 10;
/// Two axes are taken for parallel below this sine.
constexpr double kParallel = 1e-6;

std::string xyzText(const Vec3& v) {
  return fmt::format("{} {} {}", v.x(), v.y(), v.z());
}

/// OpenSim's names hold no spaces and none of the signs of its paths.
std::string safeName(std::string name) {
  for (char& c : name)
    if (c == '/' || c == '\\' || c == '*' || c == '+' || c == ' ' || c == '<' || c == '&') c = '_';
  return name;
}

/// Freedoms that one CustomJoint can carry: slides, then hinges.
struct JointPart {
  std::vector<CompiledDof> slides, hinges;

  bool takes(const CompiledDof& d) const {
    if (d.kind == DofKind::Translation) return hinges.empty() && spans(slides, d);
    return spans(hinges, d);
  }
  void add(const CompiledDof& d) {
    (d.kind == DofKind::Translation ? slides : hinges).push_back(d);
  }

 private:
  /// Whether another axis leaves the axes independent: OpenSim inverts them.
  static bool spans(const std::vector<CompiledDof>& axes, const CompiledDof& d) {
    if (axes.empty()) return true;
    if (axes.size() == 1) return axes[0].axis.cross(d.axis).norm() > kParallel;
    return axes.size() == 2 && std::abs(axes[0].axis.cross(axes[1].axis).dot(d.axis)) > kParallel;
  }
};

std::vector<JointPart> partsOf(const CompiledLink& link) {
  std::vector<JointPart> parts(1);
  for (const CompiledDof& d : link.dofs) {
    if (!parts.back().takes(d)) parts.emplace_back();
    parts.back().add(d);
  }
  return parts;
}

/// Three independent axes that begin with those of the freedoms.
std::array<Vec3, 3> completed(const std::vector<CompiledDof>& dofs) {
  std::array<Vec3, 3> axes;
  std::size_t n = 0;
  for (; n < dofs.size(); ++n) axes[n] = dofs[n].axis;
  if (n == 0) return {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  if (n == 1) axes[n++] = axes[0].unitOrthogonal();
  if (n == 2) axes[2] = axes[0].cross(axes[1]).normalized();
  return axes;
}

class OsimWriter {
 public:
  OsimWriter(const CompiledBody& body, const OsimOptions& options)
      : body_(body), options_(options) {}

  OsimModel write() {
    open("OpenSimDocument Version=\"40000\"");
    open(fmt::format("Model name=\"{}\"", safeName(body_.articulation)));
    value("gravity", xyzText({0, -kGravity, 0}));
    value("length_units", "meters");
    value("force_units", "N");
    line("<Ground name=\"ground\"/>");
    writeSet("BodySet", "bodyset", [&] { writeBodies(); });
    writeSet("JointSet", "jointset", [&] { writeJoints(); });
    writeSet("ForceSet", "forceset", [&] { writeForces(); });
    close("Model");
    close("OpenSimDocument");
    noteDropped();
    return {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + std::move(out_), std::move(dropped_)};
  }

 private:
  void line(const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n";
  }
  void open(const std::string& tag) {
    line("<" + tag + ">");
    ++depth_;
  }
  void close(const std::string& tag) {
    --depth_;
    line("</" + tag + ">");
  }
  template <class Value>
  void value(const char* tag, const Value& v) {
    line(fmt::format("<{0}>{1}</{0}>", tag, v));
  }
  template <class Content>
  void writeSet(const char* tag, const char* name, Content&& content) {
    open(fmt::format("{} name=\"{}\"", tag, name));
    open("objects");
    content();
    close("objects");
    line("<groups/>");
    close(tag);
  }

  std::string bodyName(int link) const {
    return safeName(body_.links[static_cast<std::size_t>(link)].name);
  }
  std::string framePath(int link) const {
    return link < 0 ? "/ground" : "/bodyset/" + bodyName(link);
  }
  static std::string betweenName(const CompiledLink& link, std::size_t part) {
    return fmt::format("{}_between{}", safeName(link.name), part + 1);
  }
  /// In the frame of its link.
  Vec3 local(const CompiledPoint& p) const {
    return p.link < 0 ? p.position
                      : Vec3(p.position - body_.links[static_cast<std::size_t>(p.link)].center);
  }

  void writeBody(const std::string& name, double mass, const Vec3& center, const Mat3& inertia) {
    open(fmt::format("Body name=\"{}\"", name));
    value("mass", mass);
    value("mass_center", xyzText(center));
    value("inertia", fmt::format("{} {} {} {} {} {}", inertia(0, 0), inertia(1, 1), inertia(2, 2),
                                 inertia(0, 1), inertia(0, 2), inertia(1, 2)));
    close("Body");
  }

  void writeBodies() {
    for (const CompiledLink& link : body_.links) {
      if (link.joint == JointType::Sequence)
        for (std::size_t part = 0; part + 1 < partsOf(link).size(); ++part)
          writeBody(betweenName(link, part), 0, Vec3::Zero(), Mat3::Zero());
      writeBody(safeName(link.name), link.inertia.mass, link.inertia.center - link.center,
                link.inertia.inertia);
    }
  }

  /// A joint of the body's text may be shared by several links; names of a set may not.
  std::string uniqueJoint(const std::string& name) {
    std::string unique = name;
    for (int i = 2; !jointNames_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    return unique;
  }

  void writeFrame(const char* name, const std::string& parent, const Vec3& translation) {
    open(fmt::format("PhysicalOffsetFrame name=\"{}\"", name));
    value("socket_parent", parent);
    value("translation", xyzText(translation));
    value("orientation", "0 0 0");
    close("PhysicalOffsetFrame");
  }

  void writeCoordinate(const std::string& name, const CompiledDof* d) {
    open(fmt::format("Coordinate name=\"{}\"", safeName(name)));
    value("default_value", 0);
    if (d != nullptr && d->limited) {
      value("range", fmt::format("{} {}", d->lower, d->upper));
      value("clamped", "true");
    }
    close("Coordinate");
  }

  void writeAxis(const std::string& name, const CompiledDof* d, const Vec3& axis) {
    open(fmt::format("TransformAxis name=\"{}\"", name));
    value("coordinates", d == nullptr ? "" : safeName(d->name));
    value("axis", xyzText(axis));
    if (d != nullptr)
      line("<LinearFunction name=\"function\"><coefficients>1 0</coefficients></LinearFunction>");
    else
      line("<Constant name=\"function\"><value>0</value></Constant>");
    close("TransformAxis");
  }

  void writeTransform(const JointPart& part) {
    open("SpatialTransform");
    const auto axes = [&](const char* name, const std::vector<CompiledDof>& dofs) {
      const std::array<Vec3, 3> all = completed(dofs);
      for (std::size_t i = 0; i < 3; ++i)
        writeAxis(fmt::format("{}{}", name, i + 1), i < dofs.size() ? &dofs[i] : nullptr, all[i]);
    };
    axes("rotation", part.hinges);
    axes("translation", part.slides);
    close("SpatialTransform");
  }

  /// A joint between two frames; `coordinates` writes its own, `rest` what follows them.
  template <class Coordinates, class Rest>
  void writeJoint(const char* tag, const std::string& name, const std::string& parent,
                  const std::string& child, const Vec3& at, Coordinates&& coordinates,
                  Rest&& rest) {
    open(fmt::format("{} name=\"{}\"", tag, uniqueJoint(safeName(name))));
    value("socket_parent_frame", "parent_offset");
    value("socket_child_frame", "child_offset");
    open("coordinates");
    coordinates();
    close("coordinates");
    open("frames");
    writeFrame("parent_offset", parent, at);
    writeFrame("child_offset", child, Vec3::Zero());
    close("frames");
    rest();
    close(tag);
  }

  void writeSequence(const CompiledLink& link, const std::string& parent, const Vec3& at) {
    const std::vector<JointPart> parts = partsOf(link);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      const std::string child = "/bodyset/" + (last ? safeName(link.name) : betweenName(link, i));
      const std::string from = i == 0 ? parent : "/bodyset/" + betweenName(link, i - 1);
      writeJoint(
          "CustomJoint", last ? link.jointName : fmt::format("{}_part{}", link.jointName, i + 1),
          from, child, i == 0 ? at : Vec3(Vec3::Zero()),
          [&] {  // in the order of the axes below
            for (const CompiledDof& d : parts[i].hinges) writeCoordinate(d.name, &d);
            for (const CompiledDof& d : parts[i].slides) writeCoordinate(d.name, &d);
          },
          [&] { writeTransform(parts[i]); });
    }
  }

  // Joints and freedoms keep our names, by which a model that was read again is compared with this
  // one.
  void writeJoints() {
    for (const CompiledLink& link : body_.links) {
      const std::string parent = framePath(link.parent), child = "/bodyset/" + safeName(link.name);
      const Vec3 at =
          link.parent < 0
              ? link.center
              : Vec3(link.center - body_.links[static_cast<std::size_t>(link.parent)].center);
      const auto none = [] {};
      const auto turns = [&] {
        for (const char* axis : {"rx", "ry", "rz"})
          writeCoordinate(link.jointName + "." + axis, nullptr);
      };
      switch (link.joint) {
        case JointType::Sequence:
          writeSequence(link, parent, at);
          break;
        case JointType::Ball:
          writeJoint("BallJoint", link.jointName, parent, child, at, turns, none);
          break;
        case JointType::Free:
          writeJoint(
              "FreeJoint", link.jointName, parent, child, at,
              [&] {
                turns();
                for (const char* axis : {"tx", "ty", "tz"})
                  writeCoordinate(link.jointName + "." + axis, nullptr);
              },
              none);
          break;
        case JointType::Fixed:
          writeJoint("WeldJoint", link.jointName, parent, child, at, none, none);
          break;
      }
    }
  }

  void writePath(const CompiledMuscle& m) {
    open("GeometryPath name=\"geometrypath\"");
    open("PathPointSet");
    open("objects");
    for (std::size_t i = 0; i < m.points.size(); ++i) {
      open(fmt::format("PathPoint name=\"{}-P{}\"", safeName(m.name), i + 1));
      value("socket_parent_frame", framePath(m.points[i].link));
      value("location", xyzText(local(m.points[i])));
      close("PathPoint");
    }
    close("objects");
    close("PathPointSet");
    close("GeometryPath");
  }

  void writeMuscle(const CompiledMuscle& m) {
    if (!(m.peakForce > 0)) {
      open(fmt::format("PathSpring name=\"{}\"", safeName(m.name)));
      writePath(m);
      value("resting_length", m.restLength);
      value("stiffness", 0);
      value("dissipation", 0);
      return close("PathSpring");
    }
    open(fmt::format("Millard2012EquilibriumMuscle name=\"{}\"", safeName(m.name)));
    writePath(m);
    value("max_isometric_force", m.peakForce);
    value("optimal_fiber_length", m.fiberLength);
    value("tendon_slack_length", m.tendonLength);
    value("pennation_angle_at_optimal", m.pennation);
    value("max_contraction_velocity", kFastestFibre);
    value("ignore_tendon_compliance", "true");
    close("Millard2012EquilibriumMuscle");
  }

  void writeSpring(const CompiledSpring& s) {
    open(fmt::format("PointToPointSpring name=\"{}\"", safeName(s.name)));
    value("socket_body1", framePath(s.a.link));
    value("socket_body2", framePath(s.b.link));
    value("point1", xyzText(local(s.a)));
    value("point2", xyzText(local(s.b)));
    value("stiffness", s.stiffness);
    value("rest_length", s.restLength);
    close("PointToPointSpring");
  }

  void writeResistance(const CompiledDof& d) {
    open(fmt::format("SpringGeneralizedForce name=\"{}.resistance\"", safeName(d.name)));
    value("coordinate", safeName(d.name));
    value("stiffness", d.stiffness);
    value("rest_length", 0);
    value("viscosity", d.damping);
    close("SpringGeneralizedForce");
  }

  void writeForces() {
    if (options_.muscles)
      for (const CompiledMuscle& m : body_.muscles) writeMuscle(m);
    if (!options_.springs) return;
    for (const CompiledSpring& s : body_.springs) writeSpring(s);
    for (const CompiledLink& link : body_.links)
      if (link.joint == JointType::Sequence)
        for (const CompiledDof& d : link.dofs)
          if (d.stiffness > 0 || d.damping > 0) writeResistance(d);
  }

  void noteDropped() {
    const auto damped = std::count_if(body_.springs.begin(), body_.springs.end(),
                                      [](const CompiledSpring& s) { return s.damping > 0; });
    if (options_.springs && damped > 0)
      dropped_.push_back(fmt::format("damping of {} springs between points", damped));
    for (const CompiledLink& link : body_.links) {
      if (link.joint != JointType::Ball) continue;
      const bool resists = std::any_of(link.dofs.begin(), link.dofs.end(), [](const auto& d) {
        return d.limited || d.stiffness > 0 || d.damping > 0;
      });
      if (resists)
        dropped_.push_back(fmt::format("limits and resistance of the ball '{}'", link.jointName));
    }
    if (!body_.rhythms.empty())
      dropped_.push_back(fmt::format("{} rhythms of joints", body_.rhythms.size()));
  }

  const CompiledBody& body_;
  OsimOptions options_;
  int depth_ = 0;
  std::string out_;
  std::set<std::string> jointNames_;
  std::vector<std::string> dropped_;
};

}  // namespace

OsimModel toOsim(const CompiledBody& body, const OsimOptions& options) {
  return OsimWriter(body, options).write();
}

}  // namespace pneuma::anatomy
