#include "anatomy/skin/chart_grow.h"

#include <Eigen/SVD>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "anatomy/skin/chart_border.h"
#include "anatomy/skin/chart_flatten.h"
#include "pneuma/core/check.h"
#include "pneuma/core/index.h"

namespace pneuma::anatomy::internal {
namespace {

using GrowMatrix = Eigen::SparseMatrix<double>;
using Eigen::Matrix2d;

constexpr int kGrowSteps = 300;
constexpr double kBorderGap = 0.003;  ///< between pieces of the border [m]
constexpr double kBorderForce = 4;    ///< that keeps them apart, against those of the triangles
constexpr int kTrials = 30;           ///< of a step's length
constexpr double kSettled = 1e-6;     ///< of the energy, by which a step must lower it

class Grower {
 public:
  Grower(const TriangleMesh& disc, const std::vector<char>& onMirror)
      : disc_(disc),
        onMirror_(onMirror),
        border_(disc),
        n_(disc.vertexCount()),
        uv_(n_, Vec2::Zero()) {
    for (const Triangle& t : disc.triangles) {
      // Gradients of the corners' weights in the triangle's own plane, first edge along x.
      const Vec3 e = disc.positions[at(t[1])] - disc.positions[at(t[0])],
                 f = disc.positions[at(t[2])] - disc.positions[at(t[0])];
      const double length = e.norm(), x = f.dot(e) / length;
      Matrix2d edges;
      edges << length, x, 0, std::sqrt(std::max(0.0, f.squaredNorm() - x * x));
      const Matrix2d inverse = edges.inverse();
      Eigen::Matrix<double, 3, 2> g;
      g.row(1) = inverse.row(0), g.row(2) = inverse.row(1), g.row(0) = -g.row(1) - g.row(2);
      gradients_.push_back(g);
      areas_.push_back(0.5 * edges.determinant());
    }
  }

  std::vector<Vec2> run() {
    spreadInCircle();
    apart_ = border_.repulsion(uv_, kBorderGap);
    for (int step = 0; step < kGrowSteps && move(wantedPlaces()); ++step) {
    }
    return uv_;
  }

 private:
  /// Border on a circle by its length on the body, the others amid their neighbours. Half of a
  /// symmetric chart: its side on the mirror line straight, the rest of its border on a half
  /// circle.
  void spreadInCircle() {
    const std::vector<std::int32_t> loop = fromTheMirrorOn();
    const std::size_t n = loop.size();
    const auto onLine = static_cast<std::size_t>(
        std::ranges::count_if(loop, [&](std::int32_t v) { return onMirror_[at(v)] != 0; }));
    // The first and the last of the line are its ends: the way around begins at the last.
    const std::size_t bend = onLine > 0 ? onLine - 1 : 0;
    std::vector<double> way{0};
    for (std::size_t i = 0; i < n; ++i)
      way.push_back(way.back() +
                    (disc_.positions[at(loop[(i + 1) % n])] - disc_.positions[at(loop[i])]).norm());
    const double line = way[bend], around = way[n] - line;
    const double radius = onLine > 0 ? std::max(0.5 * line, around / kPi) : around / (2 * kPi);
    const double turn = onLine > 0 ? kPi : 2 * kPi;
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = turn * (way[i] - line) / around - (onLine > 0 ? 0.5 * kPi : 0.0);
      Vec2 p = radius * Vec2(std::cos(angle), std::sin(angle));
      if (i < onLine) p = Vec2(0, radius * (1 - 2 * way[i] / line));
      uv_[at(loop[i])] = side_ < 0 ? Vec2(-p) : p;
    }
    placeAmidNeighbours(loop);
  }

