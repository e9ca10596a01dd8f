#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "pneuma/anatomy/person.h"
#include "pneuma/body/frame_bytes.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/core/version.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/units.h"
#include "studio.h"

namespace pneuma::page {
namespace {

constexpr const char* kDataFolder = "/data";
constexpr const char *kGlbFile = "/pneuma.glb", *kCsvFile = "/pneuma.csv";

constexpr double kFollowInterval = 0.016;  // between volumes of a recording [s]
constexpr double kFollowFade = 1.2;        // from the breath before to a recording [s]
constexpr double kQuietBreath = 0.157;     // of FRC: median breath of a recording without a size

std::string takenFile(const char* path) {
  std::string content = io::readFile(path).valueOrThrow();
  std::filesystem::remove(path);
  return content;
}

/// Bones and soft parts of the session.
const auto castOf = [](auto& s) -> const stage::Cast& { return s.cast(); };

/// What is drawn besides the frame's points, in the order of studio_mesh.
ordered_json partsJson() {
  ordered_json parts = ordered_json::array();
  for (const stage::RigidPart& p : live(castOf).rigid)
    parts.push_back({{"name", p.name},
                     {"layer", p.tissue == body::Tissue::Cartilage ? "cartilage" : "bone"},
                     {"link", p.link}});
  for (const stage::MuscleShape& m : studio().muscles)
    parts.push_back({{"name", m.name}, {"layer", m.tendon ? "tendon" : "muscle"}});
  return parts;
}

void giveMesh(const TriangleMesh& mesh) {
  Studio& s = studio();
  s.numbers.clear();
  s.indices.clear();
  for (const Vec3& p : mesh.positions)
    for (int k = 0; k < 3; ++k) s.numbers.push_back(static_cast<float>(p[k]));
  for (const Triangle& t : mesh.triangles)
    for (const std::int32_t v : t) s.indices.push_back(static_cast<std::uint32_t>(v));
}

}  // namespace

ordered_json madeJson(const body::FrameLayout& layout, const anatomy::Person& person) {
  const anatomy::LungVolumes lungs = anatomy::lungVolumes(person);
  ordered_json j;
  j["layout"] = body::layoutJson(layout);
  j["person"] = {{"sex", person.sex == anatomy::Sex::Female ? "female" : "male"},
                 {"height", person.height},
                 {"mass", person.mass},
                 {"age", person.age},
                 {"frc", lungs.functionalResidual},
                 {"vital", lungs.vital}};
  return j;
}

}  // namespace pneuma::page

using namespace pneuma;
using namespace pneuma::page;

