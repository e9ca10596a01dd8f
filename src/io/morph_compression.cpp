#include "pneuma/io/morph_compression.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"

namespace pneuma::io {
namespace {

using Frames = std::span<const std::vector<Vec3>>;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Vertices per piece of work. Small enough that a piece of 300 frames stays in the cache, large
// enough for matrix products; the bounds depend on nothing else, so results repeat bit for bit.
constexpr std::size_t kGramGrain = 2048, kErrorGrain = 64, kVertexGrain = 1024;
constexpr std::size_t kModesPerPass = 16;

double max(double a, double b) {
  return a < b ? b : a;
}

void checkInput(Frames frames, const MorphCompressionConfig& config) {
  if (!(config.tolerance > 0))
    throw InputError(Diagnostic{.field = "tolerance",
                                .message = fmt::format("is {}", config.tolerance),
                                .expected = "a length > 0 [m]"});
  if (frames.empty() || frames[0].empty()) throw InputError("no frames to turn into morph targets");
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].size() != frames[0].size())
      throw InputError(fmt::format("frame {} has {} vertices, but frame 0 has {}", i,
                                   frames[i].size(), frames[0].size()));
    for (std::size_t v = 0; v < frames[i].size(); ++v)
      if (!frames[i][v].allFinite())
        throw InputError(fmt::format("vertex {} of frame {} is not finite", v, i));
  }
}

/// Finds U and S, decides K, and builds targets and weights.
class Compressor {
 public:
  Compressor(Frames frames, std::span<const Triangle> triangles,
             const MorphCompressionConfig& config)
      : frames_(frames), triangles_(triangles), config_(config), vertexCount_(frames[0].size()) {}

  MorphSequence run() {
    computeBase();
    computeModes();
    std::size_t count = chooseCount();
    build(count);
    // Rounding to 32 bits may cost the last hair of the tolerance.
    while (result_.largestError > config_.tolerance && count < limit()) build(++count);
    if (config_.normals && !triangles_.empty()) fitNormals();
    return std::move(result_);
  }

 private:
  std::size_t limit() const {
    const std::size_t most =
        config_.mostTargets > 0 ? static_cast<std::size_t>(config_.mostTargets) : rank_;
    return std::min(rank_, most);
  }

