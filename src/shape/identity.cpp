#include "pneuma/shape/identity.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

constexpr double kAlike = 1e-5;  // deviation of a whole trunk below which people do not differ [m]

Vec3 trunkMiddle(const ShapeTemplate& shape, std::span<const Vec3> x) {
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (std::size_t v = 0; v < x.size(); ++v)
    if (shape.trunkVertex[v]) sum += x[v], count += 1;
  return sum / count;
}

}  // namespace

Eigen::RowVectorXf IdentitySpace::trunkRow(const ShapeTemplate& shape, std::span<const Vec3> rest) {
  PNEUMA_CHECK(rest.size() == shape.vertexCount(), "{} vertices for a template of {}", rest.size(),
               shape.vertexCount());
  const Vec3 shift = trunkMiddle(shape, shape.mesh.positions) - trunkMiddle(shape, rest);
  std::vector<float> row;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (!shape.trunkVertex[v]) continue;
    const Vec3 d = rest[v] + shift - shape.mesh.positions[v];
    for (int k = 0; k < 3; ++k) row.push_back(static_cast<float>(d[k]));
  }
  return Eigen::Map<const Eigen::RowVectorXf>(row.data(), static_cast<Index>(row.size()));
}

IdentitySpace IdentitySpace::fit(const RowCompressor& trunks, Index count) {
  const MatX& rows = trunks.coordinates();
  if (rows.rows() < 2 || rows.cols() == 0) return {};
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  const Components c = principalComponents(MatX(rows.rowwise() - mean), count);
  Index kept = 0;
  while (kept < c.variances.size() && c.variances[kept] > kAlike * kAlike) ++kept;
  const MatX directions = c.directions.topRows(kept);
  return {directions.cast<float>() * trunks.basis(), directions * mean.transpose(),
          c.variances.head(kept).cwiseSqrt()};
}

VecX IdentitySpace::scores(const ShapeTemplate& shape, std::span<const Vec3> rest) const {
  VecX z = VecX::Ones(count() + 1);
  if (count() == 0) return z;
  const Eigen::RowVectorXf row = trunkRow(shape, rest);
  PNEUMA_CHECK(row.size() == directions_.cols(), "a trunk of {} numbers; {} were learned from",
               row.size(), directions_.cols());
  const VecX along = (directions_ * row.transpose()).cast<double>();
  for (Index j = 0; j < count(); ++j)
    z[j + 1] = std::clamp((along[j] - means_[j]) / deviations_[j], -kWidest, kWidest);
  return z;
}

IdentitySpace IdentitySpace::first(Index count) const {
  const Index kept = std::min(count, this->count());
  return {directions_.topRows(kept), means_.head(kept), deviations_.head(kept)};
}

}  // namespace pneuma::shape
