#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "anatomy/person/fit_shape.h"
#include "anatomy/text/body_fields.h"
#include "pneuma/anatomy/muscle_strength.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/anatomy/trunk.h"

namespace pneuma::anatomy::internal {

/// What fibres may take of a path that became shorter than they, unless they took more before.
inline constexpr double kFibresOfPath = 0.98;

/// Second moments of mass stretch with the body; inertia follows from them.
inline Mat3 stretchedInertia(const Mat3& inertia, const Mat3& stretch, double massFactor) {
  const Mat3 moments = 0.5 * inertia.trace() * Mat3::Identity() - inertia;
  const Mat3 stretched = massFactor * (stretch * moments * stretch.transpose());
  return stretched.trace() * Mat3::Identity() - stretched;
}

inline Mat3 inertiaMatrix(const std::vector<double>& v) {
  Mat3 m;
  m << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
  return m;
}

/// Masses that grow with volume by `base` and sum to `total`; the rest is laid on by share, and no
/// segment loses more than half.
std::vector<double> distributeMass(const std::vector<double>& base,
                                   const std::vector<double>& share, double total);

/// Applies a map to every entry of a body in turn. A Carry says what kind of map it is:
///
///   Map map, Branch, kTrunk     places and their derivative by branch, and the trunk's
///   branchOf, skinBranch, branchAt  the branch of a bone, a piece of skin, a place in soft tissue
///   lean, scale, ribSize        factors of lean mass, of lengths, of ribs
///   dome                        factor of the diaphragm's radii
///   byPath                      fibres lengthen by their own paths, else by `scale` where it fits
///   strength(region)            factor of peak forces
///   trunkOf(before, body)       the trunk once landmarks and tables are carried
template <class Carry>
class BodyFitter {
 public:
  using Branch = typename Carry::Branch;

  /// `body` begins as a copy of `original`.
  BodyFitter(const Body& original, Body& body, const Person& person, const Carry& carry)
      : original_(original),
        body_(body),
        person_(person),
        points_(body, findings_),
        carry_(carry),
        map_(carry.map) {
    for (const Bone& bone : body.bones)
      branches_[bone.name] = carry.branchOf(bone), fatShares_[bone.name] = bone.fatShare;
  }

  void run() {
    for (Landmarks& l : body_.landmarks) {
      for (auto& item : l.points) fit(item.second, l.bone);
      for (auto& item : l.curves)
        for (Vec3& p : item.second) p = map_(branchAt(l.bone), p);
    }
    for (Shape& s : body_.shapes)
      s.shape = fitShape(s.shape, map_, branchAt(s.bone), s.bone.ends_with("_r"));
    fitSolids();
    for (Muscle& m : body_.muscles) fit(m);
    for (Belly& b : body_.bellies) fit(b);
    fitTrunk();
    for (Articulation& a : body_.articulations) fit(a);
    fitSkin();
    fitSegments();
    body_.person = body_.subject = person_;
  }

