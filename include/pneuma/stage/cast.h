#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pneuma/body/frame.h"
#include "pneuma/render/color.h"
#include "pneuma/render/scene.h"

/// How frames become visible: which surfaces and lines stand for their links and points. A cast is
/// made once for a body; GLB, pictures and films are all drawn from it.
namespace pneuma::stage {

/// A rigid surface that moves with a link.
struct RigidPart {
  std::string name;
  body::Tissue tissue = body::Tissue::Bone;
  int link = -1;       ///< of the layout; -1: stands still
  TriangleMesh mesh;   ///< in the link's frame [m]
  bool framed = true;  ///< false: a camera need not make room for all of it
  std::shared_ptr<const render::Texture> eye = {};  ///< colours of an eyeball; null: its tissue's
};

/// How closely a few morph targets follow a shape in files.
struct MorphQuality {
  double tolerance = 1e-4;  ///< largest distance of any vertex in any frame [m], > 0
  int mostTargets = 0;      ///< 0: as many as the tolerance asks for
};

/// A surface that changes its shape: a point set of the frame, or a shape that follows from it (a
/// skin over bones, a refined belly).
struct SoftPart {
  std::string name;
  body::Tissue tissue = body::Tissue::Muscle;
  int carrier = -1;  ///< link whose node carries it in files; -1: the world
  std::vector<Triangle> triangles;
  /// In the world [m], as many points for every frame.
  std::function<std::vector<Vec3>(const body::Frame&)> positions;
  /// A finer shape for pictures, made from `positions`; both empty: the same shape.
  std::vector<Triangle> fineTriangles;
  std::function<std::vector<Vec3>(std::vector<Vec3>)> refine;
  std::vector<render::Color> colors;  ///< of the drawn vertices; empty: the tissue's
  MorphQuality morphs;
  double fileOpacity = 1;  ///< in files
  bool held = false;       ///< a thing of iron that the body holds
  /// How hard it works in a frame, 0 .. 1, shown by its colour; or null.
  std::function<double(const body::Frame&)> activation;
};

/// A set of lines: muscles, tendons, elements.
struct LinePart {
  std::string name;
  body::Tissue tissue = body::Tissue::Muscle;
  double radius = 1e-3;  ///< in pictures [m]
  MorphQuality morphs{.tolerance = 2e-4, .mostTargets = 8};
  bool inFiles = true;              ///< false: in pictures only
  std::vector<std::int32_t> begin;  ///< first point of each line; last the number of all points
  std::vector<std::string> names;   ///< of each line, for files; or empty
  std::function<std::vector<Vec3>(const body::Frame&)> positions;  ///< in the world [m]
  /// What the colour of each line tells in a frame (activation, tension), and the colours for such
  /// values; both null: the tissue's colour. In files, where colours stand still, a line has the
  /// colour of its greatest value.
  std::function<std::vector<double>(const body::Frame&)> load;
  std::function<std::vector<render::Color>(const std::vector<double>&)> shade;

  std::size_t lineCount() const { return begin.size() - 1; }
};

/// Everything that is shown.
struct Cast {
  std::vector<RigidPart> rigid;
  std::vector<SoftPart> soft;
  std::vector<LinePart> lines;
};

/// A point set of the layout as a surface, just as it is.
SoftPart softPart(const body::FrameLayout& layout, int set);

/// The shape of a part in pictures.
std::vector<Vec3> drawnPositions(const SoftPart& part, const body::Frame& frame);
const std::vector<Triangle>& drawnTriangles(const SoftPart& part);

/// Where a link's rest surface goes in a frame: X_WL of its link, the identity for -1.
Pose poseOf(const RigidPart& part, const body::Frame& frame);

}  // namespace pneuma::stage
