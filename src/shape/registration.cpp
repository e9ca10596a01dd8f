#include "pneuma/shape/registration.h"

#include <fmt/format.h>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/quantile.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "shape/corner_shares.h"
#include "skin/surface_laplacian.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;
using Sparse = Eigen::SparseMatrix<double>;
/// A vector per vertex: one row each, so that one factor serves all three columns.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3>;

constexpr std::size_t kGrain = 256;          // vertices a thread takes at a time
constexpr double kSolved = 1e-5;             // residual over right side at which gradients stop
constexpr int kMostSteps = 80;               // of conjugate gradients
constexpr double kLeastWeight = 1e-9;        // keeps vertices without any match in place [-]
constexpr double kLeastMedian = 4e-3;        // [m]: what differs less is never an outlier
constexpr double kThinnestTriangle = 1e-14;  // [m^2]
constexpr double kBareFrom = 3e-3;           // [m]: nearer places of the target are covered
constexpr double kBareTo = 2e-2;             // [m]: farther ones belong to something else
constexpr double kBareWeight = 3;            // f, of a bare place against a match of a vertex
constexpr double kBareAngle = -0.2;          // least cosine between normals: walls of a cleft count
constexpr double kBareShare = 0.66;          // of the rounds, from which on bare places draw
constexpr std::size_t kMostBare = 40000;     // places of the target that are looked at

/// A length that goes from the first to the last in equal ratios.
double annealedLength(double first, double last, double share) {
  return first * std::pow(last / first, share);
}

}  // namespace

/// Energies of the template that stay the same from target to target.
struct Registrar::Plate {
  TriangleMesh shape;
  Sparse bending;   // (1 / A) integral of |lap u|^2 [1/m^4]
  Sparse membrane;  // (1 / A) integral of |grad u|^2 [1/m^2]
};

/// Moves a template towards one target, round by round.
class Registrar::Run {
 public:
  Run(const Plate& plate, std::span<const Vec3> start, const RegistrationTarget& target,
      const RegistrationGuide& guide, const RegistrationConfig& config)
      : plate_(plate),
        start_(start.begin(), start.end()),
        x_(start_),
        target_(target),
        guide_(guide),
        config_(config),
        u_(Rows::Zero(static_cast<Index>(start.size()), 3)) {}

  void round(double share) {
    const double reach = annealedLength(config_.firstReach, config_.lastReach, share);
    const double length = annealedLength(config_.firstLength, config_.lastLength, share);
    match(reach);
    findBare(share);
    solve(length);
    for (std::size_t v = 0; v < x_.size(); ++v)
      x_[v] = start_[v] + u_.row(static_cast<Index>(v)).transpose();
  }

  Registered result() {
    match(config_.lastReach);
    Registered r{x_, std::vector<bool>(x_.size()), 0};
    double squared = 0, count = 0;
    for (std::size_t v = 0; v < x_.size(); ++v) {
      r.matched[v] = places_[v].counts;
      if (!places_[v].counts) continue;
      squared += std::pow(places_[v].plane.dot(x_[v] - places_[v].point), 2);
      count += 1;
    }
    r.rms = std::sqrt(squared / count);
    return r;
  }

 private:
  /// The quadratic form of a vertex: what pulls it, and how hard in which direction.
  struct Pull {
    Mat3 matrix = Mat3::Zero();
    Vec3 right = Vec3::Zero();
  };

  double trust(std::size_t v) const { return guide_.trust.empty() ? 1 : guide_.trust[v]; }

