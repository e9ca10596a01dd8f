#include "pneuma/anatomy/person.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/person/fit_shape.h"
#include "anatomy/text/body_fields.h"
#include "pneuma/anatomy/muscle_strength.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy {
namespace {

using internal::fitPart;
using internal::fitShape;

/// Siri 1961 [kg/m^3].
constexpr double kFatDensity = 900.7, kLeanDensity = 1100.0;
/// FRC falls by this with each unit of the body mass index above the reference (see lungVolumes).
constexpr double kFatEffect = 0.029, kReferenceIndex = 22;
constexpr double kGrown = 25;                ///< lungs and cage no longer grow [years]
constexpr double kReferenceTissue = 1.4e-3;  ///< in the cavity of Person{} [m^3]

double bodyMassIndex(const Person& p) {
  return p.mass / (p.height * p.height);
}

/// FRC by the equations alone, at an age [m^3].
double predictedResidual(const Person& person, double years) {
  const double a = std::log(std::clamp(years, 5.0, 80.0)), h = std::log(100 * person.height);
  return 1e-3 * (person.sex == Sex::Male ? std::exp(-13.4898 + 0.1111 * a + 2.7634 * h)
                                         : std::exp(-12.7674 + 0.1251 * a + 2.6049 * h));
}

/// FRC as the cage has grown for it: before fat and lost recoil.
double grownResidual(const Person& person) {
  return predictedResidual(person, std::min(person.age, kGrown));
}

/// Second moments of mass stretch with the body; inertia follows from them.
Mat3 stretchedInertia(const Mat3& inertia, const Mat3& stretch, double massFactor) {
  const Mat3 moments = 0.5 * inertia.trace() * Mat3::Identity() - inertia;
  const Mat3 stretched = massFactor * (stretch * moments * stretch.transpose());
  return stretched.trace() * Mat3::Identity() - stretched;
}

Mat3 inertiaMatrix(const std::vector<double>& v) {
  Mat3 m;
  m << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
  return m;
}

/// Masses that grow with volume by `base` and sum to `total`; the rest is laid on by share, and no
/// segment loses more than half.
std::vector<double> distributeMass(const std::vector<double>& base,
                                   const std::vector<double>& share, double total) {
  std::vector<double> mass = base;
  for (int round = 0; round < 20; ++round) {
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      sum += mass[i];
      if (total >= sum || mass[i] > 0.5 * base[i]) weight += share[i] * mass[i];
    }
    const double missing = total - sum;
    if (std::abs(missing) < 1e-12 * total || weight <= 0) break;
    for (std::size_t i = 0; i < mass.size(); ++i)
      mass[i] = std::max(0.5 * base[i], mass[i] * (1 + missing * share[i] / weight));
  }
  double sum = 0;
  for (const double m : mass) sum += m;
  for (double& m : mass) m *= total / sum;
  return mass;
}

/// Collects the fields of a person that are out of range.
class RangeCheck : public internal::ReadingVisitor {
 public:
  void field(const internal::FieldSpec& spec, double value) {
    if (value >= spec.min && value <= spec.max) return;
    findings.push_back(
        {Severity::Error,
         {},
         "person",
         std::string(spec.name),
         fmt::format("is {:g}", value),
         fmt::format("{:g} to {:g} {}", spec.min, spec.max, internal::unitName(spec.unit)),
         ""});
  }
  void field(const internal::FieldSpec& spec, const std::optional<double>& value) {
    if (value) field(spec, *value);
  }
  void field(const internal::FieldSpec&, Sex) {}

  std::vector<Diagnostic> findings;
};

/// Applies the map to every entry of a body in turn.
class Fitter {
 public:
  Fitter(const Body& original, Body& body, const Person& person)
      : original_(original),
        body_(body),
        person_(person),
        points_(body, findings_),
        map_(body, person),
        proportions_(map_.proportions()) {
    for (const Bone& bone : body.bones)
      branches_[bone.name] = branchOf(bone), fatShares_[bone.name] = bone.fatShare;
  }

