#include <algorithm>
#include <cmath>
#include <optional>

#include "anatomy/compile/import_tools.h"

namespace pneuma::anatomy {
namespace {

using internal::ImportNotes;
using internal::numbersOf;
using internal::vectorOf;
using io::XmlElement;

class MjcfImporter {
 public:
  MjcfImporter(const XmlElement& model, const std::string& file) : model_(model), notes_(file) {}

  ImportedModel run() {
    out_.articulation = model_.attributeOr("model", "imported");
    readCompiler();
    const XmlElement* world = model_.child("worldbody");
    if (world == nullptr) notes_.refuse(model_, "no worldbody");
    readSites(*world, -1, {});
    for (const XmlElement& e : world->children)
      if (e.name == "body") addBody(e, -1, {});
    addTendons();
    for (CompiledMuscle& m : out_.muscles) internal::completeMuscle(m);
    noteRest();
    return {std::move(out_), notes_.dropped()};
  }

 private:
  void readCompiler() {
    const XmlElement* c = model_.child("compiler");
    const std::string angle = c == nullptr ? "degree" : c->attributeOr("angle", "degree");
    angleUnit_ = angle == "radian" ? 1 : degreesToRadians(1);
    if (c != nullptr && c->attributeOr("eulerseq", "xyz") != "xyz")
      notes_.refuse(*c, "eulerseq other than xyz");
    if (model_.child("default") != nullptr)
      for (const char* kind : {"joint", "tendon", "muscle", "site"})
        if (holds(*model_.child("default"), kind))
          notes_.drop(std::string("defaults of the kind ") + kind);
    if (holds(model_, "include")) notes_.drop("included files");
  }

  static bool holds(const XmlElement& e, std::string_view name) {
    return std::any_of(e.children.begin(), e.children.end(),
                       [&](const XmlElement& c) { return c.name == name || holds(c, name); });
  }

  Vec3 vectorIn(const XmlElement& e, const char* name, const Vec3& otherwise) const {
    const std::string* text = e.attribute(name);
    return text == nullptr ? otherwise : vectorOf(*text, e, notes_);
  }
  double numberIn(const XmlElement& e, const char* name, double otherwise) const {
    const std::string* text = e.attribute(name);
    return text == nullptr ? otherwise : numbersOf(*text, 1, e, notes_)[0];
  }

