#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skin/layered_driver.h"
#include "pneuma/stage/asset.h"
#include "pneuma/stage/cast.h"
#include "pneuma/stage/frame_track.h"

/// A recording of a breathing body taken apart into what its joints do and what breath does.
namespace pneuma::stage {

/// A body that was recorded, and how its frames are read.
struct RecordedBody {
  const anatomy::Body* body = nullptr;              ///< fitted to its person
  const anatomy::CompiledBody* compiled = nullptr;  ///< its links are the joints of the armature
  /// Motion of each link from its place at rest.
  std::function<std::vector<Pose>(const body::Frame&)> motions;
  std::vector<bool> breathing;   ///< links that breath moves; what the others do is the posture
  std::vector<int> jointOfBone;  ///< joint that carries each bone of the body; empty: its link
  double lungVolumeUnit = 1;     ///< of the scalar `breath/lung_volume` [m^3], where there is one
  double gaitCycle = 0;          ///< [s]; 0: the motion is not cyclic
  const Cast* cast = nullptr;    ///< bones, and soft parts and lines besides the skin

  // The skin, or null.
  const anatomy::SkinSurface* surface = nullptr;
  const skin::LayeredDriver* driver = nullptr;  ///< with weights and breath
  /// Its vertices with the breath of a frame and without the posture (LayeredDriver::breathe);
  /// null: nobody breathes.
  std::function<std::vector<Vec3>(const body::Frame&)> restSkin;
  const anatomy::SkinTopology* fileTopology = nullptr;  ///< a coarser level for files, or null
};

/// The body as armature, skin, bones, motion and breath.
///
/// Joints stand at the links' joint centres, in the rest pose; those that breath moves (ribs,
/// sternum...) as they are at the end of a breath out, frame e. With X_j the pose of joint j, a
/// joint's keys are poses in its parent's frame: those of `breathing` joints become the animation
/// `breath`, the others `motion`, so the two never meet.
///
/// The breath is a shape of the rest pose: x_v(t), what the breath of frame t makes of the mesh
/// with no posture. It goes back through what the armature's breathing joints do to it (linear
/// blend of their motions from frame e):
///
///   y_v(t) = B_v(t)^-1 x_v(t)      B_v = sum_j w_vj X_j(t) X_j(e)^-1
///
/// and y is what the breath's targets follow (makeBreathLoop): morph first, then joints, give the
/// simulated skin. The posed skin is not carried back instead: what a raised arm or a stride does
/// to creases and to skin over ribs depends on the posture, not on the breath, and no few targets
/// could follow it. What a gait does to the skin beyond its pose (the sway of the belly) is part of
/// the breath only where the two are locked, else left out: played in another time it would be
/// wrong. Other soft parts follow by few targets of their own, seen from their carrier.
///
/// `breath` shows all whole breaths, closed; without a whole breath the cycle of the gait, or else
/// the recording as it is. `motion` shows one cycle of a gait, closed, from above the origin and
/// with the way it makes over the floor; or the recording as it is, or a pose that is held.
AssetInput makeLayers(const RecordedBody& recorded, const Clip& clip, double framesPerSecond);

/// The same without soft parts and lines: what a game wants.
AssetInput withoutShapes(AssetInput input);

/// Paints the skin of layers that were made of that body, if it has one with a texture.
AssetInput painted(AssetInput input, const RecordedBody& recorded);

/// What the layers show, and what an asset costs, as flat keys for a summary.
nlohmann::ordered_json layersJson(const AssetInput& input);
nlohmann::ordered_json assetJson(const AssetReport& report);

}  // namespace pneuma::stage
