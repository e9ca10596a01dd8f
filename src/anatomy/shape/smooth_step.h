#pragma once

#include "pneuma/core/interpolate.h"

namespace pneuma::anatomy::internal {

using pneuma::smoothStep;

}  // namespace pneuma::anatomy::internal