  Mat3 rotationIn(const XmlElement& e) const {
    if (const std::string* text = e.attribute("quat")) {
      const std::vector<double> q = numbersOf(*text, 4, e, notes_);
      return Quat(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
    }
    if (const std::string* text = e.attribute("axisangle")) {
      const std::vector<double> a = numbersOf(*text, 4, e, notes_);
      return internal::turned({a[0], a[1], a[2]}, angleUnit_ * a[3]);
    }
    if (const std::string* text = e.attribute("euler"))
      return internal::turnedXyz(angleUnit_ * vectorOf(*text, e, notes_));
    for (const char* name : {"xyaxes", "zaxis"})
      if (e.attribute(name) != nullptr) notes_.refuse(e, std::string(name) + " is not read");
    return Mat3::Identity();
  }

  void readSites(const XmlElement& body, int link, const Pose& X_WB) {
    for (const XmlElement& e : body.children)
      if (e.name == "site")
        sites_[e.attributeOr("name", "")] = {.link = link,
                                             .position = X_WB * vectorIn(e, "pos", Vec3::Zero())};
  }

  void addBody(const XmlElement& e, int parent, const Pose& X_WP) {
    const Pose X_WB = X_WP * Pose{rotationIn(e), vectorIn(e, "pos", Vec3::Zero())};
    CompiledLink link;
    link.name = e.attributeOr("name", fmt::format("body{}", out_.links.size()));
    link.parent = parent;
    link.center = X_WB.position;
    link.jointName = link.name;
    addJoints(e, X_WB, link);
    if (const XmlElement* inertial = e.child("inertial")) {
      link.inertia = inertiaOf(*inertial).transformed(X_WB);
    } else if (e.child("geom") != nullptr) {
      notes_.drop("mass of a body that follows from its geoms");
    }
    const int index = static_cast<int>(out_.links.size());
    out_.links.push_back(std::move(link));
    readSites(e, index, X_WB);
    for (const XmlElement& c : e.children)
      if (c.name == "body") addBody(c, index, X_WB);
  }

  RigidInertia inertiaOf(const XmlElement& e) const {
    RigidInertia r{.mass = numberIn(e, "mass", 0), .center = vectorIn(e, "pos", Vec3::Zero())};
    if (const std::string* text = e.attribute("fullinertia")) {
      const std::vector<double> v = numbersOf(*text, 6, e, notes_);
      r.inertia << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
    } else {
      const Mat3 R = rotationIn(e);
      r.inertia = R * vectorIn(e, "diaginertia", Vec3::Zero()).asDiagonal() * R.transpose();
    }
    return r;
  }

  CompiledDof dofOf(const XmlElement& e, const Mat3& R, const std::string& name, bool turns) const {
    CompiledDof d;
    d.name = e.attributeOr("name", name);
    d.kind = turns ? DofKind::Rotation : DofKind::Translation;
    const Vec3 axis = vectorIn(e, "axis", Vec3::UnitZ());
    if (!(axis.norm() > 0)) notes_.refuse(e, "an axis without direction");
    d.axis = R * axis.normalized();
    d.stiffness = numberIn(e, "stiffness", 0);
    d.damping = numberIn(e, "damping", 0);
    const std::string* range = e.attribute("range");
    // Since MuJoCo 3 a range limits by itself unless the file says otherwise.
    d.limited = range != nullptr && e.attributeOr("limited", "auto") != "false";
    if (d.limited) {
      const std::vector<double> limits = numbersOf(*range, 2, e, notes_);
      d.lower = limits[0] * (turns ? angleUnit_ : 1);
      d.upper = limits[1] * (turns ? angleUnit_ : 1);
    }
    return d;
  }

  /// Joints in their order, which is from the parent outwards.
  void addJoints(const XmlElement& body, const Pose& X_WB, CompiledLink& link) {
    std::optional<Vec3> at;
    int balls = 0, slides = 0;
    std::string ballName;
    for (const XmlElement& e : body.children) {
      const std::string type = e.name == "freejoint" ? "free" : e.attributeOr("type", "hinge");
      if (e.name != "joint" && e.name != "freejoint") continue;
      if (type == "free") {
        link.joint = JointType::Free;
        link.jointName = e.attributeOr("name", link.name);
        return;
      }
      const Vec3 place = vectorIn(e, "pos", Vec3::Zero());
      if (at && (*at - place).norm() > 1e-9) notes_.drop("joints of one body at different places");
      if (!at) at = place;
      if (type == "ball") {
        ++balls;
        ballName = e.attributeOr("name", link.name);
        ballDamping_ = numberIn(e, "damping", 0);
      } else if (type == "hinge" || type == "slide") {
        slides += type == "slide";
        link.dofs.push_back(dofOf(
            e, X_WB.rotation, fmt::format("{}.{}", link.name, link.dofs.size()), type == "hinge"));
      } else {
        notes_.refuse(e, "joint of the type " + io::quotedWord(type));
      }
    }
    if (at) link.center = X_WB * *at;
    finishJoint(body, balls, slides, ballName, link);
  }

  /// What a body's joints are together: three slides and a ball are a free joint below another
  /// body.
  void finishJoint(const XmlElement& body, int balls, int slides, const std::string& ballName,
                   CompiledLink& link) {
    if (balls == 0) {
      link.joint = link.dofs.empty() ? JointType::Fixed : JointType::Sequence;
    } else if (balls == 1 && link.dofs.empty()) {
      link.joint = JointType::Ball;
      link.jointName = ballName;
      for (int i = 0; i < 3; ++i)
        link.dofs.push_back({.name = fmt::format("{}.{}", ballName, "xyz"[i]),
                             .axis = Vec3::Unit(i),
                             .damping = ballDamping_});
    } else if (balls == 1 && slides == 3 && link.dofs.size() == 3) {
      link.joint = JointType::Free;
      link.dofs.clear();
    } else {
      notes_.refuse(body, "a ball together with other joints");
    }
  }

  void addTendons() {
    const XmlElement* tendons = model_.child("tendon");
    if (tendons == nullptr) return;
    for (const XmlElement& e : tendons->children) {
      if (e.name != "spatial") {
        notes_.drop("tendon of the kind " + e.name);
        continue;
      }
      std::vector<CompiledPoint> points;
      for (const XmlElement& p : e.children) {
        if (p.name != "site") {
          notes_.drop("wrap or pulley of a tendon");
          continue;
        }
        const std::string name = p.attributeOr("site", "");
        const auto site = sites_.find(name);
        if (site == sites_.end()) notes_.refuse(p, "no site " + io::quotedWord(name));
        points.push_back(site->second);
      }
      addTendon(e, std::move(points));
    }
  }

  const XmlElement* muscleOf(const std::string& tendon) const {
    if (const XmlElement* actuators = model_.child("actuator"))
      for (const XmlElement& a : actuators->children)
        if (a.name == "muscle" && a.attributeOr("tendon", "") == tendon) return &a;
    return nullptr;
  }

  void addTendon(const XmlElement& e, std::vector<CompiledPoint> points) {
    if (points.size() < 2) return notes_.drop("tendon with fewer than two sites");
    const std::string name = e.attributeOr("name", fmt::format("tendon{}", out_.muscles.size()));
    const XmlElement* muscle = muscleOf(name);
    const double stiffness = numberIn(e, "stiffness", 0);
    if (muscle == nullptr && stiffness > 0 && points.size() == 2) {
      out_.springs.push_back({.name = name,
                              .a = points[0],
                              .b = points[1],
                              .restLength = numberIn(e, "springlength", 0),
                              .stiffness = stiffness,
                              .damping = numberIn(e, "damping", 0)});
      return;
    }
    CompiledMuscle m;
    m.name = name;
    m.points = std::move(points);
    if (muscle != nullptr) readMuscle(*muscle, m);
    out_.muscles.push_back(std::move(m));
  }

  /// L0 = (lengthrange_1 - lengthrange_0) / (range_1 - range_0), LT = lengthrange_0 - range_0 L0.
  void readMuscle(const XmlElement& e, CompiledMuscle& m) {
    m.peakForce = std::max(0.0, numberIn(e, "force", -1));
    if (m.peakForce == 0) notes_.drop("strength of a muscle whose force MuJoCo chooses");
    const std::string* lengths = e.attribute("lengthrange");
    if (lengths == nullptr) return notes_.drop("fibres of a muscle without lengthrange");
    const std::vector<double> l = numbersOf(*lengths, 2, e, notes_);
    const std::vector<double> r = numbersOf(e.attributeOr("range", "0.75 1.05"), 2, e, notes_);
    if (!(r[1] > r[0])) notes_.refuse(e, "an empty range");
    m.fiberLength = (l[1] - l[0]) / (r[1] - r[0]);
    m.tendonLength = l[0] - r[0] * m.fiberLength;
  }

  void noteRest() {
    for (const char* section : {"equality", "contact", "sensor", "keyframe"})
      if (const XmlElement* e = model_.child(section))
        if (!e->children.empty()) notes_.drop(std::string("section ") + section);
    if (const XmlElement* actuators = model_.child("actuator"))
      for (const XmlElement& a : actuators->children)
        if (a.name != "muscle") notes_.drop("actuator of the kind " + a.name);
  }

  const XmlElement& model_;
  ImportNotes notes_;
  double angleUnit_ = 1, ballDamping_ = 0;
  CompiledBody out_;
  std::map<std::string, CompiledPoint> sites_;
};

}  // namespace

Result<ImportedModel> importMjcf(std::string_view text, const std::string& file) {
  const Result<XmlElement> document = io::parseXml(text, file);
  if (!document) return document.diagnostics();
  if (document->name != "mujoco")
    return io::lineError(file, document->line, "no MuJoCo model", "<mujoco>");
  try {
    return MjcfImporter(*document, file).run();
  } catch (const InputError& e) {
    return e.diagnostics();
  }
}

ImportedModel importModel(const std::filesystem::path& path) {
  constexpr std::size_t kLargestModel = std::size_t{64} << 20;  // [bytes]
  const std::string text = io::readFile(path, kLargestModel).valueOrThrow();
  const bool osim = text.find("<OpenSimDocument") != std::string::npos;
  return (osim ? importOsim(text, path.string()) : importMjcf(text, path.string())).valueOrThrow();
}

}  // namespace pneuma::anatomy
