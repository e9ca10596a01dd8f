#include "anatomy/text/check_references.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <set>

#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy::internal {
namespace {

/// Joint angle ranges etc. are checked while reading; here only what needs the whole body.
class Checker {
 public:
  Checker(const Body& body, std::vector<Diagnostic>& findings)
      : body_(body), findings_(findings), points_(body, findings) {}

  // Names are made unique before anything refers to them: a doubled name would make every later
  // finding doubtful.
  void run() {
    unique(body_.bones, "bone");
    unique(body_.muscles, "muscle");
    unique(body_.bellies, "belly");
    unique(body_.cavities, "cavity");
    unique(body_.articulations, "articulation");
    unique(body_.strengthTests, "strength");
    unique(body_.skinGroups, "skin_group");
    unique(body_.skinPieces, "skin_piece");
    unique(body_.skinContours, "skin_contour");
    unique(body_.skinExtremities, "skin_extremity");
    unique(body_.skinPrimitives, "skin_primitive");
    unique(body_.skinFolds, "skin_fold");
    for (const Landmarks& l : body_.landmarks) knownBone(l, "landmarks", "bone", l.bone);
    for (const Shape& s : body_.shapes) shape(s);
    uniqueBone(body_.shapes, "shape");
    for (const Segment& s : body_.segments) segment(s);
    uniqueBone(body_.segments, "segment");
    uniqueBone(body_.skinEnvelope, "skin_envelope");
    uniqueBone(body_.muscleSolids, "muscle_solid");
    for (const Muscle& m : body_.muscles) muscle(m);
    for (const Cavity& c : body_.cavities) cavity(c);
    radialTable(body_.trunk.diaphragm, "diaphragm", true);
    radialTable(body_.trunk.wall, "wall", false);
    radialTable(body_.trunk.outline, "outline", false);
    for (const Shape& s : body_.skinEnvelope) parts(s, "skin_envelope");
    for (const Shape& s : body_.muscleSolids) parts(s, "muscle_solid");
    for (const Articulation& a : body_.articulations) articulation(a);
    unique(body_.postures, "posture");
    postures();
    for (const StrengthTest& t : body_.strengthTests) strength(t);
    skin();
  }

 private:
  template <class T>
  static std::string subject(const T& entry, const char* kind) {
    if constexpr (requires { entry.name; })
      return fmt::format("{} '{}'", kind, entry.name);
    else
      return fmt::format("{} '{}'", kind, entry.bone);
  }

  template <class T>
  void error(const T& entry, const char* kind, const std::string& field, std::string message,
             std::string expected = {}, std::string nearest = {}) {
    const auto it = entry.fieldOrigins.find(field);
    const Origin& where = it == entry.fieldOrigins.end() ? entry.where : it->second;
    findings_.push_back({Severity::Error, where.position(), subject(entry, kind), field,
                         std::move(message), std::move(expected), std::move(nearest)});
  }

  template <class T>
  void unique(const std::vector<T>& entries, const char* kind) {
    std::map<std::string, const T*> seen;
    for (const T& e : entries) {
      const auto [it, fresh] = seen.emplace(e.name, &e);
      if (fresh) continue;
      const SourcePosition first = it->second->where.position();
      error(e, kind, "name",
            fmt::format("'{}' is already defined at {}:{}", e.name, first.file, first.line),
            "a name of its own");
    }
  }

  template <class T>
  void uniqueBone(const std::vector<T>& entries, const char* kind) {
    std::set<std::string> seen;
    for (const T& e : entries)
      if (!seen.insert(e.bone).second)
        error(e, kind, "bone", fmt::format("'{}' already has one", e.bone), "one per bone");
  }

  template <class T>
  bool knownBone(const T& entry, const char* kind, const char* field, const std::string& bone) {
    if (points_.findBone(bone) >= 0) return true;
    error(entry, kind, field, fmt::format("unknown bone '{}'", bone), "",
          nearestName(bone, points_.boneNames()));
    return false;
  }

