#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/field_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/stage/population_cluster.h"

namespace pneuma::cli {
namespace {

struct PopulationCommand {
  stage::PopulationRequest request;
  stage::ClusterOptions slurm;
  std::string out, cluster;
  std::optional<std::size_t> unit;
  bool merge = false;

  /// Tells what was submitted, unless the results follow anyway.
  void submit(const Program& program, const stage::PopulationRun& population) const {
    const stage::ClusterJobs jobs = stage::submitPopulation(population, request, out, slurm);
    if (slurm.wait) return;
    const std::string text = jobs.rounds == 0
                                 ? std::string("Nothing to submit: all people are done.\n")
                                 : fmt::format("{} people in job array {}, merged by job {}\n",
                                               jobs.units, jobs.arrayId, jobs.mergeId);
    program.print({{"units", jobs.units},
                   {"array", jobs.arrayId},
                   {"merge", jobs.mergeId},
                   {"rounds", jobs.rounds}},
                  text);
  }

  void run(Program& program) const {
    const auto measured = std::make_shared<const anatomy::Body>(
        anatomy::loadBody(slurm.body.empty() ? anatomy::defaultBodyPath()
                                             : std::filesystem::path(slurm.body))
            .valueOrThrow());
    const stage::PopulationRun population(request, measured, program.commandLine());
    if (unit) {
      population.runUnit(*unit, out);
      program.print({{"unit", *unit}, {"person", population.people()[*unit].name}},
                    fmt::format("{} is done\n", population.people()[*unit].name));
      return;
    }
    if (!cluster.empty() && !merge) {
      submit(program, population);
      if (!slurm.wait) return;
    } else if (!merge) {
      population.runAll(out, *program.makeProgress("people"));
    }
    const nlohmann::ordered_json manifest = population.merge(out);
    std::size_t done = 0;
    for (const auto& p : manifest.at("people")) done += p.at("done").get<bool>() ? 1 : 0;
    program.print(
        {{"people", done},
         {"complete", manifest.at("complete")},
         {"data_hash", manifest.at("data_hash")},
         {"folder", out}},
        fmt::format("{} of {} people done, data {}\nWrote {}/manifest.json\n", done,
                    population.people().size(), manifest.at("data_hash").get<std::string>(), out));
  }
};

}  // namespace

void addPopulationVerb(Program& program) {
  CLI::App* verb =
      program.addVerb("population", "Let many people breathe, to learn from",
                      "pneuma population --people 60 --seed 7 --trials paper --out out/people");
  auto command = std::make_shared<PopulationCommand>();
  addFieldOptions(verb, command->request);
  verb->add_option("--body", command->slurm.body,
                   "Body file (default: the human that comes with Pneuma)")
      ->type_name("FILE");
  verb->add_option("--out", command->out, "Folder; the same command again goes on where it stopped")
      ->type_name("FOLDER")
      ->required();
  verb->add_option("--cluster", command->cluster, "Hand the people to a cluster")
      ->check(oneOf({"slurm"}));
  verb->add_option("--slurm-options", command->slurm.slurmOptions,
                   "Words for sbatch, as \"--partition=long --cpus-per-task=4\"")
      ->type_name("WORDS");
  verb->add_flag("--wait", command->slurm.wait,
                 "Wait for the cluster; people who failed are tried again");
  verb->add_option("--unit", command->unit, "Do one person only, counted from 0 (for job arrays)");
  verb->add_flag("--merge", command->merge, "Only write manifest and tables of what is done");
  verb->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
