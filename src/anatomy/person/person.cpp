#include "pneuma/anatomy/person.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/person/body_fitter.h"
#include "pneuma/anatomy/fitted_map.h"
#include "pneuma/anatomy/growth.h"
#include "pneuma/anatomy/muscle_strength.h"

namespace pneuma::anatomy {
namespace {

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

/// From the measured subject to a person.
struct PersonCarry {
  using Map = PersonMap;
  using Branch = MapBranch;
  static constexpr Branch kTrunk = MapBranch::Trunk;

  PersonCarry(const Body& body, const Person& person)
      : map(body, person), from(body.subject), to(person) {}
  Branch branchOf(const Bone& bone) const { return anatomy::branchOf(bone); }
  Branch skinBranch(const std::string& piece) const { return anatomy::skinBranch(piece); }
  Branch branchAt(const Vec3& p) const { return map.branchAt(p); }
  double strength(MuscleRegion region) const { return strengthRatio(to, from, region); }
  TrunkAnatomy trunkOf(const TrunkAnatomy& before, const Body&) const { return map(before); }

  PersonMap map;
  Person from, to;
  double lean = to.mass * (1 - bodyFatFraction(to)) / (from.mass * (1 - bodyFatFraction(from)));
  double scale = map.proportions().global, ribSize = scale, dome = map.dome();
  // A child's parts are not an adult's made smaller: fibres of the height's scale would not fit
  // into its short neck.
  bool byPath = growthOf(to.sex, to.age).maturity < 1;
};

/// From the person to the character whose shapes a body carries: the same tissue in other places.
struct CharacterCarry {
  using Map = FittedMap;
  using Branch = FittedPart;
  static constexpr Branch kTrunk = FittedPart::Trunk;

  Branch branchOf(const Bone& bone) const { return fittedPartOf(bone.name); }
  Branch skinBranch(const std::string& piece) const {
    if (piece.starts_with("skin_arm")) return FittedPart::UpperArm;
    if (piece.starts_with("skin_hand")) return FittedPart::Hand;
    if (piece.starts_with("skin_leg")) return FittedPart::Thigh;
    return piece.starts_with("skin_foot") ? FittedPart::Foot : FittedPart::Trunk;
  }
  Branch branchAt(const Vec3& p) const { return map.partAt(p); }
  double strength(MuscleRegion) const { return 1; }
  TrunkAnatomy trunkOf(const TrunkAnatomy&, const Body& body) const { return trunkAnatomy(body); }

  FittedMap map;
  double lean = 1, scale = 1, ribSize = map.cageSize(), dome = 1;
  bool byPath = true;
};

template <class Carry>
Body carried(const Body& body, const Person& person, const Carry& carry) {
  Body there = body;
  internal::BodyFitter<Carry>(body, there, person, carry).run();
  return there;
}

}  // namespace

namespace internal {

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

}  // namespace internal

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
  const std::optional<FittedShapes> shapes = fittedShapes(body);
  if (!shapes) return carried(body, person, PersonCarry(body, person));
  requireFittedPerson(*shapes, person);
  const Body plain = withoutFit(body);
  const Body asPerson = carried(plain, person, PersonCarry(plain, person));
  return carried(asPerson, person, CharacterCarry{.map = FittedMap(asPerson, *shapes)});
}

}  // namespace pneuma::anatomy
