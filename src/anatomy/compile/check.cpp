#include "pneuma/anatomy/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/text/names.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace {

using internal::mirrorName;

Diagnostic finding(Severity severity, const Described& entry, std::string subject,
                   std::string field, std::string message, std::string expected) {
  return {severity,
          entry.where.position(),
          std::move(subject),
          std::move(field),
          std::move(message),
          std::move(expected),
          ""};
}

const Vec3 kAcross(-1, 1, 1);

/// Mean shares of the body mass in percent [de Leva 1996, Table 4; compared with a reprint]. The
/// deviations are those of the men behind them [Zatsiorsky & Seluyanov 1983] from memory, not
/// verified: they only set how far a share may lie off before `check` warns. Limbs: one side.
struct PublishedShare {
  const char* group;
  double male, female, deviation;
};
constexpr PublishedShare kPublished[] = {
    {"head and neck", 6.94, 6.68, 0.707}, {"trunk", 43.46, 42.57, 2.9},
    {"upper arm", 2.71, 2.55, 0.243},     {"forearm", 1.62, 1.38, 0.136},
    {"hand", 0.61, 0.56, 0.084},          {"thigh", 14.16, 14.78, 0.997},
    {"shank", 4.33, 4.81, 0.311},         {"foot", 1.37, 1.29, 0.155},
};

std::string massGroup(const std::string& bone, BodyRegion region) {
  const auto starts = [&](const char* word) { return bone.rfind(word, 0) == 0; };
  if (region == BodyRegion::Head || region == BodyRegion::Neck) return "head and neck";
  if (starts("humerus")) return "upper arm";
  if (starts("ulna") || starts("radius")) return "forearm";
  if (starts("hand")) return "hand";
  if (starts("femur") || starts("patella")) return "thigh";
  if (starts("tibia") || starts("fibula")) return "shank";
  if (region == BodyRegion::Leg) return "foot";
  return "trunk";
}

bool isLimb(const std::string& group) {
  return group != "head and neck" && group != "trunk";
}

/// Whether `link` is `ancestor` or hangs on it.
bool hangsOn(const CompiledBody& body, int link, int ancestor) {
  for (; link >= 0; link = body.links[static_cast<std::size_t>(link)].parent)
    if (link == ancestor) return true;
  return false;
}

/// Looks at one muscle through the range of one degree of freedom.
class MomentArmSweep {
 public:
  MomentArmSweep(const CompiledBody& body, const CompiledMuscle& muscle, int link,
                 const CompiledDof& dof)
      : body_(body), muscle_(muscle), link_(link), dof_(dof) {}

  /// Largest change of the moment arm between two angles a tenth of a degree apart [m]. Only where
  /// a whole degree changes more than `allowed` is the finer step needed.
  double largestJump(double allowed) const {
    const double degree = degreesToRadians(1);
    double largest = 0, last = arm(dof_.lower);
    for (double q = dof_.lower; q < dof_.upper; q += degree) {
      const double next = arm(q + degree);
      if (std::abs(next - last) > allowed)
        for (int k = 0; k < 10; ++k)
          largest = std::max(largest,
                             std::abs(arm(q + 0.1 * (k + 1) * degree) - arm(q + 0.1 * k * degree)));
      last = next;
    }
    return largest;
  }

 private:
  static constexpr double kHalf = 1e-4;  // [rad]
  double length(double q) const { return muscleLength(body_, muscle_, link_, dof_, q); }
  double arm(double q) const { return (length(q + kHalf) - length(q - kHalf)) / (2 * kHalf); }

  const CompiledBody& body_;
  const CompiledMuscle& muscle_;
  int link_;
  const CompiledDof& dof_;
};

/// A muscle crosses a joint when some of its points hang on the link and some do not.
bool crosses(const CompiledBody& body, const CompiledMuscle& m, int link) {
  bool moved = false, still = false;
  for (const CompiledPoint& p : m.points) (hangsOn(body, p.link, link) ? moved : still) = true;
  return moved && still;
}

void checkMuscle(const CompiledBody& body, const CompiledMuscle& m, const CheckOptions& options,
                 std::vector<Diagnostic>& out) {
  const std::string subject = fmt::format("muscle '{}'", m.name);
  Described entry;
  entry.where = m.where;
  for (std::size_t i = 1; i < m.points.size(); ++i) {
    const double length = (m.points[i].position - m.points[i - 1].position).norm();
    if (length < options.degenerateSegment && m.points[i].link != m.points[i - 1].link)
      out.push_back(
          finding(Severity::Error, entry, subject, "points",
                  fmt::format("points {} and {} are {:.2f} mm apart", i, i + 1, 1e3 * length),
                  fmt::format("at least {:.2f} mm", 1e3 * options.degenerateSegment)));
  }
  for (std::size_t l = 0; l < body.links.size(); ++l) {
    const CompiledLink& link = body.links[l];
    if (link.joint != JointType::Sequence || !crosses(body, m, static_cast<int>(l))) continue;
    for (const CompiledDof& dof : link.dofs) {
      if (!dof.limited || dof.kind != DofKind::Rotation) continue;
      const double jump =
          MomentArmSweep(body, m, static_cast<int>(l), dof).largestJump(options.momentArmJump);
      if (jump > options.momentArmJump)
        out.push_back(
            finding(Severity::Error, entry, subject, "points",
                    fmt::format("its moment arm about {} jumps by {:.1f} mm within 0.1 degrees",
                                dof.name, 1e3 * jump),
                    fmt::format("at most {:.1f} mm", 1e3 * options.momentArmJump)));
    }
  }
}

}  // namespace

