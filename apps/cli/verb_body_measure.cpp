#include <fmt/format.h>

#include <algorithm>

#include "cli/body_attachments.h"
#include "cli/body_bellies.h"
#include "cli/verbs.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/survey/measure.h"
#include "pneuma/survey/measure_tables.h"

/// `pneuma body measure`: every table of data/body/measured from folders of meshes.
namespace pneuma::cli {
namespace {

using anatomy::Measurement;
using nlohmann::ordered_json;

struct MeasureOptions {
  std::string folder, out, characters;
  std::vector<std::string> only;
  double smallestMuscle = 8;  ///< [cm3]
};

/// Measures one thing after the other with a bar.
class MeasureRun {
 public:
  MeasureRun(Program& program, const MeasureOptions& options)
      : program_(program), options_(options), out_(options.out), pack_(options.folder) {}

  void run() {
    checkNames();
    io::requireWritable(out_ / "measured.toml");
    collect();
    if (!todo_.empty()) measureParts();
    writeParts();
    writeTables();
    ordered_json j;
    std::string text = report(j);
    // Last, since attachments lie on the bones as just described, and bellies run between them.
    if (wanted("attachments")) text += measureBodyAttachments(program_, pack_, out_, j);
    if (wanted("bellies")) text += measureBodyBellies(program_, pack_, out_, j);
    program_.print(j, text + fmt::format("written to {}", options_.out));
  }

 private:
  bool wanted(const std::string& name) const { return wanted(name, name); }
  bool wanted(const std::string& name, const std::string& group) const {
    const auto named = [&](const std::string& n) {
      return std::find(options_.only.begin(), options_.only.end(), n) != options_.only.end();
    };
    return options_.only.empty() || named(name) || named(group);
  }

  /// Every name of --only must be a part, a muscle of any size or a group.
  void checkNames() const {
    std::vector<std::string> known{"spine",     "ribs",  "sternum",  "head",        "arm",
                                   "leg",       "hand",  "foot",     "skin",        "muscles",
                                   "landmarks", "torso", "segments", "attachments", "bellies"};
    const auto add = [&](const std::vector<std::string>& names) {
      known.insert(known.end(), names.begin(), names.end());
    };
    add(anatomy::measurableBones());
    add(anatomy::measurableSkin());
    add(anatomy::measurableMuscles(pack_, 0));
    std::vector<Diagnostic> errors;
    for (const std::string& name : options_.only)
      if (std::find(known.begin(), known.end(), name) == known.end())
        errors.push_back({.subject = "option '--only'",
                          .message = fmt::format("'{}' cannot be measured", name),
                          .expected = "bones, muscles, or groups: spine, ribs, sternum, head, arm, "
                                      "leg, hand, foot, skin, muscles, landmarks, torso, segments, "
                                      "attachments, bellies",
                          .nearest = nearestName(name, known)});
    if (!errors.empty()) throw InputError(std::move(errors));
  }

  void collect() {
    for (const std::string& name : anatomy::measurableBones())
      if (wanted(name, anatomy::measureGroupOf(name))) todo_.push_back({name, 'b'});
    for (const std::string& name : anatomy::measurableSkin())
      if (wanted(name, "skin")) todo_.push_back({name, 's'});
    for (const std::string& name :
         anatomy::measurableMuscles(pack_, options_.smallestMuscle * 1e-6))
      if (wanted(name, "muscles")) todo_.push_back({name, 'm'});
  }

  void measureParts() {
    const auto progress = program_.makeProgress("parts");
    progress->begin("measuring", static_cast<double>(todo_.size()));
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      const auto& [name, kind] = todo_[i];
      if (kind == 'b') keep(anatomy::measureBone(pack_, name));
      if (kind == 's') keep(anatomy::measureSkin(pack_, name, characters()));
      if (kind == 'm') {
        muscles_.push_back(anatomy::measureMuscle(pack_, name));
        keep(muscles_.back().solid);
      }
      progress->update(static_cast<double>(i + 1));
    }
    progress->end();
  }

