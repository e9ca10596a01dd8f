#include "pneuma/anatomy/person.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/text/body_fields.h"
#include "pneuma/anatomy/muscle_strength.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy {
namespace {

/// Female relative to male at equal height (see proportionsOf).
constexpr double kHighLateral = 0.95, kLowLateral = 1.06, kFrontal = 0.97;

/// Second moments of mass stretch with the body; inertia follows from them.
Mat3 stretchedInertia(const Mat3& inertia, const Vec3& scale, double massFactor) {
  const Mat3 moments = 0.5 * inertia.trace() * Mat3::Identity() - inertia;
  const Mat3 stretched = massFactor * (scale.asDiagonal() * moments * scale.asDiagonal());
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

BoneShape fittedShape(const BoneShape& shape, const Vec3& scale, const Vec3& offset) {
  BoneShape result = scaled(shape, scale);
  for (ShapePart& part : result.parts) {
    for (SweepSection& s : part.sections) s.center += offset;
    for (ProfileSection& s : part.contours) s.center += offset;
    for (Vec3& p : part.grid) p += offset;
    part.center += offset;
  }
  return result;
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
  Fitter(Body& body, const Person& person)
      : body_(body),
        person_(person),
        points_(body, findings_),
        proportions_(proportionsOf(person, body.subject)),
        map_(proportions_, body.subject.height, spineOrigin()) {
    for (const Bone& bone : body.bones)
      regions_[bone.name] = bone.region, fatShares_[bone.name] = bone.fatShare;
  }

  void run() {
    // Muscle: lean mass over length (PCSA = volume / fibre length).
    const double lean = person_.mass * (1 - bodyFatFraction(person_)) /
                        (body_.subject.mass * (1 - bodyFatFraction(body_.subject)));
    const double length = proportions_.global;
    for (Landmarks& l : body_.landmarks) {
      for (auto& item : l.points) fit(item.second, l.bone);
      for (auto& item : l.curves)
        for (Vec3& p : item.second) p = map_(regionOf(l.bone), p);
    }
    for (Shape& s : body_.shapes) {
      const BodyRegion r = regionOf(s.bone);
      s.shape = fittedShape(s.shape, map_.scale(r), map_.offset(r));
    }
    for (Muscle& m : body_.muscles) fit(m, lean, length);
    for (Belly& b : body_.bellies) fit(b, lean, length);
    for (Cavity& c : body_.cavities) fit(c);
    for (Articulation& a : body_.articulations) fit(a);
    fitSkin();
    fitSegments();
    body_.person = body_.subject = person_;
  }

 private:
  Vec3 spineOrigin() const {
    const Result<BodyPoint> origin = points_.find("sacrum:promontory");
    return origin ? origin->position : Vec3(0, 0.56 * body_.subject.height, 0);
  }
  BodyRegion regionOf(const std::string& bone) const {
    const auto it = regions_.find(bone);
    return it == regions_.end() ? BodyRegion::Thorax : it->second;
  }
  /// The bone whose map a reference follows.
  std::string carrier(const PointRef& p, const std::string& owner) const {
    if (!p.bone.empty()) return p.bone;
    return p.at.empty() ? owner : p.at.substr(0, p.at.find(':'));
  }
  void fit(PointRef& p, const std::string& owner) {
    const BodyRegion region = regionOf(carrier(p, owner));
    if (p.position) p.position = map_(region, *p.position);
    p.offset = map_.scale(region).cwiseProduct(p.offset);
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
  void fit(Cavity& c) {
    const Vec3 s = map_.scale(BodyRegion::Thorax);
    c.volume *= s.prod();
    c.tissueVolume *= s.prod();
    for (auto& item : c.points) fit(item.second, "");
    for (Vec3& section : c.sections)
      section = Vec3(map_(BodyRegion::Thorax, Vec3(0, section.x(), 0)).y(), section.y() * s.x(),
                     section.z() * s.z());
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
      fit(p.center, "");
      const Vec3 scale = map_.scale(regionOf(carrier(p.center, "")));
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
    for (const Segment& s : body_.segments) {
      base.push_back(s.mass * map_.scale(regionOf(s.bone)).prod());
      const auto it = fatShares_.find(s.bone);
      share.push_back(it == fatShares_.end() ? 1.0 : it->second);
    }
    const std::vector<double> mass = distributeMass(base, share, person_.mass);
    for (std::size_t i = 0; i < body_.segments.size(); ++i) {
      Segment& s = body_.segments[i];
      const BodyRegion region = regionOf(s.bone);
      // Added fat also makes the segment wider: by the cube root of the mass it adds.
      const Vec3 stretch = map_.scale(region) * std::cbrt(mass[i] / base[i]);
      const Mat3 inertia = stretchedInertia(inertiaMatrix(s.inertia), stretch, mass[i] / s.mass);
      s.center = map_(region, s.center);
      s.mass = mass[i];
      s.inertia = {inertia(0, 0), inertia(1, 1), inertia(2, 2),
                   inertia(0, 1), inertia(0, 2), inertia(1, 2)};
    }
  }

  Body& body_;
  Person person_;
  std::vector<Diagnostic> findings_;
  PointTable points_;
  Proportions proportions_;
  PersonMap map_;
  std::map<std::string, BodyRegion> regions_;
  std::map<std::string, double> fatShares_;
};

}  // namespace

Proportions proportionsOf(const Person& person, const Person& subject) {
  const auto bySex = [&](double female) {
    if (person.sex == subject.sex) return 1.0;
    return person.sex == Sex::Female ? female : 1 / female;
  };
  Proportions p;
  p.global = person.height / subject.height;
  p.spineRatio = person.spineRatio.value_or(1.0);
  p.highLateral = person.highLateralScale.value_or(bySex(kHighLateral));
  p.lowLateral = person.lowLateralScale.value_or(bySex(kLowLateral));
  p.frontal = person.frontalScale.value_or(bySex(kFrontal));
  return p;
}

PersonMap::PersonMap(const Proportions& p, double subjectHeight, const Vec3& spineOrigin) {
  const double g = p.global;
  const double originHeight = p.spineRatio * g * spineOrigin.y();
  const double above = (g * subjectHeight - originHeight) / (subjectHeight - spineOrigin.y());
  lower_ = Vec3(g * p.lowLateral, p.spineRatio * g, g * p.frontal);
  upper_ = Vec3(g * p.highLateral, above, g * p.frontal);
  shift_ = Vec3(0, originHeight - above * spineOrigin.y(), 0);
}

double bodyFatFraction(const Person& person) {
  const double index = person.mass / (person.height * person.height);
  const double male = person.sex == Sex::Male ? 1.0 : 0.0;
  const double percent = person.age <= 15 ? 1.51 * index - 0.70 * person.age - 3.6 * male + 1.4
                                          : 1.20 * index + 0.23 * person.age - 10.8 * male - 5.4;
  return std::clamp(percent / 100, 0.03, 0.6);
}

LungVolumes lungVolumes(const Person& person) {
  const double age = std::clamp(person.age, 5.0, 80.0), height = 100 * person.height;
  const double a = std::log(age), h = std::log(height);
  const double litre = 1e-3;
  if (person.sex == Sex::Male)
    return {litre * std::exp(-13.4898 + 0.1111 * a + 2.7634 * h),
            litre * std::exp(-10.5861 + 0.1433 * a + 2.3155 * h),
            litre * std::exp(-2.37211 + 0.01346 * age + 0.01307 * height),
            litre * std::exp(-10.134371 - 0.003532 * age + 2.307980 * h)};
  return {litre * std::exp(-12.7674 + 0.1251 * a + 2.6049 * h),
          litre * std::exp(-10.1128 + 0.1062 * a + 2.2259 * h),
          litre * std::exp(-2.50593 + 0.01307 * age + 0.01379 * height),
          litre * std::exp(-9.230600 - 0.005517 * age + 2.116822 * h)};
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
  Fitter(fitted, person).run();
  return fitted;
}

}  // namespace pneuma::anatomy
