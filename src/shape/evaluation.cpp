#include "shape/evaluation.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <algorithm>
#include <functional>
#include <optional>

#include "shape/paper_form.h"

namespace pneuma::shape::internal {
namespace {

using Eigen::Index;

constexpr Index kPaperComponents = 20;  // [Tsoli14, Sec. 5.1]

/// Predicts the displacements of a person's frames.
using Predictor = std::function<FeatureRows(const PersonFrames&)>;

struct Contestant {
  std::string name, seen;
  Predictor predict;
};

/// Displacement fields and the function of their weights.
struct LinearBreath {
  FeatureRows fields;  // K x 3 per vertex [m]
  BreathFunction function;

  FeatureRows operator()(const PersonFrames& p) const {
    MatX w(p.displacements.rows(), fields.rows());
    for (Index i = 0; i < w.rows(); ++i)
      w.row(i) = function(p.moments[static_cast<std::size_t>(i)]);
    return w.cast<float>() * fields;
  }
};

FeatureRows fieldsOf(const BreathModel& model) {
  FeatureRows f(model.componentCount(), static_cast<Index>(3 * model.mesh.vertexCount()));
  for (Index m = 0; m < f.rows(); ++m)
    for (std::size_t v = 0; v < model.mesh.vertexCount(); ++v)
      f.block<1, 3>(m, static_cast<Index>(3 * v)) =
          model.components[static_cast<std::size_t>(m)][v].transpose().cast<float>();
  return f;
}

/// Components by gradients, another function of them.
LinearBreath byGradients(const Training& t, Index count, BreathInputs inputs) {
  const MatX directions = principalComponents(t.gradients.coordinates(), count).directions;
  return {
      directions.cast<float>() * t.basisDisplacements,
      BreathFunction::fit(inputs, t.moments, t.gradients.coordinates() * directions.transpose())};
}

LinearBreath byVertices(const Training& t, Index count, BreathInputs inputs) {
  const MatX directions = principalComponents(t.vertices.coordinates(), count).directions;
  return {
      directions.cast<float>() * t.vertices.basis(),
      BreathFunction::fit(inputs, t.moments, t.vertices.coordinates() * directions.transpose())};
}

/// One displacement per volume for all people and types.
FeatureRows oneBlend(const Training& t) {
  VecX v(static_cast<Index>(t.moments.size()));
  for (Index i = 0; i < v.size(); ++i) v[i] = t.moments[static_cast<std::size_t>(i)].volume;
  const Eigen::RowVectorXd mean =
      v.transpose() * t.vertices.coordinates() / std::max(1e-300, v.squaredNorm());
  return mean.cast<float>() * t.vertices.basis();
}

FeatureRows blended(const FeatureRows& field, const PersonFrames& p) {
  FeatureRows rows(p.displacements.rows(), field.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    rows.row(i) = static_cast<float>(p.moments[static_cast<std::size_t>(i)].volume) * field.row(0);
  return rows;
}

/// The person's own fullest and emptiest frame, by volume.
FeatureRows ownBlend(const PersonFrames& p) {
  std::size_t fullest = 0, emptiest = 0;
  for (std::size_t i = 0; i < p.moments.size(); ++i) {
    if (p.moments[i].volume > p.moments[fullest].volume) fullest = i;
    if (p.moments[i].volume < p.moments[emptiest].volume) emptiest = i;
  }
  FeatureRows rows(p.displacements.rows(), p.displacements.cols());
  for (std::size_t i = 0; i < p.moments.size(); ++i) {
    const std::size_t end = p.moments[i].volume >= 0 ? fullest : emptiest;
    const double whole = p.moments[end].volume;
    const double share = whole != 0 ? std::clamp(p.moments[i].volume / whole, -1.0, 1.0) : 0;
    rows.row(static_cast<Index>(i)) =
        static_cast<float>(share) * p.displacements.row(static_cast<Index>(end));
  }
  return rows;
}

/// The person's own regression on the volumes of chest and belly.
FeatureRows ownRegression(const PersonFrames& p) {
  MatX X(p.displacements.rows(), featureCount(BreathInputs::KonnoMead));
  for (Index i = 0; i < X.rows(); ++i)
    X.row(i) = features(BreathInputs::KonnoMead, p.moments[static_cast<std::size_t>(i)]);
  const MatX hat =
      X *
      (X.transpose() * X + 1e-12 * MatX::Identity(X.cols(), X.cols())).ldlt().solve(X.transpose());
  return hat.cast<float>() * p.displacements;
}

/// The nearest that the fields can come to each frame.
FeatureRows projected(const FeatureRows& fields, const PersonFrames& p) {
  const MatX G = (fields * fields.transpose()).cast<double>();
  const MatX b = (fields * p.displacements.transpose()).cast<double>();
  return G.ldlt().solve(b).transpose().cast<float>() * fields;
}

/// Type, volume and flow first turned into volumes of chest and belly.
PersonFrames throughLead(PersonFrames p, double lead) {
  for (BreathMoment& m : p.moments) m = momentOf(m.type, m.volume, m.flow, lead);
  return p;
}

std::vector<Contestant> contestants(const Training& t, const BreathModel& model) {
  const Index K = model.componentCount();
  const BreathInputs inputs = model.function.inputs();
  const LinearBreath own{fieldsOf(model), model.function};
  std::vector<Contestant> list;
  list.push_back({"nothing: the skin at rest", "rest", [](const PersonFrames& p) {
                    return FeatureRows(
                        FeatureRows::Zero(p.displacements.rows(), p.displacements.cols()));
                  }});
  list.push_back({"one blend over all types, by volume", "rest, volume",
                  [field = oneBlend(t)](const PersonFrames& p) { return blended(field, p); }});
  list.push_back({fmt::format("vertex PCA, {}, K = {}", toString(inputs), K), "rest, state",
                  byVertices(t, K, inputs)});
  list.push_back(
      {fmt::format("the model: gradients, {}, K = {}", toString(inputs), K), "rest, state", own});
  if (tellsApart(BreathInputs::TypeFlow, t.moments))
    list.push_back({fmt::format("gradients, type-flow, K = {}", K), "rest, s, v, flow",
                    byGradients(t, K, BreathInputs::TypeFlow)});
  if (inputs == BreathInputs::KonnoMead)
    list.push_back({"the model, from type, volume and flow", "rest, s, v, flow",
                    [own, lead = model.bellyLead](const PersonFrames& p) {
                      return own(throughLead(p, lead));
                    }});
  list.push_back({fmt::format("oracle: nearest of the model's K = {}", K), "every frame",
                  [own](const PersonFrames& p) { return projected(own.fields, p); }});
  list.push_back({"own regression on chest and belly", "every frame", ownRegression});
  list.push_back({"own fullest and emptiest frame, by volume", "two frames", ownBlend});
  return list;
}

}  // namespace

std::vector<ErrorLine> evaluate(const PeopleFolder& people, const ShapeTemplate& shape,
                                const GradientMap& map, const Training& training,
                                const BreathModel& model, bool paper, Progress& progress) {
  const auto& all = people.people();
  if (std::ranges::none_of(all, &PersonEntry::heldOut)) return {};
  std::vector<Contestant> list = contestants(training, model);
  PaperForm form(map, kPaperComponents);
  if (paper) {
    progress.begin("the paper's form", static_cast<double>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      progress.update(static_cast<double>(i));
      if (!all[i].heldOut) form.learnFrom(select(framesOf(shape, people.read(i)), TrialUse::Learn));
    }
    form.finish();
    progress.end();
    list.push_back({"paper: F(s, v), E(sex, v), M = 20", "mean shape, s, v",
                    [&form](const PersonFrames& p) { return form.predict(p, true); }});
    list.push_back({"paper: F(s, v) alone, parts turned by nothing", "mean shape, s, v",
                    [&form](const PersonFrames& p) { return form.predict(p, false); }});
  }
  std::vector<ErrorMeter> learned(list.size(), ErrorMeter(shape)), unseen = learned;
  progress.begin("testing", static_cast<double>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    progress.update(static_cast<double>(i));
    if (!all[i].heldOut) continue;
    const PersonFrames frames = framesOf(shape, people.read(i));
    for (const TrialUse use : {TrialUse::Learn, TrialUse::Unseen}) {
      const PersonFrames p = select(frames, use);
      if (p.moments.empty()) continue;
      for (std::size_t k = 0; k < list.size(); ++k)
        (use == TrialUse::Learn ? learned : unseen)[k].add(list[k].predict(p), p.displacements);
    }
  }
  progress.end();
  std::vector<ErrorLine> lines;
  for (std::size_t k = 0; k < list.size(); ++k)
    lines.push_back({list[k].name, list[k].seen, learned[k].error(), unseen[k].error()});
  return lines;
}

}  // namespace pneuma::shape::internal