double muscleLength(const CompiledBody& body, const CompiledMuscle& muscle, int link,
                    const CompiledDof& dof, double amount) {
  const Vec3& center = body.links[static_cast<std::size_t>(link)].center;
  const bool turns = dof.kind == DofKind::Rotation;
  const Mat3 turn =
      turns ? Eigen::AngleAxisd(amount, dof.axis).toRotationMatrix() : Mat3::Identity();
  double length = 0;
  Vec3 last = Vec3::Zero();
  for (std::size_t i = 0; i < muscle.points.size(); ++i) {
    Vec3 p = muscle.points[i].position;
    if (hangsOn(body, muscle.points[i].link, link))
      p = turns ? Vec3(center + turn * (p - center)) : Vec3(p + amount * dof.axis);
    if (i > 0) length += (p - last).norm();
    last = p;
  }
  return length;
}

// The right side is written by the mirror rule, but a body may state both sides itself: then a slip
// on one of them shows nowhere else, for each side by itself is plausible.
std::vector<Diagnostic> checkSymmetry(const Body& body, const CheckOptions& options) {
  std::vector<Diagnostic> out;
  const PointTable points(body, out);
  const auto compare = [&](const Described& entry, const std::string& subject,
                           const std::string& field, const Vec3& left, const Vec3& right) {
    const double off = (kAcross.cwiseProduct(left) - right).norm();
    if (off > options.mirrorTolerance)
      out.push_back(finding(Severity::Error, entry, subject, field,
                            fmt::format("is {:.3g} m from the mirror image of the other side", off),
                            fmt::format("within {:g} m", options.mirrorTolerance)));
  };
  std::map<std::string, const Muscle*> muscles;
  for (const Muscle& m : body.muscles) muscles.emplace(m.name, &m);
  for (const Muscle& m : body.muscles) {
    const auto it = muscles.find(mirrorName(m.name));
    const std::string subject = fmt::format("muscle '{}'", m.name);
    if (it == muscles.end()) {
      out.push_back(finding(Severity::Error, m, subject, "name",
                            "has no counterpart on the other side",
                            fmt::format("a muscle '{}'", mirrorName(m.name))));
      continue;
    }
    if (it->second == &m || it->second->points.size() != m.points.size()) continue;
    for (std::size_t i = 0; i < m.points.size(); ++i) {
      const auto left = points.resolve(m.points[i]), right = points.resolve(it->second->points[i]);
      if (left && right) compare(m, subject, "points", left->position, right->position);
    }
  }
  std::map<std::string, const Segment*> segments;
  for (const Segment& s : body.segments) segments.emplace(s.bone, &s);
  for (const Segment& s : body.segments)
    if (const auto it = segments.find(mirrorName(s.bone)); it != segments.end())
      compare(s, fmt::format("segment '{}'", s.bone), "center", s.center, it->second->center);
  for (const Landmarks& marks : body.landmarks)
    for (const auto& [name, ref] : marks.points) {
      const std::string full = marks.bone + ":" + name;
      const auto here = points.find(full), there = points.find(mirrorName(full));
      if (here && there)
        compare(marks, fmt::format("landmarks '{}'", marks.bone), "points." + name, here->position,
                there->position);
    }
  return out;
}

std::vector<MassFraction> massFractions(const Body& body) {
  std::map<std::string, BodyRegion> regions;
  for (const Bone& b : body.bones) regions[b.name] = b.region;
  std::map<std::string, double> mass;
  double total = 0;
  for (const Segment& s : body.segments) {
    mass[massGroup(s.bone, regions[s.bone])] += s.mass;
    total += s.mass;
  }
  std::vector<MassFraction> result;
  const bool male = body.person.sex == Sex::Male;
  for (const PublishedShare& p : kPublished)
    result.push_back({p.group, mass[p.group] / total / (isLimb(p.group) ? 2 : 1),
                      (male ? p.male : p.female) / 100, p.deviation / 100});
  return result;
}

std::vector<Diagnostic> checkMasses(const Body& body, const CheckOptions& options) {
  std::vector<Diagnostic> out;
  if (body.segments.empty()) return out;
  const double sum = segmentMass(body);
  if (std::abs(sum / body.person.mass - 1) > options.massTolerance)
    out.push_back(finding(Severity::Error, body, "body", "segment",
                          fmt::format("masses add up to {:.2f} kg", sum),
                          fmt::format("{:.2f} kg", body.person.mass)));
  for (const MassFraction& f : massFractions(body))
    if (std::abs(f.fraction - f.published) > 2 * f.deviation)
      out.push_back(finding(
          Severity::Warning, body, "body", "segment",
          fmt::format("{} has {:.2f} % of the mass", f.group, 100 * f.fraction),
          fmt::format("{:.2f} +- {:.2f} % (de Leva 1996)", 100 * f.published, 200 * f.deviation)));
  return out;
}

std::vector<Diagnostic> checkMomentArms(const CompiledBody& body, const CheckOptions& options) {
  std::vector<std::vector<Diagnostic>> found(body.muscles.size());
  parallelFor(body.muscles.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) checkMuscle(body, body.muscles[i], options, found[i]);
  });
  std::vector<Diagnostic> out;
  for (auto& f : found) out.insert(out.end(), f.begin(), f.end());
  return out;
}

}  // namespace pneuma::anatomy
