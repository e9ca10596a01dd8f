#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/survey/measure_body.h"

/// `pneuma body measure`: every table of data/body/measured from folders of meshes.
namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

constexpr double kCubicCentimetre = 1e-6;  // [m^3]
/// Points that moved farther than this onto the described bone are listed [m].
constexpr double kNoted = 0.004;

std::string tellParts(const std::vector<survey::Measurement>& parts, ordered_json& j) {
  std::string text;
  for (const survey::Measurement& m : parts) {
    j["parts"].push_back({{"name", m.name},
                          {"volume_cm3", m.volume / kCubicCentimetre},
                          {"fit_rms_mm", m.fitError * 1e3},
                          {"numbers", survey::numberCount(m)}});
    text += fmt::format("{:<28} {:9.2f} cm3   fit {:.2f} mm rms   {:4} numbers\n", m.name,
                        m.volume / kCubicCentimetre, m.fitError * 1e3, survey::numberCount(m));
  }
  return text;
}

std::string tellAttachments(const survey::AttachmentSurvey& found, ordered_json& j) {
  double sum = 0, most = 0;
  std::string text;
  for (const survey::Attachment& a : found.points) {
    sum += a.moved * a.moved;
    most = std::max(most, a.moved);
    if (a.moved > kNoted)
      text += fmt::format("{}:{} moved {:.1f} mm onto the described bone\n", a.bone, a.point,
                          1e3 * a.moved);
  }
  const double rms =
      std::sqrt(sum / static_cast<double>(std::max<std::size_t>(found.points.size(), 1)));
  j["attachments"] = found.points.size();
  j["passages"] = found.passages.size();
  j["moved_rms_mm"] = 1e3 * rms;
  j["moved_most_mm"] = 1e3 * most;
  return text + fmt::format("{} attachments, moved {:.2f} mm rms, at most {:.1f} mm\n",
                            found.points.size(), 1e3 * rms, 1e3 * most);
}

/// The described strengths against the measured volumes.
std::string tellVolumes(const std::optional<std::vector<survey::MuscleVolume>>& volumes,
                        ordered_json& j) {
  if (!volumes) return "muscle volumes not compared: the body refers to points not yet measured\n";
  for (const survey::MuscleVolume& v : *volumes)
    j["muscle_volumes"].push_back({{"muscle", v.muscle},
                                   {"lines", v.lines},
                                   {"pcsa_cm2", 1e4 * v.pcsa},
                                   {"fiber_length_mm", 1e3 * v.fiberLength},
                                   {"described_cm3", v.described / kCubicCentimetre},
                                   {"measured_cm3", v.measured / kCubicCentimetre}});
  return survey::muscleVolumeTable(*volumes);
}

std::string tellBellies(const std::vector<survey::MeasuredBelly>& bellies, ordered_json& j) {
  std::string text = fmt::format("{:<38} {:>22} {:>24}\n", "belly", "volume, described cm3",
                                 "tendons, described [-]");
  for (const survey::MeasuredBelly& b : bellies) {
    j["bellies"].push_back({{"name", b.belly.name},
                            {"volume_cm3", b.volume / kCubicCentimetre},
                            {"described_cm3", b.described / kCubicCentimetre},
                            {"tendon_origin", b.start},
                            {"tendon_insertion", 1 - b.end},
                            {"described_tendon_origin", b.bellyStart},
                            {"described_tendon_insertion", 1 - b.bellyEnd}});
    text += fmt::format("{:<38} {:9.1f} {:12.1f} {:6.2f} {:5.2f} {:6.2f} {:5.2f}\n", b.belly.name,
                        b.volume / kCubicCentimetre, b.described / kCubicCentimetre, b.start,
                        1 - b.end, b.bellyStart, 1 - b.bellyEnd);
  }
  return text;
}

void measure(const Program& program, const survey::BodySurveyConfig& config) {
  const survey::BodySurveyReport report = survey::surveyBody(
      config, [&](const std::string& unit) { return program.makeProgress(unit); });
  ordered_json j;
  std::string text = tellParts(report.parts, j);
  if (report.attachments)
    text += tellAttachments(*report.attachments, j) + tellVolumes(report.volumes, j);
  if (report.bellies) text += tellBellies(*report.bellies, j);
  program.print(j, text + fmt::format("written to {}", config.out.string()));
}

}  // namespace

void addBodyMeasureVerb(Program& program, CLI::App* body) {
  auto config = std::make_shared<survey::BodySurveyConfig>();
  CLI::App* verb =
      program.addSubVerb(body, "measure", "Measure real anatomical meshes into body text",
                         "pneuma body measure my-anatomy --only rib_05_l patella_l --out measured");
  const auto folder = [&](const char* name, std::filesystem::path& path, const char* help) {
    return verb->add_option(name, path, help)->type_name("DIR");
  };
  folder("folder", config->anatomy,
         "Folder of meshes of your own with a manifest.json (docs/body.md)")
      ->required();
  folder("--out", config->out, "Folder for the tables")->required();
  folder("--characters", config->characters,
         "Folder of character bodies for the heads; default: characters beside DIR");
  verb->add_option("--only", config->only,
                   fmt::format("Bones, muscles or groups ({}); default: all",
                               fmt::join(survey::surveyGroups(), ", ")))
      ->type_name("NAME");
  verb->add_option_function<double>(
          "--smallest-muscle",
          [config](double x) { config->smallestMuscle = x * kCubicCentimetre; },
          "Muscles below are left out [cm3]")
      ->check(between(0.01, 1000));
  verb->callback([&program, config] {
    config->body = anatomy::defaultBodyPath();
    measure(program, *config);
  });
}

}  // namespace pneuma::cli