  /// Resolves a point of an entry; errors point at the reference itself.
  template <class T>
  std::optional<BodyPoint> point(const T& entry, const char* kind, const std::string& field,
                                 const PointRef& ref, const std::string& owner = {}) {
    const Result<BodyPoint> result = points_.resolve(ref, owner);
    if (result) return *result;
    Diagnostic d = result.diagnostics().front();
    d.where = ref.where.line ? ref.where.position() : entry.where.position();
    d.subject = subject(entry, kind);
    d.field = field;
    findings_.push_back(std::move(d));
    return std::nullopt;
  }

  void cavity(const Cavity& c) {
    for (const auto& [name, ref] : c.points)
      point(c, "cavity", "points." + name, ref, body_.bones.empty() ? "" : body_.bones[0].name);
    if (c.tissueVolume >= c.volume)
      error(c, "cavity", "tissue_volume",
            fmt::format("{:.3g} l do not fit into a cavity of {:.3g} l", 1000 * c.tissueVolume,
                        1000 * c.volume),
            "less than `volume`");
  }

  /// A table of the trunk, where it is given, must fill its rows and columns.
  void radialTable(const RadialTable& t, const char* name, bool byElevation) {
    if (!t.where.file && t.empty()) return;
    const auto wrong = [&](const char* field, std::string message, std::string expected) {
      const auto it = t.fieldOrigins.find(field);
      const Origin& where = it == t.fieldOrigins.end() ? t.where : it->second;
      findings_.push_back({Severity::Error, where.position(), fmt::format("trunk, {}", name), field,
                           std::move(message), std::move(expected), ""});
    };
    const char* parameter = byElevation ? "elevation" : "height";
    const std::vector<double>& rows = byElevation ? t.elevations : t.heights;
    if (t.heights.empty() == t.elevations.empty() || rows.empty())
      wrong(parameter, "does not give the rows", fmt::format("`{}` and nothing else", parameter));
    for (const auto& [field, list] : {std::pair{parameter, &rows}, {"azimuth", &t.azimuths}})
      if (list->size() < 2 || !std::is_sorted(list->begin(), list->end(), std::less_equal<>()))
        wrong(field, "cannot be looked up", "two values or more, ascending");
    if (t.radii.size() != rows.size() * t.azimuths.size())
      wrong("radius", fmt::format("has {} numbers", t.radii.size()),
            fmt::format("{} rows of {}", rows.size(), t.azimuths.size()));
    constexpr double kWidestDome = 0.25;  // [m] from its centre: wider than any rib cage
    if (byElevation)
      for (const double r : t.radii)
        if (r > kWidestDome)
          return wrong("radius", fmt::format("holds {:g} mm", 1000 * r),
                       fmt::format("at most {:g} mm", 1000 * kWidestDome));
  }

  void shape(const Shape& s) {
    knownBone(s, "shape", "bone", s.bone);
    parts(s, "shape");
  }

  void parts(const Shape& s, const char* kind) {
    for (const ShapePart& p : s.shape.parts) {
      const bool plate = p.kind == ShapeKind::Plate;
      const bool good = p.kind == ShapeKind::Sweep       ? p.sections.size() >= 2
                        : p.kind == ShapeKind::Ellipsoid ? p.radii.minCoeff() > 0
                        : plate                          ? p.rows >= 2 && p.columns >= 2 &&
                                      p.grid.size() == static_cast<std::size_t>(p.rows * p.columns)
                                : p.contours.size() >= 2;
      if (!good)
        error(s, kind, "part", "does not have what its kind needs",
              "two sections, three radii > 0, rows x columns grid points, or two contours");
    }
  }

  /// A rigid body's principal moments are positive and obey the triangle inequality.
  void segment(const Segment& s) {
    knownBone(s, "segment", "bone", s.bone);
    if (s.inertia.size() != 6) return;
    Mat3 m;
    m << s.inertia[0], s.inertia[3], s.inertia[4], s.inertia[3], s.inertia[1], s.inertia[5],
        s.inertia[4], s.inertia[5], s.inertia[2];
    const Vec3 p = Eigen::SelfAdjointEigenSolver<Mat3>(m, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(p[0] > 0) || p[0] + p[1] < p[2] * (1 - 1e-9))
      error(s, "segment", "inertia",
            fmt::format("has principal moments {:.3g}, {:.3g}, {:.3g} kg m2", p[0], p[1], p[2]),
            "positive moments of which no one exceeds the sum of the others");
  }

