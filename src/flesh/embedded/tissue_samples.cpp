#include "flesh/embedded/tissue_samples.h"

#include <cmath>

#include "flesh/embedded/column_raster.h"
#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr std::size_t kGrainTets = 2048;

}  // namespace

TissueSamples::TissueSamples(const Lattice& lattice, const FleshAnatomy& anatomy)
    : lattice_(lattice),
      unit_(lattice.config.spacing / bcc::kFine),
      centre_(lattice.tetCount()),
      labels_(kCount * lattice.tetCount(), kVoid) {
  PNEUMA_CHECK(anatomy.muscles.size() < 32767, "{} muscles", anatomy.muscles.size());
  for (std::size_t t = 0; t < lattice.tetCount(); ++t) {
    Vec3 sum = Vec3::Zero();
    for (const bcc::Int3& c : corners(t)) sum += c.real();
    centre_[t] = (sum / 4).cast<float>();
    for (std::size_t s = 0; s < kCount; ++s)
      if (lattice.piece[t] >> s & 1) labels_[kCount * t + s] = kFat;
  }
  // What is painted later lies over what was painted before.
  if (!anatomy.lungs.empty()) paint(anatomy.lungs, kLung);
  if (!anatomy.gut.empty()) paint(anatomy.gut, kOrgan);
  paintMuscles(anatomy.muscles);
  for (const NamedSolid& bone : anatomy.bones)
    if (!bone.mesh.empty()) paint(bone.mesh, kBone);
}

bcc::Corners TissueSamples::corners(std::size_t tet) const {
  bcc::Corners c;
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3 p = (lattice_.nodes[at(lattice_.tets[tet][k])] - lattice_.origin) / unit_;
    c[k] = {static_cast<std::int32_t>(std::lround(p.x())),
            static_cast<std::int32_t>(std::lround(p.y())),
            static_cast<std::int32_t>(std::lround(p.z()))};
  }
  return c;
}

bcc::Int3 TissueSamples::centroid(const bcc::Corners& c, std::size_t sample) const {
  const auto& w = bcc::microTables().centroid[sample];
  bcc::Int3 sum;
  for (std::size_t k = 0; k < 4; ++k) sum = sum + c[k] * w[k];
  return {sum.x / 16, sum.y / 16, sum.z / 16};
}

Vec3 TissueSamples::place(std::size_t tet, std::size_t sample) const {
  return lattice_.origin + unit_ * centroid(corners(tet), sample).real();
}

template <class Visit>
void TissueSamples::eachInside(const TriangleMesh& mesh, Visit&& visit) const {
  // The solid in lattice units, moved so that its box begins at one; whole units, so that places
  // stay integers.
  Box box;
  std::vector<Vec3> vertices;
  for (const Vec3& p : mesh.positions) {
    vertices.push_back((p - lattice_.origin) / unit_);
    box.add(vertices.back());
  }
  const Vec3 first = box.min.array().floor() - 1;
  for (Vec3& v : vertices) v -= first;
  const Vec3 size = box.max - first;
  const ColumnRaster raster(vertices, mesh.triangles, static_cast<std::int32_t>(size.y()) + 2,
                            static_cast<std::int32_t>(size.z()) + 2);
  const bcc::Int3 offset{static_cast<std::int32_t>(first.x()), static_cast<std::int32_t>(first.y()),
                         static_cast<std::int32_t>(first.z())};
  const Eigen::Vector3f low = box.min.cast<float>(), high = box.max.cast<float>();
  parallelFor(lattice_.tetCount(), kGrainTets, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const auto reach = static_cast<float>(bcc::kFine << lattice_.size[t]);
      const Eigen::Vector3f& c = centre_[t];
      if ((c.array() + reach < low.array()).any() || (c.array() - reach > high.array()).any())
        continue;
      const bcc::Corners tet = corners(t);
      for (std::size_t s = 0; s < kCount; ++s) {
        if (labels_[kCount * t + s] == kVoid) continue;
        const bcc::Int3 p = centroid(tet, s);
        if (raster.inside(p - offset)) visit(t, s, p);
      }
    }
  });
}

void TissueSamples::paint(const TriangleMesh& mesh, std::int16_t label) {
  auto& labels = labels_;
  eachInside(mesh, [&](std::size_t t, std::size_t s, const bcc::Int3&) {
    labels[kCount * t + s] = label;
  });
}

/// Where two solids overlap the deeper one wins: distances are asked for only there.
void TissueSamples::paintMuscles(const std::vector<NamedSolid>& muscles) {
  std::vector<std::unique_ptr<SurfaceQuery>> surface(muscles.size());
  for (std::size_t m = 0; m < muscles.size(); ++m)
    if (!muscles[m].mesh.empty()) surface[m] = std::make_unique<SurfaceQuery>(muscles[m].mesh);
  auto& labels = labels_;
  for (std::size_t m = 0; m < muscles.size(); ++m) {
    if (!surface[m]) continue;
    eachInside(muscles[m].mesh, [&](std::size_t t, std::size_t s, const bcc::Int3& p) {
      std::int16_t& label = labels[kCount * t + s];
      if (label >= 0) {
        const Vec3 place = lattice_.origin + unit_ * p.real();
        const double other = surface[std::size_t(label)]->closest(place).distance;
        if (surface[m]->closest(place).distance <= other) return;
      }
      label = static_cast<std::int16_t>(m);
    });
  }
}

}  // namespace pneuma::flesh::embedded
