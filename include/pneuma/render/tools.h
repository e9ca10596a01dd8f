#pragma once

/// Programs that render starts. A verb asks for them before it simulates for minutes.
namespace pneuma::render {

void requirePlotting();  ///< Throws InputError when gnuplot is not installed.
void requireFilming();   ///< Throws InputError when ffmpeg is not installed.

}  // namespace pneuma::render
