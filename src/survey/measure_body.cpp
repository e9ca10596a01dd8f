#include "pneuma/survey/measure_body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/survey/measure_tables.h"

namespace pneuma::survey {
namespace {

using ProgressMaker = std::function<std::unique_ptr<Progress>(const std::string& unit)>;

/// Measures one thing after the other with a bar.
class BodySurvey {
 public:
  BodySurvey(const BodySurveyConfig& config, const ProgressMaker& makeProgress)
      : config_(config), makeProgress_(makeProgress), pack_(config.anatomy) {}

  BodySurveyReport run() {
    checkNames();
    io::requireWritable(config_.out / "measured.toml");
    collect();
    if (!todo_.empty()) measureParts();
    writeParts();
    writeTables();
    BodySurveyReport report;
    for (const auto& [group, list] : groups_)
      report.parts.insert(report.parts.end(), list.begin(), list.end());
    // Last, since attachments lie on the bones as just described, and bellies run between them.
    if (wanted("attachments")) addAttachments(report);
    if (wanted("bellies")) addBellies(report);
    return report;
  }

 private:
  enum class Kind { Bone, Skin, Muscle };

  bool wanted(const std::string& name) const { return wanted(name, name); }
  bool wanted(const std::string& name, const std::string& group) const {
    const auto named = [&](const std::string& n) {
      return std::ranges::find(config_.only, n) != config_.only.end();
    };
    return config_.only.empty() || named(name) || named(group);
  }

  /// Every name asked for must be a part, a muscle of any size or a group.
  void checkNames() const {
    std::vector<std::string> known = surveyGroups();
    const auto add = [&](const std::vector<std::string>& names) {
      known.insert(known.end(), names.begin(), names.end());
    };
    add(measurableBones());
    add(measurableSkin());
    add(measurableMuscles(pack_, 0));
    std::vector<Diagnostic> errors;
    for (const std::string& name : config_.only)
      if (std::ranges::find(known, name) == known.end())
        errors.push_back({.subject = "option '--only'",
                          .message = fmt::format("'{}' cannot be measured", name),
                          .expected = fmt::format("bones, muscles, or groups: {}",
                                                  fmt::join(surveyGroups(), ", ")),
                          .nearest = nearestName(name, known)});
    if (!errors.empty()) throw InputError(std::move(errors));
  }

  void collect() {
    for (const std::string& name : measurableBones())
      if (wanted(name, measureGroupOf(name))) todo_.push_back({name, Kind::Bone});
    for (const std::string& name : measurableSkin())
      if (wanted(name, name.ends_with("_image")          ? "face"
                       : name.starts_with("skin_relief") ? "relief"
                                                         : "skin"))
        todo_.push_back({name, Kind::Skin});
    for (const std::string& name : measurableMuscles(pack_, config_.smallestMuscle))
      if (wanted(name, "muscles")) todo_.push_back({name, Kind::Muscle});
  }

  void measureParts() {
    const auto progress = makeProgress_("parts");
    progress->begin("measuring", static_cast<double>(todo_.size()));
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      const auto& [name, kind] = todo_[i];
      if (kind == Kind::Bone) keep(measureBone(pack_, name));
      if (kind == Kind::Skin) keep(measureSkin(pack_, name, characters()));
      if (kind == Kind::Muscle) {
        muscles_.push_back(measureMuscle(pack_, name));
        keep(muscles_.back().solid);
      }
      progress->update(static_cast<double>(i + 1));
    }
    progress->end();
  }

  /// The folder asked for, else `characters` beside the anatomy where there is one.
  std::filesystem::path characters() const {
    if (!config_.characters.empty()) return config_.characters;
    const auto beside = config_.anatomy / ".." / "characters";
    return std::filesystem::exists(beside / "characters.json") ? beside : std::filesystem::path();
  }

  void keep(const Measurement& m) { groups_[m.group].push_back(m); }

  void writeParts() const {
    for (const auto& [group, list] : groups_) {
      const std::string file = group == "skin"      ? "skin.toml"
                               : group == "face"    ? "face.toml"
                               : group == "relief"  ? "relief.toml"
                               : group == "muscles" ? "muscle_volumes.toml"
                                                    : "shapes_" + group + ".toml";
      const std::string heads =
          "\n# heads: character bodies of the MakeHuman community project, CC0";
      io::writeFile(config_.out / file,
                    shapesText(list, pack_.attribution() + (group == "face" ? heads : "")));
    }
    if (!muscles_.empty())
      io::writeFile(config_.out / "muscles.csv", muscleTable(muscles_, pack_.attribution()));
  }

  void writeTables() const {
    std::vector<Measurement> landmarks;
    if (wanted("landmarks") || wanted("torso")) landmarks = measureLandmarks(pack_);
    if (wanted("landmarks"))
      io::writeFile(config_.out / "landmarks.toml", landmarksText(landmarks, pack_.attribution()));
    if (wanted("torso")) io::writeFile(config_.out / "torso.toml", measureTorso(pack_, landmarks));
    if (wanted("segments")) io::writeFile(config_.out / "segments.toml", measureSegments(pack_));
  }

  void addAttachments(BodySurveyReport& report) const {
    const anatomy::Body skeleton = loadSkeleton(config_.body, config_.out);
    const auto progress = makeProgress_("recipes");
    report.attachments = measureAttachments(pack_, skeleton, anatomy::GeometryCache(), *progress);
    io::writeFile(config_.out / "attachments.toml",
                  attachmentsText(*report.attachments, skeleton.bones, pack_.attribution()));
    if (const Result<anatomy::Body> body = loadMeasured(config_.body, config_.out))
      report.volumes = compareMuscleVolumes(pack_, *body, "lee2009");
  }

  void addBellies(BodySurveyReport& report) const {
    const anatomy::Body body = loadMeasured(config_.body, config_.out).valueOrThrow();
    const auto progress = makeProgress_("muscles");
    report.bellies = measureBellies(pack_, body, *progress);
    io::writeFile(config_.out / "bellies.toml", belliesText(*report.bellies, pack_.attribution()));
  }

  const BodySurveyConfig& config_;
  const ProgressMaker& makeProgress_;
  AnatomyPack pack_;
  std::vector<std::pair<std::string, Kind>> todo_;
  std::map<std::string, std::vector<Measurement>> groups_;
  std::vector<MuscleMeasurement> muscles_;
};

}  // namespace

const std::vector<std::string>& surveyGroups() {
  static const std::vector<std::string> groups{
      "spine",     "ribs",  "sternum",  "head",        "arm",    "leg",
      "hand",      "foot",  "skin",     "relief",      "face",   "muscles",
      "landmarks", "torso", "segments", "attachments", "bellies"};
  return groups;
}

BodySurveyReport surveyBody(const BodySurveyConfig& config, const ProgressMaker& makeProgress) {
  return BodySurvey(config, makeProgress).run();
}

std::size_t numberCount(const Measurement& m) {
  constexpr std::size_t kPerSection = 8, kPerPart = 12;
  std::size_t sum = 0;
  for (const anatomy::ShapePart& p : m.shape.parts)
    sum += p.kind == anatomy::ShapeKind::Sweep   ? kPerSection * p.sections.size()
           : p.kind == anatomy::ShapeKind::Plate ? 3 * p.grid.size() + p.thickness.size()
                                                 : kPerPart;
  return sum;
}

}  // namespace pneuma::survey