  /// The loop, begun with the run along the mirror line if there is one. Going around the left half
  /// of a chart seen from the front that run leads down and the rest lies to its left, at u > 0; on
  /// the back it leads up.
  std::vector<std::int32_t> fromTheMirrorOn() {
    std::vector<std::int32_t> loop = border_.loop();
    const auto is = [&](std::size_t i) { return onMirror_[at(loop[i % loop.size()])] != 0; };
    std::size_t first = 0, runs = 0;
    for (std::size_t i = 0; i < loop.size(); ++i)
      if (!is(i) && is(i + 1)) first = (i + 1) % loop.size(), ++runs;
    PNEUMA_CHECK(runs <= 1, "skin: a chart meets the mid-plane in {} places", runs);
    std::ranges::rotate(loop, loop.begin() + static_cast<std::ptrdiff_t>(first));
    if (runs == 1) {
      std::size_t last = 0;
      while (is(last + 1)) ++last;
      side_ = disc_.positions[at(loop[0])].y() > disc_.positions[at(loop[last])].y() ? 1 : -1;
    }
    return loop;
  }

  void placeAmidNeighbours(const std::vector<std::int32_t>& loop) {
    std::vector<char> fixed(n_, 0);
    Eigen::MatrixX2d right = Eigen::MatrixX2d::Zero(static_cast<Eigen::Index>(n_), 2);
    std::vector<Eigen::Triplet<double>> entries;
    for (const std::int32_t v : loop) {
      right.row(v) = uv_[at(v)];
      fixed[at(v)] = 1;
      entries.emplace_back(v, v, 1);
    }
    for (const Triangle& t : disc_.triangles)
      for (std::size_t k = 0; k < 3; ++k)
        if (const std::int32_t v = t[k]; fixed[at(v)] == 0)
          for (const std::int32_t w : {t[(k + 1) % 3], t[(k + 2) % 3]}) {
            entries.emplace_back(v, v, 1);
            if (fixed[at(w)] == 0)
              entries.emplace_back(v, w, -1);
            else
              right.row(v) += right.row(w);
          }
    GrowMatrix A(static_cast<Eigen::Index>(n_), static_cast<Eigen::Index>(n_));
    A.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<GrowMatrix> solver(A);
    PNEUMA_CHECK(solver.info() == Eigen::Success, "skin: a chart in a circle");
    const Eigen::MatrixX2d x = solver.solve(right);
    for (std::size_t v = 0; v < n_; ++v)
      if (fixed[v] == 0) uv_[v] = x.row(static_cast<Eigen::Index>(v));
  }

  Matrix2d derivative(std::size_t t, const std::vector<Vec2>& uv) const {
    Matrix2d J = Matrix2d::Zero();
    for (int k = 0; k < 3; ++k)
      J += uv[at(disc_.triangles[t][static_cast<std::size_t>(k)])] * gradients_[t].row(k);
    return J;
  }

