#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pneuma/core/surface_query.h"
#include "pneuma/fit/breath_transfer.h"

/// Steps of BreathTransfer.
namespace pneuma::fit::internal {

/// A point of a triangle surface by its corners.
struct SurfacePlace {
  Triangle corners{};
  Vec3 weights = Vec3::Zero();  ///< sum 1

  template <class Values>
  Vec3 of(const Values& values) const {
    return weights[0] * values[static_cast<std::size_t>(corners[0])] +
           weights[1] * values[static_cast<std::size_t>(corners[1])] +
           weights[2] * values[static_cast<std::size_t>(corners[2])];
  }
};
SurfacePlace placeOf(const TriangleMesh& mesh, const SurfaceQuery::Hit& hit);

/// Neighbours by edges, each list rising.
std::vector<std::vector<std::int32_t>> edgeNeighbours(std::size_t vertexCount,
                                                      const std::vector<Triangle>& triangles);

/// How a vertex of the body gets its motion.
enum class Binding : std::uint8_t { Free, Skin, HandLeft, HandRight };

/// The body's vertices against the skin, all in the body frame [m].
struct BodyBinding {
  std::vector<Binding> kinds;
  std::vector<SurfacePlace> places;  ///< on the skin
  /// Bound vertices that the left and the right hand follow.
  std::array<std::vector<std::int32_t>, 2> forearm;
  double trunkShare = 0;  ///< of the trunk's vertices that are bound
};
BodyBinding bindBody(const TriangleMesh& body, const anatomy::SkinSurface& skin, double height,
                     const TransferConfig& config);

/// How much of its motion each vertex of the skin gives away when the head is to stay still: none
/// on the head, all below the neck, smoothly in between.
std::vector<double> stillHeadShares(const anatomy::SkinSurface& skin);

/// A vertex of the clothes on the body.
struct ClothBinding {
  SurfacePlace place;          ///< on the body
  Vec3 normal = Vec3::Zero();  ///< of the body there, outwards; zero: not kept on top
  double follow = 1;           ///< share of the body's motion
  double loose = 0;            ///< 0: as the body moves, 1: as its neighbours do
};
std::vector<ClothBinding> bindCloth(std::span<const Vec3> cloth, const TriangleMesh& body,
                                    double height, const TransferConfig& config);

}  // namespace pneuma::fit::internal
