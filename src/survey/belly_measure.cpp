#include "pneuma/survey/belly_measure.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/error.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/flesh/action_line.h"
#include "survey/sided_names.h"

namespace pneuma::survey {

using namespace anatomy;
using namespace flesh;
namespace {

constexpr int kSections = 8;
constexpr double kSamples = 3000;     // per muscle
constexpr double kTip = 0.015;        // part of the volume beyond either end of the belly
constexpr double kFlattest = 6;       // half-axes of a section
constexpr double kThinnest = 1.5e-3;  // [m]

struct VolumeSample {
  Vec3 point;
  double volume;  // [m^3]
};

/// Points spread evenly through a solid.
void sample(const TriangleMesh& mesh, double weight, std::vector<VolumeSample>& out) {
  const SurfaceQuery query(mesh);
  const double cell = std::clamp(std::cbrt(enclosedVolume(mesh) / kSamples), 0.8e-3, 4e-3);
  const Box box = boundingBox(mesh.positions);
  for (double x = box.min.x() + 0.5 * cell; x < box.max.x(); x += cell)
    for (double y = box.min.y() + 0.5 * cell; y < box.max.y(); y += cell)
      for (double z = box.min.z() + 0.5 * cell; z < box.max.z(); z += cell)
        if (const Vec3 p(x, y, z); query.inside(p)) out.push_back({p, weight * cell * cell * cell});
}

/// A left muscle and its mirrored right one, each half.
std::vector<VolumeSample> sampleMuscle(const AnatomyPack& pack, const std::string& name) {
  std::vector<VolumeSample> samples;
  const std::string right = rightName(name);
  const bool paired = right != name && pack.has(right);
  sample(pack.mesh(name), paired ? 0.5 : 1, samples);
  if (paired) sample(anatomy::mirroredMesh(pack.mesh(right)), 0.5, samples);
  return samples;
}

struct Nearest {
  double arc = 0, distance = 1e300;
};

Nearest nearestOn(const ActionLine& line, const Vec3& p) {
  Nearest best;
  double before = 0;
  const auto points = line.points();
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec3 d = points[i] - points[i - 1];
    const double length = d.norm();
    if (!(length > 0)) continue;
    const double t = std::clamp(d.dot(p - points[i - 1]) / (length * length), 0.0, 1.0);
    const double distance = (points[i - 1] + t * d - p).norm();
    if (distance < best.distance) best = {before + t * length, distance};
    before += length;
  }
  return best;
}

/// A belly while it is being measured.
struct Work {
  const anatomy::Belly* belly;
  const anatomy::CompiledMuscle* muscle;
  ActionLine line;
  std::vector<std::pair<double, VolumeSample>> share;  // by arc length
};

/// Arc length below which a part of the volume lies.
double quantile(const Work& w, double part, double total) {
  double sum = 0;
  for (const auto& [arc, s] : w.share) {
    sum += s.volume;
    if (sum >= part * total) return arc;
  }
  return w.line.length();
}

/// The ellipse with the area and the second moments of what lies between two arc lengths.
anatomy::BellySection sectionOf(const Work& w, double from, double to) {
  double volume = 0;
  Vec3 sum = Vec3::Zero();
  Mat3 square = Mat3::Zero();
  for (const auto& [arc, s] : w.share) {
    if (arc < from || arc >= to) continue;
    const Vec3 d = s.point - w.line.pathAt(arc);
    volume += s.volume;
    sum += s.volume * d;
    square += s.volume * d * d.transpose();
  }
  anatomy::BellySection section;
  section.thick = kThinnest;
  section.wide = kThinnest * Vec3::UnitX();
  if (!(volume > 0)) return section;
  const Vec3 along = (w.line.pathAt(to) - w.line.pathAt(from)).normalized();
  const Mat3 across = Mat3::Identity() - along * along.transpose();
  const Vec3 mean = sum / volume;
  const Mat3 spread = across * (square / volume - mean * mean.transpose()) * across;
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread);
  const double wide = std::sqrt(std::max(1e-12, axes.eigenvalues()[2])),
               thick = std::sqrt(std::max(1e-12, axes.eigenvalues()[1]));
  const double flatness = std::clamp(wide / thick, 1.0, kFlattest);
  const double area = volume / (to - from);
  section.thick = std::max(kThinnest, std::sqrt(area / (kPi * flatness)));
  section.wide = flatness * section.thick * axes.eigenvectors().col(2);
  section.center = across * mean;
  return section;
}

