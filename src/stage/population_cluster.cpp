#include "pneuma/stage/population_cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "pneuma/io/atomic_file.h"
#include "render/process.h"

namespace pneuma::stage {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTasks = 1000;  // of an array: Slurm's own default limit is 1001
constexpr int kRounds = 3;

/// The options that make the same population again.
std::string populationCommand(const PopulationRequest& r, const fs::path& folder,
                              const ClusterOptions& options) {
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe").string(),
                                 "population",
                                 "--people",
                                 fmt::format("{}", r.people),
                                 "--seed",
                                 fmt::format("{}", r.seed),
                                 "--trials",
                                 r.trials,
                                 "--frames",
                                 fmt::format("{}", r.frames),
                                 "--held-out",
                                 fmt::format("{}", r.heldOut),
                                 "--out",
                                 folder.string(),
                                 "--quiet"};
  if (!options.body.empty()) {
    words.push_back("--body");
    words.push_back(fs::absolute(options.body).string());
  }
  std::string line;
  for (const std::string& w : words) line += shellQuoted(w) + " ";
  return line;
}

std::vector<std::size_t> missingUnits(const PopulationRun& run, const fs::path& folder) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < run.people().size(); ++i)
    if (!fs::exists(folder / "people" / run.people()[i].name / "person.json")) list.push_back(i);
  return list;
}

/// One line for each task: the units it does, one after the other.
std::string taskLines(const std::vector<std::size_t>& units) {
  const std::size_t tasks = std::min(kMostTasks, units.size());
  std::string text;
  for (std::size_t t = 0; t < tasks; ++t) {
    std::vector<std::size_t> own;
    for (std::size_t i = t; i < units.size(); i += tasks) own.push_back(units[i]);
    text += fmt::format("{}\n", fmt::join(own, " "));
  }
  return text;
}

void writeScripts(const fs::path& folder, const std::string& command,
                  const std::vector<std::size_t>& units) {
  const fs::path place = folder / "slurm";
  io::writeFile(place / "units.txt", taskLines(units));
  io::writeFile(place / "units.sh",
                fmt::format("#!/bin/sh\n"
                            "# One task of the array: the units in its line of units.txt.\n"
                            "failed=0\n"
                            "for unit in $(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" {}); do\n"
                            "  {}--threads \"${{SLURM_CPUS_PER_TASK:-1}}\" --unit \"$unit\" || "
                            "failed=1\n"
                            "done\n"
                            "exit $failed\n",
                            shellQuoted((place / "units.txt").string()), command));
  io::writeFile(place / "merge.sh", fmt::format("#!/bin/sh\n{}--merge\n", command));
}

/// Words of a line, cut at blanks: options of sbatch hold none.
std::vector<std::string> wordsOf(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string w; in >> w;) words.push_back(w);
  return words;
}

/// Submits a script; gives the job's number.
std::string submit(const fs::path& script, const std::vector<std::string>& own,
                   const ClusterOptions& options) {
  std::vector<std::string> command{"sbatch", "--parsable",
                                   "--output=" + script.string() + ".%A_%a.log"};
  for (const std::vector<std::string>& more : {wordsOf(options.slurmOptions), own})
    command.insert(command.end(), more.begin(), more.end());
  command.push_back(script.string());
  std::string id = render::internal::Process(command, "slurm-client").finish();
  return id.substr(0, id.find_first_of(";\n"));  // number;cluster
}

}  // namespace

std::string shellQuoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

ClusterJobs submitPopulation(const PopulationRun& run, const PopulationRequest& request,
                             const fs::path& folder, const ClusterOptions& options) {
  const fs::path place = fs::absolute(folder);
  const std::string command = populationCommand(request, place, options);
  ClusterJobs jobs;
  jobs.units = missingUnits(run, place).size();
  do {
    const std::vector<std::size_t> units = missingUnits(run, place);
    if (units.empty()) break;
    writeScripts(place, command, units);
    jobs.arrayId =
        submit(place / "slurm" / "units.sh",
               {fmt::format("--array=1-{}", std::min(kMostTasks, units.size()))}, options);
    std::vector<std::string> behind{"--dependency=afterany:" + jobs.arrayId};
    if (options.wait) behind.push_back("--wait");
    jobs.mergeId = submit(place / "slurm" / "merge.sh", behind, options);
    ++jobs.rounds;
  } while (options.wait && jobs.rounds < kRounds);
  return jobs;
}

}  // namespace pneuma::stage
