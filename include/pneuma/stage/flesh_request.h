#pragma once

#include <string>

#include "pneuma/body/living_flesh.h"
#include "pneuma/core/field_table.h"

namespace pneuma::stage {

/// Whether the skin is made by embedded flesh, and by which.
struct FleshRequest {
  bool on = false;
  std::string level = "default";  ///< of flesh::embedded::FleshLevel
  std::string tissue = "human";   ///< of flesh::embedded::FleshPreset
  skin::FleshEffects effects;
  bool muscles = false;  ///< surfaces of the muscles inside

  /// Throws InputError with the nearest name for a level or preset that is not there.
  body::FleshOptions options() const;
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<FleshRequest> r) {
  v.field({.name = "flesh", .meaning = "Skin by finite elements under it: seconds a frame"}, r.on);
  v.field({.name = "flesh_level",
           .meaning = "Elements of the flesh: preview (about 40,000), default (350,000) or fine"},
          r.level);
  v.field({.name = "flesh_tissue",
           .meaning = "Constants of the flesh: human (relaxed living tissue) or lee2009 (the "
                      "paper's)"},
          r.tissue);
  v.field({.name = "flesh_contact",
           .meaning = "Skin held off skin (inner elbow, armpit, groin) and over bones; without: "
                      "they may pass"},
          r.effects.contact);
  v.field({.name = "flesh_gravity",
           .meaning = "Flesh hangs by its weight where the body does not stand as at rest"},
          r.effects.gravity);
  v.field({.name = "flesh_dynamics",
           .meaning = "Flesh has inertia: breast, belly and buttocks lag and swing"},
          r.effects.inertia);
  v.field({.name = "flesh_muscles",
           .meaning = "Also the muscles inside, coloured by their activation, in pictures and GLB"},
          r.muscles);
}

}  // namespace pneuma::stage
