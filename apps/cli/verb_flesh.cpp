#include "cli/field_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/stage/flesh_record.h"
#include "pneuma/stage/flesh_request.h"

namespace pneuma::cli {
namespace {

struct FleshInfo {
  PersonOptions person;
  stage::FleshRequest request{.on = true};
  bool muscles = false;

  void run(const Program& program) const {
    const anatomy::Body measured = person.loadAsMeasured();
    const auto fitted =
        std::make_shared<anatomy::Body>(anatomy::fitToPerson(measured, person.person(measured)));
    const body::LivingModel model = body::makeLivingModel(fitted);
    const auto flesh = body::makeFlesh(model, measured, model.compiled, request.options(),
                                       anatomy::GeometryCache());
    program.print(stage::fleshInfoJson(*flesh, muscles), stage::fleshInfoText(*flesh, muscles));
  }
};

}  // namespace

void addFleshVerb(Program& program) {
  CLI::App* verb = program.addVerb("flesh", "The finite elements between bones and skin",
                                   "pneuma flesh info --flesh-level preview");
  verb->require_subcommand(1);
  CLI::App* info = program.addSubVerb(verb, "info", "Elements, tissues, muscles and memory",
                                      "pneuma flesh info --flesh-level preview --muscles");
  auto command = std::make_shared<FleshInfo>();
  stage::FleshRequest& r = command->request;
  info->add_option("--flesh-level", r.level, "preview, default or fine")->capture_default_str();
  info->add_option("--flesh-tissue", r.tissue, "human or lee2009")->capture_default_str();
  info->add_flag("--muscles", command->muscles, "The volume of every muscle");
  command->person.addTo(info);
  info->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