extern "C" {

const char* studio_error() {
  return message().c_str();
}
const char* studio_answer() {
  return studio().answer.c_str();
}
const char* studio_data() {
  return studio().answer.data();
}
std::uint32_t studio_size() {
  return static_cast<std::uint32_t>(studio().answer.size());
}
const float* studio_numbers() {
  return studio().numbers.data();
}
std::uint32_t studio_number_count() {
  return static_cast<std::uint32_t>(studio().numbers.size());
}
const std::uint32_t* studio_indices() {
  return studio().indices.data();
}
std::uint32_t studio_index_count() {
  return static_cast<std::uint32_t>(studio().indices.size());
}

/// Takes a packed body. Answer: what it offers, as JSON.
int studio_open(const char* bytes, std::uint32_t size) {
  return attempt([&] {
    Studio& s = studio();
    stage::BodyPack pack = stage::decodePack({bytes, size});
    anatomy::Body measured = stage::packedBody(pack);
    setDataFolder("");
    std::filesystem::create_directories(std::string(kDataFolder) + "/breath");
    io::writeFile(std::string(kDataFolder) + "/breath/styles.toml", pack.styles);
    setDataFolder(kDataFolder);
    s.session.reset();
    s.act.reset();
    s.pack = std::move(pack);
    s.measured = std::move(measured);
    ordered_json j;
    j["version"] = std::string(pneuma::version());
    j["person"] = io::settingsJson(s.pack.person);
    j["styles"] = stage::sessionStyleNames();
    j["exercises"] = stage::actExerciseNames();
    for (const anatomy::Posture& p : s.measured.postures) j["postures"].push_back(p.name);
    s.answer = j.dump();
  });
}

/// A new session; the one before stays when this one cannot be made. `settings` is one JSON object
/// of the fields of PersonRequest, SessionSettings and SessionBreath; who is not stated is the
/// pack's own person. Answer: layout and person.
int studio_create(const char* settings) {
  return attempt([&] {
    Studio& s = studio();
    stage::PersonRequest who = s.pack.person;
    stage::SessionSettings how;
    stage::SessionBreath breath;
    io::readSettings(parsed(settings), "settings", who, how, breath);
    const anatomy::Person person = stage::personOf(who, s.measured);
    auto made = std::make_unique<stage::Session>(s.measured, who, how, breath,
                                                 stage::packedShapes(s.pack, s.measured, person));
    s.muscles.clear();
    s.act.reset();
    s.session = std::move(made);
    s.recording.reset();
    s.answer = madeJson(s.session->layout(), person).dump();
  });
}

/// Bones and muscles, which a session breathes without. Answer: their list, as JSON.
int studio_parts() {
  return attempt([&] {
    Studio& s = studio();
    live([&](auto& l) {
      s.muscles = stage::packedMuscles(s.pack, s.measured, l.compiled(), l.body().person);
    });
    s.lines = s.act ? stage::nearestLines(s.muscles, act().compiled())
                    : std::vector<std::vector<std::int32_t>>(s.muscles.size());
    s.answer = partsJson().dump();
  });
}

/// The surface of a part: places in the numbers (in its link's frame; of muscles in the body
/// frame), corners in the indices. Of muscles, four links and four weights of each vertex follow
/// the places, and in an acting body the line that each goes with (-1: none).
int studio_mesh(std::uint32_t part) {
  return attempt([&] {
    const std::vector<stage::RigidPart>& bones = live(castOf).rigid;
    if (part < bones.size()) return giveMesh(bones[part].mesh);
    const stage::MuscleShape& m = studio().muscles.at(part - bones.size());
    giveMesh(m.mesh);
    std::vector<float>& numbers = studio().numbers;
    for (const auto& links : m.links)
      for (const std::int32_t l : links) numbers.push_back(static_cast<float>(l));
    for (const auto& weights : m.weights)
      for (const double w : weights) numbers.push_back(static_cast<float>(w));
    for (const std::int32_t line : studio().lines.at(part - bones.size()))
      numbers.push_back(static_cast<float>(line));
  });
}

int studio_set(const char* settings) {
  return attempt([&] {
    stage::SessionBreath breath;
    io::readSettings(parsed(settings), "settings", breath);
    session().set(breath);
    studio().recording.reset();
  });
}
int studio_target(double volume) {
  return attempt([&] {
    session().target(volume);
    studio().recording.reset();
  });
}
int studio_release() {
  return attempt([&] {
    studio().recording.reset();
    session().release();
  });
}
/// A recording (CSV or WAV by its name) that the lungs follow from now on, over and over. Answer:
/// its duration and breaths, as JSON.
int studio_follow(const char* name, const char* bytes, std::uint32_t size) {
  return attempt([&] {
    Studio& s = studio();
    const std::filesystem::path file =
        std::string(kDataFolder) + "/" + std::filesystem::path(name).filename().string();
    io::writeFile(file, {bytes, size});
    const anatomy::LungVolumes lungs = anatomy::lungVolumes(session().body().person);
    const stage::RecordingRead read =
        stage::readRecording(file, {.tidalVolume = kQuietBreath * lungs.functionalResidual,
                                    .lowest = lungs.residual - lungs.functionalResidual,
                                    .highest = lungs.total - lungs.functionalResidual});
    s.recording = read.target;
    s.recordingBegin = session().time();
    const int volume = session().layout().scalarIndex("breath", "lung_volume");
    s.recordingFrom =
        stage::kMillilitre * session().frame().scalars[static_cast<std::size_t>(volume)];
    ordered_json j = stage::signalJson(read.report);
    j["seconds"] = s.recording->duration();
    s.answer = j.dump();
  });
}
int studio_advance(double seconds) {
  return attempt([&] {
    Studio& s = studio();
    if (s.act) return act().advance(seconds);
    if (!s.recording) return session().advance(seconds);
    const double end = session().time() + seconds;
    while (session().time() + kFollowInterval / 2 < end) {
      const double t = session().time() - s.recordingBegin;
      // From where the lungs are, not with a gasp.
      const double part = std::min(1.0, t / kFollowFade), fade = part * part * (3 - 2 * part);
      const double wanted = s.recording->at(std::fmod(t, s.recording->duration()));
      session().target((1 - fade) * s.recordingFrom + fade * wanted);
      session().advance(std::min(kFollowInterval, end - session().time()));
    }
  });
}
/// Answer: the frame's bytes (body/frame_bytes.h).
int studio_frame() {
  return attempt([&] { studio().answer = live([](auto& s) { return s.frameBytes(); }); });
}
/// Answer: the state's hash.
int studio_hash() {
  return attempt([&] { studio().answer = live([](auto& s) { return s.stateHash(); }); });
}
/// Answer: the recorded seconds as an animated GLB.
int studio_glb() {
  return attempt([&] {
    live([](auto& s) { s.exportGlb(kGlbFile); });
    studio().answer = takenFile(kGlbFile);
  });
}
/// Answer: the recorded numbers as CSV.
int studio_csv() {
  return attempt([&] {
    io::writeCsv(kCsvFile, live([](auto& s) { return s.history(); }));
    studio().answer = takenFile(kCsvFile);
  });
}
}
