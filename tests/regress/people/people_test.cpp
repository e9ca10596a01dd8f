#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "pneuma/core/random.h"
#include "pneuma/io/file.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/shape/people_files.h"
#include "pneuma/shape/runtime/breath_shape.h"
#include "tests/support/run_program.h"
#include "tests/support/scratch_folder.h"

/// Two people from population to performance, through the program.
namespace pneuma {
namespace {

namespace fs = std::filesystem;
using test::ProgramResult;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

Words populationWords(const fs::path& folder, const Words& more = {}) {
  Words words{"population", "--people", "2",      "--trials", "short", "--frames",     "6",
              "--held-out", "0",        "--json", "--quiet",  "--out", folder.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ProgramResult pneuma(const Words& words) {
  return test::runProgram(PNEUMA_PROGRAM, words);
}

/// One population and one model serve all tests of the program.
class People : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    root_ = fs::temp_directory_path() / ("pneuma_people_" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
    const ProgramResult made = pneuma(populationWords(root_ / "people"));
    ASSERT_EQ(made.exitCode, 0) << made.err;
    whole_ = nlohmann::json::parse(made.out);
    const ProgramResult learned =
        pneuma({"learn", (root_ / "people").string(), "--out", (root_ / "model.breath").string(),
                "--poses", "0", "--quiet"});
    ASSERT_EQ(learned.exitCode, 0) << learned.err;
  }
  static void TearDownTestSuite() { fs::remove_all(root_); }

  static std::string model() { return (root_ / "model.breath").string(); }

  static inline fs::path root_;
  static inline nlohmann::json whole_;
};

TEST_F(People, AKilledPopulationEndsWithTheSameBits) {
  const fs::path folder = root_ / "killed";
  const auto files = [&] {
    std::error_code gone;  // a file that is renamed while it is counted
    std::size_t count = 0;
    for (fs::recursive_directory_iterator f(folder, gone), end; !gone && f != end;
         f.increment(gone))
      ++count;
    return count;
  };
  // Any moment: so many files later, finished or not.
  Random random(18);
  const std::size_t wanted = files() + 2 + random.next() % 4;
  test::killProgramWhen(PNEUMA_PROGRAM, populationWords(folder, {"--threads", "1"}),
                        [&] { return files() >= wanted; });
  EXPECT_FALSE(fs::exists(folder / "people/p0001/person.json"));
  // What is left goes unit by unit, as a job array would.
  for (const char* unit : {"1", "0"}) {
    const ProgramResult done = pneuma(populationWords(folder, {"--unit", unit}));
    ASSERT_EQ(done.exitCode, 0) << done.err;
  }
  const ProgramResult merged = pneuma(populationWords(folder, {"--merge"}));
  ASSERT_EQ(merged.exitCode, 0) << merged.err;
  const nlohmann::json j = nlohmann::json::parse(merged.out);
  EXPECT_TRUE(j.at("complete").get<bool>());
  EXPECT_EQ(j.at("data_hash"), whole_.at("data_hash"));
}

TEST_F(People, TheSameCommandAgainHasNothingToDo) {
  const auto before = fs::last_write_time(root_ / "people/people/p0002/person.json");
  const ProgramResult again = pneuma(populationWords(root_ / "people"));
  ASSERT_EQ(again.exitCode, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out), whole_);
  EXPECT_EQ(fs::last_write_time(root_ / "people/people/p0002/person.json"), before);
}

TEST_F(People, OtherSettingsInTheSameFolderAreRefusedByName) {
  const ProgramResult other = pneuma(populationWords(root_ / "people", {"--seed", "8"}));
  EXPECT_EQ(other.exitCode, 2);
  EXPECT_THAT(other.err, HasSubstr("seed"));
}

TEST_F(People, SkinsFollowTheLungsWithinTheirVolume) {
  const shape::PeopleFolder folder(root_ / "people");
  ASSERT_EQ(folder.people().size(), 2u);
  const shape::PersonData person = folder.read(0);
  const auto& triangles = folder.templateMesh().triangles;
  const double rest = enclosedVolume(person.rest, triangles);
  for (const shape::PersonTrial& t : person.trials)
    for (std::size_t i = 0; i < t.frames.size(); ++i) {
      const double gained = enclosedVolume(t.frames[i], triangles) - rest;
      EXPECT_NEAR(gained, t.samples[i].lungVolume, 5e-6) << t.name << " " << i;  // 32-bit skins
    }
}

TEST_F(People, AnUnfinishedPopulationIsNotLearnedFrom) {
  const fs::path folder = root_ / "begun";
  ASSERT_EQ(pneuma(populationWords(folder, {"--merge"})).exitCode, 0);
  const ProgramResult learned =
      pneuma({"learn", folder.string(), "--out", (root_ / "no.breath").string()});
  EXPECT_EQ(learned.exitCode, 2);
  EXPECT_THAT(learned.err, HasSubstr("missing p0001, p0002"));
  EXPECT_EQ(pneuma({"learn", (root_ / "nowhere").string(), "--out", model()}).exitCode, 2);
}

TEST_F(People, KeyframesArePerformedWithTheirVolume) {
  const fs::path keys = root_ / "keys.csv";
  std::ofstream(keys)
      << "time [s],volume [mL],type\n0,0,0.2\n1.5,900,0.8\n2.5,900,0.8\n4,-300,0.5\n";
  const ProgramResult done =
      pneuma({"perform", "--model", model(), "--keys", keys.string(), "--sex", "female", "--out",
              (root_ / "performed").string(), "--no-film", "--json"});
  ASSERT_EQ(done.exitCode, 0) << done.err;
  const nlohmann::json j = nlohmann::json::parse(done.out);
  EXPECT_EQ(j.at("frames"), 121);  // 4 s at 30 a second, and the end
  EXPECT_LT(j.at("volume_error_pct").get<double>(), 1);
  EXPECT_GT(fs::file_size(root_ / "performed/perform.glb"), 100000u);
  EXPECT_TRUE(io::readMeshes(root_ / "performed/perform.glb").ok());
}

/// A recording of a spirometer: quiet breaths, then all the air out.
void writeRecording(const fs::path& file) {
  std::ofstream out(file);
  out << "time [s],volume [L]\n";
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.1 * k;
    const double volume = t < 6 ? 0.25 * (1 - std::cos(2 * kPi * t / 3))
                                : -0.5 * (1 - std::cos(2 * kPi * std::min(t - 6, 1.5) / 3));
    out << t << "," << volume << "\n";
  }
}

TEST_F(People, ASpirometerIsActedBesideTheSimulatedTorso) {
  writeRecording(root_ / "flow.csv");
  const ProgramResult done =
      pneuma({"perform", "--model", model(), "--volume", (root_ / "flow.csv").string(), "--kind",
              "volume", "--calibrated", "--detrend", "0", "--fps", "5", "--beside", "--out",
              (root_ / "beside").string(), "--no-film", "--json"});
  ASSERT_EQ(done.exitCode, 0) << done.err;
  const nlohmann::json j = nlohmann::json::parse(done.out);
  EXPECT_LT(j.at("volume_error_pct").get<double>(), 5);
  const double apart = j.at("difference_rms_mm"), breath = j.at("breath_rms_mm");
  EXPECT_GT(breath, 1);
  EXPECT_LT(apart, 0.6 * breath);  // two people taught it
  EXPECT_THAT(io::readFile(root_ / "beside/perform.csv").valueOrThrow(),
              HasSubstr("difference [mm]"));
}

TEST_F(People, AForcedExhaleKeepsItsVolume) {
  const ProgramResult done =
      pneuma({"perform", "--model", model(), "--style", "forced-exhale", "--effort", "1.7", "--out",
              (root_ / "forced").string(), "--no-film", "--json"});
  ASSERT_EQ(done.exitCode, 0) << done.err;
  EXPECT_LT(nlohmann::json::parse(done.out).at("volume_error_pct").get<double>(), 5);
}

TEST_F(People, ABreathInAPoseHasArmatureAndTwoAnimations) {
  const fs::path out = root_ / "sitting";
  const ProgramResult done =
      pneuma({"perform", "--model", model(), "--sine", "--posture", "sitting", "--seconds", "4",
              "--fps", "5", "--pose-intensity", "1.5", "--no-film", "--out", out.string()});
  ASSERT_EQ(done.exitCode, 0) << done.err;
  const std::string glb = io::readFile(out / "perform.glb").valueOrThrow();
  for (const char* word : {"JOINTS_0", "\"motion\"", "\"breath\"", "breath_1"})
    EXPECT_THAT(glb.substr(0, 200000), HasSubstr(word));
  const ProgramResult both =
      pneuma({"perform", "--model", model(), "--sine", "--posture", "sitting", "--joint",
              "l_elbow_flexion=90", "--no-film", "--out", out.string()});
  EXPECT_EQ(both.exitCode, 2);
  EXPECT_THAT(both.err, HasSubstr("--posture"));
}

TEST_F(People, AScanTellsTheVolumeThatWasBreathedIn) {
  const shape::PeopleFolder folder(root_ / "people");
  const shape::PersonData person = folder.read(0);
  const auto& triangles = folder.templateMesh().triangles;
  io::writeMesh(root_ / "rest.obj", {person.rest, triangles});
  const shape::PersonTrial& deep = person.trials.at(1);
  const auto full = std::ranges::max_element(deep.samples, {}, &shape::BreathSample::lungVolume);
  std::vector<Vec3> skin = deep.frames[static_cast<std::size_t>(full - deep.samples.begin())];
  for (Vec3& p : skin) p += Vec3(0.3, 0.1, -0.2);  // stands elsewhere
  io::writeMesh(root_ / "scan.ply", {skin, triangles});
  const ProgramResult done =
      pneuma({"perform", "--model", model(), "--skin", (root_ / "rest.obj").string(), "--scan",
              (root_ / "scan.ply").string(), "--out", (root_ / "scanned").string(), "--json"});
  ASSERT_EQ(done.exitCode, 0) << done.err;
  const nlohmann::json j = nlohmann::json::parse(done.out);
  EXPECT_LT(j.at("trunk_rms_mm").get<double>(), 1.5);  // of 17 by breath; two people taught it
  const double truth = full->lungVolume * 1e6;
  EXPECT_NEAR(j.at("gained_ml").get<double>(), truth, 0.05 * truth);
  EXPECT_EQ(io::readMesh(root_ / "scanned/registered.obj").positions.size(), skin.size());
  for (Vec3& p : skin) p *= 1000;
  io::writeMesh(root_ / "millimetres.ply", {skin, triangles});
  const ProgramResult other =
      pneuma({"perform", "--model", model(), "--scan", (root_ / "millimetres.ply").string()});
  EXPECT_EQ(other.exitCode, 2);
  EXPECT_THAT(other.err, HasSubstr("high"));
}

TEST_F(People, TwoDriversAtOnceAreRefused) {
  const ProgramResult both = pneuma({"perform", "--model", model(), "--sine", "--keys", "x.csv",
                                     "--no-film", "--out", (root_ / "both").string()});
  EXPECT_EQ(both.exitCode, 2);
  EXPECT_THAT(both.err, HasSubstr("--sine"));
}

TEST_F(People, ABakedPersonIsSmallAndBreathes) {
  const fs::path file = root_ / "person.breathshape";
  ASSERT_EQ(pneuma({"perform", "--model", model(), "--bake", file.string()}).exitCode, 0);
  const std::string bytes = io::readFile(file).valueOrThrow();
  EXPECT_LT(bytes.size(), 1000000u);
  BreathShape person;
  ASSERT_EQ(breath_shape_open(&person, bytes.data(), bytes.size()), BREATH_SHAPE_OK);
  std::vector<float> x(3 * person.head.vertices);
  float weights[BREATH_SHAPE_MOST_COMPONENTS];
  const BreathShapeState state{1.0f, 0.0f, 0.5f, 1.0f};
  breath_shape_weights(&person, &state, weights);
  breath_shape_apply(&person, weights, x.data());
  float most = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    most = std::max(most, std::abs(x[i] - breath_shape_float(person.rest, i)));
  EXPECT_GT(most, 0.003f);  // [m]
  EXPECT_LT(most, 0.05f);
}

TEST_F(People, ABrokenModelIsRefusedByName) {
  const fs::path broken = root_ / "broken.breath";
  std::ofstream(broken) << "not a model";
  const ProgramResult done = pneuma({"perform", "--model", broken.string(), "--no-film"});
  EXPECT_EQ(done.exitCode, 2);
  EXPECT_THAT(done.err, HasSubstr("broken.breath"));
}

}  // namespace
}  // namespace pneuma