  /// Closest points that may count, from the present place of every vertex.
  void match(double reach) {
    const std::vector<Vec3> normals = vertexNormals({x_, plate_.shape.triangles});
    places_.resize(x_.size());
    const double least = std::cos(config_.angle);
    parallelFor(x_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const int label = guide_.labels.empty() ? -1 : guide_.labels[v];
        RegistrationTarget::Place p = target_.closest(x_[v], label);
        p.counts =
            p.counts && p.distance < reach && p.normal.dot(normals[v]) > least && trust(v) > 0;
        places_[v] = p;
      }
    });
    if (std::ranges::none_of(places_, &RegistrationTarget::Place::counts))
      throw InputError(
          "registration: nothing of the surface lies near the template and faces its way");
  }

  /// A place of the target that draws the template in: corners of the triangle closest to it, their
  /// shares, and the way there.
  struct Bare {
    Triangle corners{};
    Vec3 shares = Vec3::Zero(), way = Vec3::Zero();
  };

  /// Places of the target that no vertex comes near.
  void findBare(double share) {
    bare_.clear();
    if (guide_.drawnIn.empty() || share < kBareShare) return;
    const SurfaceQuery own(TriangleMesh{x_, plate_.shape.triangles});
    const std::vector<Vec3> faces = triangleNormals(own.mesh());
    const TriangleMesh& target = target_.surface().mesh();
    const std::size_t stride = target.vertexCount() / kMostBare + 1;
    std::vector<std::optional<Bare>> found(target.vertexCount() / stride);
    parallelFor(found.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3& place = target.positions[i * stride];
        const SurfaceQuery::Hit hit = own.closest(place);
        if (hit.distance < kBareFrom || hit.distance > kBareTo) continue;
        const Triangle& t = own.mesh().triangles[at(hit.triangle)];
        const bool drawn =
            guide_.drawnIn[at(t[0])] && guide_.drawnIn[at(t[1])] && guide_.drawnIn[at(t[2])] &&
            (guide_.labels.empty() || target_.mayBeOn(i * stride, guide_.labels[at(t[0])]));
        if (drawn && target_.normals()[i * stride].dot(faces[at(hit.triangle)]) > kBareAngle)
          found[i] =
              Bare{t, internal::cornerShares(hit.point, x_[at(t[0])], x_[at(t[1])], x_[at(t[2])]),
                   place - hit.point};
      }
    });
    for (const std::optional<Bare>& b : found)
      if (b) bare_.push_back(*b);
  }

  /// Weights of the matches: robust, sum 1.
  std::vector<double> weights() const {
    std::vector<double> distances;
    for (const RegistrationTarget::Place& p : places_)
      if (p.counts) distances.push_back(p.distance);
    const double far = 2 * std::max(pneuma::internal::quantile(distances, 0.5), kLeastMedian);
    std::vector<double> w(places_.size(), 0);
    double sum = 0;
    for (std::size_t v = 0; v < w.size(); ++v)
      if (places_[v].counts) sum += w[v] = trust(v) / (1 + std::pow(places_[v].distance / far, 2));
    for (double& weight : w) weight /= sum;
    return w;
  }

  /// What matches and anchors ask of u, vertex by vertex.
  std::vector<Pull> pulls() const {
    const std::vector<double> w = weights();
    std::vector<Pull> pulls(x_.size());
    const double stay = kLeastWeight / static_cast<double>(x_.size());
    for (std::size_t v = 0; v < x_.size(); ++v) {
      pulls[v].matrix = stay * Mat3::Identity();
      if (!places_[v].counts) continue;
      const Vec3& n = places_[v].plane;
      const Mat3 form = w[v] * (n * n.transpose() + config_.along * Mat3::Identity());
      pulls[v].matrix += form;
      pulls[v].right = form * (places_[v].point - start_[v]);
    }
    const double each = kBareWeight / static_cast<double>(x_.size());
    for (const Bare& b : bare_)
      for (int k = 0; k < 3; ++k) {
        const std::size_t v = at(b.corners[static_cast<std::size_t>(k)]);
        pulls[v].matrix += each * b.shares[k] * Mat3::Identity();
        pulls[v].right += each * b.shares[k] * (x_[v] + b.way - start_[v]);
      }
    for (const Anchor& a : guide_.anchors) {
      const double m = config_.anchored / static_cast<double>(guide_.anchors.size());
      pulls[at(a.vertex)].matrix += m * Mat3::Identity();
      pulls[at(a.vertex)].right += m * (a.place - start_[at(a.vertex)]);
    }
    return pulls;
  }

  /// Preconditioned conjugate gradients on (plate + pulls) u = right, from the present u.
  void solve(double length) {
    const std::vector<Pull> pull = pulls();
    const auto n = static_cast<Index>(x_.size());
    const double l2 = length * length;
    const Sparse stiff = l2 * l2 * plate_.bending + config_.tension * l2 * plate_.membrane;
    // The conditioner sees each pull as equal in all directions, by the mean of its matrix.
    Sparse even = stiff;
    Rows right(n, 3);
    for (Index v = 0; v < n; ++v) {
      const Pull& p = pull[static_cast<std::size_t>(v)];
      even.coeffRef(v, v) += p.matrix.trace() / 3;
      right.row(v) = p.right.transpose();
    }
    if (!analysed_) factor_.analyzePattern(even);
    analysed_ = true;
    factor_.factorize(even);
    if (factor_.info() != Eigen::Success)
      throw InputError("registration: the surface does not hold the template in place");
    const auto apply = [&](const Rows& u) {
      Rows result = stiff.selfadjointView<Eigen::Lower>() * u;
      for (Index v = 0; v < n; ++v)
        result.row(v) +=
            (pull[static_cast<std::size_t>(v)].matrix * u.row(v).transpose()).transpose();
      return result;
    };
    const auto dot = [](const Rows& a, const Rows& b) { return a.cwiseProduct(b).sum(); };
    Rows r = right - apply(u_), z = factor_.solve(r), p = z;
    double rz = dot(r, z);
    const double enough = kSolved * kSolved * std::max(dot(right, right), 1e-300);
    for (int step = 0; step < kMostSteps && dot(r, r) > enough; ++step) {
      const Rows q = apply(p);
      const double a = rz / dot(p, q);
      u_ += a * p;
      r -= a * q;
      z = factor_.solve(r);
      const double next = dot(r, z);
      p = z + next / rz * p;
      rz = next;
    }
  }

  const Plate& plate_;
  std::vector<Vec3> start_, x_;
  const RegistrationTarget& target_;
  const RegistrationGuide& guide_;
  const RegistrationConfig& config_;
  Rows u_;
  std::vector<RegistrationTarget::Place> places_;
  std::vector<Bare> bare_;
  Eigen::SimplicialLLT<Sparse> factor_;
  bool analysed_ = false;
};

