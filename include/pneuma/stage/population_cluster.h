#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pneuma/stage/population.h"

/// A population on a Slurm cluster: one job array for the units that are not done, a merge behind
/// it. Slurm alone decides where and when; nothing of ours stays running.
namespace pneuma::stage {

struct ClusterOptions {
  std::string slurmOptions;  ///< words for sbatch: "--partition=long --cpus-per-task=4"
  std::string body;          ///< body file, empty: the default
  bool wait = false;         ///< until all is merged; units that failed are tried again
};

/// What was handed to Slurm.
struct ClusterJobs {
  std::size_t units = 0;         ///< not done before
  std::string arrayId, mergeId;  ///< of the last round
  int rounds = 0;                ///< of submission; 0: all was done already
};

/// Writes `slurm/units.txt` and `slurm/*.sh` into the folder, submits them with sbatch. With `wait`
/// returns when the merge has run; units that are still missing are submitted again, three rounds
/// in all. Throws InputError when sbatch is not installed or refuses, with its reason.
ClusterJobs submitPopulation(const PopulationRun& run, const PopulationRequest& request,
                             const std::filesystem::path& folder, const ClusterOptions& options);

/// A word as a shell reads it back.
std::string shellQuoted(const std::string& word);

}  // namespace pneuma::stage
