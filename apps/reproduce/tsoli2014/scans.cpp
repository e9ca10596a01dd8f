#include "reproduce/tsoli2014/scans.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "pneuma/shape/learn.h"
#include "pneuma/shape/scan.h"
#include "pneuma/shape/tracking.h"

namespace pneuma::reproduce::tsoli2014 {
namespace {

constexpr std::size_t kScannedPeople = 2;  // of those held out
constexpr int kPaintedPoints = 200;

/// Sums over scans.
struct ScanSums {
  double surface = 0, correspondence = 0, breath = 0, count = 0;
};

/// Two frames of a trial: most and least gas.
struct TwoFrames {
  const std::vector<Vec3>*full, *empty;
};
TwoFrames extremes(const shape::PersonTrial& trial) {
  const auto [least, most] =
      std::ranges::minmax_element(trial.samples, {}, &shape::BreathSample::lungVolume);
  return {&trial.frames[static_cast<std::size_t>(most - trial.samples.begin())],
          &trial.frames[static_cast<std::size_t>(least - trial.samples.begin())]};
}

/// One person's scans with one setting.
class Scanned {
 public:
  Scanned(const shape::BreathModel& model, const shape::PersonData& data)
      : shape_(model.shape()), person_(model, data.rest), tracker_(person_) {
    for (std::size_t v = 0; v < shape_.vertexCount(); ++v)
      guide_.trust.push_back(shape_.trunkVertex[v] || shape_.fixedVertex[v] ? 1 : 0.2);
  }

  /// The skin that is found in a scan of `truth`, back in the frame of the truth.
  std::vector<Vec3> find(const std::vector<Vec3>& truth, const shape::ScanConfig& config,
                         ScanSums& sums) {
    const shape::Scan scan = shape::simulateScan(shape_, truth, config);
    guide_.anchors = scan.paint;
    std::vector<Vec3> x = tracker_.track(shape::RegistrationTarget(scan.mesh), guide_).positions;
    const Pose back = scan.X_SW.inverse();
    for (Vec3& p : x) p = back * p;
    const SurfaceQuery clean({truth, shape_.mesh.triangles});
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (!shape_.trunkVertex[v]) continue;
      sums.surface += std::pow(clean.closest(x[v]).distance, 2);
      sums.correspondence += (x[v] - truth[v]).squaredNorm();
      sums.breath += (person_.rest()[v] - truth[v]).squaredNorm();
      sums.count += 1;
    }
    return x;
  }

  double volume(const std::vector<Vec3>& x) const {
    return enclosedVolume(x, shape_.mesh.triangles);
  }

 private:
  shape::ShapeTemplate shape_;
  shape::PersonBreath person_;
  shape::Tracker tracker_;
  shape::RegistrationGuide guide_;
};

}  // namespace

std::vector<ScanLine> registerScans(const shape::PeopleFolder& people,
                                    const shape::BreathModel& model, Progress& progress) {
  std::vector<shape::PersonData> scanned;
  for (std::size_t i = 0; i < people.people().size() && scanned.size() < kScannedPeople; ++i)
    if (people.people()[i].heldOut) scanned.push_back(people.read(i));
  std::vector<ScanLine> lines;
  if (scanned.empty()) return lines;
  progress.begin("registering scans", 6);
  for (const double noise : {0.2e-3, 0.5e-3, 1e-3})
    for (const int painted : {0, kPaintedPoints}) {
      progress.update(static_cast<double>(lines.size()));
      ScanSums sums;
      double found = 0, truth = 0, gaps = 0, count = 0;
      shape::ScanConfig config{.noise = noise, .painted = painted};
      for (const shape::PersonData& data : scanned) {
        Scanned scans(model, data);
        for (const char* name : {"deep", "normal"}) {
          auto trial = std::ranges::find(data.trials, name, &shape::PersonTrial::name);
          if (trial == data.trials.end())  // short trials
            trial = std::ranges::find(data.trials, "chest", &shape::PersonTrial::name);
          if (trial == data.trials.end()) continue;
          const TwoFrames two = extremes(*trial);
          for (const auto& [frame, sign] : {std::pair{two.full, 1}, std::pair{two.empty, -1}}) {
            ++config.seed;
            const double is = scans.volume(*frame);
            const double seen = scans.volume(scans.find(*frame, config, sums));
            found += sign * seen, truth += sign * is;
            gaps += (seen - is) * (seen - is), count += 1;
          }
        }
      }
      const double n = std::max(1.0, sums.count);
      lines.push_back({noise, painted, std::sqrt(sums.surface / n),
                       std::sqrt(sums.correspondence / n), std::sqrt(sums.breath / n),
                       found / truth, std::sqrt(gaps / std::max(1.0, count))});
    }
  progress.end();
  return lines;
}

std::vector<VolumeLine> volumeFromShape(const shape::PeopleFolder& people,
                                        const shape::BreathModel& model) {
  const shape::ShapeTemplate shape = model.shape();
  std::vector<double> truth, mesh, nearest;
  for (std::size_t i = 0; i < people.people().size(); ++i) {
    if (!people.people()[i].heldOut) continue;
    const shape::PersonFrames p = shape::framesOf(shape, people.read(i));
    const shape::PersonBreath person(model, p.rest);
    const Eigen::Index K = person.componentCount();
    // Coefficients of the nearest shape on the trunk.
    MatX on(K, static_cast<Eigen::Index>(3 * std::ranges::count(shape.trunkVertex, true)));
    std::vector<Eigen::Index> columns;
    for (std::size_t v = 0; v < shape.vertexCount(); ++v) {
      if (!shape.trunkVertex[v]) continue;
      for (Eigen::Index m = 0; m < K; ++m)
        on.block<1, 3>(m, std::ssize(columns)) =
            person.components()[static_cast<std::size_t>(m)][v].transpose();
      for (Eigen::Index k = 0; k < 3; ++k) columns.push_back(static_cast<Eigen::Index>(3 * v) + k);
    }
    const MatX weights =
        (on * on.transpose())
            .ldlt()
            .solve(on * p.displacements(Eigen::all, columns).cast<double>().transpose());
    for (std::size_t k = 0; k < p.moments.size(); ++k) {
      truth.push_back(p.moments[k].volume * p.area);
      mesh.push_back(p.meshVolume[k]);
      nearest.push_back(person.volumeOf(weights.col(static_cast<Eigen::Index>(k))));
    }
  }
  if (truth.empty()) return {};
  const auto line = [&](std::string name, const std::vector<double>& told) {
    const Eigen::Map<const VecX> x(truth.data(), std::ssize(truth)),
        y(told.data(), std::ssize(told));
    const VecX dx = x.array() - x.mean(), dy = y.array() - y.mean();
    const double xx = std::max(1e-300, dx.squaredNorm()), yy = std::max(1e-300, dy.squaredNorm());
    return VolumeLine{std::move(name), dx.dot(dy) / xx, dx.dot(dy) / std::sqrt(xx * yy),
                      std::sqrt((y - x).squaredNorm() / static_cast<double>(x.size()))};
  };
  return {line("volume of the mesh", mesh), line("volume of the model's nearest shape", nearest)};
}

}  // namespace pneuma::reproduce::tsoli2014
