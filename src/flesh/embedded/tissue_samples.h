#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "flesh/embedded/bcc.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/flesh/embedded/body_flesh.h"

namespace pneuma::flesh::embedded {

/// What each small tetrahedron of the lattice's material lies in: a muscle of the anatomy by its
/// number, or one of the values below zero.
class TissueSamples {
 public:
  static constexpr std::int16_t kVoid = -1, kFat = -2, kBone = -3, kLung = -4, kOrgan = -5;
  static constexpr std::size_t kCount = 64;

  TissueSamples(const Lattice& lattice, const FleshAnatomy& anatomy);

  std::int16_t label(std::size_t tet, std::size_t sample) const {
    return labels_[kCount * tet + sample];
  }
  Vec3 place(std::size_t tet, std::size_t sample) const;  ///< at rest [m]

 private:
  bcc::Corners corners(std::size_t tet) const;
  bcc::Int3 centroid(const bcc::Corners& c, std::size_t sample) const;
  /// Calls visit(tet, sample, place) for all samples of material inside a closed surface.
  template <class Visit>
  void eachInside(const TriangleMesh& mesh, Visit&& visit) const;
  void paint(const TriangleMesh& mesh, std::int16_t label);
  void paintMuscles(const std::vector<NamedSolid>& muscles);

  const Lattice& lattice_;
  double unit_;
  std::vector<Eigen::Vector3f> centre_;  ///< of each tetrahedron, lattice units
  std::vector<std::int16_t> labels_;
};

}  // namespace pneuma::flesh::embedded
