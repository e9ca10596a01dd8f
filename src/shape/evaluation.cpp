#include "shape/evaluation.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <algorithm>
#include <functional>
#include <set>

#include "shape/fit_model.h"
#include "shape/paper_form.h"

namespace pneuma::shape::internal {
namespace {

using Eigen::Index;

constexpr Index kMostVertexComponents = 8;
constexpr Index kPaperComponents = 20;  // [Tsoli14, Sec. 5.1]

/// Predicts the displacements of a person's frames.
using Predictor = std::function<FeatureRows(const PersonFrames&)>;

struct Contestant {
  std::string name, seen;
  Predictor predict;
};

/// Displacement fields, the function of their weights, and what it asks to know of a person.
struct LinearBreath {
  FeatureRows fields;  // K x 3 per vertex [m]
  BreathFunction function;
  IdentitySpace identity;

  FeatureRows operator()(const ShapeTemplate& shape, const PersonFrames& p) const {
    const BreathFunction own = function.of(identity.scores(shape, p.rest));
    MatX w(p.displacements.rows(), fields.rows());
    for (Index i = 0; i < w.rows(); ++i) w.row(i) = own(p.moments[static_cast<std::size_t>(i)]);
    return w.cast<float>() * fields;
  }
};

FeatureRows fieldsOf(const PersonBreath& person) {
  FeatureRows f(person.componentCount(), static_cast<Index>(3 * person.rest().size()));
  for (Index m = 0; m < f.rows(); ++m)
    for (std::size_t v = 0; v < person.rest().size(); ++v)
      f.block<1, 3>(m, static_cast<Index>(3 * v)) =
          person.components()[static_cast<std::size_t>(m)][v].transpose().cast<float>();
  return f;
}

/// The model as it is played: the person's own few components.
FeatureRows played(const BreathModel& model, const PersonFrames& p) {
  const PersonBreath person(model, p.rest);
  MatX w(p.displacements.rows(), person.componentCount());
  for (Index i = 0; i < w.rows(); ++i)
    w.row(i) = person.weights(p.moments[static_cast<std::size_t>(i)]).transpose();
  return w.cast<float>() * fieldsOf(person);
}

/// Principal components of the data, as displacements of vertices.
LinearBreath byVertices(const Training& t, Index count, BreathInputs inputs, Index scores) {
  const MatX directions = principalComponents(t.vertices.coordinates(), count).directions;
  return {directions.cast<float>() * t.vertices.basis(),
          BreathFunction::fit(inputs, t.moments, t.frameScores(scores),
                              t.vertices.coordinates() * directions.transpose()),
          t.identity.first(scores)};
}

/// Principal components of the data by gradients, as the paper takes them (Eq. 6).
LinearBreath byGradients(const Training& t, Index count, BreathInputs inputs) {
  const MatX directions = principalComponents(t.gradients.coordinates(), count).directions;
  return {
      directions.cast<float>() * t.basisDisplacements,
      BreathFunction::fit(inputs, t.moments, t.gradients.coordinates() * directions.transpose()),
      {}};
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

/// The person's own regression on the same inputs.
FeatureRows ownRegression(BreathInputs inputs, const PersonFrames& p) {
  MatX X(p.displacements.rows(), featureCount(inputs));
  for (Index i = 0; i < X.rows(); ++i)
    X.row(i) = features(inputs, p.moments[static_cast<std::size_t>(i)]);
  const MatX hat =
      X *
      (X.transpose() * X + 1e-12 * MatX::Identity(X.cols(), X.cols())).ldlt().solve(X.transpose());
  return hat.cast<float>() * p.displacements;
}

/// The nearest that the fields can come to each frame on the trunk.
FeatureRows projected(const ShapeTemplate& shape, const FeatureRows& fields,
                      const PersonFrames& p) {
  std::vector<Index> trunk;
  for (std::size_t v = 0; v < shape.vertexCount(); ++v)
    if (shape.trunkVertex[v])
      for (Index k = 0; k < 3; ++k) trunk.push_back(static_cast<Index>(3 * v) + k);
  const MatX on = fields(Eigen::all, trunk).cast<double>();
  const MatX b = on * p.displacements(Eigen::all, trunk).cast<double>().transpose();
  return (on * on.transpose()).ldlt().solve(b).transpose().cast<float>() * fields;
}

/// The model as `perform` plays it: from type, volume and flow, gaining the volume of the lungs.
FeatureRows performed(const BreathModel& model, const PersonFrames& p) {
  const PersonBreath person(model, p.rest);
  MatX w(p.displacements.rows(), person.componentCount());
  for (Index i = 0; i < w.rows(); ++i) {
    const BreathMoment& m = p.moments[static_cast<std::size_t>(i)];
    w.row(i) = person.weights(m.volume * p.area, m.flow * p.area, m.type).transpose();
  }
  return w.cast<float>() * fieldsOf(person);
}

constexpr std::string_view kNothing = "nothing: the skin at rest",
                           kModel = "the model: ", kVertices = "vertex PCA, ", kOracle = "oracle: ";

/// Those that have seen people who were learned from; of the person, what they say.
std::vector<Contestant> contestants(const PeopleFolder& people, const ShapeTemplate& shape,
                                    const Training& t, const BreathModel& model) {
  const Index K = model.components, scores = model.identity.count();
  const BreathInputs inputs = model.function.inputs();
  const auto named = [&](std::string_view begin, std::string_view end) {
    return fmt::format("{}{}{}, K = {}", begin, toString(inputs), end, K);
  };
  const auto linear = [&](LinearBreath b) {
    return [b = std::move(b), &shape](const PersonFrames& p) { return b(shape, p); };
  };
  std::vector<Contestant> list;
  list.push_back({std::string(kNothing), "rest", [](const PersonFrames& p) {
                    return FeatureRows(
                        FeatureRows::Zero(p.displacements.rows(), p.displacements.cols()));
                  }});
  list.push_back({"one blend over all types, by volume", "rest, volume",
                  [field = oneBlend(t)](const PersonFrames& p) { return blended(field, p); }});
  list.push_back({named(kVertices, ""), "rest, state", linear(byVertices(t, K, inputs, 0))});
  // The same knowledge, and as many components as any of ours may have.
  for (const Index count : std::set<Index>{K, std::max(K, kMostVertexComponents)})
    if (count != K || scores > 0)
      list.push_back(
          {fmt::format("{}{}, {} scores, K = {}", kVertices, toString(inputs), scores, count),
           "rest, state", linear(byVertices(t, count, inputs, scores))});
  list.push_back({named("gradient PCA, ", ""), "rest, state", linear(byGradients(t, K, inputs))});
  list.push_back({named(kModel, fmt::format(", {} scores", scores)), "rest, state",
                  [&model](const PersonFrames& p) { return played(model, p); }});
  if (scores > 0)
    list.push_back({named("the same model, ", ", no scores"), "rest, state",
                    [other = fitModel(people, shape, t, {inputs, 0, K})](const PersonFrames& p) {
                      return played(other, p);
                    }});
  for (const BreathInputs other : kAllBreathInputs)
    if (other != inputs && tellsApart(other, t.moments))
      list.push_back({fmt::format("the same from {}", toString(other)),
                      other == BreathInputs::TypeFlow ? "rest, s, v, flow" : "rest, state",
                      [m = fitModel(people, shape, t, {other, scores, K})](const PersonFrames& p) {
                        return played(m, p);
                      }});
  list.push_back({"the model as performed, volume kept", "rest, s, v, flow",
                  [&model](const PersonFrames& p) { return performed(model, p); }});
  list.push_back({fmt::format("{}nearest of the model's K = {}", kOracle, K), "every frame",
                  [&model, &shape](const PersonFrames& p) {
                    return projected(shape, fieldsOf(PersonBreath(model, p.rest)), p);
                  }});
  list.push_back({fmt::format("own regression, {}", toString(inputs)), "every frame",
                  [inputs](const PersonFrames& p) { return ownRegression(inputs, p); }});
  list.push_back({"own fullest and emptiest frame, by volume", "two frames", ownBlend});
  return list;
}

/// Frames of one trial.
PersonFrames ofTrial(const PersonFrames& all, int trial) {
  PersonFrames p{.entry = all.entry, .rest = all.rest, .area = all.area};
  std::vector<Index> rows;
  for (std::size_t i = 0; i < all.trial.size(); ++i)
    if (all.trial[i] == trial) {
      rows.push_back(static_cast<Index>(i));
      p.moments.push_back(all.moments[i]);
      p.use.push_back(all.use[i]);
    }
  p.displacements = all.displacements(rows, Eigen::all);
  return p;
}

/// Errors of all contestants, by use and by trial.
class Scoreboard {
 public:
  Scoreboard(const ShapeTemplate& shape, const std::vector<Contestant>& list)
      : shape_(shape), list_(list), learned_(list.size(), ErrorMeter(shape)), unseen_(learned_) {}

  void add(const PersonFrames& frames) {
    for (const TrialUse use : {TrialUse::Learn, TrialUse::Unseen}) {
      const PersonFrames p = select(frames, use);
      if (p.moments.empty()) continue;
      for (std::size_t k = 0; k < list_.size(); ++k)
        (use == TrialUse::Learn ? learned_ : unseen_)[k].add(list_[k].predict(p), p.displacements);
    }
    trials_.resize(frames.trialNames.size(), {"", TrialUse::Learn, {}});
    for (std::size_t i = 0; i < trials_.size(); ++i) addTrial(frames, i);
  }

  void write(Learned& learned) const {
    for (std::size_t k = 0; k < list_.size(); ++k)
      learned.errors.push_back(
          {list_[k].name, list_[k].seen, learned_[k].error(), unseen_[k].error()});
    for (const Trial& t : trials_)
      if (!t.meters.empty())
        learned.trials.push_back({t.name, t.use, t.meters[0].error().rms, t.meters[1].error().rms,
                                  t.meters[2].error().rms, t.meters[3].error().rms});
  }

 private:
  struct Trial {
    std::string name;
    TrialUse use;
    std::vector<ErrorMeter> meters;  // of kNothing, kVertices, kModel, kOracle
  };

  void addTrial(const PersonFrames& frames, std::size_t number) {
    const PersonFrames p = ofTrial(frames, static_cast<int>(number));
    if (p.moments.empty()) return;
    Trial& t = trials_[number];
    t.name = frames.trialNames[number], t.use = p.use.front();
    t.meters.resize(4, ErrorMeter(shape_));
    std::size_t meter = 0;
    for (const std::string_view begin : {kNothing, kVertices, kModel, kOracle}) {
      const auto found = std::ranges::find_if(
          list_, [&](const Contestant& c) { return c.name.starts_with(begin); });
      t.meters[meter++].add(found->predict(p), p.displacements);
    }
  }

  const ShapeTemplate& shape_;
  const std::vector<Contestant>& list_;
  std::vector<ErrorMeter> learned_, unseen_;
  std::vector<Trial> trials_;
};

}  // namespace

void evaluate(const PeopleFolder& people, const ShapeTemplate& shape, const GradientMap& map,
              const Training& training, bool paper, Progress& progress, Learned& result) {
  const auto& all = people.people();
  if (std::ranges::none_of(all, &PersonEntry::heldOut)) return;
  std::vector<Contestant> list = contestants(people, shape, training, result.model);
  PaperForm form(map, kPaperComponents);
  if (paper) {
    progress.begin("the paper's form", static_cast<double>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      progress.update(static_cast<double>(i));
      if (!all[i].heldOut) form.learnFrom(select(framesOf(shape, people.read(i)), TrialUse::Learn));
    }
    form.finish();
    result.pose = form.pose();
    progress.end();
    list.push_back({"paper: F(s, v), E(sex, v), M = 20", "mean shape, s, v",
                    [&form](const PersonFrames& p) { return form.predict(p, true); }});
    list.push_back({"paper: F(s, v) alone, parts turned by nothing", "mean shape, s, v",
                    [&form](const PersonFrames& p) { return form.predict(p, false); }});
  }
  Scoreboard board(shape, list);
  progress.begin("testing", static_cast<double>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    progress.update(static_cast<double>(i));
    if (all[i].heldOut) board.add(framesOf(shape, people.read(i)));
  }
  progress.end();
  board.write(result);
}

}  // namespace pneuma::shape::internal
