#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "cli/breath_options.h"
#include "cli/breath_shapes.h"
#include "pneuma/io/table.h"
#include "pneuma/render/plot.h"

/// What a run of the breathing torso writes.
namespace pneuma::cli {

/// All measures over time, with units.
io::Table measureTable(const breath::BreathSimulation& simulation);
render::Plot volumePlot(const breath::BreathSimulation& simulation);
render::Plot ribPlot(const breath::BreathSimulation& simulation);

/// Skin, diaphragm, gut and soft bodies as morphs, bones as nodes that move, muscle elements as
/// lines with the colour of their greatest force.
void writeBreathGlb(const TorsoShapes& shapes, const std::vector<const BreathFrame*>& frames,
                    const std::filesystem::path& path);

/// One frame, ray-traced.
struct PictureConfig {
  TorsoLook look;
  Vec3 direction{0.75, 0.12, 0.65};  ///< towards the camera
  bool cut = false;                  ///< takes the left half away
  int width = 600, height = 780, samples = 8;
};
render::Image breathPicture(const TorsoShapes& shapes, const BreathFrame& frame,
                            const PictureConfig& config);

/// How far each place of the skin has come between two frames [mm], from the front and the left.
render::Image travelPicture(const TorsoShapes& shapes, const BreathFrame& from,
                            const BreathFrame& to);

/// Three panels side by side: skin, cut open, skeleton with diaphragm. The frames' spacing gives
/// the speed; they are drawn once and played `rounds` times.
void writeBreathFilm(const TorsoShapes& shapes, const std::vector<const BreathFrame*>& frames,
                     int rounds, const std::filesystem::path& path,
                     const std::function<void(double)>& progress);

/// What takes time.
struct DrawnParts {
  bool stills = true, film = true;
};

/// Writes GLB, CSV, plots, stills, film and report into the folder of a run.
void writeBreathOutputs(const breath::BreathSimulation& simulation, const anatomy::Body& body,
                        const FrameTrack& track,
                        const std::function<std::filesystem::path(std::string_view)>& file,
                        const DrawnParts& drawn, const std::function<void(double)>& progress);

}  // namespace pneuma::cli