  void muscle(const Muscle& m) {
    for (const PointRef& p : m.points) point(m, "muscle", "points", p);
    if (m.tendonOrigin + m.tendonInsertion >= 1)
      error(m, "muscle", "tendon_insertion", "leaves no muscle between the tendons",
            "tendon_origin + tendon_insertion < 1");
    if (m.belly.empty()) return;
    std::vector<std::string> names;
    for (const Belly& b : body_.bellies) names.push_back(b.name);
    if (std::find(names.begin(), names.end(), m.belly) == names.end())
      error(m, "muscle", "belly", fmt::format("unknown belly '{}'", m.belly), "",
            nearestName(m.belly, names));
  }

  template <class T>
  static std::vector<std::string> namesOf(const std::vector<T>& entries) {
    std::vector<std::string> names;
    for (const T& e : entries) names.push_back(e.name);
    return names;
  }

  template <class T>
  void known(const T& entry, const char* kind, const char* field, const std::string& name,
             const std::vector<std::string>& names, const char* what) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    error(entry, kind, field, fmt::format("unknown {} '{}'", what, name), "",
          nearestName(name, names));
  }

  template <class T>
  void direction(const T& entry, const char* kind, const char* field, const AxisRef& axis) {
    const Result<Vec3> found = points_.resolve(axis);
    if (found) return;
    Diagnostic d = found.diagnostics().front();
    d.where = (axis.where.line ? axis.where : entry.where).position();
    d.subject = subject(entry, kind);
    d.field = field;
    findings_.push_back(std::move(d));
  }

  // The figure's skin names bones, bellies, groups, pieces and contours: all are looked up here,
  // for the compiler takes them for granted.
  void skin() {
    const auto bellies = namesOf(body_.bellies), groups = namesOf(body_.skinGroups),
               pieces = namesOf(body_.skinPieces), contours = namesOf(body_.skinContours);
    for (const SkinGroup& g : body_.skinGroups) {
      for (const std::string& b : g.bones) knownBone(g, "skin_group", "bones", b);
      for (const std::string& b : g.bellies) known(g, "skin_group", "bellies", b, bellies, "belly");
    }
    for (const SkinPiece& p : body_.skinPieces)
      for (const std::string& c : p.opening)
        known(p, "skin_piece", "opening", c, contours, "contour");
    for (const SkinContour& c : body_.skinContours) {
      for (const std::string& p : c.pieces) known(c, "skin_contour", "pieces", p, pieces, "piece");
      for (const std::string& g : c.groups) known(c, "skin_contour", "groups", g, groups, "group");
      for (const std::string& b : c.links) knownBone(c, "skin_contour", "bones", b);
      if (!c.shares.empty() && c.shares.size() != c.links.size())
        error(c, "skin_contour", "shares", fmt::format("has {} numbers", c.shares.size()),
              fmt::format("one for each of the {} bones", c.links.size()));
      point(c, "skin_contour", "center", c.center);
      direction(c, "skin_contour", "normal", c.normal);
    }
    const auto turns = [&](const auto& entry, const char* kind) {
      for (const SkinTurn& t : entry.turns) {
        knownBone(entry, kind, "turn", t.link);
        point(entry, kind, "turn", t.center);
        direction(entry, kind, "turn", t.direction);
      }
    };
    for (const SkinPiece& p : body_.skinPieces) turns(p, "skin_piece");
    for (const SkinExtremity& e : body_.skinExtremities) {
      known(e, "skin_extremity", "piece", e.piece, pieces, "piece");
      point(e, "skin_extremity", "center", e.center);
      direction(e, "skin_extremity", "normal", e.normal);
      turns(e, "skin_extremity");
    }
    for (const SkinPrimitive& p : body_.skinPrimitives) {
      for (const std::string& g : p.groups)
        known(p, "skin_primitive", "groups", g, groups, "group");
      point(p, "skin_primitive", "center", p.center);
    }
    for (const SkinFold& f : body_.skinFolds) {
      knownBone(f, "skin_fold", "bone", f.link);
      point(f, "skin_fold", "tip", f.tip);
      point(f, "skin_fold", "root", f.root);
    }
    for (const Belly& b : body_.bellies)
      for (const BellyZone& z : b.zones)
        if (points_.findBone(z.to) < 0) known(b, "belly", "zone", z.to, bellies, "bone or belly");
  }