  /// The folder asked for, else `characters` beside the anatomy where there is one.
  std::filesystem::path characters() const {
    if (!options_.characters.empty()) return options_.characters;
    const auto beside = std::filesystem::path(options_.folder) / ".." / "characters";
    return std::filesystem::exists(beside / "characters.json") ? beside : std::filesystem::path();
  }

  void keep(const Measurement& m) { groups_[m.group].push_back(m); }

  void writeParts() const {
    for (const auto& [group, list] : groups_) {
      const std::string file = group == "skin"      ? "skin.toml"
                               : group == "muscles" ? "muscle_volumes.toml"
                                                    : "shapes_" + group + ".toml";
      io::writeFile(out_ / file, anatomy::shapesText(list, pack_.attribution()));
    }
    if (!muscles_.empty())
      io::writeFile(out_ / "muscles.csv", anatomy::muscleTable(muscles_, pack_.attribution()));
  }

  void writeTables() const {
    std::vector<Measurement> landmarks;
    if (wanted("landmarks") || wanted("torso")) landmarks = anatomy::measureLandmarks(pack_);
    if (wanted("landmarks"))
      io::writeFile(out_ / "landmarks.toml",
                    anatomy::landmarksText(landmarks, pack_.attribution()));
    if (wanted("torso"))
      io::writeFile(out_ / "torso.toml", anatomy::measureTorso(pack_, landmarks));
    if (wanted("segments")) io::writeFile(out_ / "segments.toml", anatomy::measureSegments(pack_));
  }

  std::string report(ordered_json& j) const {
    std::string text;
    for (const auto& [group, list] : groups_)
      for (const Measurement& m : list) {
        j["parts"].push_back({{"name", m.name},
                              {"volume_cm3", m.volume * 1e6},
                              {"fit_rms_mm", m.fitError * 1e3},
                              {"numbers", numbers(m)}});
        text += fmt::format("{:<28} {:9.2f} cm3   fit {:.2f} mm rms   {:4} numbers\n", m.name,
                            m.volume * 1e6, m.fitError * 1e3, numbers(m));
      }
    return text;
  }

  /// How many numbers describe it.
  static std::size_t numbers(const Measurement& m) {
    std::size_t sum = 0;
    for (const anatomy::ShapePart& p : m.shape.parts)
      sum += p.kind == anatomy::ShapeKind::Sweep ? 8 * p.sections.size() : 12;
    return sum;
  }

  Program& program_;
  const MeasureOptions& options_;
  std::filesystem::path out_;
  anatomy::AnatomyPack pack_;
  std::vector<std::pair<std::string, char>> todo_;  ///< name; b bone, s skin, m muscle
  std::map<std::string, std::vector<Measurement>> groups_;
  std::vector<anatomy::MuscleMeasurement> muscles_;
};

}  // namespace

void addBodyMeasureVerb(Program& program, CLI::App* body) {
  auto options = std::make_shared<MeasureOptions>();
  CLI::App* verb = program.addSubVerb(
      body, "measure", "Measure real anatomical meshes into body text",
      "pneuma body measure ../shared/anatomy --only rib_05_l patella_l --out measured");
  addAnatomyFolder(verb, options->folder);
  verb->add_option("--out", options->out, "Folder for the tables")->required()->type_name("DIR");
  verb->add_option("--characters", options->characters,
                   "Folder of character bodies for the heads; default: characters beside DIR")
      ->type_name("DIR");
  verb->add_option("--only", options->only,
                   "Bones, muscles or groups (spine, ribs, sternum, head, arm, leg, hand, foot, "
                   "skin, muscles, landmarks, torso, segments, attachments, bellies); default: all")
      ->type_name("NAME");
  verb->add_option("--smallest-muscle", options->smallestMuscle, "Muscles below are left out [cm3]")
      ->check(between(0.01, 1000));
  verb->callback([&program, options] { MeasureRun(program, *options).run(); });
}

}  // namespace pneuma::cli
