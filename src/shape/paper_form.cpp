#include "shape/paper_form.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::shape {

std::vector<Vec3> turnedParts(const GradientMap& map, std::span<const Vec3> rest,
                              const Eigen::RowVectorXd& turns) {
  const ShapeTemplate& shape = map.shape();
  PNEUMA_CHECK(turns.size() == static_cast<Eigen::Index>(3 * shape.partNames.size()),
               "{} numbers for {} parts", turns.size(), shape.partNames.size());
  PlaneGradients T = map.gradients(rest);
  for (std::size_t t = 0; t < T.size(); ++t)
    T[t] = expRotation(turns.segment<3>(3 * shape.partOfTriangle[t]).transpose()) * T[t];
  return map.vertices(T, rest);
}

}  // namespace pneuma::shape

namespace pneuma::shape::internal {
namespace {

using Eigen::Index;

constexpr Index kPaperRank = 96, kPoseComponents = 4;  // [Tsoli14, Sec. 5.2]: N = 4
constexpr double kCorrelated = 0.3;  // with volume, below which a pose component is dropped

std::vector<Vec3> skinOf(const PersonFrames& p, Index row) {
  std::vector<Vec3> x = p.rest;
  for (std::size_t v = 0; v < x.size(); ++v)
    x[v] += p.displacements.block<1, 3>(row, static_cast<Index>(3 * v)).transpose().cast<double>();
  return x;
}

double correlation(const VecX& a, const VecX& b) {
  const VecX x = a.array() - a.mean(), y = b.array() - b.mean();
  const double size = x.norm() * y.norm();
  return size > 0 ? x.dot(y) / size : 0;
}

Eigen::Matrix<double, 1, 6> flat(const PlaneGradient& g) {
  return g.reshaped().transpose();
}

/// Values of a line through (x, y) where x is largest.
double lineAtLargest(const std::vector<double>& x, const VecX& y) {
  const MatX line = fitTrialLine(x, y);
  return line(0, 0) + line(1, 0) * std::ranges::max(x);
}

}  // namespace

PaperSplit splitFrames(const GradientMap& map, const PersonFrames& p) {
  const ShapeTemplate& shape = map.shape();
  const Index frames = p.displacements.rows();
  const std::size_t triangles = shape.triangleCount(), parts = shape.partNames.size();
  std::vector<std::vector<Mat3>> R(static_cast<std::size_t>(frames));
  PaperSplit split;
  split.B.resize(frames, static_cast<Index>(6 * triangles));
  parallelFor(R.size(), 1, [&](std::size_t i, std::size_t) {
    const std::vector<Vec3> x = skinOf(p, static_cast<Index>(i));
    R[i] = partRotations(shape, x);
    const PlaneGradients T = map.gradients(x);
    for (std::size_t t = 0; t < triangles; ++t)
      split.B.block<1, 6>(static_cast<Index>(i), static_cast<Index>(6 * t)) =
          flat(R[i][at(shape.partOfTriangle[t])].transpose() * T[t]).cast<float>();
  });
  // D is the mean shape and B what is left of it (Eq. 4), by the root of the area, so that
  // components do not follow how finely a place is meshed.
  const Eigen::RowVectorXf D = split.B.colwise().mean();
  for (std::size_t t = 0; t < triangles; ++t) {
    split.D.push_back(D.segment<6>(static_cast<Index>(6 * t)).cast<double>().reshaped(3, 2));
    split.B.middleCols<6>(static_cast<Index>(6 * t)).rowwise() -=
        D.segment<6>(static_cast<Index>(6 * t));
    split.B.middleCols<6>(static_cast<Index>(6 * t)) *=
        static_cast<float>(std::sqrt(map.areas()[t]));
  }
  // Turns of parts against their mean (Eq. 5): logarithms are additive only near it.
  split.c.resize(frames, static_cast<Index>(3 * parts));
  for (std::size_t l = 0; l < parts; ++l) {
    std::vector<Mat3> all;
    for (const std::vector<Mat3>& r : R) all.push_back(r[l]);
    split.a.push_back(meanRotation(all));
    for (Index i = 0; i < frames; ++i)
      split.c.block<1, 3>(i, static_cast<Index>(3 * l)) =
          logRotation(all[static_cast<std::size_t>(i)] * split.a[l].transpose()).transpose();
  }
  const double mean =
      std::accumulate(p.meshVolume.begin(), p.meshVolume.end(), 0.0) / static_cast<double>(frames);
  for (const double v : p.meshVolume) split.volumes.push_back(v - mean);
  return split;
}

std::vector<Vec3> joinFrame(const GradientMap& map, const PaperSplit& split,
                            const Eigen::RowVectorXd& breath, const Eigen::RowVectorXd& pose,
                            const std::vector<Vec3>& rest) {
  const ShapeTemplate& shape = map.shape();
  std::vector<Mat3> R;
  for (std::size_t l = 0; l < split.a.size(); ++l)
    R.push_back(expRotation(pose.segment<3>(static_cast<Index>(3 * l)).transpose()) * split.a[l]);
  PlaneGradients T(shape.triangleCount());
  for (std::size_t t = 0; t < T.size(); ++t)
    T[t] = R[at(shape.partOfTriangle[t])] *
           (split.D[t] + breath.segment<6>(static_cast<Index>(6 * t)).reshaped(3, 2) /
                             std::sqrt(map.areas()[t]));
  return map.vertices(T, rest);
}

std::vector<double> paperTypes(const PersonFrames& p, const std::vector<double>& volumes) {
  std::vector<double> types;
  const int trials = p.trial.empty() ? 0 : std::ranges::max(p.trial) + 1;
  double chestMean = 0, bellyMean = 0;
  for (const BreathMoment& m : p.moments) {
    chestMean += m.chest / static_cast<double>(p.moments.size());
    bellyMean += m.belly / static_cast<double>(p.moments.size());
  }
  for (int k = 0; k < trials; ++k) {
    std::vector<double> v, chest, belly;
    for (std::size_t i = 0; i < p.trial.size(); ++i)
      if (p.trial[i] == k) {
        v.push_back(volumes[i]);
        chest.push_back(p.moments[i].chest - chestMean);
        belly.push_back(p.moments[i].belly - bellyMean);
      }
    if (v.empty()) {
      types.push_back(0.5);
      continue;
    }
    const double c = lineAtLargest(v, Eigen::Map<const VecX>(chest.data(), std::ssize(chest)));
    const double b = lineAtLargest(v, Eigen::Map<const VecX>(belly.data(), std::ssize(belly)));
    types.push_back(c + b != 0 ? c / (c + b) : 0.5);
  }
  return types;
}

PaperForm::PaperForm(const GradientMap& map, Index components)
    : map_(&map),
      count_(components),
      rows_(static_cast<Index>(6 * map.shape().triangleCount()), kPaperRank) {}

void PaperForm::learnFrom(const PersonFrames& p) {
  const PaperSplit split = splitFrames(*map_, p);
  const std::vector<double> types = paperTypes(p, split.volumes);
  const auto first = static_cast<Index>(volumes_.size());
  for (std::size_t i = 0; i < p.trial.size(); ++i) {
    const auto row = first + static_cast<Index>(i);
    if (i == 0 || p.trial[i] != p.trial[i - 1])
      trials_.push_back({row, 0, types[static_cast<std::size_t>(p.trial[i])]});
    ++trials_.back().count;
    poses_.emplace_back(split.c.row(static_cast<Index>(i)));
    female_.push_back(p.entry.female);
  }
  volumes_.insert(volumes_.end(), split.volumes.begin(), split.volumes.end());
  rows_.add(split.B);
}

void PaperForm::finish() {
  const Components pca = principalComponents(rows_.coordinates(), count_);
  const MatX coefficients = rows_.coordinates() * pca.directions.transpose();
  std::vector<TypeVolumeFunction::Trial> lines;
  for (const Trial& t : trials_)
    lines.push_back(
        {t.type, fitTrialLine(std::span(volumes_).subspan(static_cast<std::size_t>(t.first),
                                                          static_cast<std::size_t>(t.count)),
                              coefficients.middleRows(t.first, t.count))});
  F_ = TypeVolumeFunction::fit(lines);
  breathDirections_ = (pca.directions.cast<float>() * rows_.basis()).cast<double>();

  // Pose: components, those that go with volume, a line for each sex (Eqs 9 and 10).
  MatX c(static_cast<Index>(poses_.size()), poses_.front().size());
  for (Index i = 0; i < c.rows(); ++i) c.row(i) = poses_[static_cast<std::size_t>(i)];
  const Components pose = principalComponents(c, kPoseComponents);
  const Eigen::Map<const VecX> v(volumes_.data(), std::ssize(volumes_));
  const MatX h = c * pose.directions.transpose();
  pose_ = {pose.directions, pose.variances.cwiseMax(0).cwiseSqrt(), VecX(h.cols())};
  std::vector<Index> kept;
  for (Index n = 0; n < h.cols(); ++n) {
    pose_.correlations[n] = correlation(h.col(n), v);
    if (std::abs(pose_.correlations[n]) >= kCorrelated) kept.push_back(n);
  }
  poseDirections_ = pose.directions(kept, Eigen::all);
  for (const bool female : {false, true}) {
    std::vector<Index> rows;
    std::vector<double> volumes;
    for (std::size_t i = 0; i < female_.size(); ++i)
      if (female_[i] == female) {
        rows.push_back(static_cast<Index>(i));
        volumes.push_back(volumes_[i]);
      }
    L_[female ? 1 : 0] = rows.empty() ? MatX(MatX::Zero(2, std::ssize(kept)))
                                      : fitTrialLine(volumes, MatX(h(rows, kept)));
  }
}

Eigen::RowVectorXd PaperForm::poseAt(bool female, double volume) const {
  const MatX& L = L_[female ? 1 : 0];
  return (L.row(0) + volume * L.row(1)) * poseDirections_;
}

FeatureRows PaperForm::predict(const PersonFrames& p, bool turn) const {
  const PaperSplit split = splitFrames(*map_, p);
  const std::vector<double> types = paperTypes(p, split.volumes);
  FeatureRows predicted(p.displacements.rows(), p.displacements.cols());
  parallelFor(p.trial.size(), 1, [&](std::size_t i, std::size_t) {
    const Eigen::RowVectorXd breath =
        F_(types[static_cast<std::size_t>(p.trial[i])], split.volumes[i]) * breathDirections_;
    const Eigen::RowVectorXd pose =
        turn ? poseAt(p.entry.female, split.volumes[i])
             : Eigen::RowVectorXd(Eigen::RowVectorXd::Zero(split.c.cols()));
    const std::vector<Vec3> x = joinFrame(*map_, split, breath, pose, p.rest);
    for (std::size_t v = 0; v < x.size(); ++v)
      predicted.block<1, 3>(static_cast<Index>(i), static_cast<Index>(3 * v)) =
          (x[v] - p.rest[v]).transpose().cast<float>();
  });
  return predicted;
}

}  // namespace pneuma::shape::internal