Registrar::Registrar(TriangleMesh shape) {
  for (const Triangle& t : shape.triangles)
    if (!(triangleArea(shape.positions[at(t[0])], shape.positions[at(t[1])],
                       shape.positions[at(t[2])]) > kThinnestTriangle))
      throw InputError("registration: a triangle of the template has no area");
  const std::vector<double> areas = skin::internal::vertexAreas(shape);
  double total = 0;
  for (const double a : areas) total += a;
  const Sparse L = skin::internal::surfaceLaplacian(shape);
  Sparse inverseMass(L.rows(), L.cols());
  inverseMass.setIdentity();
  for (Index v = 0; v < L.rows(); ++v)
    inverseMass.coeffRef(v, v) =
        1 / std::max(areas[static_cast<std::size_t>(v)], kThinnestTriangle);
  auto plate = std::make_unique<Plate>();
  plate->bending = Sparse(L * inverseMass * L) / total;
  plate->membrane = L / total;
  plate->shape = std::move(shape);
  plate_ = std::move(plate);
}

Registrar::~Registrar() = default;
Registrar::Registrar(Registrar&&) noexcept = default;

Registered Registrar::run(std::span<const Vec3> start, const RegistrationTarget& target,
                          const RegistrationGuide& guide, const RegistrationConfig& config) const {
  const std::size_t n = plate_->shape.vertexCount();
  const auto fits = [&](std::size_t count) { return count == 0 || count == n; };
  if (start.size() != n || !fits(guide.trust.size()) || !fits(guide.labels.size()) ||
      !fits(guide.drawnIn.size()))
    throw InputError(
        fmt::format("registration: {} vertices to start from, {} weights, {} labels; "
                    "the template has {} vertices",
                    start.size(), guide.trust.size(), guide.labels.size(), n));
  for (const Anchor& a : guide.anchors)
    if (a.vertex < 0 || at(a.vertex) >= n || !a.place.allFinite())
      throw InputError(fmt::format("registration: vertex {} of an anchor", a.vertex));
  if (config.rounds < 1) throw InputError("registration: needs at least one round");
  Run run(*plate_, start, target, guide, config);
  for (int i = 0; i < config.rounds; ++i)
    run.round(config.rounds > 1 ? static_cast<double>(i) / (config.rounds - 1) : 1);
  return run.result();
}

SurfaceDistances measureDistances(std::span<const Vec3> points, const SurfaceQuery& surface,
                                  const std::vector<bool>& chosen) {
  std::vector<double> all(points.size());
  parallelFor(points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) all[i] = surface.closest(points[i]).distance;
  });
  std::vector<double> d;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen.empty() || chosen[i]) d.push_back(all[i]);
  SurfaceDistances result{.count = d.size()};
  if (d.empty()) return result;
  for (const double x : d) result.mean += x, result.rms += x * x;
  result.mean /= static_cast<double>(d.size());
  result.rms = std::sqrt(result.rms / static_cast<double>(d.size()));
  result.p95 = pneuma::internal::quantile(d, 0.95);
  result.p99 = pneuma::internal::quantile(d, 0.99);
  result.max = std::ranges::max(d);
  return result;
}

}  // namespace pneuma::shape
