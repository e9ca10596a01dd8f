#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "pneuma/fit/fit_figure.h"
#include "pneuma/render/report.h"
#include "pneuma/stage/breath_loop.h"
#include "pneuma/stage/frame_track.h"
#include "pneuma/stage/living_actor.h"
#include "pneuma/stage/living_request.h"

/// A character's breath to look at.
namespace pneuma::stage::internal {

/// The fitted body as it breathed, kept to be filmed: bones, organs and skin in our rest pose.
struct FitTake {
  ResolvedLiving resolved;
  LivingActor actor;
  FrameTrack frames;
  std::vector<double> lungVolumes;  ///< of each frame [m^3]
  double tidalVolume = 0;           ///< [m^3]
  double ratePerMinute = 0;

  FitTake(ResolvedLiving living, int skinTriangles);
};

/// The character's own surface in the loop, body frame [m].
class BreathingSurface {
 public:
  /// `offsets`: of the targets, one per vertex. Corners that a file splits along seams of its
  /// texture are one in the triangles kept, or seams would be seen as edges.
  BreathingSurface(TriangleMesh rest, std::vector<std::vector<Vec3>> offsets,
                   const BreathLoop& loop);

  const TriangleMesh& rest() const { return rest_; }
  std::size_t keyCount() const { return loop_.times.size(); }
  /// The key with the most air.
  std::size_t fullest() const;
  std::vector<Vec3> at(std::size_t key) const;

 private:
  TriangleMesh rest_;
  std::vector<std::vector<Vec3>> offsets_;
  const BreathLoop& loop_;
};

/// before_after.png: the character as it came, and breathed in with the travel of its skin in
/// colour.
void addBeforeAfter(render::Report& report, const std::filesystem::path& folder,
                    const BreathingSurface& surface, const fit::FigureJoints& joints);

/// breath.mp4: one breath of the character beside the bones and organs that make it.
void writeFitFilm(const std::filesystem::path& path, const BreathingSurface& surface,
                  const FitTake& take, const BreathLoop& loop, const fit::FittedFigure& figure,
                  const std::function<void(double)>& progress);

}  // namespace pneuma::stage::internal
