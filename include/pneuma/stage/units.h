#pragma once

/// What users read is not in metres: values in these units are `x / kMillilitre`.
namespace pneuma::stage {

inline constexpr double kLitre = 1e-3;        ///< [m^3]
inline constexpr double kMillilitre = 1e-6;   ///< [m^3]
inline constexpr double kMillimetre = 1e-3;   ///< [m]
inline constexpr double kMillisecond = 1e-3;  ///< [s]

}  // namespace pneuma::stage
