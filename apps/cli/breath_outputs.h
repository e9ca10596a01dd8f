#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/breath_options.h"
#include "pneuma/breath/trunk_skin.h"
#include "pneuma/io/table.h"
#include "pneuma/render/image.h"
#include "pneuma/render/plot.h"
#include "pneuma/render/scene.h"

namespace pneuma::cli {

/// The torso at one moment, as pictures and files need it.
struct BreathFrame {
  double time = 0;
  breath::PointArray points;  ///< all points of the model
  std::vector<Pose> poses;    ///< of all bodies
  std::vector<double> tensions;
};
BreathFrame captureFrame(breath::BreathSimulation& simulation);

/// Surfaces of one torso: built once, posed for any frame.
class TorsoShapes {
 public:
  /// The subject's own bones and skin, in the rest pose of the model.
  TorsoShapes(const breath::TorsoModel& model, const breath::Subject& subject);

  struct RigidShape {
    std::string name;
    int body = 0;
    TriangleMesh mesh;  ///< at rest, in the world
  };
  const std::vector<RigidShape>& bones() const { return bones_; }
  const breath::TrunkSkin& skin() const { return skin_; }
  const std::vector<Triangle>& domeTriangles() const { return model_->dome; }
  /// Pose that takes a bone from its place at rest to its place in a frame.
  Pose motion(const BreathFrame& frame, int body) const;
  TriangleMesh dome(const BreathFrame& frame) const;
  TriangleMesh gut(const BreathFrame& frame) const;
  TriangleMesh skin(const BreathFrame& frame) const;

  /// A picture's scene: translucent skin (opacity 0: none), bones, diaphragm, gut.
  render::Scene scene(const BreathFrame& frame, double skinOpacity, bool inside) const;

 private:
  const breath::TorsoModel* model_;
  breath::TrunkSkin skin_;
  std::vector<RigidShape> bones_;
};

/// All measures over time, with units.
io::Table measureTable(const breath::BreathSimulation& simulation);
render::Plot volumePlot(const breath::BreathSimulation& simulation);
render::Plot ribPlot(const breath::BreathSimulation& simulation);

/// Writes GLB, CSV, plots, stills, film and report into the folder of a run.
void writeBreathOutputs(const breath::BreathSimulation& simulation,
                        const std::vector<BreathFrame>& frames,
                        const std::function<std::filesystem::path(std::string_view)>& file,
                        bool film, const std::function<void(double)>& progress);

}  // namespace pneuma::cli
