#pragma once

/// Sizes [pixels] and rays a pixel of the pictures that runs of a whole person make by themselves.
namespace pneuma::stage {

inline constexpr int kFilmWidth = 640, kFilmHeight = 720, kFilmSamples = 4;
inline constexpr int kStillWidth = 640, kStillHeight = 800, kStillSamples = 16;
/// Each quad of a belly's or solid's coarse grid is drawn as so many squared.
inline constexpr int kRefine = 3;

}  // namespace pneuma::stage
