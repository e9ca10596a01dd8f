#include "pneuma/stage/film_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "pneuma/stage/studio_runs.h"
#include "tests/support/human.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::stage {
namespace {

const anatomy::Body& measured() {
  return *test::humanBody();
}

/// What is said of an order that cannot be taken; "" when it can.
std::string refused(const char* json) {
  try {
    readFilmOrder(json, measured());
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(FilmOrder, IsReadByTheNamesThatAPageHas) {
  const FilmOrder live = readFilmOrder(
      R"({"verb": "live", "sex": "female", "height": 1.62, "posture": "supine", "style": "deep",
          "rate": 9, "seconds": 4, "flesh": "preview"})",
      measured());
  EXPECT_EQ(live.person.sex, "female");
  EXPECT_EQ(live.person.height, 1.62);
  EXPECT_EQ(live.posture, "supine");
  EXPECT_EQ(live.breath.style, "deep");
  EXPECT_EQ(live.breath.rate, 9);
  EXPECT_EQ(live.seconds, 4);
  EXPECT_EQ(live.flesh, "preview");
  EXPECT_TRUE(live.film);
  const FilmOrder act = readFilmOrder(
      R"({"verb": "act", "exercise": "curl", "weight_r": 6, "coactivation": "arms=0.3"})",
      measured());
  EXPECT_EQ(act.task.weightRight, 6);
  EXPECT_EQ(act.task.coactivation, "arms=0.3");
}

TEST(FilmOrder, SaysWhatCannotBeHad) {
  struct Case {
    const char *json, *said;
  };
  for (const Case& c : std::vector<Case>{
           {"", "not a JSON object"},
           {"[]", "not a JSON object"},
           {R"({"stlye": "deep"})", "did you mean 'style'"},
           {R"({"style": "depe"})", "did you mean 'deep'"},
           {R"({"style": "/etc/passwd"})", "style"},
           {R"({"motion": "/etc/passwd"})", "no such setting"},
           {R"({"verb": "fit"})", "verb"},
           {R"({"seconds": 4000})", "seconds"},
           {R"({"seconds": "long"})", "seconds"},
           {R"({"flesh": "fine"})", "flesh"},
           {R"({"posture": "supin"})", "did you mean 'supine'"},
           {R"({"height": 3})", "height"},
           {R"({"drive_diaphragm": 0.5})", "drive_diaphragm"},
           {R"({"chest_share": 0.5})", "chest_share"},
           {R"({"verb": "act", "exercise": "none"})", "exercise"},
           {R"({"verb": "act", "coactivation": "ears=1"})", "ears"},
       })
    EXPECT_NE(refused(c.json).find(c.said), std::string::npos) << c.json << ": " << refused(c.json);
}

/// Notes what was done, and stops at a task.
struct Watch final : Progress {
  explicit Watch(std::string where = "") : stopAt(std::move(where)) {}
  void begin(const std::string& title, double) override { tasks.push_back(title); }
  void update(double) override {
    if (tasks.back() == stopAt) throw 1;
  }
  void end() override {}
  std::string stopAt;
  std::vector<std::string> tasks;
};

TEST(FilmOrder, BecomesARunThatTheStudioLists) {
  const test::ScratchFolder scratch;
  Watch watch;
  fillOrder(readFilmOrder(R"({"verb": "act", "seconds": 0.1, "film": false})", measured()),
            measured(), scratch.path() / "curl", watch);
  EXPECT_EQ(watch.tasks.front(), "acting");
  const std::vector<StudioRun> runs = findRuns(scratch.path());
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].name, "curl");
}

TEST(FilmOrder, FleshIsSolvedUnderTheSkin) {
  const test::ScratchFolder scratch;
  Watch watch;
  fillOrder(readFilmOrder(R"({"style": "deep", "seconds": 0.1, "flesh": "preview", "film": false})",
                          measured()),
            measured(), scratch.path() / "flesh", watch);
  ASSERT_EQ(findRuns(scratch.path()).size(), 1u);
  const auto summary =
      nlohmann::json::parse(io::readFile(scratch.path() / "flesh" / "summary.json").valueOrThrow());
  ASSERT_TRUE(summary.contains("flesh_volume_pct")) << summary.dump();
  EXPECT_LT(std::abs(summary["flesh_volume_pct"].get<double>()), 2);  // nearly incompressible
}

TEST(FilmOrder, StopsWhereProgressThrows) {
  const test::ScratchFolder scratch;
  Watch watch("living");
  EXPECT_THROW(
      fillOrder(readFilmOrder(R"({"style": "deep", "seconds": 1, "film": false})", measured()),
                measured(), scratch.path() / "deep", watch),
      int);
  EXPECT_TRUE(findRuns(scratch.path()).empty());
}

}  // namespace
}  // namespace pneuma::stage
