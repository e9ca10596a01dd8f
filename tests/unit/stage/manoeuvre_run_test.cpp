#include "pneuma/stage/manoeuvre_run.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/error.h"
#include "pneuma/stage/breath_request.h"

namespace pneuma::stage {
namespace {

breath::TorsoModel trunk(const anatomy::Person& person, const BreathRequest& request = {}) {
  static const auto body = std::make_shared<const anatomy::Body>(
      anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow());
  return trunkOf(resolve(request, body, person));
}

const breath::TorsoModel& man() {
  static const breath::TorsoModel model = trunk({});
  return model;
}

TEST(ManoeuvreRun, EveryNameGivesFiniteFiguresATableAndWords) {
  for (const std::string& name : manoeuvreNames()) {
    const ManoeuvreRun run = runManoeuvre(name, man());
    EXPECT_FALSE(run.figures.empty()) << name;
    EXPECT_GT(run.table.rowCount(), 10u) << name;
    const std::string text = manoeuvreText(run);
    const nlohmann::ordered_json j = manoeuvreJson(run);
    for (const ManoeuvreFigure& f : run.figures) {
      EXPECT_TRUE(std::isfinite(f.value)) << f.id;
      EXPECT_THAT(text, testing::HasSubstr(f.text));
      if (f.people) {
        EXPECT_EQ(j["figures"][f.id]["inside"], f.people->holds(f.value)) << f.id;
      }
    }
    for (const io::TableColumn& c : run.table.columns())
      for (const double v : c.values) ASSERT_TRUE(std::isfinite(v)) << name << ' ' << c.name;
  }
}

TEST(ManoeuvreRun, SlowAndForcedExpirationMoveTheVolumesTheirTablesShow) {
  const ManoeuvreRun slow = runManoeuvre("vital-capacity", man());
  const auto& gas = slow.table.column("lung_volume").values;
  const auto [least, most] = std::minmax_element(gas.begin(), gas.end());
  EXPECT_NEAR(slow.value("vital_capacity"), *most - *least, 0.02);
  EXPECT_NEAR(slow.value("vital_capacity"),
              slow.value("inspiratory_capacity") + slow.value("expiratory_reserve"), 1e-9);
  const ManoeuvreRun forced = runManoeuvre("forced", man());
  const auto& flow = forced.table.column("flow_out").values;
  EXPECT_DOUBLE_EQ(forced.value("peak_flow"), *std::max_element(flow.begin(), flow.end()));
  EXPECT_DOUBLE_EQ(forced.value("fvc"), forced.table.column("volume_out").values.back());
  EXPECT_LT(forced.value("fev1"), forced.value("fvc"));
  EXPECT_LE(forced.value("fvc"), slow.value("vital_capacity") * 1.01);  // airways close earlier
}

TEST(ManoeuvreRun, RelaxedLungAndWallAddUpToTheSystem) {
  const ManoeuvreRun run = runManoeuvre("relaxation", man());
  const auto& both = run.table.column("system_recoil").values;
  const auto& volume = run.table.column("lung_volume").values;
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_NEAR(
        both[i],
        run.table.column("lung_recoil").values[i] + run.table.column("wall_recoil").values[i],
        1e-9);
    if (i > 0) {
      EXPECT_GT(volume[i], volume[i - 1]);
    }
    if (both[i] == 0) {
      EXPECT_NEAR(volume[i], 1e3 * run.lungs.rest, 1e-3);
    }
  }
}

TEST(ManoeuvreRun, PressuresPointInAndOutAndAreWeakerInASmallWoman) {
  anatomy::Person woman;
  woman.sex = anatomy::Sex::Female;
  woman.height = 1.55;
  woman.mass = 50;
  const breath::TorsoModel her = trunk(woman);
  const double in = runManoeuvre("mip", man()).value("mip"),
               out = runManoeuvre("mep", man()).value("mep");
  EXPECT_LT(in, 0);
  EXPECT_GT(out, 0);
  EXPECT_GT(runManoeuvre("mip", her).value("mip"), in);
  EXPECT_LT(runManoeuvre("mep", her).value("mep"), out);
}

TEST(ManoeuvreRun, LyingOnlyRangesOfLyingPeopleStandBesideTheFigures) {
  const ManoeuvreRun run = runManoeuvre("relaxation", trunk({}, {.posture = "supine"}));
  for (const ManoeuvreFigure& f : run.figures) {
    const bool measured = f.id == "rib_cage_compliance" || f.id == "abdomen_compliance";
    ASSERT_EQ(f.people.has_value(), measured) << f.id;
    if (measured) {
      EXPECT_EQ(f.people->id, "supine_" + f.id);
    }
  }
  EXPECT_THAT(manoeuvreText(run), testing::HasSubstr("lying on the back"));
}

/// Her smaller lungs are no fault; how far she fills them is judged by her own prediction.
TEST(ManoeuvreRun, RangesOfTheManDoNotJudgeAnotherPerson) {
  anatomy::Person woman;
  woman.sex = anatomy::Sex::Female;
  woman.height = 1.63;
  woman.mass = 60;
  const ManoeuvreRun run = runManoeuvre("vital-capacity", trunk(woman));
  const nlohmann::ordered_json j = manoeuvreJson(run);
  for (const ManoeuvreFigure& f : run.figures) {
    EXPECT_EQ(f.inside.has_value(), f.people && f.people->relative) << f.id;
    EXPECT_EQ(j["figures"][f.id].contains("inside"), f.inside.has_value()) << f.id;
  }
  EXPECT_TRUE(j["figures"]["dome_deep"].contains("people"));
  EXPECT_TRUE(j["figures"]["tlc_reached"].contains("inside"));
}

TEST(ManoeuvreRun, TheStepThatIsAskedForIsTaken) {
  const ManoeuvreRun coarse = runManoeuvre("forced", man()),
                     fine = runManoeuvre("forced", trunk({}, {.step = 0.002}));
  EXPECT_NEAR(static_cast<double>(fine.table.rowCount()),
              2.0 * static_cast<double>(coarse.table.rowCount()), 2);
}

TEST(ManoeuvreRun, UnknownNamesAndATrunkWithoutLungsAreBadInput) {
  try {
    runManoeuvre("relaxasion", man());
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().front().nearest, "relaxation");
  }
  EXPECT_THROW(runManoeuvre("forced", trunk({}, {.preset = "zordan2005"})), InputError);
}

}  // namespace
}  // namespace pneuma::stage
