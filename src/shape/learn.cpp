#include "pneuma/shape/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/version.h"
#include "shape/evaluation.h"
#include "shape/paper_form.h"
#include "shape/training.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

constexpr Index kRank = 96;           // directions kept of all frames; what is lost is in the card
constexpr int kShownComponents = 12;  // in the table, chosen or not
constexpr double kGoodEnough = 1.03;  // fewer components are taken within so much of the best error

BreathInputs inputsOf(const LearnConfig& config) {
  return config.inputs == "type-flow" ? BreathInputs::TypeFlow : BreathInputs::KonnoMead;
}

/// Positive when inspiration adds volume, so that a component's sign does not depend on the data's
/// order.
double signOf(const ShapeTemplate& shape, const std::vector<Vec3>& u) {
  std::vector<Vec3> moved = shape.mesh.positions;
  for (std::size_t v = 0; v < u.size(); ++v) moved[v] += u[v];
  return gainedVolumes(shape, shape.mesh.positions, moved).all() < 0 ? -1 : 1;
}

/// The mean of a displacement and its mirror image, equal to the last bit on both sides.
void makeSymmetric(const ShapeTemplate& shape, std::vector<Vec3>& u) {
  const std::vector<Vec3> before = u;
  const auto mirrored = [](const Vec3& d) { return Vec3(-d.x(), d.y(), d.z()); };
  for (std::size_t v = 0; v < u.size(); ++v) {
    const auto other = static_cast<std::size_t>(shape.mirror[v]);
    if (other < v) continue;
    u[v] = 0.5 * (before[v] + mirrored(before[other]));
    u[other] = mirrored(u[v]);
  }
}

io::Table validationTable(const std::vector<internal::Validation>& rows) {
  io::Table table;
  table.addColumn("components");
  table.addColumn("variance", "%");
  table.addColumn("oracle", "mm");
  table.addColumn("konno_mead", "mm");
  table.addColumn("type_flow", "mm");
  for (const internal::Validation& r : rows)
    table.appendRow({static_cast<double>(r.components), 100 * r.variance, 1e3 * r.oracle,
                     1e3 * r.konnoMead, 1e3 * r.typeFlow});
  return table;
}

/// The fewest components whose error is near the least that the allowed ones reach.
int chooseComponents(const std::vector<internal::Validation>& rows, const LearnConfig& config) {
  if (config.components > 0) return config.components;
  const auto error = [&](const internal::Validation& r) {
    return inputsOf(config) == BreathInputs::TypeFlow ? r.typeFlow : r.konnoMead;
  };
  double best = 1e300;
  for (const internal::Validation& r : rows)
    if (r.components <= config.mostComponents) best = std::min(best, error(r));
  for (const internal::Validation& r : rows)
    if (r.components <= config.mostComponents && error(r) <= kGoodEnough * best)
      return r.components;
  return config.mostComponents;
}

nlohmann::ordered_json errorJson(const ShapeError& e) {
  return {{"rms_mm", 1e3 * e.rms}, {"mean_mm", 1e3 * e.mean}, {"p99_mm", 1e3 * e.p99}};
}

/// Components of all people's breath as displacements, and the function of their coefficients.
BreathModel fitModel(const PeopleFolder& people, const ShapeTemplate& shape, const GradientMap& map,
                     const internal::Training& training, const Components& pca,
                     BreathInputs inputs) {
  BreathModel model;
  model.topologyId = people.topologyId();
  model.dataHash = people.dataHash();
  model.mesh = people.templateMesh();
  model.vertexParts = people.vertexParts();
  model.mirror = people.vertexMirror();
  model.bellyLead = fitBellyLead(training.moments);
  MatX coefficients = training.gradients.coordinates() * pca.directions.transpose();
  for (Index m = 0; m < pca.directions.rows(); ++m) {
    const Eigen::RowVectorXf row = pca.directions.row(m).cast<float>() * training.gradients.basis();
    std::vector<Vec3> u = displacementOf(map, row);
    makeSymmetric(shape, u);
    const double sign = signOf(shape, u);
    for (Vec3& d : u) d *= sign;
    coefficients.col(m) *= sign;
    model.components.push_back(std::move(u));
  }
  const auto frames = static_cast<double>(coefficients.rows());
  model.deviations = (coefficients.colwise().squaredNorm() / frames).cwiseSqrt().transpose();
  model.function = BreathFunction::fit(inputs, training.moments, coefficients);
  return model;
}

nlohmann::ordered_json cardOf(const Learned& learned, const internal::Training& training,
                              const Components& pca, std::size_t people) {
  const BreathModel& model = learned.model;
  nlohmann::ordered_json card{
      {"program", pneuma::version()},
      {"topology", model.topologyId},
      {"data_hash", model.dataHash},
      {"people", training.people},
      {"held_out", people - training.people},
      {"frames", training.moments.size()},
      {"components", model.componentCount()},
      {"inputs", toString(model.function.inputs())},
      {"variance_pct", 100 * pca.variances.sum() / std::max(1e-300, pca.total)},
      {"lost_pct", 100 * training.gradients.lost()},
      {"belly_lead_s", model.bellyLead}};
  for (const ErrorLine& line : learned.errors)
    card["errors"].push_back({{"predicted_by", line.name},
                              {"seen_of_the_person", line.seen},
                              {"learned_types", errorJson(line.learned)},
                              {"unseen_styles", errorJson(line.unseen)}});
  return card;
}

}  // namespace

Learned learnBreath(const PeopleFolder& people, const LearnConfig& config, Progress& progress) {
  requireSettings(config);
  const ShapeTemplate shape =
      makeShapeTemplate(people.templateMesh(), people.vertexParts(), people.vertexMirror());
  const GradientMap map(shape);
  const internal::Training training = internal::gatherTraining(people, shape, map, kRank, progress);
  const std::vector<internal::Validation> validation = internal::crossValidate(
      training, std::max({kShownComponents, config.mostComponents, config.components}),
      config.folds);
  const Components pca =
      principalComponents(training.gradients.coordinates(), chooseComponents(validation, config));
  Learned learned;
  learned.validation = validationTable(validation);
  learned.model = fitModel(people, shape, map, training, pca, inputsOf(config));
  learned.errors =
      internal::evaluate(people, shape, map, training, learned.model, config.paper, progress);
  learned.card = cardOf(learned, training, pca, people.people().size());
  learned.model.card = learned.card.dump(2);
  return learned;
}

std::string errorTable(const std::vector<ErrorLine>& lines) {
  std::string text = fmt::format("{:<44}{:<24}{:>9}{:>9}{:>9}{:>11}\n", "predicted by",
                                 "seen of the person", "rms mm", "mean mm", "p99 mm", "unseen rms");
  for (const ErrorLine& l : lines)
    text += fmt::format("{:<44}{:<24}{:>9.2f}{:>9.2f}{:>9.2f}{:>11.2f}\n", l.name, l.seen,
                        1e3 * l.learned.rms, 1e3 * l.learned.mean, 1e3 * l.learned.p99,
                        1e3 * l.unseen.rms);
  return text;
}

}  // namespace pneuma::shape
