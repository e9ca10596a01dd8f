#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/core/quads.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma::flesh {

/// A spring between two vertices.
struct SurfaceSpring {
  int a = 0, b = 0;
  double share = 1;  ///< of the body's stiffness and damping that it has, > 0
};

/// A closed surface of point masses with springs between them, its loops in vector registers:
/// volume, its gradient and the springs' forces at the state that `position` and `velocity` hold.
/// Nothing but the constructor allocates.
class SealedSurface {
 public:
  using Quads = pneuma::internal::Quads;

  /// At rest in the mesh; springs are slack there.
  SealedSurface(const TriangleMesh& mesh, std::span<const SurfaceSpring> springs);
  /// The edges of a mesh, each once, as springs.
  static std::vector<SurfaceSpring> edgesOf(const TriangleMesh& mesh);

  std::size_t vertexCount() const { return position.size(); }
  /// Sum of the shares of the springs at each vertex.
  const std::vector<double>& springsAt() const { return springsAt_; }
  std::span<const SurfaceSpring> springs() const { return springs_; }
  double restLength(std::size_t spring) const;

  /// Brings volume, gradient and areas to the present positions.
  void readVolume();
  /// force = that of all springs with stiffness k [N/m] and damping b [N s/m].
  void pull(double k, double b);

  Quads position, velocity;  ///< state [m], [m/s]
  Quads gradient;     ///< of the volume [m^2]; `rest`: a third of the area of the faces around
  Quads force;        ///< of the springs [N]
  double volume = 0;  ///< [m^3]
  double area = 0;    ///< [m^2]

 private:
  static constexpr std::size_t kFour = 4;
  /// Four faces, four springs: bytes from the first vertex to theirs. The last ones are filled up
  /// with faces and springs of one vertex, which do nothing.
  using Bytes = std::array<std::int32_t, kFour>;
  struct FaceQuad {
    Bytes a{}, b{}, c{};
  };
  struct SpringQuad {
    Bytes a{}, b{};
    std::array<double, kFour> restLength{}, share{};
  };
  std::vector<SurfaceSpring> springs_;
  std::vector<double> springsAt_;
  std::vector<FaceQuad> faceQuads_;
  std::vector<SpringQuad> springQuads_;
};

}  // namespace pneuma::flesh
