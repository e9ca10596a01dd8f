#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pneuma/flesh/embedded/body_flesh.h"

namespace pneuma::flesh::embedded {

/// Which bones a node of the flesh goes with, for a first guess of its place in a new pose: the
/// bone nearest along the lattice (never across a gap between arm and trunk), evened out over some
/// cells.
struct NodeCarriers {
  static constexpr std::size_t kMost = 4;
  struct Node {
    std::array<std::int32_t, kMost> bone{};
    std::array<float, kMost> weight{};  ///< descending, sum 1
  };
  std::vector<Node> nodes;  ///< of the free nodes
};

NodeCarriers makeCarriers(const BodyFlesh& flesh);

}  // namespace pneuma::flesh::embedded
