#pragma once

#include <functional>
#include <optional>

#include "pneuma/breath/breath_style.h"

/// From a wanted volume and chest share to the commands of the muscles.
namespace pneuma::breath {

/// Change of volume of the two parts of the trunk [m^3].
struct Compartments {
  double ribCage = 0, abdomen = 0;
  double total() const { return ribCage + abdomen; }
  double share() const { return total() != 0 ? ribCage / total() : 0; }
};

/// The two commands of an inspiration, as multiples of a style's own: the diaphragm, and all
/// muscles that lift the ribs (in their fixed order: external and parasternal intercostals graded
/// over the spaces, scalenes, levatores costarum).
struct BreathMix {
  double diaphragm = 1, ribs = 1;

  Contractions of(const Contractions& style) const;
};

/// What is wanted of a breath. Without a share both commands scale alike.
struct BreathWish {
  double volume = 0;            ///< [m^3], > 0
  std::optional<double> share;  ///< of the rib cage, 0 .. 1
};

/// A mix, and what it gives.
struct MixFound {
  BreathMix mix;
  Compartments reached;
  bool exact = false;  ///< volume and share within 1 %
  int runs = 0;        ///< responses asked for
};

/// Commands that give what is wanted: Broyden's method on the response of the compartments, begun
/// with differences. Commands stay within 0 .. 20; a wish beyond the muscles' reach ends at the
/// nearest that was found, with `exact` false.
MixFound solveMix(const std::function<Compartments(const BreathMix&)>& respond,
                  const BreathWish& wish);

}  // namespace pneuma::breath