  // Links are given parents first, so one pass finds both a parent that is missing and a ring of
  // parents.
  void articulation(const Articulation& a) {
    if (a.links.empty()) error(a, "articulation", "link", "is missing", "at least one link");
    unique(a.links, "link");
    unique(a.springs, "spring");
    unique(a.rhythms, "rhythm");
    unique(a.glides, "glide");
    std::vector<std::string> earlier;
    std::map<std::string, std::string> carrier;
    int roots = 0;
    for (const Link& l : a.links) {
      for (const std::string& b : l.bones) {
        if (!knownBone(l, "link", "bones", b)) continue;
        const auto [it, fresh] = carrier.emplace(b, l.name);
        if (!fresh)
          error(l, "link", "bones", fmt::format("'{}' already moves with link '{}'", b, it->second),
                "each bone in one link");
      }
      if (l.parent.empty()) {
        if (++roots > 1) error(l, "link", "parent", "is missing", "one root only");
      } else if (std::find(earlier.begin(), earlier.end(), l.parent) == earlier.end()) {
        error(l, "link", "parent", fmt::format("unknown link '{}'", l.parent),
              "a link listed before this one", nearestName(l.parent, earlier));
      }
      joint(l);
      earlier.push_back(l.name);
    }
    for (const Spring& s : a.springs) spring(s, carrier);
    rhythms(a);
    for (const Glide& g : a.glides) glide(g, freedomsOf(a), carrier);
    for (const std::string& set : a.muscles)
      if (!body_.muscles.empty() &&
          std::ranges::none_of(body_.muscles, [&](const Muscle& m) { return belongsTo(m, set); })) {
        std::vector<std::string> sets;
        for (const Muscle& m : body_.muscles) sets.push_back(m.set);
        findings_.push_back({Severity::Warning, a.where.position(), subject(a, "articulation"),
                             "muscles", fmt::format("there is no muscle of the set '{}'", set), "",
                             nearestName(set, sets)});
      }
  }

  static std::vector<std::string> freedomsOf(const Articulation& a) {
    std::vector<std::string> freedoms;
    for (const Link& l : a.links)
      for (const Dof& d : l.joint.dofs)
        freedoms.push_back((l.joint.name.empty() ? l.name : l.joint.name) + "." + d.name);
    return freedoms;
  }

  void strength(const StrengthTest& t) {
    if (body_.articulations.empty()) return;  // a body that is only measured
    known(t, "strength", "articulation", t.articulation, namesOf(body_.articulations),
          "articulation");
    for (const Articulation& a : body_.articulations) {
      if (a.name != t.articulation) continue;
      const std::vector<std::string> freedoms = freedomsOf(a);
      known(t, "strength", "freedom", t.freedom, freedoms, "freedom");
      for (const StrengthPose& p : t.pose)
        known(t, "strength", "pose", p.freedom, freedoms, "freedom");
    }
  }

  void rhythms(const Articulation& a) {
    const std::vector<std::string> freedoms = freedomsOf(a);
    for (const Rhythm& r : a.rhythms) {
      if (std::ranges::find(freedoms, r.name) != freedoms.end())
        error(r, "rhythm", "name", fmt::format("'{}' is a freedom of its own", r.name),
              "another name");
      for (const RhythmPart& p : r.parts)
        known(r, "rhythm", "follow", p.freedom, freedoms, "freedom");
    }
  }

  void glide(const Glide& g, const std::vector<std::string>& freedoms,
             const std::map<std::string, std::string>& carrier) {
    const auto carried = [&](const char* field, const std::string& bone) {
      if (knownBone(g, "glide", field, bone) && !carrier.contains(bone))
        error(g, "glide", field, fmt::format("no link carries '{}'", bone),
              "a bone of the articulation");
    };
    carried("limb", g.limb);
    carried("on", g.on);
    point(g, "glide", "end", g.end);
    for (const PointRef& p : g.points) point(g, "glide", "points", p);
    for (const RhythmPart& p : g.parts) known(g, "glide", "follow", p.freedom, freedoms, "freedom");
    for (const std::string& bone : g.over) {
      if (!knownBone(g, "glide", "over", bone)) continue;
      const std::vector<Vec3>* line = points_.curve(points_.findBone(bone), kCentreline);
      if (line == nullptr || line->size() < 2)
        error(g, "glide", "over", fmt::format("'{}' has no curve '{}'", bone, kCentreline),
              "bones with a centreline");
    }
  }

