#include "pneuma/anatomy/mjcf.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

namespace pneuma::anatomy {
namespace {

std::string text(const Vec3& v) {
  return fmt::format("{} {} {}", v.x(), v.y(), v.z());
}

/// Fibre lengths, over the optimal one, that stand for the ends of `lengthrange`. MuJoCo finds
/// L0 = (lengthrange[1] - lengthrange[0]) / (range[1] - range[0]) and
/// LT = lengthrange[0] - range[0] L0: any pair gives ours back.
constexpr double kShortFibre = 0.5, kLongFibre = 1.5;

/// MuJoCo's muscle curves set as near to Zajac's as parabolas come: the active one within 0.13 of
/// the peak force (equal at the optimal length), passive force 1 at a strain of 0.475, 10 lengths a
/// second, lengthening up to 1.8 (the defaults of muscle::ZajacCurvesConfig and
/// muscle::Musculotendon).
constexpr double kActiveFrom = 0.25, kActiveTo = 1.62, kPassiveStrain = 0.475;
constexpr double kFastest = 10, kLengthening = 1.8;
/// Muscles pull (a negative force there). MuJoCo 2.2 lets fibres shorter than lmin push, so the
/// force is limited, far beyond what stretched fibres reach on the other side.
constexpr double kStrongest = 10;

/// MuJoCo's passive curve beyond b = (1 + lmax)/2 is fpmax (1 + 3 x)/4 with x = (l - 1)/(b - 1).
double passiveScale() {
  return 4 / (1 + 3 * kPassiveStrain / (0.5 * (kActiveTo - 1)));
}

/// A link drawn as the ellipsoid with its mass and inertia.
struct InertiaEllipsoid {
  Vec3 halfAxes;
  Quat orientation;
};

InertiaEllipsoid ellipsoidOf(const RigidInertia& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia.inertia);
  const Vec3 moments = solver.eigenvalues();
  Mat3 axes = solver.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
  InertiaEllipsoid e{Vec3::Zero(), Quat(axes)};
  constexpr double kThinnest = 0.002;  // [m], what MuJoCo still draws
  for (int i = 0; i < 3; ++i) {
    const double spread = 0.5 * moments.sum() - moments[i];  // integral of x_i^2
    e.halfAxes[i] = std::max(std::sqrt(std::max(5 * spread / inertia.mass, 0.0)), kThinnest);
  }
  return e;
}

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
    // Euler, which is implicit in joint damping. MuJoCo's integrator "implicit" takes the
    // derivative of a muscle's force without its limits and makes short fibres push.
    out_ += fmt::format("  <option gravity=\"0 {} 0\" timestep=\"{}\" integrator=\"Euler\"/>\n",
                        -kGravity, options_.timestep);
    // Joint limits and feet on the floor are the only constraints; 2000 rows are plenty.
    out_ += "  <size njmax=\"2000\" nconmax=\"200\"/>\n";
    // Body parts touch the floor, not one another.
    out_ += "  <default>\n    <geom contype=\"0\" conaffinity=\"1\"/>\n  </default>\n";
    out_ += "  <worldbody>\n";
    if (options_.geometry) {
      out_ += "    <light pos=\"0 3 3\" dir=\"0 -1 -1\" directional=\"true\"/>\n";
      out_ +=
          "    <geom name=\"floor\" type=\"plane\" size=\"3 3 0.1\" zaxis=\"0 1 0\" contype=\"1\" "
          "conaffinity=\"0\" rgba=\".8 .82 .85 1\"/>\n";
    }
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
    if (m.peakForce > 0) addActuator(m);
  }

  void addActuator(const CompiledMuscle& m) {
    const double along = std::cos(m.pennation);  // MuJoCo knows no pennation
    const double fibre = m.fiberLength * along;
    const double force = m.peakForce * along;
    actuators_ += fmt::format(
        "    <muscle name=\"{0}\" tendon=\"{0}\" ctrllimited=\"true\" ctrlrange=\"0 1\" "
        "forcelimited=\"true\" forcerange=\"{1} 0\" force=\"{2}\" lengthrange=\"{3} {4}\" "
        "range=\"{5} {6}\" lmin=\"{7}\" lmax=\"{8}\" fpmax=\"{9}\" vmax=\"{10}\" "
        "fvmax=\"{11}\"/>\n",
        m.name, -kStrongest * force, force, m.tendonLength + kShortFibre * fibre,
        m.tendonLength + kLongFibre * fibre, kShortFibre, kLongFibre, kActiveFrom, kActiveTo,
        passiveScale(), kFastest, kLengthening);
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
    for (const CompiledDof& d : link.dofs) {
      const bool turns = d.kind == DofKind::Rotation;
      const bool bare = turns && !(d.damping > 0);
      std::string more;
      if (d.limited) more += fmt::format(" limited=\"true\" range=\"{} {}\"", d.lower, d.upper);
      if (bare) more += fmt::format(" armature=\"{}\"", options_.bareArmature);
      line(indent, fmt::format("<joint name=\"{}\" type=\"{}\" axis=\"{}\" stiffness=\"{}\" "
                               "damping=\"{}\"{}/>",
                               d.name, turns ? "hinge" : "slide", text(d.axis), d.stiffness,
                               bare ? options_.bareDamping : d.damping, more));
    }
  }

  /// Thin capsules from joint to joint, and the ellipsoid of the link's inertia.
  void writeGeometry(std::size_t index, int indent) {
    const CompiledLink& link = body_.links[index];
    constexpr double kRod = 0.004, kShortest = 0.005;  // [m]
    for (const std::size_t child : children_[index]) {
      const Vec3 to = body_.links[child].center - link.center;
      if (to.norm() < kShortest) continue;
      line(indent, fmt::format("<geom type=\"capsule\" size=\"{}\" fromto=\"0 0 0 {}\" "
                               "conaffinity=\"0\" rgba=\".9 .87 .78 1\"/>",
                               kRod, text(to)));
    }
    if (!(link.inertia.mass > 0)) return;
    const InertiaEllipsoid e = ellipsoidOf(link.inertia);
    line(indent,
         fmt::format("<geom name=\"{}\" type=\"ellipsoid\" size=\"{}\" pos=\"{}\" "
                     "quat=\"{} {} {} {}\" rgba=\".85 .75 .65 .5\"/>",
                     link.name, text(e.halfAxes), text(link.inertia.center - link.center),
                     e.orientation.w(), e.orientation.x(), e.orientation.y(), e.orientation.z()));
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
    if (options_.geometry) writeGeometry(index, indent + 2);
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
