#pragma once

namespace pneuma::skin::internal {

/// Tolerance of a pose on the way to another [m].
inline constexpr double kPartTolerance = 2e-3;

}  // namespace pneuma::skin::internal
