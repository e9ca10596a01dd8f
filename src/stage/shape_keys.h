#pragma once

#include <optional>
#include <span>

#include "pneuma/stage/asset.h"
#include "pneuma/stage/cast.h"
#include "pneuma/stage/frame_track.h"

namespace pneuma::stage::internal {

/// Soft parts and lines of a cast as shapes over the keys of a loop.
class ShapeKeys {
 public:
  /// `loop` none: the first frame alone. Both must outlive this.
  ShapeKeys(const Clip& clip, const std::optional<Loop>& loop) : clip_(clip), loop_(loop) {}

  AssetShape of(const SoftPart& part) const;
  /// A line has the colour of its greatest load: glTF cannot animate colours.
  AssetShape of(const LinePart& part) const;

 private:
  template <class Part>
  io::MorphSequence keys(const Part& part, int carrier, std::span<const Triangle> triangles) const;

  const Clip& clip_;
  const std::optional<Loop>& loop_;
};

/// Makes all weights lie in [0, 1], where Blender and other programs keep them: the base moves to
/// where each target is least. Targets are named breath_1, breath_2, ...
void useUnitWeights(io::MorphSequence& sequence);

}  // namespace pneuma::stage::internal
