#include <fmt/format.h>

#include <memory>

#include "cli/field_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/io/table.h"
#include "pneuma/stage/pose_study.h"

namespace pneuma::cli {
namespace {

struct LearnCommand {
  shape::LearnConfig config;
  stage::PoseRequest poses;
  std::string people, out;

  void run(Program& program) const {
    const shape::PeopleFolder folder(people);
    shape::Learned learned = shape::learnBreath(folder, config, *program.makeProgress("people"));
    const std::vector<stage::PoseErrorLine> posed =
        stage::learnPoses(anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow(), poses,
                          learned, *program.makeProgress("poses"));
    shape::writeBreathModel(out, learned.model);
    nlohmann::ordered_json j = learned.card;
    j["validation"] = learned.validation.toJson();
    j["model"] = out;
    j["bytes"] = std::filesystem::file_size(out);
    std::string text = fmt::format(
        "{} components learned from {} people; errors on the trunk of {} "
        "people who were held out:\n",
        learned.model.components, j["people"].get<std::size_t>(), j["held_out"].get<std::size_t>());
    text += shape::errorTable(learned.errors);
    text += "\n" + shape::trialTable(learned.trials);
    text += "\nBy cross-validation over people:\n" + learned.validation.toCsv() +
            learned.scoreValidation.toCsv();
    if (!posed.empty()) text += "\n" + stage::poseTable(posed);
    program.print(j, text + fmt::format("\nWrote {}\n", out));
  }
};

}  // namespace

void addLearnVerb(Program& program) {
  CLI::App* verb = program.addVerb("learn", "Learn how people's shape follows their breath",
                                   "pneuma learn out/people --out out/model.breath");
  auto command = std::make_shared<LearnCommand>();
  verb->add_option("people", command->people, "Folder of `pneuma population`")
      ->type_name("FOLDER")
      ->required();
  addFieldOptions(verb, command->config);
  addFieldOptions(verb, command->poses);
  verb->add_option("--out", command->out, "The model")
      ->check(outputFile({".breath"}))
      ->type_name("FILE")
      ->required();
  verb->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
