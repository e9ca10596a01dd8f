#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/core/progress.h"
#include "pneuma/survey/belly_measure.h"
#include "pneuma/survey/measure.h"
#include "pneuma/survey/measure_attachments.h"
#include "pneuma/survey/muscle_volumes.h"

/// Every table of data/body/measured from folders of meshes, in one run.
namespace pneuma::survey {

/// What is measured, and where it goes.
struct BodySurveyConfig {
  std::filesystem::path anatomy;     ///< folder of meshes with a manifest.json
  std::filesystem::path characters;  ///< for the heads; empty: `characters` beside it, if any
  std::filesystem::path out;         ///< folder of the tables
  std::filesystem::path body;        ///< file that includes the tables of such a folder
  std::vector<std::string> only;     ///< bones, muscles or surveyGroups(); empty: everything
  double smallestMuscle = 8e-6;      ///< [m^3], > 0: smaller ones are left out
};

/// Names that stand for many parts, as BodySurveyConfig::only takes them.
const std::vector<std::string>& surveyGroups();

/// What was measured.
struct BodySurveyReport {
  std::vector<Measurement> parts;  ///< bones, skin and muscles, group by group
  std::optional<AttachmentSurvey> attachments;
  /// Described against measured; absent when the body refers to points not yet measured.
  std::optional<std::vector<MuscleVolume>> volumes;
  std::optional<std::vector<MeasuredBelly>> bellies;
};

/// Measures and writes one table after the other, and checks every name before any work is done.
/// Attachments lie on the bones and bellies run between the attachments of the body as this run has
/// just written it. `makeProgress` gives a bar for the unit named.
BodySurveyReport surveyBody(
    const BodySurveyConfig& config,
    const std::function<std::unique_ptr<Progress>(const std::string& unit)>& makeProgress);

/// The body of a file with the tables of the folder `measured` in the place of its own of the same
/// name (landmarks, attachments, shapes, bellies), expanded.
Result<anatomy::Body> loadMeasured(const std::filesystem::path& bodyFile,
                                   const std::filesystem::path& measured);

/// How many numbers describe a part.
std::size_t numberCount(const Measurement& measurement);

}  // namespace pneuma::survey