  void computeBase() {
    result_.frameCount = frames_.size();
    result_.base.resize(vertexCount_);
    parallelFor(vertexCount_, kVertexGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        Vec3 sum = Vec3::Zero();
        for (const auto& frame : frames_) sum += frame[v];
        // Rounded at once: deviations are then measured from what the file holds.
        result_.base[v] = (sum / static_cast<double>(frames_.size())).cast<float>().cast<double>();
      }
    });
  }

  /// Deviations of some vertices: one row per frame.
  RowMatrix deviations(std::size_t begin, std::size_t end) const {
    RowMatrix a(static_cast<Eigen::Index>(frames_.size()),
                static_cast<Eigen::Index>(3 * (end - begin)));
    for (std::size_t i = 0; i < frames_.size(); ++i)
      for (std::size_t v = begin; v < end; ++v)
        a.block<1, 3>(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(3 * (v - begin))) =
            (frames_[i][v] - result_.base[v]).transpose();
    return a;
  }

  void computeModes() {
    const auto n = static_cast<Eigen::Index>(frames_.size());
    const MatX zero = MatX::Zero(n, n);
    const MatX gram =
        parallelReduce(vertexCount_, kGramGrain, zero, [&](std::size_t begin, std::size_t end) {
          const RowMatrix a = deviations(begin, end);
          MatX part = MatX::Zero(n, n);
          part.selfadjointView<Eigen::Lower>().rankUpdate(a);
          return part;
        });
    const Eigen::SelfAdjointEigenSolver<MatX> solver(gram);  // reads the lower half; values rise
    PNEUMA_CHECK(solver.info() == Eigen::Success, "eigenvalues of {} frames", n);
    modes_ = solver.eigenvectors().rowwise().reverse();
    values_ = solver.eigenvalues().reverse().cwiseMax(0);
    rank_ = 0;
    const double floor = 1e-15 * values_[0];
    while (rank_ < frames_.size() && values_[static_cast<Eigen::Index>(rank_)] > floor) ++rank_;
  }

  /// The smallest number of modes whose largest vertex error is below the tolerance.
  std::size_t chooseCount() const {
    // The largest error is at least the root mean square one, which the singular values give.
    const double room =
        config_.tolerance * config_.tolerance * static_cast<double>(vertexCount_ * frames_.size());
    std::size_t first = rank_;
    double rest = 0;
    while (first > 0 && rest + values_[static_cast<Eigen::Index>(first - 1)] <= room)
      rest += values_[static_cast<Eigen::Index>(--first)];
    while (first < limit()) {
      const std::size_t last = std::min(first + kModesPerPass, limit());
      const std::vector<double> errors = largestErrors(first, last);
      for (std::size_t k = 0; k < errors.size(); ++k)
        if (errors[k] <= config_.tolerance) return first + k;
      first = last;
    }
    return limit();
  }

  /// Largest vertex error with first, first + 1, ..., last modes.
  std::vector<double> largestErrors(std::size_t first, std::size_t last) const {
    const std::vector<double> none(last - first + 1, 0.0);
    const auto head = static_cast<Eigen::Index>(first);
    const auto combine = [](const std::vector<double>& a, const std::vector<double>& b) {
      std::vector<double> c(a.size());
      std::transform(a.begin(), a.end(), b.begin(), c.begin(), max);
      return c;
    };
    const auto body = [&](std::size_t begin, std::size_t end) {
      RowMatrix residual = deviations(begin, end);
      const RowMatrix shapes =
          modes_.leftCols(static_cast<Eigen::Index>(last)).transpose() * residual;
      residual.noalias() -= modes_.leftCols(head) * shapes.topRows(head);
      std::vector<double> errors(none.size());
      for (std::size_t k = 0; k < errors.size(); ++k) {
        if (k > 0) {
          const auto mode = static_cast<Eigen::Index>(first + k - 1);
          residual.noalias() -= modes_.col(mode) * shapes.row(mode);
        }
        errors[k] = largestRow(residual);
      }
      return errors;
    };
    return parallelReduce(vertexCount_, kErrorGrain, none, body, combine);
  }

  /// Largest length among the 3-vectors of a matrix of deviations.
  static double largestRow(const RowMatrix& a) {
    double largest = 0;
    const double* p = a.data();
    for (Eigen::Index i = 0; i < a.size(); i += 3, p += 3)
      largest = max(largest, p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    return std::sqrt(largest);
  }

  void build(std::size_t count) {
    setWeights(count);
    result_.targets.assign(count, {});
    for (std::size_t k = 0; k < count; ++k) {
      result_.targets[k].name = fmt::format("mode_{:02}", k + 1);
      result_.targets[k].offsets.resize(vertexCount_);
    }
    // Offsets that cannot matter become exact zeros, which the file need not store.
    const double small =
        1e-3 * config_.tolerance / static_cast<double>(std::max<std::size_t>(count, 1));
    result_.largestError = parallelReduce(
        vertexCount_, kErrorGrain, 0.0,
        [&](std::size_t begin, std::size_t end) { return buildVertices(begin, end, small); },
        [](double a, double b) { return max(a, b); });
  }

  /// Weights with their largest magnitude at +1, rounded as in the file.
  void setWeights(std::size_t count) {
    const auto n = static_cast<Eigen::Index>(frames_.size());
    const auto k = static_cast<Eigen::Index>(count);
    scale_ = VecX::Zero(k);
    rounded_ = MatX::Zero(n, k);
    for (Eigen::Index mode = 0; mode < k; ++mode) {
      Eigen::Index peak = 0;
      modes_.col(mode).cwiseAbs().maxCoeff(&peak);
      scale_[mode] = modes_(peak, mode);
      rounded_.col(mode) = (modes_.col(mode) / scale_[mode]).cast<float>().cast<double>();
    }
    result_.weights.resize(frames_.size() * count);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index mode = 0; mode < k; ++mode)
        result_.weights[static_cast<std::size_t>(i * k + mode)] = rounded_(i, mode);
  }

  /// Sets the offsets of some vertices and returns the largest error among them.
  double buildVertices(std::size_t begin, std::size_t end, double small) {
    const auto count = scale_.size();
    RowMatrix residual = deviations(begin, end);
    RowMatrix shapes = scale_.asDiagonal() * (modes_.leftCols(count).transpose() * residual);
    for (Eigen::Index k = 0; k < count; ++k) {
      for (std::size_t v = begin; v < end; ++v) {
        auto offset = shapes.block<1, 3>(k, static_cast<Eigen::Index>(3 * (v - begin)));
        if (offset.norm() < small) offset.setZero();
        offset = offset.cast<float>().cast<double>().eval();
        result_.targets[static_cast<std::size_t>(k)].offsets[v] = offset.transpose();
      }
    }
    residual.noalias() -= rounded_ * shapes;
    return largestRow(residual);
  }

  /// The best normals for the given weights: the columns of U are orthonormal, so each normal
  /// target is a weighted sum of the frames' normals.
  void fitNormals() {
    const std::size_t count = result_.targets.size();
    result_.baseNormals = vertexNormals({result_.base, {triangles_.begin(), triangles_.end()}});
    for (MorphTarget& t : result_.targets) t.normalOffsets.assign(vertexCount_, Vec3::Zero());
    constexpr std::size_t kBatch = 8;  // frames whose normals are held at a time
    std::vector<std::vector<Vec3>> normals(kBatch);
    for (std::size_t first = 0; first < frames_.size() && count > 0; first += kBatch) {
      const std::size_t batch = std::min(kBatch, frames_.size() - first);
      parallelFor(batch, 1, [&](std::size_t b, std::size_t) {
        normals[b] = vertexNormals({frames_[first + b], {triangles_.begin(), triangles_.end()}});
      });
      parallelFor(vertexCount_, kVertexGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = 0; k < count; ++k) {
          const auto mode = static_cast<Eigen::Index>(k);
          std::vector<Vec3>& offsets = result_.targets[k].normalOffsets;
          for (std::size_t b = 0; b < batch; ++b) {
            const double u = modes_(static_cast<Eigen::Index>(first + b), mode) * scale_[mode];
            for (std::size_t v = begin; v < end; ++v)
              offsets[v] += u * (normals[b][v] - result_.baseNormals[v]);
          }
        }
      });
    }
  }

  Frames frames_;
  std::span<const Triangle> triangles_;
  const MorphCompressionConfig& config_;
  std::size_t vertexCount_;
  MatX modes_;   ///< U, by falling singular value
  VecX values_;  ///< squares of the singular values [m^2]
  std::size_t rank_ = 0;
  VecX scale_;    ///< weight = U / scale
  MatX rounded_;  ///< weights as in the file
  MorphSequence result_;
};

}  // namespace