  /// The places that the reweighted energy and the border's forces ask for. One vertex of the
  /// border stays, and the mirror line. Unknown 2 v is u, 2 v + 1 is v of vertex v.
  VecX wantedPlaces() const {
    const auto size = static_cast<Eigen::Index>(2 * n_);
    const std::int32_t pin = border_.loop().front();
    const auto stays = [&](std::int32_t v, int axis) {
      return v == pin || (axis == 0 && onMirror_[at(v)] != 0);
    };
    std::vector<Eigen::Triplet<double>> entries;
    VecX right = VecX::Zero(size);
    const auto add = [&](std::int32_t v, std::int32_t w, int a, int b, double value) {
      if (stays(v, a)) return;
      if (stays(w, b))
        right[2 * v + a] -= value * uv_[at(w)][b];
      else
        entries.emplace_back(2 * v + a, 2 * w + b, value);
    };
    for (std::size_t t = 0; t < disc_.triangleCount(); ++t) {
      const Eigen::JacobiSVD<Matrix2d> svd(derivative(t, uv_),
                                           Eigen::ComputeFullU | Eigen::ComputeFullV);
      const Matrix2d &U = svd.matrixU(), R = U * svd.matrixV().transpose();
      Vec2 weight;
      for (int i = 0; i < 2; ++i) {
        const double s = svd.singularValues()[i];
        weight[i] = 1 + 1 / s + 1 / (s * s) + 1 / (s * s * s);  // (s - s^-3) / (s - 1)
      }
      const Matrix2d M = areas_[t] * U * weight.asDiagonal() * U.transpose(), MR = M * R;
      const Eigen::Matrix3d g = gradients_[t] * gradients_[t].transpose();
      for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 2; ++a) {
          const std::int32_t v = disc_.triangles[t][static_cast<std::size_t>(i)];
          if (!stays(v, a)) right[2 * v + a] += MR.row(a).dot(gradients_[t].row(i));
          for (int j = 0; j < 3; ++j)
            for (int b = 0; b < 2; ++b)
              add(v, disc_.triangles[t][static_cast<std::size_t>(j)], a, b, g(i, j) * M(a, b));
        }
    }
    for (std::size_t i = 0; i < border_.loop().size(); ++i)
      for (int a = 0; a < 2; ++a)
        if (const std::int32_t v = border_.loop()[i]; stays(v, a)) {
          entries.emplace_back(2 * v + a, 2 * v + a, 1);
          right[2 * v + a] = uv_[at(v)][a];
        } else {
          right[2 * v + a] += kBorderForce * apart_.forces[i][a];
        }
    GrowMatrix K(size, size);
    K.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<GrowMatrix> solver(K);
    PNEUMA_CHECK(solver.info() == Eigen::Success, "skin: a chart grows");
    return solver.solve(right);
  }

  /// Without a bound where a triangle has no area.
  double energyOf(const std::vector<Vec2>& uv, const ChartBorder::Repulsion& apart) const {
    double sum = kBorderForce * apart.energy;
    for (std::size_t t = 0; t < disc_.triangleCount(); ++t) {
      const Matrix2d J = derivative(t, uv);
      const double size = J.squaredNorm(), area = J.determinant();
      if (!(area > 0)) return std::numeric_limits<double>::infinity();
      sum += 0.5 * areas_[t] * (size + size / (area * area));  // |J^-1| = |J| / det J
    }
    return sum;
  }

  /// Whether a half would lie over its image.
  bool passesMirror(const std::vector<Vec2>& uv) const {
    if (side_ == 0) return false;
    return std::ranges::any_of(border_.loop(), [&](std::int32_t v) {
      return onMirror_[at(v)] == 0 && !(side_ * uv[at(v)].x() > 0);
    });
  }

  /// Moves towards the wanted places by the longest of ever halved steps that lowers the energy
  /// without bringing the border across itself; false when none does.
  bool move(const VecX& wanted) {
    const double before = energyOf(uv_, apart_);
    std::vector<Vec2> next(n_);
    double share = 1;
    for (int trial = 0; trial < kTrials; ++trial, share *= 0.5) {
      for (std::size_t v = 0; v < n_; ++v)
        next[v] = uv_[v] + share * (wanted.segment<2>(static_cast<Eigen::Index>(2 * v)) - uv_[v]);
      ChartBorder::Repulsion apart = border_.repulsion(next, kBorderGap);
      const double energy = energyOf(next, apart);
      if (!(energy < before) || border_.crossesItself(next) || passesMirror(next)) continue;
      uv_ = std::move(next);
      apart_ = std::move(apart);
      return energy < (1 - kSettled) * before;
    }
    return false;
  }

  const TriangleMesh& disc_;
  const std::vector<char>& onMirror_;
  ChartBorder border_;
  std::size_t n_;
  std::vector<Vec2> uv_;
  std::vector<Eigen::Matrix<double, 3, 2>> gradients_;
  std::vector<double> areas_;
  ChartBorder::Repulsion apart_;
  double side_ = 0;  // of the mirror line on which a half lies: 1 at u > 0, -1 below; 0: no line
};

}  // namespace

std::vector<Vec2> grownApart(const TriangleMesh& disc, const std::vector<char>& onMirror) {
  return Grower(disc, onMirror).run();
}

}  // namespace pneuma::anatomy::internal
