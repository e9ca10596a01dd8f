#include "pneuma/flesh/grid_shape.h"
namespace pneuma::flesh {
std::span<const MuscleStation> bicepsStations() {
  return {};
}
}  // namespace pneuma::flesh