MorphSequence compressFrames(Frames frames, std::span<const Triangle> triangles,
                             const MorphCompressionConfig& config) {
  checkInput(frames, config);
  return Compressor(frames, triangles, config).run();
}

std::vector<Vec3> rebuildFrame(const MorphSequence& sequence, std::size_t frame) {
  PNEUMA_CHECK(frame < sequence.frameCount, "frame {} of {}", frame, sequence.frameCount);
  std::vector<Vec3> points = sequence.base;
  const std::size_t count = sequence.targetCount();
  for (std::size_t k = 0; k < count; ++k) {
    const double weight = sequence.weights[frame * count + k];
    for (std::size_t v = 0; v < points.size(); ++v)
      points[v] += weight * sequence.targets[k].offsets[v];
  }
  return points;
}

int addSequence(GltfScene& scene, const std::string& name, const MorphSequence& sequence,
                std::span<const Triangle> triangles, std::vector<double> times, int material) {
  PNEUMA_CHECK(times.size() == sequence.frameCount, "{} times for {} frames", times.size(),
               sequence.frameCount);
  GltfMesh mesh{
      .name = name, .positions = sequence.base, .material = material, .targets = sequence.targets};
  mesh.triangles.assign(triangles.begin(), triangles.end());
  mesh.normals = sequence.baseNormals;
  const int node = scene.addNodeFor(scene.addMesh(std::move(mesh)));
  if (sequence.targetCount() > 0)
    scene.nodes.back().animation = {.times = std::move(times), .weights = sequence.weights};
  return node;
}

}  // namespace pneuma::io
