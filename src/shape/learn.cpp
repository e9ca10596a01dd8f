#include "pneuma/shape/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/version.h"
#include "shape/evaluation.h"
#include "shape/fit_model.h"
#include "shape/training.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

constexpr Index kRank = 96;           // directions kept of all frames; what is lost is in the card
constexpr int kShownComponents = 12;  // in the table, chosen or not
constexpr double kGoodEnough = 1.03;  // fewer components are taken within so much of the best error
constexpr double kScoresGoodEnough = 1.01;  // and fewer scores of the person

io::Table validationTable(const std::vector<internal::Validation>& rows) {
  io::Table table;
  table.addColumn("components");
  table.addColumn("variance", "%");
  table.addColumn("oracle", "mm");
  table.addColumn("konno_mead", "mm");
  table.addColumn("konno_mead_flow", "mm");
  table.addColumn("type_flow", "mm");
  for (const internal::Validation& r : rows)
    table.appendRow({static_cast<double>(r.components), 100 * r.variance, 1e3 * r.oracle,
                     1e3 * r.konnoMead, 1e3 * r.konnoMeadFlow, 1e3 * r.typeFlow});
  return table;
}

io::Table scoreTable(const std::vector<double>& errors) {
  io::Table table;
  table.addColumn("scores");
  table.addColumn("predicted", "mm");
  for (std::size_t j = 0; j < errors.size(); ++j)
    table.appendRow({static_cast<double>(j), 1e3 * errors[j]});
  return table;
}

double errorOf(const internal::Validation& v, BreathInputs inputs) {
  return inputs == BreathInputs::TypeFlow    ? v.typeFlow
         : inputs == BreathInputs::KonnoMead ? v.konnoMead
                                             : v.konnoMeadFlow;
}

/// The fewest scores whose error is near the least.
Index chooseScores(const std::vector<double>& errors, const LearnConfig& config) {
  const auto most = static_cast<Index>(errors.size()) - 1;
  if (config.scores >= 0) return std::min<Index>(config.scores, most);
  const double best = std::ranges::min(errors);
  for (Index j = 0; j <= most; ++j)
    if (errors[static_cast<std::size_t>(j)] <= kScoresGoodEnough * best) return j;
  return 0;
}

/// The fewest components whose error is near the least that the allowed ones reach.
int chooseComponents(const std::vector<internal::Validation>& rows, const LearnConfig& config,
                     BreathInputs inputs) {
  if (config.components > 0) return config.components;
  double best = 1e300;
  for (const internal::Validation& r : rows)
    if (r.components <= config.mostComponents) best = std::min(best, errorOf(r, inputs));
  for (const internal::Validation& r : rows)
    if (r.components <= config.mostComponents && errorOf(r, inputs) <= kGoodEnough * best)
      return r.components;
  return config.mostComponents;
}

nlohmann::ordered_json errorJson(const ShapeError& e) {
  return {{"rms_mm", 1e3 * e.rms}, {"mean_mm", 1e3 * e.mean}, {"p99_mm", 1e3 * e.p99}};
}

nlohmann::ordered_json cardOf(const Learned& learned, const internal::Training& training,
                              double variance, std::size_t people) {
  const BreathModel& model = learned.model;
  nlohmann::ordered_json card{
      {"program", pneuma::version()},         {"topology", model.topologyId},
      {"data_hash", model.dataHash},          {"people", training.people},
      {"held_out", people - training.people}, {"frames", training.moments.size()},
      {"components", model.components},       {"modes", model.modeCount()},
      {"scores", model.identity.count()},     {"inputs", toString(model.function.inputs())},
      {"variance_pct", 100 * variance},       {"lost_pct", 100 * training.gradients.lost()},
      {"belly_lead_s", model.bellyLead}};
  for (const ErrorLine& line : learned.errors)
    card["errors"].push_back({{"predicted_by", line.name},
                              {"seen_of_the_person", line.seen},
                              {"learned_types", errorJson(line.learned)},
                              {"unseen_styles", errorJson(line.unseen)}});
  for (const TrialErrorLine& line : learned.trials)
    card["trials"].push_back({{"trial", line.name},
                              {"use", line.use == TrialUse::Learn ? "learned" : "unseen"},
                              {"nothing_mm", 1e3 * line.nothing},
                              {"vertex_pca_mm", 1e3 * line.vertexPca},
                              {"model_mm", 1e3 * line.model},
                              {"oracle_mm", 1e3 * line.oracle}});
  return card;
}

}  // namespace

// How many scores and how many components are chosen one after the other, both by people left out:
// chosen on those learned from, more is always better.
Learned learnBreath(const PeopleFolder& people, const LearnConfig& config, Progress& progress) {
  requireSettings(config);
  const ShapeTemplate shape =
      makeShapeTemplate(people.templateMesh(), people.vertexParts(), people.vertexMirror());
  const GradientMap map(shape);
  const BreathInputs inputs = breathInputsOf(config.inputs);
  const internal::Training training = internal::gatherTraining(
      people, shape, map, kRank, std::max(config.mostScores, config.scores), progress);
  const int most = config.components > 0 ? config.components : config.mostComponents;
  const std::vector<double> byScores =
      internal::crossValidateScores(training, inputs, most, config.folds);
  const Index scores = chooseScores(byScores, config);
  const std::vector<internal::Validation> validation = internal::crossValidate(
      training, std::max({kShownComponents, config.mostComponents, config.components}),
      config.folds, scores);
  const int components = chooseComponents(validation, config, inputs);
  Learned learned;
  learned.validation = validationTable(validation);
  learned.scoreValidation = scoreTable(byScores);
  learned.model = internal::fitModel(
      people, shape, training, {.inputs = inputs, .scores = scores, .components = components});
  internal::evaluate(people, shape, map, training, config.paper, progress, learned);
  const double variance =
      validation[static_cast<std::size_t>(
                     std::min<Index>(components, static_cast<Index>(validation.size())) - 1)]
          .variance;
  learned.card = cardOf(learned, training, variance, people.people().size());
  learned.model.card = learned.card.dump(2);
  return learned;
}

std::string errorTable(const std::vector<ErrorLine>& lines) {
  std::string text = fmt::format("{:<52}{:<20}{:>9}{:>9}{:>9}{:>11}\n", "predicted by",
                                 "seen of the person", "rms mm", "mean mm", "p99 mm", "unseen rms");
  for (const ErrorLine& l : lines)
    text += fmt::format("{:<52}{:<20}{:>9.2f}{:>9.2f}{:>9.2f}{:>11.2f}\n", l.name, l.seen,
                        1e3 * l.learned.rms, 1e3 * l.learned.mean, 1e3 * l.learned.p99,
                        1e3 * l.unseen.rms);
  return text;
}

std::string trialTable(const std::vector<TrialErrorLine>& lines) {
  std::string text = fmt::format("{:<18}{:<10}{:>12}{:>14}{:>10}{:>11}\n", "trial, rms mm", "was",
                                 "nothing", "vertex PCA", "model", "oracle");
  for (const TrialErrorLine& l : lines)
    text += fmt::format("{:<18}{:<10}{:>12.2f}{:>14.2f}{:>10.2f}{:>11.2f}\n", l.name,
                        l.use == TrialUse::Learn ? "learned" : "unseen", 1e3 * l.nothing,
                        1e3 * l.vertexPca, 1e3 * l.model, 1e3 * l.oracle);
  return text;
}

}  // namespace pneuma::shape
