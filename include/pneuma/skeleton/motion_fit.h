#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pneuma/io/bvh.h"
#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// Plays recorded motion on a figure with other proportions: in every frame the centres of hips,
/// knees, ankles, toes, neck, head, shoulders, elbows and wrists are brought where the clip's
/// segments point with the figure's own segment lengths, by damped least squares within the joint
/// limits (soft). Positions need no agreement of rest poses or joint axes.
///
/// The clip's joints are those of the CMU library's BVH files (LeftUpLeg, LeftLeg, ..., Head), the
/// figure's links those of the `figure` articulation with a free root. Both sides are looked up by
/// name; a missing one leaves its target out, missing hips are an InputError.
class MotionFit {
 public:
  MotionFit(const Model& model, const io::Bvh& clip);
  ~MotionFit();

  /// Moves `q` (the former frame, or the neutral configuration) to the frame. Returns the mean
  /// distance of the joint centres from their places [m].
  double fit(std::size_t frame, VecX& q);

  /// Metres per unit of the clip: the figure's legs over the clip's.
  double scale() const;
  /// "LeftLeg > tibia_l", as mapped; and clip joints without a counterpart.
  const std::vector<std::string>& mapped() const;
  const std::vector<std::string>& unmapped() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::skeleton
