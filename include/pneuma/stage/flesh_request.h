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
}

}  // namespace pneuma::stage