/// Evens out neighbours (1 2 1) and turns all long axes to one side.
void smooth(std::vector<anatomy::BellySection>& sections) {
  for (std::size_t i = 1; i < sections.size(); ++i)
    if (sections[i].wide.dot(sections[i - 1].wide) < 0) sections[i].wide *= -1;
  const auto old = sections;
  for (std::size_t i = 1; i + 1 < sections.size(); ++i) {
    sections[i].center = 0.25 * (old[i - 1].center + 2 * old[i].center + old[i + 1].center);
    sections[i].wide = 0.25 * (old[i - 1].wide + 2 * old[i].wide + old[i + 1].wide);
    sections[i].thick = 0.25 * (old[i - 1].thick + 2 * old[i].thick + old[i + 1].thick);
  }
}

MeasuredBelly measureOne(Work& w) {
  std::ranges::sort(w.share, {}, [](const auto& s) { return s.first; });
  MeasuredBelly m{.belly = *w.belly};
  for (const auto& s : w.share) m.volume += s.second.volume;
  m.mirror = m.belly.name.ends_with("_l");
  m.described = w.muscle->volume;
  const double length = w.line.length();
  m.start = quantile(w, kTip, m.volume) / length;
  m.end = quantile(w, 1 - kTip, m.volume) / length;
  const ActionLine line(std::vector(w.line.points().begin(), w.line.points().end()),
                        w.muscle->tendonOrigin, w.muscle->tendonInsertion);
  m.bellyStart = line.bellyStart() / length;
  m.bellyEnd = line.bellyEnd() / length;
  m.belly.sections.clear();
  for (int i = 0; i < kSections; ++i)
    m.belly.sections.push_back(
        sectionOf(w, line.bellyStart() + line.bellyLength() * i / kSections,
                  line.bellyStart() + line.bellyLength() * (i + 1) / kSections));
  smooth(m.belly.sections);
  return m;
}

}  // namespace

// Several action lines may run through one measured muscle (the heads of the deltoid): its samples
// are shared out among them before any belly is measured, or each would have the volume of all.
std::vector<MeasuredBelly> measureBellies(const AnatomyPack& pack, const anatomy::Body& body,
                                          Progress& progress) {
  const anatomy::CompiledBody compiled = anatomy::compileBody(body, "figure").valueOrThrow();
  std::vector<Work> works;
  std::map<std::string, std::vector<std::size_t>> sharers;
  for (const anatomy::CompiledMuscle& m : compiled.muscles) {
    const auto belly = std::ranges::find(body.bellies, m.belly, &anatomy::Belly::name);
    if (m.belly.empty() || m.belly.ends_with("_r") || belly == body.bellies.end() ||
        belly->muscles.empty())
      continue;
    std::vector<Vec3> points;
    for (const anatomy::CompiledPoint& p : m.points) points.push_back(p.position);
    for (const std::string& name : belly->muscles) sharers[name].push_back(works.size());
    works.push_back({&*belly, &m, ActionLine(points, 0, 0), {}});
  }
  progress.begin("measuring bellies", static_cast<double>(sharers.size() + works.size()));
  double done = 0;
  for (const auto& [muscle, parts] : sharers) {
    for (const VolumeSample& s : sampleMuscle(pack, muscle)) {
      Nearest best;
      std::size_t owner = 0;
      for (const std::size_t part : parts)
        if (const Nearest n = nearestOn(works[part].line, s.point); n.distance < best.distance)
          best = n, owner = part;
      works[owner].share.push_back({best.arc, s});
    }
    progress.update(++done);
  }
  std::vector<MeasuredBelly> measured;
  for (Work& w : works) {
    measured.push_back(measureOne(w));
    progress.update(++done);
  }
  progress.end();
  return measured;
}

}  // namespace pneuma::survey
