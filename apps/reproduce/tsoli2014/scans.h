#pragma once

#include <string>
#include <vector>

#include "pneuma/core/progress.h"
#include "pneuma/shape/breath_model.h"
#include "pneuma/shape/people_files.h"

namespace pneuma::reproduce::tsoli2014 {

/// How well simulated scans of people who were held out are registered (Fig. 4, which the paper
/// only shows). On the trunk's vertices, over all scans of a line.
struct ScanLine {
  double noise = 0;           ///< of the scan [m]
  int painted = 0;            ///< points on the trunk
  double surface = 0;         ///< to the skin without its noise, rms [m]
  double correspondence = 0;  ///< to where each vertex truly is, rms [m]
  double breath = 0;          ///< way of the skin since rest, rms [m]: what is to be found
  double swing = 0;           ///< volume between fullest and emptiest scan over the true one [-]
  double volume = 0;          ///< error of the volume above rest, rms [m^3]
};

/// Fullest and emptiest frame of a deep and a quiet breath of some people held out, scanned with
/// noise of 0.2, 0.5 and 1 mm, with and without paint.
std::vector<ScanLine> registerScans(const shape::PeopleFolder& people,
                                    const shape::BreathModel& model, Progress& progress);

/// Gas in the lungs told from the skin alone, on people held out: the paper's proxy (Sec. 3.1).
struct VolumeLine {
  std::string name;
  double slope = 0, correlation = 0;  ///< told over true
  double error = 0;                   ///< rms [m^3]
};
/// By the mesh's volume, and by the volume of the model's nearest shape.
std::vector<VolumeLine> volumeFromShape(const shape::PeopleFolder& people,
                                        const shape::BreathModel& model);

}  // namespace pneuma::reproduce::tsoli2014
