#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

/// What a moving body shows of itself. A `Frame` is one moment as plain numbers, a `FrameLayout`
/// says once what these numbers are. Everything that leaves a simulation (GLB, pictures, films,
/// tables, a page, Python, a socket) is made from the two, and from nothing else.
///
/// Order is stable: entry i of a frame's array belongs to entry i of the layout's, for the whole
/// run and for every run of the same model. Names never repeat within one list.
namespace pneuma::body {

/// What something is made of: decides its colour, and what a view shows or hides.
enum class Tissue { Bone, Cartilage, Muscle, Tendon, Organ, Skin };
std::string_view toString(Tissue tissue);

/// The two points of a line.
using Edge = std::array<std::int32_t, 2>;

/// A rigid link and the bones that move with it.
struct FrameLink {
  std::string name;
  int parent = -1;                 ///< in the layout's list, before this one; -1: the world
  std::vector<std::string> bones;  ///< of the body, in its order
  Pose X_WL_rest;                  ///< pose of the link in the rest pose of the body
};

/// Points that move freely: a surface (triangles), lines (edges) or loose points (neither).
struct FramePointSet {
  std::string name;
  std::size_t count = 0;  ///< of points
  Tissue tissue = Tissue::Muscle;
  /// The link whose node carries the set in files: seen from there its shape changes least. Points
  /// in a frame are in the world all the same. -1: the world.
  int carrier = -1;
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;
  std::vector<std::int32_t> labels;     ///< of each point, into `labelNames`; or empty
  std::vector<std::string> labelNames;  ///< regions of the set: "chest", "upper_arm_l"...
};

/// One number over time.
struct FrameScalar {
  std::string group;    ///< of numbers that stand in one table: "joints", "activations"...
  std::string name;     ///< differs within its group
  std::string unit;     ///< "N", "rad"; "" for none
  std::string meaning;  ///< for people; may be empty
};

/// What the arrays of a Frame hold.
struct FrameLayout {
  std::vector<FrameLink> links;
  std::vector<FramePointSet> pointSets;
  std::vector<FrameScalar> scalars;

  /// Adds an entry and returns its index; a name that is already there is a mistake of the caller.
  int addLink(FrameLink link);
  int addPointSet(FramePointSet set);
  int addScalar(FrameScalar scalar);

  /// Each throws InputError with the nearest name when there is no such entry.
  int linkIndex(std::string_view name) const;
  int pointSetIndex(std::string_view name) const;
  int scalarIndex(std::string_view group, std::string_view name) const;
  /// Scalars of one group, in order: they lie side by side in a frame.
  std::vector<int> group(std::string_view name) const;
  /// The groups, in the order of their first scalar.
  std::vector<std::string> groups() const;

  /// Where a set's points begin in Frame::points, and how many points all sets have.
  std::size_t pointOffset(int set) const;
  std::size_t pointCount() const;
};

/// One moment. The arrays are flat, so that they cross any border as they are: a pose is twelve
/// doubles (rotation by columns, then position), a point three.
struct Frame {
  double time = 0;           ///< [s]
  std::vector<Pose> X_WL;    ///< of each link
  std::vector<Vec3> points;  ///< of all sets, one after another, in the world [m]
  std::vector<double> scalars;

  /// Points of one set.
  std::span<const Vec3> pointsOf(const FrameLayout& layout, int set) const;
  std::span<Vec3> pointsOf(const FrameLayout& layout, int set);
};

/// A frame of that layout: links and points at rest and at zero, scalars zero.
Frame makeFrame(const FrameLayout& layout);
/// Whether the frame has as many entries of each kind as the layout; InternalError when not.
void checkFrame(const FrameLayout& layout, const Frame& frame);

}  // namespace pneuma::body
