#include "pneuma/skin/skin_tension.h"

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "skin/surface_laplacian.h"
#include "skin/vector_cholesky.h"

namespace pneuma::skin {
namespace {

using Matrix = Eigen::SparseMatrix<double>;

}  // namespace

struct SkinTension::Impl {
  std::vector<Vec3> rest, normals;
  std::vector<double> hold;  // A_v / l_v^2
  Matrix laplacian;          // entries -w_ij
  internal::VectorCholesky factor;
  std::vector<Vec3> found;  // right sides, then solutions

  /// s of (L + A / l^2) s = A / l^2 d, into `found`.
  void spread(std::span<const Vec3> d) {
    for (std::size_t v = 0; v < d.size(); ++v) found[v] = hold[v] * d[v];
    factor.solve(found);
  }
};

SkinTension::SkinTension(const TriangleMesh& rest, std::span<const double> slide)
    : impl_(std::make_unique<Impl>()) {
  PNEUMA_CHECK(slide.size() == rest.vertexCount(), "{} lengths for {} vertices", slide.size(),
               rest.vertexCount());
  impl_->rest = rest.positions;
  impl_->laplacian = internal::surfaceLaplacian(rest);
  Matrix matrix = impl_->laplacian;
  const std::vector<double> areas = internal::vertexAreas(rest);
  for (std::size_t v = 0; v < slide.size(); ++v) {
    if (!(slide[v] > 0)) throw InputError("skin tension: skin must slide by more than 0");
    const auto i = static_cast<Eigen::Index>(v);
    impl_->hold.push_back(areas[v] / (slide[v] * slide[v]));
    matrix.coeffRef(i, i) += impl_->hold.back();
  }
  PNEUMA_CHECK(impl_->factor.factorise(matrix), "tension of {} vertices", slide.size());
  impl_->found.resize(slide.size());
  // The normals of the flesh that it slides on: a nipple or a crease is carried along as it is.
  impl_->normals = vertexNormals(rest);
  impl_->spread(impl_->normals);
  for (std::size_t v = 0; v < rest.vertexCount(); ++v)
    impl_->normals[v] = impl_->found[v].normalized();
}
SkinTension::~SkinTension() = default;
SkinTension::SkinTension(SkinTension&&) noexcept = default;

/// With y_i = R_i p_i + t_i an edge's term, y_i - y_j - 1/2 (R_i + R_j) (p_i - p_j), is the mean
/// over its ends of what both motions make of them,
///
///   (R_i - R_j) 1/2 (p_i + p_j) + t_i - t_j,
///
/// and so exactly zero where they are equal.
void SkinTension::relax(std::span<const Pose> motions, std::span<Vec3> shifts) {
  Impl& m = *impl_;
  PNEUMA_CHECK(motions.size() == m.rest.size() && shifts.size() == m.rest.size(),
               "{} motions and {} shifts for {} vertices", motions.size(), shifts.size(),
               m.rest.size());
  parallelFor(m.rest.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3 sum = Vec3::Zero();
      for (Matrix::InnerIterator e(m.laplacian, static_cast<Eigen::Index>(v)); e; ++e) {
        const auto n = static_cast<std::size_t>(e.row());
        if (n == v) continue;
        const Mat3 turn = motions[v].rotation - motions[n].rotation;
        sum += e.value() *
               (turn * (0.5 * (m.rest[v] + m.rest[n])) + motions[v].position - motions[n].position);
      }
      shifts[v] = sum;
    }
  });
  m.factor.solve(shifts);
}

void SkinTension::slide(std::span<Vec3> displacements) {
  Impl& m = *impl_;
  PNEUMA_CHECK(displacements.size() == m.rest.size(), "{} displacements for {} vertices",
               displacements.size(), m.rest.size());
  m.spread(displacements);
  for (std::size_t v = 0; v < displacements.size(); ++v) {
    const Vec3 way = m.found[v] - displacements[v];
    displacements[v] += way - way.dot(m.normals[v]) * m.normals[v];
  }
}

}  // namespace pneuma::skin
