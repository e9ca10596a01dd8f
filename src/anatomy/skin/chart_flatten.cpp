#include "anatomy/skin/chart_flatten.h"

#include <Eigen/SVD>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "anatomy/skin/chart_border.h"
#include "anatomy/skin/chart_grow.h"
#include "anatomy/skin/symmetric_mesh.h"
#include "pneuma/core/check.h"

namespace pneuma::anatomy::internal {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Corners = std::array<Vec2, 3>;

constexpr int kRigidSteps = 500;

/// A triangle in its own plane: first edge along x.
Corners ownPlane(const TriangleMesh& mesh, const Triangle& t) {
  const Vec3 e = mesh.positions[at(t[1])] - mesh.positions[at(t[0])],
             f = mesh.positions[at(t[2])] - mesh.positions[at(t[0])];
  const double length = e.norm(), x = f.dot(e) / length;
  return {Vec2(0, 0), Vec2(length, 0), Vec2(x, std::sqrt(std::max(0.0, f.squaredNorm() - x * x)))};
}

/// Numbers the unknowns of a problem in which some are known.
class Unknowns {
 public:
  explicit Unknowns(std::size_t count) : value_(count, 0), known_(count, 0) {}
  void fix(std::size_t i, double value) { value_[i] = value, known_[i] = 1; }
  void number() {
    place_.assign(known_.size(), -1);
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (!known_[i]) place_[i] = free_++;
  }
  int place(std::size_t i) const { return place_[i]; }  ///< -1: known
  double value(std::size_t i) const { return value_[i]; }
  int free() const { return free_; }

 private:
  std::vector<double> value_;
  std::vector<char> known_;
  std::vector<int> place_;
  int free_ = 0;
};

class Flattener {
 public:
  Flattener(const TriangleMesh& mesh, const std::vector<char>& onMirror)
      : mesh_(mesh), onMirror_(onMirror), n_(mesh.vertexCount()), uv_(n_, Vec2::Zero()) {
    for (const Triangle& t : mesh.triangles) own_.push_back(ownPlane(mesh, t));
    choosePins();
  }

  std::vector<Vec2> run() {
    conformal();
    scaleToSize();
    rigid();
    if (turned() > 0 || ChartBorder(mesh_).crossesItself(uv_) || passesMirror())
      uv_ = grownApart(mesh_, onMirror_);
    PNEUMA_CHECK(turned() == 0, "skin: a chart of {} triangles does not lie flat: {} turn over",
                 mesh_.triangleCount(), turned());
    return uv_;
  }

 private:
  /// The two vertices farthest from one another (of those on the mirror line, if any).
  void choosePins() {
    std::vector<std::size_t> from;
    for (std::size_t v = 0; v < n_; ++v)
      if (onMirror_[v]) from.push_back(v);
    mirrored_ = !from.empty();
    if (!mirrored_)
      for (std::size_t v = 0; v < n_; ++v) from.push_back(v);
    const auto farthest = [&](std::size_t v) {
      return *std::max_element(from.begin(), from.end(), [&](std::size_t a, std::size_t b) {
        return (mesh_.positions[a] - mesh_.positions[v]).squaredNorm() <
               (mesh_.positions[b] - mesh_.positions[v]).squaredNorm();
      });
    };
    high_ = farthest(from.front());
    low_ = farthest(high_);
    if (mesh_.positions[high_].y() < mesh_.positions[low_].y()) std::swap(high_, low_);
  }

  void conformal() {
    // Unknown 2 v is u, 2 v + 1 is v of vertex v.
    Unknowns unknowns(2 * n_);
    const double length = (mesh_.positions[high_] - mesh_.positions[low_]).norm();
    for (std::size_t v = 0; v < n_; ++v)
      if (onMirror_[v]) unknowns.fix(2 * v, 0);
    for (const std::size_t v : {low_, high_}) unknowns.fix(2 * v, 0);
    unknowns.fix(2 * low_ + 1, 0);
    unknowns.fix(2 * high_ + 1, length);
    unknowns.number();
    std::vector<Eigen::Triplet<double>> entries;
    VecX right = VecX::Zero(unknowns.free());
    for (std::size_t t = 0; t < mesh_.triangleCount(); ++t)
      addConformal(t, unknowns, entries, right);
    Sparse A(unknowns.free(), unknowns.free());
    A.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Sparse> solver(A);
    PNEUMA_CHECK(solver.info() == Eigen::Success, "skin: conformal map of a chart");
    const VecX x = solver.solve(right);
    for (std::size_t i = 0; i < 2 * n_; ++i)
      uv_[i / 2][static_cast<int>(i % 2)] =
          unknowns.place(i) < 0 ? unknowns.value(i) : x[unknowns.place(i)];
  }

