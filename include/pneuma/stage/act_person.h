#pragma once

#include <memory>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/skeleton/model.h"
#include "pneuma/skin/driver.h"
#include "pneuma/stage/view.h"

namespace pneuma::stage {

/// The person whom an acting body is the inside of, for pictures: skin carried by weights over the
/// bones of a frame, hands as they hold. Not recorded and in no file: it follows from the frame.
class ActPerson {
 public:
  /// `measured` before it was fitted to the person of `described`; `compiled` (the articulation
  /// that acts) and `tree` outlive it.
  ActPerson(const anatomy::Body& measured, const anatomy::Body& described,
            const anatomy::CompiledBody& compiled, const skeleton::Model& tree,
            const anatomy::RelaxedHands& hands, int triangles);

  /// The skin as a part of a cast; the person must outlive it.
  SoftPart skin();
  /// Open eyes that look ahead, carried by the skull.
  const std::vector<RigidPart>& eyes() const { return eyes_; }
  /// Skin as people have it, and what they hold.
  Look look() const;

 private:
  std::vector<Vec3> positions(const body::Frame& frame);

  const anatomy::CompiledBody& compiled_;
  const skeleton::Model& tree_;
  std::vector<int> links_;
  anatomy::Sex sex_;
  anatomy::SkinSurface surface_;
  std::vector<RigidPart> eyes_;
  std::unique_ptr<skin::SkinDriver> driver_;
};

}  // namespace pneuma::stage
