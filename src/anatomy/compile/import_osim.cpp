#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "anatomy/compile/import_tools.h"

namespace pneuma::anatomy {
namespace {

using internal::ImportNotes;
using internal::numbersOf;
using internal::vectorOf;
using io::XmlElement;

/// "/bodyset/humerus" or "../humerus" to "humerus".
std::string lastName(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// Where a joint takes hold of a body.
struct JointFrame {
  std::string body;  ///< "ground" or a body's name
  Pose X_BF;         ///< in the body's frame
};

/// An axis of a CustomJoint that moves.
struct MovingAxis {
  std::string coordinate;
  bool turns = true;
  Vec3 axis;  ///< in the joint's frame; turned round for a slope of -1
};

class OsimImporter {
 public:
  OsimImporter(const XmlElement& model, const std::string& file) : model_(model), notes_(file) {}

  ImportedModel run() {
    out_.articulation = model_.attributeOr("name", "imported");
    for (const XmlElement& e : objects("BodySet"))
      if (e.name == "Body") bodies_[e.attributeOr("name", "")] = &e;
    for (const XmlElement& e : objects("JointSet")) joints_.push_back(&e);
    placeBodies();
    for (const XmlElement& e : objects("ForceSet")) addForce(e);
    noteRest();
    ImportedModel result{std::move(out_), notes_.dropped()};
    for (CompiledMuscle& m : result.body.muscles) internal::completeMuscle(m);
    return result;
  }

 private:
  const std::vector<XmlElement>& objects(const char* set) const {
    static const std::vector<XmlElement> none;
    const XmlElement* e = model_.at(std::string(set) + "/objects");
    return e == nullptr ? none : e->children;
  }

  double numberIn(const XmlElement& e, const char* name, double otherwise) const {
    const XmlElement* c = e.child(name);
    return c == nullptr || c->text.empty() ? otherwise : numbersOf(c->text, 1, *c, notes_)[0];
  }
  Vec3 vectorIn(const XmlElement& e, const char* name) const {
    const XmlElement* c = e.child(name);
    return c == nullptr ? Vec3(Vec3::Zero()) : vectorOf(c->text, *c, notes_);
  }
  std::string textIn(const XmlElement& e, const char* name) const {
    const XmlElement* c = e.child(name);
    return c == nullptr ? "" : c->text;
  }

  /// The frame that a joint's socket names: one of its own offset frames, or a body.
  JointFrame frameOf(const XmlElement& joint, const char* socket) const {
    const std::string name = lastName(textIn(joint, socket));
    if (const XmlElement* frames = joint.child("frames"))
      for (const XmlElement& f : frames->children)
        if (f.attributeOr("name", "") == name)
          return {lastName(textIn(f, "socket_parent")),
                  {internal::turnedXyz(vectorIn(f, "orientation")), vectorIn(f, "translation")}};
    return {name, {}};
  }

  /// Links in the order of a tree: each pass takes the joints whose parents are placed.
  void placeBodies() {
    std::map<std::string, Pose> placed{{"ground", {}}};
    std::vector<const XmlElement*> left = joints_;
    while (!left.empty()) {
      const std::size_t before = left.size();
      std::erase_if(left, [&](const XmlElement* joint) {
        const JointFrame parent = frameOf(*joint, "socket_parent_frame");
        const auto at = placed.find(parent.body);
        if (at == placed.end()) {
          if (!bodies_.contains(parent.body))
            notes_.refuse(*joint, "no body '" + parent.body + "'");
          return false;
        }
        addLink(*joint, parent, at->second, placed);
        return true;
      });
      if (left.size() == before) notes_.refuse(*left.front(), "joints form a ring");
    }
  }

  void addLink(const XmlElement& joint, const JointFrame& parent, const Pose& X_GP,
               std::map<std::string, Pose>& placed) {
    const JointFrame child = frameOf(joint, "socket_child_frame");
    const auto body = bodies_.find(child.body);
    if (body == bodies_.end()) notes_.refuse(joint, "no body '" + child.body + "'");
    if (placed.contains(child.body))
      notes_.refuse(joint, "body '" + child.body + "' has two joints");
    const Pose X_GJ = X_GP * parent.X_BF;  // the joint at rest
    const Pose X_GB = X_GJ * child.X_BF.inverse();
    placed[child.body] = X_GB;

    CompiledLink link;
    link.name = child.body;
    link.parent = parent.body == "ground" ? -1 : linkOf_.at(parent.body);
    link.jointName = joint.attributeOr("name", child.body);
    link.center = X_GJ.position;
    addFreedoms(joint, X_GJ.rotation, link);
    link.inertia = inertiaOf(*body->second).transformed(X_GB);
    linkOf_[child.body] = static_cast<int>(out_.links.size());
    poses_.push_back(X_GB);
    out_.links.push_back(std::move(link));
  }

  RigidInertia inertiaOf(const XmlElement& body) const {
    RigidInertia r{.mass = numberIn(body, "mass", 0), .center = vectorIn(body, "mass_center")};
    if (const XmlElement* e = body.child("inertia"); e != nullptr && !e->text.empty()) {
      const std::vector<double> v = numbersOf(e->text, 6, *e, notes_);
      r.inertia << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
    }
    return r;
  }

  void addDof(const XmlElement& joint, const std::string& coordinate, bool turns, const Vec3& axis,
              CompiledLink& link) const {
    CompiledDof d;
    d.name = coordinate;
    d.kind = turns ? DofKind::Rotation : DofKind::Translation;
    d.axis = axis.normalized();
    if (const XmlElement* all = joint.child("coordinates"))
      for (const XmlElement& c : all->children)
        if (c.attributeOr("name", "") == coordinate && textIn(c, "clamped") == "true") {
          const XmlElement* range = c.child("range");
          if (range == nullptr) continue;
          const std::vector<double> limits = numbersOf(range->text, 2, *range, notes_);
          d.limited = true;
          d.lower = limits[0];
          d.upper = limits[1];
        }
    link.dofs.push_back(std::move(d));
  }

  /// Names of a joint's coordinates, in order; made up where the file leaves them out.
  std::vector<std::string> coordinatesOf(const XmlElement& joint, std::size_t count) const {
    std::vector<std::string> names;
    if (const XmlElement* all = joint.child("coordinates"))
      for (const XmlElement& c : all->children) names.push_back(c.attributeOr("name", ""));
    while (names.size() < count)
      names.push_back(fmt::format("{}_{}", joint.attributeOr("name", "joint"), names.size()));
    return names;
  }

  void addFreedoms(const XmlElement& joint, const Mat3& R, CompiledLink& link) {
    struct Simple {
      const char* tag;
      std::vector<std::pair<bool, Vec3>> axes;  ///< slides first, as they act
      std::vector<std::size_t> coordinate;
    };
    const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
    const std::vector<Simple> simple{
        {"WeldJoint", {}, {}},
        {"PinJoint", {{true, z}}, {0}},
        {"SliderJoint", {{false, x}}, {0}},
        {"UniversalJoint", {{true, x}, {true, y}}, {0, 1}},
        {"GimbalJoint", {{true, x}, {true, y}, {true, z}}, {0, 1, 2}},
        {"PlanarJoint", {{false, x}, {false, y}, {true, z}}, {1, 2, 0}}};
    for (const Simple& s : simple)
      if (joint.name == s.tag) {
        const std::vector<std::string> names = coordinatesOf(joint, s.axes.size());
        for (std::size_t i = 0; i < s.axes.size(); ++i)
          addDof(joint, names[s.coordinate[i]], s.axes[i].first, R * s.axes[i].second, link);
        link.joint = s.axes.empty() ? JointType::Fixed : JointType::Sequence;
        return;
      }
    if (joint.name == "BallJoint") {
      link.joint = JointType::Ball;
      const char* const letters[] = {"rx", "ry", "rz"};
      for (int i = 0; i < 3; ++i)
        addDof(joint, link.jointName + "." + letters[i], true, Vec3::Unit(i), link);
    } else if (joint.name == "FreeJoint") {
      link.joint = JointType::Free;
    } else if (joint.name == "CustomJoint") {
      addCustom(joint, R, link);
    } else {
      notes_.drop("joint of the kind " + joint.name + ", held");
    }
  }

  void addCustom(const XmlElement& joint, const Mat3& R, CompiledLink& link) {
    std::vector<MovingAxis> slides, turns;
    std::set<std::string> used;
    const XmlElement* transform = joint.child("SpatialTransform");
    if (transform == nullptr) notes_.refuse(joint, "no SpatialTransform");
    for (const XmlElement& e : transform->children) {
      const std::optional<MovingAxis> axis = movingAxis(e);
      if (!axis) continue;
      if (!used.insert(axis->coordinate).second) {
        notes_.drop("axis that follows a coordinate of another axis, held");
        continue;
      }
      (axis->turns ? turns : slides).push_back(*axis);
    }
    for (const auto* list : {&slides, &turns})
      for (const MovingAxis& a : *list) addDof(joint, a.coordinate, a.turns, R * a.axis, link);
    link.joint = link.dofs.empty() ? JointType::Fixed : JointType::Sequence;
  }

  /// An axis that follows its coordinate as it is or turned round; nothing for one that stands.
  std::optional<MovingAxis> movingAxis(const XmlElement& e) {
    MovingAxis a{.coordinate = textIn(e, "coordinates"),
                 .turns = e.attributeOr("name", "").starts_with("rotation"),
                 .axis = vectorIn(e, "axis")};
    const XmlElement* linear = e.child("LinearFunction");
    if (linear == nullptr && e.child("function") != nullptr)
      linear = e.child("function")->child("LinearFunction");
    if (linear == nullptr) {
      const XmlElement* constant = e.child("Constant");
      const bool still = constant != nullptr && numberIn(*constant, "value", 0) == 0;
      if (!still) notes_.drop("axis that follows a curve or stands off zero, held at zero");
      return std::nullopt;
    }
    const XmlElement* c = linear->child("coefficients");
    const std::vector<double> line =
        c == nullptr ? std::vector<double>{1, 0} : numbersOf(c->text, 2, *c, notes_);
    if (line[1] != 0 || std::abs(line[0]) != 1) {
      notes_.drop("axis that follows its coordinate with another slope than 1, held");
      return std::nullopt;
    }
    if (!(a.axis.norm() > 0)) notes_.refuse(e, "an axis without direction");
    a.axis *= line[0];
    return a;
  }

  CompiledPoint pointOn(const std::string& frame, const Vec3& local, const XmlElement& e) const {
    const std::string name = lastName(frame);
    if (name == "ground") return {.link = -1, .position = local};
    const auto link = linkOf_.find(name);
    if (link == linkOf_.end()) notes_.refuse(e, "no body '" + name + "'");
    return {.link = link->second,
            .position = poses_[static_cast<std::size_t>(link->second)] * local};
  }

  /// The path of a muscle: in GeometryPath, which newer files have below `path`.
  const XmlElement* pathOf(const XmlElement& e) const {
    if (const XmlElement* path = e.child("GeometryPath")) return path;
    return e.at("path/GeometryPath");
  }

  std::vector<CompiledPoint> pointsOf(const XmlElement& path) {
    std::vector<CompiledPoint> points;
    if (const XmlElement* set = path.at("PathPointSet/objects"))
      for (const XmlElement& p : set->children) {
        if (p.name != "PathPoint") {
          notes_.drop("point of the kind " + p.name);
          continue;
        }
        points.push_back(pointOn(textIn(p, "socket_parent_frame"), vectorIn(p, "location"), p));
      }
    if (const XmlElement* wraps = path.at("PathWrapSet/objects"))
      for ([[maybe_unused]] const XmlElement& w : wraps->children) notes_.drop("wrap of a path");
    return points;
  }

  void addForce(const XmlElement& e) {
    const XmlElement* path = pathOf(e);
    if (e.name == "PointToPointSpring") return addSpring(e);
    if (e.name == "SpringGeneralizedForce") return addResistance(e);
    const bool muscle = e.child("max_isometric_force") != nullptr;
    const bool guide = e.name == "PathSpring" && numberIn(e, "stiffness", 1) == 0;
    if (path == nullptr || (!muscle && !guide)) return notes_.drop("force of the kind " + e.name);
    CompiledMuscle m;
    m.name = e.attributeOr("name", "");
    m.points = pointsOf(*path);
    if (m.points.size() < 2) return notes_.drop("muscle with fewer than two fixed points");
    m.peakForce = numberIn(e, "max_isometric_force", 0);
    m.fiberLength = numberIn(e, "optimal_fiber_length", 0);
    m.tendonLength = numberIn(e, "tendon_slack_length", 0);
    m.pennation = numberIn(e, "pennation_angle_at_optimal", 0);
    out_.muscles.push_back(std::move(m));
  }

  void addSpring(const XmlElement& e) {
    CompiledSpring s;
    s.name = e.attributeOr("name", "");
    s.a = pointOn(textIn(e, "socket_body1"), vectorIn(e, "point1"), e);
    s.b = pointOn(textIn(e, "socket_body2"), vectorIn(e, "point2"), e);
    s.stiffness = numberIn(e, "stiffness", 0);
    s.restLength = numberIn(e, "rest_length", 0);
    out_.springs.push_back(std::move(s));
  }

  void addResistance(const XmlElement& e) {
    const std::string name = textIn(e, "coordinate");
    for (CompiledLink& link : out_.links)
      for (CompiledDof& d : link.dofs)
        if (d.name == name) {
          d.stiffness = numberIn(e, "stiffness", 0);
          d.damping = numberIn(e, "viscosity", 0);
          if (numberIn(e, "rest_length", 0) != 0) notes_.drop("rest angle of a joint's spring");
          return;
        }
    notes_.drop("spring of a coordinate that no joint has");
  }

  void noteRest() {
    for (const char* set : {"ConstraintSet", "ContactGeometrySet", "MarkerSet", "ControllerSet"})
      for (const XmlElement& e : objects(set)) notes_.drop(e.name + " of the " + set);
  }

  const XmlElement& model_;
  ImportNotes notes_;
  CompiledBody out_;
  std::map<std::string, const XmlElement*> bodies_;
  std::map<std::string, int> linkOf_;
  std::vector<Pose> poses_;  // of each link's body frame in the file, at rest
  std::vector<const XmlElement*> joints_;
};

}  // namespace

Result<ImportedModel> importOsim(std::string_view text, const std::string& file) {
  const Result<XmlElement> document = io::parseXml(text, file);
  if (!document) return document.diagnostics();
  const XmlElement* model = document->child("Model");
  if (document->name != "OpenSimDocument" || model == nullptr)
    return io::lineError(file, document->line, "no OpenSim model", "<OpenSimDocument><Model>");
  const std::string version = document->attributeOr("Version", "0");
  if (version.size() < 5 || version < "40000")
    return io::lineError(file, document->line, "version " + io::quotedWord(version),
                         "OpenSim 4 (Version 40000 or newer): open and save it there");
  try {
    return OsimImporter(*model, file).run();
  } catch (const InputError& e) {
    return e.diagnostics();
  }
}

}  // namespace pneuma::anatomy
