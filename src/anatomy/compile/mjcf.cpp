#include "pneuma/anatomy/mjcf.h"

#include <fmt/format.h>

namespace pneuma::anatomy {
namespace {

std::string text(const Vec3& v) {
  return fmt::format("{} {} {}", v.x(), v.y(), v.z());
}

/// Length range of a muscle that MuJoCo would otherwise find by a long simulation.
constexpr double kShortest = 0.5, kLongest = 1.5;

class MjcfWriter {
 public:
  MjcfWriter(const CompiledBody& body, const MjcfOptions& options)
      : body_(body), options_(options), sites_(body.links.size()), children_(body.links.size()) {
    for (std::size_t i = 0; i < body.links.size(); ++i)
      if (body.links[i].parent >= 0)
        children_[static_cast<std::size_t>(body.links[i].parent)].push_back(i);
    if (options.muscles)
      for (const CompiledMuscle& m : body.muscles) addMuscle(m);
    if (options.springs)
      for (const CompiledSpring& s : body.springs) addSpring(s);
  }

  std::string write() {
    // MuJoCo must neither invent nor change inertias; tendons give its muscles their lengths.
    out_ = fmt::format("<mujoco model=\"{}\">\n", body_.articulation);
    out_ += "  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n";
    out_ += fmt::format("  <option gravity=\"0 {} 0\" timestep=\"0.002\"/>\n", -kGravity);
    // Joint limits are MuJoCo's only constraints here; 1000 rows are plenty.
    out_ += "  <size njmax=\"1000\" nconmax=\"10\"/>\n  <worldbody>\n";
    for (std::size_t i = 0; i < body_.links.size(); ++i)
      if (body_.links[i].parent < 0) writeLink(i, Vec3::Zero(), 4);
    out_ += "  </worldbody>\n";
    if (!tendons_.empty()) out_ += "  <tendon>\n" + tendons_ + "  </tendon>\n";
    if (!actuators_.empty()) out_ += "  <actuator>\n" + actuators_ + "  </actuator>\n";
    return out_ + "</mujoco>\n";
  }

 private:
  /// Adds a site at a point and returns its name.
  std::string addSite(const std::string& owner, std::size_t index, const CompiledPoint& p) {
    const auto link = static_cast<std::size_t>(p.link);
    std::string name = fmt::format("{}#{}", owner, index);
    sites_[link] += fmt::format("<site name=\"{}\" pos=\"{}\" size=\"0.001\"/>\n", name,
                                text(p.position - body_.links[link].center));
    return name;
  }

  void addMuscle(const CompiledMuscle& m) {
    tendons_ +=
        fmt::format("    <spatial name=\"{}\" width=\"0.002\" rgba=\".7 .2 .2 1\">\n", m.name);
    for (std::size_t i = 0; i < m.points.size(); ++i)
      tendons_ += fmt::format("      <site site=\"{}\"/>\n", addSite(m.name, i, m.points[i]));
    tendons_ += "    </spatial>\n";
    actuators_ += fmt::format(
        "    <muscle name=\"{0}\" tendon=\"{0}\" force=\"{1}\" lengthrange=\"{2} {3}\"/>\n", m.name,
        m.peakForce, kShortest * m.restLength, kLongest * m.restLength);
  }

  void addSpring(const CompiledSpring& s) {
    tendons_ += fmt::format(
        "    <spatial name=\"{}\" width=\"0.001\" stiffness=\"{}\" damping=\"{}\" "
        "springlength=\"{}\">\n      <site site=\"{}\"/>\n      <site site=\"{}\"/>\n"
        "    </spatial>\n",
        s.name, s.stiffness, s.damping, s.restLength, addSite(s.name, 0, s.a),
        addSite(s.name, 1, s.b));
  }

  void line(int indent, const std::string& s) {
    out_ += std::string(static_cast<std::size_t>(indent), ' ') + s + "\n";
  }

  void writeJoint(const CompiledLink& link, int indent) {
    if (link.joint == JointType::Free) {
      if (link.parent < 0)
        return line(indent, fmt::format("<freejoint name=\"{}\"/>", link.jointName));
      for (int i = 0; i < 3; ++i)
        line(indent, fmt::format("<joint name=\"{}.{}\" type=\"slide\" axis=\"{}\"/>",
                                 link.jointName, "xyz"[i], text(Vec3::Unit(i))));
      return line(indent, fmt::format("<joint name=\"{}.ball\" type=\"ball\"/>", link.jointName));
    }
    if (link.joint == JointType::Ball) {
      double damping = 0;
      for (const CompiledDof& d : link.dofs) damping += d.damping / 3;
      return line(indent, fmt::format("<joint name=\"{}\" type=\"ball\" damping=\"{}\"/>",
                                      link.jointName, damping));
    }
    for (const CompiledDof& d : link.dofs)
      line(indent, fmt::format("<joint name=\"{}\" type=\"{}\" axis=\"{}\" stiffness=\"{}\" "
                               "damping=\"{}\"{}/>",
                               d.name, d.kind == DofKind::Rotation ? "hinge" : "slide",
                               text(d.axis), d.stiffness, d.damping,
                               d.limited ? fmt::format(" limited=\"true\" range=\"{} {}\"", d.lower,
                                                       d.upper)
                                         : std::string()));
  }

  void writeLink(std::size_t index, const Vec3& parentCenter, int indent) {
    const CompiledLink& link = body_.links[index];
    line(indent,
         fmt::format("<body name=\"{}\" pos=\"{}\">", link.name, text(link.center - parentCenter)));
    if (link.joint != JointType::Fixed) writeJoint(link, indent + 2);
    if (link.inertia.mass > 0) {
      const Mat3& m = link.inertia.inertia;
      line(indent + 2,
           fmt::format("<inertial pos=\"{}\" mass=\"{}\" fullinertia=\"{} {} {} {} {} {}\"/>",
                       text(link.inertia.center - link.center), link.inertia.mass, m(0, 0), m(1, 1),
                       m(2, 2), m(0, 1), m(0, 2), m(1, 2)));
    }
    out_ += sites_[index];
    for (const std::size_t child : children_[index]) writeLink(child, link.center, indent + 2);
    line(indent, "</body>");
  }

  const CompiledBody& body_;
  MjcfOptions options_;
  std::vector<std::string> sites_;  // of each link
  std::vector<std::vector<std::size_t>> children_;
  std::string tendons_, actuators_, out_;
};

}  // namespace

std::string toMjcf(const CompiledBody& body, const MjcfOptions& options) {
  return MjcfWriter(body, options).write();
}

}  // namespace pneuma::anatomy
