#include "survey/measure_head.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "anatomy/shape/smooth_step.h"
#include "pneuma/core/error.h"
#include "pneuma/io/file.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;

Vec3 eyeMarker(const std::filesystem::path& folder, const std::string& character) {
  const std::filesystem::path file = folder / "characters.json";
  const auto json = nlohmann::json::parse(io::readFile(file).valueOrThrow(), nullptr, false);
  if (!json.is_discarded() && json.contains("joints") && json["joints"].contains(character)) {
    const auto& eye = json["joints"][character].value("l-eye", nlohmann::json());
    if (eye.is_array() && eye.size() == 3)
      return {eye[0].get<double>(), eye[1].get<double>(), eye[2].get<double>()};
  }
  throw InputError(Diagnostic{.where = {file.string()},
                              .subject = character,
                              .field = "l-eye",
                              .message = "no marker of the left eye"});
}

HeadMap::HeadMap(const HeadFrame& from, const HeadFrame& to) {
  scale = Vec3(to.breadth / from.breadth, (to.vertex - to.menton) / (from.vertex - from.menton),
               (to.glabella - to.occiput) / (from.glabella - from.occiput));
  shift = Vec3(0, to.vertex - scale.y() * from.vertex, to.occiput - scale.z() * from.occiput);
}

double neckBorder(double z) {
  return 1.428 + 0.55 * (0.15 - z);
}

double shareOfHead(const Vec3& p) {
  const double border = neckBorder(p.z());
  return smoothStep(border - kNeckBlend, border + kNeckBlend, p.y());
}

HeadFrame headFrame(const TriangleMesh& body) {
  HeadFrame f;
  f.vertex = boundingBox(body.positions).max.y();
  f.occiput = 1e300, f.glabella = -1e300, f.menton = 1e300;
  double nose = -1e300;
  for (const Vec3& p : body.positions) {
    const double below = f.vertex - p.y();
    if (below > 0.17) continue;
    f.occiput = std::min(f.occiput, p.z());
    if (std::abs(p.x()) < 0.006) nose = std::max(nose, p.z());
    if (std::abs(p.x()) < 0.006 && below > 0.06 && below < 0.1)
      f.glabella = std::max(f.glabella, p.z());
    if (below < 0.085) f.breadth = std::max(f.breadth, 2 * std::abs(p.x()));
  }
  // The chin is the lowest place of the mid-line that is still far in front.
  for (const Vec3& p : body.positions)
    if (std::abs(p.x()) < 0.006 && f.vertex - p.y() < 0.3 &&
        p.z() > f.occiput + 0.85 * (nose - f.occiput))
      f.menton = std::min(f.menton, p.y());
  return f;
}

}  // namespace pneuma::survey::internal
