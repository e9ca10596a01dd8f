// `pneuma move` that plays motion instead of simulating it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/regress/cli/run_files.h"
#include "tests/support/example_clip.h"
#include "tests/support/run_pneuma.h"

namespace pneuma::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

class MotionVerb : public RunTest {
 protected:
  MotionVerb() : RunTest({"move"}) {}

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  /// Half a second: the left knee bends by 4 degrees a frame.
  std::string writeClip() const {
    std::vector<std::array<double, 4>> angles;
    for (int i = 0; i < 13; ++i) angles.push_back({4.0 * i, 2.0 * i, 0, 80});
    return write("clip.bvh", clipText(angles));
  }

  json play(const std::string& run, std::vector<std::string> more) const {
    more.push_back("--no-pictures");
    return playWithPictures(run, std::move(more));
  }

  json playWithPictures(const std::string& run, std::vector<std::string> more) const {
    more.push_back("--json");
    const ProgramResult result = runPneuma(command(run, std::move(more)));
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.exitCode == 0 ? json::parse(result.out) : json();
  }

  void expectFiles(const std::string& run, const std::vector<std::string>& names) const {
    for (const std::string& name : names)
      EXPECT_GT(contentOf(folder_ / run / name).size(), 100u) << name;
  }
};

TEST_F(MotionVerb, PlaysAClipAndSaysHowWell) {
  const json j = playWithPictures("run", {"--motion", writeClip(), "--inverse-dynamics"});
  EXPECT_EQ(j["frames"], 13);
  EXPECT_EQ(j["mapped"].size(), 13u);  // 12 places of the limbs and the head
  EXPECT_LT(j["mean_joint_error_mm"], 25);
  EXPECT_GT(j["peak_ground_force_body_weights"], 0.5);
  expectFiles("run", {"joints.csv", "residuals.csv", "torques.csv", "torques.png", "still.png",
                      "motion.glb", "report.html", "run.toml"});
}

TEST_F(MotionVerb, ATableMapsAClipWithNamesOfItsOwn) {
  std::string text = contentOf(writeClip());
  text = std::regex_replace(text, std::regex("Left(Up)?Leg"), "lg$1");
  const std::string clip = write("own.bvh", text);
  const ProgramResult lost = runPneuma(command("run", {"--motion", clip}));
  EXPECT_EQ(lost.exitCode, 2);
  EXPECT_THAT(lost.err, HasSubstr("knee_l"));
  const std::string table = write("table.txt", "# role = joint\nhip_l = lgUp\nknee_l = lg\n");
  const json j = play("run", {"--motion", clip, "--joint-table", table, "--no-scene",  //
                              "--seconds", "0.2"});
  EXPECT_EQ(j["frames"], 6);
  const std::string wrong = write("wrong.txt", "knie_l = lg\n");
  const ProgramResult bad = runPneuma(command("run", {"--motion", clip, "--joint-table", wrong}));
  EXPECT_EQ(bad.exitCode, 2);
  EXPECT_THAT(bad.err, HasSubstr("wrong.txt:1: unknown role 'knie_l'"));
}

TEST_F(MotionVerb, KeyPosesBecomeAFilm) {
  const std::string poses = write("poses.csv", "time,r_elbow_flexion\n0,0\n0.08,90\n");
  const json j = play("run", {"--poses", poses, "--film", "--no-scene"});
  EXPECT_EQ(j["frames"], 4);
  expectFiles("run", {"motion.mp4", "joints.csv"});
}

TEST_F(MotionVerb, APoseOutOfRangeIsBadInput) {
  const ProgramResult far = runPneuma(command("run", {"--joint", "r_elbow_flexion=170"}));
  EXPECT_EQ(far.exitCode, 2);
  EXPECT_THAT(far.err, HasSubstr("r_elbow_flexion"));
  const ProgramResult unknown = runPneuma(command("run", {"--joint", "r_elbow_flexon=20"}));
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_THAT(unknown.err, HasSubstr("r_elbow_flexion"));
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(MotionVerb, TheWholeBodyHoldsAPostureAndAnUnknownOneNamesTheNearest) {
  const json j =
      play("run", {"--articulation", "whole", "--posture", "upright", "--no-scene", "--fps", "1"});
  EXPECT_EQ(j["articulation"], "whole");
  const ProgramResult wrong = runPneuma(command("wrong", {"--posture", "suppine"}));
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'supine'"));
  const ProgramResult twice =
      runPneuma(command("wrong", {"--posture", "supine", "--joint", "r_elbow=20"}));
  EXPECT_EQ(twice.exitCode, 2);
}

TEST_F(MotionVerb, AJointMayBeNamedByItsSideFirst) {
  play("run", {"--joint", "r_elbow=100deg", "--no-scene", "--fps", "1"});
  const ProgramResult wrong = runPneuma(command("wrong", {"--joint", "r_elbwo=100"}));
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'r_elbow'"));
}

}  // namespace
}  // namespace pneuma::test