  /// The two rows of a triangle's Cauchy-Riemann equations, as normal equations.
  void addConformal(std::size_t t, const Unknowns& unknowns,
                    std::vector<Eigen::Triplet<double>>& entries, VecX& right) const {
    const Corners& p = own_[t];
    const double scale = 1 / std::sqrt(std::max(signedArea2(p[0], p[1], p[2]), 1e-20));
    std::array<std::size_t, 6> index;
    std::array<std::array<double, 6>, 2> row;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec2 w = scale * (p[(k + 2) % 3] - p[(k + 1) % 3]);
      const std::size_t v = at(mesh_.triangles[t][k]);
      index[2 * k] = 2 * v, index[2 * k + 1] = 2 * v + 1;
      row[0][2 * k] = w.x(), row[0][2 * k + 1] = -w.y();
      row[1][2 * k] = w.y(), row[1][2 * k + 1] = w.x();
    }
    for (const auto& r : row)
      for (std::size_t i = 0; i < 6; ++i) {
        const int a = unknowns.place(index[i]);
        for (std::size_t j = 0; a >= 0 && j < 6; ++j) {
          const int b = unknowns.place(index[j]);
          if (b >= 0)
            entries.emplace_back(a, b, r[i] * r[j]);
          else
            right[a] -= r[i] * r[j] * unknowns.value(index[j]);
        }
      }
  }

  void scaleToSize() {
    double flat = 0, size = 0;
    for (std::size_t t = 0; t < mesh_.triangleCount(); ++t) {
      flat += std::abs(areaOf(t));
      size += signedArea2(own_[t][0], own_[t][1], own_[t][2]);
    }
    for (Vec2& p : uv_) p *= std::sqrt(size / flat);
  }

  double areaOf(std::size_t t) const {
    const Triangle& c = mesh_.triangles[t];
    return signedArea2(uv_[at(c[0])], uv_[at(c[1])], uv_[at(c[2])]);
  }
  std::size_t turned() const {
    std::size_t count = 0;
    for (std::size_t t = 0; t < mesh_.triangleCount(); ++t) count += !(areaOf(t) > 0);
    return count;
  }

  /// Whether vertices of half a chart lie on both sides of the mirror line.
  bool passesMirror() const {
    double least = 0, most = 0;
    for (const Vec2& p : uv_) least = std::min(least, p.x()), most = std::max(most, p.x());
    return mirrored_ && least < 0 && most > 0;
  }