 private:
  Branch branchAt(const std::string& bone) const {
    const auto it = branches_.find(bone);
    return it == branches_.end() ? Carry::kTrunk : it->second;
  }
  /// The bone whose map a reference follows.
  std::string carrier(const PointRef& p, const std::string& owner) const {
    if (!p.bone.empty()) return p.bone;
    return p.at.empty() ? owner : p.at.substr(0, p.at.find(':'));
  }
  void fit(PointRef& p, const std::string& owner) {
    const Branch branch = branchAt(carrier(p, owner));
    if (!p.offset.isZero()) {
      // An offset turns and stretches as the place does where it starts.
      const Result<BodyPoint> end = points_.resolve(p, owner);
      const Vec3 start = end ? Vec3(end->position - p.offset) : p.position.value_or(Vec3::Zero());
      p.offset = map_.jacobian(branch, start) * p.offset;
    }
    if (p.position) p.position = map_(branch, *p.position);
  }
  struct PathLengths {
    double before = 0, after = 0;
  };
  /// Length of a muscle's path by its points, before and after the map; zero where one is missing.
  PathLengths pathLengths(const Muscle& m) const {
    PathLengths path;
    Vec3 last = Vec3::Zero(), lastThere = Vec3::Zero();
    for (std::size_t i = 0; i < m.points.size(); ++i) {
      const Result<BodyPoint> at = points_.resolve(m.points[i]);
      if (!at) return {};
      const Vec3 p = at->position, there = map_(branchAt(carrier(m.points[i], "")), p);
      if (i > 0) path.before += (p - last).norm(), path.after += (there - lastThere).norm();
      last = p, lastThere = there;
    }
    return path;
  }
  /// By how much fibres lengthen. Those of an adult grow with the height, as long as they fit: in a
  /// shorter neck, or under an arm that fat turns outwards, the path is what there is.
  double fibreRatio(const Muscle& m) const {
    const PathLengths path = pathLengths(m);
    if (path.before == 0) return carry_.scale;
    const double byPath = path.after / path.before;
    if (carry_.byPath) return byPath;
    const double fibres = path.before - architectureOf(m, path.before).tendonLength;
    return std::min(carry_.scale, byPath * std::max(1.0, kFibresOfPath * path.before / fibres));
  }
  /// Lean mass over length (PCSA = volume / fibre length).
  void fit(Muscle& m) {
    const double lean = carry_.lean, length = fibreRatio(m);
    for (PointRef& p : m.points) fit(p, "");
    const double area = lean / length;
    const double force = carry_.strength(m.region);
    m.pcsa *= area;
    m.tension *= force / area;
    if (m.peakForce) *m.peakForce *= force;
    if (m.fiberLength) *m.fiberLength *= length;
    if (m.volume) *m.volume *= lean;
    for (double& r : m.profile) r *= std::sqrt(lean / length);
  }
  void fit(Belly& b) {
    const double lean = carry_.lean, length = carry_.scale;
    b.mass *= lean;
    const double across = std::sqrt(lean / length);
    for (BellySection& s : b.sections) {
      s.center *= length;  // lies beside the bones
      s.wide *= across;
      s.thick *= across;
    }
  }
  /// Skin by piece, muscles part by part: one muscle may reach from the trunk to the arm.
  void fitSolids() {
    for (Shape& s : body_.skinEnvelope) {
      if (s.bone.starts_with("skin_relief"))  // heights, not places
        for (Vec3& h : s.shape.parts.front().grid) h *= carry_.scale;
      else
        s.shape = fitShape(s.shape, map_, carry_.skinBranch(s.bone), s.bone.ends_with("_r"));
    }
    for (Shape& s : body_.muscleSolids) {
      const bool right = s.bone.ends_with("_r");
      BoneShape left = right ? mirrored(s.shape) : s.shape;
      for (ShapePart& p : left.parts) p = fitPart(p, map_, carry_.branchAt(p.center));
      s.shape = right ? mirrored(left) : left;
    }
  }
  /// Tables and cavities. The thoracic cavity grows as the space within the cage does, others as
  /// space does at their middle.
  void fitTrunk() {
    double thoracic = 1;
    if (!body_.trunk.empty()) {
      const TrunkAnatomy before = trunkAnatomy(original_);
      Trunk& t = body_.trunk;
      t.diaphragm = map_(t.diaphragm);
      for (double& r : t.diaphragm.radii) r *= carry_.dome;
      t.wall = map_(t.wall);
      t.outline = map_(t.outline);
      for (double& r : t.ribRadii) r *= carry_.ribSize;
      thoracic = thoracicCavity(carry_.trunkOf(before, body_)) / thoracicCavity(before);
    }
    for (Cavity& c : body_.cavities) {
      const Vec3 middle(0, 0.6 * original_.subject.height, 0);
      const double growth = c.name == "thoracic" && !body_.trunk.empty()
                                ? thoracic
                                : map_.jacobian(Carry::kTrunk, middle).determinant();
      c.volume *= growth;
      c.tissueVolume *= growth;
      for (auto& item : c.points) fit(item.second, "");
      for (Vec3& s : c.sections) {
        const Mat3 j = map_.jacobian(Carry::kTrunk, Vec3(0, s.x(), 0));
        s = Vec3(map_(Carry::kTrunk, Vec3(0, s.x(), 0)).y(), s.y() * j(0, 0), s.z() * j(2, 2));
      }
    }
  }
  void fit(Articulation& a) {
    for (Link& l : a.links) {
      const std::string owner = l.bones.empty() ? "" : l.bones.front();
      fit(l.joint.center, owner);
      for (Dof& d : l.joint.dofs) {
        if (d.axis.from) fit(*d.axis.from, owner);
        if (d.axis.to) fit(*d.axis.to, owner);
        const double s = d.kind == DofKind::Translation ? carry_.scale : 1.0;
        if (d.range) d.range = Range{d.range->lower * s, d.range->upper * s};
      }
    }
    for (Spring& s : a.springs) fit(s.a, ""), fit(s.b, "");
  }
  void fit(AxisRef& a) {
    if (a.from) fit(*a.from, "");
    if (a.to) fit(*a.to, "");
  }
  void fitSkin() {
    for (SkinContour& c : body_.skinContours) fit(c.center, ""), fit(c.normal);
    const auto fitTurns = [&](std::vector<SkinTurn>& turns) {
      for (SkinTurn& t : turns) {
        fit(t.center, ""), fit(t.direction);
        t.width *= carry_.scale;
      }
    };
    for (SkinPiece& p : body_.skinPieces) fitTurns(p.turns);
    for (SkinExtremity& e : body_.skinExtremities) {
      fit(e.center, ""), fit(e.normal);
      fitTurns(e.turns);
    }
    for (SkinPrimitive& p : body_.skinPrimitives) {
      const Result<BodyPoint> at = points_.resolve(p.center);
      const Vec3 scale =
          map_.jacobian(branchAt(carrier(p.center, "")), at ? at->position : Vec3::Zero())
              .diagonal();
      fit(p.center, "");
      // Half axes are turned; each takes the mean of the scales along it.
      const Mat3 axes = internal::rotationMatrix(p.rotation);
      p.radii = p.radii.cwiseProduct(axes.cwiseAbs2().transpose() * scale);
      p.lowest.shift = scale.cwiseProduct(p.lowest.shift);
      p.highest.shift = scale.cwiseProduct(p.highest.shift);
    }
    for (SkinFold& f : body_.skinFolds) fit(f.tip, ""), fit(f.root, "");
  }
  void fitSegments() {
    std::vector<double> base, share;
    std::vector<Mat3> stretch;
    for (const Segment& s : body_.segments) {
      stretch.push_back(map_.jacobian(branchAt(s.bone), s.center));
      base.push_back(s.mass * stretch.back().determinant());
      const auto it = fatShares_.find(s.bone);
      share.push_back(it == fatShares_.end() ? 1.0 : it->second);
    }
    const std::vector<double> mass = distributeMass(base, share, person_.mass);
    for (std::size_t i = 0; i < body_.segments.size(); ++i) {
      Segment& s = body_.segments[i];
      // Added fat also makes the segment wider: by the cube root of the mass it adds.
      const Mat3 wider = stretch[i] * std::cbrt(mass[i] / base[i]);
      const Mat3 inertia = stretchedInertia(inertiaMatrix(s.inertia), wider, mass[i] / s.mass);
      s.center = map_(branchAt(s.bone), s.center);
      s.mass = mass[i];
      s.inertia = {inertia(0, 0), inertia(1, 1), inertia(2, 2),
                   inertia(0, 1), inertia(0, 2), inertia(1, 2)};
    }
  }

  const Body& original_;
  Body& body_;
  const Person& person_;
  std::vector<Diagnostic> findings_;
  PointTable points_;
  const Carry& carry_;
  const typename Carry::Map& map_;
  std::map<std::string, Branch> branches_;
  std::map<std::string, double> fatShares_;
};

}  // namespace pneuma::anatomy::internal
