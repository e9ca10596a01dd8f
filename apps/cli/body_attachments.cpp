#include "cli/body_attachments.h"

#include <fmt/format.h>

#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/survey/measure_attachments.h"
#include "pneuma/survey/muscle_volumes.h"

namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

/// Points that moved farther than this onto the described bone are listed [m].
constexpr double kNoted = 0.004;

std::string movedText(const anatomy::AttachmentSurvey& survey, ordered_json& j) {
  double sum = 0, most = 0;
  std::string text;
  for (const anatomy::Attachment& a : survey.points) {
    sum += a.moved * a.moved;
    most = std::max(most, a.moved);
    if (a.moved > kNoted)
      text += fmt::format("{}:{} moved {:.1f} mm onto the described bone\n", a.bone, a.point,
                          1e3 * a.moved);
  }
  const double rms =
      std::sqrt(sum / static_cast<double>(std::max<std::size_t>(survey.points.size(), 1)));
  j["attachments"] = survey.points.size();
  j["passages"] = survey.passages.size();
  j["moved_rms_mm"] = 1e3 * rms;
  j["moved_most_mm"] = 1e3 * most;
  return text + fmt::format("{} attachments, moved {:.2f} mm rms, at most {:.1f} mm\n",
                            survey.points.size(), 1e3 * rms, 1e3 * most);
}

/// The described strengths against the measured volumes, once the body can be read whole.
std::string volumesText(const anatomy::AnatomyPack& pack, ordered_json& j) {
  const Result<anatomy::Body> body = anatomy::loadBody(anatomy::defaultBodyPath());
  if (!body) return "muscle volumes not compared: the body refers to points not yet measured\n";
  const auto volumes = anatomy::compareMuscleVolumes(pack, *body, "lee2009");
  for (const anatomy::MuscleVolume& v : volumes)
    j["muscle_volumes"].push_back({{"muscle", v.muscle},
                                   {"lines", v.lines},
                                   {"pcsa_cm2", 1e4 * v.pcsa},
                                   {"fiber_length_mm", 1e3 * v.fiberLength},
                                   {"described_cm3", 1e6 * v.described},
                                   {"measured_cm3", 1e6 * v.measured}});
  return anatomy::muscleVolumeTable(volumes);
}

}  // namespace

std::string measureBodyAttachments(Program& program, const anatomy::AnatomyPack& pack,
                                   const std::filesystem::path& out, ordered_json& j) {
  const anatomy::Body skeleton = anatomy::loadSkeleton(anatomy::defaultBodyPath(), out);
  const auto progress = program.makeProgress("recipes");
  const anatomy::AttachmentSurvey survey =
      anatomy::measureAttachments(pack, skeleton, anatomy::GeometryCache(), *progress);
  io::writeFile(out / "attachments.toml",
                anatomy::attachmentsText(survey, skeleton.bones, pack.attribution()));
  return movedText(survey, j) + volumesText(pack, j);
}

}  // namespace pneuma::cli