  /// Cotangent of the angle opposite to each edge (k, k+1), kept positive.
  std::array<double, 3> cotangents(std::size_t t) const {
    std::array<double, 3> c;
    const Corners& p = own_[t];
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec2 a = p[k] - p[(k + 2) % 3], b = p[(k + 1) % 3] - p[(k + 2) % 3];
      c[k] = std::max(0.02, a.dot(b) / signedArea2(p[0], p[1], p[2]));
    }
    return c;
  }

  void rigid() {
    std::array<Unknowns, 2> unknowns{Unknowns(n_), Unknowns(n_)};
    for (std::size_t v = 0; v < n_; ++v)
      if (onMirror_[v]) unknowns[0].fix(v, 0);
    unknowns[0].fix(low_, uv_[low_].x());
    unknowns[1].fix(low_, uv_[low_].y());
    std::array<Eigen::SimplicialLDLT<Sparse>, 2> solvers;
    for (std::size_t a = 0; a < 2; ++a) {
      unknowns[a].number();
      solvers[a].compute(stiffness(unknowns[a]));
    }
    std::vector<Vec2> good = uv_;
    bool proper = turned() == 0;
    for (int step = 0; step < kRigidSteps; ++step) {
      const std::vector<Eigen::Matrix2d> turns = rotations();
      for (std::size_t a = 0; a < 2; ++a) {
        const VecX x = solvers[a].solve(pull(unknowns[a], turns, static_cast<int>(a)));
        for (std::size_t v = 0; v < n_; ++v)
          if (unknowns[a].place(v) >= 0) uv_[v][static_cast<int>(a)] = x[unknowns[a].place(v)];
      }
      if (turned() == 0) good = uv_, proper = true;
    }
    if (proper) uv_ = good;
  }

  Sparse stiffness(const Unknowns& unknowns) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t t = 0; t < mesh_.triangleCount(); ++t) {
      const std::array<double, 3> c = cotangents(t);
      for (std::size_t k = 0; k < 3; ++k) {
        const int i = unknowns.place(at(mesh_.triangles[t][k])),
                  j = unknowns.place(at(mesh_.triangles[t][(k + 1) % 3]));
        if (i >= 0) entries.emplace_back(i, i, c[k]);
        if (j >= 0) entries.emplace_back(j, j, c[k]);
        if (i >= 0 && j >= 0) entries.emplace_back(i, j, -c[k]), entries.emplace_back(j, i, -c[k]);
      }
    }
    Sparse K(unknowns.free(), unknowns.free());
    K.setFromTriplets(entries.begin(), entries.end());
    return K;
  }

  /// The rotation nearest to each triangle's map.
  std::vector<Eigen::Matrix2d> rotations() const {
    std::vector<Eigen::Matrix2d> turns(mesh_.triangleCount());
    for (std::size_t t = 0; t < turns.size(); ++t) {
      const std::array<double, 3> c = cotangents(t);
      Eigen::Matrix2d S = Eigen::Matrix2d::Zero();
      for (std::size_t k = 0; k < 3; ++k) {
        const Triangle& tri = mesh_.triangles[t];
        const Vec2 now = uv_[at(tri[k])] - uv_[at(tri[(k + 1) % 3])];
        S += c[k] * now * (own_[t][k] - own_[t][(k + 1) % 3]).transpose();
      }
      const double angle = std::atan2(S(1, 0) - S(0, 1), S(0, 0) + S(1, 1));
      turns[t] = Eigen::Rotation2Dd(angle).toRotationMatrix();
    }
    return turns;
  }

  VecX pull(const Unknowns& unknowns, const std::vector<Eigen::Matrix2d>& turns, int axis) const {
    VecX right = VecX::Zero(unknowns.free());
    for (std::size_t t = 0; t < mesh_.triangleCount(); ++t) {
      const std::array<double, 3> c = cotangents(t);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t vi = at(mesh_.triangles[t][k]), vj = at(mesh_.triangles[t][(k + 1) % 3]);
        const int i = unknowns.place(vi), j = unknowns.place(vj);
        const double edge = (turns[t] * (own_[t][k] - own_[t][(k + 1) % 3]))[axis];
        if (i >= 0) right[i] += c[k] * (edge + (j < 0 ? unknowns.value(vj) : 0.0));
        if (j >= 0) right[j] += c[k] * (-edge + (i < 0 ? unknowns.value(vi) : 0.0));
      }
    }
    return right;
  }

  const TriangleMesh& mesh_;
  const std::vector<char>& onMirror_;
  std::size_t n_;
  std::vector<Vec2> uv_;
  std::vector<Corners> own_;
  std::size_t low_ = 0, high_ = 0;
  bool mirrored_ = false;
};

}  // namespace

double signedArea2(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (c.x() - a.x()) * (b.y() - a.y());
}

std::vector<Vec2> flattened(const TriangleMesh& disc, const std::vector<char>& onMirror) {
  return Flattener(disc, onMirror).run();
}

ChartStretch stretchOf(const Vec3& a, const Vec3& b, const Vec3& c, const Vec2& ua, const Vec2& ub,
                       const Vec2& uc) {
  const TriangleMesh one{{a, b, c}, {{0, 1, 2}}};
  const Corners p = ownPlane(one, one.triangles[0]);
  Eigen::Matrix2d from, to;
  from << p[1] - p[0], p[2] - p[0];
  to << ub - ua, uc - ua;
  const Vec2 s = Eigen::JacobiSVD<Eigen::Matrix2d>(to * from.inverse()).singularValues();
  return {s[0], s[1]};
}

}  // namespace pneuma::anatomy::internal