  void run() {
    // Muscle: lean mass over length (PCSA = volume / fibre length).
    const double lean = person_.mass * (1 - bodyFatFraction(person_)) /
                        (body_.subject.mass * (1 - bodyFatFraction(body_.subject)));
    const double length = proportions_.global;
    for (Landmarks& l : body_.landmarks) {
      for (auto& item : l.points) fit(item.second, l.bone);
      for (auto& item : l.curves)
        for (Vec3& p : item.second) p = map_(branchAt(l.bone), p);
    }
    for (Shape& s : body_.shapes)
      s.shape = fitShape(s.shape, map_, branchAt(s.bone), s.bone.ends_with("_r"));
    fitSolids();
    for (Muscle& m : body_.muscles) fit(m, lean, length);
    for (Belly& b : body_.bellies) fit(b, lean, length);
    fitTrunk();
    for (Articulation& a : body_.articulations) fit(a);
    fitSkin();
    fitSegments();
    body_.person = body_.subject = person_;
  }

 private:
  MapBranch branchAt(const std::string& bone) const {
    const auto it = branches_.find(bone);
    return it == branches_.end() ? MapBranch::Trunk : it->second;
  }
  /// The bone whose map a reference follows.
  std::string carrier(const PointRef& p, const std::string& owner) const {
    if (!p.bone.empty()) return p.bone;
    return p.at.empty() ? owner : p.at.substr(0, p.at.find(':'));
  }
  void fit(PointRef& p, const std::string& owner) {
    const MapBranch branch = branchAt(carrier(p, owner));
    if (!p.offset.isZero()) {
      // An offset turns and stretches as the place does where it starts.
      const Result<BodyPoint> end = points_.resolve(p, owner);
      const Vec3 start = end ? Vec3(end->position - p.offset) : p.position.value_or(Vec3::Zero());
      p.offset = map_.jacobian(branch, start) * p.offset;
    }
    if (p.position) p.position = map_(branch, *p.position);
  }
  void fit(Muscle& m, double lean, double length) {
    for (PointRef& p : m.points) fit(p, "");
    const double area = lean / length;
    const double force = strengthRatio(person_, body_.subject, m.region);
    m.pcsa *= area;
    m.tension *= force / area;
    if (m.peakForce) *m.peakForce *= force;
    if (m.fiberLength) *m.fiberLength *= length;
    if (m.volume) *m.volume *= lean;
    for (double& r : m.profile) r *= std::sqrt(lean / length);
  }
  void fit(Belly& b, double lean, double length) {
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
        for (Vec3& h : s.shape.parts.front().grid) h *= proportions_.global;
      else
        s.shape = fitShape(s.shape, map_, skinBranch(s.bone), s.bone.ends_with("_r"));
    }
    for (Shape& s : body_.muscleSolids) {
      const bool right = s.bone.ends_with("_r");
      BoneShape left = right ? mirrored(s.shape) : s.shape;
      for (ShapePart& p : left.parts) p = fitPart(p, map_, map_.branchAt(p.center));
      s.shape = right ? mirrored(left) : left;
    }
  }
  /// Tables and cavities. The thoracic cavity grows as the space within the cage does, others as
  /// space does at their middle.
  void fitTrunk() {
    double thoracic = 1;
    if (!body_.trunk.empty()) {
      const TrunkAnatomy before = trunkAnatomy(original_);
      thoracic = thoracicCavity(map_(before)) / thoracicCavity(before);
      Trunk& t = body_.trunk;
      t.diaphragm = map_(t.diaphragm);
      for (double& r : t.diaphragm.radii) r *= map_.dome();
      t.wall = map_(t.wall);
      t.outline = map_(t.outline);
      for (double& r : t.ribRadii) r *= proportions_.global;
    }
    for (Cavity& c : body_.cavities) {
      const Vec3 middle(0, 0.6 * original_.subject.height, 0);
      const double growth = c.name == "thoracic" && !body_.trunk.empty()
                                ? thoracic
                                : map_.jacobian(MapBranch::Trunk, middle).determinant();
      c.volume *= growth;
      c.tissueVolume *= growth;
      for (auto& item : c.points) fit(item.second, "");
      for (Vec3& s : c.sections) {
        const Mat3 j = map_.jacobian(MapBranch::Trunk, Vec3(0, s.x(), 0));
        s = Vec3(map_(MapBranch::Trunk, Vec3(0, s.x(), 0)).y(), s.y() * j(0, 0), s.z() * j(2, 2));
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
        const double s = d.kind == DofKind::Translation ? proportions_.global : 1.0;
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
        t.width *= proportions_.global;
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
  Person person_;
  std::vector<Diagnostic> findings_;
  PointTable points_;
  PersonMap map_;
  Proportions proportions_;
  std::map<std::string, MapBranch> branches_;
  std::map<std::string, double> fatShares_;
};

}  // namespace

double bodyFatFraction(const Person& person) {
  const double index = person.mass / (person.height * person.height);
  const double male = person.sex == Sex::Male ? 1.0 : 0.0;
  const double percent = person.age <= 15 ? 1.51 * index - 0.70 * person.age - 3.6 * male + 1.4
                                          : 1.20 * index + 0.23 * person.age - 10.8 * male - 5.4;
  return std::clamp(percent / 100, 0.03, 0.6);
}

double tissueDensity(const Person& person) {
  const double fat = bodyFatFraction(person);
  return 1 / (fat / kFatDensity + (1 - fat) / kLeanDensity);
}

LungVolumes lungVolumes(const Person& person) {
  const double age = std::clamp(person.age, 5.0, 80.0), height = 100 * person.height;
  const double a = std::log(age), h = std::log(height);
  const bool male = person.sex == Sex::Male;
  LungVolumes v;
  v.total = 1e-3 * (male ? std::exp(-10.5861 + 0.1433 * a + 2.3155 * h)
                         : std::exp(-10.1128 + 0.1062 * a + 2.2259 * h));
  v.residual = 1e-3 * (male ? std::exp(-2.37211 + 0.01346 * age + 0.01307 * height)
                            : std::exp(-2.50593 + 0.01307 * age + 0.01379 * height));
  v.vital = v.total - v.residual;
  const double fat = std::exp(-kFatEffect * (bodyMassIndex(person) - kReferenceIndex));
  v.functionalResidual = std::max(predictedResidual(person, person.age) * fat, v.residual);
  if (person.restingLung) v.functionalResidual = *person.restingLung;
  return v;
}

double predictThoracicTissue(const Person& person) {
  return kReferenceTissue * grownResidual(person) / grownResidual(Person{});
}

LungTargets lungTargets(const Person& person, const Person& subject) {
  // How much of the grown lungs' FRC fat and age leave, whatever the person's own size.
  const auto share = [](Person p) {
    p.restingLung.reset();
    return lungVolumes(p).functionalResidual / grownResidual(p);
  };
  const double tissue = predictThoracicTissue(person);
  const double rest = lungVolumes(person).functionalResidual;
  return {.cage = rest * share(subject) / share(person) + tissue, .rest = rest + tissue};
}

void checkPerson(const Person& person) {
  RangeCheck check;
  internal::fields(check, person);
  const double index = person.mass / (person.height * person.height);
  if (check.findings.empty() && (index < 8 || index > 90))
    check.findings.push_back({Severity::Error,
                              {},
                              "person",
                              "mass",
                              fmt::format("{:g} kg at {:g} m is a body mass index of {:.1f}",
                                          person.mass, person.height, index),
                              "8 to 90 kg/m2",
                              ""});
  if (!check.findings.empty()) throw InputError(std::move(check.findings));
}

double segmentMass(const Body& body) {
  double sum = 0;
  for (const Segment& s : body.segments) sum += s.mass;
  return sum;
}

Body fitToPerson(const Body& body, const Person& person) {
  Body fitted = body;
  Fitter(body, fitted, person).run();
  return fitted;
}

}  // namespace pneuma::anatomy