  /// A posture serves every articulation, so its freedoms must be known to one of them at least.
  void postures() {
    std::vector<std::string> freedoms;
    for (const Articulation& a : body_.articulations) {
      for (const std::string& name : freedomsOf(a)) freedoms.push_back(name);
      for (const Rhythm& r : a.rhythms) freedoms.push_back(r.name);
    }
    for (const std::string& name : std::vector<std::string>(freedoms))
      if (const std::size_t side = name.find("_l."); side != std::string::npos)
        freedoms.push_back(name.substr(0, side) + name.substr(side + 2));
    for (const Posture& p : body_.postures)
      for (const auto& [name, angle] : p.joints)
        known(p, "posture", ("joints." + name).c_str(), name, freedoms, "freedom");
  }

  // A joint's own fields know their lines; where one was left out, the line of the joint or of its
  // link is the nearest to show.
  void joint(const Link& l) {
    const Joint& j = l.joint;
    const auto at = [&](const std::string& field, std::string message, std::string expected) {
      const auto it = j.fieldOrigins.find(field);
      Origin where = it != j.fieldOrigins.end() ? it->second : j.where.line ? j.where : l.where;
      findings_.push_back({Severity::Error, where.position(), subject(l, "link"), "joint." + field,
                           std::move(message), std::move(expected), ""});
    };
    const std::size_t n = j.dofs.size();
    if (j.type == JointType::Sequence && n == 0 && !l.parent.empty())
      at("dof", "is missing", "one degree of freedom or more");
    if ((j.type == JointType::Fixed || j.type == JointType::Free) && n != 0)
      at("dof", fmt::format("has {} entries", n), "none for this type of joint");
    if (j.type == JointType::Ball && n != 0 && n != 3)
      at("dof", fmt::format("has {} entries", n), "none or three for a ball");
    const bool given = !j.center.at.empty() || j.center.position;
    if (!given && j.type != JointType::Fixed && !l.parent.empty())
      at("center", "is missing", "the centre of rotation");
    const std::string owner = l.bones.empty() ? "" : l.bones.front();
    if (given) point(l, "link", "joint.center", j.center, owner);
    std::set<std::string> names;
    for (const Dof& d : j.dofs) {
      if (!names.insert(d.name).second)
        at("dof", fmt::format("'{}' occurs twice", d.name), "different names");
      const Result<Vec3> axis = points_.resolve(d.axis);
      if (axis) continue;
      Diagnostic bad = axis.diagnostics().front();
      bad.where = (d.axis.where.line ? d.axis.where : l.where).position();
      bad.subject = subject(l, "link");
      bad.field = "joint.dof.axis";
      findings_.push_back(std::move(bad));
    }
  }

  void spring(const Spring& s, const std::map<std::string, std::string>& carrier) {
    const auto a = point(s, "spring", "a", s.a), b = point(s, "spring", "b", s.b);
    if (!a || !b) return;
    const auto linkOf = [&](int bone) {
      const auto it = carrier.find(points_.boneNames()[static_cast<std::size_t>(bone)]);
      return it == carrier.end() ? std::string() : it->second;
    };
    for (const auto& [field, p] : {std::pair{"a", *a}, std::pair{"b", *b}})
      if (linkOf(p.bone).empty())
        error(s, "spring", field,
              fmt::format("lies on '{}', which no link moves",
                          points_.boneNames()[static_cast<std::size_t>(p.bone)]),
              "a bone of the articulation");
    if (!linkOf(a->bone).empty() && linkOf(a->bone) == linkOf(b->bone))
      error(s, "spring", "b", "is on the same link as the other end", "two different links");
  }

  const Body& body_;
  std::vector<Diagnostic>& findings_;
  PointTable points_;
};

}  // namespace

void checkReferences(const Body& body, std::vector<Diagnostic>& findings) {
  Checker(body, findings).run();
}

}  // namespace pneuma::anatomy::internal
