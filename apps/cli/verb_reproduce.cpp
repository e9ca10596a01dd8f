#include "cli/field_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "reproduce/dobsik/dobsik.h"
#include "reproduce/lee2009/lee2009.h"
#include "reproduce/nedel2000/nedel2000.h"
#include "reproduce/physiology/physiology.h"
#include "reproduce/tsoli2014/tsoli2014.h"
#include "reproduce/zordan2005/zordan2005.h"

namespace pneuma::cli {
namespace {

using reproduce::Context;
using reproduce::Outcome;

/// What every reproduction asks for, and the paper's own options.
struct ReproduceOptions {
  std::string out, muscles;
  bool resume = false, quick = false;
  PersonOptions person;

  Context context(const Program& program) const {
    return {
        .out = out,
        .resume = resume,
        .command = program.commandLine(),
        .makeProgress = [&program](const std::string& unit) { return program.makeProgress(unit); }};
  }
};

/// A sub-verb with its folder; `run` does the work.
CLI::App* addPaper(Program& program, CLI::App* reproduce, const std::string& paper,
                   const std::string& summary, const std::string& example,
                   const std::shared_ptr<ReproduceOptions>& o,
                   const std::function<Outcome(const Context&)>& run) {
  CLI::App* verb = program.addSubVerb(reproduce, paper, summary, example);
  o->out = "out/" + paper;
  verb->add_option("--out", o->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->callback([&program, o, run] {
    const Outcome outcome = run(o->context(program));
    program.print(outcome.numbers, outcome.text);
  });
  return verb;
}

void addResume(CLI::App* verb, ReproduceOptions& o) {
  verb->add_flag("--resume", o.resume, "Go on with a run that was stopped");
}

void addDobsik(Program& program, CLI::App* reproduce) {
  auto o = std::make_shared<ReproduceOptions>();
  CLI::App* verb = addPaper(program, reproduce, "dobsik",
                            "Dobsik & Frydrych: hanging brick, active muscle, integrators",
                            "pneuma reproduce dobsik --quick", o,
                            [o](const Context& c) { return reproduce::dobsik::run(c, o->quick); });
  verb->add_flag("--quick", o->quick, "Coarser grids, one resolution for the integrators, no film");
  addResume(verb, *o);
}

void addZordan2005(Program& program, CLI::App* reproduce) {
  auto o = std::make_shared<ReproduceOptions>();
  addResume(addPaper(program, reproduce, "zordan2005",
                     "The breathing torso: figures 2, 4, 6-9 and tables",
                     "pneuma reproduce zordan2005 --out out/zordan2005", o,
                     [](const Context& c) { return reproduce::zordan2005::run(c); }),
            *o);
}

void addLee2009(Program& program, CLI::App* reproduce) {
  auto o = std::make_shared<ReproduceOptions>();
  CLI::App* verb = addPaper(program, reproduce, "lee2009",
                            "The upper body by its muscles: figures 1, 14-17, dance, outlook",
                            "pneuma reproduce lee2009 --quick", o,
                            [o](const Context& c) { return reproduce::lee2009::run(c, o->quick); });
  verb->add_flag("--quick", o->quick, "Shorter motions, fewer trials, no film");
}

void addNedel2000(Program& program, CLI::App* reproduce) {
  auto o = std::make_shared<ReproduceOptions>();
  CLI::App* verb = addPaper(
      program, reproduce, "nedel2000", "Resampling, bellies and skin of the layered figure",
      "pneuma reproduce nedel2000 --out out/nedel2000", o, [o](const Context& c) {
        const anatomy::Body measured = o->person.loadAsMeasured();
        return reproduce::nedel2000::run(c, measured, o->person.person(measured), o->muscles);
      });
  verb->add_option("--anatomy", o->muscles,
                   "Folder with measured muscles (muscles/*.ply), for Fig. 6")
      ->type_name("FOLDER");
  o->person.addTo(verb);
}

void addTsoli2014(Program& program, CLI::App* reproduce) {
  auto o = std::make_shared<ReproduceOptions>();
  auto options = std::make_shared<reproduce::tsoli2014::Options>();
  CLI::App* verb = addPaper(
      program, reproduce, "tsoli2014",
      "Learned breath: the paper's figures, errors on people, styles and poses held out",
      "pneuma reproduce tsoli2014 --people-folder out/people --out out/tsoli2014", o,
      [o, options](const Context& c) {
        const auto measured = std::make_shared<const anatomy::Body>(o->person.loadAsMeasured());
        return reproduce::tsoli2014::run(c, measured, *options);
      });
  addFieldOptions(verb, options->population);
  addFieldOptions(verb, options->poses);
  verb->add_option("--people-folder", options->people,
                   "Population of `pneuma population` with the same settings; made when missing")
      ->type_name("FOLDER");
  verb->add_option("--characters", options->characters, "Folder of bodies to register")
      ->type_name("FOLDER");
  verb->add_option("--recording", options->recordings,
                   "A recording of breath to act; may be repeated")
      ->type_name("FILE");
  verb->add_flag_callback(
      "--no-film", [options] { options->film = false; }, "Leave the film out");
  addResume(verb, *o);
}

}  // namespace

void addReproduceVerb(Program& program) {
  CLI::App* reproduce = program.addVerb(
      "reproduce", "Run a paper's own experiments and put its numbers beside ours", "");
  reproduce->require_subcommand(1);
  addDobsik(program, reproduce);
  addZordan2005(program, reproduce);
  addNedel2000(program, reproduce);
  addTsoli2014(program, reproduce);
  addLee2009(program, reproduce);
  addPaper(program, reproduce, "physiology",
           "The breathing body against figures of people: a table, inside or outside",
           "pneuma reproduce physiology --out out/physiology", std::make_shared<ReproduceOptions>(),
           [](const Context& c) { return reproduce::physiology::run(c); });
}

}  // namespace pneuma::cli
