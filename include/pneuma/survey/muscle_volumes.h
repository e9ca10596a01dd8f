#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/survey/measure_pack.h"

namespace pneuma::survey {

/// How strong a muscle is described against how large it is. A line with cross-section A and fibres
/// of length l stands for the volume A l; the lines of a muscle together should fill the measured
/// one.
struct MuscleVolume {
  std::string muscle;      ///< anatomical name; muscles whose lines run into one another together
  int lines = 0;           ///< of the left side and the middle
  double pcsa = 0;         ///< sum over the lines [m^2]
  double fiberLength = 0;  ///< mean, weighted by cross-section [m]
  double described = 0;    ///< sum of A l [m^3]
  double measured = 0;     ///< of the left meshes, averaged with the right [m^3]

  double ratio() const { return described / measured; }
};

/// Every muscle of a set that the folder holds, in the order of the body, measured against a body
/// as measured (not fitted to a person). Fibres are as described, else the path without its
/// tendons. Left out: the diaphragm, which the folder shows thicker than it is.
std::vector<MuscleVolume> compareMuscleVolumes(const AnatomyPack& pack, const anatomy::Body& body,
                                               const std::string& set);

/// As a table, one muscle a line, worst agreement marked.
std::string muscleVolumeTable(const std::vector<MuscleVolume>& volumes);

}  // namespace pneuma::survey
