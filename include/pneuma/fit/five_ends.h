#pragma once

#include <array>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/fit/body_frame.h"
#include "pneuma/fit/surface_graph.h"

namespace pneuma::fit {

/// The ends of a human body on its surface, by vertex: the first of a pair is the left one.
struct FiveEnds {
  std::int32_t head = 0;
  std::array<std::int32_t, 2> hands{}, feet{};
  /// Asymmetry of the ways between the ends: sum of their differences over the longest way. Bodies
  /// give 0.00 to 0.05, with one arm raised 0.1.
  double asymmetry = 0;
  double secondBest = 0;  ///< of the next best way to pair the ends
};

/// Points where a surface ends, farthest from its middle first: local maxima, within 0.25 of the
/// largest, of the distance from the vertex with the least mean distance to all others.
std::vector<std::int32_t> findEnds(const TriangleMesh& mesh, const SurfaceGraph& graph);

/// Five of the ends as head, hands and feet, such that the distances between them are as symmetric
/// as can be; the pair nearer to the head are the hands. Left and right are still open. Throws
/// InputError when there are fewer than five ends or the pairing is not clear.
FiveEnds pairEnds(const std::vector<std::int32_t>& ends, const SurfaceGraph& graph);

/// Which way the body stands, and the ends' sides put right.
///
///   up     from the feet to the head           left   from hand to hand and 0.3 of foot to foot
///   front  how far the feet reach before their ankles
///
/// An axis of the file within 25 degrees is taken exactly. The scale is left at 1, the offset at 0.
/// Throws InputError for what stands on four legs.
/// With `sidesKnown` the ends' own left and right say where the front is.
BodyFrame findFrame(const TriangleMesh& mesh, const SurfaceGraph& graph, FiveEnds& ends,
                    bool sidesKnown = false);

/// Metres per unit of a file by the height it shows: m, cm, mm, inch or foot, for heights of 0.4 to
/// 2.6 m, adults first. Throws InputError that asks for the height when none fits.
struct FileUnit {
  std::string name;  ///< "m", "cm", "mm", "in", "ft"
  double metres = 1;
};
FileUnit guessUnit(double heightInFile);

}  // namespace pneuma::fit
