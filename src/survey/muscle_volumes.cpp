#include "pneuma/survey/muscle_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "anatomy/text/names.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

constexpr double kMarked = 1.5;  // factor of disagreement that the table marks

/// Muscles that are compared under another name: lines of the external oblique go on as the
/// internal one of the other side.
std::string familyOf(const std::string& muscle) {
  if (muscle == "external_oblique" || muscle == "internal_oblique") return "obliques";
  return muscle;
}

/// Sets that the folder holds level by level, and families, by how their meshes begin.
std::vector<std::string> meshPrefixes(const std::string& family) {
  static const std::map<std::string, std::vector<std::string>> table{
      {"obliques", {"external_oblique_", "internal_oblique_"}},
      {"rotatores", {"rotator_"}},
      {"interspinalis", {"interspinalis_"}},
      {"intertransversarii", {"intertransversarius_"}},
      {"external_intercostal", {"external_intercostal_"}},
      {"internal_intercostal", {"internal_intercostal_"}},
      {"rectus_capitis_posterior", {"rectus_capitis_posterior_"}},
  };
  const auto it = table.find(family);
  return it == table.end() ? std::vector<std::string>{} : it->second;
}

/// Whether a left mesh is the muscle, one of its heads or parts, or one of its levels.
bool belongs(const std::string& mesh, const std::string& family) {
  if (mesh == family + "_l" || mesh.ends_with("_of_" + family + "_l")) return true;
  const std::vector<std::string> prefixes = meshPrefixes(family);
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& p) { return mesh.starts_with(p); });
}

double measuredVolume(const AnatomyPack& pack, const std::string& family) {
  double sum = 0;
  for (const PackPart& part : pack.parts()) {
    if (part.side != "left" || part.kind != "muscle" || !belongs(part.name, family)) continue;
    const std::string right = anatomy::internal::mirrorName(part.name);
    sum += pack.has(right) ? 0.5 * (part.volume + pack.part(right).volume) : part.volume;
  }
  return sum;
}

double fiberLength(const Muscle& m, const PointTable& points) {
  if (m.fiberLength) return *m.fiberLength;
  double length = 0;
  Vec3 last = Vec3::Zero();
  for (std::size_t i = 0; i < m.points.size(); ++i) {
    const Vec3 p = points.resolve(m.points[i]).valueOrThrow().position;
    if (i > 0) length += (p - last).norm();
    last = p;
  }
  return length * (1 - m.tendonOrigin - m.tendonInsertion);
}

}  // namespace

std::vector<MuscleVolume> compareMuscleVolumes(const AnatomyPack& pack, const Body& body,
                                               const std::string& set) {
  std::vector<Diagnostic> ignored;
  const PointTable points(body, ignored);
  std::vector<MuscleVolume> volumes;
  for (const Muscle& m : body.muscles) {
    if (m.set != set || m.muscle == "diaphragm" || m.name.ends_with("_r")) continue;
    const std::string family = familyOf(m.muscle);
    auto it = std::find_if(volumes.begin(), volumes.end(),
                           [&](const MuscleVolume& v) { return v.muscle == family; });
    if (it == volumes.end()) {
      volumes.push_back({.muscle = family, .measured = measuredVolume(pack, family)});
      it = volumes.end() - 1;
    }
    ++it->lines;
    it->pcsa += m.pcsa;
    it->described += m.pcsa * fiberLength(m, points);
  }
  std::erase_if(volumes, [](const MuscleVolume& v) { return v.measured <= 0; });
  for (MuscleVolume& v : volumes) v.fiberLength = v.pcsa > 0 ? v.described / v.pcsa : 0;
  return volumes;
}

std::string muscleVolumeTable(const std::vector<MuscleVolume>& volumes) {
  std::string out = fmt::format("{:<34} {:>5} {:>9} {:>9} {:>9} {:>9} {:>6}\n", "muscle (one side)",
                                "lines", "pcsa/cm2", "fibre/mm", "lines/cm3", "mesh/cm3", "ratio");
  for (const MuscleVolume& v : volumes)
    out +=
        fmt::format("{:<34} {:>5} {:>9.2f} {:>9.1f} {:>9.1f} {:>9.1f} {:>6.2f}{}\n", v.muscle,
                    v.lines, 1e4 * v.pcsa, 1e3 * v.fiberLength, 1e6 * v.described, 1e6 * v.measured,
                    v.ratio(), v.ratio() > kMarked || v.ratio() < 1 / kMarked ? " *" : "");
  return out;
}

}  // namespace pneuma::survey
