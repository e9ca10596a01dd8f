#pragma once

#include <variant>
#include <vector>

#include "pneuma/muscle/wrap_surface.h"
#include "pneuma/skeleton/model.h"

/// Muscle paths, compiled for one skeleton: straight segments between points on links, and wraps
/// over surfaces on links.
///
/// The length of a segment from point A to point B changes only with the degrees of freedom between
/// the two links and their common ancestor. The unit line wrench W = (r x u, u), the same for every
/// point r of the line, gives all of them at once: d(length)/dq_j = +S_j . W on the side of B and
/// -S_j . W on the side of A, where S_j is the joint axis as a spatial vector. So a row of the
/// moment-arm matrix is a few dot products over contiguous ranges of joint axes.
namespace pneuma::muscle {

/// A point fixed to a link, in the link's frame; link -1 is the world.
struct LinkPoint {
  int link = -1;
  Vec3 position = Vec3::Zero();  ///< [m]
};

/// Part of a row: `count` degrees of freedom from `dof` on, stored from `row` on in the arms.
struct RowRange {
  int dof = 0;
  int count = 0;
  int row = 0;
};

/// What a line contributes to a part of a row: sign * (S_j . W).
struct ArmTerm {
  RowRange range;
  double sign = 1;   ///< +1 on the side of the line's end, -1 on the side of its start
  bool add = false;  ///< false: nothing is stored there yet in this evaluation
};

/// Terms [begin, end) of PathSet::terms, ascending in dof.
struct TermSpan {
  int begin = 0;
  int end = 0;
};

/// The straight line from one point of a muscle to the next.
struct Segment {
  int muscle = 0;
  int pointA = 0;
  int pointB = 0;
  TermSpan terms;
};

/// A surface fixed to a link.
struct LinkSurface {
  int link = -1;
  Pose X_LS;  ///< surface frame in the link's frame
  std::variant<WrapCylinder, WrapEllipsoid> shape;
};

/// How one degree of freedom acts on a wrap: +1, 0 or -1 for each end moving against the surface, 1
/// or 0 for moving the surface itself.
struct WrapMove {
  int dof = 0;
  double a = 0;
  double b = 0;
  double surface = 0;
};

/// The way from one point to the next with a surface between them.
struct WrapElement {
  int muscle = 0;
  int pointA = 0;
  int pointB = 0;
  LinkSurface surface;
  TermSpan direct;              ///< line A to B, when the surface is not touched
  TermSpan first;               ///< line from A to the surface
  TermSpan second;              ///< line from the surface to B
  std::vector<WrapMove> moves;  ///< ascending in dof
};

/// The paths of all muscles as flat arrays, and where their moment arms are stored.
struct PathSet {
  std::vector<LinkPoint> points;   ///< muscle by muscle, origin to insertion
  std::vector<int> pointBegin;     ///< points of muscle m: [pointBegin[m], pointBegin[m + 1])
  std::vector<Segment> segments;   ///< muscle by muscle
  std::vector<WrapElement> wraps;  ///< muscle by muscle
  std::vector<ArmTerm> terms;
  std::vector<RowRange> ranges;       ///< rows of all muscles, ascending in dof
  std::vector<int> rangeBegin;        ///< ranges of muscle m: [rangeBegin[m], rangeBegin[m + 1])
  std::vector<RowRange> wrappedRows;  ///< rows that must be zeroed first
  int armCount = 0;                   ///< values of all rows together
  int largestTermSpan = 0;            ///< most degrees of freedom moved by one element

  int muscleCount() const { return static_cast<int>(pointBegin.size()) - 1; }
};

/// A path as described: points, and the surfaces between them.
struct PathDescription {
  /// A surface the path may bend over.
  struct Wrap {
    int afterPoint = 0;  ///< between this point and the next
    LinkSurface surface;
  };
  std::vector<LinkPoint> points;  ///< at least two
  std::vector<Wrap> wraps;        ///< at most one after each point
};

/// Compiles paths. Links and counts must be valid (compileMuscles checks them with names).
PathSet compilePaths(const skeleton::Model& model, const std::vector<PathDescription>& paths);

}  // namespace pneuma::muscle
