#pragma once

#include "reproduce/reproduce.h"

namespace pneuma::reproduce::zordan2005 {

/// The experiments of Zordan et al. 2005 (figures 2, 4, 6-9, tables), with the paper's numbers
/// beside ours.
Outcome run(const Context& context);

}  // namespace pneuma::reproduce::zordan2005
